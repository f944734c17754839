"""Rules in the order in which they deserve to be judged."""

from __future__ import annotations

from collections.abc import Sequence

from bot.corpus.rule import Corpus, Rule
from bot.selection.authority import Candidate, rerank_by_authority
from bot.selection.relevance import Relevance, intent_of
from bot.selection.vocabulary import shipped_vocabulary
from bot.subjects.context import EvaluationContext

DEPTH = 500
"""Rules that are re-ordered by authority, the most relevant ones: five times the largest bound on
rules. The others keep their order behind them."""


def by_rank(
    context: EvaluationContext, corpus: Corpus, rules: Sequence[Rule], relevance: Relevance
) -> list[Rule]:
    """All the rules, by relevance and then by authority, best first. Equals keep their order."""
    scores = relevance(context, corpus, rules)
    order = sorted(range(len(rules)), key=lambda at: -scores[at])
    near = {rules[at].id: rules[at] for at in order[:DEPTH]}
    ranked = rerank_by_authority(
        intent_of(context),
        [Candidate.of(rules[at], scores[at]) for at in order[:DEPTH]],
        shipped_vocabulary(),
    )
    return [near[item.candidate.id] for item in ranked] + [rules[at] for at in order[DEPTH:]]
