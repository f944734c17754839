"""What the ledger knows a question by, and how opinions are written into it and read out again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import DecidedBy
from jurat.judge.batches import JudgeQuestion
from jurat.judge.opinions import ModelAnswer, anchor_answer
from jurat.judge.prompts import INTENT_CHARACTERS, compute_prompts_digest, compute_template_digest
from jurat.judge.protocol import Judge, JudgmentOptions
from jurat.judge.replies import from_json, to_json

_FORMAT = 1
"""Raised when the meaning of an entry changes, so that older ones are asked again."""


def build_cache_key(
    question: JudgeQuestion, context: EvaluationContext, options: JudgmentOptions, model: Judge
) -> str:
    """SHA-256 of everything that an answer to `question` rests on.

    That is the rule's revision, the models and their thinking, the wording of the prompts, the
    surface, what the rule is shown without its line numbers, the author's description and the
    mode. What other rules are shown is no part of it.
    """
    parts = [
        str(_FORMAT),
        question.rule.revision,
        model.model_id("flash"),
        # Both tiers: which of them answers is only known once it is asked.
        model.model_id("pro"),
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
        context.intent[:INTENT_CHARACTERS],
        context.mode.value,
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def judge_digest(model: Judge | None, options: JudgmentOptions) -> str:
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
    return sha256("\0".join(parts).encode()).hexdigest()


def encode_entry(opinions: Sequence[ModelAnswer]) -> str:
    """A ledger entry: what was said of all parts of a question, with quotes and no line numbers."""
    return json.dumps(
        [
            {
                "answer": to_json(item.answer),
                "decided_by": item.decided_by.value,
                "model_id": item.model_id,
            }
            for item in opinions
        ]
    )


def decode_entry(entry: str, question: JudgeQuestion) -> tuple[ModelAnswer, ...] | None:
    """The opinions of a ledger entry, their quotes found again in today's lines.

    None if the entry cannot be read, or a quote is not there: the question is asked again.
    """
    opinions = []
    try:
        for item in json.loads(entry):
            outcome = anchor_answer(
                from_json(item["answer"]),
                question.excerpts,
                question.surface,
                decided_by=DecidedBy.LEDGER,
                model_id=str(item["model_id"]),
                latency_ms=0.0,
            )
            # A quote that is not there any more: the code changed within what the digest leaves
            # out, or the entry is another release's.
            if not isinstance(outcome, ModelAnswer):
                return None
            opinions.append(outcome)
    except (ValueError, KeyError, TypeError):
        return None
    return tuple(opinions) or None
