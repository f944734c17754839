"""How much is to happen in a chaos run, what happened, and what it therefore shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

STORM = "404 storm"
LEAST_ARRIVED = 0.5
"""Of deliveries: what was found missing afterwards alone shows nothing of the way in."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much happens. `roles` are the processes; those in `mortal` are killed now and then.

    `seconds` bounds the wait for the end, once the last event was delivered. `storm` is for how
    many GitHub answers 404 to everything, `harder` the share of starts after a kill that have a
    full disk or a clock that jumped.
    """

    seed: int
    events: int
    pulls: int
    database_url: str
    roles: Sequence[str]
    mortal: Sequence[str]
    act_every: tuple[float, float] = (0.0, 0.2)
    kill_every: tuple[float, float] = (1.0, 3.0)
    seconds: float = 180.0
    storm: float = 4.0
    harder: float = 0.3


@dataclass(slots=True)
class Tale:
    """What happened, and what should not have."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    reopened: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How often each pull request was opened again at each head."""
    seconds: float = 0.0


def find_emptiness(tale: Tale, plan: Plan) -> list[str]:
    """What a story should have held and did not: one in which it did not happen shows nothing."""
    counts, faults = tale.counts, tale.faults
    arrived = counts["deliveries"] - counts["deliveries that failed"]
    events = plan.events > 0
    hampered = counts["starts with a full disk"] + counts["starts with a clock that jumped"]
    needed = (
        ("delivered", arrived, True),
        ("reviewed", counts["checks of all heads"], True),
        ("asked of GitHub", counts["requests to GitHub"], True),
        ("broken by the weather", faults.total(), True),
        ("killed", counts["workers killed"], bool(plan.mortal)),
        ("left unanswered by the model", counts["questions that it never answered"], events),
        ("met by the 404 storm", faults[STORM], events and plan.storm > 0),
        ("started on a full disk or by a clock that jumped", hampered, plan.harder > 0),
    )
    empty = [
        f"nothing was {name}: this run shows nothing of it"
        for name, happened, is_needed in needed
        if is_needed and not happened
    ]
    if events and arrived < counts["deliveries"] * LEAST_ARRIVED:
        empty.append(f"only {arrived} of {counts['deliveries']} deliveries arrived")
    return empty
