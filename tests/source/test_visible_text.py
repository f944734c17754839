"""Foreign text for a terminal, a build's log and JSON: shown, and obeyed by nobody."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given

from jurat.source.visible_text import escape_json, to_terminal_line, to_terminal_text
from tests.support.hostile_text import CORPUS, hostile_texts

# As the runner finds them: https://github.com/actions/runner, ActionCommand.cs. The newer form
# begins a line, whatever blanks are before it; the older stands anywhere.
COMMANDS = re.compile(
    r"^\s*::(?:error|set-output|stop-commands)|##\[|##vso\[|##teamcity\[", re.MULTILINE
)


@pytest.mark.parametrize("text", CORPUS)
def test_a_terminal_is_given_text_alone(text: str) -> None:
    _assert_plain(text)


@given(hostile_texts)
def test_a_terminal_is_given_text_alone_of_any_heap(text: str) -> None:
    _assert_plain(text)


def _assert_plain(text: str) -> None:
    line, lines = to_terminal_line(text), to_terminal_text(text)
    assert line.isprintable()
    assert all(part.isprintable() for part in re.split(r"[\n\t]", lines))
    assert not COMMANDS.search(line)
    assert not COMMANDS.search(lines)


def test_what_is_no_command_stays_as_it_is() -> None:
    for text in ("::std::move(x)", "std::error_code", "a ## [b]", "## Heading", "#[derive(Debug)]"):
        assert to_terminal_line(text) == to_terminal_text(text) == text
    assert to_terminal_text("std::error::x") == "std::error::x"
    # A long word may be folded before it.
    assert to_terminal_line("std::error::x") == "std: :error::x"
    assert to_terminal_line("::error file=a.py::x") == ": :error file=a.py::x"
    assert to_terminal_line("see ##[add-path]/tmp") == "see # #[add-path]/tmp"


def test_json_means_the_same_and_holds_no_command() -> None:
    for text in CORPUS:
        document = escape_json(json.dumps({text: [text]}, ensure_ascii=False))
        assert json.loads(document) == {text: [text]}
        assert not COMMANDS.search(document)
