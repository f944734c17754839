"""What the ledger knows a question by, and how opinions are written into it and read out again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import DecidedBy, Verdict
from jurat.judge.batches import JudgeQuestion
from jurat.judge.opinions import ModelAnswer, Outcome, anchor_answer
from jurat.judge.prompts import (
    INTENT_CHARACTERS,
    compute_prompts_digest,
    compute_template_digest,
    is_intent_read,
)
from jurat.judge.protocol import Judge, JudgmentOptions
from jurat.judge.quotes import find_quote
from jurat.judge.replies import ReplyVerdict, from_json, to_json

_FORMAT = 3
"""Raised when the meaning of an entry changes, so that older ones are asked again."""

SERVED = "served "
"""What the ledger's key of a model begins with: its entry is the version that served it last."""

Served = Mapping[str, str]
"""The version that serves each model, by its configured name; one without stands for itself."""


def build_cache_key(
    question: JudgeQuestion,
    context: EvaluationContext,
    options: JudgmentOptions,
    model: Judge,
    served: Served = MappingProxyType({}),
) -> str:
    """SHA-256 of everything that an answer to `question` rests on.

    That is the rule's revision, the models as they are served and their thinking, the wording of
    the prompts, the surface, what the rule is shown without its line numbers, and the mode; the
    author's description only if the rule reads it. What other rules are shown is no part of it.
    """
    parts = [
        str(_FORMAT),
        question.rule.revision,
        # Both tiers: which of them answers is only known once it is asked.
        *(served.get(name, name) for name in (model.model_id("flash"), model.model_id("pro"))),
        *(
            f"{call_options.tier} {call_options.thinking}"
            for call_options in (
                options.batch,
                options.confirmation,
                options.single[question.rule.severity],
            )
        ),
        compute_template_digest(question.surface),
        question.surface.value,
        question.slice_digest,
        # As far as it is shown: what nobody read cannot have shaped the answer.
        context.intent[:INTENT_CHARACTERS] if is_intent_read(question.rule) else "",
        context.mode.value,
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def build_denial_key(question: JudgeQuestion, context: EvaluationContext) -> str | None:
    """What the ledger knows a unit's denial by as long as the code that it quotes stands.

    Neither the model nor the rest of the piece is part of it: a denial stands until what it quotes
    or its rule changes, or a person decides. None if a rule reads more than one file, as that
    may change what the quote means.
    """
    if question.rule.inputs or len(question.excerpts) != 1 or question.excerpts[0].file is None:
        return None
    parts = [
        str(_FORMAT),
        question.rule.revision,
        context.repository or "",
        question.surface.value,
        question.excerpts[0].label,
        question.excerpts[0].piece,
        context.mode.value,
    ]
    return "denied " + sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def judge_digest(model: Judge | None, options: JudgmentOptions, second: Judge | None = None) -> str:
    """SHA-256 of who judges, how and with which prompts; empty if no model is configured."""
    if model is None:
        return ""
    parts = [
        str(_FORMAT),
        model.model_id("flash"),
        model.model_id("pro"),
        *(f"{options.single[severity]}" for severity in sorted(options.single)),
        f"{options.batch} {options.confirmation}",
        f"{options.prompt_tokens} {options.rules_per_batch} {options.batches}",
        compute_prompts_digest(),
    ]
    if second is not None:
        parts += [second.model_id("flash"), second.model_id("pro")]
    return sha256("\0".join(parts).encode()).hexdigest()


def encode_entry(opinions: Sequence[ModelAnswer]) -> str:
    """A ledger entry: what was said of all parts of a question, with quotes and no line numbers."""
    return json.dumps(
        [
            {
                "answer": to_json(item.answer),
                "decided_by": item.decided_by.value,
                "model_id": item.model_id,
                "served": item.served,
                "silent": item.silent,
            }
            for item in opinions
        ]
    )


def decode_entry(entry: str, question: JudgeQuestion) -> tuple[ModelAnswer, ...] | None:
    """The opinions of a ledger entry, their quotes found again in today's lines.

    None if the entry cannot be read, or a quote is not there: the question is asked again.
    """
    opinions = []
    for answer, model_id, silent in _read_entry(entry):
        outcome = _anchor_again(answer, model_id, question, silent=silent)
        # A quote that is not there any more: the code changed within what the digest leaves out,
        # or the entry is another release's.
        if not isinstance(outcome, ModelAnswer):
            return None
        opinions.append(outcome)
    return tuple(opinions) or None


def decode_denial(entry: str, question: JudgeQuestion) -> ModelAnswer | None:
    """An earlier denial as far as what it quotes still stands; None if nothing of it does."""
    for answer, model_id, _ in _read_entry(entry):
        found = [
            finding
            for finding in answer.findings
            if find_quote(finding, question.excerpts) is not None
        ]
        if answer.verdict is not Verdict.DENY or not found:
            continue
        notes = tuple(dict.fromkeys((*answer.notes, STANDS)))
        kept = replace(answer, findings=tuple(found), notes=notes)
        outcome = _anchor_again(kept, model_id, question)
        if isinstance(outcome, ModelAnswer):
            return outcome
    return None


STANDS = "It was found before, and what it quotes still stands."


def anchor_outcome(outcome: Outcome, question: JudgeQuestion) -> Outcome:
    """What another review was told of the same question, with the places that it has here."""
    if not isinstance(outcome, ModelAnswer):
        return outcome
    return _anchor_again(outcome.answer, outcome.model_id, question, silent=outcome.silent)


def _anchor_again(
    answer: ReplyVerdict, model_id: str, question: JudgeQuestion, *, silent: bool = False
) -> Outcome:
    outcome = anchor_answer(
        answer,
        question.excerpts,
        question.surface,
        decided_by=DecidedBy.LEDGER,
        model_id=model_id,
        latency_ms=0.0,
    )
    return replace(outcome, silent=silent) if isinstance(outcome, ModelAnswer) else outcome


def _read_entry(entry: str) -> tuple[tuple[ReplyVerdict, str, bool], ...]:
    """The answers of an entry, each with its model and whether it is silent; none if unreadable."""
    try:
        return tuple(
            (from_json(item["answer"]), str(item["model_id"]), bool(item["silent"]))
            for item in json.loads(entry)
        )
    except (ValueError, KeyError, TypeError):
        return ()
