"""What is run as a program, or stands in the line of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from jurat.engine.flow.forms.program import UNKNOWN, Expression
from jurat.engine.flow.values.arrivals import list_all, list_mixed
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import REMOTE, Taint
from jurat.engine.flow.values.value import NOTHING, Env, Value, iter_taints

_SHELL = re.compile(
    r"(?:.*[/\\])?(?:sh|bash|zsh|dash|ksh|cmd|cmd\.exe|powershell|powershell\.exe|pwsh)"
)

_PERHAPS_SHELL = re.compile(r"(?i)(?:.*\W)?(?:\w*shell\w*|\w*(?:ba|z)?sh|comspec|cmd)\W*")
"""What may hold a shell, by its name; what has none may as well."""

_SHELL_FLAG = re.compile(r"-l?[ei]*c|(?i:/c|-command|/k)")


_RUNS_BY_OPTION = re.compile(
    r"(?:.*[/\\])?(?:git|hg|svn|ssh|scp|sftp|rsync|tar|zip|find|wget|curl|man|ssh-keyscan)(?:\.exe)?"
)
"""Programs with an option that runs another one, or writes to any file."""

_REMOTE = re.compile(r"(?:.*[/\\])?(?:ssh|autossh)(?:\.exe)?")
"""Programs that hand what stands behind a host to the shell there, as one line."""

_TAKES_VALUE = re.compile(r"-[a-zA-Z0-9]*[BbcDEeFIiJLlmOopQRSWw]")
"""Options of such a program whose value is the next word."""

_OPTION = "\2"
"""Stands before what such a program may take for an option of its own."""

_UNDASHED = "\0-"
"""Ends the name of an origin that is known to begin with no dash."""


def note_undashed(evaluator: Evaluator, asked: Iterable[Expression], env: Env) -> None:
    """Texts that are known to begin with no dash: no program takes them for an option."""
    for expression in asked:
        for taint in iter_taints(evaluator.results.get(id(expression), NOTHING)):
            env.cleared[taint.source + _UNDASHED, taint.path] = evaluator.matcher.everything


def leave_options(harm: Iterable[Taint], env: Env) -> Iterator[Taint]:
    """What arrives at a sink, but for what only could be an option and is known to be none."""
    for taint in harm:
        if taint.before != _OPTION:
            yield taint
        elif (taint.source + _UNDASHED, taint.path) not in env.cleared:
            yield taint._replace(before="")


def _list_options(words: Sequence[Value]) -> Iterator[Taint]:
    """What a program may take for an option: no option's own value, and nothing behind `--`."""
    for before, word in pairwise(words):
        said = before.constant
        if said == "--":
            return
        if isinstance(said, str) and said.startswith("-"):
            continue
        for one in list_all([word]) if word.items is None else ():
            if one.strength == REMOTE and not one.before and not one.answered_by:
                yield one._replace(before=_OPTION)


def _list_remote(words: Sequence[Value]) -> Iterator[Value]:
    """What a program runs by the shell of another host: all behind the name of that."""
    is_value = is_behind = False
    for word in words:
        said = word.constant
        if is_behind:
            yield word
        elif not is_value and isinstance(said, str) and said.startswith("-"):
            is_value = _TAKES_VALUE.fullmatch(said) is not None
            continue
        elif not is_value:
            is_behind = True
        is_value = False


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
    if isinstance(program, str) and _RUNS_BY_OPTION.fullmatch(program):
        yield from _list_options(words)
    if isinstance(program, str) and _REMOTE.fullmatch(program):
        yield from list_mixed(_list_remote(words[1:]))
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
