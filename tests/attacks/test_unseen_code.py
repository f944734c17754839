"""An author who puts a fault where a reader of single files, or of known endings, does not look."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.town import Town

CONFIGURATION = {".github/jurat.yml": "version: 1\npacks: [engineering]\n"}
VIEWS = """\
from flask import Flask, request
from shop.io import read
app = Flask(__name__)

@app.route("/x")
def show():
    return read(request.args["a"])
"""
READS = 'def read(name):\n    return open("/srv/" + name).read()\n'
COMPONENT = """\
<template><p>{{ sum }}</p></template>
<script>
import { exec } from "child_process";
export const list = (req) => exec("ls " + req.query.folder);
</script>
"""


async def _review(town: Town, app: App, head: dict[str, str]) -> PullRequest:
    actions.push(town.repository, "main", CONFIGURATION)
    actions.push(town.repository, "fix", head)
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    return pull


def _list_places(pull: PullRequest) -> set[tuple[str, int | None]]:
    return {(item.anchor.path, item.anchor.line) for item in pull.review_comments}


@attack(
    "a fork's author",
    tries="split a fault over two files of one change, each of which is fine alone",
    gets="the failure, where the value ends, if the way goes by names that the files import from"
    " each other and by no more than eight files; of files that the change does not touch nothing"
    " is known",
)
async def test_half_of_a_fault_in_each_of_two_files(town: Town, app: App) -> None:
    pull = await _review(town, app, {"shop/views.py": VIEWS, "shop/io.py": READS})
    assert town.check(pull).conclusion == "failure"
    assert ("shop/io.py", 2) in _list_places(pull)


@attack(
    "a fork's author",
    tries="write a script into a Vue, Svelte or Astro component",
    gets="the failure, on its own line; what markup computes is read by no rule about code, and"
    " the check says so",
)
async def test_a_script_inside_of_a_component(town: Town, app: App) -> None:
    pull = await _review(town, app, {"web/List.vue": COMPONENT})
    assert town.check(pull).conclusion == "failure"
    assert ("web/List.vue", 4) in _list_places(pull)
