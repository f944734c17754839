"""What comes of following the values of one file."""

from __future__ import annotations

from dataclasses import dataclass

from ast_grep_py import SgNode


@dataclass(frozen=True, slots=True)
class Flow:
    """A value that arrives where it must not. `question` is the number of the question.

    `steps` are the nodes it passes, from its source on; the sink is `node`. `doubt` says what of
    that is not known, empty if all is. It `is_guess` if it begins with what a caller hands over.
    `paths` are the files that the steps stand in, "" for its own; empty if all do.
    """

    question: int
    node: SgNode
    callee: str
    steps: tuple[SgNode, ...]
    doubt: str
    is_guess: bool = False
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """A function whose values were not followed, with its first and last line (0-based) and why."""

    name: str
    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class Flows:
    """What was found in one text."""

    found: tuple[Flow, ...]
    unfollowed: tuple[Omission, ...] = ()
