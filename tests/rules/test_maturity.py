"""Rules rise and fall by their record alone; a simulated year, day by day."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.rules.config import Config
from jurat.rules.maturity import (
    EventKind,
    OutcomeCounts,
    RuleEvent,
    TrackRecord,
    Transition,
    apply_maturity,
    compute_track_record,
    compute_wilson_interval,
    count_cases_needed,
    find_next_transition,
    find_promotion_gap,
    pick_track_record,
)
from jurat.rules.rule import Maturity, Rule, RuleSet
from tests.support.maturity import replayed
from tests.support.values import a_rule

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
DAYS = [START + dt.timedelta(days=day, hours=23, minutes=59) for day in range(365)]
EXPERIMENTAL, STABLE, PROVEN = Maturity


def day_of(at: dt.datetime) -> int:
    return (at - START).days


_numbers = itertools.count(1)


def case(day: float, kind: EventKind = EventKind.FIXED, **fields: Any) -> RuleEvent:
    """A finding of a pull request of its own, decided on that day."""
    values: dict[str, Any] = {
        "repository_id": 1,
        "number": next(_numbers),
        "fingerprint": "f" * 16,
        "written": EXPERIMENTAL,
    }
    return RuleEvent(START + dt.timedelta(days=day), kind, **{**values, **fields})


def daily(first: int, last: int, a_day: int, faults: int = 0) -> Iterator[RuleEvent]:
    """So many cases on each day from `first` to before `last`, `faults` of them dismissed."""
    for day in range(first, last):
        for number in range(a_day):
            kind = EventKind.DISMISSED if number < faults else EventKind.FIXED
            yield case(day + number / a_day, kind)


def moves_of(events: Sequence[RuleEvent]) -> list[tuple[int, str, str]]:
    return [(day_of(m.at), m.before.value, m.after.value) for m in replayed(events, DAYS)]


class TestASimulatedYear:
    def test_a_rule_rises_falls_in_a_bad_week_and_rises_again(self) -> None:
        year = [
            *daily(0, 200, 7),  # nobody has anything against it
            *daily(200, 207, 7, faults=5),  # a release of the framework makes it wrong
            *daily(220, 365, 7),  # nothing for two weeks, then it is right again
        ]
        assert moves_of(year) == [
            (30, "experimental", "stable"),  # 30 days; 73 cases were there on day 10
            (60, "stable", "proven"),  # 60 days; 381 cases were there on day 54
            (201, "proven", "experimental"),  # 10 of 49 in the last seven days
            (319, "experimental", "stable"),  # 25 of 35 after the fall: 696 without a fault more
        ]

    def test_a_rule_that_few_findings_test_stays_where_it_is(self) -> None:
        monthly = [case(day) for day in range(0, 365, 20)]
        assert len(monthly) == 19
        assert moves_of(monthly) == []

    def test_the_bare_rate_is_not_enough(self) -> None:
        """Twenty cases without a fault are a rate of 0, and an interval up to 16%."""
        assert moves_of(list(daily(0, 72, 1))) == []
        assert moves_of(list(daily(0, 73, 1))) == [(72, "experimental", "stable")]

    def test_a_stable_rule_falls_over_a_slow_record_too(self) -> None:
        slow = [
            case(3 * n, EventKind.MERGED_OVER if n % 3 == 0 else EventKind.FIXED, written=STABLE)
            for n in range(100)
        ]
        ((day, before, after),) = moves_of(slow)
        assert (before, after) == ("stable", "experimental")
        assert day == 3 * 19  # the twentieth case

    def test_nothing_falls_on_too_little_evidence(self) -> None:
        dismissed = [case(day, EventKind.DISMISSED, written=PROVEN) for day in range(0, 38, 2)]
        assert len(dismissed) == 19
        assert moves_of(dismissed) == []

    def test_every_transition_carries_what_it_rests_on(self) -> None:
        first, second = replayed(list(daily(0, 61, 7)), DAYS)
        assert first.since == START
        assert first.tally == OutcomeCounts(31 * 7, 0)
        assert second == Transition(DAYS[60], STABLE, PROVEN, START, OutcomeCounts(61 * 7, 0))

    def test_looking_more_often_changes_no_day(self) -> None:
        year = [*daily(0, 200, 7), *daily(200, 207, 7, faults=5)]
        hours = [START + dt.timedelta(hours=hour) for hour in range(24 * 365)]
        often = replayed(year, hours[::6])
        assert [m.after for m in often] == [m.after for m in replayed(year, DAYS)]
        assert [day_of(m.at) for m in often][:2] == [30, 60]


class TestACase:
    def test_is_a_finding_however_often_something_became_of_it(self) -> None:
        finding: dict[str, Any] = {"number": 7, "fingerprint": "a" * 16}
        events = [
            case(1, EventKind.DISMISSED, **finding),
            case(2, EventKind.CONFIRMED, **finding),
            case(3, EventKind.MERGED_OVER, **finding),
        ]
        assert compute_track_record(events, (), DAYS[1]).tally == OutcomeCounts(1, 1)
        assert compute_track_record(events, (), DAYS[3]).tally == OutcomeCounts(1, 0)

    def test_that_is_still_to_come_does_not_count(self) -> None:
        assert compute_track_record([case(5)], (), DAYS[4]) == TrackRecord()
        assert find_next_transition([case(5)], (), DAYS[4]) is None


def by_search(faults: int, limit: float) -> int:
    """The least number of cases whose interval ends below `limit`, by looking at each."""
    return next(
        n
        for n in itertools.count(max(faults, 1))
        if compute_wilson_interval(OutcomeCounts(n, faults))[1] < limit
    )


class TestTheInterval:
    @pytest.mark.parametrize(
        ("cases", "faults", "lower", "upper"),
        # As Brown, Cai and DasGupta's formula gives them, to three places.
        [(20, 0, 0.0, 0.161), (73, 0, 0.0, 0.05), (100, 10, 0.055, 0.174), (10, 10, 0.722, 1.0)],
    )
    def test_is_wilsons(self, cases: int, faults: int, lower: float, upper: float) -> None:
        found = compute_wilson_interval(OutcomeCounts(cases, faults))
        assert [round(end, 3) for end in found] == [lower, upper]

    def test_of_no_case_says_nothing(self) -> None:
        assert compute_wilson_interval(OutcomeCounts()) == (0.0, 1.0)

    @given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
    def test_ends_where_the_score_test_refuses_the_rate(self, drawn: tuple[int, int]) -> None:
        cases, faults = drawn
        quantile = NormalDist().inv_cdf(0.975)
        for end in compute_wilson_interval(OutcomeCounts(cases, faults)):
            if 1e-9 < end < 1 - 1e-9:  # not the ends that no case lies beyond
                score = abs(faults / cases - end) / (end * (1 - end) / cases) ** 0.5
                assert score == pytest.approx(quantile, rel=1e-6)

    @given(st.integers(0, 12), st.integers(0, 60), st.sampled_from([0.01, 0.05, 0.1]))
    def test_the_cases_that_are_needed_are_the_fewest(
        self, faults: int, right: int, limit: float
    ) -> None:
        tally = OutcomeCounts(faults + right, faults)
        expected = max(by_search(faults, limit) - tally.cases, 0)
        assert count_cases_needed(tally, limit) == expected


class TestWhatARuleLacks:
    def test_is_cases_and_days(self) -> None:
        lack = find_promotion_gap(EXPERIMENTAL, TrackRecord(None, START, OutcomeCounts(12, 0)))
        assert lack is not None
        assert (lack.target, lack.cases, lack.day) == (STABLE, 61, dt.date(2026, 1, 31))

    def test_is_nothing_for_a_proven_one(self) -> None:
        assert find_promotion_gap(PROVEN, TrackRecord()) is None


class TestWhichRecordCounts:
    OVERALL = TrackRecord(STABLE, START, OutcomeCounts(500, 3))

    def test_is_that_of_all_repositories_while_there_is_little_of_ones_own(self) -> None:
        assert (
            pick_track_record(TrackRecord(None, START, OutcomeCounts(19, 19)), self.OVERALL)
            is self.OVERALL
        )

    @pytest.mark.parametrize(
        "own",
        [
            TrackRecord(None, START, OutcomeCounts(20, 5)),
            TrackRecord(EXPERIMENTAL, None, OutcomeCounts()),
        ],
    )
    def test_is_ones_own_where_that_says_something(self, own: TrackRecord) -> None:
        assert pick_track_record(own, self.OVERALL) is own


class TestTheRulesInForce:
    def rule_under(self, rule: Rule, found: TrackRecord, **review: Any) -> Rule:
        configuration = Config.model_validate({"review": review})
        return apply_maturity(RuleSet({rule.id: rule}), {rule.id: found}, configuration).rules[
            rule.id
        ]

    def test_have_the_maturity_that_they_earned(self) -> None:
        rule = a_rule(maturity=EXPERIMENTAL)
        earned = self.rule_under(rule, TrackRecord(STABLE))
        assert earned.maturity is STABLE
        assert earned.revision == rule.revision

    def test_keep_what_is_written_while_nothing_has_moved(self) -> None:
        rule = a_rule(maturity=EXPERIMENTAL)
        assert self.rule_under(rule, TrackRecord(None, START, OutcomeCounts(5, 0))) is rule

    def test_keep_what_is_written_where_they_are_pinned(self) -> None:
        rule = a_rule(maturity=EXPERIMENTAL, pin=True)
        assert self.rule_under(rule, TrackRecord(STABLE)) is rule

    def test_keep_what_is_written_where_the_record_only_proposes(self) -> None:
        rule = a_rule(maturity=EXPERIMENTAL)
        assert self.rule_under(rule, TrackRecord(STABLE), maturity="propose") is rule


def test_evidence_belongs_to_what_a_rule_demands() -> None:
    rule = a_rule()
    assert a_rule(maturity=EXPERIMENTAL, pin=True).revision == rule.revision
    assert a_rule(rationale="Better put.", tags=("x",)).substance == rule.substance
    assert a_rule(rationale="Better put.").revision != rule.revision
    assert a_rule(statement="Another.").substance != rule.substance
