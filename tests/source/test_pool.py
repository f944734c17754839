"""The two ways to run parsing work keep one contract."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest

from jurat.source.diff_parser import parse_diff
from jurat.source.functions import find_touched_functions
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from tests.support.work import shout

PATIENT = 60.0
"""Seconds that no test waits for."""


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(2, deadline=PATIENT) as started:
        yield started


@pytest.fixture(params=["in process", "pool"])
def parse_map(request: pytest.FixtureRequest, pool: ParserPool) -> ParseMap:
    return pool if request.param == "pool" else parse_in_process


def test_results_come_in_the_order_of_the_items(parse_map: ParseMap) -> None:
    words = [f"w{i}" for i in range(50)]

    assert list(parse_map(shout, words)) == [word.upper() for word in words]
    assert list(parse_map(shout, [])) == []


def test_work_that_raises_costs_its_item_alone(parse_map: ParseMap) -> None:
    assert list(parse_map(shout, ["a", "fail", "b"])) == [
        "A",
        ParseFailure("its parser failed (ValueError)"),
        "B",
    ]


def test_functions_are_the_same_either_way(parse_map: ParseMap) -> None:
    change = parse_diff(b"--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+def f(): pass\n")

    assert list(parse_map(find_touched_functions, change.files)) == [
        find_touched_functions(change.files[0])
    ]


def test_an_order_to_stop_is_obeyed() -> None:
    with pytest.raises(KeyboardInterrupt):
        parse_in_process(_interrupt, ["x"])


def _interrupt(_: str) -> None:
    raise KeyboardInterrupt


def test_a_worker_that_hangs_is_killed_and_costs_its_item_alone() -> None:
    with ParserPool(1, deadline=0.2) as impatient:
        outcome = impatient(shout, ["a", "hang", "b"])

    assert outcome == ["A", ParseFailure("parsing it took longer than 0.2 seconds"), "B"]


def test_a_worker_that_dies_is_replaced(pool: ParserPool) -> None:
    assert pool(shout, ["a", "die", "b"]) == ["A", ParseFailure("its parser died"), "B"]
    assert pool(shout, ["c"]) == ["C"]


def test_closing_lets_those_go_who_wait() -> None:
    pool = ParserPool(1, deadline=PATIENT)
    assert pool(shout, ["started"]) == ["STARTED"]
    outcomes: list[Sequence[str | ParseFailure]] = []
    waiting = threading.Thread(target=lambda: outcomes.append(pool(shout, ["hang", "b"])))
    waiting.start()
    while not pool.busy:
        pass
    pool.close()
    waiting.join(PATIENT)

    stopped = ParseFailure("the parsers were stopped before it was parsed")
    assert outcomes == [[stopped, stopped]]


def test_a_pool_that_was_never_used_closes() -> None:
    pool = ParserPool()
    pool.close()

    with pytest.raises(RuntimeError, match="not active"):
        pool(shout, ["a"])
