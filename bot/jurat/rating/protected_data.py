"""Whose data it is that a file of code protects: of people, or the program's own keys."""

from __future__ import annotations

import re

from jurat.rating.conduct import Conduct

_CREDENTIAL = re.compile(
    r"(?:^|[_-])(?:(?:api|access|secret|private|service|client)_?(?:keys?|secret|id)|tokens?"
    r"|secrets?|passwords?|credentials?)$",
    re.IGNORECASE,
)


def is_for_credentials(conduct: Conduct, path: str) -> bool:
    """Whether all that others hand to a file was taken out of fields of credentials.

    Such a file locks the keys by which the program is let in elsewhere, and nothing of anybody.
    """
    fields = {
        tag[2:]
        for one in conduct.product
        if one[0] != path
        for call in conduct.facts(one).calls
        if any(target[0] == path for target in conduct.targets(one, call.callee))
        for tag in call.given
        if tag[:2] == "k:"
    }
    return bool(fields) and all(map(_CREDENTIAL.search, fields))
