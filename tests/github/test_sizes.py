"""The stand-in refuses what GitHub refuses, by GitHub's units: what was fitted is posted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jurat.findings.evaluation import aggregate, conclude
from jurat.github.auth import GitHubApp
from jurat.github.client import GitHub
from jurat.github.comments import CommentPlace, post_notice, reply
from jurat.github.errors import RejectedError
from jurat.github.models import CheckRunPayload, CommentPayload
from jurat.github.pull_requests import read_pull_request
from jurat.github.reviews import PullRequestPublisher
from jurat.reports.limits import (
    ANNOTATION_TEXT,
    ANNOTATION_TITLE,
    BUTTON_DESCRIPTION,
    BUTTON_IDENTIFIER,
    BUTTON_LABEL,
    CHECK_TEXT,
    COMMENT_BODY,
    Limit,
    fit,
)
from jurat.reports.pull_request import plan_writes
from jurat.rules.config import Config
from jurat.rules.selection import Selection
from tests.standins.github import PullRequest, Repository, actions
from tests.support.commits import MemoryRecord
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict

JOINED = "👩\N{ZERO WIDTH JOINER}💻"
CHARACTERS = ["x", "ü", "語", "🛑", JOINED]


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    actions.push(repository, "fix", {"app.py": "x = 1\n" * 50})
    return actions.open_pull_request(repository, head="fix")


@pytest.mark.parametrize("outside_the_diff", [True, False])
@pytest.mark.parametrize("character", CHARACTERS)
async def test_a_finding_with_a_long_message_is_posted(
    app: GitHubApp, api: GitHub, pull: PullRequest, character: str, outside_the_diff: bool
) -> None:
    """An annotation, a comment and a summary: 30,000 characters of three bytes are 90 KB."""
    verdict = a_verdict(
        a_rule(statement=character * 15_000),
        issue=character * 30_000,
        reasoning=character * 40_000,
        locations=(a_location(start=40 if outside_the_diff else 2),),
    )
    context = a_context(a_file())
    draft = aggregate(context, Selection((verdict.rule,)), (verdict,), evaluation_id="e1")
    evaluation = replace(draft, conclusion=conclude(draft, Config().review))
    read = await read_pull_request(api, pull.repository.full_name, pull.number)
    publisher = PullRequestPublisher(
        api, await app.get_identity(api), read, MemoryRecord(read.number)
    )
    writes = plan_writes(evaluation, context, Config(), (), pull.head_sha)
    assert await publisher.apply(writes) == ()
    (run,) = pull.repository.check_runs.values()
    assert run.conclusion == "failure"
    messages = [note["message"] for note in run.annotations]
    shown = messages if outside_the_diff else [item.body for item in pull.review_comments]
    (text,) = shown
    # A joiner is written out, as seven characters for one.
    least = 4_000 if character == JOINED else 5_000
    assert text.count(character[0]) > least


def summary(text: str) -> dict[str, Any]:
    return {"output": {"title": "title", "summary": text}}


def text_of(text: str) -> dict[str, Any]:
    return {"output": {"title": "title", "summary": "summary", "text": text}}


def annotation(field: str) -> Callable[[str], dict[str, Any]]:
    def body(text: str) -> dict[str, Any]:
        note = {
            "path": "app.py",
            "start_line": 1,
            "end_line": 1,
            "annotation_level": "notice",
            "message": "message",
            field: text,
        }
        return {"output": {"title": "title", "summary": "summary", "annotations": [note]}}

    return body


def button(field: str) -> Callable[[str], dict[str, Any]]:
    return lambda text: {
        "actions": [{"label": "a", "description": "b", "identifier": "c", field: text}]
    }


@pytest.mark.parametrize("character", CHARACTERS)
@pytest.mark.parametrize(
    ("limit", "body"),
    [
        pytest.param(CHECK_TEXT, summary, id="summary"),
        pytest.param(CHECK_TEXT, text_of, id="text"),
        pytest.param(ANNOTATION_TEXT, annotation("message"), id="message"),
        pytest.param(ANNOTATION_TEXT, annotation("raw_details"), id="raw_details"),
        pytest.param(ANNOTATION_TITLE, annotation("title"), id="annotation-title"),
        pytest.param(BUTTON_LABEL, button("label"), id="label"),
        pytest.param(BUTTON_DESCRIPTION, button("description"), id="description"),
        pytest.param(BUTTON_IDENTIFIER, button("identifier"), id="identifier"),
    ],
)
async def test_a_check_takes_what_was_fitted_and_nothing_longer(
    api: GitHub,
    pull: PullRequest,
    limit: Limit,
    body: Callable[[str], dict[str, Any]],
    character: str,
) -> None:
    async def create(text: str) -> CheckRunPayload:
        return await api.write(
            "POST",
            CheckRunPayload,
            "/repos/{+repository}/check-runs",
            {"repository": pull.repository.full_name},
            {"name": "sizes", "head_sha": pull.head_sha, **body(text)},
        )

    whole = character * (limit.size // limit.measure(character))
    await create(whole)
    await create(fit(whole + character, limit))
    with pytest.raises(RejectedError):
        await create(whole + character)


@pytest.mark.parametrize("character", CHARACTERS)
async def test_a_comment_takes_what_was_fitted_and_nothing_longer(
    api: GitHub, pull: PullRequest, character: str
) -> None:
    place = f"/repos/{pull.repository.full_name}/issues/{pull.number}/comments"
    whole = character * (COMMENT_BODY.size // len(character))
    await api.write("POST", CommentPayload, place, {}, {"body": whole})
    await api.write(
        "POST", CommentPayload, place, {}, {"body": fit(whole + character, COMMENT_BODY)}
    )
    with pytest.raises(RejectedError):
        await api.write("POST", CommentPayload, place, {}, {"body": whole + character})


async def test_a_reply_that_is_too_long_is_given_as_far_as_it_fits(
    api: GitHub, pull: PullRequest
) -> None:
    actions.comment(pull, "/jurat explain", by="alice")
    place = CommentPlace("acme/shop", pull.number, pull.comments[0].id, "issue_comment")
    for _ in range(2):
        await reply(api, place, "語\n" * 40_000)
        await post_notice(api, "acme/shop", pull.number, "語" * 70_000, "button:1")
    bodies = [comment.body for comment in pull.comments[1:]]
    assert len(bodies) == 2
    assert all("_The rest was too long to show._" in body for body in bodies)
