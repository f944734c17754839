"""Whose data it is that a file of code protects: of people, or the program's own keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from jurat.rating.code.function_facts import Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.signals.file_roles import Role
from jurat.rating.texts.personal_fields import PERSONAL_KEY

_CREDENTIAL = re.compile(
    r"(?:^|[_-])(?:(?:api|access|service|client)_?(?:keys?|secret|id)|(?:access|api|auth|bearer|refresh)_?tokens?(?:_(?:enc\w*|cipher\w*))?"
    r"|secrets?|passwords?|credentials?)$",
    re.IGNORECASE,
)
_OF_THINGS = frozenset(("name", "address"))
_WORD = re.compile(r"\w+")


def is_for_credentials(conduct: Conduct, path: str) -> bool:
    """Whether others hand credentials to a file, and nothing that tells who somebody is.

    Such a file locks the keys by which the program is let in elsewhere, and nothing of anybody.
    """
    fields = _list_handed_fields(conduct).get(path, frozenset())
    of_people = any(map(PERSONAL_KEY.search, fields - _OF_THINGS))
    return any(map(_CREDENTIAL.search, fields)) and not of_people


@ask_once
def _list_handed_fields(conduct: Conduct) -> Mapping[str, frozenset[str]]:
    """What each file is handed by others, as far as that has a name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    # Who is not seen to run says as well what it is for.
    functions = (
        (path, number)
        for path, facts in conduct.program.files.items()
        for number in range(len(facts.functions))
        if conduct.roles.get(path) is not Role.TEST
    )
    for one in functions:
        for call in conduct.facts(one).calls:
            others = {where for where, _ in conduct.targets(one, call.callee)} - {one[0]}
            others = others or {*_find_called(conduct, one[0], call.callee)} - {one[0]}
            # What a key is called that is locked is said where it is put, at the latest.
            made = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
            kept = [w.place for w in conduct.facts(one).writes if not made.isdisjoint(w.value)]
            for where in others:
                found[where].update(_iter_named(call.given.union(kept)))
    return {path: frozenset(fields) for path, fields in found.items()}


def _find_called(conduct: Conduct, path: str, callee: str) -> frozenset[str]:
    """The files of what is called on an object: of its module, or of few methods of that name."""
    if (inside := conduct.program.find_module(path, callee)) is not None:
        return frozenset((inside[0],))
    if not callee.startswith("?."):
        return frozenset()
    files = _list_by_method(conduct).get(callee.rpartition(".")[2], frozenset())
    return files if len(files) <= _FEW else frozenset()


_FEW = 2


@ask_once
def _list_by_method(conduct: Conduct) -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path, facts in conduct.program.files.items():
        for function in facts.functions:
            if function.owner and function.name:
                found[function.name].add(path)
    return {name: frozenset(paths) for name, paths in found.items()}


def _iter_named(tags: Tags) -> Iterator[str]:
    for tag in tags:
        if tag[:2] in ("k:", "a:", "p:") or (tag[:2] == "t:" and _WORD.fullmatch(tag[2:])):
            yield tag[2:]
