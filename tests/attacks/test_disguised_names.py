"""A pull request that calls a thing by another name than its rule does."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import Town

CONFIGURATION = "version: 1\npacks: [engineering]\nreview: {needs_confirmation: neutral}\n"


async def conclude(town: Town, app: App, files: dict[str, str]) -> tuple[str | None, str]:
    """What the check says of a pull request with these files, and in which words."""
    actions.push(town.repository, "main", {".github/jurat.yml": CONFIGURATION})
    pull = town.open(files)
    await town.settle(app)
    check = town.check(pull)
    return check.conclusion, f"{check.title} {check.summary} {check.text}"


@attack(
    "a fork's author",
    tries="turn certificates off through an import's alias",
    gets="the failure that the plain name gets",
)
async def test_an_alias_hides_no_name(town: Town, app: App) -> None:
    code = "from requests import get as fetch\n\nfetch(URL, timeout=9, verify=False)\n"
    conclusion, said = await conclude(town, app, {"a.py": code})
    assert conclusion == "failure"
    assert "py.tls-verify-off" in said


@attack(
    "a fork's author",
    tries="turn certificates off through getattr and a second name",
    gets="the failure that the plain name gets",
)
async def test_a_second_name_hides_no_name(town: Town, app: App) -> None:
    code = (
        'import requests as old\n\nmake = getattr(old, "get")\nmake(URL, timeout=9, verify=False)\n'
    )
    conclusion, said = await conclude(town, app, {"a.py": code})
    assert conclusion == "failure"
    assert "py.tls-verify-off" in said


@attack(
    "a fork's author",
    tries="take a token without its signature by a name that destructuring gave",
    gets="the failure that the plain name gets",
)
async def test_destructuring_hides_no_name(town: Town, app: App) -> None:
    code = (
        'const { verify: read } = require("jsonwebtoken");\n'
        'read(token, "", { algorithms: ["none"] });\n'
    )
    conclusion, said = await conclude(town, app, {"a.js": code})
    assert conclusion == "failure"
    assert "js.jwt-unverified" in said


@attack(
    "a fork's author",
    tries="build its own code with the repository's secrets, in a workflow on pull_request_target",
    gets="the failure, before anybody merges the workflow",
)
async def test_a_workflow_checks_out_a_stranger(town: Town, app: App) -> None:
    code = (
        "on: [pull_request_target]\njobs:\n  build:\n    steps:\n"
        "      - uses: actions/checkout@v4\n        with:\n"
        "          ref: ${{ github.event.pull_request.head.sha }}\n      - run: make\n"
    )
    conclusion, said = await conclude(town, app, {".github/workflows/build.yml": code})
    assert conclusion == "failure"
    assert "actions.checkout-of-stranger" in said
