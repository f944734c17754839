"""docs/api.md: every command on the page is sent, and answered as the page says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jurat.server.api import ROUTES
from jurat.server.api_http import CODES, MAX_BODY
from jurat.server.api_lists import MAX_PAGE
from jurat.server.api_queue import MAX_AT_ONCE, MAX_WAITING
from jurat.server.api_requests import MAX_DEPTH, MAX_DIFF, MAX_FILES, EvaluateRequest
from jurat.store.evaluations import Store
from tests.server.conftest import TOKEN, Client, build_services, connected

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
STEPS = re.findall(r"```bash\n(.*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)


def _matches(shown: Any, said: Any) -> bool:
    """Whether an answer holds what the page shows of it.

    "…" stands for any value, an object may have more keys, and a list more items unless it is
    shown as empty.
    """
    if shown == "…":
        return said is not None
    if isinstance(shown, dict):
        return all(key in said and _matches(value, said[key]) for key, value in shown.items())
    if isinstance(shown, list):
        few = len(shown) <= len(said) if shown else not said
        return few and all(_matches(*pair) for pair in zip(shown, said, strict=False))
    return bool(shown == said)


@pytest.fixture
async def api(store: Store) -> AsyncIterator[Client]:
    """A server as it is installed, without rules of its own."""
    async with connected(build_services(store), store, rules={}) as client:
        yield client


async def test_every_command_is_answered_as_the_page_says(api: Client) -> None:
    assert len(STEPS) == PAGE.count("```bash") >= len(ROUTES)
    values = {"JURAT": "", "JURAT_API_TOKEN": TOKEN, "EVALUATION_ID": ""}
    for command, shown in STEPS:
        for name in sorted(values, key=len, reverse=True):
            command = command.replace(f"${name}", values[name])  # noqa: PLW2901 - the same command
        name, target, *options = shlex.split(command.replace("\\\n", " "))
        given = list(zip(options[::2], options[1::2], strict=True))
        headers = dict(value.split(": ", 1) for option, value in given if option == "-H")
        bodies = [value for option, value in given if option == "-d"]
        assert name == "curl"
        answer = await api.http.request(
            "POST" if bodies else "GET",
            target,
            headers=headers,
            data=bodies[0].encode() if bodies else None,
        )
        said = await answer.json()
        assert _matches(json.loads(shown), said), (command, said)
        values["EVALUATION_ID"] = values["EVALUATION_ID"] or said.get("evaluation_id", "")


def test_the_page_names_every_route_field_and_error() -> None:
    for route in ROUTES:
        assert f"/api/v1{route.path}" in PAGE
    for name in EvaluateRequest.model_fields:
        assert f"`{name}`" in PAGE
    codes = dict(re.findall(r'^\| (\d+) \| <a id="\w+"></a>`(\w+)` \|', PAGE, re.MULTILINE))
    assert codes == {str(status): code for status, code in CODES.items() if status != 500}


def test_the_page_names_the_limits_as_they_are() -> None:
    assert f"up to {MAX_DIFF:,} characters" in PAGE
    assert f"up to {MAX_FILES:,} " in PAGE
    assert f"up to {MAX_DEPTH} levels deep" in PAGE
    assert f"larger than {MAX_BODY >> 20} MB" in PAGE
    assert f"{MAX_AT_ONCE} evaluations are under way at once, and {MAX_WAITING} more wait" in PAGE
    assert f"at most {MAX_PAGE}" in PAGE
