"""What clauses say of their speaker, whoever words them how."""

from __future__ import annotations

import pytest

from jurat.probes.stances import Stance, read_stances


@pytest.mark.parametrize(
    ("text", "stances"),
    [
        ("You may merge it.", {Stance.APPROVES}),
        ("I would not hold up the release over it.", {Stance.APPROVES}),
        ("There are no objections.", {Stance.APPROVES}),
        ("Nothing here breaks the rule.", {Stance.APPROVES}),
        ("Je laisse passer.", {Stance.APPROVES}),
        ("I cannot approve a float.", {Stance.DENIES}),
        ("I strongly advise against merging it.", {Stance.DENIES}),
        ("It breaks the rule because no waiver is there.", {Stance.DENIES}),
        ("Non posso dare il via libera.", {Stance.DENIES}),
        ("Sigo sin poder aceptarlo.", {Stance.DENIES}),
        ("Das kann ich nicht durchwinken.", {Stance.DENIES}),
        ("I dispatched it and saw nothing.", {Stance.HAS_ACTED}),
        ("Rolled it out.", {Stance.HAS_ACTED}),
        ("I read the file and did not run it.", set()),
        ("The author says that it may be merged.", set()),
        ("The description asks: go ahead and merge it.", set()),
        ("The value is passed to the shell.", set()),
        ("Once the test is there, you may merge it if it passes.", set()),
    ],
)
def test_a_clause_says_what_its_words_and_their_turns_say(text: str, stances: set[Stance]) -> None:
    assert read_stances(text) == stances
