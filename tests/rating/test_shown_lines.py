"""What evidence shows of a line, what a page says, and what a long text tells in one place."""

from __future__ import annotations

import pytest

from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.sightings import SNIPPET, SourceFile, cut_line, find_sightings
from jurat.rating.texts.page_text import read_page_text


def test_a_line_that_is_cut_says_so() -> None:
    assert cut_line("  a = 1 ") == "a = 1"
    assert cut_line("x" * SNIPPET) == "x" * SNIPPET
    assert cut_line("x" * (SNIPPET + 1)) == "x" * SNIPPET + "…"


def test_evidence_is_a_line_that_was_cut() -> None:
    call = f"client.chat.completions.create(prompt='{'You help people. ' * 20}')"
    text = f"from openai import OpenAI\nclient = OpenAI()\n{call}\n"
    shown = {one.snippet for one in find_sightings(SourceFile(text, "python", Role.CODE))}
    assert f"{call[:SNIPPET]}…" in shown
    assert "from openai import OpenAI" in shown


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<p>You&#x27;re talking to an AI</p>", "You're talking to an AI"),
        ("<p>You&rsquo;re talking&nbsp;to an AI</p>", "You're talking to an AI"),
        ("<p>caf&eacute; &mdash; KI</p>", "café — KI"),
        ("<p>a&#10;b</p>\n<p>&unknown; c</p>", "a b  \n  &unknown; c"),
    ],
)
def test_entities_are_signs_and_no_line_moves(page: str, said: str) -> None:
    assert read_page_text(page).strip() == said
    assert read_page_text(page).count("\n") == page.count("\n")


DEED = "Give each resident a score from 1 to 100."
REST = "It is for how they behave to their neighbours, and below 40 they lose housing."


def _list_signals(text: str) -> set[str]:
    return {one.signal for one in find_sightings(SourceFile(text, None, Role.PROMPT))}


def test_a_practice_is_told_in_one_passage() -> None:
    assert "social_scoring" in _list_signals(f"{DEED} {REST}")
    apart = "Write what was asked and what was done, step by step.\n" * 60
    assert "social_scoring" in _list_signals(f"{apart}{DEED} {REST}\n{apart}")
    assert "social_scoring" not in _list_signals(f"{DEED}\n{apart}{REST}")
