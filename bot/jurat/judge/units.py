"""The units of a question: what is asked once, kept, and asked again only if it changed itself.

A rule over a change of code is one question of a prompt, and as many units as it is shown files, or
functions if it reads nothing else. So a push asks about what it touched, and what was said of the
rest stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurat.facts.context import Surface
from jurat.findings.verdict import Verdict
from jurat.judge.batches import JudgeQuestion
from jurat.judge.excerpts import Excerpt
from jurat.judge.opinions import FoundPlace, ModelAnswer, Outcome
from jurat.judge.pieces import (
    Position,
    join_pieces,
    set_others_back,
    split_excerpt,
    subtract_piece,
)
from jurat.rules.rule import RuleInput

MOST_PLACES = 10
"""Findings of a rule that prompts/reviewer.txt asks for at most."""

_MOST_PIECES = 400
"""Functions that are asked about one by one: above that each file is, as each answer is a row."""

READ_BESIDE = "It was read beside other files, and nothing was found in it."
"""The reasoning of a unit that an answer says nothing of, because it names the others."""


def split_question(question: JudgeQuestion) -> tuple[JudgeQuestion, ...]:
    """The units of a question, in order; together they are shown what the question is.

    Only files of code stand by themselves, and functions for rules that read no more. Facts are
    about all of them, a text is judged beside the others, and a rule that blocks and reads the
    change needs all of it: there the question is its own only unit.
    """
    by_file = (
        question.surface is Surface.CODE
        and all(excerpt.file is not None for excerpt in question.excerpts)
        # An advice is asked by file all the same: all of a large change for each push is its price.
        and not (question.rule.blocking and RuleInput.CHANGE in question.rule.inputs)
    )
    if not by_file:
        return (question,)
    if not question.rule.inputs and (pieces := _split_in_pieces(question)):
        return pieces
    if len(question.excerpts) < 2:
        return (question,)
    labels = dict.fromkeys(excerpt.label for excerpt in question.excerpts)
    files = [tuple(item for item in question.excerpts if item.label == label) for label in labels]
    return tuple(replace(question, excerpts=item, unread=()) for item in files)


def _split_in_pieces(question: JudgeQuestion) -> tuple[JudgeQuestion, ...]:
    """The functions that a rule is shown, which reads nothing else; few enough to be kept each."""
    pieces = [piece for item in question.excerpts for piece in split_excerpt(item)]
    if len(pieces) > _MOST_PIECES:
        return ()
    return tuple(replace(question, excerpts=(item,), unread=()) for item in pieces)


def join_units(question: JudgeQuestion, units: Sequence[JudgeQuestion]) -> JudgeQuestion:
    """The question as far as some of its units go, in its own order."""
    wanted = [excerpt for unit in units for excerpt in unit.excerpts]
    by_whole: dict[int, list[Excerpt]] = {}
    for item in wanted:
        by_whole.setdefault(id(item.whole or item), []).append(item)
    joined = (join_pieces(item, by_whole.get(id(item), ())) for item in question.excerpts)
    return replace(question, excerpts=tuple(item for item in joined if item is not None))


def align_pieces(questions: Sequence[JudgeQuestion]) -> tuple[JudgeQuestion, ...]:
    """The questions, so that no line is shown twice: whole excerpts in the parts others ask for.

    What no question is about is set back in them.
    """
    excerpts = [item for question in questions for item in question.excerpts]
    wanted: dict[int, frozenset[Position]] = {}
    for item in excerpts:
        if item.taken:
            wanted[id(item.whole)] = wanted.get(id(item.whole), frozenset()) | item.own
    for item in excerpts:
        # Somebody asks about all of it.
        wanted.pop(id(item), None)
    questions = tuple(
        replace(
            question,
            excerpts=tuple(
                set_others_back(item, wanted[id(item.whole)]) if id(item.whole) in wanted else item
                for item in question.excerpts
            ),
        )
        for question in questions
    )
    parts = {
        id(item.whole): item for question in questions for item in question.excerpts if item.taken
    }
    return tuple(
        replace(
            question,
            excerpts=tuple(
                part
                for item in question.excerpts
                for part in (
                    subtract_piece(item, parts[id(item)]) if id(item) in parts else (item,)
                )
            ),
        )
        for question in questions
    )


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
    own = [index for index, place in enumerate(outcome.places) if _is_within(unit, place)]
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


def _is_within(unit: JudgeQuestion, place: FoundPlace) -> bool:
    """Whether a place stands in what a unit shows."""
    mine = [item for item in unit.excerpts if item.label == place.label]
    first, last = place.location.start_line, place.location.end_line
    if first is None or not any(item.taken for item in mine):
        return bool(mine)
    lines = {row.line for item in mine for block in item.blocks for row in block.rows}
    return not lines.isdisjoint(range(first, (last or first) + 1))
