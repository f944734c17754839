"""A text counts by whom it is for: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.function_facts import CallFact
from jurat.rating.operators import is_of_learning
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
