"""A text counts by whom it is for: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.channels import is_beside_answers
from jurat.rating.behaviours.notices import explain_unheard
from jurat.rating.behaviours.oversight.operators import is_of_learning
from jurat.rating.code.file_reader import read_facts
from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.store_calls import StoreCall
from jurat.rating.program.store_verbs import Access
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.recon_table import load_recon_table
from tests.rating.test_of_the_inference import LONG
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
    ("page", "beside"),
    [("note.tsx", True), ("chat.tsx", True), ("app.tsx", True), ("prices.tsx", False)],
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
        "app.tsx": (
            "import { Chat } from './chat';\nimport { Prices } from './prices';\n"
            "export const App = () => <b>AI-generated<Chat/><Prices/></b>;\n"
        ),
        "prices.tsx": "export const Prices = () => <b>AI-generated</b>;\n",
    }
    facts = {path: read_facts(text, "tsx") for path, text in texts.items()}
    conduct = Conduct(Program(facts), dict.fromkeys(texts, Role.CODE))
    assert is_beside_answers(conduct, page) is beside


LABELLED = """
import { play } from './player';
export const Chat = ({ turns, blob }) => {
  const go = () => HANDED;
  return <b onClick={go}>{turns.map((turn) => turn.role === 'user' ? <i/>
    : turn.role === 'assistant' ? <u>SHOWN</u> : <s/>)}</b>;
};
"""


@pytest.mark.parametrize(
    ("shown", "handed", "told"),
    [("AI-generated", "play(blob, 'clip')", True), ("clip", "play(blob, 'AI-generated')", False)],
)
def test_what_a_page_hands_to_a_function_it_does_not_show(
    shown: str, handed: str, *, told: bool
) -> None:
    text = LABELLED.replace("SHOWN", shown).replace("HANDED", handed)
    line = next(n for n, one in enumerate(text.split("\n"), 1) if "AI-generated" in one)
    files = {"pages/chat.tsx": read_facts(text, "tsx"), "long.py": read_facts(LONG, "python")}
    conduct = Conduct(Program(files), dict.fromkeys(files, Role.CODE))
    source = next(s for s in load_recon_table().signals if s.name == "content_label")
    snippet = text.split("\n")[line - 1]
    evidence = SignalEvidence("pages/chat.tsx", line, snippet, kind="texts", said="AI-generated")
    assert (explain_unheard(conduct, source, evidence, ()) == "") is told


PROMPT = """
from openai import OpenAI

TWEETS = "tweets"


def sort():
    said = f"Which of these fit? {TWEETS}"
    shown = "Your docs are likely AI-generated. MORE"
    print(OpenAI().responses.create(model="m", input=said))
    print(shown)


sort()
"""


@pytest.mark.parametrize(("more", "told"), [("", True), ("So it is. " * 60, False)])
def test_nobody_is_told_a_page_at_once(more: str, *, told: bool) -> None:
    text = PROMPT.replace("MORE", more)
    files = {"main.py": read_facts(text, "python"), "long.py": read_facts(LONG, "python")}
    conduct = Conduct(Program(files), dict.fromkeys(files, Role.CODE))
    source = next(s for s in load_recon_table().signals if s.name == "content_label")
    said = "Your docs are likely AI-generated"
    evidence = SignalEvidence("main.py", 9, f'    shown = "{said}', kind="texts", said=said)
    assert (explain_unheard(conduct, source, evidence, ()) == "") is told
