"""`/jurat override`: a maintainer lets one commit pass, whatever was found, for a while."""

from __future__ import annotations

import datetime as dt
import logging
import re
from collections.abc import Awaitable, Callable

from jurat.app.command_context import (
    CLOSED,
    CommandContext,
    CommandResult,
    check_reason,
    deny_own,
    deny_permission,
    load_last_review,
    to_command_result,
)
from jurat.errors import JuratError
from jurat.findings.waivers import Decision, DecisionKind, WaiverScope
from jurat.github.auth import GitHubApp, Permission, TokenScope
from jurat.github.models import IdPayload, InstalledRepositoryPayload
from jurat.jobs.requests import Request, ReviewRequest
from jurat.jobs.worker import describe_error
from jurat.reports.markdown import quote_code
from jurat.store.database import Database
from jurat.store.decisions import list_ended_overrides

_log = logging.getLogger(__name__)

_LOOKING = TokenScope.from_permissions({"metadata": "read"})

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
    app: GitHubApp,
    enqueue: Callable[[Request], Awaitable[None]],
    today: dt.date,
) -> None:
    """Have each open pull request reviewed again whose override has ended: its check fails then.

    Doing it twice does no harm. One that cannot be asked about is tried again the next time.
    """
    for repository, number in await list_ended_overrides(database, today):
        values = {"repository": repository}
        try:
            found = await app.api.read(IdPayload, "/repos/{+repository}/installation", values)
            github = app.get_installation(found.id, _LOOKING)
            about = await github.read(InstalledRepositoryPayload, "/repos/{+repository}", values)
        except JuratError as error:
            # The App may have been removed from there: the others' checks must not wait for it.
            _log.warning("an ended override was not rechecked: %s", describe_error(error))
            continue
        await enqueue(
            ReviewRequest(
                repository=about.full_name,
                repository_id=about.id,
                installation_id=found.id,
                number=number,
                cause="override.ended",
                again=True,
            )
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
