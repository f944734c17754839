"""Whatever is pushed, what was passed before blocks nobody, and what was dismissed stays so."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pushes import Convergence, Push, UnsureJudge, make_rules, replay


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
