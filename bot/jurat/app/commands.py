"""Runs `/jurat` commands and buttons: their table, and those that only explain something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType

import yaml

from jurat.app.command_context import (
    CLOSED,
    Command,
    CommandContext,
    CommandResult,
    ReviewedFinding,
    deny_permission,
    read_review,
)
from jurat.app.dismissals import confirm, confirm_commit, dismiss, restore
from jurat.app.exclusions import exclude, include
from jurat.app.overrides import override
from jurat.errors import FileError
from jurat.findings.verdict import Verdict
from jurat.github.base_config import FoundConfiguration, read_configuration
from jurat.github.contents import CommitFiles
from jurat.jobs.requests import CommandLine
from jurat.reports.check_run import CONFIRM, RECHECK_ACTION, list_errors
from jurat.reports.limits import Limit, fit
from jurat.reports.markdown import quote_code, render_fence
from jurat.reports.rule_docs import render_rule
from jurat.rules.level import Level
from jurat.source.visible_text import to_visible_text

_ANSWER = Limit(20_000)
"""Of an answer: a comment takes three times as many, but nobody reads that."""

HELP = """\
| Comment | What it does |
|---|---|
| `/recheck` | reviews this pull request again |
| `/jurat explain RULE` | says what a rule demands, why, and how it is decided |
| `/jurat dismiss FINDING reason` | sets a finding aside, here and wherever it comes up again; \
FINDING may be left out in an answer to its comment |
| `/jurat restore FINDING` | takes a dismissal back |
| `/jurat confirm reason` | lets this commit pass if it needs a person's confirmation |
| `/jurat exclude #NUMBER reason` | leaves another pull request with the same commit out of its \
check; `/jurat include #NUMBER` takes that back |
| `/jurat override until DATE reason` | lets this commit pass whatever was found, until that day \
and at most 30 days: for whoever maintains the repository |
| `/jurat config` | shows what is in force here |
| `/jurat help` | shows this |"""


async def explain_rule(context: CommandContext, arguments: str) -> CommandResult:
    """A rule as a page, and what it said of this pull request."""
    if isinstance(context.base, FileError):
        return _build_config_failure(context.base)
    rule_id = arguments.partition(" ")[0].strip("`")
    if not rule_id and context.thread is not None:
        rule_id = context.thread.rule_id
    if not rule_id:
        return CommandResult(
            False, "Which rule? `/jurat explain RULE`: the summary names each one."
        )
    rule = context.base.rule_set.rules.get(rule_id)
    if rule is None:
        close = get_close_matches(rule_id, context.base.rule_set.rules, n=1)
        meant = f" Did you mean {quote_code(close[0])}?" if close else ""
        return CommandResult(False, f"No rule {quote_code(rule_id[:128])} is in force here.{meant}")
    text = f"{render_rule(rule)}\n\n{await _describe_verdict(context, rule_id)}"
    return CommandResult(True, fit(text, _ANSWER, "\n\n_The rest was too long to show._"))


async def show_config(context: CommandContext, _arguments: str) -> CommandResult:
    """The configuration in force, as if all were written, and from which file each key comes."""
    if isinstance(context.base, FileError):
        return _build_config_failure(context.base)
    try:
        found = await read_configuration(
            CommitFiles(context.github, context.pull.repository, context.pull.base.sha)
        )
    except FileError as error:
        return _build_config_failure(error)
    base, rules = context.pull.base, len(context.base.rule_set)
    return CommandResult(True, _describe_config(base.ref, base.sha, rules, found))


async def show_help(_context: CommandContext, _arguments: str) -> CommandResult:
    """The commands."""
    return CommandResult(True, HELP)


def _describe_config(branch: str, commit: str, rules: int, found: FoundConfiguration) -> str:
    base = f"{quote_code(branch)} at {quote_code(commit[:12])}"
    text = f"In force on {base}, with {rules:,} rules:\n\n"
    written = to_visible_text(_render_config(found))
    # Cut before it is fenced: a fence that is left open takes in whatever is said below it.
    room = Limit(_ANSWER.size - len(text))
    return text + render_fence(fit(written, room, "\n# The rest was too long to show."), "yaml")


def _render_config(found: FoundConfiguration) -> str:
    """The configuration as YAML; behind each top-level key the files that it comes from."""
    parts = []
    for key, value in found.configuration.model_dump(mode="json", exclude={"extends"}).items():
        first, *more = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False).split("\n")
        origin = ", then ".join(found.sources.get(key, ("default",)))
        parts.append("\n".join([f"{first}  # {origin}", *more]))
    return "".join(parts).rstrip("\n")


async def _describe_verdict(context: CommandContext, rule_id: str) -> str:
    stored = await context.store.last_review(context.pull.repository_id, context.pull.number)
    if stored is None:
        return "This pull request has not been reviewed yet."
    found = [item for item in read_review(stored).findings if item.rule_id == rule_id]
    if found:
        names = ", ".join(f"{quote_code(item.short)} at {quote_code(item.place)}" for item in found)
        return f"**In this pull request** it {_describe_effect(found)}: {names}."
    if any(item.rule_id == rule_id for item in stored.answer.rule_verdicts):
        return "**In this pull request** it found nothing."
    if any(item.rule_id == rule_id for item in stored.answer.not_assessed):
        return "**In this pull request** it was not assessed: the check's summary says why."
    return "**In this pull request** it does not apply."


def _describe_effect(found: Sequence[ReviewedFinding]) -> str:
    """What findings of one rule do, by the gravest of them."""
    blocking = [item.verdict for item in found if item.level is Level.BLOCK]
    if Verdict.DENY in blocking:
        return "blocks"
    return "needs confirmation" if blocking else "has advice"


def _build_config_failure(error: FileError) -> CommandResult:
    return CommandResult(
        False,
        "The configuration on the base branch cannot be loaded, so nothing is in force:\n\n"
        f"{list_errors(error)}\n\nFix it on the base branch, then comment `/recheck`.",
    )


# From what somebody said to what the App does and answers. Whoever may not ask changes nothing.


async def recheck(context: CommandContext, _arguments: str) -> CommandResult:
    """Review the pull request again. The check is the answer."""
    if not context.is_open:
        return CommandResult(False, CLOSED)
    await context.review_again()
    return CommandResult(True)


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "recheck": recheck,
        "explain": explain_rule,
        "dismiss": dismiss,
        "restore": restore,
        "confirm": confirm,
        "exclude": exclude,
        "include": include,
        "override": override,
        "config": show_config,
        "help": show_help,
    }
)


def has_known_command(said: Sequence[CommandLine]) -> bool:
    """Whether there is something to be done at all."""
    return any(line.name in COMMANDS for line in said)


async def run_commands(
    context: CommandContext, said: Sequence[CommandLine]
) -> CommandResult | None:
    """Carry out the commands of a comment in order; None if there is nothing to answer.

    Someone who may not give commands learns so, but not when what they wrote is no command.
    """
    # Before any is carried out: of two commands one must not be done and the other refused.
    if context.permission < context.required_permission:
        return deny_permission(context.required_permission) if has_known_command(said) else None
    answers = [await _run_command(context, line) for line in said]
    texts = dict.fromkeys(answer.text for answer in answers if answer.text)
    return CommandResult(all(answer.done for answer in answers), "\n\n".join(texts))


async def run_button(context: CommandContext, button: str, head_sha: str) -> CommandResult:
    """Do what a button of the check on `head_sha` says."""
    if context.permission < context.required_permission:
        return deny_permission(context.required_permission)
    # Of any check: a recheck is of the head, whatever the button's check was of.
    if button == RECHECK_ACTION:
        return await recheck(context, "")
    if head_sha != context.pull.head.sha:
        return CommandResult(
            False, "That check is about an older commit: use the buttons of the newest."
        )
    if button == CONFIRM:
        return await confirm_commit(context, "Confirmed with the button of the check.")
    return CommandResult(
        False, f"Jurat has no button {quote_code(button)} any more: comment `/recheck`."
    )


async def _run_command(context: CommandContext, line: CommandLine) -> CommandResult:
    command = COMMANDS.get(line.name)
    if command is not None:
        return await command(context, line.arguments)
    close = get_close_matches(line.name, COMMANDS, n=1)
    meant = f" Did you mean `/jurat {close[0]}`?" if close else ""
    problem = f"Jurat does not know {quote_code(f'/jurat {line.name}')}.{meant}"
    return CommandResult(False, f"{problem} `/jurat help` lists what it knows.")
