"""The engine as a program sees it: the REST API over rules of a test's own, and nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest

from jurat.judge.gemini import GeminiJudge
from jurat.store.evaluations import Store
from tests.server.conftest import Client, build_services, connected

Raw = dict[str, Any]
Asking = Callable[..., Awaitable[Client]]


def rule(rule_id: str, **fields: Any) -> Raw:
    """A normative rule that may block, unless `fields` say otherwise."""
    return {
        "id": rule_id,
        "statement": f"{rule_id} holds.",
        "kind": "normative",
        "modality": "MUST",
        "severity": "HIGH",
        **fields,
    }


def computed(rule_id: str, *constraints: Mapping[str, Any], **fields: Any) -> Raw:
    return rule(rule_id, kind="computational", constraints=list(constraints), **fields)


@pytest.fixture
async def engine(store: Store, gemini_judge: GeminiJudge) -> AsyncIterator[Asking]:
    """Gives the API with these rules alone in force, and lookup tables beside them."""
    async with AsyncExitStack() as stack:

        async def with_rules(*rules: Raw, tables: Mapping[str, str] | None = None) -> Client:
            files = {"own/house.yml": json.dumps({"version": 1, "rules": rules}), **(tables or {})}
            services = build_services(store, gemini_judge)
            return await stack.enter_async_context(connected(services, store, rules=files))

        yield with_rules


async def judged(api: Client, **asked: Any) -> Raw:
    return await api.evaluated(packs=[], **asked)


def only(said: Raw) -> Raw:
    (found,) = said["rule_verdicts"]
    return dict(found)


def outcome(said: Raw) -> tuple[str, float, str]:
    found = only(said)
    return found["verdict"], found["confidence"], found["decided_by"]
