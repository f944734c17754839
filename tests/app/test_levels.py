"""What may keep a change from merging: webhooks in, the check and its comments out."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from jurat.app.wiring import App
from tests.standins.github import PullRequest, actions
from tests.support.rules import BROKEN, NO_MD5
from tests.support.town import Town

BASE = "version: 1\npacks: []\nrules: [policy]\n"
SHOULD = NO_MD5.replace("MUST_NOT", "SHOULD")
OBSERVED = NO_MD5.replace("severity: HIGH", "severity: HIGH\n    maturity: experimental")


@dataclass(frozen=True, slots=True)
class Case:
    configuration: str = ""
    rules: str = NO_MD5
    path: str = "digest.py"


async def review(town: Town, app: App, case: Case) -> PullRequest:
    files = {".github/jurat.yml": BASE + case.configuration, "policy/house.yml": case.rules}
    actions.push(town.repository, "main", files)
    pull = town.open({case.path: BROKEN})
    await town.settle(app)
    return pull


LEGACY = "levels:\n  - {rules: ['py.*'], paths: ['legacy/**'], level: %s}\n"


@pytest.mark.parametrize(
    ("case", "conclusion"),
    [
        (Case(), "failure"),
        (Case(rules=SHOULD), "neutral"),
        (Case(rules=NO_MD5.replace("HIGH", "MEDIUM")), "neutral"),
        (Case(rules=OBSERVED), "neutral"),
        (Case("block_on: CRITICAL\n"), "neutral"),
        (Case("block_on: MEDIUM\n", NO_MD5.replace("HIGH", "MEDIUM")), "failure"),
        (Case("levels: {py.no-md5: block}\n", SHOULD), "failure"),
        (Case("levels: {py.no-md5: block}\n", OBSERVED), "failure"),
        (Case("levels: {'*': block}\n", OBSERVED), "neutral"),
        (Case("levels: {'py.*': warn}\n"), "neutral"),
        (Case("levels: {py.no-md5: observe}\n"), "neutral"),
        (Case(LEGACY % "warn"), "failure"),
        (Case(LEGACY % "warn", path="legacy/digest.py"), "neutral"),
        (Case(LEGACY % "block", SHOULD, "legacy/digest.py"), "failure"),
        (Case(LEGACY % "block", SHOULD), "neutral"),
        (Case("levels: {py.no-md5: off}\n"), "neutral"),
        (Case(LEGACY % "off", path="legacy/digest.py"), "neutral"),
    ],
)
async def test_the_rules_that_block_decide_the_check(
    town: Town, app: App, case: Case, conclusion: str
) -> None:
    pull = await review(town, app, case)
    assert town.check(pull).conclusion == conclusion


async def test_advice_is_shown_where_it_stands_and_says_that_it_is_advice(
    town: Town, app: App
) -> None:
    pull = await review(town, app, Case("levels: {py.no-md5: warn}\n"))
    (comment,) = pull.review_comments
    assert comment.body.startswith("○ **Advice** ·")
    check = town.check(pull)
    assert check.title == "Nothing blocks; some findings to read"
    assert "**Nothing blocks this change.** 1 rule gives advice." in check.summary
    assert "○" in check.summary
    assert "✖" not in check.summary


async def test_what_is_off_is_not_looked_for_and_is_no_pass(town: Town, app: App) -> None:
    pull = await review(town, app, Case("levels: {py.no-md5: off}\n"))
    assert not pull.review_comments
    assert town.check(pull).title == "No rule applies"


async def test_a_level_for_no_rule_is_an_error_on_its_line(town: Town, app: App) -> None:
    pull = await review(town, app, Case("levels:\n  py.no-md4: warn\n"))
    check = town.check(pull)
    assert check.conclusion == "failure"
    (note,) = check.annotations
    assert (note["path"], note["start_line"]) == (".github/jurat.yml", 5)
    assert "did you mean 'py.no-md5'?" in note["message"]


async def test_an_annotation_warns_unless_its_finding_blocks(town: Town, app: App) -> None:
    silent = "review: {max_comments: 0}\n"
    pull = await review(town, app, Case(silent))
    assert [note["annotation_level"] for note in town.check(pull).annotations] == ["failure"]
    advice = f"{BASE}{silent}levels: {{py.no-md5: warn}}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": advice})
    actions.push(town.repository, "advised", {"digest.py": BROKEN})
    pull = actions.open_pull_request(town.repository, head="advised")
    await town.settle(app)
    assert [note["annotation_level"] for note in town.check(pull).annotations] == ["warning"]


async def test_a_merge_group_passes_with_what_its_pull_requests_passed_with(
    town: Town, app: App
) -> None:
    pull = await review(town, app, Case("levels: {py.no-md5: warn}\n"))
    group = actions.enqueue(town.repository, [pull])
    await town.settle(app)
    runs = town.repository.check_runs.values()
    assert [run.conclusion for run in runs if run.head_sha == group] == ["neutral"]
