from __future__ import annotations

from typing import Any

import pytest

from tests.standins.github import PullRequest, StandIn, actions
from tests.support.github import Client

HERE = "/repos/acme/payments"
COMMENTS = f"{HERE}/issues/1/comments"


@pytest.fixture
def pull(github: StandIn) -> PullRequest:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    pull = actions.open_pull_request(repository, head="fix", title="Fix", by="ann")
    github.outbox.clear()
    return pull


async def test_the_conversation_is_read_and_written(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    actions.comment(pull, "/recheck", by="ann")
    written = await client.post(COMMENTS, {"body": "On it."})
    assert written["performed_via_github_app"]["slug"] == "jurat"
    listed = await client.get(COMMENTS)
    assert [one["body"] for one in listed] == ["/recheck", "On it."]
    path = f"{HERE}/issues/comments/{written['id']}"
    assert await client.get(path) == written
    edited = await client.patch(path, {"body": "Done."})
    assert edited["body"] == "Done."
    assert (await client.ask("DELETE", path))[0] == 204
    assert (await client.refused("GET", path))[0] == 404
    assert [(event.name, event.action) for event in github.outbox] == [
        ("issue_comment", "created"),
        ("issue_comment", "created"),
        ("issue_comment", "edited"),
        ("issue_comment", "deleted"),
    ]
    assert github.outbox[0].payload["sender"]["login"] == "ann"
    assert github.outbox[1].payload["sender"]["type"] == "Bot"
    assert github.outbox[0].payload["issue"]["pull_request"]["url"].endswith("/pulls/1")


async def test_bodies_are_required_and_end_at_65536_characters(
    pull: PullRequest, client: Client
) -> None:
    await client.post(COMMENTS, {"body": "ü" * 65_536})
    for body in ({"body": "x" * 65_537}, {"body": ""}, {"body": None}, {}, {"body": 1}):
        assert (await client.refused("POST", COMMENTS, body))[0] == 422
    assert len(pull.comments) == 1


async def test_what_others_wrote_stays(pull: PullRequest, client: Client) -> None:
    theirs = actions.comment(pull, "Mine", by="ann")
    path = f"{HERE}/issues/comments/{theirs.id}"
    assert (await client.refused("PATCH", path, {"body": "x"}))[0] == 403
    assert (await client.refused("DELETE", path))[0] == 403
    assert theirs.body == "Mine"


@pytest.mark.parametrize("kind", ["issues", "pulls"])
async def test_reactions_are_given_once_counted_and_taken_back(
    pull: PullRequest, client: Client, kind: str
) -> None:
    target: Any = (
        actions.comment(pull, "/recheck", by="ann")
        if kind == "issues"
        else actions.comment_on_line(pull, "a.py", 1, "/recheck", by="ann")
    )
    comment = f"{HERE}/{kind}/comments/{target.id}"
    path = f"{comment}/reactions"
    status, first, _ = await client.ask("POST", path, {"content": "eyes"})
    assert (status, first["user"]["login"]) == (201, "jurat[bot]")
    status, again, _ = await client.ask("POST", path, {"content": "eyes"})
    assert (status, again["id"]) == (200, first["id"])
    await client.post(path, {"content": "+1"})
    rollup = (await client.get(comment))["reactions"]
    assert (rollup["total_count"], rollup["eyes"], rollup["+1"]) == (2, 1, 1)
    assert [one["content"] for one in await client.get(f"{path}?content=eyes")] == ["eyes"]
    assert (await client.ask("DELETE", f"{path}/{first['id']}"))[0] == 204
    assert (await client.refused("DELETE", f"{path}/{first['id']}"))[0] == 404
    assert (await client.refused("POST", path, {"content": "shrug"}))[0] == 422
    assert (await client.refused("POST", path, {}))[0] == 422
    assert [one.content for one in target.reactions] == ["+1"]


async def test_a_permission_is_told_by_level_and_by_role(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    repository = pull.repository
    roles = {"mia": "maintain", "tom": "triage", "wes": "write", "ada": "admin"}
    for login, role in roles.items():
        github.set_permission(repository, login, role)  # type: ignore[arg-type] # all of them
    found = {}
    for login in (*roles, "Ann"):
        body = await client.get(f"{HERE}/collaborators/{login}/permission")
        found[login] = (body["permission"], body["role_name"], body["user"]["permissions"]["push"])
    assert found == {
        "mia": ("write", "maintain", True),
        "tom": ("read", "triage", False),
        "wes": ("write", "write", True),
        "ada": ("admin", "admin", True),
        "Ann": ("none", "none", False),
    }
    status, body = await client.refused("GET", f"{HERE}/collaborators/nobody/permission")
    assert (status, body["message"]) == (404, "nobody is not a user")


async def test_everybody_reads_a_public_repository(github: StandIn, client: Client) -> None:
    github.create_repository("acme/open", private=False)
    github.world.account("ann")
    body = await client.get("/repos/acme/open/collaborators/ann/permission")
    assert body["permission"] == "read"
