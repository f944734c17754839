"""What makes a test an attack: who tries, what they try, and what they get."""

from __future__ import annotations

from typing import Literal

import pytest

Attacker = Literal[
    "a fork's author", "a stranger", "a colleague", "a repository's admin", "a hostile model"
]
"""A stranger reaches the web port and holds no secret. A colleague may write to the repository."""

ATTACKERS: tuple[Attacker, ...] = (
    "a fork's author",
    "a stranger",
    "a colleague",
    "a repository's admin",
    "a holder of the API's token",
    "a hostile model",
)


def attack(by: Attacker, tries: str, gets: str) -> pytest.MarkDecorator:
    """Mark a test as an attack; both texts, one line each, stand in docs/threat-model.md.

    `tries` completes "A fork's author tries to …"; `gets` says what came of it instead, as a
    result ("the failure that the base's rules give"). The test plays the attack against the
    running App, the real server or the real pipeline, and asserts the state that was left behind,
    not that a function was called.
    """
    return pytest.mark.attack(by=by, tries=tries, gets=gets)
