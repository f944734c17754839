"""Where values must not arrive, as rules write it: a callee, and how it takes its arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from jurat.rules.callee_names import NAME
from jurat.rules.callee_settings import Condition, parse_condition

_ARGUMENT = re.compile(
    r"(?:(?P<first>\d+)(?P<rest>\.\.)?|(?P<any>\*)|(?P<absent>!)?(?P<keyword>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))"
    r"(?::(?P<kind>[a-z]+))?(?:\s*(?P<unlike>!)?=\s*(?P<equals>[\w./*+]+))?"
)
_SINK = re.compile(
    r"(?P<callee>(?:[^()=]|\(\))+?)(?:\((?P<arguments>[^()]*)\)|(?P<assigned>\s*=)(?::(?P<kind>[a-z]+))?)"
)
_PART = re.compile(r"\s*!?\w+\.\w")
"""Begins a condition on a part of an argument, as settings have it."""

_TAKEN = re.compile(r"^\s*[A-Za-z_][\w.]*:[a-z]+\s*$")
"""A part of an argument that a sink takes: `headers.Location:redirect`."""

KINDS = frozenset(
    {
        "",
        "argv",
        "callback",
        "clause",
        "command",
        "filter",
        "forward",
        "html",
        "kept",
        "keyed",
        "markup",
        "name",
        "own",
        "page",
        "path",
        "program",
        "query",
        "redirect",
        "script",
        "search",
        "secret",
        "sent",
        "sql",
        "text",
        "url",
    }
)
"""How a sink takes its argument.

`argv` is a program and its arguments, of which the program counts and what a shell runs; `callback`
a function, which harms if it is a text, put together or a source itself; `clause` a condition or
the like of a statement, in which a column is no value; `command` the line that a shell runs;
`program` one in our own language, of which an interpreter that hands it surroundings counts only
what is put together; `text` a text in which something stands beside the value; `sql` a statement,
`query` only what reads like one; `url` and `redirect` a URL whose host the value can choose; `path`
a path, `own` any value; `html` a page, `page` one that may be a tuple with its headers, `markup` a
text with tags, `sent` an answer that is a page if it is a text; `forward` the name of a view, which
may redirect; `filter` a document database's, in which a value may be an operator, and `script` the
program in one; `name` what a statement is ordered by or the like; `search` one of a directory,
where a parameter counts only if it is compared; `kept` what is kept under a name that is believed
later, such as `role`, or under any that somebody outside chooses; `secret` what must not be
guessed, and `keyed` what is given under the name of a key: whoever keeps but its hash keeps a
secret. Of `path`, `own`, `kept`, `secret`, `keyed`,
`page`, `url` and `redirect`, what a callee answers that nobody has seen is its own, and not what it
was given; of `sql`, `query`, `clause`, `text`, `command` and `html` it is if that was no more than
a parameter.
"""


ABSENT = ""
"""In place of the constant that an argument must have: it must not be given at all."""

UNLIKE = "!"
"""Before a constant that an argument must not be."""


class SinkArgument(NamedTuple):
    """An argument of a sink: by position, also all from there on, or by keyword; or any.

    A keyword with a dot is a part of what stands there, as `headers.Location`.
    """

    position: int | None
    onwards: bool
    keyword: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class Sink:
    """Where values must not arrive. `conditions` are keywords with the constants they must have, or
    must not have behind UNLIKE, or with ABSENT; `parts` ask for a part of an argument, or of what
    the callee is called on.
    """

    callee: str
    arguments: tuple[SinkArgument, ...]
    conditions: tuple[tuple[str, str], ...] = ()
    assigned: bool = False
    parts: tuple[Condition, ...] = ()

    @property
    def keeps(self) -> bool:
        """Whether it matters under which name it keeps what it is given."""
        return any(one.kind == "kept" for one in self.arguments)

    @property
    def is_of_builder(self) -> bool:
        """Whether it is a method, of whatever, that puts a clause into a statement."""
        is_clause = any(one.kind == "clause" for one in self.arguments)
        return is_clause and self.callee.startswith("*.")


@lru_cache(maxsize=4096)
def parse_sink(said: str) -> Sink:
    """`subprocess.run(0:command)`, `*.innerHTML =` or `*.href =:url`. Raises ValueError."""
    match = _SINK.fullmatch(said.strip())
    if (
        match is None
        or (match["kind"] or "") not in KINDS
        or not NAME.fullmatch(match["callee"].strip())
    ):
        problem = f"{said!r} is no sink: write it as module.function(0) or *.property ="
        raise ValueError(problem)
    if match["assigned"]:
        argument = SinkArgument(0, onwards=True, keyword=None, kind=match["kind"] or "")
        return Sink(match["callee"].strip(), (argument,), assigned=True)
    arguments, conditions, parts = [], [], []
    for part in (match["arguments"] or "").split(","):
        if _PART.match(part) and not _TAKEN.search(part):
            parts.append(parse_condition(part.strip()))
            continue
        one = _ARGUMENT.fullmatch(part.strip())
        if one is None or (one["kind"] or "") not in KINDS:
            problem = (
                f"{part.strip()!r} is no argument of a sink: write a position, a keyword or *, "
                f"maybe with a kind such as 0:command ({', '.join(sorted(KINDS - {''}))})"
            )
            raise ValueError(problem)
        if one["absent"]:
            conditions.append((one["keyword"], ABSENT))
            continue
        if one["equals"]:
            wanted = (UNLIKE if one["unlike"] else "") + one["equals"]
            conditions.append((one["keyword"] or one["first"] or "", wanted))
            continue
        position = 0 if one["any"] else int(one["first"]) if one["first"] else None
        onwards = bool(one["rest"] or one["any"])
        arguments.append(SinkArgument(position, onwards, one["keyword"], one["kind"] or ""))
    callee = match["callee"].strip()
    return Sink(callee, tuple(arguments), tuple(conditions), parts=tuple(parts))
