"""What one review sends to models, and what that takes of its budgets: every text, before it goes.

The judge, the rating's second opinions and relevance by meaning each have a page of one record, so
that a review's budgets are those of all that it asks, and none of it is left out of its account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256

from jurat.findings.model_usage import CallPurpose, ModelUsage, SentPrompt, add_usage
from jurat.judge.protocol import (
    JudgeError,
    JudgeErrorKind,
    JudgmentOptions,
    Price,
    TokenBudget,
    count_utf8_bytes,
    estimate_tokens,
)
from jurat.rules.config import BudgetConfig


@dataclass(slots=True)
class ModelCall:
    """A call under way: whoever makes it fills in who answered, and what that took."""

    model_id: str
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0


@dataclass(slots=True)
class _Tally:
    uses: dict[tuple[str, CallPurpose], ModelUsage] = field(default_factory=dict)
    under_way: int = 0


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A page of what one review asks of models, within `budgets`. `prices` are by model.

    The pages that `about` gives are of the same review: they share what is spent.
    """

    budgets: tuple[TokenBudget, ...] = ()
    prices: Mapping[str, Price] = field(default_factory=dict)
    purpose: CallPurpose = CallPurpose.VERDICTS
    tally: _Tally = field(default_factory=_Tally)

    def about(self, purpose: CallPurpose) -> CallRecord:
        """The page of the same record for another purpose."""
        return replace(self, purpose=purpose)

    @property
    def models(self) -> tuple[ModelUsage, ...]:
        """All that was asked, for any purpose, by model."""
        return tuple(self.tally.uses.values())

    @contextmanager
    def send(self, model_id: str, texts: Sequence[str], form: str = "") -> Iterator[ModelCall]:
        """Record one call before it is made, and count what the caller says it took.

        `texts` are what is sent, `form` what goes with it and says nothing of the change, such as
        a schema. Raises JudgeError if a budget has less than this is expected to take; nothing is
        recorded then. A call that fails is shown as a call: its tokens are known to nobody but the
        bill.
        """
        expected = self._claim(sum(map(estimate_tokens, (*texts, form))))
        # Before it goes: what was sent and never answered was sent all the same.
        self._add(ModelUsage(model_id, sent=(_describe_sent(texts),)))
        call = ModelCall(model_id)
        try:
            yield call
        finally:
            self.tally.under_way -= expected
            self._add(self._count(call))

    def _claim(self, expected: int) -> int:
        spent = sum(use.input_tokens + use.output_tokens for use in self.models)
        for budget in self.budgets:
            if spent + self.tally.under_way + expected > budget.tokens:
                detail = f"the budget of {budget.of} is used up"
                raise JudgeError(JudgeErrorKind.EXHAUSTED, detail)
        self.tally.under_way += expected
        return expected

    def _count(self, call: ModelCall) -> ModelUsage:
        price = self.prices.get(call.model_id)
        given, received = call.input_tokens, call.output_tokens
        cost = (price.input * given + price.output * received) / 1e6 if price else None
        return ModelUsage(call.model_id, 1, given, received, call.latency_ms, cost=cost)

    def _add(self, used: ModelUsage) -> None:
        used = replace(used, purpose=self.purpose)
        key = used.model_id, used.purpose
        known = [self.tally.uses[key]] if key in self.tally.uses else []
        (self.tally.uses[key],) = add_usage(known, [used])


def _describe_sent(texts: Iterable[str]) -> SentPrompt:
    parts = list(texts)
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return SentPrompt(sha256(whole).hexdigest(), sum(map(count_utf8_bytes, parts)))


def list_review_budgets(options: JudgmentOptions, own: BudgetConfig) -> list[TokenBudget]:
    """What one sitting may spend: by the operator's file, and by the repository's own."""
    return [
        TokenBudget(limit, f"{limit:,} tokens for one review")
        for limit in (options.review_tokens, own.review)
        if limit is not None
    ]
