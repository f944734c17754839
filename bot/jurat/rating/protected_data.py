"""Whose data it is that a file of code protects: of people, or the program's own keys."""

from __future__ import annotations

import re

from jurat.rating.conduct import Conduct
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
    fields = {
        tag[2:]
        for one in conduct.product
        if one[0] != path
        for call in conduct.facts(one).calls
        if any(target[0] == path for target in conduct.targets(one, call.callee))
        for tag in call.given
        if tag[:2] in ("k:", "a:", "p:") or (tag[:2] == "t:" and _WORD.fullmatch(tag[2:]))
    }
    of_people = any(map(PERSONAL_KEY.search, fields - _OF_THINGS))
    return any(map(_CREDENTIAL.search, fields)) and not of_people
