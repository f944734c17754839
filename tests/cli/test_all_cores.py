"""A whole repository is parsed on all cores, and says what one core would say."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from io import StringIO

import pytest

from jurat.cli.all_cores import AllCores, count_share
from jurat.source.parsing import ParseFailure, parse_in_process
from jurat.source.syntax import parse

TEXTS = [f"text {number}" for number in range(200)]


def measure(text: str) -> int:
    if text == "text 7":
        raise ValueError(text)
    return len(text)


def end_at_seven(text: str) -> int:
    if text == "text 7":
        os._exit(1)
    return len(text)


def tell_process(_: str) -> int:
    return os.getpid()


SEEN: list[object] = []
"""The trees that a process was given of one text."""


def has_tree_from_before(_: str) -> bool:
    SEEN.append(parse("tree_of = 'one text'", "python"))
    return len(SEEN) > 1 and SEEN[-1] is SEEN[-2]


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[AllCores]:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with AllCores() as two:
        yield two


def test_all_cores_say_what_one_says(cores: AllCores) -> None:
    assert cores.parse(measure, TEXTS) == parse_in_process(measure, TEXTS)


@pytest.mark.parametrize(("items", "share"), [(1, 1), (40, 2), (200, 12), (1_024, 24)])
def test_each_process_takes_some_several_times(items: int, share: int) -> None:
    assert count_share(items, 2) == share


def test_no_process_holds_a_tree_of_a_file_that_it_has_read(cores: AllCores) -> None:
    assert not any(cores.parse(has_tree_from_before, TEXTS))
    assert any(parse_in_process(has_tree_from_before, TEXTS))


def test_a_file_that_ends_its_process_is_lost_alone(cores: AllCores) -> None:
    found = cores.parse(end_at_seven, TEXTS)
    assert [number for number, one in enumerate(found) if isinstance(one, ParseFailure)] == [7]


def test_the_processes_stay_until_two_questions_are_asked(cores: AllCores) -> None:
    others = set(threading.enumerate())  # what tests before this one left running
    first, again = (set(cores.parse(tell_process, TEXTS)) for _ in range(2))
    assert os.getpid() not in first | again
    assert len(first | again) <= 2
    assert set(threading.enumerate()) - others
    cores.ask_both(os.getpid, os.getpid)
    assert not set(threading.enumerate()) - others
    assert not set(cores.parse(tell_process, TEXTS)) & (first | again)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_sees_how_far_it_is(cores: AllCores, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert cores.parse(measure, TEXTS) == parse_in_process(measure, TEXTS)
    assert "Reading" in terminal.getvalue()


def test_two_questions_are_asked_in_two_processes(cores: AllCores) -> None:
    here, there = cores.ask_both(os.getpid, os.getpid)
    assert here == os.getpid() != there


def test_what_a_fork_could_not_answer_is_asked_here(cores: AllCores) -> None:
    parent = os.getpid()

    def end_beside() -> int:
        if os.getpid() != parent:
            os._exit(1)
        return parent

    assert cores.ask_both(lambda: "first", end_beside) == ("first", parent)
    assert cores.ask_both(lambda: "first", lambda: os.getpid)[1]() == parent


def test_a_question_that_fails_fails_wherever_it_is_asked(cores: AllCores) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cores.ask_both(fail, os.getpid)
    with pytest.raises(ZeroDivisionError):
        cores.ask_both(os.getpid, fail)


def test_one_core_is_asked_in_turn(cores: AllCores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert cores.ask_both(os.getpid, os.getpid) == (os.getpid(), os.getpid())
