"""What one review asks, and what the ledger knows of it: answers by unit, denials that stand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jurat.findings.verdict import UnreadFile, Verdict
from jurat.judge.batches import Batch, JudgeQuestion, build_questions, get_key, plan_batches
from jurat.judge.cache import (
    SERVED,
    Served,
    anchor_outcome,
    build_cache_key,
    build_denial_key,
    decode_denial,
    decode_entry,
    encode_entry,
)
from jurat.judge.opinions import ModelAnswer, Outcome
from jurat.judge.prompts import estimate_overhead
from jurat.judge.protocol import AnswerCache, Judge
from jurat.judge.session import JudgeSession
from jurat.judge.units import align_pieces, join_units, narrow_outcome, split_question
from jurat.rules.rule import Rule


class UnitAnswer(NamedTuple):
    """What was said of a unit, over all of its parts, and what of it no batch shows."""

    outcomes: tuple[Outcome, ...]
    unseen: tuple[UnreadFile, ...] = ()


Asked = Mapping[JudgeQuestion, Sequence[JudgeQuestion]]
"""Questions that are asked together, each with the units that it stands for."""


@dataclass(slots=True)
class AnswerDesk:
    """The units of one review, with their keys; `open` makes them.

    `units` has them by question. `served` is the version of each model that the keys were made
    with, `seat` what tells a judge's answers from those of another.
    """

    # `_outdated` are units whose entry says nothing of use: what is learnt takes its place.

    session: JudgeSession
    ledger: AnswerCache
    served: Served
    seat: str = ""
    units: Mapping[JudgeQuestion, tuple[JudgeQuestion, ...]] = field(default_factory=dict)
    keys: Mapping[JudgeQuestion, str] = field(default_factory=dict)
    _outdated: set[JudgeQuestion] = field(default_factory=set)

    def open(self, rules: Sequence[Rule]) -> None:
        """Make the units of all rules; those that have something to show have a key."""
        given = {rule.id: rule for rule in rules}
        questions = build_questions(self.session.context, tuple(given.values()))
        self.units = {question: split_question(question) for question in questions}
        self.keys = {
            unit: self._build_key(unit, self.served)
            for units in self.units.values()
            for unit in units
            if unit.excerpts
        }

    async def look_up(self, units: Sequence[JudgeQuestion]) -> dict[JudgeQuestion, UnitAnswer]:
        """What the ledger knows of some units."""
        # All at once: one query for a review, and the planning sees only what is left to ask.
        known = await self.ledger.recall([self.keys[unit] for unit in units])
        found = {}
        for unit in units:
            if (entry := known.get(self.keys[unit])) is None:
                continue
            outcomes = decode_entry(entry, unit)
            if outcomes is None:
                self._outdated.add(unit)
            elif unit not in self._outdated or not is_silent(UnitAnswer(outcomes)):
                found[unit] = UnitAnswer(outcomes)
        return found

    def reopen_silent(
        self, answers: Mapping[JudgeQuestion, UnitAnswer], *, whatever: bool = False
    ) -> dict[JudgeQuestion, str]:
        """The units of which nothing is known but silence, while none of their rule is denied.

        Or `whatever` is denied, if a denial stands for no other file. From now on what the ledger
        knows of these counts only if it speaks of them.
        """
        denied = {
            unit.rule.id
            for unit, answer in answers.items()
            if any(_get_verdict(outcome) is Verdict.DENY for outcome in answer.outcomes)
        }
        found = [
            unit
            for unit, answer in answers.items()
            if is_silent(answer) and (whatever or unit.rule.id not in denied)
        ]
        self._outdated.update(found)
        return {unit: self.keys[unit] for unit in found}

    async def ask(self, units: Sequence[JudgeQuestion]) -> dict[JudgeQuestion, UnitAnswer]:
        """Ask the model about some units, and write down what lasts of it."""
        asked = self._join(units)
        context, options = self.session.context, self.session.options
        planned = await asyncio.to_thread(
            plan_batches, list(asked), options, estimate_overhead(context)
        )
        said = list(
            zip(
                planned.batches,
                await asyncio.gather(*map(self.session.judge_batch, planned.batches)),
                strict=True,
            )
        )
        lasting = await self._recall_denials(units)
        answers = {}
        for question, parts in asked.items():
            missed = planned.unseen.get(question, ())
            for unit in parts:
                outcomes = [
                    narrow_outcome(outcomes[question], unit)
                    for batch, outcomes in said
                    if question in outcomes and _is_part_of(unit, batch)
                ]
                if unit in lasting:
                    outcomes.append(lasting[unit])
                paths = {item.file.path if item.file else item.label for item in unit.excerpts}
                unseen = tuple(item for item in missed if item.path in paths)
                answers[unit] = UnitAnswer(tuple(outcomes), unseen)
        await self._write_down(answers)
        return answers

    def _join(self, units: Sequence[JudgeQuestion]) -> Asked:
        wanted = set(units)
        parts = {
            question: [unit for unit in of_it if unit in wanted]
            for question, of_it in self.units.items()
        }
        asked = {question: some for question, some in parts.items() if some}
        joined = align_pieces([join_units(question, some) for question, some in asked.items()])
        return dict(zip(joined, asked.values(), strict=True))

    async def _recall_denials(
        self, units: Sequence[JudgeQuestion]
    ) -> dict[JudgeQuestion, ModelAnswer]:
        """The earlier denials of units whose quotes still stand in them."""
        keys = {unit: key for unit in units if (key := self._build_denial_key(unit)) is not None}
        known = await self.ledger.recall(list(keys.values())) if keys else {}
        found = {
            unit: decode_denial(known[key], unit) for unit, key in keys.items() if key in known
        }
        return {unit: answer for unit, answer in found.items() if answer is not None}

    async def _write_down(self, answers: Mapping[JudgeQuestion, UnitAnswer]) -> None:
        served = {**self.served, **self.session.served}
        learnt: dict[str, str] = {}
        mended: dict[str, str] = {}
        denied: dict[str, str] = {}
        for unit, answer in answers.items():
            settled = _filter_settled(answer)
            if not settled:
                continue
            entry = encode_entry(settled)
            # By who did answer: a model may be served by a new version from one call to the next.
            key = self._build_key(unit, served)
            (mended if unit in self._outdated else learnt)[key] = entry
            lasting = self._build_denial_key(unit)
            if lasting and any(item.verdict is Verdict.DENY for item in settled):
                denied[lasting] = entry
        if learnt:
            await self.ledger.remember(learnt)
        changed = {
            f"{SERVED}{name}": version
            for name, version in self.session.served.items()
            if version != self.served.get(name, name)
        }
        if mended or denied or changed:
            await self.ledger.amend({**mended, **denied, **changed})

    def _build_key(self, unit: JudgeQuestion, served: Served) -> str:
        session = self.session
        key = build_cache_key(unit, session.context, session.options, session.model, served)
        return f"{self.seat}{key}"

    def _build_denial_key(self, unit: JudgeQuestion) -> str | None:
        key = build_denial_key(unit, self.session.context)
        return None if key is None else f"{self.seat}{key}"


async def recall_served(ledger: AnswerCache, model: Judge) -> Served:
    """The versions by which the models answered last, as far as they are known."""
    names = dict.fromkeys((model.model_id("flash"), model.model_id("pro")))
    known = await ledger.recall([f"{SERVED}{name}" for name in names])
    return {name: known[f"{SERVED}{name}"] for name in names if f"{SERVED}{name}" in known}


def take_over(unit: JudgeQuestion, answer: UnitAnswer) -> UnitAnswer:
    """Another review's answer to the same unit, with this one's places."""
    return answer._replace(
        outcomes=tuple(anchor_outcome(outcome, unit) for outcome in answer.outcomes)
    )


def is_silent(answer: UnitAnswer) -> bool:
    """Whether a unit is kept only because an answer names others."""
    return any(isinstance(item, ModelAnswer) and item.silent for item in answer.outcomes)


def _get_verdict(outcome: Outcome) -> Verdict | None:
    return outcome.verdict if isinstance(outcome, ModelAnswer) else None


def _is_part_of(unit: JudgeQuestion, batch: Batch) -> bool:
    parts = {get_key(excerpt)[:2] for excerpt in batch.excerpts}
    return any(get_key(excerpt)[:2] in parts for excerpt in unit.excerpts)


def _filter_settled(answer: UnitAnswer) -> list[ModelAnswer]:
    """The opinions on all parts of a unit; empty as soon as one part lacks a lasting one.

    An answer over a part of the material is not remembered: with a larger budget it would stand
    for what nobody saw.
    """
    opinions = [item for item in answer.outcomes if isinstance(item, ModelAnswer) and item.settled]
    # All parts or none: an entry of some parts would read as an answer over all of them.
    return opinions if len(opinions) == len(answer.outcomes) and not answer.unseen else []
