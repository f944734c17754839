"""The writes that a review makes on GitHub, as values: the check, its buttons, its comments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from jurat.engine.fix_verifier import list_safe_fixes
from jurat.errors import FileError
from jurat.findings.evaluation import Conclusion, Evaluation, Gate, is_blocking_unassessed
from jurat.findings.finding import Finding
from jurat.reports.limits import ANNOTATION_TEXT, CHECK_TEXT, fit
from jurat.reports.markdown import escape_markdown, escape_plain, quote_code

# Errors in configuration and rule files, for people to read.


def list_errors(error: FileError) -> str:
    """A list of everything that one reading found: where, and what is wrong."""
    return "\n".join(
        f"- {quote_code(_format_place(item))} {escape_markdown(item.problem)}"
        for item in (error, *error.others)
    )


def annotate_errors(error: FileError) -> tuple[Annotation, ...]:
    """The same on the lines of the files."""
    return tuple(
        Annotation(
            item.path,
            max(item.line, 1),
            max(item.line, 1),
            "failure",
            "Cannot be loaded",
            fit(
                escape_plain(f"{item.key}: {item.problem}" if item.key else item.problem),
                ANNOTATION_TEXT,
            ),
        )
        for item in (error, *error.others)
    )


def _format_place(error: FileError) -> str:
    line = f":{error.line}" if error.line else ""
    return f"{error.path}{line}" + (f" {error.key}" if error.key else "")


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note on lines of a file, in the diff or not."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckAction:
    """A button."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    """Completes the check run. Annotations may be any number: they are sent in batches."""

    conclusion: Conclusion
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[CheckAction, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """One inline comment. `start_line` is None for a single line; both lines lie in one hunk."""

    path: str
    line: int
    body: str
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewPost:
    """One review (event COMMENT) with all new inline comments."""

    body: str
    comments: tuple[ReviewComment, ...]


@dataclass(frozen=True, slots=True)
class EditComment:
    """Replaces the body of a comment that Jurat wrote earlier.

    `resolved` is whether its thread is to be resolved, or to be open; None leaves it as it is.
    """

    comment_id: int
    body: str
    resolved: bool | None = None


Edit = ReviewPost | EditComment | CheckRun


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A review comment that Jurat wrote earlier, as GitHub holds it now.

    `line` is None once the comment is outdated; `commit` is the head it was written on.
    """

    comment_id: int
    path: str
    line: int | None
    body: str
    commit: str


CONFIRM = "confirm"
RECHECK_ACTION = "recheck"
APPLY_FIXES = "apply_fixes"
"""Identifiers, which come back when somebody presses the button."""

RECHECK_BUTTON = CheckAction("Recheck", "Review this pull request again", RECHECK_ACTION)
RETRY_BUTTON = CheckAction("Retry", "Try the review again", RECHECK_ACTION)
CONFIRM_BUTTON = CheckAction("Confirm", "Let this commit pass as it is", CONFIRM)
FIX_BUTTON = CheckAction("Apply fixes", "Commit the checked fixes to the branch", APPLY_FIXES)


def build_actions(evaluation: Evaluation) -> tuple[CheckAction, ...]:
    """What a person with permission can do about the conclusion, in one click.

    A confirmation lifts neither a DENY nor what nobody could assess or rate, so it is not offered.
    """
    conclusion, rating = evaluation.conclusion, evaluation.rating
    if conclusion is Conclusion.SUCCESS:
        return ()
    unrated = rating is not None and rating.gate is Gate.UNRATED
    if unrated or any(is_blocking_unassessed(item) for item in evaluation.rule_verdicts):
        return (RETRY_BUTTON,)
    # GitHub shows three buttons at most, "Apply fixes" among them.
    if conclusion is Conclusion.ACTION_REQUIRED and not evaluation.blocking:
        return (CONFIRM_BUTTON, RECHECK_BUTTON)
    return (RECHECK_BUTTON,)


def build_fix_button(findings: Iterable[Finding]) -> tuple[CheckAction, ...]:
    """The button "Apply fixes", if there is something to apply."""
    return (FIX_BUTTON,) if list_safe_fixes(findings) else ()


# The checks of reviews that could not be made: none is a pass, and each says how to go on.

_RECHECK_HINT = "comment `/recheck`"
REQUEUE = "put the pull request into the queue again"
"""How to have a pull request, or a merge group, reviewed again."""


def build_config_error_check(error: FileError, again: str = _RECHECK_HINT) -> CheckRun:
    """The check if the base's own configuration or rules cannot be loaded."""
    summary = (
        "The rules of the base branch cannot be loaded, so nothing was judged. Nothing older stands"
        f" in for them: fix the file on the base branch, then {again}.\n\n"
    )
    return CheckRun(
        Conclusion.FAILURE,
        "The configuration is broken",
        fit(summary + list_errors(error), CHECK_TEXT, "\n\n_And so on._"),
        annotations=annotate_errors(error),
        actions=(RECHECK_BUTTON,),
    )


def build_failed_check(reason: str, again: str = _RECHECK_HINT) -> CheckRun:
    """The check of a review that was given up."""
    return CheckRun(
        Conclusion.ACTION_REQUIRED,
        "The review could not be completed",
        f"{escape_markdown(reason)}\n\nNothing was decided. To try again, {again}.",
        actions=(RETRY_BUTTON,),
    )
