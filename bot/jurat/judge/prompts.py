"""Prompts: the templates of prompts/ filled in once, with a fence around the subject.

A template's values are never read as templates again. What stands above the line "---" of a surface
template goes into the system instruction behind reviewer.txt, what stands below it is the message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from string import Template
from types import MappingProxyType

from pydantic import BaseModel

from jurat.errors import IncompleteError
from jurat.facts.context import EvaluationContext, Mode, Surface
from jurat.judge.batches import (
    MANIFEST_BYTES,
    Batch,
    JudgeQuestion,
    get_key,
    list_keys,
    map_signatures,
)
from jurat.judge.control_rules import AskedControl, choose_places, draw_controls, draw_twins
from jurat.judge.excerpts import Excerpt
from jurat.judge.protocol import CallOptions, Prompt, count_utf8_bytes
from jurat.judge.replies import build_schema
from jurat.judge.twins import MOST_CHARACTERS
from jurat.resources import get_bundled_path
from jurat.rules.rule import Example, Modality, Rule, RuleInput
from jurat.source.secret_masks import mask_secrets, to_model_line, to_model_lines

FENCE_MARKS = 3
"""How often every message template names its mark: once to say it, and at both ends."""

INTENT_CHARACTERS = 16_000
"""What is shown of the author's description. GitHub lets it have 65,536 characters."""

_EXAMPLE_CHARACTERS = 1_200
"""What is shown of a rule's examples, where one rule is asked alone."""

_DRAWS = 8
"""Random words that are tried before it is certain that they are not random."""

_CONTROLS_BYTES = 1_500
"""More than two control rules with their excerpts ever take."""

_FORCE: Mapping[Modality, str] = {
    Modality.MUST: "required",
    Modality.MUST_NOT: "required",
    Modality.SHOULD: "recommended",
    Modality.MAY: "permitted",
    Modality.INFO: "information",
}
"""A statement says what holds, whether the rule is written as a command or as a prohibition."""

_MODE: Mapping[Mode, str] = {
    Mode.PREFLIGHT: "This is about to happen: a fix prevents it.",
    Mode.POSTHOC: "This has happened: a fix corrects it.",
}


Compose = Callable[[str], tuple[Prompt, list[AskedControl]]]
"""Makes the prompt that is fenced with a given mark, and the controls hidden in it."""


@cache
def load_template(name: str) -> str:
    """The text of a prompt template."""
    return get_bundled_path("prompts", f"{name}.txt").read_text(encoding="utf-8")


@cache
def _load_surface_template(surface: Surface) -> tuple[str, str]:
    system, _, message = load_template(f"evaluate_batch_{surface}").partition("\n---\n")
    return f"{load_template('reviewer')}\n{system}\n", message


@cache
def compute_template_digest(surface: Surface) -> str:
    """SHA-256 of everything that the wording of a surface's prompts depends on."""
    parts = [
        *_load_surface_template(surface),
        load_template("evaluate_single"),
        load_template("confirm"),
        json.dumps(build_schema(surface)),
    ]
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def compute_prompts_digest() -> str:
    """SHA-256 of the wording of every prompt that a review may use, its control rules included."""
    parts = [*(compute_template_digest(surface) for surface in Surface)]
    parts.append(get_bundled_path("prompts", "controls.yml").read_text(encoding="utf-8"))
    return sha256("\0".join(parts).encode()).hexdigest()


def build_fenced_prompt(
    compose: Compose, nonce: Callable[[], str]
) -> tuple[Prompt, list[AskedControl]]:
    """A prompt whose mark stands in it only as the fence has it.

    Raises IncompleteError if `nonce` gives no such mark within a few attempts.
    """
    for _ in range(_DRAWS):
        mark = nonce()
        prompt, controls = compose(mark)
        # Counted in the finished prompt: the mark may stand in the subject, in a rule or in a
        # file's name.
        if prompt.user.count(mark) == FENCE_MARKS:
            return prompt, controls
    raise IncompleteError("No mark was found that the subject does not contain.")


def estimate_overhead(
    context: EvaluationContext,
) -> Callable[[Surface, Sequence[JudgeQuestion]], int]:
    """For the planning: the bytes of a batch's prompt without its excerpts, never too few."""
    intent = count_utf8_bytes(_render_intent(context)) + 1

    def of(surface: Surface, questions: Sequence[JudgeQuestion]) -> int:
        groups = len(set(map_signatures(questions).values())) + 3
        rules = sum(
            count_utf8_bytes(render_rule(question.rule, "")) + groups * len(" 9999-9999")
            for question in questions
        )
        # Each has its statement once more, an id and a file of its own.
        twins = sum(
            2 * (count_utf8_bytes(question.rule.statement) + 2 * MOST_CHARACTERS + 600)
            for question in questions
            if question.rule.examples.invalid and question.rule.examples.valid
        )
        fixed = sum(count_utf8_bytes(part) for part in _load_surface_template(surface))
        return (
            fixed
            + rules
            + intent
            + _CONTROLS_BYTES
            + twins
            + len(json.dumps(build_schema(surface)))
            + 200
        )

    return of


def build_batch_prompt(
    batch: Batch,
    context: EvaluationContext,
    call_options: CallOptions,
    mark: str,
    objections: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Prompt, list[AskedControl]]:
    """One prompt for all rules of a batch, and the controls that are hidden in it.

    `objections` say, in our own words, what was wrong with an earlier answer to a rule.
    """
    _, message = _load_surface_template(batch.surface)

    def render(rule: Rule, on: str) -> str:
        lines = [render_rule(rule, on)]
        if objection := objections.get(rule.id):
            lines.append(f"  an earlier answer was no verdict: {_render_line(objection)}")
        return "\n".join(lines)

    return _with_controls(message, batch, context, call_options, mark=mark, render=render)


def build_single_prompt(
    batch: Batch, context: EvaluationContext, call_options: CallOptions, mark: str
) -> tuple[Prompt, list[AskedControl]]:
    """The prompt for a rule that is asked alone, with its examples, and the controls in it."""
    message = load_template("evaluate_single")
    return _with_controls(
        message, batch, context, call_options, mark=mark, render=_render_rule_with_examples
    )


def confirm_prompt(
    batch: Batch,
    notes: Mapping[str, Sequence[str]],
    context: EvaluationContext,
    call_options: CallOptions,
    mark: str,
) -> Prompt:
    """The prompt that has findings judged again. `notes` are the first review's words, by rule."""
    reviews = [
        "\n".join(
            [f"=== first review of {rule_id}", *(f"| {line}" for line in to_model_lines(lines))]
        )
        for rule_id, lines in notes.items()
    ]
    rules = [
        render_rule(item.rule, _format_numbers(item, batch.excerpts)) for item in batch.questions
    ]
    excerpt_texts = [excerpt.render(number) for number, excerpt in enumerate(batch.excerpts, 1)]
    return _build_prompt(
        load_template("confirm"),
        batch,
        context,
        call_options,
        mark=mark,
        rules=rules,
        excerpt_texts=[*excerpt_texts, *reviews],
    )


def _with_controls(
    message: str,
    batch: Batch,
    context: EvaluationContext,
    call_options: CallOptions,
    *,
    mark: str,
    render: Callable[[Rule, str], str],
) -> tuple[Prompt, list[AskedControl]]:
    rules = [question.rule for question in batch.questions]
    labels = [item.label for item in batch.excerpts]
    controls = [
        *draw_controls(batch.surface, rules, labels, mark),
        *draw_twins(batch.questions, mark),
    ]
    excerpts = list(batch.excerpts)
    # At places drawn from the mark: a control that always came first would be known as one.
    for control, place in zip(
        controls, choose_places(len(excerpts), mark, "exhibits", len(controls)), strict=True
    ):
        excerpts.insert(place, control.excerpt)
    forces = {rule.id: _FORCE[rule.modality] for rule in rules}
    texts = [
        render(question.rule, _format_numbers(question, excerpts)) for question in batch.questions
    ]
    for control, place in zip(
        controls, choose_places(len(texts), mark, "rules", len(controls)), strict=True
    ):
        number = next(n for n, item in enumerate(excerpts, 1) if item is control.excerpt)
        # A twin as its rule is listed: the one must not be told from the other by its form.
        force = forces.get(control.twin_of, "required")
        stated = _render_line(control.statement)
        texts.insert(place, f"- {control.id} ({force}, on {number}): {stated}")
    excerpt_texts = [excerpt.render(number) for number, excerpt in enumerate(excerpts, 1)]
    prompt = _build_prompt(
        message, batch, context, call_options, mark=mark, rules=texts, excerpt_texts=excerpt_texts
    )
    return prompt, controls


def _format_numbers(question: JudgeQuestion, excerpts: Sequence[Excerpt]) -> str:
    """The numbers of the excerpts that a question is about, as ranges: "1-4 7"."""
    mine = list_keys(question)
    ranges: list[list[int]] = []
    for number, excerpt in enumerate(excerpts, 1):
        if excerpt.control or get_key(excerpt) not in mine:
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _build_prompt(
    message: str,
    batch: Batch,
    context: EvaluationContext,
    call_options: CallOptions,
    *,
    mark: str,
    rules: Sequence[str],
    excerpt_texts: Sequence[str],
) -> Prompt:
    system, _ = _load_surface_template(batch.surface)
    read = any(is_intent_read(question.rule) for question in batch.questions)
    intent = _render_intent(context) if read else ""
    parts = [*([intent] if intent else ()), *excerpt_texts]
    if batch.elsewhere:
        parts.append(_render_manifest(batch.elsewhere))
    # `substitute` passes once over the template: a `$rules` in somebody's code stays what it is.
    user = Template(message).substitute(
        mode=_MODE[context.mode],
        part=_describe_part(batch),
        # Masked once more: whatever way a text found here, this is the only way out.
        rules=mask_secrets("\n".join(rules)),
        mark=mark,
        material=mask_secrets("\n".join(parts)),
    )
    return Prompt(
        system, user, build_schema(batch.surface), call_options.tier, call_options.thinking
    )


def _describe_part(batch: Batch) -> str:
    if batch.parts == 1:
        return ""
    return (
        f" The material is part {batch.part} of {batch.parts}; the names of the rest stand at its"
        " end. Judge what is here, and do not deny for something that the rest may hold."
    )


def _render_manifest(labels: Sequence[str]) -> str:
    lines = ["=== elsewhere (names only)"]
    # What the planning has set aside: names that do not fit must not push the prompt over its
    # budget.
    free = MANIFEST_BYTES - 100
    for index, label in enumerate(labels):
        free -= count_utf8_bytes(label) + 3
        if free < 0:
            lines.append(f"| and {len(labels) - index} more")
            break
        lines.append(f"| {label}")
    return "\n".join(lines)


def is_intent_read(rule: Rule) -> bool:
    """Whether a rule is judged by the author's description: no other is shown it."""
    return RuleInput.DESCRIPTION in rule.inputs


def _render_intent(context: EvaluationContext) -> str:
    if not context.intent.strip():
        return ""
    intent = context.intent[:INTENT_CHARACTERS]
    stated = [line.removesuffix("\r") for line in intent.strip().split("\n")]
    lines = [f"| {line}" for line in to_model_lines(stated)]
    if len(context.intent) > INTENT_CHARACTERS:
        lines.append(f"({len(context.intent) - INTENT_CHARACTERS} more characters not shown)")
    return "\n".join(["=== the author's description", *lines])


def render_rule(rule: Rule, on: str) -> str:
    """A rule as it is listed for the model, with the numbers of what it is about."""
    lines = [f"- {rule.id} ({_FORCE[rule.modality]}, on {on}): {_render_line(rule.statement)}"]
    lines += [
        f"  if {_render_line(item if isinstance(item, str) else _render_constraint(item))}"
        for item in rule.preconditions
    ]
    lines += [f"  except {_render_line(item)}" for item in rule.exceptions]
    lines += [
        f"  computed {_render_line(_render_constraint(item))}"
        for item in rule.constraints
        if item.type not in ("pattern", "regex")
    ]
    if rule.rationale:
        lines.append(f"  because {_render_line(rule.rationale)}")
    return "\n".join(lines)


def _render_constraint(constraint: BaseModel) -> str:
    fields = constraint.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(fields, ensure_ascii=False)


def _render_rule_with_examples(rule: Rule, on: str) -> str:
    lines = [render_rule(rule, on)]
    for name, examples in (("keeps it", rule.examples.valid), ("breaks it", rule.examples.invalid)):
        texts = [_render_example(item) for item in examples]
        lines += [f"  {name}: {text}" for text in texts if 0 < len(text) <= _EXAMPLE_CHARACTERS][:2]
    return "\n".join(lines)


def _render_example(example: Example | str) -> str:
    text = example if isinstance(example, str) else example.code or ""
    return " ⏎ ".join(to_model_lines(text.strip().split("\n")))


def _render_line(text: str) -> str:
    return to_model_line(" ".join(text.split()))
