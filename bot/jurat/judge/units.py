"""The units of a question: what is asked once, kept, and asked again only if it changed itself.

A rule over a change of code is one question of a prompt, and as many units as it is shown files. So
a push asks about the files that it touched, and what was said of the others stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurat.facts.context import Surface
from jurat.findings.verdict import Verdict
from jurat.judge.batches import JudgeQuestion
from jurat.judge.opinions import ModelAnswer, Outcome
from jurat.rules.rule import RuleInput

MOST_PLACES = 10
"""Findings of a rule that prompts/reviewer.txt asks for at most."""

READ_BESIDE = "It was read beside other files, and nothing was found in it."
"""The reasoning of a unit that an answer says nothing of, because it names the others."""


def split_question(question: JudgeQuestion) -> tuple[JudgeQuestion, ...]:
    """The units of a question, in order; together they are shown what the question is.

    Only files of code stand by themselves. Facts are about all of them, a text is judged beside
    the others, and a rule that blocks and reads the change needs all of it: there the question is
    its own only unit.
    """
    by_file = (
        question.surface is Surface.CODE
        and all(excerpt.file is not None for excerpt in question.excerpts)
        # An advice is asked by file all the same: all of a large change for each push is its price.
        and not (question.rule.blocking and RuleInput.CHANGE in question.rule.inputs)
    )
    if not by_file or len(question.excerpts) < 2:
        return (question,)
    labels = dict.fromkeys(excerpt.label for excerpt in question.excerpts)
    return tuple(
        replace(
            question,
            excerpts=tuple(item for item in question.excerpts if item.label == label),
            unread=(),
        )
        for label in labels
    )


def join_units(question: JudgeQuestion, units: Sequence[JudgeQuestion]) -> JudgeQuestion:
    """The question as far as some of its units go, in its own order."""
    wanted = {id(excerpt) for unit in units for excerpt in unit.excerpts}
    kept = tuple(item for item in question.excerpts if id(item) in wanted)
    return replace(question, excerpts=kept)


def narrow_outcome(outcome: Outcome, unit: JudgeQuestion) -> Outcome:
    """What an outcome over several units says of one of them.

    A denial names its places: of a unit without any it is silent. That is not remembered if it
    names as many as it may, or is not sure of the others either.
    """
    if not isinstance(outcome, ModelAnswer):
        return outcome
    if outcome.answer.checked is not None:
        # It was held against all that was shown together, and may name another unit.
        outcome = replace(outcome, answer=replace(outcome.answer, checked=None))
    if not outcome.places:
        return outcome
    labels = {excerpt.label for excerpt in unit.excerpts}
    own = [index for index, place in enumerate(outcome.places) if place.label in labels]
    if len(own) == len(outcome.places):
        return outcome
    if own:
        answer = replace(
            outcome.answer, findings=tuple(outcome.answer.findings[index] for index in own)
        )
        return replace(outcome, answer=answer, places=tuple(outcome.places[i] for i in own))
    kept = replace(
        outcome.answer,
        verdict=Verdict.ALLOW,
        reasoning=READ_BESIDE,
        issue="",
        fix_suggestion="",
        findings=(),
        notes=(),
    )
    denied = outcome.verdict is Verdict.DENY and len(outcome.places) < MOST_PLACES
    settled = outcome.settled and denied
    return replace(outcome, answer=kept, places=(), settled=settled, silent=True)
