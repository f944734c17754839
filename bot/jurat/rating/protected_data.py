"""Whose data it is that a file of code protects: of people, or the program's own keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from jurat.rating.conduct import Conduct, ask_once
from jurat.rating.function_facts import Tags
from jurat.rating.minimising import PERSONAL_KEY

_CREDENTIAL = re.compile(
    r"(?:^|[_-])(?:(?:api|access|service|client)_?(?:keys?|secret|id)|(?:access|api|auth)_?tokens?"
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
    for one in conduct.product:
        for call in conduct.facts(one).calls:
            others = {where for where, _ in conduct.targets(one, call.callee)} - {one[0]}
            for where in others:
                found[where].update(_iter_named(call.given))
    return {path: frozenset(fields) for path, fields in found.items()}


def _iter_named(tags: Tags) -> Iterator[str]:
    for tag in tags:
        if tag[:2] in ("k:", "a:", "p:") or (tag[:2] == "t:" and _WORD.fullmatch(tag[2:])):
            yield tag[2:]
