"""The document's examples are what a server answers, and a client made from it works."""

from __future__ import annotations

import json
from typing import Any

import aiopenapi3
import httpx2  # what it speaks through
import pytest
from jsonschema import Draft202012Validator

from jurat.server.api import ROUTES
from jurat.server.openapi import PREFIX, build_openapi
from jurat.store.evaluations import Store
from tests.server.conftest import AUTHORIZED, TOKEN, Served, build_services, connected
from tests.server.examples import ASKED, FILE, collect_examples

DOCUMENT = build_openapi(ROUTES)


async def test_each_example_is_what_a_server_answers(store: Store) -> None:
    async with connected(build_services(store), store, rules={}) as api:
        made = await collect_examples(api, store)
    assert made == json.loads(FILE.read_text())


def _contents() -> list[Any]:
    found = []
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            places = {"request": operation.get("requestBody"), **operation["responses"]}
            for name, place in places.items():
                if place is not None and path != f"{PREFIX}/openapi.json":
                    (content,) = place["content"].values()
                    found.append(pytest.param(content, id=f"{method} {path} {name}"))
    return found


@pytest.mark.parametrize("content", _contents())
def test_each_request_answer_and_refusal_has_an_example_that_fits(content: Any) -> None:
    schema = {**content["schema"], "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(content["example"])


def test_each_operation_has_its_example() -> None:
    assert set(ASKED) == {route.name for route in ROUTES} - {"openapi"}


@pytest.fixture(scope="module")
def client(served: Served) -> aiopenapi3.OpenAPI:
    """A client that was made from nothing but the document."""
    where = f"{served.url}{PREFIX}/openapi.json"
    with httpx2.Client(headers=dict(AUTHORIZED)) as session:
        document = session.get(where).text
    made = aiopenapi3.OpenAPI.loads(where, document, session_factory=httpx2.Client)
    made.authenticate(token=TOKEN)
    return made


def test_a_generated_client_evaluates_looks_up_and_pages(client: aiopenapi3.OpenAPI) -> None:
    call = client._  # its operations by name
    _, _, request = ASKED["evaluate"]
    said = call.evaluate(data=request)
    assert (said.overall_verdict, said.violations[0].rule_id) == ("DENY", "py.weak-hash")
    found = call.evaluation(parameters={"evaluation_id": said.evaluation_id})
    assert found.about.repository == "acme/shop"
    listed = call.list_evaluations(parameters={"repository": "acme/shop"})
    assert [item.evaluation_id for item in listed.items] == [said.evaluation_id]
    first = call.list_rules(parameters={"limit": 3})
    second = call.list_rules(parameters={"limit": 3, "after": first.next})
    assert first.items[-1].rule_id < second.items[0].rule_id


def test_a_generated_client_reads_a_problem(client: aiopenapi3.OpenAPI) -> None:
    with pytest.raises(aiopenapi3.errors.HTTPClientError) as refused:
        client._.list_rules(parameters={"after": "x"})
    problem = json.loads(refused.value.data)
    assert (problem["status"], problem["type"].rpartition("#")[2]) == (422, "invalid")
