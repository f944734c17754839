"""The report of a run: what is printed, compared and stored. It holds no time and no chance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal, NoReturn

from pydantic import TypeAdapter, ValidationError

from jurat.audit.checklist import sum_capped
from jurat.errors import FileError, UsageError
from jurat.probes.metrics import RunMetrics, aggregate_metrics
from jurat.probes.observability import MIN_CASES, Observability, Observe
from jurat.probes.paired import MAX_REPEATS, PairedTest, TrialCount, compare_trials
from jurat.probes.probe import ProbeSet
from jurat.probes.scoring import PASS_BELOW, CaseScore, score_response
from jurat.probes.twins import TwinGroup, build_group
from jurat.source.strict_json import format_key_path

# What became worse from one run to the next: a gate for a change of prompt or model.

DEFAULT_TOLERANCE = 0.02
"""What a rate may worsen by: with the shipped probes three of medium severity, and none of high."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A rate in both runs, and whether it is worse by more than the tolerance."""

    name: str
    old: float
    new: float
    worse: bool


@dataclass(frozen=True, slots=True)
class CategoryShift:
    """The passes of one category in both runs, of the same `n` cases."""

    category: str
    n: int
    old_passed: int
    new_passed: int

    @property
    def worse(self) -> bool:
        """Whether fewer pass than before."""
        return self.new_passed < self.old_passed


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same probes, over the cases that both hold.

    `rates` are those that gate. `newly_failed` and `newly_passed` are probe ids; `lost` are probes
    that the old run had a response to and the new one has not, which gate too: a probe that was not
    run has passed nothing.
    """

    n: int
    tolerance: float
    rates: tuple[Shift, ...]
    categories: tuple[CategoryShift, ...]
    newly_failed: tuple[CaseScore, ...]
    newly_passed: tuple[CaseScore, ...]
    lost: tuple[str, ...]
    old: RunMetrics
    new: RunMetrics
    paired: PairedTest

    @property
    def worse(self) -> bool:
        """Whether the new run must not take the old one's place."""
        # With too few repeats to test anything the rates stand for themselves.
        rates = not self.paired.tested and any(rate.worse for rate in self.rates)
        return bool(self.lost) or rates or self.paired.is_worse(self.tolerance)


def compare_reports(old: Report, new: Report, tolerance: float = DEFAULT_TOLERANCE) -> Comparison:
    """Compare a new run with an old one. The figures are counted anew from the cases.

    Raises UsageError for runs of different probes or thresholds, and if the old one holds no
    case.
    """
    # An easier set of probes would look like a better judge.
    if old.meta.probe_digest != new.meta.probe_digest:
        raise UsageError(
            "The two runs are of different probes, so their figures do not compare.",
            hint="Run the old judge on the new probes as well.",
        )
    if old.meta.pass_below != new.meta.pass_below:
        raise UsageError(
            f"The old run passes below a risk of {old.meta.pass_below:g} and the new one below"
            f" {new.meta.pass_below:g}, so their figures do not compare.",
            hint="Run the old judge once more.",
        )
    before = {case.probe_id: case for case in old.cases}
    after = {case.probe_id: case for case in new.cases}
    if not before:
        raise UsageError("The old run holds no case, so there is nothing to compare with.")
    if strange := next((item for item in before if _is_another(before[item], after.get(item))), ""):
        raise UsageError(
            f"The runs know {strange!r} by other categories or severities: they do not compare.",
            hint="Run the old judge once more.",
        )
    # Over the same cases alone: one that was not run must not improve a rate by its absence.
    shared = [probe_id for probe_id in before if probe_id in after]
    was = aggregate_metrics([before[item] for item in shared], groups=old.meta.twins)
    now = aggregate_metrics([after[item] for item in shared], groups=new.meta.twins)
    return Comparison(
        n=len(shared),
        tolerance=tolerance,
        rates=_compare_rates(was, now, tolerance),
        categories=_compare_categories(
            [before[probe_id] for probe_id in shared], [after[probe_id] for probe_id in shared]
        ),
        newly_failed=tuple(
            after[item] for item in shared if before[item].passed and not after[item].passed
        ),
        newly_passed=tuple(
            after[item] for item in shared if after[item].passed and not before[item].passed
        ),
        lost=tuple(probe_id for probe_id in before if probe_id not in after),
        old=was,
        new=now,
        paired=compare_trials(
            _count_trials(old), _count_trials(new), {item: after[item].severity for item in shared}
        ),
    )


def _is_another(old: CaseScore, new: CaseScore | None) -> bool:
    return new is not None and (old.category, old.severity) != (new.category, new.severity)


def _count_trials(report: Report) -> dict[str, TrialCount]:
    once = {
        case.probe_id: TrialCount(case.probe_id, 1, int(not case.passed)) for case in report.cases
    }
    return once | {item.probe_id: item for item in report.meta.trials}


def _compare_rates(was: RunMetrics, now: RunMetrics, tolerance: float) -> tuple[Shift, ...]:
    passed = (was.overall.severity_weighted_pass_rate, now.overall.severity_weighted_pass_rate)
    failed = (was.overall.high_stakes_failure_rate, now.overall.high_stakes_failure_rate)
    return (
        Shift("severity_weighted_pass_rate", *passed, _is_beyond(passed[0] - passed[1], tolerance)),
        Shift("high_stakes_failure_rate", *failed, _is_beyond(failed[1] - failed[0], tolerance)),
    )


def _is_beyond(loss: float, tolerance: float) -> bool:
    # Rates have 4 places; their difference, in binary, has a few more at its end.
    return round(loss, 4) > tolerance


def _compare_categories(
    old: Sequence[CaseScore], new: Sequence[CaseScore]
) -> tuple[CategoryShift, ...]:
    return tuple(
        CategoryShift(
            name,
            sum(case.category == name for case in old),
            sum(case.passed for case in old if case.category == name),
            sum(case.passed for case in new if case.category == name),
        )
        for name in sorted({case.category for case in old})
    )


NO_RESPONSE = "no response was given"


@dataclass(frozen=True, slots=True)
class NotRun:
    """A probe without a response, and why. It counts as not run, never as passed."""

    probe_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunResponses:
    """What a responder gave: responses by probe id, and for some of the others why there is none.

    `model` and `prompt_digest` say who was asked with which prompts; None for recorded responses.
    `repeats` are further responses to a probe, or to one of its twins, that was asked again.
    """

    responder: Literal["judge", "responses"]
    responses: Mapping[str, str]
    unanswered: Mapping[str, str]
    model: str | None = None
    prompt_digest: str | None = None
    repeats: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def list_responses(self, probe_id: str) -> list[str]:
        """All responses to a probe that are not blank, the first first."""
        given = (self.responses.get(probe_id, ""), *self.repeats.get(probe_id, ()))
        return [response for response in given if response.strip()]


@dataclass(frozen=True, slots=True)
class Meta:
    """What was probed, how. `pass_below` is the threshold of the risk.

    `trials` are the probes that were asked more than once, `twins` the groups of which all four
    were answered.
    """

    responder: Literal["judge", "responses"]
    model: str | None
    prompt_digest: str | None
    probe_digest: str
    pass_below: float
    not_run: tuple[NotRun, ...]
    version: Literal[1] = 1
    trials: tuple[TrialCount, ...] = ()
    twins: tuple[TwinGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run. `observability` is None below MIN_CASES cases, and if nobody computes it."""

    cases: tuple[CaseScore, ...]
    metrics: RunMetrics
    observability: Observability | None
    meta: Meta


def build_report(
    probes: ProbeSet, collected: RunResponses, observe: Observe | None = None
) -> Report:
    """Score what was heard, and aggregate it. A blank response is none.

    Of a probe that was asked several times the case is the one with the median risk, the higher of
    two: it has passed if most have.
    """
    cases: list[CaseScore] = []
    not_run: list[NotRun] = []
    trials: list[TrialCount] = []
    for probe in probes.probes:
        scored = [score_response(probe, item) for item in collected.list_responses(probe.id)]
        if not scored:
            not_run.append(NotRun(probe.id, collected.unanswered.get(probe.id, NO_RESPONSE)))
            continue
        scored.sort(key=lambda case: case.risk_score)
        cases.append(scored[len(scored) // 2])
        if len(scored) > 1:
            failed = sum(not case.passed for case in scored)
            trials.append(TrialCount(probe.id, len(scored), failed))
    groups = [
        group
        for probe in probes.probes
        if (group := build_group(probe, collected.list_responses)) is not None
    ]
    return Report(
        cases=tuple(cases),
        metrics=aggregate_metrics(cases, not_run=len(not_run), groups=groups),
        observability=observe(cases) if observe and len(cases) >= MIN_CASES else None,
        meta=Meta(
            collected.responder,
            collected.model,
            collected.prompt_digest,
            probes.digest,
            PASS_BELOW,
            tuple(not_run),
            trials=tuple(trials),
            twins=tuple(groups),
        ),
    )


def to_json(report: Report) -> dict[str, Any]:
    """The report as JSON has it, with the names of its fields."""
    return asdict(report)


def render_json(report: Report) -> str:
    """The report as JSON text: the same report gives the same bytes."""
    text = json.dumps(to_json(report), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


@cache
def _get_report_adapter() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def from_json(value: object) -> Report:
    """The report that `to_json` gave. Raises ValueError on anything else."""
    return _get_report_adapter().validate_python(value)


def _refuse_constant(constant: str) -> NoReturn:
    # A rate that is not a number is not worse than any other.
    problem = f"{constant} is not a number"
    raise ValueError(problem)


def parse_report(path: str, text: str) -> Report:
    """The report in the text of the file `path`.

    Raises FileError if it is none, and if no run can have given it: a gate must not pass on a
    case that stands twice, or on a pass beside a high risk.
    """
    hint = "Make one with: jurat probe run --format json --output FILE"
    try:
        report = from_json(json.loads(text, parse_constant=_refuse_constant))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        message = first["msg"]
        problem = f"is no report of a probe run: {message[:1].lower()}{message[1:]}."
        raise FileError(path, 0, format_key_path(first["loc"]), problem, hint=hint) from None
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg}."
        raise FileError(path, error.lineno, "", problem, hint=hint) from None
    except (ValueError, RecursionError):
        raise FileError(path, 0, "", "is no report of a probe run.", hint=hint) from None
    if contradiction := _find_contradiction(report):
        raise FileError(path, 0, "cases", contradiction, hint=hint)
    return report


def _find_contradiction(report: Report) -> str:
    """What of a report's cases cannot be; "" if all can."""
    seen: set[str] = set()
    for case in report.cases:
        if case.probe_id in seen:
            return f"{case.probe_id!r} stands twice."
        seen.add(case.probe_id)
        given = (case.passed, case.severity_weight, case.weighted_risk)
        weight = case.severity.weight
        follows = (
            case.risk_score < report.meta.pass_below,
            weight,
            sum_capped((case.risk_score * weight,)),
        )
        hits = (case.safe_signal_hits, case.unsafe_signal_hits)
        labels = (len(case.matched_safe_patterns), len(case.matched_unsafe_patterns))
        if not 0 <= case.risk_score <= 1 or given != follows or hits != labels:
            return f"the figures of {case.probe_id!r} contradict each other."
    passed = {case.probe_id: case.passed for case in report.cases}
    for named in (report.meta.trials, report.meta.twins):
        if len({item.probe_id for item in named}) < len(named):
            return "the trials or twins of a probe stand twice."
    for group in report.meta.twins:
        shares = (group.faulty, group.sound, group.clean_faulty, group.clean_sound)
        if group.probe_id not in passed or not all(0 <= share <= 1 for share in shares):
            return f"the twins of {group.probe_id!r} contradict its case."
    for item in report.meta.trials:
        # The case is the median: a gate must not hear of passes that its cases do not show.
        known = item.probe_id in passed and 0 <= item.failed <= item.n <= MAX_REPEATS
        if not known or passed[item.probe_id] is (2 * item.failed >= item.n):
            return f"the trials of {item.probe_id!r} contradict its case."
    return ""
