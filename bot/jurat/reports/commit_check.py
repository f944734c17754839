"""The check of a commit: the strictest of all open pull requests that have it as their head.

GitHub knows a check by its name and its commit, whichever pull request it was made for, and
requires the newest: https://docs.github.com/en/rest/checks/runs. A second pull request with the
same head, onto a branch with softer rules, would otherwise pass the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from jurat.findings.evaluation import Conclusion
from jurat.reports.check_run import CheckRun
from jurat.reports.limits import CHECK_TEXT, fit
from jurat.reports.markdown import escape_markdown, quote_code, render_row

MERGE_GROUP = 0
"""The number of what is about no single pull request: a merge queue's group."""

_STRICTNESS: Mapping[Conclusion, int] = MappingProxyType(
    {
        Conclusion.FAILURE: 3,
        Conclusion.ACTION_REQUIRED: 2,
        # It claims less than a success does: nothing was checked, or only by rules that observe.
        Conclusion.NEUTRAL: 1,
        Conclusion.SUCCESS: 0,
        Conclusion.CANCELLED: 0,
    }
)
_ROWS = 20
"""Pull requests that are listed: a stranger may open any number of them."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Somebody's word that a pull request does not count for its head's check, and why."""

    by: str
    why: str


@dataclass(frozen=True, slots=True)
class PullRequestCheck:
    """What one open pull request has its head's check say.

    `base_ref` is the branch that it goes to. `check` is None while its review is not concluded.
    """

    number: int
    base_ref: str
    check: CheckRun | None = None
    excluded: Exclusion | None = None


@dataclass(frozen=True, slots=True)
class CommitCheck:
    """What the check of a commit says, in the words of pull request `number`."""

    number: int
    check: CheckRun


def combine_checks(checks: Sequence[PullRequestCheck]) -> CommitCheck | None:
    """The strictest of what the pull requests of one commit say; None while one is under review.

    One that was excluded does not count, unless no other is left: it never passes unjudged.
    """
    counting = [item for item in checks if item.excluded is None] or list(checks)
    said = [CommitCheck(item.number, item.check) for item in counting if item.check is not None]
    # Not even a failure is told before all are known: each review would bring another run.
    if not said or len(said) < len(counting):
        return None
    # Of equals the first, so that whoever combines the same says the same.
    strictest = max(said, key=lambda item: (_STRICTNESS[item.check.conclusion], -item.number))
    if len(checks) == 1:
        return strictest
    check = strictest.check
    summary = f"{_describe_all(checks)}\n\n{check.summary}"
    check = replace(
        check,
        title=f"{_format_number(strictest.number)}: {check.title}",
        summary=fit(summary, CHECK_TEXT, "\n\n_And so on._"),
    )
    return CommitCheck(strictest.number, check)


def _describe_all(checks: Sequence[PullRequestCheck]) -> str:
    ordered = sorted(checks, key=lambda item: item.number)
    rows = [
        render_row(_format_number(item.number), quote_code(item.base_ref), _describe(item))
        for item in ordered[:_ROWS]
    ]
    more = len(ordered) - len(rows)
    lines = [
        f"**{len(ordered)} open pull requests have this commit as their head**, and a commit has"
        " one check: the strictest of theirs.",
        "",
        "| Pull request | Onto | Says |",
        "|---|---|---|",
        *rows,
        *([f"| and {more:,} more | | |"] if more > 0 else ()),
        "",
        "If one of them is not meant to count, somebody with write permission can say so on"
        " another: `/jurat exclude #NUMBER reason`. `/jurat include #NUMBER` takes that back.",
    ]
    return "\n".join(lines)


def _describe(item: PullRequestCheck) -> str:
    if item.excluded is not None:
        return f"left out by {quote_code(item.excluded.by)}: {escape_markdown(item.excluded.why)}"
    if item.check is None:
        return "is being reviewed"
    said = item.check.conclusion.replace("_", " ")
    return f"{said}: {escape_markdown(item.check.title)}"


def _format_number(number: int) -> str:
    return f"#{number}" if number != MERGE_GROUP else "merge queue"
