"""Stage 2 as a whole: by metadata, then by relevance and authority, then the cut."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from functools import partial

from bot.corpus.rule import Corpus, Rule, RuleKind
from bot.selection.fitting import fits_scope, fits_subject, names_files
from bot.selection.index import applicable, index_of
from bot.selection.ranking import by_rank
from bot.selection.relevance import Relevance, lexical_relevance
from bot.selection.selection import Criteria, LeftOut, Selection
from bot.subjects.context import EvaluationContext
from bot.subjects.kinds import SubjectKind
from bot.verdicts import OmittedRule


def select(
    context: EvaluationContext,
    corpus: Corpus,
    criteria: Criteria,
    today: dt.date,
    *,
    relevance: Relevance = lexical_relevance,
) -> Selection:
    """The rules that apply, in the corpus's order, with a reason for every rule left out.

    Rules that need no model always run; the others are cut at `criteria.max_rules`.
    """
    index = index_of(corpus)
    found = applicable(index, context, criteria, today)
    fitting = index.those(found)
    kept, omitted = cut(
        [rule for rule in fitting if needs_model(rule)],
        criteria.max_rules,
        lambda rules: by_rank(context, corpus, rules, relevance),
    )
    judged = {rule.id for rule in kept}
    return Selection(
        rules=tuple(rule for rule in fitting if not needs_model(rule) or rule.id in judged),
        omitted=omitted,
        inapplicable=LeftOut(
            index.those(index.everything ^ found),
            partial(_reason_to_leave_out, context=context, criteria=criteria, today=today),
        ),
    )


def contested(
    context: EvaluationContext, corpus: Corpus, criteria: Criteria, today: dt.date
) -> list[Rule]:
    """The rules among which `select` asks relevance to decide. Empty where it decides nothing."""
    index = index_of(corpus)
    asked: list[Rule] = []

    def note(rules: Sequence[Rule]) -> Sequence[Rule]:
        asked.extend(rules)
        return rules

    fitting = index.those(applicable(index, context, criteria, today))
    cut([rule for rule in fitting if needs_model(rule)], criteria.max_rules, note)
    return asked


def needs_model(rule: Rule) -> bool:
    """Whether a rule is judged by a model from the start. Others are computed first."""
    return rule.kind is RuleKind.NORMATIVE


def cut(
    rules: Sequence[Rule], max_rules: int, rank: Callable[[Sequence[Rule]], Sequence[Rule]]
) -> tuple[tuple[Rule, ...], tuple[OmittedRule, ...]]:
    """The rules that a model judges, and those beyond the bound with the reason.

    MUST and MUST_NOT rules of severity HIGH and above come first, and are kept even where they
    alone exceed the bound. `rank` puts the others in order, best first; it is asked only where some
    of them, and not all, can be kept.
    """
    first = [rule for rule in rules if _indispensable(rule)]
    others: Sequence[Rule] = [rule for rule in rules if not _indispensable(rule)]
    places = max(0, max_rules - len(first))
    if places == 0:
        reason = f"beyond max_rules ({max_rules}): {len(first)} rules that may block come first"
        return tuple(first), tuple(OmittedRule(rule, reason) for rule in others)
    if len(others) > places:
        others = rank(others)
    beyond = f"of {len(others)} by relevance and authority, beyond max_rules ({max_rules})"
    return (*first, *others[:places]), tuple(
        OmittedRule(rule, f"number {number} {beyond}")
        for number, rule in enumerate(others[places:], places + 1)
    )


def _indispensable(rule: Rule) -> bool:
    return rule.modality.binding and rule.severity.rank >= 2


def _reason_to_leave_out(
    rule: Rule, context: EvaluationContext, criteria: Criteria, today: dt.date
) -> str:
    reason = reason_against(rule, context, criteria, today)
    if reason is None:
        raise AssertionError(f"the index leaves out {rule.id}, which applies")
    return reason


def reason_against(
    rule: Rule, context: EvaluationContext, criteria: Criteria, today: dt.date
) -> str | None:
    """Why a rule does not apply, or None."""
    since, until = rule.effective.since, rule.effective.until
    if since is not None and today < since:
        return f"not in force before {since}"
    if until is not None and today > until:
        return f"no longer in force since {until}"
    if rule.severity.rank < criteria.severity_min.rank:
        return f"severity {rule.severity} is below the minimum {criteria.severity_min}"
    if criteria.modalities and rule.modality not in criteria.modalities:
        return f"modality {rule.modality} was not asked for"
    if criteria.tags and not criteria.tags.intersection(rule.tags):
        return "has none of the tags asked for"
    if not fits_scope(rule, context):
        return f"scope {', '.join(rule.scope)} does not meet {context.scope}"
    kinds = frozenset[SubjectKind]().union(*(subject.kinds for subject in context.subjects))
    if rule.subject_kinds and kinds.isdisjoint(rule.subject_kinds):
        return f"is about {', '.join(rule.subject_kinds)}"
    if not any(fits_subject(rule, subject) for subject in context.subjects):
        return "no changed file fits its paths and languages" if names_files(rule) else "no subject"
    return None
