"""What the App does for pull requests: one function a kind of job.

A job is carried out on the state of things when it starts, and may be carried out twice: each write
is looked for before it is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.corpus.configuration import Configuration
from bot.errors import FileError
from bot.github.app_auth import GitHubApp
from bot.github.base_files import read_base
from bot.github.client import GitHub
from bot.github.contents import Snapshot
from bot.github.errors import Superseded
from bot.github.merge_groups import MergeGroup, MergeGroupPublisher, MergeGroupSource
from bot.github.payloads import PullRequest
from bot.github.permissions import Permission, permission_of
from bot.github.publisher import PullRequestPublisher
from bot.github.pulls import open_pull_requests_at, read_pull_request
from bot.github.replies import CommentPlace, react, reply
from bot.github.source import PullRequestSource
from bot.jobs.protocol import Job
from bot.jobs.requests import (
    CheckRequest,
    CommandRequest,
    MergeGroupRequest,
    ResumeRequest,
    ReviewRequest,
    job_for,
    request_of,
)
from bot.publishing.edits import Annotation, ConcludeCheck
from bot.publishing.markdown import code_span, plain
from bot.review import Outside, review
from bot.store.open_checks import OpenCheck, OpenChecks
from bot.verdicts import Conclusion

RECHECK = "recheck"
UNKNOWN_COMMAND = "Bylaw knows one command: `/recheck` reviews this pull request again."


@dataclass(frozen=True, slots=True)
class PullRequests:
    """The App at work. `app` speaks to GitHub, `outside` is what reviews need of the world.

    `open_checks` knows each check before it is begun and until it has ended, so that a crash leaves
    none open for good.
    """

    app: GitHubApp
    outside: Outside
    open_checks: OpenChecks

    async def handle(self, job: Job) -> None:
        """Carry a job out. An error is the queue's to retry, or to give up."""
        request = request_of(job)
        match request:
            case ReviewRequest():
                await self._review(request, job)
            case CommandRequest():
                await self._command(request, job)
            case CheckRequest():
                await self._check_again(request, job)
            case ResumeRequest():
                await self._resume(request, job)
            case MergeGroupRequest():
                await self._merge_group(request, job)
            case _:
                assert_never(request)

    async def give_up(self, job: Job, reason: str) -> None:
        """Say on the pull request that a job was given up: nobody waits for a check in vain."""
        request = request_of(job)
        if isinstance(request, CommandRequest):
            github = self.app.installation(request.installation_id)
            await react(github, _place(request), "confused")
            await reply(github, _place(request), f"This could not be done. {plain(reason)}")
        if isinstance(request, MergeGroupRequest):
            _, shown = await self._group(request)
            await shown.conclude(_not_completed(reason))
            await self.open_checks.end(job.key, request.head_sha)
        if isinstance(request, ResumeRequest):
            # Whatever forbids to end this check forbids it for good: it is not tried for ever.
            await self.open_checks.end(job.key, request.head_sha)
        if not isinstance(request, ReviewRequest | CommandRequest | ResumeRequest):
            return
        _, pull, publisher = await self._open(request)
        if pull.state == "open" and not await publisher.concluded():
            await publisher.apply([_not_completed(reason)])
            await self.open_checks.end(job.key, pull.head.sha)

    async def _review(self, request: ReviewRequest, job: Job) -> None:
        """Review a pull request as it is now, unless its head has been reviewed already."""
        github, pull, publisher = await self._open(request)
        if pull.state != "open":
            return
        again = request.again or request.cause == "pull_request.edited"
        if not again and await publisher.concluded():
            await self.open_checks.end(job.key, pull.head.sha)
            return
        if pull.draft and not request.again and not await _reviews_drafts(github, pull):
            return
        check = _open_check(request, pull, job)
        await self._show(github, pull, publisher, check, asked_by=request.cause)

    async def _show(
        self,
        github: GitHub,
        pull: PullRequest,
        publisher: PullRequestPublisher,
        check: OpenCheck,
        *,
        asked_by: str,
    ) -> None:
        try:
            if not await self._begin(check, publisher):
                return
            source = PullRequestSource(github, pull, self.outside.parse_map, asked_by=asked_by)
            await review(source, publisher, self.outside)
        except Superseded:
            # The push has a job of its own: it waits for the end of this one.
            await publisher.cancel()
        except FileError as error:
            await publisher.apply([_broken((error, *error.further))])
        await self.open_checks.end(check.key, check.head_sha)

    async def _begin(
        self, check: OpenCheck, publisher: PullRequestPublisher | MergeGroupPublisher
    ) -> bool:
        """Begin a check, on record first.

        False where this very job concluded it already: it was interrupted before it could say so.
        """
        before = await self.open_checks.begin(check)
        if before is not None and await publisher.concluded_as(before):
            await self.open_checks.end(check.key, check.head_sha)
            return False
        await self.open_checks.number(check.key, check.head_sha, await publisher.begin())
        return True

    async def _resume(self, request: ResumeRequest, job: Job) -> None:
        """End a check that was left open: by its review, or as cancelled where that is moot."""
        github, pull, publisher = await self._open(request)
        if pull.state == "open" and pull.head.sha == request.head_sha:
            # It may have ended between the sweep and now: then there is nothing to do again.
            if await publisher.is_open() or not await publisher.concluded():
                check = _open_check(request, pull, job)
                await self._show(github, pull, publisher, check, asked_by="sweep")
            else:
                await self.open_checks.end(job.key, request.head_sha)
            return
        head = pull.head.model_copy(update={"sha": request.head_sha})
        left = await self._publisher(github, pull.model_copy(update={"head": head}))
        await (left.cancel() if pull.state == "open" else left.stop())
        await self.open_checks.end(job.key, request.head_sha)

    async def _merge_group(self, request: MergeGroupRequest, job: Job) -> None:
        """Review what a merge queue is about to merge, as one change without an author's words."""
        source, shown = await self._group(request)
        check = OpenCheck(job.key, request.head_sha, job.id, job.kind, job.payload)
        try:
            if not await self._begin(check, shown):
                return
            await review(source, shown, self.outside)
        except FileError as error:
            await shown.conclude(_broken((error, *error.further)))
        await self.open_checks.end(check.key, check.head_sha)

    async def _group(
        self, request: MergeGroupRequest
    ) -> tuple[MergeGroupSource, MergeGroupPublisher]:
        github = self.app.installation(request.installation_id)
        group = MergeGroup(request.repository, request.base_sha, request.head_sha)
        identity = await self.app.identity(github)
        return MergeGroupSource(github, group), MergeGroupPublisher(github, identity, group)

    async def _command(self, request: CommandRequest, job: Job) -> None:
        """Obey a comment, if its author may give commands here."""
        github, pull, publisher = await self._open(request)
        place = _place(request)
        await react(github, place, "eyes")
        needed = await _permission_needed(github, pull)
        if await permission_of(github, request.repository, request.author) < needed:
            await react(github, place, "confused")
            await reply(
                github,
                place,
                f"Only people with {needed.name.lower()} permission can ask for that.",
            )
            return
        if not any(command.name == RECHECK for command in request.commands):
            await react(github, place, "confused")
            await reply(github, place, UNKNOWN_COMMAND)
            return
        if pull.state != "open":
            await react(github, place, "confused")
            await reply(
                github, place, "This pull request is closed: reopen it to have it reviewed."
            )
            return
        check = _open_check(request, pull, job)
        await self._show(github, pull, publisher, check, asked_by=f"github:{request.author}")
        await react(github, place, "+1")

    async def _check_again(self, request: CheckRequest, job: Job) -> None:
        """Run a check again that GitHub did not name a pull request for, as with forks."""
        if request.button is not None:
            return
        github = self.app.installation(request.installation_id)
        pulls = await open_pull_requests_at(github, request.repository, request.head_sha)
        for pull in pulls:
            publisher = await self._publisher(github, pull)
            check = _open_check(request, pull, job)
            await self._show(github, pull, publisher, check, asked_by=f"github:{request.sender}")

    async def _open(
        self, request: ReviewRequest | CommandRequest | ResumeRequest
    ) -> tuple[GitHub, PullRequest, PullRequestPublisher]:
        github = self.app.installation(request.installation_id)
        pull = await read_pull_request(github, request.repository, request.number)
        return github, pull, await self._publisher(github, pull)

    async def _publisher(self, github: GitHub, pull: PullRequest) -> PullRequestPublisher:
        identity = await self.app.identity(github)
        return PullRequestPublisher(github, identity, pull)


def _open_check(
    request: ReviewRequest | CommandRequest | CheckRequest | ResumeRequest,
    pull: PullRequest,
    job: Job,
) -> OpenCheck:
    """A check as it is kept while it is open, with the job that ends it should this one not."""
    resume = job_for(
        ResumeRequest(
            repository=request.repository,
            repository_id=request.repository_id,
            installation_id=request.installation_id,
            number=pull.number,
            head_sha=pull.head.sha,
        )
    )
    return OpenCheck(resume.key, pull.head.sha, job.id, resume.kind, resume.payload)


def _place(request: CommandRequest) -> CommentPlace:
    return CommentPlace(request.repository, request.number, request.comment_id, request.place)


async def _configuration(github: GitHub, pull: PullRequest) -> Configuration | None:
    """What is in force for a pull request, None where it is broken."""
    try:
        found, _ = await read_base(Snapshot(github, pull.repository, pull.base.sha))
    except FileError:
        return None
    return found


async def _reviews_drafts(github: GitHub, pull: PullRequest) -> bool:
    """Whether drafts are reviewed; a broken configuration is reported on a draft too."""
    found = await _configuration(github, pull)
    return found is None or found.review.drafts


async def _permission_needed(github: GitHub, pull: PullRequest) -> Permission:
    """Who may give commands; the default where the configuration is broken."""
    found = await _configuration(github, pull) or Configuration()
    return Permission[found.commands.permission.upper()]


def _broken(errors: Sequence[FileError]) -> ConcludeCheck:
    """The check where the base's own configuration or rules cannot be loaded."""
    rows = [f"- {code_span(_where(error))} {plain(error.problem)}" for error in errors]
    summary = (
        "The rules of the base branch cannot be loaded, so nothing was judged. Nothing older stands"
        " in for them: fix the file on the base branch, then comment `/recheck`.\n\n"
    )
    return ConcludeCheck(
        Conclusion.FAILURE,
        "The configuration is broken",
        summary + "\n".join(rows),
        annotations=tuple(
            Annotation(
                error.path,
                max(error.line, 1),
                max(error.line, 1),
                "failure",
                "Cannot be loaded",
                f"{error.key}: {error.problem}" if error.key else error.problem,
            )
            for error in errors
        ),
    )


def _where(error: FileError) -> str:
    line = f":{error.line}" if error.line else ""
    return f"{error.path}{line}" + (f" {error.key}" if error.key else "")


def _not_completed(reason: str) -> ConcludeCheck:
    """The check of a review that was given up. It is no pass, and says how to try again."""
    return ConcludeCheck(
        Conclusion.ACTION_REQUIRED,
        "The review could not be completed",
        f"{plain(reason)}\n\nNothing was decided. Comment `/recheck` to try again.",
    )
