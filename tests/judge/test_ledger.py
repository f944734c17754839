"""What is remembered, and what is asked again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.facts.context import EvaluationContext, Mode, Subject, SubjectKind
from jurat.findings.verdict import DecidedBy, Verdict
from jurat.judge.batches import build_questions
from jurat.judge.cache import build_cache_key, decode_entry, encode_entry
from jurat.judge.gemini import GeminiJudge, GeminiOptions
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import CallOptions, JudgmentOptions
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule("house.logs", paths=("pay.py",))
GENERAL = a_normative_rule("house.general")
FILES = [a_diff(f"src/{number}.py", "+x") for number in range(9)]
LINES = (" def pay():", "+    log(secret)")


async def judged(
    model: GeminiJudge, ledger: Notebook, *rules: Rule, context: EvaluationContext
) -> JudgeResult:
    return await ask_judge(context, rules, model, ledger)


async def test_a_second_review_of_the_same_change_makes_no_call(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    gemini.judges(RULE.id, denying("log(secret)"))
    context = a_context(a_diff("pay.py", *LINES), *FILES)
    first = await judged(gemini_judge, notebook, RULE, GENERAL, context=context)
    second = await judged(gemini_judge, notebook, RULE, GENERAL, context=context)
    assert len(gemini.asked) == 1
    assert second.models == ()
    assert [item.decided_by for item in second.verdicts] == [DecidedBy.LEDGER] * 2
    as_before = [
        replace(item, decided_by=DecidedBy.BATCH, latency_ms=0.0) for item in second.verdicts
    ]
    assert as_before == [replace(item, latency_ms=0.0) for item in first.verdicts]


async def test_a_rebase_asks_nothing_and_moves_the_places(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    fix = {"type": "replace", "replacement": "log(id)"}
    finding = {"file_path": "pay.py", "quote": "log(secret)", "remediation": fix}
    gemini.judges(RULE.id, denying("log(secret)", findings=[finding]))
    await judged(gemini_judge, notebook, RULE, context=a_context(a_diff("pay.py", *LINES)))
    moved = a_context(a_diff("pay.py", *LINES, first=70))
    (verdict,) = (await judged(gemini_judge, notebook, RULE, context=moved)).verdicts
    assert len(gemini.asked) == 1
    assert verdict.verdict is Verdict.DENY
    assert [place.start_line for place in verdict.locations] == [71]
    assert [(item.start_line, item.replacement) for item in verdict.remediations] == [
        (71, "    log(id)")
    ]


async def test_a_push_that_touches_one_of_ten_files_asks_only_about_that_files_rules(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    rules = [
        a_normative_rule(f"house.rule-{number}", paths=(f"src/{number}.py",)) for number in range(9)
    ]
    context = a_context(*FILES)
    await judged(gemini_judge, notebook, *rules, context=context)
    pushed = a_context(*FILES[:4], a_diff("src/4.py", "+y"), *FILES[5:])
    await judged(gemini_judge, notebook, *rules, context=pushed)
    asked = gemini.asked[1]
    assert len(gemini.asked) == 2
    assert [rule.id for rule in asked.rules if "rule" in rule.id] == ["house.rule-4"]
    assert [item.label for item in asked.shown if item.label.startswith("src/")] == ["src/4.py"]


async def test_a_changed_statement_asks_again(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    context = a_context(a_diff("pay.py", *LINES))
    await judged(gemini_judge, notebook, RULE, context=context)
    reworded = a_normative_rule(RULE.id, paths=RULE.paths, statement="Log lines are secret.")
    await judged(gemini_judge, notebook, reworded, context=context)
    assert len(gemini.asked) == 2


class Names:
    """A judge that only has names."""

    def __init__(self, flash: str = "f", pro: str = "p") -> None:
        self._names = {"flash": flash, "pro": pro}

    def model_id(self, tier: str) -> str:
        return self._names[tier]


def key(
    context: EvaluationContext,
    rule: Rule = RULE,
    options: JudgmentOptions | None = None,
    names: Names | None = None,
) -> str:
    (question,) = build_questions(context, [rule])
    return build_cache_key(question, context, options or JudgmentOptions(), names or Names())  # type: ignore[arg-type]  # a judge is only asked for its names


CONTEXT = a_context(a_diff("pay.py", *LINES))


@pytest.mark.parametrize(
    "other",
    [
        key(CONTEXT, a_normative_rule(RULE.id, paths=RULE.paths, exceptions=("test logs",))),
        key(CONTEXT, names=Names(flash="g")),
        key(CONTEXT, names=Names(pro="q")),
        key(CONTEXT, options=JudgmentOptions(batch=CallOptions("flash", "high"))),
        key(CONTEXT, options=JudgmentOptions(confirmation=CallOptions("pro", "low"))),
        key(replace(CONTEXT, mode=Mode.POSTHOC)),
        key(a_context(a_diff("pay.py", *LINES, "+more()"))),
        key(a_context(a_diff("pay.py", "+def pay():", "+    log(secret)"))),
        key(EvaluationContext((Subject(SubjectKind.DOCUMENT, CONTEXT.files),))),
    ],
)
def test_whatever_an_answer_rests_on_is_part_of_its_key(other: str) -> None:
    assert other != key(CONTEXT)


def test_the_description_is_part_of_the_key_of_a_rule_that_reads_it() -> None:
    reader = a_normative_rule(RULE.id, paths=RULE.paths, reads=("description",))
    edited = replace(CONTEXT, intent="Log more")
    assert key(edited, reader) != key(CONTEXT, reader)
    assert key(edited) == key(CONTEXT)


def test_what_the_rule_is_not_shown_is_no_part_of_its_key() -> None:
    assert key(a_context(*CONTEXT.files, a_diff("other.py", "+x"))) == key(CONTEXT)
    assert key(a_context(a_diff("pay.py", *LINES, first=9))) == key(CONTEXT)
    assert key(CONTEXT, options=JudgmentOptions(prompt_tokens=9)) == key(CONTEXT)


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "[]",
        "null",
        "7",
        '[{"answer": {}}]',
        '[{"model_id": "m"}]',
        '{"answer": 1}',
        '[{"answer": {"verdict": "ALLOW", "confidence": 1, "reasoning": "x"}}]',
        '[{"model_id": "m", "answer": {"verdict": "DENY", "confidence": 1, "reasoning": "x"}}]',
    ],
)
def test_an_entry_that_cannot_be_read_is_not_used(entry: str) -> None:
    (question,) = build_questions(CONTEXT, [RULE])
    assert decode_entry(entry, question) is None


async def test_a_broken_entry_is_asked_again(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    await judged(gemini_judge, notebook, RULE, context=CONTEXT)
    notebook.update(dict.fromkeys(notebook, "{}"))
    (verdict,) = (await judged(gemini_judge, notebook, RULE, context=CONTEXT)).verdicts
    assert (verdict.verdict, verdict.decided_by) == (Verdict.ALLOW, DecidedBy.BATCH)
    assert len(gemini.asked) == 2


async def test_what_was_written_reads_back_the_same(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    gemini.judges(RULE.id, denying("log(secret)"))
    await judged(gemini_judge, notebook, RULE, context=CONTEXT)
    (question,) = build_questions(CONTEXT, [RULE])
    entry, _denial = notebook.values()
    opinions = decode_entry(entry, question)
    assert opinions is not None
    assert decode_entry(encode_entry(opinions), question) == opinions


async def test_another_model_is_asked_for_its_own_answer(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    await judged(gemini_judge, notebook, RULE, context=CONTEXT)
    swapped = {"flash": "gemini-3.1-pro-preview", "pro": "gemini-3-flash-preview"}
    options = GeminiOptions(models=swapped)  # type: ignore[arg-type]  # the keys are tiers
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url, options=options) as other:
        await judged(other, notebook, RULE, context=CONTEXT)
    assert [asked.model for asked in gemini.asked] == list(reversed(swapped.values()))
