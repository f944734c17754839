"""Names of the whole file that functions set: what one reads, another has from outside, maybe."""

from __future__ import annotations

import re

_DECLARED = re.compile(r"^[ \t]*global[ \t]+([\w, \t]+)", re.MULTILINE)
_SET = re.compile(
    r"(?:^|[;{}])[ \t]*([A-Za-z_$][\w$]*)[ \t]*(?:\*\*|\|\||&&|\?\?|[-+*/%|&^])?=(?![=>])",
    re.MULTILINE,
)


def find_set_names(text: str, *, declared: bool) -> frozenset[str]:
    """The names that a text sets without binding them. `declared` says that it has to own up to it.

    By how a line begins: a variable that was bound by another function may be among them.
    """
    if not declared:
        return frozenset(_SET.findall(text))
    said = (part for names in _DECLARED.findall(text) for part in names.split(","))
    return frozenset(name.strip() for name in said)
