"""What a rule says of one place: templates of sentences, what may stand in them, and filling them.

A template is a sentence with placeholders: `$NAME` and `$$$MANY` as ast-grep's patterns have them,
`$name` for a named group of an expression or a value of a fact; `$$` is a dollar sign. What is
captured is a stranger's text. It stands in the sentence as code, as CommonMark writes it, on one
line and cut, so that it cannot pass for the rule's own words in any medium.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import re2

from jurat.rules.constraints import (
    Constraint,
    NumericConstraint,
    PatternConstraint,
    RegexConstraint,
    compile_regex,
)
from jurat.rules.flows import ValueConstraint
from jurat.rules.patterns import PatternProblem, list_captured
from jurat.rules.rule import Rule, RuleKind
from jurat.source.strict_json import KeyPath
from jurat.source.visible_text import to_one_line

MOST_CAPTURED = 80
"""Characters of one capture that a message shows."""

MOST_JOINED = 3
"""Messages of one place, such as a line, that are said one after the other."""

LONGEST = 300
"""Characters of a template: a sentence or two."""

VALUE, EXPECTED, NAME, BASE, THRESHOLD = "value", "expected", "name", "base", "threshold"
"""What a constraint over facts captures: the value, what it should be, and the name of the function
or the entry whose it is; of a number also its bound, and what it was before the change."""


SOURCE, SINK = "SOURCE", "SINK"
"""What a constraint that follows values captures: where one comes in, and what it arrives at."""

READING = "READING"
"""What a disguise captures: the code as it reads."""


class Plain(str):
    """A capture that is nobody's text: a number, or words of the rule. It needs no marks."""

    __slots__ = ()


Find = Callable[[str], str | None]
"""What was captured by its name, as code or `Plain`; None if nothing was at this place."""

_PLACEHOLDER = re.compile(r"\$\$\$([A-Z_][A-Z0-9_]*)|\$\$|\$([A-Za-z_][A-Za-z0-9_]*)")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def list_messages(rule: Rule, constraint: Constraint | None = None) -> tuple[str, ...]:
    """The templates for what a constraint finds, the first that can be filled being the one to say.

    The last has no placeholder: a sentence made of the rule's statement.
    """
    own = constraint.message if constraint is not None else None
    statement = rule.statement.replace("$", "$$")
    derived = f"The rule is broken here: {statement}"
    return tuple(text for text in (own, rule.message, derived) if text is not None)


def list_written_messages(rule: Rule) -> tuple[str, ...]:
    """All messages that the rule's author wrote, each once, its constraints' first.

    What is captured stands under its name.
    """
    written = (*(constraint.message for constraint in rule.constraints), rule.message)
    filled = (fill_message(text, "${}".format) for text in written if text is not None)
    return tuple(dict.fromkeys(text for text in filled if text is not None))


def fill_first(templates: Sequence[str], find: Find) -> str:
    """The first of some templates of which nothing is missing, filled; "" if there is none."""
    filled = (fill_message(template, find) for template in templates)
    return next((text for text in filled if text is not None), "")


def join_messages(messages: Iterable[str]) -> str:
    """What is wrong at one place, if there is more than one thing: some of it."""
    different = list(dict.fromkeys(messages))
    more = len(different) - MOST_JOINED
    return " ".join([*different[:MOST_JOINED], *([f"And {more} more."] if more > 0 else [])])


def fill_message(template: str, find: Find) -> str | None:
    """The template with what was captured; None if a capture is missing or empty."""
    pieces, position = [], 0
    for span in _SPAN.finditer(template):
        prose = _fill(template[position : span.start()], find, mark_code)
        code = _fill(span[2], find, str)
        if prose is None or code is None:
            return None
        pieces += [prose, mark_code(code)]
        position = span.end()
    rest = _fill(template[position:], find, mark_code)
    return None if rest is None else to_one_line("".join([*pieces, rest]))


def _fill(template: str, find: Find, mark: Callable[[str], str]) -> str | None:
    pieces, position = [], 0
    for placeholder in _PLACEHOLDER.finditer(template):
        name = placeholder[1] or placeholder[2]
        if name is None:
            said = "$"
        elif (captured := find(name)) is None or not (said := _shorten(captured)):
            return None
        elif not isinstance(captured, Plain):
            said = mark(said)
        pieces += [template[position : placeholder.start()], said]
        position = placeholder.end()
    return "".join([*pieces, template[position:]])


def mark_code(text: str) -> str:
    """`text` as a code span, whatever backticks it holds (CommonMark 6.1)."""
    flat = to_one_line(text)
    runs = {len(run) for run in re.findall("`+", flat)}
    ticks = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def mark_capture(text: str) -> str:
    """A stranger's text as code, on one line and cut."""
    return mark_code(_shorten(text))


def _shorten(text: str) -> str:
    flat = to_one_line(text)
    return flat if len(flat) <= MOST_CAPTURED else f"{flat[: MOST_CAPTURED - 1].rstrip()}…"


# What is wrong with a template, found when its file is loaded.


def lint_messages(rule: Rule) -> Iterator[PatternProblem]:
    """Why a message of a rule could not be said of what the rule finds."""
    yield from _lint_text(rule.message, ("message",))
    for index, constraint in enumerate(rule.constraints):
        where: KeyPath = ("constraints", index, "message")
        yield from _lint_text(constraint.message, where)
        named = _list_placeholders(constraint.message or "")
        yield from _lint_names(named, list_captures(constraint), where, "this constraint")
    wanted = _list_placeholders(rule.message or "")
    for index, constraint in enumerate(rule.constraints):
        # One that says it itself does not need the rule's.
        if constraint.message is None:
            who = f"constraints[{index}], which has no message of its own"
            yield from _lint_names(wanted, list_captures(constraint), ("message",), who)
    if rule.message is not None and rule.kind not in (RuleKind.COMPUTATIONAL, RuleKind.PROCEDURAL):
        text = f"a rule of kind {rule.kind} has none: a model says what is wrong, or nobody"
        yield PatternProblem(("message",), text)
    elif not rule.constraints:
        yield from _lint_names(
            wanted, (VALUE, EXPECTED), ("message",), "a rule without constraints"
        )


def list_captures(constraint: Constraint) -> tuple[str, ...]:
    """The names of everything that a constraint may capture."""
    if isinstance(constraint, PatternConstraint):
        reading = (READING,) if constraint.disguised else ()
        return (*list_captured(constraint), *reading)
    if isinstance(constraint, RegexConstraint):
        return list_groups(constraint.pattern)
    if isinstance(constraint, ValueConstraint):
        return (SOURCE, SINK)
    if not isinstance(constraint, NumericConstraint):
        return (VALUE, EXPECTED, NAME)
    before = () if constraint.baseline is None else (BASE,)
    return (VALUE, EXPECTED, NAME, THRESHOLD, *before)


@cache
def list_groups(pattern: str) -> tuple[str, ...]:
    """The named groups of an expression; none of what is no expression, which is linted apart."""
    try:
        return tuple(name.decode() for name in compile_regex(pattern).groupindex)
    except re2.error:
        return ()


def _list_placeholders(template: str) -> list[str]:
    found = (match[1] or match[2] for match in _PLACEHOLDER.finditer(template))
    return [name for name in dict.fromkeys(found) if name]


def _lint_text(template: str | None, where: KeyPath) -> Iterator[PatternProblem]:
    if template is None:
        return
    if not template.strip():
        yield PatternProblem(where, "must not be empty; without it, one is made of the statement")
    elif len(template) > LONGEST:
        yield PatternProblem(where, f"is longer than {LONGEST} characters: say it in a sentence")
    elif "`" in _SPAN.sub("", template):
        yield PatternProblem(where, "opens code with ` and does not close it")


def _lint_names(
    wanted: Sequence[str], captured: Sequence[str], where: KeyPath, who: str
) -> Iterator[PatternProblem]:
    for name in wanted:
        if name in captured:
            continue
        known = ", ".join(f"${item}" for item in sorted(captured)) or "nothing"
        text = f"${name} is not captured by {who}; captured: {known}; write $$ for a dollar sign"
        yield PatternProblem(where, text)
