"""A command or a button, and everything that carrying it out needs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.corpus.configuration import Configuration
from bot.corpus.rule import Corpus
from bot.errors import FileError
from bot.github.client import GitHub
from bot.github.payloads import PullRequestPayload
from bot.github.permissions import Permission
from bot.publishing.comment import Marker
from bot.store.store import Store
from bot.verdicts import Conclusion

MAX_REASON = 500
"""Characters of a reason: it stands in a comment's first line, and in the summary's list."""


@dataclass(frozen=True, slots=True)
class InForce:
    """What a pull request is judged by: the configuration and the rules of its base."""

    configuration: Configuration
    corpus: Corpus


@dataclass(frozen=True, slots=True)
class Case:
    """Who asks for something, where, and what the App can do about it.

    `base` is what is in force, or why it cannot be loaded. `thread` is the finding below whose
    comment it was said. `show` reviews the pull request as it is now and shows the result: it gives
    the check's conclusion, or None where a push came between. `now` is the time in UTC.
    """

    github: GitHub
    pull: PullRequestPayload
    author: str
    permission: Permission
    base: InForce | FileError
    store: Store
    show: Callable[[], Awaitable[Conclusion | None]]
    now: Callable[[], dt.datetime]
    thread: Marker | None = None

    @property
    def needed(self) -> Permission:
        """Who may ask for anything at all: as configured, write where that cannot be loaded."""
        base = self.base
        options = (base.configuration if isinstance(base, InForce) else Configuration()).commands
        return Permission[options.permission.upper()]

    @property
    def needed_to_decide(self) -> Permission:
        """Who may say that a finding does not count: at least write, whatever is configured."""
        return max(self.needed, Permission.WRITE)

    @property
    def open(self) -> bool:
        """Whether the pull request can still be reviewed."""
        return self.pull.state == "open"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of it. `text` is Markdown for the person who asked; empty where all is said."""

    done: bool
    text: str = ""


Command = Callable[[Case, str], Awaitable[Answer]]
"""Carries a command out. The text is what stood behind its name, from whoever wrote it."""

CLOSED = "This pull request is closed: reopen it to have it reviewed."


def refused(permission: Permission) -> Answer:
    """Said to someone who may not ask for this."""
    return Answer(False, f"Only people with {permission.name.lower()} permission can ask for that.")


def outcome(conclusion: Conclusion | None) -> str:
    """What the check says after a review that a command brought about, as a sentence."""
    if conclusion is None:
        return "A newer commit was pushed meanwhile: its own check follows."
    return f"The check now says {conclusion.replace('_', ' ')}."
