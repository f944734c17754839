"""An author who finds a text at which Jurat itself fails, or that takes too long."""

from __future__ import annotations

import time

import pytest

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import App, build_app
from jurat.engine import code_scan
from jurat.source.parser_pool import ParserPool
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.town import Town

CONFIGURATION = {".github/jurat.yml": "version: 1\npacks: [engineering]\n"}
CODE = "def add(a, b):\n    return eval(a) + b\n"


def _open(town: Town) -> PullRequest:
    actions.push(town.repository, "main", CONFIGURATION)
    actions.push(town.repository, "fix", {"shop/sum.py": CODE})
    return actions.open_pull_request(town.repository, head="fix")


def _fail(*_: object) -> None:
    message = "a secret of the machine"
    raise RuntimeError(message)


def _sleep(*_: object) -> None:
    time.sleep(60)


@attack(
    "a fork's author",
    tries="write a text at which a rule fails with an error of the program's own",
    gets="a check that waits for a person and says which file was not read; nothing of the error",
)
async def test_a_file_at_which_a_rule_fails(
    town: Town, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull = _open(town)
    monkeypatch.setattr(code_scan, "scan_file", _fail)
    await town.settle(app)
    check = town.check(pull)
    said = f"{check.summary} {check.text}"
    assert check.conclusion == "action_required"
    assert "shop/sum.py" in said
    assert "secret of the machine" not in said


@attack(
    "a fork's author",
    tries="write a text that takes longer than a file may",
    gets="a check that waits for a person and says so of that file",
)
async def test_a_file_that_takes_too_long(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    pull = _open(town)
    monkeypatch.setattr(code_scan, "scan_file", _sleep)
    with ParserPool(1, deadline=1) as pool:
        async with (
            build_app(town.settings, write_interval=0.0, parse_map=pool) as app,
            serve_http(town.settings, app, sleep=town.pause) as url,
        ):
            town.github.webhook_url = url + town.settings.webhook_path
            await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert "took longer than 1 seconds" in f"{check.summary} {check.text}"
