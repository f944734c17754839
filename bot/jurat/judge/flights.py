"""One question, one call: who asks what somebody is asking already waits for that answer.

Inside a process by a table of what is under way; between processes by the ledger, which knows who
has claimed a question. Nobody waits for another before all of its own is asked, so that no two can
wait for each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from jurat.errors import JuratError
from jurat.judge.protocol import AnswerCache

T = TypeVar("T")
A = TypeVar("A")

PAUSE = 0.5
"""Seconds between two looks at what another process is asking."""

PROLONGED = 10.0
"""Seconds after which claims are prolonged while a question is asked: a third of what they last."""

Rest = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Flights(Generic[A]):
    """What this process is asking now, by key. One for all reviews of a process."""

    _open: dict[str, asyncio.Future[A | None]] = field(default_factory=dict)

    def begin(
        self, keys: Iterable[str]
    ) -> tuple[frozenset[str], Mapping[str, asyncio.Future[A | None]]]:
        """Those of `keys` that are the caller's to ask, until `end`; and what comes of the others.

        None comes of a key that its asker gave up.
        """
        wanted = frozenset(keys)
        others = {key: self._open[key] for key in wanted if key in self._open}
        running = asyncio.get_running_loop()
        mine = wanted - others.keys()
        self._open.update({key: running.create_future() for key in mine})
        return mine, others

    def end(self, keys: Iterable[str], answers: Mapping[str, A]) -> None:
        """Tell who waits what came of keys that `begin` gave; of one left out, nothing did."""
        for key in keys:
            if not (future := self._open.pop(key)).done():
                future.set_result(answers.get(key))


class NoAnswers:
    """An AnswerCache that keeps nothing."""

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Nothing is remembered."""
        return {}

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Nothing is kept."""

    async def amend(self, entries: Mapping[str, str]) -> None:
        """Nothing is kept."""

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        """Nobody else is known."""
        return frozenset(keys)

    async def release(self, keys: Sequence[str]) -> None:
        """Nobody waits."""


async def ask_once(
    keys: Mapping[T, str],
    look_up: Callable[[Sequence[T]], Awaitable[Mapping[T, A]]],
    ask: Callable[[Sequence[T]], Awaitable[Mapping[T, A]]],
    take_over: Callable[[T, A], A],
    *,
    ledger: AnswerCache,
    flights: Flights[A],
    rest: Rest = asyncio.sleep,
) -> dict[T, A]:
    """An answer for each item that `keys` has a key of.

    `look_up` gives those that are known, `ask` all that it is given, `take_over` makes another's
    answer one's own. What another asked without an answer is asked anew.
    """
    answers: dict[T, A] = dict(await look_up(list(keys)) if keys else {})
    while left := {item: key for item, key in keys.items() if item not in answers}:
        begun, others = flights.begin(left.values())
        mine = [item for item, key in left.items() if key in begun]
        claimed: frozenset[str] = frozenset()
        said: dict[T, A] = {}
        try:
            if mine:
                claimed = await ledger.claim([left[item] for item in mine])
                # Again: between the look and the claim, who had claimed it may have answered.
                said |= await look_up(mine)
                asked = [item for item in mine if left[item] in claimed and item not in said]
                if asked:
                    async with _hold_claims(ledger, claimed):
                        said |= await ask(asked)
        finally:
            flights.end(begun, {left[item]: answer for item, answer in said.items()})
            if claimed:
                await ledger.release(sorted(claimed))
        answers |= said
        for item, key in left.items():
            # Shielded: of many who wait, one that is cancelled must not take it from the rest.
            if key in others and (answer := await asyncio.shield(others[key])) is not None:
                answers[item] = take_over(item, answer)
        if any(left[item] not in claimed and item not in answers for item in mine):
            await rest(PAUSE)
            answers |= await look_up([item for item in keys if item not in answers])
    return answers


@asynccontextmanager
async def _hold_claims(ledger: AnswerCache, claimed: frozenset[str]) -> AsyncIterator[None]:
    """Hold claims for as long as it takes: they last seconds, so that a crash holds up nobody."""

    async def extend() -> None:
        while True:
            await asyncio.sleep(PROLONGED)
            # What cannot be prolonged lapses, and at worst the question is asked twice.
            with suppress(JuratError):
                await ledger.claim(sorted(claimed))

    task = asyncio.create_task(extend())
    try:
        yield
    finally:
        task.cancel()
        # Ended before the claims are given back: a claim that is written after that would stay.
        await asyncio.wait([task])
