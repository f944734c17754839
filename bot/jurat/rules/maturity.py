"""How far a rule has earned to be trusted: from what became of its findings to its maturity.

A case is a finding of one pull request, and what became of it. Confirmed or fixed before the merge,
the rule was right; dismissed or merged over, it was not. The record of a rule begins with its first
case, and anew when the rule is demoted. Nothing here asks the time or keeps anything: the same
events give the same transitions.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from jurat.rules.config import Config
from jurat.rules.measured import with_merits
from jurat.rules.merit import NO_CASES, OutcomeCounts, Z, compute_wilson_interval
from jurat.rules.rule import Maturity, RuleSet
from jurat.rules.trial import RuleTrial


class EventKind(StrEnum):
    """What became of a finding. The first three are a person's word, the others the merge's.

    RESTORED takes a dismissal back: the finding is again what the merge says of it.
    """

    DISMISSED = "dismissed"
    RESTORED = "restored"
    CONFIRMED = "confirmed"
    FIXED = "fixed"
    MERGED_OVER = "merged_over"

    @property
    def is_spoken(self) -> bool:
        """Whether an authorised person said so. That outweighs what the merge showed."""
        return self in (EventKind.DISMISSED, EventKind.RESTORED, EventKind.CONFIRMED)

    @property
    def fault(self) -> bool:
        """Whether it counts against the rule."""
        return self in (EventKind.DISMISSED, EventKind.MERGED_OVER)


@dataclass(frozen=True, slots=True)
class RuleEvent:
    """What became of one finding of a rule. `written` is the maturity in the rule's file then."""

    at: dt.datetime
    kind: EventKind
    repository_id: int
    number: int
    fingerprint: str
    written: Maturity = Maturity.STABLE


@dataclass(frozen=True, slots=True)
class Policy:
    """When a rule moves. Rates are of faults among cases, ages in days since the record began.

    A promotion needs the upper end of the rate's 95% interval below the limit. A demotion needs the
    lower end above it, over the whole record or over the last `recent_days`: a good year must not
    outweigh a bad week.
    """

    cases: int = 20
    stable_days: int = 30
    stable_rate: float = 0.05
    proven_days: int = 60
    proven_rate: float = 0.01
    demotion_rate: float = 0.10
    recent_days: int = 7


DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """Where the record of a rule stands.

    `maturity` is what the record has made of the rule; None while it has moved nothing, so that
    what is written in the file holds. `since` is when the record began, None if it has no case.
    `decided` are the findings that count for whether a shipped rule may block: those of this
    repository alone.
    """

    maturity: Maturity | None = None
    since: dt.datetime | None = None
    tally: OutcomeCounts = NO_CASES
    decided: OutcomeCounts = NO_CASES


NO_STANDINGS: Mapping[str, TrackRecord] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Transition:
    """A rule moves, and the evidence: the cases from `since` on."""

    at: dt.datetime
    before: Maturity
    after: Maturity
    since: dt.datetime
    tally: OutcomeCounts


@dataclass(frozen=True, slots=True)
class PromotionGap:
    """What a rule still needs to become `target`: further cases without a fault, and a day.

    `cases` is 0 and `day` has come if it only waits for the worker's next run. `day` is None
    if the record has not begun.
    """

    target: Maturity
    cases: int
    day: dt.date | None


def count_cases_needed(tally: OutcomeCounts, limit: float) -> int:
    """Further cases without a fault until the upper end of the interval is below `limit`.

    The upper end is below it as soon as (cases·limit - faults)² > z²·cases·limit·(1 - limit), the
    score test that Wilson's interval inverts, with faults/cases below the limit.
    """
    faults, share = tally.faults, Z**2 * limit * (1 - limit)
    middle = 2 * faults * limit + share
    root = (middle + math.sqrt(middle**2 - 4 * limit**2 * faults**2)) / (2 * limit**2)
    needed = max(math.ceil(root), 1)
    if (
        compute_wilson_interval(OutcomeCounts(needed, faults))[1] >= limit
    ):  # the root itself is not below
        needed += 1
    return max(needed - tally.cases, 0)


def compute_track_record(
    events: Iterable[RuleEvent], moves: Sequence[Transition], at: dt.datetime
) -> TrackRecord:
    """Where a record stands at `at`, after the transitions that it has made so far."""
    demoted = [move.at for move in moves if move.after is Maturity.EXPERIMENTAL]
    cases = _pick_deciding_events(events, demoted[-1] if demoted else None, at)
    since = min((case.at for case in cases), default=None)
    return TrackRecord(moves[-1].after if moves else None, since, _count_outcomes(cases))


def find_next_transition(
    events: Sequence[RuleEvent],
    moves: Sequence[Transition],
    at: dt.datetime,
    policy: Policy = DEFAULT,
) -> Transition | None:
    """The step that the record asks for at `at`, None if the rule stays where it is.

    `events` are of one rule, in one repository or in all, in the order of their time; `moves` are
    the transitions before. One step at a time: what was experimental is stable before it is proven.
    """
    known = [event for event in events if event.at <= at]
    now = compute_track_record(known, moves, at)
    if now.since is None:
        return None
    current = now.maturity or known[-1].written
    recent = at - dt.timedelta(days=policy.recent_days)
    # Demotions before promotions: a look that finds grounds for both must end with less trust.
    if current is not Maturity.EXPERIMENTAL:
        late = _count_outcomes(
            _pick_deciding_events(known, max(recent, _find_reset(moves) or recent), at)
        )
        for since, tally in ((now.since, now.tally), (recent, late)):
            if (
                tally.cases >= policy.cases
                and compute_wilson_interval(tally)[0] > policy.demotion_rate
            ):
                return Transition(at, current, Maturity.EXPERIMENTAL, since, tally)
    lack = find_promotion_gap(current, now, policy)
    if lack is None or lack.cases or lack.day is None:
        return None
    if at < now.since + _get_required_age(lack.target, policy):
        return None
    return Transition(at, current, lack.target, now.since, now.tally)


def find_promotion_gap(
    current: Maturity,
    now: TrackRecord,
    policy: Policy = DEFAULT,
) -> PromotionGap | None:
    """What a rule of that maturity needs for the next one; None if there is no next one."""
    if current is Maturity.PROVEN:
        return None
    target = Maturity.STABLE if current is Maturity.EXPERIMENTAL else Maturity.PROVEN
    limit = policy.stable_rate if target is Maturity.STABLE else policy.proven_rate
    cases = max(policy.cases - now.tally.cases, count_cases_needed(now.tally, limit))
    day = None if now.since is None else (now.since + _get_required_age(target, policy)).date()
    return PromotionGap(target, cases, day)


def pick_track_record(own: TrackRecord, overall: TrackRecord) -> TrackRecord:
    """Which record counts in a repository: its own once that speaks, else the shared one."""
    spoken = own.maturity is not None or own.tally.cases >= DEFAULT.cases
    return own if spoken else overall


def apply_maturity(
    rule_set: RuleSet, track_records: Mapping[str, TrackRecord], configuration: Config
) -> RuleSet:
    """The rules with the maturity, and the right to block, that their records have earned.

    A pinned rule keeps what is written, and so do all if the configuration has it proposed only.
    """
    if not track_records or configuration.review.maturity == "propose":
        return rule_set
    rules = dict(rule_set.rules)
    counted = {rule_id: found for rule_id, found in track_records.items() if not rules[rule_id].pin}
    for rule_id, found in counted.items():
        if found.maturity is not None:
            rules[rule_id] = rules[rule_id].model_copy(update={"maturity": found.maturity})
    tallies = {rule_id: found.decided for rule_id, found in counted.items()}
    return replace(rule_set, rules=with_merits(rules, tallies))


def apply_trials(rule_set: RuleSet, trials: Mapping[str, RuleTrial]) -> RuleSet:
    """The rules with how the judge of this review did on them; `trials` are by rule revision.

    A rule that has changed since it was tried is another one, of which nothing is known.
    """
    if not trials:
        return rule_set  # the same object: what was worked out of it is kept with it
    tried = {
        rule_id: rule.with_trial(trials[rule.revision])
        for rule_id, rule in rule_set.rules.items()
        if rule.revision in trials
    }
    return replace(rule_set, rules={**rule_set.rules, **tried}) if tried else rule_set


def _pick_deciding_events(
    events: Iterable[RuleEvent], after: dt.datetime | None, until: dt.datetime
) -> list[RuleEvent]:
    """The event that decides each finding: the last word of a person, else the merge.

    Cases decided at `after` or before are left out.
    """
    said: dict[tuple[int, int, str], RuleEvent] = {}
    settled: dict[tuple[int, int, str], RuleEvent] = {}
    for event in events:
        if event.at > until:
            continue
        key = (event.repository_id, event.number, event.fingerprint)
        if event.kind is EventKind.RESTORED:
            said.pop(key, None)
        else:
            (said if event.kind.is_spoken else settled)[key] = event
    # A person's word is not undone by the merge that follows it.
    deciding = {**settled, **said}.values()
    return [event for event in deciding if after is None or event.at > after]


def _count_outcomes(cases: Sequence[RuleEvent]) -> OutcomeCounts:
    return OutcomeCounts(len(cases), sum(case.kind.fault for case in cases))


def _find_reset(moves: Sequence[Transition]) -> dt.datetime | None:
    """When the record began anew, None if it never did."""
    return next((m.at for m in reversed(moves) if m.after is Maturity.EXPERIMENTAL), None)


def _get_required_age(target: Maturity, policy: Policy) -> dt.timedelta:
    days = policy.stable_days if target is Maturity.STABLE else policy.proven_days
    return dt.timedelta(days=days)
