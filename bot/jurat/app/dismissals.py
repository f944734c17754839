"""`/jurat dismiss`, `restore` and `confirm`: what people say of findings, kept with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jurat.app.command_context import (
    CLOSED,
    CommandContext,
    CommandResult,
    RememberedReview,
    ReviewedFinding,
    check_reason,
    deny_own,
    deny_permission,
    load_last_review,
    to_command_result,
)
from jurat.findings.evaluation import Conclusion
from jurat.findings.finding import WaiverKind
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.github.auth import Permission
from jurat.reports.markdown import escape_markdown, quote_code
from jurat.rules.level import Level
from jurat.rules.rule import Severity

_NAME = re.compile(r"[0-9a-f]{4,16}")
_MOST_NAMED = 10

_DONE = {"dismiss": "dismissed", "restore": "restored"}

NOT_REVIEWED = "This pull request has not been reviewed yet: `/recheck` does that."


async def dismiss(context: CommandContext, arguments: str) -> CommandResult:
    """Say of one finding that it does not count, here and wherever it comes up again."""
    if context.permission < context.permission_to_decide:
        return deny_permission(context.permission_to_decide)
    last = await load_last_review(context)
    if last is None:
        return CommandResult(False, NOT_REVIEWED)
    named = _find_named(context, last, arguments, "dismiss")
    if isinstance(named, CommandResult):
        return named
    finding, why = named
    if problem := check_reason(why, f"/jurat dismiss {finding.short}", "A dismissal"):
        return problem
    if context.permission < (needed := _get_permission_to_dismiss(context, finding)):
        return CommandResult(
            False,
            f"{quote_code(finding.rule_id)} is a critical rule: only people with"
            f" {needed.name.lower()} permission can dismiss what it found.",
        )
    if (own := await context.is_own()) and not context.own_decisions:
        return deny_own(needed)
    if by := await _find_dismisser(context, finding):
        return CommandResult(False, f"This finding is dismissed already, by {escape_markdown(by)}.")
    await context.store.decide(
        _build_decisions(context, last, [finding], DecisionKind.DISMISSED, why, own=own),
        last.subject_digest,
    )
    summary = (
        f"Finding {quote_code(finding.short)} ({quote_code(finding.rule_id)} at"
        f" {quote_code(finding.place)}) is dismissed, and will not come up again in this"
        " repository."
    )
    return CommandResult(
        True, f"{summary} {to_command_result(await context.show())}" if context.is_open else summary
    )


async def restore(context: CommandContext, arguments: str) -> CommandResult:
    """Take a dismissal back: the finding counts again, here and wherever it comes up.

    A reason may be given. An author may do it too: it makes nothing pass.
    """
    if context.permission < context.permission_to_decide:
        return deny_permission(context.permission_to_decide)
    last = await load_last_review(context)
    if last is None:
        return CommandResult(False, NOT_REVIEWED)
    named = _find_named(context, last, arguments, "restore")
    if isinstance(named, CommandResult):
        return named
    finding, why = named
    if why and (problem := check_reason(why, f"/jurat restore {finding.short}", "")):
        return problem
    if not await _find_dismisser(context, finding):
        return CommandResult(False, "This finding is not dismissed: there is nothing to restore.")
    own = await context.is_own()
    await context.store.decide(
        _build_decisions(context, last, [finding], DecisionKind.RESTORED, why, own=own),
        last.subject_digest,
    )
    summary = (
        f"Finding {quote_code(finding.short)} ({quote_code(finding.rule_id)} at"
        f" {quote_code(finding.place)}) counts again, here and in later pull requests."
    )
    return CommandResult(
        True, f"{summary} {to_command_result(await context.show())}" if context.is_open else summary
    )


async def confirm(context: CommandContext, why: str) -> CommandResult:
    """Let a change pass that needs a person's word, for the commit that was reviewed."""
    if problem := check_reason(why, "/jurat confirm", "A confirmation"):
        return problem
    return await confirm_commit(context, why)


async def confirm_commit(context: CommandContext, why: str) -> CommandResult:
    """Confirm everything at the pull request's head that needs it, and nothing that is denied."""
    if context.permission < context.permission_to_decide:
        return deny_permission(context.permission_to_decide)
    if not context.is_open:
        return CommandResult(False, CLOSED)
    last = await load_last_review(context)
    # Of the head alone: a confirmation of what a push has replaced would pass what nobody saw.
    if last is None or last.head_sha != context.pull.head.sha:
        return CommandResult(
            False,
            "The newest commit has not been reviewed yet: wait for its check, or comment"
            " `/recheck`.",
        )
    unsure = last.list_unwaived(Verdict.NEEDS_CONFIRMATION)
    if problem := _explain_not_confirmable(last, unsure):
        return CommandResult(False, problem)
    if (own := await context.is_own()) and not context.own_decisions:
        return deny_own(context.permission_to_decide)
    await context.store.decide(
        _build_decisions(context, last, unsure, DecisionKind.CONFIRMED, why, own=own),
        last.subject_digest,
    )
    conclusion = await context.show()
    return CommandResult(
        conclusion in (Conclusion.SUCCESS, Conclusion.NEUTRAL),
        f"Confirmed for {quote_code(context.pull.head.sha[:12])}. {to_command_result(conclusion)}",
    )


def _explain_not_confirmable(last: RememberedReview, unsure: Sequence[ReviewedFinding]) -> str:
    """Why there is nothing that a confirmation could do; empty if there is."""
    if denied := last.list_unwaived(Verdict.DENY):
        rules = list(dict.fromkeys(item.rule_id for item in denied))
        names = ", ".join(quote_code(rule_id) for rule_id in rules[:_MOST_NAMED])
        return (
            f"A confirmation does not lift what blocks: {names}. Fix it, or dismiss each finding"
            " with `/jurat dismiss FINDING reason`."
        )
    if last.unassessed:
        names = ", ".join(quote_code(rule_id) for rule_id in last.unassessed[:_MOST_NAMED])
        return f"Nobody has looked at {names} yet, so there is nothing to confirm: `/recheck`."
    return "" if unsure else "Nothing here needs a confirmation."


def _find_named(
    context: CommandContext, last: RememberedReview, arguments: str, command: str
) -> tuple[ReviewedFinding, str] | CommandResult:
    """The finding that is meant, and the reason; or what to tell if that is not clear.

    The finding is named first, but for an answer in its own thread.
    """
    word, _, rest = arguments.partition(" ")
    name = word.strip("`")
    if _NAME.fullmatch(name):
        fitting = [item for item in last.findings if item.fingerprint.startswith(name)]
        if len(fitting) == 1:
            return fitting[0], rest.strip()
        if fitting:
            return CommandResult(
                False, f"{quote_code(name)} fits {len(fitting)} findings: write more of its digits."
            )
    if context.thread is None:
        return CommandResult(False, _ask_which(last, word, command))
    for item in last.findings:
        # The finding itself first; then its code, which keeps its print if it has moved since.
        if context.thread.fingerprint == item.fingerprint:
            return item, arguments
    for item in last.findings:
        if context.thread.code_print == item.code_print:
            return item, arguments
    return CommandResult(False, "This finding is gone: the last review does not have it any more.")


def _ask_which(last: RememberedReview, word: str, command: str) -> str:
    restoring = command == "restore"
    left = [item for item in last.findings if (item.waived is WaiverKind.DISMISSED) == restoring]
    if not left:
        return f"The last review has no finding that could be {_DONE[command]}."
    names = ", ".join(quote_code(item.short) for item in left[:_MOST_NAMED])
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    which = "Dismissed findings" if restoring else "Findings"
    known = f"{which} of the last review: {names}{more}."
    if not word:
        return f"Which finding? `/jurat {command} FINDING reason`. {known}"
    return f"There is no finding {quote_code(word[:40])}. {known}"


async def _find_dismisser(context: CommandContext, finding: ReviewedFinding) -> str:
    """Who has dismissed a finding; empty if nobody has, or somebody took it back since."""
    # What is on record, not what the last review saw: a closed pull request is not reviewed again.
    pull = context.pull
    made = await context.store.decisions(pull.repository_id, [finding.code_print])
    said = [item for item in made if item.fingerprint == finding.fingerprint]
    for item in reversed(said):
        if item.kind is DecisionKind.RESTORED:
            return ""
        if item.kind is DecisionKind.DISMISSED:
            return item.by
    # Dismissed under another name of its file.
    return finding.waived_by if finding.waived is WaiverKind.DISMISSED else ""


def _get_permission_to_dismiss(context: CommandContext, finding: ReviewedFinding) -> Permission:
    """A finding of a critical rule that binds takes someone who maintains the repository."""
    critical = finding.modality.binding and finding.severity is Severity.CRITICAL
    grave = critical and finding.level is not Level.OBSERVE
    return (
        max(context.permission_to_decide, Permission.MAINTAIN)
        if grave
        else context.permission_to_decide
    )


def _build_decisions(
    context: CommandContext,
    last: RememberedReview,
    findings: Sequence[ReviewedFinding],
    kind: DecisionKind,
    why: str,
    *,
    own: bool,
) -> list[Decision]:
    at = context.now()
    return [
        Decision(
            kind=kind,
            repository=context.pull.repository,
            repository_id=context.pull.repository_id,
            number=context.pull.number,
            head_sha=last.head_sha or context.pull.head.sha,
            evaluation_id=last.evaluation_id,
            fingerprint=item.fingerprint,
            code_print=item.code_print,
            path=item.path,
            rule_id=item.rule_id,
            revision=item.revision,
            verdict=item.verdict,
            by=context.author,
            by_id=context.author_id,
            own=own,
            job=context.job,
            why=why,
            at=at,
        )
        for item in findings
    ]
