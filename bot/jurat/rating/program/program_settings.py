"""What settings tell of a program: which files they start, or the clock does."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping

from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.signals.evidence import InventoryFile
from jurat.rating.signals.file_signs import FileSigns

_STARTING = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|package\.json|Procfile|Dockerfile|Makefile"
    r"|[^/]*compose[^/]*\.ya?ml|[^/]+\.ya?ml|serverless\.ts)$"
)
_HANDLER = re.compile(r"[Hh]andler\"?\s*[:=]\s*\"?([\w./-]+)\.\w+$")
"""A function in a module that settings of a platform name: the module starts."""
_PACKAGES = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|setup\.cfg)$")
_CLOCK = re.compile(r"(?:^|/)crontab[^/]*$|\.(?:cron|crontab|timer)$")


def build_conduct(files: Iterable[InventoryFile], signs: Mapping[str, FileSigns]) -> Conduct:
    """The program that the files are, as their settings start it, and what it does."""
    facts = {path: sign.facts for path, sign in signs.items() if sign.facts is not None}
    started = {
        _HANDLER.sub(r"\1.py", one).removeprefix("-m").strip().removeprefix("./")
        for path, sign in signs.items()
        if _STARTING.search(path)
        for one in sign.starts
    }
    is_package = any(_PACKAGES.search(path) for path in signs)
    program = Program(facts, frozenset(started), is_package)
    roles = {file.path: file.role for file in files}
    lengths = {file.path: file.lines for file in files}
    return Conduct(program, roles, _list_timed(program, signs), lengths)


def _list_timed(program: Program, signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The files that a schedule starts: a crontab, a timer, a workflow that a clock runs."""
    named = [
        one
        for path, sign in signs.items()
        if _CLOCK.search(path) or any(start.startswith("cron") for start in sign.starts)
        for one in sign.starts
    ]
    found = set()
    for one in named:
        module = one.removeprefix("-m").strip()
        inside = program.find_module("", module)
        found |= {inside[0]} if inside else set()
        found |= {path for path in program.files if module.endswith(posixpath.basename(path))}
    return frozenset(found)
