"""What a check has answered of the values that it was asked about: of all, of wholes, of paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jurat.engine.flow.forms.program import UNKNOWN, Attribute, Call, Expression, Logical
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.pieces import read_step
from jurat.engine.flow.values.taints import PARTS, REMOTE
from jurat.engine.flow.values.value import NOTHING, Env, iter_taints
from jurat.engine.units import split_words as list_words

_DOTS = re.compile(r"[/\\]?\.\.[/\\]?")

_RIGHT = re.compile(
    r"(?i)(?:super[_-]?)?(?:admin|administrator|user)|root|owner|moderator|manager|staff|operator"
)
"""The name of a role that may more than another."""

_KNOWN_RIGHT = re.compile(r"(?:^|[\s.>(])(?:is|has|can|may)_?(?=[A-Z_a-z])(\w+(?:\([^()]*\))?)$")
"""Ends what says yes or no to a right: `user.isAdmin`, `hasRole("admin")`."""

_MISSING = "\0without "
"""In the name of an origin of which is known that it does not hold what follows."""

_STEPS = frozenset({"split", "Split", "SplitN", "SplitAfter", "parts"})
"""Parts of a path that are all of its steps."""


def leave_steps(path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Where the whole stands of which all the steps, or one of them, are at a place."""
    end = len(path) - (path[-1:] == ("*",))
    return path[: end - 1] if end and read_step(path[end - 1])[0] in _STEPS else None


def settle_whole(evaluator: Evaluator, mask: int, asked: Sequence[Expression], env: Env) -> None:
    """What is not refused: a host by its address, and so whatever the address came from."""
    for expression in asked if mask else ():
        for taint in iter_taints(evaluator.results.get(id(expression), NOTHING)):
            # Of a form, one field; of what is no form, such as a route's part, the whole.
            least = 1 if taint.path and taint.path[0].isidentifier() else 0
            paths = [taint.path[:end] for end in range(least, len(taint.path) + 1)]
            env.clear([taint._replace(path=path) for path in paths], mask)


def clear_signed(evaluator: Evaluator, part: Expression, env: Env, mask: int) -> None:
    """Of a part that is equal to what was worked out, the text that it signs."""
    value = evaluator.results.get(id(part), NOTHING)
    whole = (
        one._replace(path=one.path[:end])
        for one in iter_taints(value)
        if (end := next((n for n, step in enumerate(one.path) if step in PARTS), None)) is not None
    )
    env.clear(whole, mask)


def clear_within(evaluator: Evaluator, part: Expression, env: Env, mask: int) -> None:
    """What follows for a settled path if the folder that it lies in is known."""
    if isinstance(part, Call):
        name = get_callee_name(evaluator, part)
        receiver = part.callee.of if isinstance(part.callee, Attribute) else None
        asked = [receiver, *(one.value for one in part.arguments)]
    elif isinstance(part, Attribute):
        name, asked = f"?.{part.name}", [part.of]
    else:
        return
    bound = evaluator.matcher.find_bound(name)
    for one in asked:
        if bound and one is not None:
            clear_value(evaluator, one, env, bound & mask, bound=bound)


def clear_dots(
    evaluator: Evaluator, expression: Expression, env: Env, mask: int, *, as_given: bool = True
) -> None:
    """A path that has no `..`: it leads nowhere above the place that it is relative to.

    Of one that stands behind a folder, or begins at the root, they have been worked out: none
    is left of those that led up. `as_given` says whether it counts for a text as it came.
    """
    value = evaluator.results.get(id(expression), NOTHING)
    taints = (one for one in iter_taints(value) if one.shows_dots)
    env.clear((one for one in taints if as_given or one.settled), mask, literal=True)


def clear_steps(evaluator: Evaluator, expression: Expression, env: Env, mask: int) -> None:
    """A path of whose steps none is `..`: what is said of all of them is said of the whole."""
    value = evaluator.results.get(id(expression), NOTHING)
    taints = (one for one in iter_taints(value) if one.shows_dots)
    whole = (
        one._replace(path=path) for one in taints if (path := leave_steps(one.path)) is not None
    )
    env.clear(whole, mask, literal=True)


def note_half(
    evaluator: Evaluator, asked: Sequence[Expression], env: Env, half: str, other: str
) -> None:
    """One half of an answer; the whole of it if the other was given."""
    mask = evaluator.matcher.get_rejected("//")
    for expression in asked:
        for taint in iter_taints(evaluator.results.get(id(expression), NOTHING)):
            env.cleared[taint.source + half, taint.path] = mask
            if env.cleared.get((taint.source + other, taint.path)):
                env.clear([taint], mask, literal=True)


def clear_handed(evaluator: Evaluator, expression: Expression, env: Env) -> None:
    """What a caller handed over, and a validator of another file has found to be valid."""
    value = evaluator.results.get(id(expression), NOTHING)
    handed = (taint for taint in iter_taints(value) if taint.strength != REMOTE)
    env.clear(handed, evaluator.matcher.everything)


def get_callee_name(evaluator: Evaluator, call: Call) -> str:
    """The qualified name of what a call called."""
    callee = evaluator.results.get(id(call.callee))
    if callee is not None and callee.name:
        return callee.name
    if isinstance(call.callee, Attribute):
        return f"?.{call.callee.name}"
    return getattr(call.callee, "name", "?")


def admit(evaluator: Evaluator, box: Expression, one: Expression, env: Env) -> None:
    """A value that is in a list which nobody outside has written.

    That somebody names a right which there is does not say that it is theirs.
    """
    known = evaluator.results.get(id(box))
    if known is not None and not any(t.strength == REMOTE for t in iter_taints(known)):
        listed = (part.constant for part in (known.items or {}).values())
        are_rights = any(isinstance(part, str) and _RIGHT.fullmatch(part) for part in listed)
        mask = evaluator.matcher.everything
        clear_value(evaluator, one, env, mask & ~evaluator.matcher.believed if are_rights else mask)


def is_known_right(both: Logical) -> bool:
    """Whether a right that is asked for is one that has to be there: `user.isAdmin && body.admin`.

    That there is somebody, or that they are somebody else, says nothing of it.
    """
    known = _KNOWN_RIGHT.search(both.left.node.text())
    if known is None:
        return False
    return not set(list_words(known[1])).isdisjoint(list_words(both.right.node.text()))


def reject(evaluator: Evaluator, box: Expression, one: Expression, env: Env) -> None:
    """A text that does not hold another."""
    text = get_constant(evaluator, one)
    if isinstance(text, str):
        reject_text(evaluator, box, text, env)


def reject_text(evaluator: Evaluator, box: Expression, text: str, env: Env) -> None:
    """A text that does not hold another, which may be one of several that it must not hold."""
    mask = evaluator.matcher.get_rejected(text)
    if mask and _DOTS.fullmatch(text):
        clear_dots(evaluator, box, env, mask)
        if text == "..":
            clear_steps(evaluator, box, env, mask)
    elif mask:
        clear_value(evaluator, box, env, mask, literal=True)
    if evaluator.matcher.rejected.takes_part(text):
        _reject_together(evaluator, box, text, env)


def _reject_together(evaluator: Evaluator, box: Expression, text: str, env: Env) -> None:
    """One of several texts, all of which a value must not hold."""
    for taint in iter_taints(evaluator.results.get(id(box), NOTHING)):
        env.cleared[f"{taint.source}{_MISSING}{text}", taint.path] = evaluator.matcher.everything
        begin = taint.source + _MISSING
        missing = {
            source.removeprefix(begin)
            for source, path in env.cleared
            if source.startswith(begin) and path == taint.path
        }
        mask = evaluator.matcher.rejected.find_missing(missing | taint.without)
        if mask:
            env.clear([taint], mask, literal=True)


def reject_keys(
    evaluator: Evaluator, box: Expression, one: Expression, env: Env, *, of_text: bool = False
) -> None:
    """A character that is none of some: those of a text, of a list, or of a mapping's keys.

    `of_text` says that it is known to be one of the characters of a text.
    """
    known = evaluator.results.get(id(box), NOTHING)
    said: Iterable[Any] = known.constant if isinstance(known.constant, str) else ()
    if known.items is not None:
        said = [part.constant for part in known.items.values()] if known.is_list else known.items
    asked = tuple(iter_taints(evaluator.results.get(id(one), NOTHING)))
    texts = [text for text in said if isinstance(text, str)]
    if ".." in texts:
        clear_steps(evaluator, one, env, evaluator.matcher.get_rejected(".."))
    if of_text or (asked and all(taint.path[-1:] == ("*",) for taint in asked)):
        for text in texts if all(len(text) == 1 for text in texts) else ():
            reject_text(evaluator, one, text, env)


def reject_each(evaluator: Evaluator, box: Expression, characters: Expression, env: Env) -> None:
    """A text that holds none of some characters."""
    text = get_constant(evaluator, characters)
    for character in text if isinstance(text, str) else "":
        reject_text(evaluator, box, character, env)


def clear_value(
    evaluator: Evaluator,
    expression: Expression,
    env: Env,
    mask: int | None = None,
    *,
    literal: bool = False,
    bound: int = 0,
) -> None:
    """Note that a check answered some questions; those in `bound` of a settled path only."""
    value = evaluator.results.get(id(expression))
    if value is not None:
        answered = evaluator.matcher.everything if mask is None else mask
        taints = tuple(iter_taints(value))
        env.clear(taints, answered & ~bound, literal=literal)
        settled = (taint for taint in taints if taint.settled)
        env.clear(settled, answered & bound, literal=literal)


def get_constant(evaluator: Evaluator, expression: Expression) -> Any:
    """The constant that an expression came to, UNKNOWN if it has none."""
    value = evaluator.results.get(id(expression))
    return UNKNOWN if value is None else value.constant
