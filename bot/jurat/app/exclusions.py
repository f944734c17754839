"""`/jurat exclude` and `/jurat include`: whether another pull request counts for a shared head."""

from __future__ import annotations

import re
from dataclasses import replace

from jurat.app.command_context import (
    CLOSED,
    CommandContext,
    CommandResult,
    check_reason,
    deny_own,
    deny_permission,
    to_command_result,
)
from jurat.app.shared_commits import build_share
from jurat.errors import FileError
from jurat.github.base_config import read_configuration
from jurat.github.contents import CommitFiles
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import is_contributor, read_pull_request
from jurat.reports.commit_check import MERGE_GROUP, Exclusion
from jurat.reports.markdown import quote_code

_NUMBER = re.compile(r"#?(\d{1,9})")


async def exclude(context: CommandContext, arguments: str) -> CommandResult:
    """Say that another pull request does not count for the check of the commit that both share."""
    return await _decide(context, arguments, excluded=True)


async def include(context: CommandContext, arguments: str) -> CommandResult:
    """Take an exclusion back."""
    return await _decide(context, arguments, excluded=False)


async def _decide(context: CommandContext, arguments: str, *, excluded: bool) -> CommandResult:
    if context.permission < context.permission_to_decide:
        return deny_permission(context.permission_to_decide)
    if not context.is_open:
        return CommandResult(False, CLOSED)
    verb = "exclude" if excluded else "include"
    word, _, why = arguments.strip().partition(" ")
    match = _NUMBER.fullmatch(word)
    if match is None or int(match[1]) == MERGE_GROUP:
        return CommandResult(False, f"Which pull request? `/jurat {verb} #NUMBER reason`.")
    number, why = int(match[1]), why.strip()
    if excluded and (problem := check_reason(why, f"/jurat exclude #{number}", "An exclusion")):
        return problem
    if number == context.pull.number:
        return CommandResult(
            False, "A pull request does not leave itself out: say so on one that shares its commit."
        )
    share = build_share(context.pull)
    sharing = await context.store.commits.list_checks(share.repository_id, share.head_sha)
    named = next((item for item in sharing if item.number == number), None)
    if named is None:
        return CommandResult(
            False,
            f"#{number} does not have {quote_code(share.head_sha[:12])} as its head, so it does not"
            " count here.",
        )
    if (named.excluded is not None) == excluded:
        state = "left out already" if excluded else "not left out"
        return CommandResult(False, f"#{number} is {state} on this commit.")
    other = await read_pull_request(context.github, context.pull.repository, number)
    # It passes with the others' check, unjudged by the rules of its own base: nobody grants that to
    # a change of theirs, unless that base says so. What the base of this one says is not asked.
    if (
        excluded
        and await is_contributor(context.github, other, context.author_id)
        and not await _is_own_decision_allowed(context, other)
    ):
        return deny_own(context.permission_to_decide)
    share = replace(share, number=number, base_ref=named.base_ref)
    await context.store.commits.decide(share, Exclusion(context.author, why), excluded=excluded)
    answer = (
        f"#{number} does not count for {quote_code(share.head_sha[:12])} while it goes to"
        f" {quote_code(named.base_ref)}. Its own rules do not keep it from being merged meanwhile."
        if excluded
        else f"#{number} counts for {quote_code(share.head_sha[:12])} again."
    )
    return CommandResult(True, f"{answer} {to_command_result(await context.show())}")


async def _is_own_decision_allowed(context: CommandContext, other: PullRequestPayload) -> bool:
    try:
        found = await read_configuration(
            CommitFiles(context.github, other.repository, other.base.sha)
        )
    except FileError:
        return False
    return found.configuration.commands.own_decisions
