"""Whoever would rather not be blocked works on the record by which a shipped rule may block."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import func, insert, select

from jurat.app.wiring import App
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.maturity import EventKind
from jurat.store.promotion import auto_promote_rules
from jurat.store.repositories import keep_repository
from jurat.store.tables import rule_events
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.talk import finding_of, said
from tests.support.town import Town

EVAL = load_ruleset(read_pack("engineering")).rules["py.eval"]
CONFIGURATION = "version: 1\npacks: [engineering]\n"
BROKEN = "def run(text: str) -> object:\n    return eval(text)\n"
NOW = dt.datetime.now(dt.UTC)


@pytest.fixture
def town(town: Town) -> Town:
    """A repository that has the shipped rules in force."""
    actions.push(town.repository, "main", {".github/jurat.yml": CONFIGURATION})
    return town


async def decided(town: Town, app: App, repository: str, kind: EventKind, cases: int) -> None:
    """So many findings of the rule were decided there, and the worker has looked since."""
    own = repository == town.repository.full_name
    repository_id = town.repository.id if own else 4_711
    rows = [
        {
            "at": NOW - dt.timedelta(days=2, minutes=number),
            "kind": kind.value,
            "rule_id": EVAL.id,
            "substance": EVAL.substance,
            "written": EVAL.maturity.value,
            "repository_id": repository_id,
            "number": 1_000 + number,
            "fingerprint": "f" * 16,
        }
        for number in range(cases)
    ]
    async with app.database.writing() as connection:
        await connection.run_sync(keep_repository, repository_id, repository)
        await connection.execute(insert(rule_events), rows)
    await auto_promote_rules(app.database, NOW)


async def conclude(town: Town, app: App) -> str | None:
    """What the check says of a change that breaks the rule."""
    pull = town.open({"run.py": BROKEN})
    await town.settle(app)
    return town.check(pull).conclusion


async def count_events(app: App) -> int:
    async with app.database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(rule_events)) or 0


async def test_a_rule_blocks_until_its_findings_were_wrong(town: Town, app: App) -> None:
    """What the attacks below would bring about."""
    assert await conclude(town, app) == "failure"
    await decided(town, app, "acme/shop", EventKind.DISMISSED, 1_000)
    (pull,) = town.repository.pulls.values()
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "neutral"


@attack(
    "a fork's author",
    tries="dismiss on a fork with the App what a rule finds, until it no longer blocks anywhere",
    gets="the failure: what people decide counts in their own repository alone",
)
async def test_a_fork_speaks_against_a_rule(town: Town, app: App) -> None:
    await decided(town, app, "acme/shop", EventKind.CONFIRMED, 1_000)
    await decided(town, app, "mallory/shop", EventKind.DISMISSED, 1_000)
    assert await conclude(town, app) == "failure"


@attack(
    "a repository's admin",
    tries="dismiss all that a rule finds in one repository, so that it no longer blocks in others",
    gets="the failure there: no single repository lowers a rule in another",
)
async def test_one_repository_lowers_a_rule_for_its_neighbours(town: Town, app: App) -> None:
    await decided(town, app, "acme/shop", EventKind.CONFIRMED, 1_000)
    await decided(town, app, "acme/backwater", EventKind.DISMISSED, 1_000)
    assert await conclude(town, app) == "failure"


@attack(
    "a fork's author",
    tries="dismiss finding after finding of pull requests of their own, to spoil a rule's record",
    gets="a refusal, and no evidence against the rule",
)
async def test_an_author_without_a_say_spoils_a_record(town: Town, app: App) -> None:
    await decided(town, app, "acme/shop", EventKind.CONFIRMED, 1_000)
    pull = town.open({"run.py": BROKEN}, by="octocat")
    await town.settle(app)
    before = await count_events(app)
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} It is wrong.", by="octocat")
    assert await count_events(app) == before
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="spoil a rule's record by dismissing their own findings where authors may decide",
    gets="no evidence: whoever wrote a change is no witness for or against a rule",
)
async def test_an_author_with_a_say_spoils_a_record(town: Town, app: App) -> None:
    allowed = f"{CONFIGURATION}commands: {{own_decisions: true}}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": allowed})
    await decided(town, app, "acme/shop", EventKind.CONFIRMED, 1_000)
    pull = town.open({"run.py": BROKEN}, by="wendy")
    await town.settle(app)
    before = await count_events(app)
    name = finding_of(pull.review_comments)
    town.github.set_permission(town.repository, "wendy", "admin")
    await said(town, app, pull, f"/jurat dismiss {name} I know what I do.", by="wendy")
    assert town.check(pull).conclusion != "failure"
    assert await count_events(app) == before


@attack(
    "a fork's author",
    tries="bring a file of measurements along, in which each rule was always wrong",
    gets="the failure: what was measured comes with Jurat, and from nowhere else",
)
async def test_the_branch_brings_measurements(town: Town, app: App) -> None:
    await decided(town, app, "acme/shop", EventKind.CONFIRMED, 1_000)
    lies = f'{{"py.eval": {{"substance": "{EVAL.substance}", "false": 9999}}}}\n'
    pull = town.open({"run.py": BROKEN, "rules/measured.json": lies})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
