"""The report of a run: what is printed, compared and stored. It holds no time and no chance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, NoReturn

from pydantic import TypeAdapter, ValidationError

from bot.errors import FileError
from bot.probes.metrics import Metrics, aggregate_metrics
from bot.probes.observability import MIN_CASES, Observability, Observe
from bot.probes.probe import ProbeSet
from bot.probes.scoring import PASS_BELOW, CaseScore, score
from bot.rationale.arithmetic import capped_sum
from bot.subjects.key_paths import dotted

NO_RESPONSE = "no response was given"


@dataclass(frozen=True, slots=True)
class NotRun:
    """A probe without a response, and why. It counts as not run, never as passed."""

    probe_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What a responder gave: responses by probe id, and for some of the others why there is none.

    `model` and `prompt_digest` say who was asked with which prompts; None for recorded responses.
    """

    responder: Literal["judge", "responses"]
    responses: Mapping[str, str]
    unanswered: Mapping[str, str]
    model: str | None = None
    prompt_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Meta:
    """What was probed, how. `pass_below` is the threshold of the risk."""

    responder: Literal["judge", "responses"]
    model: str | None
    prompt_digest: str | None
    probe_digest: str
    pass_below: float
    not_run: tuple[NotRun, ...]
    version: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run. `observability` is None below MIN_CASES cases, and where nobody computes it."""

    cases: tuple[CaseScore, ...]
    metrics: Metrics
    observability: Observability | None
    meta: Meta


def build_report(probes: ProbeSet, heard: Heard, observe: Observe | None = None) -> Report:
    """Score what was heard, and aggregate it. A blank response is none."""
    cases: list[CaseScore] = []
    not_run: list[NotRun] = []
    for probe in probes.probes:
        response = heard.responses.get(probe.id, "")
        if response.strip():
            cases.append(score(probe, response))
        else:
            not_run.append(NotRun(probe.id, heard.unanswered.get(probe.id, NO_RESPONSE)))
    return Report(
        cases=tuple(cases),
        metrics=aggregate_metrics(cases, not_run=len(not_run)),
        observability=observe(cases) if observe and len(cases) >= MIN_CASES else None,
        meta=Meta(
            heard.responder,
            heard.model,
            heard.prompt_digest,
            probes.digest,
            PASS_BELOW,
            tuple(not_run),
        ),
    )


def report_to_json(report: Report) -> dict[str, Any]:
    """The report as JSON has it, with the names of its fields."""
    return asdict(report)


def report_text(report: Report) -> str:
    """The report as JSON text: the same report gives the same bytes."""
    text = json.dumps(report_to_json(report), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


@cache
def _reports() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def report_from_json(value: object) -> Report:
    """The report that `report_to_json` gave. Raises ValueError on anything else."""
    return _reports().validate_python(value)


def _refuse(constant: str) -> NoReturn:
    # A rate that is not a number is not worse than any other.
    problem = f"{constant} is not a number"
    raise ValueError(problem)


def parse_report(path: str, text: str) -> Report:
    """The report in the text of the file `path`.

    Raises FileError where it is none, and where no run can have given it: a gate must not pass on a
    case that stands twice, or on a pass beside a high risk.
    """
    hint = "Make one with: bylaw probe run --format json --output FILE"
    try:
        report = report_from_json(json.loads(text, parse_constant=_refuse))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        message = first["msg"]
        problem = f"is no report of a probe run: {message[:1].lower()}{message[1:]}."
        raise FileError(path, 0, dotted(first["loc"]), problem, hint=hint) from None
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg}."
        raise FileError(path, error.lineno, "", problem, hint=hint) from None
    except (ValueError, RecursionError):
        raise FileError(path, 0, "", "is no report of a probe run.", hint=hint) from None
    if contradiction := _contradiction(report):
        raise FileError(path, 0, "cases", contradiction, hint=hint)
    return report


def _contradiction(report: Report) -> str:
    """What of a report's cases cannot be; "" where all can."""
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
            capped_sum((case.risk_score * weight,)),
        )
        if not 0 <= case.risk_score <= 1 or given != follows:
            return f"the figures of {case.probe_id!r} contradict each other."
    return ""
