"""What people may do, how they are answered, and who the App itself is."""

from __future__ import annotations

import random
from typing import Literal

import aiohttp
import pytest

from jurat.github.auth import AppIdentity, GitHubApp, Permission, TokenScope, read_permission
from jurat.github.client import GitHub
from jurat.github.comments import CommentPlace, post_notice, react, reply
from jurat.github.pull_requests import list_open_pull_requests_at, read_pull_request
from tests.github.faulty import Answer, Script
from tests.standins.github import PullRequest, Repository, StandIn, actions
from tests.standins.github.accounts import Role
from tests.standins.github.conversation import IssueComment, ReviewComment
from tests.standins.github.faults import (
    APPLIED_BAD_GATEWAY,
    APPLIED_DROPPED,
    BAD_CREDENTIALS,
    BAD_GATEWAY,
    DROPPED,
    Fault,
    once,
    secondary_limit,
    sometimes,
)
from tests.support.github import APP_ID, SECRET

Kind = Literal["issue_comment", "review_comment"]


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    actions.push(repository, "fix", {"a.py": "x = 1\n"})
    return actions.open_pull_request(repository, head="fix")


def commented(pull: PullRequest, kind: Kind) -> tuple[IssueComment | ReviewComment, CommentPlace]:
    comment: IssueComment | ReviewComment
    if kind == "issue_comment":
        comment = actions.comment(pull, "/recheck", by="alice")
    else:
        comment = actions.comment_on_line(pull, "a.py", 1, "/recheck", by="alice")
    return comment, CommentPlace("acme/shop", pull.number, comment.id, kind)


@pytest.mark.parametrize("kind", ["issue_comment", "review_comment"])
async def test_a_reply_that_is_there_already_is_not_given_again(
    api: GitHub, pull: PullRequest, kind: Kind
) -> None:
    _, place = commented(pull, kind)

    await reply(api, place, "Done.")
    await reply(api, place, "Done.")

    answers = pull.comments if kind == "issue_comment" else pull.review_comments
    assert [one.body.partition("\n")[0] for one in answers][-2:] == ["/recheck", "Done."]


async def test_nobody_can_forestall_a_reply_by_writing_its_marker(
    api: GitHub, pull: PullRequest
) -> None:
    comment, place = commented(pull, "issue_comment")
    actions.comment(pull, f"Hush. <!-- jurat:reply to={comment.id} -->", by="mallory")

    await reply(api, place, "Done.")

    assert pull.comments[-1].body.startswith("Done.")


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
async def test_a_role_is_told_as_it_is(
    api: GitHub, github: StandIn, repository: Repository, role: Role
) -> None:
    github.set_permission(repository, "alice", role)
    alice = github.world.account("alice").id
    assert await read_permission(api, "acme/shop", "alice", alice) is Permission[role.upper()]


async def test_whoever_took_a_login_that_was_given_up_may_not_speak_for_its_owner(
    api: GitHub, github: StandIn, repository: Repository
) -> None:
    github.set_permission(repository, "alice", "admin")
    gone = github.world.account("somebody").id
    assert await read_permission(api, "acme/shop", "alice", gone) is Permission.NONE


async def test_whoever_github_does_not_know_may_nothing(api: GitHub) -> None:
    assert await read_permission(api, "acme/shop", "nobody", 1) is Permission.NONE
    assert await read_permission(api, "acme/shop", "../../app", 1) is Permission.NONE


@pytest.mark.parametrize(
    ("permission", "role_name", "expected"),
    [
        ("write", "security-team", Permission.WRITE),
        ("read", "", Permission.READ),
        ("none", "none", Permission.NONE),
        ("write", "maintain", Permission.MAINTAIN),
        ("surprise", "surprise", Permission.NONE),
    ],
)
async def test_a_custom_role_counts_as_its_base(
    scripted: GitHub, script: Script, permission: str, role_name: str, expected: Permission
) -> None:
    alice = {"login": "alice", "id": 7}
    script.will(Answer(data={"permission": permission, "role_name": role_name, "user": alice}))
    assert await read_permission(scripted, "acme/shop", "alice", 7) is expected


@pytest.mark.parametrize("kind", ["issue_comment", "review_comment"])
@pytest.mark.parametrize("fault", [None, BAD_GATEWAY, DROPPED, APPLIED_BAD_GATEWAY])
async def test_a_reaction_is_one(
    api: GitHub, github: StandIn, pull: PullRequest, kind: Kind, fault: Fault | None
) -> None:
    comment, place = commented(pull, kind)
    if fault:
        github.faults.append(once(fault, "POST", "/reactions"))
    await react(api, place, "eyes")
    await react(api, place, "eyes")
    assert [(one.user.login, one.content) for one in comment.reactions] == [("jurat[bot]", "eyes")]


@pytest.mark.parametrize(
    "fault", [None, BAD_GATEWAY, DROPPED, APPLIED_BAD_GATEWAY, APPLIED_DROPPED]
)
@pytest.mark.parametrize("kind", ["issue_comment", "review_comment"])
async def test_a_reply_is_given_once(
    api: GitHub, github: StandIn, pull: PullRequest, kind: Kind, fault: Fault | None
) -> None:
    comment, place = commented(pull, kind)
    quote = f"> <!-- jurat:reply to={comment.id} -->\n\nI quote you."
    actions.comment(pull, quote, by="mallory")
    if fault:
        github.faults.append(once(fault, "POST", "/comments"))
    await reply(api, place, "Done.")
    written = [*pull.comments, *pull.review_comments]
    ours = [one for one in written if one.user.login == "jurat[bot]"]
    assert [one.body for one in ours] == [f"Done.\n\n<!-- jurat:reply to={comment.id} -->"]
    if kind == "review_comment":
        (answer,) = [one for one in pull.review_comments if one is not comment]
        assert answer.in_reply_to is comment


async def test_an_answer_to_an_answer_goes_to_the_first_comment_of_the_thread(
    api: GitHub, pull: PullRequest
) -> None:
    first = actions.comment_on_line(pull, "a.py", 1, "Why?", by="bob")
    command = actions.reply(first, "/jurat explain", by="alice")
    kind: Kind = "review_comment"
    await reply(api, CommentPlace("acme/shop", pull.number, command.id, kind, first.id), "So.")
    assert pull.review_comments[-1].in_reply_to is first
    assert pull.comments == []


async def test_an_answer_whose_thread_is_gone_goes_into_the_conversation_once(
    api: GitHub, pull: PullRequest
) -> None:
    first = actions.comment_on_line(pull, "a.py", 1, "Why?", by="bob")
    command = actions.reply(first, "/jurat explain", by="alice")
    actions.delete_comment(first, by="bob")
    for _ in range(2):
        kind: Kind = "review_comment"
        await reply(api, CommentPlace("acme/shop", pull.number, command.id, kind, first.id), "So.")
    (answer,) = pull.comments
    assert answer.body.startswith("So.")


@pytest.mark.parametrize("fault", [None, BAD_GATEWAY, DROPPED, APPLIED_DROPPED])
async def test_what_is_told_of_a_button_is_told_once(
    api: GitHub, github: StandIn, pull: PullRequest, fault: Fault | None
) -> None:
    if fault:
        github.faults.append(once(fault, "POST", "/comments"))
    await post_notice(api, "acme/shop", pull.number, "No.", "9:confirm:bob")
    assert [item.body for item in pull.comments] == ["No.\n\n<!-- jurat:about 9:confirm:bob -->"]


async def test_the_app_is_known_by_its_bots_account(
    app: GitHubApp, api: GitHub, github: StandIn
) -> None:
    bot = github.world.app.bot
    assert await app.get_identity(api) == AppIdentity(APP_ID, "jurat", bot.id)


async def test_open_pull_requests_are_found_by_their_head(
    api: GitHub, repository: Repository, pull: PullRequest
) -> None:
    copy = actions.fork(repository, "mallory")
    actions.push_commit(copy, "same", pull.head_sha)
    from_fork = actions.open_pull_request(repository, head="mallory:same")
    actions.push(repository, "other", {"b.py": "x = 1\n"})
    actions.open_pull_request(repository, head="other")
    found = await list_open_pull_requests_at(api, "acme/shop", pull.head_sha)
    assert {one.number for one in found} == {pull.number, from_fork.number}
    actions.close(pull)
    found = await list_open_pull_requests_at(api, "acme/shop", pull.head_sha)
    assert [one.number for one in found] == [from_fork.number]


async def test_a_token_that_expires_or_is_revoked_is_replaced(
    api: GitHub, github: StandIn, pull: PullRequest
) -> None:
    async def read() -> int:
        return (await read_pull_request(api, "acme/shop", pull.number)).number

    async def tokens() -> int:
        return sum("access_tokens" in exchange.route for exchange in github.exchanges)

    assert await read() == 1
    github.gate.revoke_all()
    assert await read() == 1
    assert await tokens() == 2
    clock = github.world.clock
    clock.advance(3_600)  # type: ignore[attr-defined]  # the tests' own clock
    assert await read() == 1
    assert await tokens() == 3
    assert [exchange.status for exchange in github.exchanges].count(401) == 1


async def test_bad_weather_changes_nothing(api: GitHub, github: StandIn, pull: PullRequest) -> None:
    weather = [BAD_GATEWAY, DROPPED, BAD_CREDENTIALS, secondary_limit(7)]
    github.faults.append(sometimes(0.2, weather, random.Random(3)))
    for _ in range(40):
        assert (await read_pull_request(api, "acme/shop", pull.number)).number == 1
    assert sum(exchange.faulty for exchange in github.exchanges) > 5


async def test_an_enterprise_server_is_spoken_to_below_its_prefix(
    app_key: str, session: aiohttp.ClientSession
) -> None:
    async with StandIn(
        app_id=APP_ID, private_key=app_key, webhook_secret=SECRET, enterprise=True
    ) as github:
        repository = github.create_repository("acme/shop", {"README.md": "Shop\n"})
        actions.create_branch(repository, "fix")
        pull = actions.open_pull_request(repository, head="fix")
        app = GitHubApp(session, APP_ID, app_key, base_url=github.api_url)
        (installation,) = github.world.installations
        api = app.get_installation(
            installation, TokenScope.from_permissions({"pull_requests": "read"}, repository.id)
        )
        read = await read_pull_request(api, "acme/shop", pull.number)
        assert read.repository == "acme/shop"
        assert github.api_url.endswith("/api/v3")
