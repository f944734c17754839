"""`/jurat override`: a maintainer lets one commit pass, whatever was found, for a while."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Awaitable, Callable

from jurat.app.command_context import (
    CLOSED,
    BaseRules,
    CommandContext,
    CommandResult,
    RememberedReview,
    check_reason,
    deny_own,
    deny_permission,
    load_last_review,
    to_command_result,
)
from jurat.findings.waivers import Decision, DecisionKind, WaiverScope
from jurat.github.auth import Permission
from jurat.jobs.requests import Request, ReviewRequest
from jurat.reports.markdown import quote_code
from jurat.store.database import Database
from jurat.store.decisions import list_ended_overrides

MAX_DAYS = 30
"""Days that an override lasts at most: long enough to mend what it lets through."""

_UNTIL = re.compile(r"(?:until\s+)?(\d{4})-(\d{2})-(\d{2})\b", re.IGNORECASE | re.ASCII)
_FOR = re.compile(r"for\s+(\d{1,3})\s*(?:d|days?)\b", re.IGNORECASE | re.ASCII)


async def override(context: CommandContext, arguments: str) -> CommandResult:
    """Let the head commit pass, by whoever maintains the repository and did not write the change.

    The evaluation keeps what the rules come to; the check says both, and is neutral.
    """
    needed = max(context.permission_to_decide, Permission.MAINTAIN)
    if context.permission < needed:
        return deny_permission(needed)
    if not context.is_open:
        return CommandResult(False, CLOSED)
    read = _read_arguments(arguments, context.now().date())
    if isinstance(read, CommandResult):
        return read
    until, why = read
    last = await load_last_review(context)
    # Of what was reviewed alone: nobody lets pass what nobody has seen.
    if last is None or last.head_sha != context.pull.head.sha:
        return CommandResult(
            False,
            "The newest commit has not been reviewed yet: wait for its check, or comment"
            " `/recheck`.",
        )
    if last.conclusion is None or not last.conclusion.blocks:
        return CommandResult(False, "Nothing blocks this commit, so there is nothing to override.")
    if (own := await context.is_own()) and not context.own_decisions:
        return deny_own(needed)
    if (refusal := _check_floor(context, last)) is not None:
        return refusal
    scope = WaiverScope(context.pull.number, last.head_sha, base_ref=context.pull.base.ref)
    if (commit := scope.commit_print) is None:
        raise AssertionError("a pull request has a number and a head")
    made = Decision(
        kind=DecisionKind.OVERRIDDEN,
        repository=context.pull.repository,
        repository_id=context.pull.repository_id,
        number=context.pull.number,
        head_sha=last.head_sha,
        evaluation_id=last.evaluation_id,
        fingerprint=commit,
        code_print=commit,
        path=None,
        rule_id="",
        revision="",
        verdict=last.overall,
        by=context.author,
        by_id=context.author_id,
        own=own,
        why=why,
        at=context.now(),
        job=context.job,
        until=until,
    )
    await context.store.decide([made], last.subject_digest)
    conclusion = await context.show()
    return CommandResult(
        conclusion is not None and not conclusion.blocks,
        f"Commit {quote_code(last.head_sha[:12])} passes until the end of {until} (UTC), and no"
        f" other commit does. {to_command_result(conclusion)}",
    )


async def recheck_ended_overrides(
    database: Database,
    enqueue: Callable[[Request], Awaitable[None]],
    today: dt.date,
) -> None:
    """Have each open pull request reviewed again whose override has ended: its check fails then.

    Doing it twice does no harm.
    """
    for ended in await list_ended_overrides(database, today):
        await enqueue(
            ReviewRequest(
                repository=ended.repository,
                repository_id=ended.repository_id,
                installation_id=ended.installation_id,
                number=ended.number,
                cause="override.ended",
                again=True,
            )
        )


def _check_floor(context: CommandContext, last: RememberedReview) -> CommandResult | None:
    """Why what the owner requires is not let pass; None if it may be, or if nothing of it blocks.

    The review that follows looks for itself: this only says so before anything is on record.
    """
    floor = context.base.rule_set.floor if isinstance(context.base, BaseRules) else None
    if floor is None or floor.waivable:
        return None
    counting = {*last.unassessed, *(item.rule_id for item in last.findings if item.waived is None)}
    if not (held := sorted(counting & floor.least.keys())):
        return None
    named = ", ".join(map(quote_code, held))
    return CommandResult(
        False,
        f"{quote_code(floor.owner)} requires {named}, and that nobody sets aside what it finds: no"
        " commit passes without it. Mend the change, or ask whoever keeps that file.",
    )


def _read_arguments(arguments: str, today: dt.date) -> tuple[dt.date, str] | CommandResult:
    """The last day, and the reason; or what to tell if either is missing or out of bounds."""
    example = f"/jurat override until {today + dt.timedelta(days=7)}"
    latest = today + dt.timedelta(days=MAX_DAYS)
    try:
        if match := _UNTIL.match(arguments):
            until = dt.date(int(match[1]), int(match[2]), int(match[3]))
        elif match := _FOR.match(arguments):
            until = today + dt.timedelta(days=int(match[1]))
        else:
            return CommandResult(
                False, f"Until when? `{example} reason`: {latest} at the latest ({MAX_DAYS} days)."
            )
    except ValueError:
        return CommandResult(False, f"There is no such day. An example: `{example} reason`.")
    if until < today:
        return CommandResult(False, f"{until} is over. An example: `{example} reason`.")
    if until > latest:
        return CommandResult(
            False, f"An override lasts at most {MAX_DAYS} days, until {latest}: `{example} reason`."
        )
    why = arguments[match.end() :].strip(" \t,:;-\u2013\u2014")
    return check_reason(why, f"/jurat override until {until}", "An override") or (until, why)
