"""What a change moves, in words, and what a gate makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.rating.changes import build_document, compare_ratings
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating, find_below
from jurat.rating.signals.evidence import NamedRule, Score, SignalEvidence
from jurat.reports.rating_report import render_headline, render_markdown, render_moves
from tests.support.rating import ALL_APPLY, a_source, clause_of, pack_of, scoring, seen_of

PACK = pack_of(
    clause_of({"a": 1}, name="12(1)"), clause_of({"b": 1}, name="9"), clause_of({"c": 1}, name="10")
)
AI = {"ai": 1.0, "chat": 0.0, "hiring": 0.0}


def rated(a: float, b: float, c: float = 0.5) -> Rating:
    rules: dict[str, NamedRule] = {"a": scoring(a), "b": scoring(b), "c": scoring(c)}
    return rate_scan(seen_of(AI), [PACK], rules, classifying=[PACK], on=ALL_APPLY)


def test_a_headline_has_both_scores_and_each_clause_that_moved() -> None:
    (moved,) = compare_ratings(rated(0.0, 1.0), rated(0.9, 1.0))
    assert render_headline(moved) == "LAW 2.0 → 3.3; Art. 12(1) fail → pass"


def test_an_ordinal_may_move_within_its_verdict() -> None:
    (moved,) = compare_ratings(rated(0.0, 1.0), rated(0.2, 0.7))
    assert render_headline(moved) == "LAW 2.0; Art. 12(1) fail 0 → 1; Art. 9 pass 4 → 3"


def test_where_nothing_moved_nothing_is_explained() -> None:
    base = rated(0.5, 0.5)
    moved = compare_ratings(base, rated(0.5, 0.5))
    assert render_headline(moved[0]) == "LAW 2.0"
    assert "<details>" not in render_moves(moved, base)


def test_only_clauses_that_moved_are_explained() -> None:
    head = rated(0.9, 1.0)
    text = render_moves(compare_ratings(rated(0.0, 1.0), head), head)
    assert text.count("<details>") == 1
    assert "<summary>LAW: Art. 12(1) fail → pass</summary>" in text
    assert "`bot/agent.py:3` `agent = Agent()`" in text


def _with_line(*lines: SignalEvidence) -> Rating:
    rules: dict[str, NamedRule] = {
        "a": lambda _s, _i, _w: Score(float(any(not line.doubt for line in lines)), lines),
        "b": scoring(1.0),
        "c": scoring(1.0),
    }
    return rate_scan(seen_of(AI), [PACK], rules, classifying=[PACK], on=ALL_APPLY)


def test_the_lines_that_moved_a_clause_are_named_and_linked() -> None:
    same = SignalEvidence("bot/a.py", 3, "log = open_log()", doubt="nothing that runs uses it")
    base = _with_line(same)
    # The line stands further down now, is called, and another one came.
    head = _with_line(replace(same, line=9, doubt=""), SignalEvidence("bot/b.py", 1, "log.info(x)"))
    ends = (a_source(), a_source(page="https://github.com/acme/shop"))
    text = render_moves(compare_ratings(base, head), head, ends)
    at = f"https://github.com/acme/shop/blob/{ends[1].commit}"
    assert (
        f"- [`bot/a.py:9`](<{at}/bot/a.py#L9>) `log = open_log()` counts now"
        " (before: nothing that runs uses it)\n"
        f"- [`bot/b.py:1`](<{at}/bot/b.py#L1>) `log.info(x)` counts now\n"
    ) in text
    back = render_moves(compare_ratings(head, base), base)
    assert (
        "- `bot/a.py:9` `log = open_log()` no longer counts: nothing that runs uses it\n"
        "- `bot/b.py:1` `log.info(x)` no longer counts\n"
    ) in back


def test_a_line_that_only_moved_is_not_named() -> None:
    line = SignalEvidence("bot/a.py", 3, "log = open_log()")
    (moved,) = compare_ratings(_with_line(), _with_line(line))
    (clause,) = moved.clauses
    assert [item.line for item, _ in clause.gained] == [3]
    again = replace(clause, before=_with_line(replace(line, line=8)).clauses[0])
    assert (again.gained, again.lost) == ((), ())


def test_what_was_not_rated_before_moves_too() -> None:
    before = rate_scan(seen_of({**AI, "ai": 0.0}), [PACK], {}, classifying=[PACK], on=ALL_APPLY)
    (moved,) = compare_ratings(before, rated(1.0, 1.0, 1.0))
    assert render_headline(moved).startswith("LAW not rated → 4.0; Art. 12(1) n/a → pass")


def test_ratings_of_different_clauses_do_not_compare() -> None:
    other = pack_of(clause_of({"a": 1}, name="13"))
    rating = rate_scan(seen_of(AI), [other], {"a": scoring(1.0)}, classifying=[other], on=ALL_APPLY)
    with pytest.raises(ValueError, match="different regulations"):
        compare_ratings(rated(1, 1), rating)


def test_what_a_repository_says_is_no_markup() -> None:
    place = SignalEvidence("a|b`.py", 1, "`</details> @octocat [x](http://evil.example)`")
    rules: dict[str, NamedRule] = {
        "a": lambda _s, _i, _w: Score(1.0, (place,)),
        "b": scoring(1),
        "c": scoring(1),
    }
    rating = rate_scan(seen_of(AI), [PACK], rules, classifying=[PACK], on=ALL_APPLY)
    for text in (
        render_moves(compare_ratings(rated(0.0, 1.0), rating), rating),
        render_markdown(rating, a_source(), build_document(rating)["sha256"]),
    ):
        assert "``a|b`.py:1``" in text
        assert "`` `</details> @octocat [x](http://evil.example)` ``" in text


def test_a_gate_takes_each_regulation_by_itself() -> None:
    rating = rated(1.0, 1.0, 1.0)
    low = replace(rating.regulations[0], clauses=rated(0.0, 0.0, 0.0).clauses)
    both = replace(rating, regulations=(rating.regulations[0], low))
    assert find_below(both, 2.0) == (low,)
    assert find_below(both, 0.0) == ()
    assert find_below(both, None) == ()


def test_a_score_at_the_gate_is_good_enough() -> None:
    assert find_below(rated(0.5, 0.5, 0.5), 2.0) == ()


def test_what_was_not_rated_is_below_no_gate() -> None:
    assert (
        find_below(
            rate_scan(seen_of({**AI, "ai": 0}), [PACK], {}, classifying=[PACK], on=ALL_APPLY), 4.0
        )
        == ()
    )
