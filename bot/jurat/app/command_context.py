"""A command or a button, and everything that carrying it out needs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from jurat.errors import FileError
from jurat.findings.evaluation import Conclusion
from jurat.findings.finding import SHORT, WaiverKind
from jurat.findings.verdict import Verdict
from jurat.github.auth import Permission
from jurat.github.client import GitHub
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import is_contributor
from jurat.reports.answer import RuleVerdictAnswer
from jurat.reports.comment import CommentMarker
from jurat.rules.config import Config
from jurat.rules.level import Level
from jurat.rules.rule import Modality, RuleSet, Severity
from jurat.store.evaluations import Store
from jurat.store.rows import StoredReview

MAX_REASON = 500
"""Characters of a reason: it stands in a comment's first line, and in the summary's list."""


@dataclass(frozen=True, slots=True)
class BaseRules:
    """What a pull request is judged by: the configuration and the rules of its base."""

    configuration: Config
    rule_set: RuleSet


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Who asks for something, where, and what the App can do about it.

    `base` is what is in force, or why it cannot be loaded. `thread` is the finding below whose
    comment it was said. `show` reviews the pull request as it is now and shows the result: it gives
    the check's conclusion, or None if a push came between. `review_again` has that done by a
    job of its own, which is one however often it was asked for before it began. `now` is the time
    in UTC. `job` is the job: what it decides is decided once, though it may run twice.
    """

    github: GitHub
    pull: PullRequestPayload
    author: str
    author_id: int
    permission: Permission
    base: BaseRules | FileError
    store: Store
    show: Callable[[], Awaitable[Conclusion | None]]
    review_again: Callable[[], Awaitable[None]]
    now: Callable[[], dt.datetime]
    job: str
    thread: CommentMarker | None = None

    @property
    def required_permission(self) -> Permission:
        """Who may ask for anything at all: as configured, write if that cannot be loaded."""
        base = self.base
        options = (base.configuration if isinstance(base, BaseRules) else Config()).commands
        return Permission[options.permission.upper()]

    @property
    def permission_to_decide(self) -> Permission:
        """Who may say that a finding does not count: at least write, whatever is configured."""
        # Whatever a repository configures: a decision outlives the pull request it was made on.
        return max(self.required_permission, Permission.WRITE)

    async def is_own(self) -> bool:
        """Whether whoever asks wrote the change, or some of it."""
        return await is_contributor(self.github, self.pull, self.author_id)

    @property
    def own_decisions(self) -> bool:
        """Whether people may decide about what they wrote; the base says so."""
        base = self.base
        return isinstance(base, BaseRules) and base.configuration.commands.own_decisions

    @property
    def is_open(self) -> bool:
        """Whether the pull request can still be reviewed."""
        return self.pull.state == "open"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of it. `text` is Markdown for the person who asked; empty if all is said."""

    done: bool
    text: str = ""


Command = Callable[[CommandContext, str], Awaitable[CommandResult]]
"""Carries a command out. The text is what stood behind its name, from whoever wrote it."""

CLOSED = "This pull request is closed: reopen it to have it reviewed."


def deny_permission(permission: Permission) -> CommandResult:
    """Said to someone who may not ask for this."""
    return CommandResult(
        False, f"Only people with {permission.name.lower()} permission can ask for that."
    )


def deny_own(permission: Permission) -> CommandResult:
    """Said to someone who wrote the change that they would decide about."""
    return CommandResult(
        False,
        "You wrote some of this change, so somebody else decides about its findings: anyone with"
        f" {permission.name.lower()} permission. If there is nobody else,"
        " `commands: {own_decisions: true}` in `.github/jurat.yml` on the base branch allows it,"
        " and the record then says that it was an author's decision.",
    )


def check_reason(why: str, command: str, what: str) -> CommandResult | None:
    """What to tell someone whose reason cannot be kept: there is none, or a whole essay."""
    if not why:
        return CommandResult(False, f"{what} needs a reason: `{command} reason`.")
    if len(why) > MAX_REASON:
        return CommandResult(False, f"Please keep the reason below {MAX_REASON} characters.")
    return None


async def load_last_review(context: CommandContext) -> RememberedReview | None:
    """The last review of the pull request that was shown, None if there is none."""
    stored = await context.store.last_review(context.pull.repository_id, context.pull.number)
    return None if stored is None else read_review(stored)


def to_command_result(conclusion: Conclusion | None) -> str:
    """What the check says after a review that a command brought about, as a sentence."""
    if conclusion is None:
        return "A newer commit was pushed meanwhile: its own check follows."
    return f"The check now says {conclusion.replace('_', ' ')}."


# The last review of a pull request, as far as people may decide about it.


@dataclass(frozen=True, slots=True)
class ReviewedFinding:
    """A finding as it was shown. `waived` says why it does not count, None if it does.

    `waived_by` is then the person, or the place of the suppression.
    """

    fingerprint: str
    code_print: str
    path: str | None
    line: int | None
    rule_id: str
    revision: str
    verdict: Verdict
    modality: Modality
    severity: Severity
    level: Level
    waived: WaiverKind | None
    waived_by: str

    @property
    def short(self) -> str:
        """The name that people call it by."""
        return self.fingerprint[:SHORT]

    @property
    def place(self) -> str:
        """`path:line`, or what it is about if it has no place."""
        if self.path is None:
            return "the change as a whole"
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class RememberedReview:
    """What a review found. `unassessed` are rules without which it could not pass."""

    evaluation_id: str
    head_sha: str | None
    subject_digest: str
    overall: Verdict
    conclusion: Conclusion | None
    findings: tuple[ReviewedFinding, ...]
    unassessed: tuple[str, ...]

    def list_unwaived(self, verdict: Verdict) -> tuple[ReviewedFinding, ...]:
        """The findings of one verdict that count, and keep the check from passing."""
        return tuple(
            item
            for item in self.findings
            if item.verdict is verdict and item.waived is None and item.level is Level.BLOCK
        )


def read_review(stored: StoredReview) -> RememberedReview:
    """The review that the store remembers."""
    answer = stored.answer
    return RememberedReview(
        stored.evaluation_id,
        stored.head_sha,
        stored.subject_digest,
        stored.overall,
        stored.conclusion,
        tuple(found for verdict in answer.rule_verdicts for found in _read_findings(verdict)),
        tuple(item.rule_id for item in answer.not_assessed if item.blocks),
    )


def _read_findings(verdict: RuleVerdictAnswer) -> Iterator[ReviewedFinding]:
    for found in verdict.findings:
        place = None if found.location is None else verdict.locations[found.location]
        yield ReviewedFinding(
            fingerprint=found.id,
            code_print=found.code_print,
            path=place.file_path if place else None,
            line=place.start_line if place else None,
            rule_id=verdict.rule_id,
            revision=verdict.rule_revision,
            verdict=Verdict(verdict.verdict),
            modality=verdict.modality,
            severity=verdict.severity,
            level=found.level,
            waived=found.waiver.kind if found.waiver else None,
            waived_by=found.waiver.by if found.waiver else "",
        )
