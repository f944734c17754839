"""What is run as a program, or stands in the line of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.arrivals import list_all, list_mixed
from jurat.engine.flow.program import UNKNOWN
from jurat.engine.flow.taints import REMOTE, Taint
from jurat.engine.flow.values import Value

_SHELL = re.compile(
    r"(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|cmd|cmd\.exe|powershell|powershell\.exe|pwsh)"
)

_PERHAPS_SHELL = re.compile(r"(?i)(?:.*\W)?(?:\w*shell\w*|\w*(?:ba|z)?sh|comspec|cmd)\W*")
"""What may hold a shell, by its name; what has none may as well."""

_SHELL_FLAG = re.compile(r"-l?[ei]*c|(?i:/c|-command|/k)")


def list_command(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a shell's line; of a list, what a shell among its words runs."""
    for value in values:
        yield from list_mixed([value]) if value.items is None else list_argv([value])


def list_argv(values: Sequence[Value]) -> Iterator[Taint]:
    """The program, and what a shell is known to run."""
    words: list[Value] = []
    for value in values:
        words += value.items.values() if value.items is not None else [value]
        if value.items is not None:
            given = () if value.items else value.taints
            yield from (one for one in given if one.strength == REMOTE)
    if not words:
        return
    program, name = words[0].constant, words[0].name
    # To start what a caller names is what such functions are for.
    yield from (one for one in list_all(words[:1]) if one.strength == REMOTE)
    # `-c` names a file of settings to many another program.
    unknown = program is UNKNOWN and (not name or _PERHAPS_SHELL.fullmatch(name))
    if (unknown or _SHELL.fullmatch(str(program))) and len(words) > 2:
        flags = [
            n
            for n, w in enumerate(words)
            if isinstance(w.constant, str) and _SHELL_FLAG.fullmatch(w.constant)
        ]
        if flags:
            yield from list_all(words[flags[0] + 1 :][:1])
