"""The checker itself: it covers every endpoint, and what it checks it checks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.standins.github import StandIn, actions
from tests.standins.github.routes import all_routes
from tests.standins.github.world import Event
from tests.support.github import Client
from tests.support.schema import (
    ANSWERS,
    GRAPHQL,
    REQUESTS,
    answer_problems,
    assert_valid_traffic,
    event_problems,
    problems,
)


def test_every_endpoint_is_described() -> None:
    every = {(route.method, route.pattern) for route in all_routes().routes}
    # GraphQL answers by a schema of its own, against which it holds what it is asked.
    served = {item for item in every if not item[1].endswith(GRAPHQL)}
    assert served == set(ANSWERS)
    assert set(REQUESTS) <= served


@pytest.fixture
async def pull_event(github: StandIn, client: Client) -> Event:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    actions.open_pull_request(repository, head="fix", by="ann")
    await client.get("/repos/acme/payments/pulls/1")
    return github.outbox[-1]


def test_a_missing_an_ill_typed_and_an_unknown_field_are_found(
    github: StandIn, pull_event: Event
) -> None:
    exchange = github.exchanges[-1]
    expected = ANSWERS[exchange.method, exchange.route]
    assert answer_problems(exchange) == []
    for place, broken in _broken(exchange.answered):
        assert problems(expected, broken), place
    for place, broken in _broken(pull_event.payload["pull_request"]):
        payload = pull_event.payload | {"pull_request": broken}
        assert event_problems(Event("1", "pull_request", payload)), place


def _broken(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in ("id", "user", "head"):
        without = copy.deepcopy(body)
        del without[name]
        yield f"without {name}", without
        yield f"{name} ill-typed", copy.deepcopy(body) | {name: ["?"]}
    deep = copy.deepcopy(body)
    deep["head"]["repo"]["invented"] = 1
    yield "an unknown field inside", deep


async def test_requests_are_checked_as_well(
    github: StandIn, pull_event: Event, client: Client
) -> None:
    path = "/repos/acme/payments/issues/1/comments"
    await client.post(path, {"body": "x", "colour": "red"})
    with pytest.raises(AssertionError, match="request: colour: unknown"):
        assert_valid_traffic(github)
    del github.exchanges[-1]
    await client.ask("GET", path, {"body": "a GET has none"})
    with pytest.raises(AssertionError, match="no body belongs here"):
        assert_valid_traffic(github)
    del github.exchanges[-1]
