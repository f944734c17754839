from __future__ import annotations

import json
from string import Template

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import SURFACE_OF, EvaluationContext, Mode, Subject, SubjectKind, Surface
from jurat.judge.batches import Batch, build_questions, plan_batches
from jurat.judge.prompts import (
    FENCE_MARKS,
    build_batch_prompt,
    build_single_prompt,
    confirm_prompt,
    estimate_overhead,
    load_template,
    render_rule,
)
from jurat.judge.protocol import (
    BYTES_A_TOKEN,
    CallOptions,
    JudgmentOptions,
    Prompt,
    count_utf8_bytes,
)
from jurat.judge.replies import build_schema
from jurat.rules.rule import Example, Examples, Modality
from tests.standins.gemini.reading import Asked, read_request
from tests.support.gemini import a_diff, a_normative_rule
from tests.support.values import a_context

FLASH = CallOptions("flash", "medium")
READER = a_normative_rule(reads=("description",))
MARK = "5eed5eed5eed5eed"


def batch_of(context: EvaluationContext, *rules: object) -> Batch:
    chosen = [a_normative_rule()] if not rules else list(rules)
    questions = build_questions(context, chosen)  # type: ignore[arg-type]  # rules
    (batch,) = plan_batches(questions, JudgmentOptions(), estimate_overhead(context)).batches
    return batch


def as_read(prompt: Prompt) -> Asked:
    """What somebody reads who only knows the prompt's text."""
    contents = [{"role": "user", "parts": [{"text": prompt.user}]}]
    system = {"parts": [{"text": prompt.system}]}
    return read_request("m", {"contents": contents, "systemInstruction": system})


def test_the_rules_stand_outside_the_fence_and_the_subject_inside() -> None:
    context = a_context(a_diff("pay.py", "+charge()"), intent="Charge more")
    prompt, controls = build_batch_prompt(batch_of(context, READER), context, FLASH, MARK)
    asked = as_read(prompt)
    listed = {rule.id for rule in asked.rules}
    assert listed == {"house.no-secrets-in-logs", *(control.id for control in controls)}
    assert "charge()" in asked.fenced
    assert "Charge more" in asked.fenced
    assert "charge()" not in asked.unfenced
    assert "Charge more" not in asked.unfenced
    assert prompt.user.count(MARK) == FENCE_MARKS


def test_only_a_rule_that_reads_it_is_shown_the_description() -> None:
    context = a_context(a_diff("pay.py", "+charge()"), intent="Charge more")
    prompt, _ = build_batch_prompt(batch_of(context), context, FLASH, MARK)
    assert "Charge more" not in prompt.user


def test_the_prompt_says_the_mode() -> None:
    for mode, words in ((Mode.PREFLIGHT, "about to happen"), (Mode.POSTHOC, "has happened")):
        context = a_context(a_diff("a.py", "+x"), mode=mode)
        prompt, _ = build_batch_prompt(batch_of(context), context, FLASH, MARK)
        assert words in prompt.user


def test_a_value_is_never_read_as_a_template() -> None:
    context = a_context(a_diff("$rules.py", "+$mark ${material} $$ $nothing"), intent="$mark")
    prompt, _ = build_batch_prompt(batch_of(context, READER), context, FLASH, MARK)
    assert "1+$mark ${material} $$ $nothing" in prompt.user
    assert " $rules.py (modified)" in prompt.user
    assert "| $mark" in prompt.user


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=200))
def test_nothing_leaves_the_fence(line: str, path: str, intent: str) -> None:
    context = a_context(a_diff(path or "a", "+" + line.replace("\n", " ")), intent=intent)
    prompt, controls = build_batch_prompt(batch_of(context, READER), context, FLASH, MARK)
    asked = as_read(prompt)
    assert asked.mark == MARK
    assert len(asked.rules) == 1 + len(controls)
    bare = a_context(a_diff("a", "+x"))
    plain, _ = build_batch_prompt(batch_of(bare, READER), bare, FLASH, MARK)
    assert asked.unfenced == as_read(plain).unfenced
    labels = {item.label for item in asked.shown}
    assert {control.excerpt.label for control in controls} <= labels
    assert len(asked.shown) == 3 + bool(intent.strip())


@pytest.mark.parametrize("kind", SubjectKind)
def test_every_surface_has_a_template_that_names_its_terms(kind: SubjectKind) -> None:
    context = EvaluationContext((Subject(kind, facts={"a": 1, "b": "two"}),))
    batch = batch_of(context)
    prompt, controls = build_batch_prompt(batch, context, FLASH, MARK)
    assert batch.surface is SURFACE_OF[kind]
    assert prompt.schema == build_schema(batch.surface)
    finding = prompt.schema["properties"]["verdicts"]["items"]["properties"]["findings"]["items"]
    properties = finding["properties"]
    for field in properties:
        assert field in prompt.system, field
    for fix_type in properties["remediation"]["properties"]["type"]["enum"]:
        assert fix_type in prompt.system, fix_type
    assert len(controls) == 2


@pytest.mark.parametrize(
    "name", [*(f"evaluate_batch_{surface}" for surface in Surface), "evaluate_single", "confirm"]
)
def test_a_template_names_its_mark_as_often_as_the_fence_needs(name: str) -> None:
    message = load_template(name).rpartition("\n---\n")[2]
    fields = Template(message).get_identifiers()
    assert sorted(fields) == ["mark", "material", "mode", "part", "rules"]
    assert message.count("$mark") == FENCE_MARKS


def test_a_rule_is_told_with_its_conditions_on_lines_of_their_own() -> None:
    rule = a_normative_rule(
        statement="Logs hold\nno secrets.",
        modality=Modality.SHOULD,
        preconditions=("the log leaves the machine",),
        exceptions=("test logs",),
        rationale="Logs are kept.",
    )
    assert render_rule(rule, "1-3 7").splitlines() == [
        "- house.no-secrets-in-logs (recommended, on 1-3 7): Logs hold no secrets.",
        "  if the log leaves the machine",
        "  except test logs",
        "  because Logs are kept.",
    ]


def test_each_rule_says_by_number_what_it_is_about() -> None:
    names = [f"{letter}.{end}" for letter in "abcdefgh" for end in ("py", "go")]
    context = a_context(*(a_diff(name, "+x") for name in names))
    rules = [
        a_normative_rule("a.all"),
        a_normative_rule("a.py", paths=("*.py",)),
        a_normative_rule("a.few", paths=("{a,c,e}.go",)),
    ]
    batch = batch_of(context, *rules)
    for number in range(20):
        prompt, controls = build_batch_prompt(batch, context, FLASH, f"{MARK}{number}")
        asked = as_read(prompt)
        told = {rule.id: sorted(item.label for item in asked.about(rule)) for rule in asked.rules}
        assert told["a.all"] == sorted(names)
        assert told["a.py"] == sorted(name for name in names if name.endswith("py"))
        assert told["a.few"] == ["a.go", "c.go", "e.go"]
        for control in controls:
            assert told[control.id] == [control.excerpt.label]
        # Files of the same rules stand together, so that few ranges say it.
        assert max(line.count("-") for line in prompt.user.splitlines() if " on " in line) < 9


def test_a_computation_that_could_not_be_made_is_told_as_well() -> None:
    constraint = {"type": "numeric", "field_path": "amount", "operator": "<=", "threshold": 5}
    assert "  computed {" in render_rule(a_normative_rule(constraints=(constraint,)), "1")


def test_a_rule_asked_alone_comes_with_examples_and_controls() -> None:
    examples = Examples(valid=("log(id)",), invalid=(Example(code="log(\n  key)"),))
    context = a_context(a_diff("a.py", "+x"))
    batch = batch_of(context, a_normative_rule(examples=examples))
    prompt, controls = build_single_prompt(batch, context, CallOptions("pro", "high"), MARK)
    assert "  keeps it: log(id)" in prompt.user
    assert "  breaks it: log( ⏎   key)" in prompt.user
    assert (prompt.tier, prompt.thinking) == ("pro", "high")
    assert len(controls) == 4


def test_the_first_review_is_told_inside_the_fence() -> None:
    context = a_context(a_diff("a.py", "+x"))
    notes = {"house.no-secrets-in-logs": ["it logs", "quote: x"]}
    asked = as_read(confirm_prompt(batch_of(context), notes, context, FLASH, MARK))
    assert asked.shown[-1].label == "first review of house.no-secrets-in-logs"
    assert "it logs" not in asked.unfenced


def test_a_long_description_is_cut_where_it_says_so() -> None:
    context = a_context(a_diff("a.py", "+x"), intent="y" * 70_000)
    prompt, _ = build_batch_prompt(batch_of(context, READER), context, FLASH, MARK)
    assert "(54000 more characters not shown)" in prompt.user


@pytest.mark.parametrize("kind", SubjectKind)
def test_the_planned_overhead_is_never_too_small(kind: SubjectKind) -> None:
    rules = [a_normative_rule(f"a.rule-{index}") for index in range(15)]
    context = EvaluationContext((Subject(kind, (a_diff("a.md", "+x"),), {"a": 1}),), "Because.")
    batch = batch_of(context, *rules)
    shown = sum(item.bytes for item in batch.excerpts)
    planned = estimate_overhead(context)(batch.surface, batch.questions)
    for number in range(30):
        prompt, _ = build_batch_prompt(batch, context, FLASH, f"{MARK}{number}")
        spent = (
            count_utf8_bytes(prompt.system)
            + count_utf8_bytes(prompt.user)
            + count_utf8_bytes(json.dumps(prompt.schema))
        )
        assert spent - shown <= planned


@pytest.mark.parametrize("surface", Surface)
def test_what_prompts_have_in_common_is_less_than_any_provider_caches(surface: Surface) -> None:
    # docs/models.md says why nothing is cached explicitly: a longer instruction wants a new look.
    subject = Subject(
        next(kind for kind in SubjectKind if SURFACE_OF[kind] is surface), facts={"a": 1}
    )
    context = (
        EvaluationContext(subjects=(subject,))
        if surface is not Surface.CODE
        else a_context(a_diff("a.py", "+x = 1"))
    )
    first, second = (
        build_batch_prompt(batch_of(context), context, FLASH, mark)[0]
        for mark in (MARK, "f00dfeed00112233")
    )
    assert first.system == second.system
    assert count_utf8_bytes(first.system) / BYTES_A_TOKEN < 1024
