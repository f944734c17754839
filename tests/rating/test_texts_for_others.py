"""A text counts by whom it is for: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.channels import is_beside_answers
from jurat.rating.conduct import Conduct
from jurat.rating.file_reader import read_facts
from jurat.rating.file_roles import Role
from jurat.rating.function_facts import CallFact
from jurat.rating.operators import is_of_learning
from jurat.rating.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.store_calls import StoreCall
from jurat.rating.store_verbs import Access
from tests.support.rating import worktree_of

SAID = "Face recognition and analysis of emotions"


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("setup.py", f"import setuptools\nsetuptools.setup(description='{SAID}')\n", False),
        ("main.py", f"print('{SAID}')\n", True),
    ],
)
def test_what_a_package_is_tells_nobody_that_it_is_used(
    path: str, text: str, *, told: bool
) -> None:
    signals, _ = scan_worktree(worktree_of({path: text}))
    assert bool(signals.keep_held()["biometric_notice"]) is told


@pytest.mark.parametrize(
    ("text", "learnt"),
    [("SELECT passed FROM courses", True), ("courses", True), ("^Of course, gladly", False)],
)
def test_a_sentence_names_no_store(text: str, *, learnt: bool) -> None:
    call = CallFact("?.get", 1, frozenset({f"t:{text}"}))
    kept = StoreCall(call, Access.READ, frozenset(), frozenset(), call.given, outlives=False)
    assert is_of_learning(kept) is learnt


PURPOSE = """# Screening of letters

## Intended use

This system is intended for case workers of the housing office, who read what it proposes and decide
themselves. It sorts 400 letters a week by urgency, since 1 March 2026, at 8:00 and at 14:00.
It must not be
used to refuse anybody, and it is not suited for letters of children.
"""
MANIFEST = f"[project]\ndescription = {' '.join(PURPOSE.split())!r}\n"
CHECKED = "jobs:\n  evaluate:\n    runs-on: ubuntu-latest\n"


@pytest.mark.parametrize(
    ("path", "signal", "text", "held"),
    [
        ("README.md", "intended_use_document", PURPOSE, True),
        ("SECURITY_ADVISORY.md", "intended_use_document", PURPOSE, False),
        ("pyproject.toml", "intended_use_document", MANIFEST, False),
        (".github/workflows/check.yml", "evaluation_in_ci", CHECKED, True),
        ("models/bundle/train.yml", "evaluation_in_ci", CHECKED, False),
    ],
)
def test_a_text_counts_where_it_is_for_who_looks_there(
    path: str, signal: str, text: str, *, held: bool
) -> None:
    asks = "from openai import OpenAI\n\nprint(OpenAI().responses.create(input=input()))\n"
    signals, _ = scan_worktree(worktree_of({path: text, "main.py": asks}))
    assert bool(signals.keep_held()[signal]) is held


@pytest.mark.parametrize(
    ("page", "beside"), [("note.tsx", True), ("chat.tsx", True), ("prices.tsx", False)]
)
def test_a_page_is_beside_answers_if_it_is_shown_with_a_talk(page: str, *, beside: bool) -> None:
    texts = {
        "chat.tsx": (
            "import { Note } from './parts';\n"
            "export const Chat = ({ turns }) => <b>{turns.map((turn) => turn.role === 'user'"
            " ? <i/> : turn.role === 'assistant' ? <u/> : <Note/>)}</b>;\n"
        ),
        "parts.tsx": "export * from './note';\n",
        "note.tsx": "export const Note = () => <b>AI-generated</b>;\n",
        "prices.tsx": "export const Prices = () => <b>AI-generated</b>;\n",
    }
    facts = {path: read_facts(text, "tsx") for path, text in texts.items()}
    conduct = Conduct(Program(facts), dict.fromkeys(texts, Role.CODE))
    assert is_beside_answers(conduct, page) is beside
