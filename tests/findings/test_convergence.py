"""Whatever is pushed, what was passed before blocks nobody, and what was dismissed stays so."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict, allowed, denied
from tests.support.pushes import (
    Convergence,
    PullRequestMemory,
    Push,
    UnsureJudge,
    make_rules,
    replay,
    review_push,
)


def make_pushes(dice: Random) -> list[Push]:
    """Pushes of two files, each of which rewrites, adds or drops some of their functions."""
    bodies = {name: dice.randrange(1_000) for name in "abcdef"}
    pushes: list[Push] = []
    for _ in range(4):
        for name in dice.sample(sorted(bodies), 2):
            bodies[name] = dice.randrange(1_000)
        texts = [
            f"def {name}_total(order):\n    sum_{name} = {dice.choice('abc')}_total(order)\n"
            f"    return order.{name}_{number} + {number}\n"
            for name, number in bodies.items()
        ]
        pushes.append({f"shop_{path}.py": ("", "\n\n".join(texts[path::2])) for path in (0, 1)})
    return pushes


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_no_late_finding_blocks_and_no_dismissed_one_returns(seed: int) -> None:
    dice, said = Random(seed), Convergence()
    pushes = make_pushes(dice)
    # Pushed twice: nothing is new the second time.
    judge, rules = UnsureJudge(dice, one_in=6, made_up=0.3), make_rules()[:2]
    replay([push for push in pushes for _ in (1, 2)], judge, rules, dice, said)
    assert (said.blocking, said.returned) == (0, 0)
    assert said.pushes == 2 * len(pushes)


def find_secrets(asked: Asked, rule: ListedRule) -> Verdict:
    """Denies every line that logs a secret."""
    found = [
        denied(asked, rule, shown, line)
        for shown in asked.about(rule)
        for line in shown.lines
        if "secret" in line.text
    ]
    if not found:
        return allowed(asked, rule)
    return {**found[0], "findings": [item for given in found for item in given["findings"]]}


class DismissingDice(Random):
    """Has everything dismissed."""

    def random(self) -> float:
        return 0.0


ONE = "def ship(order):\n    log.info(order.secret_word)\n    return order.address\n"
OTHER = ONE.replace("ship", "bill")


def test_a_second_copy_of_what_was_dismissed_is_no_return() -> None:
    said = Convergence()
    pushes = [{"shop.py": ("", ONE)}, {"shop.py": ("", f"{ONE}\n\n{OTHER}")}]
    replay(pushes, find_secrets, make_rules()[:1], DismissingDice(), said)
    assert (said.findings, said.returned, said.excused) == (2, 0, 0)


@pytest.mark.parametrize("second", [f"{OTHER}\n\n{ONE}", f"{ONE}\n\n{OTHER}"])
def test_a_dismissal_is_of_its_place_and_of_no_copy(second: str) -> None:
    memory, rules = PullRequestMemory(), make_rules()[:1]
    (first,) = review_push({"shop.py": ("", ONE)}, memory, find_secrets, rules, 0).findings
    memory.dismiss(first)
    found = review_push({"shop.py": ("", second)}, memory, find_secrets, rules, 1).findings
    rows = second.split("\n")
    waived = {
        rows[item.location.start_line - 2]: bool(item.waiver)
        for item in found
        if item.location and item.location.start_line
    }
    assert waived == {"def ship(order):": True, "def bill(order):": False}
