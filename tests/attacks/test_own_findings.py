"""An author who would rather decide about the findings on their own change."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.app.test_separation_of_duties import written
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.talk import DENIED, UNSURE, finding_of, reactions, replies, said
from tests.support.town import BASE, Town


@attack(
    "a colleague",
    tries="dismiss what their own change broke, in a comment",
    gets="a refusal that names who may, and the failure stays",
)
async def test_an_author_dismisses_by_comment(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} Fine by me.")
    assert replies(pull)[0].startswith("You wrote some of this change")
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="confirm their own change with the button of the check",
    gets="a refusal in the conversation, and the check waits on",
)
async def test_an_author_confirms_by_button(town: Town, app: App) -> None:
    pull = await written(town, app, UNSURE)
    actions.click(town.check(pull), "confirm", by="wendy")
    await town.settle(app)
    assert "You wrote some of this change" in replies(pull)[0]
    assert town.check(pull).conclusion == "action_required"


@attack(
    "a colleague",
    tries="have a friend open the pull request for a branch that they pushed",
    gets="a refusal: whoever wrote a commit of it is an author",
)
async def test_an_author_hides_behind_a_friend(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED, by="octocat", pushed="wendy")
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} Fine by me.")
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="take another login, and dismiss what their own change broke",
    gets="a refusal: accounts are told apart by id",
)
async def test_an_author_under_another_login(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED)
    town.github.world.rename_account("wendy", "wanda")
    town.github.set_permission(town.repository, "wanda", "write")
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} Fine by me.", by="wanda")
    assert replies(pull)[0].startswith("You wrote some of this change")
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="take the login that a maintainer has given up, before an old comment is read",
    gets="nothing: a permission counts for the account that spoke",
)
async def test_a_login_that_changed_hands(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED, by="octocat")
    name = finding_of(pull.review_comments)
    comment = actions.comment(pull, f"/jurat dismiss {name} Fine by me.", by="rita")
    # Between the event and the job the names change hands.
    town.github.world.rename_account("rita", "ruth")
    town.github.world.rename_account("wendy", "rita")
    await town.settle(app)
    assert reactions(comment) == ["eyes", "confused"]
    assert town.check(pull).conclusion == "failure"


@attack(
    "a colleague",
    tries="edit a dismissal into a reviewer's comment",
    gets="nothing: an edit gives no command",
)
async def test_an_author_edits_a_reviewers_comment(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED, by="octocat")
    comment = actions.comment(pull, "Looks good.", by="mary")
    name = finding_of(pull.review_comments)
    actions.edit_comment(comment, f"/jurat dismiss {name} Fine by me.", by="octocat")
    await town.settle(app)
    assert (reactions(comment), town.check(pull).conclusion) == ([], "failure")


@attack(
    "a colleague",
    tries="have a bot with write permission write the dismissal",
    gets="nothing: a bot's comment gives no command",
)
async def test_a_bot_dismisses(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED)
    town.github.world.account("helper[bot]", "Bot")
    town.github.set_permission(town.repository, "helper[bot]", "write")
    name = finding_of(pull.review_comments)
    comment = await said(town, app, pull, f"/jurat dismiss {name} Fine.", by="helper[bot]")
    assert (reactions(comment), town.check(pull).conclusion) == ([], "failure")


@attack(
    "a colleague",
    tries="dismiss a finding with no more than triage permission, where triage may give commands",
    gets="a refusal: who decides may write, whatever is configured",
)
async def test_triage_does_not_decide(town: Town, app: App) -> None:
    triage = "version: 1\npacks: []\nrules: [policy]\ncommands: {permission: triage}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": triage})
    pull = await written(town, app, DENIED, by="octocat")
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} Fine by me.", by="tom")
    assert replies(pull) == ["Only people with write permission can ask for that."]
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="create a repository anew under the name of one whose findings were dismissed",
    gets="the failure: decisions hang on the repository's id",
)
async def test_a_repository_under_an_old_name(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED, by="octocat")
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    assert town.check(pull).conclusion == "success"
    actions.rename_repository(town.repository, "acme/old-shop")
    town.repository = town.github.create_repository("acme/shop", BASE)
    again = await written(town, app, DENIED, by="octocat")
    assert again.repository.full_name == "acme/shop"
    assert town.check(again).conclusion == "failure"
