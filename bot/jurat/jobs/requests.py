"""What a job asks for, as a value; and as the JSON that waits in the queue.

Unknown keys are ignored and new ones have defaults, so that a job enqueued by one release can be
run by another.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from jurat.errors import JuratError
from jurat.jobs.queue import Job, JobRequest


class UnknownJobError(JuratError):
    """A job that this release cannot read: another one enqueued it."""

    retryable = False


BASE_PUSHED = "push"
"""The cause of a review after a push to the base: its rules changed."""
OWNER_PUSHED = "push.owner"
"""The cause of a review after a push of the owner's: what judges changed, and no commit did."""
BASE_JUDGED, OWNER_JUDGED = "push.judged", "push.owner.judged"
"""The causes of the reviews that ask a model, after those of these two that asked none."""
MODEL_AWAY = "model.away"
"""The cause of a review after one in which the model did not answer."""


class _Request(BaseModel):
    """`repository` is "owner/name", as it was called when the event came."""

    model_config = ConfigDict(frozen=True)

    repository: str
    repository_id: int
    installation_id: int


class ReviewRequest(_Request):
    """Review a pull request as it is when the job starts.

    `cause` is the event that asked. `again` wants a new check even if the head has one. `for_id` is
    the account for which it is done: whoever asked for it, or has opened the pull request; 0 if
    nobody knows.
    """

    kind: Literal["review"] = "review"
    number: int
    cause: str
    again: bool = False
    for_id: int = 0

    @property
    def is_edit(self) -> bool:
        """Whether what asked is an edit, after which most checks say the same."""
        return self.cause in _EDITS

    @property
    def is_computed_first(self) -> bool:
        """Whether it may be one of hundreds: all see what can be computed before a model is asked.

        It is asked by the job of `judge_next`.
        """
        return self.cause in _JUDGED

    @property
    def is_judged_next(self) -> bool:
        """Whether it follows one that asked no model, or that none answered."""
        return self.cause in (*_JUDGED.values(), MODEL_AWAY)

    def judge_next(self) -> ReviewRequest:
        """The review that asks the model; once more, if that has been done."""
        cause = _JUDGED.get(self.cause, MODEL_AWAY)
        return self.model_copy(update={"cause": cause, "again": False})

    @property
    def is_repeated(self) -> bool:
        """Whether a check that the head has does not answer it.

        Rules may ask what the base is, and whether a pull request is a draft.
        """
        return self.again or self.is_edit or self.cause in _REPEATED


_EDITS = frozenset(
    f"pull_request.{action}" for action in ("edited", "labeled", "unlabeled", "converted_to_draft")
)
_JUDGED = {BASE_PUSHED: BASE_JUDGED, OWNER_PUSHED: OWNER_JUDGED}
_UNASKED = (*_JUDGED.keys(), *_JUDGED.values(), MODEL_AWAY)
_REPEATED = ("pull_request.ready_for_review", OWNER_PUSHED, OWNER_JUDGED, MODEL_AWAY)


class CommandLine(BaseModel):
    """One command of a comment (see jurat.github.comment_commands)."""

    model_config = ConfigDict(frozen=True)

    name: str
    arguments: str = ""


class CommandRequest(_Request):
    """Carry out the commands of a comment, if `author` may give them.

    `author_id` is the account: a login can be given up, and taken by somebody else.
    `thread` is the first comment of the thread on the diff that it was written into.
    """

    kind: Literal["command"] = "command"
    number: int
    place: Literal["issue_comment", "review_comment"]
    comment_id: int
    author: str
    author_id: int
    commands: tuple[CommandLine, ...]
    thread: int | None = None


class CheckRequest(_Request):
    """Answer a button of a check run, or find the pull request of a check to be run again.

    `button` is None for a re-run. `numbers` is empty if GitHub did not name the pull request;
    then the job finds it by `head_sha`.
    """

    kind: Literal["check"] = "check"
    head_sha: str
    numbers: tuple[int, ...] = ()
    sender: str
    sender_id: int
    check_run_id: int | None = None
    button: str | None = None


class ResumeRequest(_Request):
    """End a check that a crash or a closed pull request left open on `head_sha`."""

    kind: Literal["resume"] = "resume"
    number: int
    head_sha: str


class MergeGroupRequest(_Request):
    """Check what a merge queue is about to merge."""

    kind: Literal["merge_group"] = "merge_group"
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str


class ClosedRequest(_Request):
    """Learn from a pull request that was closed. `merged_head` is None if it was not merged."""

    kind: Literal["closed"] = "closed"
    number: int
    merged_head: str | None = None
    for_id: int = 0


class RulesRequest(_Request):
    """Check the rules that a pull request would put in force, if it changes any.

    `again` wants a new check even if the head has one. `head_sha` is None, or the head on which
    a check was left open.
    """

    kind: Literal["rules"] = "rules"
    number: int
    again: bool = False
    head_sha: str | None = None
    for_id: int = 0


class BaseRequest(_Request):
    """Judge the open pull requests onto a branch again, if its rules or configuration changed.

    `before` and `after` are the commits between which it moved; empty if it is the owner's
    configuration that may have changed.
    """

    kind: Literal["base"] = "base"
    branch: str
    before: str = ""
    after: str = ""


class BacktestRequest(_Request):
    """Say what the rules would have said of what was merged lately; `again` if that was said."""

    kind: Literal["backtest"] = "backtest"
    again: bool = False


Request = (
    ReviewRequest
    | CommandRequest
    | CheckRequest
    | ResumeRequest
    | MergeGroupRequest
    | ClosedRequest
    | RulesRequest
    | BaseRequest
    | BacktestRequest
)

KINDS = tuple(str(each.model_fields["kind"].default) for each in get_args(Request))
"""The kinds of the jobs that carry requests out."""

_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="kind")])


def build_pull_request_key(repository_id: int, number: int) -> str:
    """What the jobs of one pull request are serial for, whatever its repository is called."""
    return f"{repository_id}#{number}"


def build_rules_key(repository_id: int, number: int) -> str:
    """What the checks of a pull request's own rules are serial for. No review waits for them."""
    # A key of its own, as a trial on fifty past reviews must not hold up the review itself.
    return f"{build_pull_request_key(repository_id, number)}:rules"


def to_review_request(
    request: CheckRequest | CommandRequest | ClosedRequest | ResumeRequest,
    number: int,
    *,
    cause: str = "check.rerequested",
    again: bool = True,
) -> ReviewRequest:
    """A new review of a pull request that something else asked for, such as a check or comment."""
    return ReviewRequest(
        repository=request.repository,
        repository_id=request.repository_id,
        installation_id=request.installation_id,
        number=number,
        cause=cause,
        again=again,
        for_id=_get_person(request),
    )


def to_reopened_request(request: ClosedRequest) -> ReviewRequest:
    """The review of a pull request that is open again, though an event said that it was closed."""
    return to_review_request(request, request.number, cause="pull_request.reopened", again=False)


def to_unanswered_request(request: ResumeRequest) -> ReviewRequest:
    """The review that follows one in which the model did not answer."""
    return to_review_request(request, request.number, cause=MODEL_AWAY, again=False)


def to_rules_request(review: ReviewRequest) -> RulesRequest:
    """The check of the rules that goes with a review."""
    return RulesRequest(
        repository=review.repository,
        repository_id=review.repository_id,
        installation_id=review.installation_id,
        number=review.number,
        again=review.is_repeated,
        for_id=review.for_id,
    )


def to_job(request: Request, delivery: str | None = None) -> JobRequest:
    """The job that carries a request out; `delivery` is the GUID of the event behind it."""
    return JobRequest(
        key=_build_key(request),
        kind=request.kind,
        # The kind is a column of its own: workers look at it before they read the rest.
        payload=request.model_dump(mode="json", exclude={"kind"}),
        variant=_build_variant(request),
        delivery=delivery,
        unasked=_is_unasked(request),
        late=isinstance(request, ReviewRequest) and request.is_judged_next,
        by=_get_person(request),
    )


def _is_unasked(request: Request) -> bool:
    if isinstance(request, BacktestRequest):
        return not request.again
    return isinstance(request, ReviewRequest) and request.cause in _UNASKED


def parse_job(job: Job) -> Request:
    """What a job asks for, or UnknownJobError."""
    try:
        return _REQUEST.validate_python({**job.payload, "kind": job.kind})
    except ValidationError:
        # Given up at once: no retry on this release reads it.
        raise UnknownJobError(
            f"Job {job.id} of kind {job.kind!r} cannot be read.",
            hint="Another release of Jurat enqueued it: run all workers on one release.",
        ) from None


def _get_person(request: Request) -> int:
    match request:
        case ReviewRequest() | RulesRequest() | ClosedRequest():
            return request.for_id
        case CommandRequest():
            return request.author_id
        case CheckRequest():
            return request.sender_id
        case ResumeRequest() | MergeGroupRequest() | BaseRequest() | BacktestRequest():
            return 0


def _build_key(request: Request) -> str:
    match request:
        case RulesRequest():
            return build_rules_key(request.repository_id, request.number)
        case ReviewRequest() | CommandRequest() | ClosedRequest() | ResumeRequest():
            return build_pull_request_key(request.repository_id, request.number)
        case CheckRequest(numbers=(number,)):
            return build_pull_request_key(request.repository_id, number)
        case BaseRequest():
            return f"{request.repository_id}:{request.branch}"
        case BacktestRequest():
            # No branch is called so: a name holds no colon.
            return f"{request.repository_id}::backtest"
        # No number: by the head, until the job has found whose it is.
        case CheckRequest() | MergeGroupRequest():
            return f"{request.repository_id}@{request.head_sha}"


def _build_variant(request: Request) -> str:
    """What must not be merged: two commands, two people's buttons. Two reviews are one.

    But for one that is wanted anew: the job that took its place would leave a head alone that has
    a check.
    """
    match request:
        case CommandRequest():
            # The two kinds of comment are numbered apart: the same number may be one of each.
            return f"{request.place}:{request.comment_id}"
        case CheckRequest():
            return f"{request.check_run_id or ''}:{request.button or ''}:{request.sender}"
        case ResumeRequest():
            return request.head_sha
        case BaseRequest():
            # Two pushes are two: what the first one changed would else be compared with nothing.
            return request.after
        case ReviewRequest(cause=cause) if cause in _UNASKED:
            # Not in the place of one that somebody asked for: it would wait with these.
            return cause
        case (
            ReviewRequest(is_repeated=True) | RulesRequest(again=True) | BacktestRequest(again=True)
        ):
            return "anew"
        case (
            ReviewRequest()
            | MergeGroupRequest()
            | ClosedRequest()
            | RulesRequest()
            | BacktestRequest()
        ):
            return ""
