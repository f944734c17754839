"""The calls of a review, over the real client and a stand-in that answers as the script says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.errors import IncompleteError
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.gemini import GeminiJudge
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import JudgmentOptions
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule
from tests.standins.gemini.reactions import Reaction, Reply, blocked, careful
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict as Said
from tests.standins.gemini.script import allowed, denied
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, a_diff, a_normative_rule, denying
from tests.support.values import a_context

SECRETS = a_normative_rule()
NAMES = a_normative_rule("house.clear-names", statement="Names say what they hold.", severity="LOW")
KEYS = a_normative_rule("house.no-keys", statement="Keys stay at home.", severity="CRITICAL")
CONTEXT = a_context(a_diff("pay.py", " def pay():", "+    log(secret)", "+    charge()"))

OPTIONS = JudgmentOptions()
FLASH, PRO = "gemini-3-flash-preview", "gemini-3.1-pro-preview"


async def judged(
    model: GeminiJudge | None,
    *rules: Rule,
    context: EvaluationContext = CONTEXT,
    options: JudgmentOptions = OPTIONS,
    ledger: Notebook | None = None,
) -> JudgeResult:
    kept = ledger if ledger is not None else Notebook()
    judgment = await ask_judge(context, rules, model, kept, options)
    assert [item.rule for item in judgment.verdicts] == list(rules)
    return judgment


async def test_without_a_model_nothing_is_assessed_and_nothing_passes() -> None:
    judgment = await judged(None, SECRETS, NAMES)
    assert {item.verdict for item in judgment.verdicts} == {Verdict.NOT_ASSESSED}
    assert {item.gap for item in judgment.verdicts} == {NotAssessedReason.NO_MODEL}
    assert "GEMINI_API_KEY" in judgment.verdicts[0].reasoning
    assert judgment.models == ()


async def test_without_rules_nothing_is_asked(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    assert await ask_judge(CONTEXT, [], gemini_judge, Notebook()) == JudgeResult(())
    assert gemini.asked == []


async def test_where_there_is_nothing_to_show_nothing_is_asked_and_nothing_passes(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    judgment = await judged(gemini_judge, SECRETS, context=a_context())
    (verdict,) = judgment.verdicts
    assert (verdict.verdict, verdict.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD)
    assert verdict.reasoning == "There was nothing to show to a model."
    assert gemini.asked == []


async def test_all_rules_are_judged_in_one_call_of_the_flash_tier(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges(SECRETS.id, denying("log(secret)"))
    judgment = await judged(gemini_judge, NAMES, SECRETS, KEYS)
    assert [item.verdict for item in judgment.verdicts] == [
        Verdict.ALLOW,
        Verdict.DENY,
        Verdict.ALLOW,
    ]
    (asked,) = gemini.asked
    assert (asked.model, asked.thinking) == (FLASH, "medium")
    assert {item.decided_by for item in judgment.verdicts} == {DecidedBy.BATCH}
    (place,) = judgment.verdicts[1].locations
    assert (place.file_path, place.start_line) == ("pay.py", 2)
    (use,) = judgment.models
    assert (use.model_id, use.calls) == (FLASH, 1)
    assert use.input_tokens > 0 < use.output_tokens
    assert use.latency_ms > 0


async def test_a_denial_of_a_critical_rule_is_confirmed_by_the_pro_tier(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges(KEYS.id, denying("log(secret)"))
    gemini.judges(SECRETS.id, denying("log(secret)"))
    judgment = await judged(gemini_judge, SECRETS, KEYS)
    batch, confirmation = gemini.asked
    assert (confirmation.model, confirmation.thinking) == (PRO, "high")
    assert [rule.id for rule in confirmation.rules] == [KEYS.id]
    assert "first review of house.no-keys" in confirmation.fenced
    assert batch.mark != confirmation.mark
    assert [item.verdict for item in judgment.verdicts] == [Verdict.DENY, Verdict.DENY]
    assert [item.decided_by for item in judgment.verdicts] == [
        DecidedBy.BATCH,
        DecidedBy.CONFIRMATION,
    ]
    assert judgment.verdicts[1].model_id == PRO
    assert [(use.model_id, use.calls) for use in judgment.models] == [(FLASH, 1), (PRO, 1)]


async def test_tiers_that_disagree_ask_a_person(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    def torn(asked: Asked, rule: ListedRule) -> Said:
        if asked.model == PRO:
            return {**allowed(asked, rule), "reasoning": "It is a test key."}
        return denying("log(secret)")(asked, rule)

    gemini.judges(KEYS.id, torn)
    ledger = Notebook()
    (verdict,) = (await judged(gemini_judge, KEYS, ledger=ledger)).verdicts
    assert verdict.verdict is Verdict.NEEDS_CONFIRMATION
    assert verdict.decided_by is DecidedBy.CONFIRMATION
    assert "log(secret)" in verdict.reasoning
    assert "It is a test key." in verdict.reasoning
    # A disagreement is an answer: it is remembered, so that it does not come and go.
    (again,) = (await judged(gemini_judge, KEYS, ledger=ledger)).verdicts
    assert again == replace(verdict, decided_by=DecidedBy.LEDGER, latency_ms=0.0)
    assert len(gemini.asked) == 2


async def test_every_surface_is_asked_once_and_a_rule_is_judged_over_all_of_them(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    context = EvaluationContext(
        (
            Subject(SubjectKind.CODE_DIFF, (a_diff("a.py", "+x = 1"),)),
            Subject(SubjectKind.TRANSACTION, facts={"amount": 120_000}),
        )
    )
    money = a_normative_rule("fin.cap", subject_kinds=(SubjectKind.TRANSACTION,))
    gemini.judges(SECRETS.id, denying("amount"))
    gemini.judges(money.id, denying("amount"))
    judgment = await judged(gemini_judge, SECRETS, money, context=context)
    about_money = [money.id in {rule.id for rule in asked.rules} for asked in gemini.asked]
    assert sorted(about_money) == [False, True]
    assert [item.verdict for item in judgment.verdicts] == [Verdict.DENY, Verdict.DENY]
    assert judgment.verdicts[1].locations[0].fields["json_path"] == "$.amount"


async def test_a_cut_subject_is_judged_part_by_part_and_merged(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    filler = ["+" + "x" * 80] * 60
    context = a_context(
        a_diff("a.py", *filler), a_diff("b.py", *filler), a_diff("c.py", *filler, "+log(secret)")
    )
    gemini.judges(SECRETS.id, denying("log(secret)"))
    options = JudgmentOptions(prompt_tokens=6_000)
    judgment = await judged(gemini_judge, SECRETS, NAMES, context=context, options=options)
    assert len(gemini.asked) == 3
    assert judgment.unread == ()
    assert [item.verdict for item in judgment.verdicts] == [Verdict.DENY, Verdict.ALLOW]
    assert [place.start_line for place in judgment.verdicts[0].locations] == [61]
    assert all("of 3" in asked.user for asked in gemini.asked)
    assert all("=== elsewhere (names only)" in asked.fenced for asked in gemini.asked)


async def test_what_was_said_of_a_part_alone_neither_passes_nor_is_remembered(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    filler = ["+" + "x" * 80] * 60
    context = a_context(
        a_diff("a.py", *filler, "+refused()"), a_diff("b.py", *filler), a_diff("c.py", *filler)
    )

    def some(asked: Asked, reply: Reply) -> Reaction:
        return blocked(asked, reply) if "refused()" in asked.fenced else careful(asked, reply)

    gemini.always(some)
    options, ledger = JudgmentOptions(prompt_tokens=6_000), Notebook()
    for _ in range(2):
        judgment = await judged(
            gemini_judge, SECRETS, context=context, options=options, ledger=ledger
        )
        (verdict,) = judgment.verdicts
        assert (verdict.verdict, verdict.gap) == (
            Verdict.NOT_ASSESSED,
            NotAssessedReason.MODEL_FAILED,
        )
    # The two others are; and the file that failed alone is asked again.
    assert len(ledger) == 2
    last = gemini.asked[-1]
    assert [item.label for item in last.shown if item.number in last.rules[0].on] != []
    assert not {"b.py", "c.py"} & {item.label for item in last.shown}


async def test_what_no_prompt_holds_is_reported_and_keeps_a_blocking_rule_from_passing(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    context = a_context(a_diff("min.js", "+" + "x" * 99_000), a_diff("a.py", "+x"))
    options = JudgmentOptions(prompt_tokens=20_000)
    ledger = Notebook()
    judgment = await judged(
        gemini_judge, SECRETS, NAMES, context=context, options=options, ledger=ledger
    )
    assert [item.path for item in judgment.unread] == ["min.js"]
    assert [item.verdict for item in judgment.verdicts] == [
        Verdict.NEEDS_CONFIRMATION,
        Verdict.ALLOW,
    ]
    # What was said of the file that could be shown.
    assert len(ledger) == 2


async def test_a_file_that_could_not_be_read_keeps_a_blocking_rule_from_passing(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    broken = replace(a_diff("b.py", "+x"), hunks=(), unread="malformed hunk")
    context = a_context(a_diff("a.py", "+x"), broken)
    only_broken = a_normative_rule("house.b", paths=("b.py",))
    only_other = a_normative_rule("house.a", paths=("a.py",))
    judgment = await judged(gemini_judge, SECRETS, only_broken, only_other, context=context)
    assert [(item.verdict, item.gap) for item in judgment.verdicts] == [
        (Verdict.NEEDS_CONFIRMATION, None),
        (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD),
        (Verdict.ALLOW, None),
    ]
    assert "b.py (malformed hunk)" in judgment.verdicts[1].reasoning
    assert len(gemini.asked) == 1


async def test_a_finding_in_a_control_is_no_finding_about_the_change(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    def on_a_control(asked: Asked, rule: ListedRule) -> Said:
        shown = next(item for item in asked.shown if item.label != "pay.py")
        return denied(asked, rule, shown, shown.lines[0])

    gemini.judges(SECRETS.id, on_a_control)
    (verdict,) = (await judged(gemini_judge, SECRETS)).verdicts
    assert verdict.verdict is Verdict.NOT_ASSESSED
    assert verdict.locations == ()
    assert len(gemini.asked) == 3


async def test_a_finding_in_a_file_that_the_rule_is_not_about_does_not_count(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    context = a_context(a_diff("a.py", "+log(secret)"), a_diff("b.go", "+x"))

    def anywhere(asked: Asked, rule: ListedRule) -> Said:
        everywhere = frozenset(item.number for item in asked.shown if item.number)
        return denying("log(secret)")(asked, replace(rule, on=everywhere))

    gemini.judges("house.go", anywhere)
    rule = a_normative_rule("house.go", paths=("*.go",))
    (_, verdict) = (await judged(gemini_judge, SECRETS, rule, context=context)).verdicts
    first, *later = gemini.asked
    assert "log(secret)" in first.fenced
    # Again, and blindly too if the answer is not better for it.
    assert later
    assert all("log(secret)" not in asked.fenced for asked in later)
    assert (verdict.verdict is Verdict.DENY, verdict.locations) == (False, ())


async def test_the_audit_reads_the_reasoning_beside_what_the_rule_was_shown(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    read: list[tuple[str, str]] = []

    def audit(verdict: RuleVerdict, material: str) -> RuleVerdict:
        read.append((verdict.reasoning, material))
        return verdict

    ledger = Notebook()
    for _ in range(2):
        await ask_judge(CONTEXT, [SECRETS], gemini_judge, ledger, audit=audit)
    # Once: what the ledger knows passed it, over what it was said of.
    ((_, material),) = read
    assert "2+    log(secret)" in material


async def test_a_mark_that_the_subject_contains_is_drawn_again(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    marks = iter(["guessed", "guessed", "unguessed"])
    context = a_context(a_diff("a.py", "+guessed>>>", "+x"))
    await ask_judge(context, [SECRETS], gemini_judge, Notebook(), nonce=lambda: next(marks))
    assert gemini.asked[0].mark == "unguessed"


async def test_marks_that_are_never_random_end_the_review(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    context = a_context(a_diff("a.py", "+guessed"))
    with pytest.raises(IncompleteError):
        await ask_judge(context, [SECRETS], gemini_judge, Notebook(), nonce=lambda: "guessed")
    assert gemini.asked == []
