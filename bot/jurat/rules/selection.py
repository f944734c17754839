"""The rules chosen for a context, and the rules left out with the reason."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from jurat.facts.context import EvaluationContext, Facts, SubjectKind
from jurat.rules.config import Config
from jurat.rules.level import Level
from jurat.rules.matching import (
    ChangedFiles,
    PathIndex,
    fits_scope,
    fits_subject,
    has_file_conditions,
)
from jurat.rules.relevance import Relevance, describe_intent, rank_by_words
from jurat.rules.rule import Modality, Rule, RuleKind, RuleSet, Severity

# What facts describe, if nobody says.

_FIRST_KEY = re.compile(r"[^.\[\]]+")


class FactsKind(NamedTuple):
    """What the rules that compute with facts say of these.

    `kind` is the one that all of the rules are about. None if no such rule names its kinds,
    if they have none in common, and if what the facts belong to by default is one of them.
    `disputed` is every kind that one of the rules is about, if none is common: the facts are of
    all of them then, for to choose one would be to leave the other rules unasked.
    """

    kind: SubjectKind | None = None
    disputed: frozenset[SubjectKind] = frozenset()


def infer_kind(facts: Facts, rule_set: RuleSet, *, otherwise: SubjectKind) -> FactsKind:
    """What `facts` describe, which belong to `otherwise` by default.

    Without it, facts on overtime would be a decision, or join a code diff, and the rule on the
    overtime of events would not be asked. Facts that do not join a code diff are never one by
    themselves.
    """
    possible = frozenset(SubjectKind)
    if otherwise is not SubjectKind.CODE_DIFF:
        possible -= {SubjectKind.CODE_DIFF}
    # Most changes come without facts: no rule need be looked at then.
    rules = rule_set.rules.values() if facts else ()
    named = [kinds for rule in rules if (kinds := possible & _list_kinds(rule, facts))]
    if not named:
        return FactsKind()
    common = frozenset.intersection(*named)
    if not common:
        return FactsKind(disputed=frozenset.union(*named))
    if otherwise in common:
        return FactsKind()
    return FactsKind(next(kind for kind in SubjectKind if kind in common))


def _list_kinds(rule: Rule, facts: Facts) -> frozenset[SubjectKind]:
    """What a rule is about, if it reads one of the facts."""
    if not rule.subject_kinds or facts.keys().isdisjoint(_list_keys_read(rule)):
        return frozenset()
    return frozenset(rule.subject_kinds)


def _list_keys_read(rule: Rule) -> Iterator[str]:
    for stated in (*rule.constraints, *rule.preconditions):
        path = getattr(stated, "field_path", "")
        if first := _FIRST_KEY.match(path):
            yield first.group()


# Stage 1: by metadata. A loop over the rules, once their globs have met the changed files.


@lru_cache(maxsize=8)
def _build_path_index(rule_set: RuleSet) -> PathIndex:
    """Kept for the last few corpora: a corpus never changes."""
    return PathIndex.of(rule.paths for rule in rule_set.rules.values())


def filter_by_metadata(
    context: EvaluationContext, rule_set: RuleSet, criteria: SelectionCriteria, today: dt.date
) -> tuple[list[Rule], tuple[OmittedRule, ...]]:
    """The rules that apply, and the others with the reason, both in the corpus's order."""
    index = _build_path_index(rule_set)
    subjects = [(subject, ChangedFiles(subject.files, index)) for subject in context.subjects]

    def fits(rule: Rule) -> bool:
        return any(fits_subject(rule, subject, files.has_match) for subject, files in subjects)

    fitting: list[Rule] = []
    omitted: list[OmittedRule] = []
    for rule in rule_set.rules.values():
        reason = explain_inapplicable(rule, context, criteria, today, fits)
        if reason is None:
            fitting.append(rule)
        else:
            omitted.append(OmittedRule(rule, reason))
    return fitting, tuple(omitted)


def explain_inapplicable(
    rule: Rule,
    context: EvaluationContext,
    criteria: SelectionCriteria,
    today: dt.date,
    fits: Callable[[Rule], bool],
) -> str | None:
    """Why a rule does not apply, or None. `fits` says whether it is about some subject."""
    if rule.enforcement.strictest is Level.OFF:
        return f"is switched off: {rule.enforcement.reason}"
    since, until = rule.effective.since, rule.effective.until
    if since is not None and today < since:
        return f"not in force before {since}"
    if until is not None and today > until:
        return f"no longer in force since {until}"
    if rule.severity.rank < criteria.severity_min.rank and not rule.enforcement.wanted:
        return f"severity {rule.severity} is below the minimum {criteria.severity_min}"
    if criteria.modalities and rule.modality not in criteria.modalities:
        return f"modality {rule.modality} was not asked for"
    if criteria.tags and not criteria.tags.intersection(rule.tags):
        return "has none of the tags asked for"
    if not fits_scope(rule, context):
        return f"scope {', '.join(rule.scope)} does not meet {context.scope}"
    kinds = rule.subject_kinds
    if kinds and all(subject.kinds.isdisjoint(kinds) for subject in context.subjects):
        return f"is about {', '.join(kinds)}"
    if not fits(rule):
        return (
            "no changed file fits its paths and languages"
            if has_file_conditions(rule)
            else "no subject"
        )
    return None


# Stage 2 as a whole: by metadata, then by relevance and authority, then the cut.


def select_applicable(
    context: EvaluationContext,
    rule_set: RuleSet,
    criteria: SelectionCriteria,
    today: dt.date,
    *,
    relevance: Relevance = rank_by_words,
) -> Selection:
    """The rules that apply, in the corpus's order, with a reason for every rule left out.

    Rules that need no model always run; the others are cut at `criteria.max_rules`.
    """
    fitting, inapplicable = filter_by_metadata(context, rule_set, criteria, today)
    kept, omitted = cap_rules(
        [rule for rule in fitting if needs_model(rule)],
        criteria.max_rules,
        lambda rules: rank_rules(context, rule_set, rules, relevance),
    )
    judged = {rule.id for rule in kept}
    return Selection(
        rules=tuple(rule for rule in fitting if not needs_model(rule) or rule.id in judged),
        omitted=omitted,
        inapplicable=inapplicable,
    )


def find_contenders(
    context: EvaluationContext, rule_set: RuleSet, criteria: SelectionCriteria, today: dt.date
) -> list[Rule]:
    """The rules among which `select_applicable` lets relevance decide, if there are any."""
    asked: list[Rule] = []

    def note(rules: Sequence[Rule]) -> Sequence[Rule]:
        asked.extend(rules)
        return rules

    fitting, _ = filter_by_metadata(context, rule_set, criteria, today)
    cap_rules([rule for rule in fitting if needs_model(rule)], criteria.max_rules, note)
    return asked


def needs_model(rule: Rule) -> bool:
    """Whether a rule is judged by a model from the start. Others are computed first."""
    return rule.kind is RuleKind.NORMATIVE


def cap_rules(
    rules: Sequence[Rule], max_rules: int, rank: Callable[[Sequence[Rule]], Sequence[Rule]]
) -> tuple[tuple[Rule, ...], tuple[OmittedRule, ...]]:
    """The rules that a model judges, and those beyond the bound with the reason.

    Rules that block, and MUST and MUST_NOT of severity HIGH and above, come first, and are kept
    even if they alone exceed the bound. `rank` puts the others in order, best first; it is asked
    only if some of them, and not all, can be kept.
    """
    first = [rule for rule in rules if _is_indispensable(rule)]
    others: Sequence[Rule] = [rule for rule in rules if not _is_indispensable(rule)]
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


def _is_indispensable(rule: Rule) -> bool:
    return rule.is_required or rule.blocking or (rule.modality.binding and rule.severity.rank >= 2)


# Rules in the order in which they deserve to be judged.

DEPTH = 500
"""Rules that are re-ordered by authority, the most relevant ones: five times the largest bound on
rules. The others keep their order behind them."""


def rank_rules(
    context: EvaluationContext, rule_set: RuleSet, rules: Sequence[Rule], relevance: Relevance
) -> list[Rule]:
    """All the rules, by relevance and then by authority, best first. Equals keep their order."""
    # Loaded if there are more rules than may be judged.
    from jurat.rules.authority import Candidate, rerank_by_authority  # noqa: PLC0415
    from jurat.rules.vocabulary import load_shipped_vocabulary  # noqa: PLC0415

    scores = relevance(context, rule_set, rules)
    order = sorted(range(len(rules)), key=lambda at: -scores[at])
    near = {rules[at].id: rules[at] for at in order[:DEPTH]}
    ranked = rerank_by_authority(
        describe_intent(context),
        [Candidate.of(rules[at], scores[at]) for at in order[:DEPTH]],
        load_shipped_vocabulary(),
    )
    return [near[item.candidate.id] for item in ranked] + [rules[at] for at in order[DEPTH:]]


@dataclass(frozen=True, slots=True)
class OmittedRule:
    """A rule that was left out before anything was judged, and why."""

    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class SelectionCriteria:
    """What narrows the corpus besides the subject itself.

    `max_rules` (1 to 100) bounds the rules that a model must judge; rules that are decided without
    a model always run when their metadata fits.
    """

    max_rules: int = 20
    severity_min: Severity = Severity.MEDIUM
    modalities: frozenset[Modality] = frozenset()
    tags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, configuration: Config) -> SelectionCriteria:
        """What a repository's configuration asks for."""
        return cls(configuration.review.max_rules, configuration.review.severity_min)


@dataclass(frozen=True, slots=True)
class Selection:
    """Stage 2's result.

    `rules` apply and are within the bound. `omitted` apply but were cut by it: they are reported as
    not assessed. `inapplicable` do not apply, each with the reason.
    """

    rules: tuple[Rule, ...]
    omitted: tuple[OmittedRule, ...] = ()
    inapplicable: tuple[OmittedRule, ...] = ()
