"""The OpenAPI document is true: of the router, of the answers, and under fire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import schemathesis
from aiohttp import web
from hypothesis import HealthCheck, Phase, given, settings
from openapi_spec_validator import validate
from schemathesis import Case, Config, GenerationMode
from schemathesis.checks import negative_data_rejection, positive_data_acceptance

from jurat.facts.context import TERMS, Surface
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Location
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import DecidedBy, NotAssessedReason, UnreadFile, Verdict
from jurat.reports.answer import EvaluationAnswer
from jurat.reports.finding_answer import LocationAnswer
from jurat.rules.selection import OmittedRule
from jurat.server.api import ROUTES, add_api
from jurat.server.api_http import Route
from jurat.server.openapi import PREFIX, build_openapi
from jurat.store.evaluations import Store
from tests.server.conftest import AUTHORIZED, MD5, TOKEN, Client, Served, build_services
from tests.support.server import build_gate
from tests.support.values import a_fix, a_location, a_rule, a_verdict

EXAMPLES = 40
"""Requests a route that are as the document says, and as many that are not."""


def test_the_document_is_valid_openapi() -> None:
    validate(build_openapi(ROUTES))


async def test_the_document_is_served(api: Client) -> None:
    answer = await api.get("/openapi.json")
    assert await answer.json() == json.loads(json.dumps(build_openapi(ROUTES)))


def test_the_document_names_what_the_server_answers_and_nothing_else(store: Store) -> None:
    app = web.Application()
    add_api(app, build_services(store), store, gate=build_gate(TOKEN))
    served = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource is not None
    }
    described = {
        (method.upper(), path)
        for path, operations in build_openapi(ROUTES)["paths"].items()
        for method in operations
    }
    assert described == served
    assert {path for _, path in served} == {f"{PREFIX}{route.path}" for route in ROUTES}


def test_every_schema_that_is_named_is_there_and_used() -> None:
    described = build_openapi(ROUTES)
    text = json.dumps(described)
    for name in described["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text


def test_a_location_may_hold_what_some_surface_says_of_a_place() -> None:
    (everything,) = {TERMS[Surface.GENERIC].location_fields}
    # On every surface: which one it is, what brought the finding about, and a value's way to it.
    assert set(LocationAnswer.model_fields) == everything | {"surface", "cause", "steps"}


def _full() -> Evaluation:
    """An evaluation with something in every list."""
    place = Location(Surface.CONTRACT, "terms.md", 3, 3, {"clause_ref": "4.2", "offset_start": 7})
    unread = a_verdict(
        a_rule("r.unread"),
        Verdict.NOT_ASSESSED,
        decided_by=DecidedBy.NOBODY,
        gap=NotAssessedReason.UNREAD,
    )
    return Evaluation(
        "e-1",
        Verdict.DENY,
        (
            a_verdict(
                locations=(place, a_location()),
                remediations=(a_fix(),),
                fix_suggestion="Use SHA-256.",
            ),
            a_verdict(a_rule("r.sure"), Verdict.NEEDS_CONFIRMATION, model_id="flash"),
            a_verdict(a_rule("r.fine"), Verdict.ALLOW, note="Audited."),
            unread,
        ),
        Coverage(2, (UnreadFile("a.bin", "it is binary"),), 9),
        omitted=(OmittedRule(a_rule("r.beyond"), "beyond max_rules (20)"),),
        models=(ModelUsage("flash", 1, 100, 20, 350.5),),
        total_latency_ms=12.25,
        notes=("A note.",),
    )


@pytest.mark.parametrize("evaluation", [_full(), Evaluation("e", Verdict.ALLOW, (), Coverage())])
def test_an_answer_is_as_its_schema_says_and_read_back_as_it_was(evaluation: Evaluation) -> None:
    answer = EvaluationAnswer.build(evaluation)
    said = answer.to_json()
    read = EvaluationAnswer.model_validate_json(json.dumps(said), strict=True)
    assert (read, read.to_json()) == (answer, said)
    assert set(said) == set(EvaluationAnswer.model_fields)


@pytest.mark.parametrize("gap", NotAssessedReason)
def test_every_gap_can_be_told(gap: NotAssessedReason) -> None:
    verdict = a_verdict(verdict=Verdict.NOT_ASSESSED, decided_by=DecidedBy.NOBODY, gap=gap)
    (told,) = EvaluationAnswer.build(
        Evaluation("e", Verdict.ALLOW, (verdict,), Coverage())
    ).not_assessed
    assert told.gap is gap


# What breaks the schema is refused, and with the statuses that the document names for that.
CONFIG = Config.from_dict(
    {
        "checks": {
            "negative_data_rejection": {"expected-statuses": [400, 401, 404, 405, 413, 415, 422]}
        }
    }
)


@pytest.fixture(scope="module")
def described(served: Served) -> Mapping[str, Any]:
    """The operations of the served document, as schemathesis reads it."""
    url = f"{served.url}{PREFIX}/openapi.json"
    schema = schemathesis.openapi.from_url(url, config=CONFIG, headers=dict(AUTHORIZED))
    return {item.ok().label: item.ok() for item in schema.get_all_operations()}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.place != "nothing"], ids=lambda route: route.path
)
def test_no_request_gets_an_answer_that_the_document_does_not_promise(
    described: Mapping[str, Any], route: Route, mode: GenerationMode
) -> None:
    # What a schema allows is not always a diff, or a pack that there is.
    excluded = [positive_data_acceptance]
    if route.place == "query":
        # A parameter that is unknown but has no value is not sent, and so cannot be refused.
        excluded.append(negative_data_rejection)
    operation = described[f"{route.method} {PREFIX}{route.path}"]

    @settings(
        max_examples=EXAMPLES,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Case) -> None:
        case.call_and_validate(headers=dict(AUTHORIZED), excluded_checks=excluded)

    run()


async def test_what_a_real_evaluation_answers_is_as_the_document_says(api: Client) -> None:
    said = await api.evaluated(files=[{"path": "digest.py", "content": MD5}, "other.py"])
    EvaluationAnswer.model_validate_json(json.dumps(said), strict=True)
