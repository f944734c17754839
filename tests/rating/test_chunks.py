"""What a model is shown of a clause: the lines around its evidence."""

from __future__ import annotations

from jurat.rating.held import RuleScore
from jurat.rating.rating import ClauseRating
from jurat.rating.scale import ClauseVerdict
from jurat.rating.second_opinion import PLACES_A_RULE, build_chunks
from jurat.rating.signals.evidence import Signal, SignalEvidence, Signals
from jurat.rating.signals.worktree import FileEntry, Worktree
from jurat.source.diff import FileChange
from tests.support.rating import clause_of, worktree_of

TEXT = "".join(f"line {n}\n" for n in range(1, 201))
NOTHING = Signals({"ai": Signal("ai", 0.0)})


def rated(*scores: RuleScore) -> ClauseRating:
    clause = clause_of({"a": 1})
    return ClauseRating(clause, ClauseVerdict.PARTIAL, 2, 0.5, rules=scores)


def scored(rule: str, *places: SignalEvidence) -> RuleScore:
    return RuleScore(rule, 1.0, 0.5, places)


def shown(file: FileChange) -> list[int]:
    return sorted(file.added_lines)


def test_a_short_function_is_shown_in_the_whole() -> None:
    place = SignalEvidence("a.py", 20, "", first=15, last=30)
    (file,) = build_chunks(rated(scored("a", place)), NOTHING, worktree_of({"a.py": TEXT}))
    assert shown(file) == list(range(15, 31))
    assert file.hunks[0].lines[0].text == "line 15"
    assert file.language == "python"


def test_of_a_long_function_and_outside_of_one_the_lines_around_are_shown() -> None:
    places = [SignalEvidence("a.py", 100, "", first=1, last=190), SignalEvidence("a.py", 3, "")]
    (file,) = build_chunks(rated(scored("a", *places)), NOTHING, worktree_of({"a.py": TEXT}))
    assert shown(file) == [*range(1, 12), *range(92, 109)]
    assert len(file.hunks) == 2


def test_one_rule_does_not_crowd_out_another() -> None:
    many = [SignalEvidence("a.py", 20 * n, "") for n in range(1, 10)]
    tree = worktree_of({"a.py": TEXT, "b.py": TEXT})
    files = build_chunks(
        rated(scored("a", *many), scored("b", SignalEvidence("b.py", 9, ""))), NOTHING, tree
    )
    assert [file.path for file in files] == ["a.py", "b.py"]
    assert len(files[0].hunks) == PLACES_A_RULE


def test_without_evidence_the_signals_say_where_to_look() -> None:
    signals = Signals({"ai": Signal("ai", 0.5, (SignalEvidence("b.py", 50, ""),))})
    tree = worktree_of({"a.py": TEXT, "b.py": TEXT})
    (file,) = build_chunks(rated(scored("a")), signals, tree)
    assert file.path == "b.py"


def test_a_file_that_is_gone_is_unread() -> None:
    def read(_: FileEntry) -> bytes:
        raise OSError(2, "gone")

    tree = Worktree([FileEntry("a.py", 5)], read)
    (file,) = build_chunks(rated(scored("a", SignalEvidence("a.py", 1, ""))), NOTHING, tree)
    assert file.unread == "it could not be read again"
    assert file.hunks == ()
