"""A whole repository is parsed on all cores, and says what one core would say."""

from __future__ import annotations

import os
import sys
from io import StringIO

import pytest

from jurat.cli.all_cores import parse_on_all_cores
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
