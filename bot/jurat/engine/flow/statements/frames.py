"""A function that is running, and what each kind of statement needs of whoever runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from jurat.engine.flow.calls.dialers import Dialers
from jurat.engine.flow.forms.program import Routine, Statement
from jurat.engine.flow.values.flags import Sides
from jurat.engine.flow.values.joins import join_envs
from jurat.engine.flow.values.taints import Cleared, meet_cleared
from jurat.engine.flow.values.value import Env, Value


@dataclass(slots=True)
class Frame:
    """A function that is running: what it returned, and what held there.

    `loops` are those around: what was checked before, and what each goes through. `refused` has
    what is known of values for which it did not end in an error, by checks that may have been left
    out; `swayed` counts the conditions around that somebody outside decides, and `bypassed` says
    that one of these led out of it.
    """

    function: Routine
    values: list[Value] = field(default_factory=list)
    ends: list[Env] = field(default_factory=list)
    truths: list[tuple[Env, Env]] = field(default_factory=list)
    parts: list[Mapping[Any, Sides]] = field(default_factory=list)
    exits: list[list[Env]] = field(default_factory=list)
    loops: list[tuple[Cleared, frozenset[str]]] = field(default_factory=list)
    refused: Cleared = field(default_factory=dict)
    swayed: int = 0
    bypassed: bool = False


class Runner(Dialers):
    """What goes through statements, as far as one statement has others in it."""

    def run(self, statement: Statement, env: Env, frame: Frame) -> None:
        """Go through one statement. Raises TooMuchWorkError."""
        raise NotImplementedError

    def run_block(self, block: Sequence[Statement], env: Env, frame: Frame) -> None:
        """Go through statements until no path goes on."""
        raise NotImplementedError


def meet(runner: Runner, env: Env, ends: Sequence[Env]) -> None:
    """Go on with what holds on all paths that come to an end here."""
    joined = join_envs(ends)
    runner.steps += len(env.values) // 8
    if joined is None:
        env.dead = True
    else:
        env.become(joined)


def meet_facts(envs: Sequence[Env]) -> Cleared:
    """What was checked on each of several paths."""
    # Not by joining all that they hold, which is a hundred times as much.
    alive = [env.cleared for env in envs if not env.dead]
    return reduce(meet_cleared, alive) if alive else {}
