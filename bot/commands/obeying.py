"""From what somebody said to what the App does and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType

from bot.commands.case import CLOSED, Answer, Case, Command, refused
from bot.commands.deciding import confirm, confirm_head, dismiss
from bot.commands.telling import config, explain, show_help
from bot.jobs.requests import CommandLine
from bot.publishing.buttons import CONFIRM, RECHECK_ACTION
from bot.publishing.markdown import code_span


async def recheck(case: Case, _arguments: str) -> Answer:
    """Review the pull request again. The check is the answer."""
    if not case.open:
        return Answer(False, CLOSED)
    await case.show()
    return Answer(True)


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "recheck": recheck,
        "explain": explain,
        "dismiss": dismiss,
        "confirm": confirm,
        "config": config,
        "help": show_help,
    }
)


def knows_any(said: Sequence[CommandLine]) -> bool:
    """Whether there is something to be done at all."""
    return any(line.name in COMMANDS for line in said)


async def obey(case: Case, said: Sequence[CommandLine]) -> Answer | None:
    """Carry out the commands of a comment in order; None where there is nothing to answer.

    Someone who may not give commands learns so, but not when what they wrote is no command.
    """
    if case.permission < case.needed:
        return refused(case.needed) if knows_any(said) else None
    answers = [await _carry_out(case, line) for line in said]
    texts = dict.fromkeys(answer.text for answer in answers if answer.text)
    return Answer(all(answer.done for answer in answers), "\n\n".join(texts))


async def press(case: Case, button: str, head_sha: str) -> Answer:
    """Do what a button of the check on `head_sha` says."""
    if case.permission < case.needed:
        return refused(case.needed)
    if button == RECHECK_ACTION:
        return await recheck(case, "")
    if head_sha != case.pull.head.sha:
        return Answer(False, "That check is about an older commit: use the buttons of the newest.")
    if button == CONFIRM:
        return await confirm_head(case, "Confirmed with the button of the check.")
    return Answer(False, f"Bylaw has no button {code_span(button)} any more: comment `/recheck`.")


async def _carry_out(case: Case, line: CommandLine) -> Answer:
    command = COMMANDS.get(line.name)
    if command is not None:
        return await command(case, line.arguments)
    close = get_close_matches(line.name, COMMANDS, n=1)
    meant = f" Did you mean `/bylaw {close[0]}`?" if close else ""
    told = f"Bylaw does not know {code_span(f'/bylaw {line.name}')}.{meant}"
    return Answer(False, f"{told} `/bylaw help` lists what it knows.")
