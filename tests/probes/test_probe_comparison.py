"""The gate: which changes from one run to the next are worse, and which are not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.errors import FileError, UsageError
from jurat.probes.probe import ProbeSeverity
from jurat.probes.report import Report, compare_reports, parse_report, render_json
from tests.support.probes import BAD, GOOD, a_probe, a_run

TIERS = [ProbeSeverity.LOW] * 4 + [ProbeSeverity.HIGH] * 4
PROBES = [a_probe(f"p{n}", severity=tier, category=tier.value) for n, tier in enumerate(TIERS)]


def run(*failed: int, silent: tuple[int, ...] = ()) -> Report:
    """A run of eight probes, the first four low and the others high, of which some fail."""
    answers = {f"p{n}": BAD if n in failed else GOOD for n in range(8) if n not in silent}
    return a_run(*PROBES, **answers)


def test_a_run_is_not_worse_than_itself() -> None:
    found = compare_reports(run(1, 5), run(1, 5))
    assert not found.worse
    assert (found.newly_failed, found.newly_passed, found.lost) == ((), (), ())


def test_a_failure_of_high_severity_is_worse_by_both_rates() -> None:
    found = compare_reports(run(), run(6))
    assert found.worse
    assert [(rate.name, rate.old, rate.new, rate.worse) for rate in found.rates] == [
        ("severity_weighted_pass_rate", 1.0, round(5 / 6, 4), True),
        ("high_stakes_failure_rate", 0.0, 0.25, True),
    ]
    assert [case.probe_id for case in found.newly_failed] == ["p6"]
    assert [item.category for item in found.categories if item.worse] == ["high"]


def test_the_tolerance_is_what_a_rate_may_worsen_by() -> None:
    # One of low severity is 0.5 of 6 in all: 0.0833.
    assert compare_reports(run(), run(0), tolerance=0.05).worse
    assert not compare_reports(run(), run(0), tolerance=0.0833).worse
    assert compare_reports(run(), run(0), tolerance=0.0832).worse


def test_a_better_run_is_not_worse_though_one_probe_fails_anew() -> None:
    found = compare_reports(run(5, 6), run(0))
    assert not found.worse
    assert [case.probe_id for case in found.newly_passed] == ["p5", "p6"]
    assert [item.category for item in found.categories if item.worse] == ["low"]


def test_a_probe_that_is_not_run_any_more_is_worse() -> None:
    found = compare_reports(run(6), run(silent=(6,)))
    assert found.worse
    assert found.lost == ("p6",)
    assert not any(rate.worse for rate in found.rates)
    assert found.n == 7


def test_a_probe_that_was_not_run_before_is_left_out() -> None:
    found = compare_reports(run(silent=(6,)), run(6))
    assert not found.worse
    assert found.n == 7


@given(st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)))
def test_a_further_failure_never_makes_a_run_less_bad(before: set[int], after: set[int]) -> None:
    if compare_reports(run(*before), run(*after)).worse:
        assert compare_reports(run(*before), run(*after, 7)).worse


def test_runs_of_different_probes_do_not_compare() -> None:
    with pytest.raises(UsageError, match="of different probes"):
        compare_reports(run(), a_run(*PROBES[:7]))


def test_a_run_without_a_case_is_nothing_to_compare_with() -> None:
    silent = run(silent=tuple(range(8)))
    with pytest.raises(UsageError, match="holds no case"):
        compare_reports(silent, run())
    assert compare_reports(run(), silent).worse


def test_a_report_is_read_back_as_it_was_written(reports: dict[str, Report]) -> None:
    for report in (*reports.values(), run(2), a_run()):
        assert parse_report("r.json", render_json(report)) == report


def test_a_figure_that_is_no_number_lets_nothing_pass() -> None:
    text = render_json(run()).replace('"severity_weight": 1.0', '"severity_weight": NaN')
    with pytest.raises(FileError, match="is no report"):
        parse_report("r.json", text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "r.json:1: is not valid JSON"),
        ("[]", "r.json: is no report of a probe run"),
        ("{}", "r.json: cases: is no report of a probe run"),
        ('{"cases": []}', "is no report of a probe run"),
        ('{"cases": [NaN]}', "is no report of a probe run"),
        ("[" * 100_000, "is no report of a probe run"),
    ],
)
def test_what_is_no_report_is_said_with_how_to_make_one(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_report("r.json", text)
    assert message in str(caught.value)
    assert "jurat probe run --format json --output FILE" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"passed": True},
        {"severity_weight": 0.0},
        {"severity_weight": 1e999},
        {"weighted_risk": 0.0},
        {"risk_score": -1.0, "weighted_risk": 0.0, "passed": True},
    ],
)
def test_a_report_whose_figures_contradict_each_other_is_refused(change: dict[str, object]) -> None:
    report = json.loads(render_json(run(6)))
    report["cases"][6] |= change
    with pytest.raises(FileError, match="'p6' contradict each other"):
        parse_report("r.json", json.dumps(report).replace("Infinity", "1e999"))


def test_a_report_with_a_case_twice_is_refused() -> None:
    report = json.loads(render_json(run(6)))
    report["cases"] += json.loads(render_json(run()))["cases"]
    with pytest.raises(FileError, match="'p0' stands twice"):
        parse_report("r.json", json.dumps(report))


def test_runs_that_pass_at_different_risks_do_not_compare() -> None:
    new = run()
    lax = replace(new, meta=replace(new.meta, pass_below=0.9))
    with pytest.raises(UsageError, match=r"below a risk of 0\.4 and the new one below 0\.9"):
        compare_reports(run(), lax)
