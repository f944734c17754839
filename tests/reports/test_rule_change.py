"""The check of a change of rules, as a person reads it."""

from __future__ import annotations

import pytest

from jurat.errors import RuleError
from jurat.findings.evaluation import Conclusion
from jurat.reports.rule_change import (
    ReplayedReview,
    RuleChange,
    build_broken_check,
    build_given_up_check,
    build_loaded_check,
)
from jurat.rules.ruleset_diff import ChangeDirection, RuleSetChange

LOOSER, STRICTER, CHANGED = ChangeDirection
URL = "https://github.com/acme/shop/pull"


def a_trial(
    number: int, before: tuple[str, ...] = (), after: tuple[str, ...] = ()
) -> ReplayedReview:
    return ReplayedReview(number, f"{URL}/{number}", before, after)


def test_the_whole_is_read_from_top_to_bottom() -> None:
    change = RuleChange(
        (
            RuleSetChange("a.size", "threshold of change.lines", LOOSER, "<= 400", "<= 900"),
            RuleSetChange("a.names", "statement, paths", CHANGED),
            RuleSetChange("a.new", "rule", STRICTER, None, "MUST HIGH"),
        ),
        (a_trial(12, (), ("a.new",)), a_trial(15, ("a.size",), ()), a_trial(16, ("x",), ("x",))),
        {"too large": 2, "gone from GitHub": 1},
        ("a.judged",),
    )
    check = build_loaded_check(change)
    assert (check.conclusion, check.title) == (
        Conclusion.NEUTRAL,
        "Would newly block 1, no longer block 1",
    )
    assert check.summary == (
        "**They would newly block 1 and no longer block 1** of the 3 pull requests reviewed last,"
        " each tried at the head that was reviewed. 3 more could not be tried: 2 too large, 1 gone"
        " from GitHub.\n\n"
        "| | Pull request | By |\n|---|---|---|\n"
        f"| newly blocked | [#12]({URL}/12) | `a.new` |\n"
        f"| no longer blocked | [#15]({URL}/15) | `a.size` |\n\n"
        "| | What changes in force | Before | After |\n|---|---|---|---|\n"
        "| ▼ looser | `a.size` threshold of change.lines | \\<= 400 | \\<= 900 |\n"
        "| ● changed | `a.names` statement, paths |  |  |\n"
        "| ▲ stricter | `a.new` | none | MUST HIGH |\n\n"
        "Judged by a model, and so not tried: `a.judged`.\n\n"
        "This pull request itself is judged by its base's rules; these count once it is merged."
    )


@pytest.mark.parametrize(
    ("differences", "trials", "conclusion"),
    [
        ((RuleSetChange("a", "rule", STRICTER),), (a_trial(1, (), ("a",)),), Conclusion.SUCCESS),
        ((RuleSetChange("a", "paths", CHANGED),), (a_trial(1, ("a",), ()),), Conclusion.NEUTRAL),
        ((RuleSetChange("a", "severity", LOOSER),), (a_trial(1),), Conclusion.NEUTRAL),
        ((RuleSetChange("a", "rule", STRICTER),), (a_trial(1, (), ()),), Conclusion.SUCCESS),
        (
            (RuleSetChange("a", "rule", STRICTER),),
            (a_trial(1, ("a",), ("b",)),),
            Conclusion.SUCCESS,
        ),
        ((), (), Conclusion.SUCCESS),
    ],
)
def test_it_is_neutral_where_something_is_loosened(
    differences: tuple[RuleSetChange, ...],
    trials: tuple[ReplayedReview, ...],
    conclusion: Conclusion,
) -> None:
    assert build_loaded_check(RuleChange(differences, trials)).conclusion is conclusion


def test_what_the_files_say_stays_text() -> None:
    hostile = "</details> | [x](http://evil) @team"
    change = RuleChange(
        (RuleSetChange("ignore", "setting", LOOSER, "none", hostile),),
        (ReplayedReview(1, "javascript:alert(1)", (), ("a|b",)),),
    )
    summary = build_loaded_check(change).summary
    assert "\\</details\\> \\| \\[x\\]\\(http:&#8203;//evil\\) @&#8203;team" in summary
    assert "javascript" not in summary
    assert "`a\\|b`" in summary


def test_many_changes_are_folded_and_the_rest_counted() -> None:
    many = tuple(RuleSetChange(f"r.{n}", "rule", STRICTER, None, "MAY LOW") for n in range(120))
    summary = build_loaded_check(RuleChange(many)).summary
    assert "<summary>120 changes in force</summary>" in summary
    assert "…and 20 more changes." in summary


def test_every_error_is_on_its_line() -> None:
    error = RuleError("a.yml", 3, "rules[0].x", "unknown key")
    error.others = (RuleError("b.csv", 0, "", "is not UTF-8 text"),)
    check = build_broken_check(error)
    assert (check.conclusion, check.title) == (
        Conclusion.FAILURE,
        "2 errors in the configuration or the rules",
    )
    assert [(note.path, note.start_line, note.message) for note in check.annotations] == [
        ("a.yml", 3, "rules[0].x: unknown key"),
        ("b.csv", 1, "is not UTF-8 text"),
    ]
    assert check.summary.endswith("- `a.yml:3 rules[0].x` unknown key\n- `b.csv` is not UTF-8 text")


def test_giving_up_blocks_nothing() -> None:
    assert build_given_up_check("GitHub does not answer.").conclusion is Conclusion.NEUTRAL
