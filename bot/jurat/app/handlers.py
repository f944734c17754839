"""What the App does for pull requests: one function a kind of job.

A job is carried out on the state of things when it starts, and may be carried out twice: each write
is looked for before it is repeated.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import assert_never

import structlog

from jurat.app.apply_fixes import ButtonPress, apply_fixes, post_refusal
from jurat.app.base_push import review_again, review_dependents
from jurat.app.command_context import CommandContext, deny_permission
from jurat.app.commands import has_known_command, run_button, run_commands
from jurat.app.due_reviews import PastReviews, load_base_rules
from jurat.app.job_access import COMMITTING, JobAccess, read_own_at_tip
from jurat.app.merged_history import MergedHistory
from jurat.app.review_runner import (
    ModelAwayError,
    ReviewRunner,
    build_group_check,
    build_open_check,
)
from jurat.app.rules_check import RULE_LIKE, RulesCheck
from jurat.app.shared_commits import CHECKING, SharedCommits, SharedRecord
from jurat.errors import IncompleteError
from jurat.findings.evaluation import Conclusion
from jurat.github.auth import GitHubApp, TokenScope, read_permission
from jurat.github.client import GitHub
from jurat.github.comments import CommentPlace, post_notice, react, reply
from jurat.github.diffs import has_file_ending_in, is_changing_any
from jurat.github.merge_groups import MergeGroupPublisher, MergeGroupRange, MergeGroupSource
from jurat.github.models import PullRequestPayload
from jurat.jobs.queue import Job
from jurat.jobs.requests import (
    MODEL_AWAY,
    BacktestRequest,
    BaseRequest,
    CheckRequest,
    ClosedRequest,
    CommandRequest,
    MergeGroupRequest,
    Request,
    ResumeRequest,
    ReviewRequest,
    RulesRequest,
    parse_job,
    to_job,
    to_reopened_request,
    to_review_request,
    to_rules_request,
    to_unanswered_request,
)
from jurat.reports.check_run import APPLY_FIXES, REQUEUE, build_failed_check
from jurat.reports.comment import CommentMarker
from jurat.reports.commit_check import MERGE_GROUP
from jurat.reports.markdown import escape_markdown, quote_code
from jurat.source.diff import Diff
from jurat.store.commit_checks import Share
from jurat.store.evaluations import Store
from jurat.store.open_checks import OpenCheck

_log = structlog.stdlib.get_logger("jurat.app.handlers")


@dataclass(frozen=True, slots=True)
class JobHandlers:
    """The App at work.

    `app` speaks to GitHub, `reviews` shows reviews, `store` remembers them and what people decided
    about them, `commits` which pull requests share a commit's check. `enqueue` has another job
    done, that follows from the one at hand.
    """

    app: GitHubApp
    reviews: ReviewRunner
    store: Store
    commits: SharedCommits
    enqueue: Callable[[Request], Awaitable[None]]

    async def handle(self, job: Job) -> None:
        """Carry a job out. An error is the queue's to retry, or to give up."""
        request = await self._find_repository(parse_job(job))
        match request:
            case None:
                _log.info("a job was dropped: the App has nothing to do there", key=job.key)
            case ReviewRequest():
                await self._review(request, job)
            case CommandRequest():
                await self._run_commands(request, job)
            case CheckRequest():
                await self._press_button(request, job)
            case ResumeRequest():
                await self._resume(request, job)
            case MergeGroupRequest():
                await self._review_merge_group(request, job)
            case RulesRequest():
                await (await self._build_rules_check(request, job)).run(again=request.again)
            case BaseRequest():
                await self._review_base(request)
            case BacktestRequest():
                await self._look_back(request, job)
            case ClosedRequest():
                await self.store.rules.settle(
                    request.repository_id, request.number, merged_head=request.merged_head
                )
                if not await self.commits.leave_closed(request):
                    # Events come in any order: a closing that comes late has cancelled the review
                    # for which it was opened again.
                    await self.enqueue(to_reopened_request(request))
            case _:
                assert_never(request)

    async def _find_repository(self, request: Request) -> Request | None:
        """A request, of its repository as that is called by now; None if the App left it.

        A name that was another one's when the event came leads elsewhere by now.
        """
        known = await self.store.repositories.keep(request.repository_id, request.repository)
        if known.is_at_rest:
            return None
        if known.name is None:
            raise IncompleteError(
                f"Repository {known.id} is not called {request.repository} any more.",
                hint="GitHub says what it is called with its next event.",
            )
        installation_id = known.installation_id or request.installation_id
        return request.model_copy(
            update={"repository": known.name, "installation_id": installation_id}
        )

    async def _review_base(self, request: BaseRequest) -> None:
        """Have pull requests judged again by the rules that a push put in force."""
        github = self._access.open_github(request, CHECKING)
        changed = await review_again(github, request, self.enqueue)
        if changed and request.after and request.repository.partition("/")[2] == ".github":
            everywhere = TokenScope.from_permissions({"metadata": "read"})
            lister = self.app.get_installation(request.installation_id, everywhere)
            await review_dependents(lister, request, self.enqueue)

    async def _look_back(self, request: BacktestRequest, job: Job) -> None:
        """Show what the rules would have said of what was merged where the App has come to."""
        github = self._access.open_github(request, CHECKING)
        identity = await self.app.get_identity(github)
        history = MergedHistory(github, identity, self.reviews.services, self.store)
        await history.replay(request, resumed=job.attempts > 1)

    async def give_up(self, job: Job, reason: str) -> None:
        """Say on the pull request that a job was given up: nobody waits for a check in vain."""
        request = await self._find_repository(parse_job(job))
        if isinstance(request, CommandRequest):
            github = self._access.open_github(request)
            await react(github, _to_comment_place(request), "confused")
            await reply(
                github,
                _to_comment_place(request),
                f"This could not be done. {escape_markdown(reason)}",
            )
        if isinstance(request, RulesRequest):
            await (await self._build_rules_check(request, job)).give_up(reason)
        if isinstance(request, MergeGroupRequest):
            _, group = await self._build_group_review(request)
            await group.conclude(build_failed_check(reason, REQUEUE))
            await self.reviews.end(job.key, request.head_sha)
        if isinstance(request, ResumeRequest):
            # Whatever forbids to end this check forbids it for good: it is not tried for ever.
            await self.reviews.end(job.key, request.head_sha)
        if isinstance(request, ReviewRequest | CommandRequest | CheckRequest | ResumeRequest):
            await self._fail_checks(request, job, reason)

    async def _fail_checks(
        self,
        request: ReviewRequest | CommandRequest | CheckRequest | ResumeRequest,
        job: Job,
        reason: str,
    ) -> None:
        """Conclude the checks that a job was given up on: of the heads on which it began them.

        A push since then has a job of its own. It waits behind this one, and finds no check.
        """
        begun = await self.reviews.open_checks.list_begun_by(job.id)
        for pull, publisher in await self._access.find_pull_requests(request):
            github = self._access.open_github(request)
            if isinstance(request, CheckRequest) and request.button == APPLY_FIXES:
                await post_refusal(
                    github, pull, _to_button_press(request, job), escape_markdown(reason)
                )
            # By number: the repository may have another name by now than in the key.
            own = [each for each in begun if each.payload.get("number") == pull.number]
            for each in own:
                if each.head_sha != pull.head.sha:
                    await self._leave(github, pull, each.key, each.head_sha)
            # Without any it failed before it began one: then whoever waits for the head is told.
            # Somebody may have been answered by a later job meanwhile: its conclusion is not
            # overwritten.
            here = [each for each in own if each.head_sha == pull.head.sha]
            # Of an edit the check that stands knows nothing.
            awaited = (
                isinstance(request, ReviewRequest) and request.is_edit
            ) or not await publisher.is_concluded()
            if (here or not own) and pull.state == "open" and awaited:
                await publisher.apply([build_failed_check(reason)])
            for each in here:
                await self.reviews.end(each.key, each.head_sha)

    @property
    def _access(self) -> JobAccess:
        return JobAccess(self.app, self.store)

    @property
    def _past(self) -> PastReviews:
        has_second = self.reviews.services.second_judge is not None
        return PastReviews(self.store, self.commits, has_second)

    async def _review(self, request: ReviewRequest, job: Job) -> None:
        """Review a pull request as it is now, unless its head has been reviewed already."""
        github, pull, publisher = await self._access.open_pull_request(request)
        if pull.state != "open":
            return
        await self.commits.leave_moved(request, pull)
        check = build_open_check(request, pull.number, pull.head.sha, job)
        await self.reviews.acknowledge(check, publisher)
        # The same head may be asked for by two events, or by a job that ran twice.
        if not request.is_repeated and await self._past.has_head(pull, publisher):
            await self.reviews.end(job.key, pull.head.sha)
            return
        if not await self._past.is_due(request, github, pull, publisher):
            return
        computed_only = False
        if request.is_computed_first and self.reviews.services.judge is not None:
            said = await publisher.find_conclusion()
            # What fails already goes on failing until the model was asked.
            if said is not None and said.blocks:
                await self.enqueue(request.judge_next())
                return
            computed_only = said is not None
        await self.commits.enqueue_unreviewed(request, pull, job)
        # Words and labels are edited often, and few rules read them: a check that would be open for
        # that long, and say the same again, would only hold people up.
        # Nor does a failure that could be computed wait for the model.
        behind = (
            request.is_edit or request.is_judged_next
        ) and await publisher.has_conclusion_onto_base()
        # The check that stands says already that no model has answered.
        until_judged = behind and request.cause == MODEL_AWAY
        outcome = await self.reviews.run(
            github,
            pull,
            publisher,
            check,
            asked_by=request.cause,
            behind=behind,
            computed_only=computed_only,
            until_judged=until_judged,
        )
        if behind and request.is_edit:
            return
        if outcome.unanswered and until_judged:
            raise ModelAwayError
        if outcome.unanswered or outcome.postponed:
            await self.enqueue(request.judge_next())
        if outcome.postponed or request.cause == MODEL_AWAY:
            return
        if await _is_of_rules(github, pull, outcome.change):
            await self.enqueue(to_rules_request(request))

    async def _resume(self, request: ResumeRequest, job: Job) -> None:
        """End a check that was left open: by its review, or as cancelled if that is moot."""
        github, pull, publisher = await self._access.open_pull_request(request)
        if pull.state == "open" and pull.head.sha == request.head_sha:
            check = build_open_check(request, pull.number, pull.head.sha, job)
            await self.reviews.acknowledge(check, publisher)
            # It may have ended between the sweep and now: then there is nothing to do again.
            if not await publisher.is_concluded() or await self._past.is_unpublished(pull):
                await self.commits.enqueue_unreviewed(request, pull, job)
                outcome = await self.reviews.run(github, pull, publisher, check, asked_by="sweep")
                if outcome.unanswered:
                    await self.enqueue(to_unanswered_request(request))
            else:
                await publisher.align()
                await self.reviews.end(job.key, request.head_sha)
            return
        await self._leave(github, pull, job.key, request.head_sha)

    async def _leave(
        self, github: GitHub, pull: PullRequestPayload, key: str, head_sha: str
    ) -> None:
        """Cancel the check on a head that nobody waits for: the pull request moved on, or ended."""
        # A publisher writes for the head of the pull request that it is given.
        head = pull.head.model_copy(update={"sha": head_sha})
        left = await self._access.build_publisher(
            None, github, pull.model_copy(update={"head": head})
        )
        await (left.cancel() if pull.state == "open" else left.stop())
        await self.reviews.end(key, head_sha)

    async def _review_merge_group(self, request: MergeGroupRequest, job: Job) -> None:
        """Review what a merge queue is about to merge, as one change."""
        source, publisher = await self._build_group_review(request)
        await self.reviews.run_group(source, publisher, build_group_check(request, job))

    async def _build_group_review(
        self, request: MergeGroupRequest
    ) -> tuple[MergeGroupSource, MergeGroupPublisher]:
        github = self._access.open_github(request, CHECKING)
        group = MergeGroupRange(
            request.repository,
            request.base_sha,
            request.head_sha,
            request.head_ref,
            request.repository_id,
        )
        identity = await self.app.get_identity(github)
        source = MergeGroupSource(github, group, self.reviews.services.parse_map)
        share = Share(request.repository_id, request.head_sha, MERGE_GROUP, request.base_ref)
        again = request.model_dump(mode="json")
        record = SharedRecord(self.store.commits, share, again)
        return source, MergeGroupPublisher(github, identity, group, record)

    async def _run_commands(self, request: CommandRequest, job: Job) -> None:
        """Obey a comment, if its author may give commands here. Deleting it takes it back."""
        github, pull, publisher = await self._access.open_pull_request(request)
        place = _to_comment_place(request)
        # First of all: a review takes minutes, and whoever asked should see at once that it was
        # heard.
        if has_known_command(request.commands) and not await react(github, place, "eyes"):
            return
        thread = None if request.thread is None else await publisher.find_marker(request.thread)
        who = (request.author, request.author_id)
        context = await self._build_command_context(request, job, pull, who, thread)
        answer = await run_commands(context, request.commands)
        if answer is None:
            return
        await react(github, place, "+1" if answer.done else "confused")
        if answer.text:
            await reply(github, place, answer.text)

    async def _press_button(self, request: CheckRequest, job: Job) -> None:
        """Have a check run again, or obey its button, for each pull request that it is about.

        A button cannot be answered itself, so a refusal stands in the conversation.
        """
        github = self._access.open_github(request)
        if request.button is None and (group := await self.commits.find_group(request)):
            await self.enqueue(group)
        for found, _ in await self._access.find_pull_requests(request):
            pull = await read_own_at_tip(github, request, found.number)
            if request.button is None:
                # Not here: this job may run beside one of the pull request's own.
                await self.enqueue(to_review_request(request, pull.number))
                continue
            context = await self._build_command_context(
                request, job, pull, (request.sender, request.sender_id)
            )
            if request.button != APPLY_FIXES:
                answer = await run_button(context, request.button, request.head_sha)
            elif context.permission < context.permission_to_decide:
                answer = deny_permission(context.permission_to_decide)
            else:
                # The one thing that writes code, with a token of its own.
                await apply_fixes(
                    self._access.open_github(request, COMMITTING),
                    pull,
                    _to_button_press(request, job),
                    self.reviews.services,
                )
                continue
            if not answer.done:
                notice = (
                    f"{quote_code(request.sender)} pressed a button of the check. {answer.text}"
                )
                key = f"{request.check_run_id}:{request.button}:{request.sender}"
                await post_notice(github, pull.repository, pull.number, notice, key)

    async def _build_command_context(
        self,
        request: CommandRequest | CheckRequest,
        job: Job,
        pull: PullRequestPayload,
        who: tuple[str, int],
        thread: CommentMarker | None = None,
    ) -> CommandContext:
        github = self._access.open_github(request)
        author, author_id = who

        async def show() -> Conclusion | None:
            await self.commits.enqueue_unreviewed(request, pull, job)
            # Anew each time: a comment may hold two commands, and each review has its own check.
            publisher = await self._access.build_publisher(request, github, pull)
            check = build_open_check(request, pull.number, pull.head.sha, job)
            asked_by = f"github:{author}"
            outcome = await self.reviews.run(github, pull, publisher, check, asked_by=asked_by)
            return outcome.conclusion

        async def review_again() -> None:
            again = to_review_request(request, pull.number, cause=f"github:{author}")
            await self.enqueue(again)

        return CommandContext(
            github=github,
            pull=pull,
            author=author,
            author_id=author_id,
            # Asked when the job runs: who lost the permission since then has lost it.
            permission=await read_permission(github, pull.repository, author, author_id),
            base=await load_base_rules(github, pull),
            store=self.store,
            show=show,
            review_again=review_again,
            now=self.reviews.services.clock,
            job=str(job.id),
            thread=thread,
        )

    async def _build_rules_check(self, request: RulesRequest, job: Job) -> RulesCheck:
        github = self._access.open_github(request, CHECKING)
        pull = await read_own_at_tip(github, request, request.number)
        head_sha = request.head_sha or pull.head.sha
        left = to_job(request.model_copy(update={"head_sha": head_sha}))
        return RulesCheck(
            github,
            pull,
            await self.app.get_identity(github),
            self.reviews.services,
            self.store,
            self.reviews.open_checks,
            OpenCheck(left.key, head_sha, job.id, left.kind, left.payload),
        )


def _to_button_press(request: CheckRequest, job: Job) -> ButtonPress:
    return ButtonPress(request.sender, request.head_sha, job.id)


def _to_comment_place(request: CommandRequest) -> CommentPlace:
    return CommentPlace(
        request.repository, request.number, request.comment_id, request.place, request.thread
    )


async def _is_of_rules(github: GitHub, pull: PullRequestPayload, change: Diff | None) -> bool:
    """Whether a pull request changes what looks like rules; `change` is None if it was not read."""
    if change is None:
        return await is_changing_any(github, pull, RULE_LIKE)
    return has_file_ending_in(change, RULE_LIKE)
