"""The button "Apply fixes": from a click to one commit on the head branch, or to why there is none.

The fixes are worked out anew from the head as it stands, by the same review that the check shows.
What a comment or a check says is never read back: people may edit the one, and the other is prose.
"""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from jurat.engine.fix_verifier import FixedFile, apply_safe_fixes
from jurat.github.client import GitHub
from jurat.github.comments import post_notice
from jurat.github.commits import BranchRefusedError, commit_files, read_commit
from jurat.github.errors import (
    AccessRefusedError,
    NotFoundError,
    PullRequestClosedError,
    SupersededError,
)
from jurat.github.models import AccountPayload, PullRequestPayload
from jurat.github.pull_requests import PullRequestSource, check_head_unmoved
from jurat.reports.counts import pluralize
from jurat.reports.markdown import escape_markdown, escape_plain, quote_code
from jurat.review import review
from jurat.review_interfaces import EvaluationStore, Review, Services
from jurat.source.visible_text import to_one_line

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*(?:\[bot\])?")
_TRAILER = "Jurat-Fixes"
"""Names, in a commit of ours, the head whose fixes it makes: a job that is run twice finds it."""

NEEDS_WRITE = (
    "The App may not write to this repository's branches. Give it the permission *Contents: Read"
    " and write* on its settings page and have the owner accept it; until then each suggestion can"
    " be applied in its comment."
)
CLOSED = "The pull request is closed: reopen it first."
_BY_HAND = "Each suggestion can still be applied in its comment."


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """Somebody pressed the button on the check of `head_sha`; `job` carries it out."""

    login: str
    head_sha: str
    job: int


async def apply_fixes(
    github: GitHub, pull: PullRequestPayload, click: ButtonPress, services: Services
) -> None:
    """Commit all safe fixes of the pull request's head at once, or say why not."""
    refusal = await _find_refusal(github, pull, click)
    if refusal is None:
        commit = _Commit(github, pull, click, services)
        source = PullRequestSource(
            github, pull, services.parse_map, asked_by=f"github:{click.login}"
        )
        # Kept, it would be a second review of the same head, and count twice in every statistic.
        unkept = replace(services, records=_UnsavedStore(services.records))
        try:
            await review(source, commit, unkept)
            refusal = commit.refusal
        except SupersededError:
            refusal = "The branch moved meanwhile: use the button of its newest check."
        except PullRequestClosedError:
            refusal = CLOSED
    if refusal:
        await post_refusal(github, pull, click, refusal)


async def post_refusal(
    github: GitHub, pull: PullRequestPayload, click: ButtonPress, text: str
) -> None:
    """Say in the conversation what came of a click; once, even if its job is done twice."""
    notice = f"The fixes were not applied. {text}"
    await post_notice(github, pull.repository, pull.number, notice, f"fixes:{click.job}")


async def _find_refusal(github: GitHub, pull: PullRequestPayload, click: ButtonPress) -> str | None:
    """Why nothing is to be committed; empty if it has been committed already."""
    if pull.state != "open":
        return CLOSED
    if pull.head.repo is None or pull.fork:
        return f"The branch is in a fork, where the App may not write. {_BY_HAND}"
    # The button is of a check, and the check of a head: on another one nobody saw these fixes.
    if pull.head.sha != click.head_sha:
        newest = await read_commit(github, pull.repository, pull.head.sha)
        if f"{_TRAILER}: {click.head_sha}" in newest.message.splitlines():
            return ""
        return "The branch has moved on since that check: use the button of its newest one."
    return None


class _UnsavedStore:
    """Remembers what a model said, and keeps no second record of the same review."""

    def __init__(self, records: EvaluationStore) -> None:
        self.get_answers = records.get_answers
        self.track_records = records.track_records
        self.decisions = records.decisions
        self.list_pushes = records.list_pushes
        self.count_tokens = records.count_tokens
        self.keep_calls = records.keep_calls

    async def save(self, review: Review) -> None:
        """What was asked alone: the review that the check shows was kept."""
        if review.evaluation.models:
            inputs = review.inputs
            models = review.evaluation.models
            await self.keep_calls(inputs.repository_key, inputs.asked_by, models)

    async def mark_published(self, review: Review) -> None:
        """Nothing either."""


class _Commit:
    """Shows a review as a commit that makes its fixes. `refusal` says why there is none."""

    def __init__(
        self, github: GitHub, pull: PullRequestPayload, click: ButtonPress, services: Services
    ) -> None:
        self._github = github
        self._pull = pull
        self._click = click
        self._services = services
        self.refusal = ""

    async def publish(self, review: Review) -> None:
        """Commit, unless something speaks against it."""
        files = await to_thread(
            apply_safe_fixes,
            review.context,
            review.evaluation,
            review.inputs.rule_set,
            self._services.parse_map,
        )
        held = [file for file in files if not file.problem]
        if not held:
            self.refusal = _describe_nothing_applied(files)
            return
        # The commit's parent is the head that was reviewed; GitHub refuses a branch that moved
        # after this too, but not one whose pull request was closed.
        await check_head_unmoved(self._github, self._pull)
        try:
            await commit_files(
                self._github,
                self._pull.repository,
                self._pull.head.ref,
                parent=self._pull.head.sha,
                files={file.path: file.text for file in held},
                message=render_message(
                    held,
                    self._click.head_sha,
                    await _find_co_author(self._github, self._click.login),
                ),
            )
        except BranchRefusedError as error:
            self.refusal = (
                f"The branch does not take the commit: {escape_markdown(error.message)} {_BY_HAND}"
            )
        except (AccessRefusedError, NotFoundError) as error:
            self.refusal = f"{NEEDS_WRITE} GitHub said: {escape_markdown(error.message)}"


def render_message(files: Sequence[FixedFile], head_sha: str, co_author: str | None) -> str:
    """The message of the commit that makes these fixes of a head, for whoever pressed the button.

    `co_author` is a name and an address as GitHub counts co-authors.
    """
    number = pluralize(sum(len(file.fixes) for file in files), "fix", "fixes")
    rows = [
        f"- {escape_plain(to_one_line(file.path))} ({pluralize(len(file.fixes), 'fix', 'fixes')},"
        f" {pluralize(file.rules, 'rule')} re-run)"
        for file in files
    ]
    trailers = [f"{_TRAILER}: {head_sha}"]
    if co_author:
        trailers.append(f"Co-authored-by: {co_author}")
    # On one line each: what followed a line break in a path would be a trailer.
    return "\n\n".join([f"Apply {number} checked by Jurat", "\n".join(rows), "\n".join(trailers)])


def _describe_nothing_applied(files: Sequence[FixedFile]) -> str:
    if not files:
        return "There is nothing to fix at the head any more."
    rows = [f"- {quote_code(file.path)}: {escape_markdown(file.problem)}" for file in files]
    return f"Together they do not hold:\n\n{chr(10).join(rows)}\n\n{_BY_HAND}"


async def _find_co_author(github: GitHub, login: str) -> str | None:
    """Name and private address of an account, as GitHub counts co-authors."""
    if not _LOGIN.fullmatch(login):
        return None
    user = await github.read(AccountPayload, "/users/{login}", {"login": login})
    host = urlsplit(github.base_url).hostname or ""
    domain = "github.com" if host in ("api.github.com", "127.0.0.1", "localhost") else host
    return f"{user.login} <{user.id}+{user.login}@users.noreply.{domain}>"
