"""A whole repository is parsed on all cores, and says what one core would say."""

from __future__ import annotations

import os
import sys
from io import StringIO

import pytest

from jurat.cli.all_cores import ask_both_at_once, parse_on_all_cores
from jurat.source.parsing import ParseFailure, parse_in_process

TEXTS = [f"text {number}" for number in range(200)]


def measure(text: str) -> int:
    if text == "text 7":
        raise ValueError(text)
    return len(text)


def end_at_seven(text: str) -> int:
    if text == "text 7":
        os._exit(1)
    return len(text)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def test_all_cores_say_what_one_says() -> None:
    assert parse_on_all_cores(measure, TEXTS) == parse_in_process(measure, TEXTS)


def test_a_file_that_ends_its_process_is_lost_alone() -> None:
    found = parse_on_all_cores(end_at_seven, TEXTS)
    assert [number for number, one in enumerate(found) if isinstance(one, ParseFailure)] == [7]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert parse_on_all_cores(measure, TEXTS) == parse_in_process(measure, TEXTS)
    assert "Reading" in terminal.getvalue()


def test_two_questions_are_asked_in_two_processes() -> None:
    here, there = ask_both_at_once(os.getpid, os.getpid)
    assert here == os.getpid() != there


def test_what_a_fork_could_not_answer_is_asked_here() -> None:
    parent = os.getpid()

    def end_beside() -> int:
        if os.getpid() != parent:
            os._exit(1)
        return parent

    assert ask_both_at_once(lambda: "first", end_beside) == ("first", parent)
    assert ask_both_at_once(lambda: "first", lambda: os.getpid)[1]() == parent


def test_a_question_that_fails_fails_wherever_it_is_asked() -> None:
    def fail() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_both_at_once(fail, os.getpid)
    with pytest.raises(ZeroDivisionError):
        ask_both_at_once(os.getpid, fail)


def test_one_core_is_asked_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert ask_both_at_once(os.getpid, os.getpid) == (os.getpid(), os.getpid())
