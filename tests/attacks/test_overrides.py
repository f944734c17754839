"""A commit that would rather pass by somebody's word than by the rules."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.app.test_overrides import day, overridden
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.talk import DENIED, finding_of, opened, reactions, replies, said
from tests.support.town import Town


@attack(
    "a colleague",
    tries="override the check with no more than write permission",
    gets="a refusal: that takes someone who maintains the repository",
)
async def test_an_override_without_the_right(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    await said(town, app, pull, f"/jurat override until {day(app, 3)} Urgent.", "wendy")
    assert replies(pull) == ["Only people with maintain permission can ask for that."]
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="have a commit pass for ever, by an override that ends in the year 9999",
    gets="a refusal: 30 days are the most",
)
async def test_an_override_for_ever(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    for until in ("until 9999-12-31", "for 999 days", "until 0000-00-00"):
        await said(town, app, pull, f"/jurat override {until} Urgent.", "mary")
        assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="push something else once a maintainer has let a commit pass",
    gets="the failure of the new commit: an override is of one commit",
)
async def test_an_override_replayed_on_a_new_head(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    assert town.check(pull).conclusion == "neutral"
    actions.push(town.repository, "fix", {"digest.py": DENIED + "eval(input())\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="turn to a stricter base once a maintainer has let the commit pass on another",
    gets="the failure that the new base's rules give: an override is for one base",
)
async def test_an_override_carried_to_another_base(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    actions.create_branch(town.repository, "release")
    actions.edit_pull_request(pull, base="release", by="octocat")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="open a second pull request with a commit that was let pass on the first",
    gets="a check of its own, which fails",
)
async def test_an_override_lent_to_another_pull_request(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    actions.create_branch(town.repository, "release")
    actions.push_commit(town.repository, "again", pull.head_sha)
    other = actions.open_pull_request(town.repository, head="again", base="release", by="rita")
    await town.settle(app)
    assert town.check(other).conclusion == "failure"


@attack(
    "a fork's author",
    tries="take back what a maintainer has dismissed, as a stranger to the repository",
    gets="a refusal, and the dismissal holds",
)
async def test_a_stranger_restores(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} It names a file.", "wendy")
    comment = await said(town, app, pull, f"/jurat restore {name}", "rita")
    assert reactions(comment) == ["eyes", "confused"]
    assert town.check(pull).conclusion == "success"


@attack(
    "a fork's author",
    tries="end an override early, or dress one up, by quoting the command",
    gets="nothing: a quoted command is text",
)
async def test_a_quoted_override(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    body = f"> /jurat override until {day(app, 3)} Urgent.\n\nI would not."
    comment = await said(town, app, pull, body, "mary")
    assert (reactions(comment), town.check(pull).conclusion) == ([], "failure")
