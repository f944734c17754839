"""What options of the commands take, and what a person at a terminal sees besides the report.

They stand apart from the commands, whose modules declare the options and load what they run late.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from jurat.judge.protocol import Judge, Prompt, Reply, Tier
from jurat.reports.formats import (
    PROBE_FORMATS,
    RATING_FORMATS,
    REVIEW_FORMATS,
    RULE_CHECK_FORMATS,
)
from jurat.source.parsing import ParseFailure, ParseMap, attempt, parse_in_process
from jurat.source.visible_text import to_terminal_line

if TYPE_CHECKING:
    from jurat.source.parser_pool import ParserPool


class Form(StrEnum):
    """How a result is printed: for people, or for programs."""

    TEXT = "text"
    JSON = "json"


# What --format takes is what is registered: mypy knows the classes, and no member by name.
ReportFormat = StrEnum("ReportFormat", list(REVIEW_FORMATS))  # type: ignore[misc]
RatingFormat = StrEnum("RatingFormat", list(RATING_FORMATS))  # type: ignore[misc]
RuleCheckFormat = StrEnum("RuleCheckFormat", list(RULE_CHECK_FORMATS))  # type: ignore[misc]
ProbeFormat = StrEnum("ProbeFormat", list(PROBE_FORMATS))  # type: ignore[misc]


class FailOn(StrEnum):
    """The weakest verdict that makes the exit code 1."""

    DENY = "deny"
    CONFIRM = "confirm"
    NEVER = "never"


class AuditSet(StrEnum):
    """The shipped rule sets."""

    DECISION = "decision"
    BANKING = "banking"
    DENY = "deny"
    ALLOW = "allow"


RULES_HELP = "Rule files, or folders of them."
RULES_DEFAULT = "what the .github/jurat.yml around here names, else engineering"
"""Which rules are meant if none are named; see `cli.rule_files.load_local_rules`."""


# What a person at a terminal sees besides the report: progress and remarks, all on stderr.

T = TypeVar("T")
R = TypeVar("R")

WORTH_SHOWING = 100
"""Files from which on a stage takes long enough, about half a second, for a person to wonder."""


def print_note(text: str) -> None:
    """Say something that is no part of the report."""
    print(f"jurat: {to_terminal_line(text)}", file=sys.stderr)  # noqa: T201 - a command speaks by printing


def parse_map() -> ParseMap:
    """How the command line parses: in this process, with a progress bar if a person looks on."""
    return _with_progress if sys.stderr.isatty() else parse_in_process


def _with_progress(work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
    if len(items) < WORTH_SHOWING:
        return parse_in_process(work, items)
    return [attempt(work, item) for item in show_progress(items, len(items))]


def show_progress(items: Iterable[T], total: int, doing: str = "Reviewing") -> Iterable[T]:
    """These items, with a bar on the terminal that says how many of them were taken."""
    from rich.console import Console  # noqa: PLC0415 - loaded for long reviews alone
    from rich.progress import track  # noqa: PLC0415 - as above

    console = Console(stderr=True)
    return track(items, description=doing, total=total, console=console, transient=True)


class ChangeParser:
    """The ParseMap of a review: processes on all cores for a large change, else this process.

    The processes start with the first call that is large enough, or turns out to take long: files
    whose values are followed from one to the other may take a second each. `close` ends them. A
    small review loads nothing of them.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._in_process = parse_in_process if quiet else parse_map()
        self._shows_progress = not quiet and sys.stderr.isatty()
        self._pool: ParserPool | None = None

    def __call__(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """One result or ParseFailure for each item, in the items' order."""
        if (os.cpu_count() or 1) == 1:
            return self._in_process(work, items)
        if len(items) < WORTH_PROCESSES and self._pool is None:
            return self._begin_here(work, items)
        return self._ask_processes(work, items)

    def close(self) -> None:
        """End the processes, if there are any."""
        if self._pool is not None:
            self._pool.close()

    def _begin_here(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        """Take a few items one by one, and hand over what is left once they have taken long."""
        begun, results = monotonic(), list[R | ParseFailure]()
        for taken, item in enumerate(items, 1):
            results.append(attempt(work, item))
            if monotonic() - begun > WORTH_SECONDS and len(items) - taken >= _WORTH_LEFT:
                return [*results, *self._ask_processes(work, items[taken:])]
        return results

    def _ask_processes(
        self, work: Callable[[T], R], items: Sequence[T]
    ) -> Sequence[R | ParseFailure]:
        pool = self._get_pool()
        # Few at a time: what waits for a process is held twice, and the bar moves.
        parts = [items[at : at + _AT_A_TIME] for at in range(0, len(items), _AT_A_TIME)]
        watched = show_progress(parts, len(parts)) if self._shows_progress else parts
        return [result for part in watched for result in pool(work, part)]

    def _get_pool(self) -> ParserPool:
        if self._pool is None:
            from jurat.source.parser_pool import ParserPool  # noqa: PLC0415 - as in the class

            self._pool = ParserPool(deadline=_PATIENCE)
        return self._pool


WORTH_PROCESSES = 100
"""Files from which on processes on two cores are done before one is, their start included."""

WORTH_SECONDS = 2.0
"""Seconds in this process after which processes are worth their start, however few the files."""

_WORTH_LEFT = 4
"""Files that must be left for that."""

_AT_A_TIME = 128
"""Files that are handed to the processes before the last of them is waited for."""

_PATIENCE = 120.0
"""Seconds for one file. On a machine that does much else no file may be given up as too slow: the
same change would be reviewed in another way."""


class ProgressJudge:
    """A Judge that says on the terminal, while it is asked, who is asked and how often."""

    def __init__(self, judge: Judge) -> None:
        from rich.console import Console  # noqa: PLC0415 - loaded where a model is asked alone

        self._judge = judge
        self._status = Console(stderr=True).status("")
        self._under_way = 0

    async def ask(self, prompt: Prompt) -> Reply:
        """Pass the question on."""
        self._count(1, prompt.tier)
        try:
            return await self._judge.ask(prompt)
        finally:
            self._count(-1, prompt.tier)

    def model_id(self, tier: Tier) -> str:
        """The model that serves a tier."""
        return self._judge.model_id(tier)

    def _count(self, change: int, tier: Tier) -> None:
        self._under_way += change
        calls = f", {self._under_way} calls" if self._under_way > 1 else ""
        self._status.update(f"Asking {self.model_id(tier)}{calls}")
        if self._under_way:
            self._status.start()
        else:
            self._status.stop()


def with_progress(judge: Judge) -> Judge:
    """The judge, with a status line if a person looks on."""
    return ProgressJudge(judge) if sys.stderr.isatty() else judge


def exit_on_interrupt() -> None:
    """Let Ctrl-C end the process at once, though a thread is parsing; a review leaves no trace."""

    def end(*_: object) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
            sys.stderr.flush()
        os._exit(128 + signal.SIGINT)

    # Python runs a handler between two bytecodes of the main thread, and asyncio's own waits for
    # the thread that parses: minutes, for a person who pressed Ctrl-C.
    signal.signal(signal.SIGINT, end)
