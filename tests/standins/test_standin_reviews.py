from __future__ import annotations

from typing import Any

import pytest

from tests.standins.github import PullRequest, Repository, StandIn, actions
from tests.support.github import Client

HERE = "/repos/acme/payments"
REVIEWS = f"{HERE}/pulls/1/reviews"
COMMENTS = f"{HERE}/pulls/1/comments"

HUNDRED = [f"line {number}\n" for number in range(1, 101)]


def changed(**lines: str) -> str:
    """A hundred lines, of which some are replaced: `l5="x"` replaces line 5."""
    text = list(HUNDRED)
    for name, content in lines.items():
        text[int(name[1:]) - 1] = content
    return "".join(text)


@pytest.fixture
def repository(github: StandIn) -> Repository:
    """One pull request with two hunks in a.py (lines 7 to 13 and 47 to 53), and a deleted file."""
    repository = github.create_repository("acme/payments", {"a.py": changed(), "old.py": "x\n"})
    after = changed(l10="ten\n", l50="fifty\n")
    files = {"a.py": after, "old.py": None, "picture.bin": b"\x00"}
    actions.push(repository, "fix", files, by="ann")
    actions.open_pull_request(repository, head="fix", by="ann")
    github.outbox.clear()
    return repository


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    return repository.pulls[1]


def review(*comments: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"event": "COMMENT", "body": "Findings", "comments": list(comments)} | more


def at(line: int, **more: Any) -> dict[str, Any]:
    return {"path": "a.py", "line": line, "side": "RIGHT", "body": "Why?"} | more


async def test_a_review_brings_its_comments(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    posted = await client.post(REVIEWS, review(at(10), at(12, start_line=9, start_side="RIGHT")))
    assert posted["state"] == "COMMENTED"
    assert posted["commit_id"] == pull.head_sha
    assert (posted["user"]["login"], posted["user"]["type"]) == ("jurat[bot]", "Bot")
    assert await client.get(REVIEWS) == [posted]
    assert await client.get(f"{REVIEWS}/{posted['id']}") == posted
    first, second = await client.get(COMMENTS)
    assert await client.get(f"{REVIEWS}/{posted['id']}/comments") == [first, second]
    assert (first["line"], first["start_line"], first["side"]) == (10, None, "RIGHT")
    assert first["position"] == first["original_position"] == 5
    assert first["diff_hunk"].splitlines()[0].startswith("@@ -7,7 +7,7 @@")
    assert first["diff_hunk"].splitlines()[-1] == "+ten"
    assert first["user"]["type"] == "Bot"
    assert (second["start_line"], second["line"]) == (9, 12)
    named = [(event.name, event.action) for event in github.outbox]
    comment = ("pull_request_review_comment", "created")
    assert named == [("pull_request_review", "submitted"), comment, comment]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (at(30), "must be part of the diff"),
        (at(10, path="b.py"), "Path could not be resolved"),
        (at(10, start_line=30), "same hunk"),
        (at(50, start_line=10), "same hunk"),
        (at(10, start_line=10), "must precede"),
        (at(10, start_line=12), "must precede"),
        (at(1, path="old.py"), "must be part of the diff"),
        (at(0, path="picture.bin"), "must be part of the diff"),
        ({"path": "a.py", "body": "no line"}, "Line could not be resolved"),
        (at(10, body=" "), "can't be blank"),
    ],
)
async def test_one_bad_comment_refuses_the_review_without_naming_it(
    pull: PullRequest, client: Client, bad: dict[str, Any], words: str
) -> None:
    status, body = await client.refused("POST", REVIEWS, review(at(10), bad, at(50)))
    assert status == 422
    assert body["message"] == "Unprocessable Entity"
    assert words in body["errors"][0]
    assert "a.py" not in str(body)
    assert pull.reviews == []
    assert pull.review_comments == []


async def test_context_lines_and_removed_lines_can_be_commented(
    pull: PullRequest, client: Client
) -> None:
    removed = {"path": "old.py", "line": 1, "side": "LEFT", "body": "Why remove it?"}
    mixed = at(10, start_line=10, start_side="LEFT")
    await client.post(REVIEWS, review(at(7), at(13), at(10, side="LEFT"), removed, mixed))
    found = await client.get(COMMENTS)
    assert [one["original_position"] for one in found] == [1, 8, 4, 1, 5]


async def test_bodies_end_at_65536_characters(pull: PullRequest, client: Client) -> None:
    await client.post(REVIEWS, review(at(10, body="ü" * 65_536), body="x" * 65_536))
    for refused in (review(at(10, body="x" * 65_537)), review(body="x" * 65_537)):
        status, body = await client.refused("POST", REVIEWS, refused)
        assert (status, body["errors"][0]["field"]) == (422, "body")
    assert len(pull.reviews) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"event": "COMMENT"},
        {"event": "REQUEST_CHANGES", "comments": [at(10)]},
        {"event": "SHOUT", "body": "x"},
        {"event": "COMMENT", "body": 5},
        {"event": "COMMENT", "body": "x", "comments": [at(10) | {"line": "10"}]},
        {"event": "COMMENT", "body": "x", "comments": [at(10, subject_type="file")]},
    ],
)
async def test_a_review_that_says_nothing_or_nonsense_is_refused(
    pull: PullRequest, client: Client, body: dict[str, Any]
) -> None:
    assert (await client.refused("POST", REVIEWS, body))[0] == 422
    assert pull.reviews == []


async def test_a_review_of_a_commit_outside_the_pull_request_is_refused(
    repository: Repository, client: Client
) -> None:
    base = repository.head("main")
    assert (await client.refused("POST", REVIEWS, review(at(10), commit_id=base)))[0] == 422
    single = at(10, commit_id=base)
    assert (await client.refused("POST", COMMENTS, single))[0] == 422


async def test_a_review_of_an_older_commit_is_placed_in_its_diff(
    repository: Repository, client: Client
) -> None:
    old = repository.pulls[1].head_sha
    actions.push(repository, "fix", {"a.py": changed(l50="fifty\n")}, by="ann")
    assert (await client.refused("POST", REVIEWS, review(at(10))))[0] == 422
    await client.post(REVIEWS, review(at(10), commit_id=old))
    (comment,) = await client.get(COMMENTS)
    assert (comment["line"], comment["original_line"]) == (None, 10)
    assert comment["original_commit_id"] == old


async def test_a_comment_goes_with_its_line_until_that_changes(
    repository: Repository, client: Client
) -> None:
    first = repository.pulls[1].head_sha
    await client.post(REVIEWS, review(at(10), at(51, start_line=49)))

    moved = "above\nabove\n" + changed(l10="ten\n", l50="fifty\n")
    second = actions.push(repository, "fix", {"a.py": moved}, by="ann")
    low, high = await client.get(COMMENTS)
    assert (low["line"], low["original_line"]) == (12, 10)
    assert (high["start_line"], high["line"], high["original_line"]) == (51, 53, 51)
    assert (low["commit_id"], low["original_commit_id"]) == (second, first)

    other = "above\nabove\n" + changed(l10="ten!\n", l50="fifty\n")
    actions.push(repository, "fix", {"a.py": other}, by="ann")
    low, high = await client.get(COMMENTS)
    assert (low["line"], low["position"], low["original_line"]) == (None, None, 10)
    assert low["commit_id"] == first
    assert high["line"] == 53

    inside = "above\nabove\n" + changed(l10="ten!\n", l50="fifty\nand a half\n")
    actions.push(repository, "fix", {"a.py": inside}, by="ann")
    _, high = await client.get(COMMENTS)
    assert (high["start_line"], high["line"], high["original_start_line"]) == (None, None, 49)


async def test_a_comment_is_outdated_when_its_file_goes_or_its_hunk_leaves_the_diff(
    repository: Repository, client: Client
) -> None:
    await client.post(REVIEWS, review(at(7), at(50)))
    actions.push(repository, "fix", {"a.py": changed(l50="fifty\n")}, by="ann")
    gone, stays = await client.get(COMMENTS)
    assert (gone["line"], stays["line"]) == (None, 50)
    actions.push(repository, "fix", {"a.py": None, "b.py": changed(l50="fifty\n")}, by="ann")
    assert [one["line"] for one in await client.get(COMMENTS)] == [None, None]


async def test_a_force_push_keeps_comments_on_lines_that_are_the_same(
    repository: Repository, client: Client
) -> None:
    pull = repository.pulls[1]
    old = pull.head_sha
    await client.post(REVIEWS, review(at(10)))
    base = actions.push(repository, "main", {"c.py": "c\n"})
    new = actions.push(
        repository, "fix", {"a.py": changed(l10="ten\n")}, "Rewritten", by="ann", onto=base
    )
    assert pull.head_sha == new
    assert old not in pull.commits()
    assert (await client.get(COMMENTS))[0]["line"] == 10


async def test_a_single_comment_stands_on_lines_or_on_a_file(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    commit = {"commit_id": pull.head_sha}
    on_line = await client.post(COMMENTS, at(10) | commit)
    on_file = await client.post(
        COMMENTS, {"path": "old.py", "body": "Why?", "subject_type": "file"} | commit
    )
    assert (on_line["subject_type"], on_file["subject_type"]) == ("line", "file")
    assert (on_file["line"], on_file["diff_hunk"]) == (None, "")
    for bad in (at(30), at(10, path="b.py"), at(10, path="b.py", subject_type="file")):
        status, body = await client.refused("POST", COMMENTS, bad | commit)
        assert (status, body["message"]) == (422, "Validation Failed")
    assert (await client.refused("POST", COMMENTS, at(10)))[0] == 422
    assert len(await client.get(COMMENTS)) == 2
    assert [one.state for one in pull.reviews] == ["COMMENTED", "COMMENTED"]


async def test_replies_join_the_thread(pull: PullRequest, client: Client) -> None:
    asked = actions.comment_on_line(pull, "a.py", 10, "Why?", by="ann")
    first = await client.post(f"{COMMENTS}/{asked.id}/replies", {"body": "Because."})
    place = {"path": "a.py", "commit_id": pull.head_sha}
    more = {"body": "And so on.", "in_reply_to": asked.id} | place
    second = await client.post(COMMENTS, more)
    answer = actions.reply(pull.review_comments[1], "Thanks", by="ann")
    assert first["in_reply_to_id"] == second["in_reply_to_id"] == asked.id
    assert answer.in_reply_to is asked
    assert first["line"] == 10
    assert (await client.refused("POST", f"{COMMENTS}/1/replies", {"body": "x"}))[0] == 404


async def test_the_app_edits_and_deletes_its_own_comments_only(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    await client.post(REVIEWS, review(at(10)))
    (own,) = pull.review_comments
    theirs = actions.comment_on_line(pull, "a.py", 10, "Mine", by="ann")
    path = f"{HERE}/pulls/comments"
    github.outbox.clear()
    edited = await client.patch(f"{path}/{own.id}", {"body": "Fixed"})
    assert (edited["body"], await client.get(f"{path}/{own.id}")) == ("Fixed", edited)
    (event,) = github.outbox
    assert event.payload["changes"] == {"body": {"from": "Why?"}}
    for method, body in (("PATCH", {"body": "x"}), ("DELETE", None)):
        assert (await client.refused(method, f"{path}/{theirs.id}", body))[0] == 403
        assert (await client.refused(method, f"{path}/999", body))[0] == 404
    assert (await client.refused("PATCH", f"{path}/{own.id}", {"body": ""}))[0] == 422
    assert (await client.ask("DELETE", f"{path}/{own.id}"))[0] == 204
    assert (await client.refused("GET", f"{path}/{own.id}"))[0] == 404
    assert [one["id"] for one in await client.get(COMMENTS)] == [theirs.id]
