"""The one tree of errors. Each says what happened, where, and what to do next, on one line."""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """Exit codes of the `jurat` command."""

    PASSED = 0
    FINDINGS = 1
    USAGE = 2
    INCOMPLETE = 3


def with_hint(message: str, hint: str) -> str:
    """The two as sentences of one line: a message without a full stop gets one before the hint."""
    if not hint:
        return message
    return f"{message} {hint}" if message.endswith((".", "!", "?")) else f"{message}. {hint}"


class JuratError(Exception):
    """Base of every error that Jurat raises on purpose.

    `message` says what happened and where, `hint` what the user can do about it. `retryable` says
    whether a job that met it may succeed later without anyone changing anything, and `retry_after`
    how many seconds to wait before that, if it is known. `patience` is for how many seconds a job
    waits for whoever is away without an attempt of its own being counted, 0 for not at all;
    `is_needed_by_all` says that no other job would come through either, as long as they are.
    """

    exit_code = ExitCode.INCOMPLETE
    retryable: ClassVar[bool] = True
    patience: ClassVar[float] = 0.0
    is_needed_by_all: ClassVar[bool] = True
    retry_after: float | None = None

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return with_hint(self.message, self.hint)


class UsageError(JuratError):
    """The command line, a request or the environment asks for something that cannot be done."""

    exit_code = ExitCode.USAGE
    retryable = False


class FileError(JuratError):
    """A configuration or rule file is broken at a known place.

    `line` is 1-based; 0 means the file as a whole. So is `column`, 0 if it is not known. `key` is
    the dotted path inside the document. `others` are the errors that the same reading found.
    """

    exit_code = ExitCode.USAGE
    retryable = False

    def __init__(
        self, path: str, line: int, key: str, problem: str, *, hint: str = "", column: int = 0
    ) -> None:
        place = f"{path}:{line}" if line else path
        super().__init__(f"{place}: {key}: {problem}" if key else f"{place}: {problem}", hint=hint)
        self.path = path
        self.line = line
        self.column = column
        self.key = key
        self.problem = problem
        self.others: tuple[FileError, ...] = ()

    def __reduce__(
        self,
    ) -> tuple[type[FileError], tuple[str, int, str, str], dict[str, object]]:
        # Pickled between processes: Exception's own way would call it with the one message it was
        # given.
        return type(self), (self.path, self.line, self.key, self.problem), self.__dict__


class RuleError(FileError):
    """A rule file cannot be loaded. It stops the run: a rule is never skipped."""


class ConfigurationError(FileError):
    """The repository's `.github/jurat.yml` cannot be loaded."""


class IncompleteError(JuratError):
    """The review could not be completed: something that had to be read or judged was not."""
