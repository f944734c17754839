"""The check's summary: what a reviewer reads in ten seconds, then the folded rest."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from jurat.findings.evaluation import Conclusion, Coverage, Evaluation, Gate, RatingOutcome
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    Verdict,
)
from jurat.reports.check_run import RECHECK_BUTTON, build_actions
from jurat.reports.limits import CHECK_TEXT
from jurat.reports.summary import render_summary, render_title
from jurat.rules.rule import Maturity
from tests.support.values import a_fix, a_location, a_rule, a_verdict


def an_evaluation() -> Evaluation:
    denied = a_verdict(
        locations=(a_location(start=2), a_location("b|c.py", 7)),
        remediations=(a_fix(start=2), replace(a_fix("b|c.py", 7), verification=None)),
    )
    whole = a_verdict(
        a_rule("change.tests", statement="Tests change too."),
        Verdict.NEEDS_CONFIRMATION,
        issue="No test changed.",
    )
    shadow = a_verdict(
        a_rule("new.rule", maturity=Maturity.EXPERIMENTAL),
        Verdict.NEEDS_CONFIRMATION,
        locations=(a_location("d.py", 1),),
        remediations=(a_fix("d.py", 1),),
    )
    passed = a_verdict(a_rule("ok.rule"), Verdict.ALLOW, decided_by=DecidedBy.BATCH)
    return Evaluation(
        "e1",
        Verdict.DENY,
        (denied, whole, shadow, passed),
        Coverage(48, (UnreadFile("big.js", "it has 9 MB"),), 212),
        models=(ModelUsage("m", 1, 6_000, 210),),
    )


def test_it_says_what_blocks_what_a_click_fixes_and_what_was_read() -> None:
    evaluation = an_evaluation()
    short = [finding.short for finding in evaluation.findings]
    assert render_summary(evaluation, evaluation.findings) == (
        "**1 rule blocks this change at 2 places.** **1 rule needs a person's confirmation.**"
        " The button _Apply fixes_ commits 1 checked fix. Left open: 1 file not read.\n\n"
        f"- ✖ **HIGH** MD5 is broken.<br>`app.py:2` · `py.no-md5` · `{short[0]}`\n"
        f"- ✖ **HIGH** MD5 is broken.<br>`b|c.py:7` · `py.no-md5` · `{short[1]}`\n"
        "- ⚠ **HIGH** No test changed.<br>the change as a whole · `change.tests`"
        f" · `{short[2]}`\n\n"
        "Read 47 of 48 files; 4 of 212 rules in force apply, 3 decided without a model;"
        " 1 model call, 6,210 tokens.\n\n"
        "<details>\n<summary>Not read: 1 file</summary>\n\n"
        "- `big.js`: it has 9 MB\n\n</details>\n\n"
        "<details>\n<summary>Shadow: 1 finding of rules that only observe</summary>\n\n"
        f"- ○ **HIGH** MD5 is broken.<br>`d.py:1` · `new.rule` · `{short[3]}`\n\n</details>\n\n"
        "<details>\n<summary>Passed: 1 rule</summary>\n\n"
        "- `ok.rule` Digests are made with a strong hash.\n\n</details>\n\n"
        "Comment `/recheck` to review again, `/jurat help` for more."
    )


def test_where_there_is_no_button_none_is_spoken_of() -> None:
    evaluation = an_evaluation()
    told = render_summary(evaluation, evaluation.findings, interactive=False)
    assert "Apply fixes" not in told


def test_the_auto_fixable_are_those_that_held() -> None:
    assert an_evaluation().auto_fixable_count == 2


@pytest.mark.parametrize(
    ("verdict", "conclusion", "told"),
    [
        (Verdict.DENY, Conclusion.FAILURE, "1 rule blocks"),
        (Verdict.NEEDS_CONFIRMATION, Conclusion.ACTION_REQUIRED, "Needs confirmation"),
        (Verdict.NEEDS_CONFIRMATION, Conclusion.NEUTRAL, "Nothing blocks; some findings to read"),
        (Verdict.ALLOW, Conclusion.SUCCESS, "1 rule passed"),
    ],
)
def test_the_title_says_the_conclusion(verdict: Verdict, conclusion: Conclusion, told: str) -> None:
    evaluation = Evaluation(
        "e1", verdict, (a_verdict(verdict=verdict),), Coverage(1), conclusion=conclusion
    )
    assert render_title(evaluation) == told
    empty = replace(evaluation, rule_verdicts=(), conclusion=Conclusion.NEUTRAL)
    assert render_title(empty) == "No rule applies"


def test_the_rating_comes_last_and_whole_and_says_what_it_blocks() -> None:
    rating = RatingOutcome("### Rating\n" + "b" * 1_000, Gate.BELOW, "The AI Act is below 3")
    rules = tuple(
        a_verdict(a_rule(f"r{n}", statement="s" * 200), Verdict.ALLOW) for n in range(400)
    )
    evaluation = Evaluation("e1", Verdict.DENY, rules, Coverage(1), rating=rating)
    told = render_summary(evaluation, ())
    assert told.startswith("**The AI Act is below 3.**")
    assert "Nothing blocks this change" not in told
    assert CHECK_TEXT.fits(told)
    assert told.endswith("b" * 1_000)
    assert render_title(evaluation) == "The AI Act is below 3"
    assert build_actions(replace(evaluation, conclusion=Conclusion.FAILURE)) == (RECHECK_BUTTON,)


def test_fixes_that_want_a_look_are_counted_beside_the_buttons() -> None:
    risky = replace(a_fix("c.py", 3), auto_applicable=False)
    looked_at = a_verdict(
        a_rule("r.two"), locations=(a_location("c.py", 3),), remediations=(risky,)
    )
    evaluation = an_evaluation()
    evaluation = replace(evaluation, rule_verdicts=(*evaluation.rule_verdicts, looked_at))
    told = render_summary(evaluation, evaluation.findings)
    assert "The button _Apply fixes_ commits 1 checked fix. 1 more wants a look first." in told
    alone = replace(evaluation, rule_verdicts=(looked_at,))
    assert " 1 checked fix wants a look first." in render_summary(alone, alone.findings)


def test_what_nobody_answered_is_said_at_once_and_what_nobody_asks_is_not() -> None:
    def undecided(name: str, gap: NotAssessedReason) -> RuleVerdict:
        return a_verdict(a_rule(name), Verdict.NOT_ASSESSED, reasoning="So it is.", gap=gap)

    evaluation = Evaluation(
        "e1",
        Verdict.ALLOW,
        (
            undecided("r.open", NotAssessedReason.NO_MODEL),
            undecided("r.replaced", NotAssessedReason.OVERRIDDEN),
        ),
        Coverage(1),
    )
    told = render_summary(evaluation, ())
    assert told.splitlines()[0].endswith(" Left open: 1 rule not assessed.")
    open_rules, others = told.split("<summary>Not asked here: 1 rule</summary>")
    assert "<summary>Not assessed: 1 rule</summary>\n\n- `r.open`: So it is." in open_rules
    assert "r.replaced" not in open_rules
    assert "- `r.replaced`: So it is." in others


def test_no_sign_needs_a_font_of_emoji() -> None:
    """Boxes stood in front of each finding where no such font was installed."""
    package = Path(__file__).parents[2] / "bot" / "jurat"
    written = [path for path in package.rglob("*") if path.suffix in (".py", ".j2", ".css")]
    coloured = re.compile("[\U0001f000-\U0001ffff\u2705\u274c\ufe0f]")
    assert len(written) > 200
    assert [path.name for path in written if coloured.search(path.read_text())] == []


def test_it_says_which_programs_no_rule_about_code_has_read() -> None:
    files = (UnreadFile("shop/Cart.vue", "no grammar here reads `.vue`"),)
    evaluation = replace(an_evaluation(), coverage=Coverage(3, ungrammared=files))
    said = render_summary(evaluation, evaluation.findings)
    assert "Left open: 1 file not all read by rules about code." in said
    assert "Not all read by rules about code: 1 file" in said
    assert "`shop/Cart.vue`: no grammar here reads" in said
