"""Who calls a function: what nobody outside can reach gets what the file itself hands over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jurat.engine.flow.forms.program import Expression, Name, Not, Routine
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import PARAMETER
from jurat.engine.flow.values.value import ClassValue, Value

_TERMINALS = frozenset(
    {"cmd.Cmd", "bdb.Bdb", "pdb.Pdb", "code.InteractiveConsole", "code.InteractiveInterpreter"}
)
"""Classes whose methods are called with what somebody types who runs the program."""


def is_only_called(function: Routine, around: Routine) -> bool:
    """Whether a function inside of another is called there, and neither handed on nor returned.

    By its name in the text: one that a comment or a text mentions counts as handed on.
    """
    if not function.name or function.decorators:
        return False
    inside = around.node.text()
    called = defined = 0
    for at in _iter_mentions(function.name, inside):
        if _CALL.match(inside, at + len(function.name)) is None:
            return False
        called += 1
        defined += _DEFINING.search(inside, max(at - _MOST_BETWEEN, 0), at) is not None
    return defined == 1 and called > 1


_CALL = re.compile(r"\s*\(")
_DEFINING = re.compile(r"\b(?:def|function)\s+\Z")
_MOST_BETWEEN = 40
"""Characters up to a function's name that are looked at for what defines it."""

_NAME_SIGNS = frozenset("$_")


def _iter_mentions(name: str, text: str) -> Iterator[int]:
    """Where a name stands that is a part of no other, nor of anything else."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        if before != "." and not any(one.isalnum() or one in _NAME_SIGNS for one in before + after):
            yield at
        at = text.find(name, end)


def is_of_terminal(known: ClassValue, depth: int = 0) -> bool:
    """Whether a class is one of the standard library's consoles and debuggers, or inherits it."""
    if not _TERMINALS.isdisjoint(known.foreign):
        return True
    return depth < 8 and any(is_of_terminal(base, depth + 1) for base in known.bases)


def find_flag(condition: Expression, function: Routine) -> Expression | None:
    """The parameter that a condition consists of, None if it is more than a caller's yes or no."""
    bare = condition.of if isinstance(condition, Not) else condition
    names = {parameter.name for parameter in function.parameters}
    return bare if isinstance(bare, Name) and bare.name in names else None


def drop_asked_for(
    evaluator: Evaluator, flag: Value, begun: tuple[int, int], split: tuple[int, int]
) -> None:
    """Take back what a caller has asked for by a flag of its own.

    `if html: Markup(text)`, `else: escape(text)`: the function makes it fit for whoever does not
    say otherwise. `begun` and `split` are how many hits and answers there were before the first
    side and behind it. Nobody outside is asked, and a text is no flag for itself.
    """
    if any(taint.strength != PARAMETER for taint in flag.taints):
        return
    sources = {taint.source for taint in flag.taints}
    first, second = evaluator.answered[begun[1] : split[1]], evaluator.answered[split[1] :]
    kept = evaluator.hits[: begun[0]]
    for number, hit in enumerate(evaluator.hits[begun[0] :], begun[0]):
        mask = hit.mask
        if hit.taint.strength == PARAMETER and hit.taint.source not in sources:
            for source, path, answered in second if number < split[0] else first:
                if (source, path) == (hit.taint.source, hit.taint.path):
                    mask &= ~answered
        if mask:
            kept.append(replace(hit, mask=mask))
    evaluator.hits[:] = kept
