"""Which level a history suggests for a rule."""

from __future__ import annotations

import pytest

from jurat.findings.backtest import (
    Aftermath,
    ReplayedChange,
    ReplayedFinding,
    SuggestedLevel,
    summarize_backtest,
)
from jurat.findings.evaluation import Conclusion

STANDS, FIXED, GONE = Aftermath.STANDS, Aftermath.FIXED, Aftermath.FILE_GONE


def firing(aftermath: Aftermath, *, blocks: bool = True) -> ReplayedFinding:
    return ReplayedFinding("acme.rule", "a.py", 1, "x", "Something is wrong.", blocks, aftermath)


def history(*firings: ReplayedFinding, changes: int = 100) -> list[ReplayedChange]:
    """So many merged changes, the first ones with a firing each."""
    quiet = changes - len(firings)
    spoken = [
        ReplayedChange(
            f"{place:040x}",
            "work",
            Conclusion.FAILURE if item.blocks else Conclusion.SUCCESS,
            (item,),
        )
        for place, item in enumerate(firings)
    ]
    return spoken + [ReplayedChange(f"q{place:039x}", "work") for place in range(quiet)]


@pytest.mark.parametrize(
    ("firings", "suggested"),
    [
        ((firing(STANDS),), SuggestedLevel.WARN),
        ((firing(FIXED), firing(STANDS)), SuggestedLevel.WARN),
        ((firing(FIXED), firing(FIXED)), SuggestedLevel.AS_IT_IS),
        # That its file was deleted says nothing of what stood in it, for or against.
        ((firing(FIXED), firing(GONE)), SuggestedLevel.AS_IT_IS),
        ((firing(GONE),), SuggestedLevel.WARN),
        ((firing(STANDS, blocks=False),), SuggestedLevel.AS_IT_IS),
        ((firing(STANDS, blocks=False),) * 6, SuggestedLevel.OBSERVE),
        ((firing(FIXED, blocks=False),) * 6, SuggestedLevel.AS_IT_IS),
        ((firing(STANDS),) * 6, SuggestedLevel.OBSERVE),
    ],
)
def test_the_level_follows_from_what_was_merged_and_what_was_mended(
    firings: tuple[ReplayedFinding, ...], suggested: SuggestedLevel
) -> None:
    (rule,) = summarize_backtest(history(*firings)).rules
    assert rule.suggested == suggested
    assert rule.changes == len(firings)


def test_a_change_that_could_not_be_reviewed_counts_as_stopped_and_not_as_reviewed() -> None:
    broken = ReplayedChange("f" * 40, "work", Conclusion.ACTION_REQUIRED, problem="no diff")
    backtest = summarize_backtest([*history(), broken])
    assert (len(backtest.changes), backtest.reviewed, backtest.stopped) == (101, 100, 1)


def test_the_rule_that_stopped_the_most_comes_first() -> None:
    changes = history(firing(STANDS), firing(STANDS, blocks=False))
    other = ReplayedFinding("acme.other", "b.py", 1, "y", "Worse.", blocks=True)
    changes += [ReplayedChange(f"o{place}", "work", Conclusion.FAILURE, (other,)) for place in "ab"]
    assert [item.rule for item in summarize_backtest(changes).rules] == ["acme.other", "acme.rule"]
