"""A rule on trial: webhooks in, the evidence, the shadow section and the check's conclusion out."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import insert, select

from jurat.app.wiring import App
from jurat.rules.loader import load_ruleset
from jurat.rules.maturity import EventKind
from jurat.store.promotion import auto_promote_rules
from jurat.store.repositories import keep_repository
from jurat.store.tables import rule_events
from tests.standins.github import PullRequest, actions
from tests.support.town import BASE, BROKEN, RULES, Town

TRIAL = RULES.replace("    languages: [python]\n    con", "    maturity: experimental\n    con", 1)
CLEAN = BROKEN.replace("md5", "sha512")
NOW = dt.datetime.now(dt.UTC)


@pytest.fixture
def town(town: Town) -> Town:
    """The rule against MD5 is on trial."""
    actions.push(town.repository, "main", {"policy/house.yml": TRIAL})
    return town


async def kinds(app: App) -> list[tuple[str, str]]:
    async with app.database.reading() as connection:
        rows = await connection.execute(select(rule_events).order_by(rule_events.c.id))
        return [(row.rule_id, row.kind) for row in rows]


async def happened(town: Town, app: App, right: int, wrong: int = 0, *, days_ago: int = 40) -> None:
    """So many findings of the rule were settled since then, `wrong` of them dismissed."""
    rule = load_ruleset({"house.yml": TRIAL}).rules["py.no-md5"]
    start = NOW - dt.timedelta(days=days_ago)
    rows = [
        {
            "at": start + dt.timedelta(minutes=number),
            "kind": (EventKind.DISMISSED if number < wrong else EventKind.FIXED).value,
            "rule_id": rule.id,
            "substance": rule.substance,
            "written": "experimental",
            "repository_id": town.repository.id,
            "number": 1_000 + number,
            "fingerprint": "f" * 16,
        }
        for number in range(right + wrong)
    ]
    async with app.database.writing() as connection:
        await connection.run_sync(keep_repository, town.repository.id, "acme/shop")
        await connection.execute(insert(rule_events), rows)
    await auto_promote_rules(app.database, NOW)


async def reviewed(town: Town, app: App) -> PullRequest:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    return pull


def prospect(town: Town, pull: PullRequest) -> str:
    """What the shadow section says of the rule's promotion."""
    (line,) = [
        line
        for line in (town.check(pull).summary or "").splitlines()
        if line.startswith("- `py.no-md5` ")
    ]
    return line.removeprefix("- `py.no-md5` ")


class TestTheEvidence:
    async def test_is_a_finding_that_was_fixed_before_the_merge(self, town: Town, app: App) -> None:
        pull = await reviewed(town, app)
        actions.push(town.repository, "fix", {"digest.py": CLEAN})
        await town.settle(app)
        assert await kinds(app) == []
        actions.merge(pull)
        await town.settle(app)
        assert await kinds(app) == [("py.no-md5", "fixed")]

    async def test_is_a_finding_that_was_merged_over(self, town: Town, app: App) -> None:
        pull = await reviewed(town, app)
        actions.merge(pull)
        await town.settle(app)
        assert await kinds(app) == [("py.no-md5", "merged_over")]

    async def test_is_nothing_where_a_pull_request_was_abandoned(
        self, town: Town, app: App
    ) -> None:
        pull = await reviewed(town, app)
        actions.close(pull)
        await town.settle(app)
        assert await kinds(app) == []

    async def test_is_nothing_where_a_push_was_merged_unreviewed(
        self, town: Town, app: App
    ) -> None:
        pull = await reviewed(town, app)
        actions.push(town.repository, "fix", {"digest.py": CLEAN})
        actions.merge(pull)
        await town.settle(app)
        assert await kinds(app) == []


class TestTheShadowSection:
    async def test_says_what_a_rule_without_a_record_needs(self, town: Town, app: App) -> None:
        pull = await reviewed(town, app)
        assert prospect(town, pull) == (
            "becomes stable with 73 more findings in a row that are fixed or confirmed, over at"
            " least 30 days (none is settled yet)."
        )
        assert town.check(pull).conclusion == "neutral"

    async def test_says_what_a_rule_still_lacks(self, town: Town, app: App) -> None:
        await happened(town, app, right=40, wrong=1, days_ago=20)
        pull = await reviewed(town, app)
        assert prospect(town, pull) == (
            f"becomes stable with 69 more findings in a row that are fixed or confirmed, from"
            f" {(NOW + dt.timedelta(days=10)).date()} on (41 settled so far, 1 of them dismissed"
            " or merged over)."
        )

    async def test_says_when_a_rule_only_waits(self, town: Town, app: App) -> None:
        await happened(town, app, right=80, days_ago=20)
        pull = await reviewed(town, app)
        assert prospect(town, pull) == (
            f"becomes stable at the first daily look from {(NOW + dt.timedelta(days=10)).date()}"
            " on (80 settled so far, 0 of them dismissed or merged over)."
        )

    async def test_says_that_a_rule_is_pinned(self, town: Town, app: App) -> None:
        pinned = TRIAL.replace("maturity: experimental", "maturity: experimental\n    pin: true")
        actions.push(town.repository, "main", {"policy/house.yml": pinned})
        await happened(town, app, right=80)
        pull = await reviewed(town, app)
        assert prospect(town, pull) == (
            "is pinned in its file: it only observes until that changes."
        )
        assert town.check(pull).conclusion == "neutral"


class TestAPromotion:
    async def test_makes_the_rule_block(self, town: Town, app: App) -> None:
        await happened(town, app, right=80)
        pull = await reviewed(town, app)
        assert town.check(pull).conclusion == "failure"
        assert len(pull.review_comments) == 1

    async def test_is_only_proposed_where_the_configuration_says_so(
        self, town: Town, app: App
    ) -> None:
        said = BASE[".github/jurat.yml"] + "review: {maturity: propose}\n"
        actions.push(town.repository, "main", {".github/jurat.yml": said})
        await happened(town, app, right=80)
        pull = await reviewed(town, app)
        assert town.check(pull).conclusion == "neutral"
        assert prospect(town, pull) == (
            "has earned to be stable (80 settled so far, 0 of them dismissed or merged over). To"
            " let it count, write `maturity: stable` in its file."
        )

    async def test_holds_in_the_merge_queue_too(self, town: Town, app: App) -> None:
        await happened(town, app, right=80)
        pull = await reviewed(town, app)
        head_sha = actions.enqueue(town.repository, [pull])
        await town.settle(app)
        (run,) = [run for run in town.repository.check_runs.values() if run.head_sha == head_sha]
        assert run.conclusion == "failure"
