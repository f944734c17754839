"""What a rule says of settings: which callee must not be given what, whatever brings it there.

`jwt.decode(options.verify_signature=false)` is a call with such an entry among its options, and
`requests.Session.verify = false` a property that is set so. `!secure` is an option that is not
given, `2=fixed` an argument that is the same each time, `3<10000` a number that is smaller, and
`*=allow_all` any argument, such as one of several flags. All conditions in the brackets have to be
met; `|` stands between values of which each will do. Names and values may hold globs: `*` for
anything, in names also `{a,b}` for either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

ANY_ARGUMENT = "*"
"""In place of a position: whichever argument it is."""

FIXED = "fixed"
"""In place of a value: one that is made of constants alone."""

_CONDITION = re.compile(
    r"(?:!(?P<absent>[\w.-]+)|(?P<place>\*|[\w.-]+)\s*(?P<operator>!=|=|<)\s*(?P<wanted>[^\s=<,]+))"
)
_SETTING = re.compile(
    r"(?P<callee>(?:[^()=]|\(\))+?)(?:\((?P<arguments>[^()]*(?:\(\)[^()]*)*)\)|\s*=\s*(?P<value>\S+))"
)


class Condition(NamedTuple):
    """What is asked of one argument, or of a part of it: by position or keyword, then by key.

    `wanted` are the values of which each will do; ("",) with the operator "!" asks that it is not
    given at all.
    """

    place: tuple[str, ...]
    operator: str
    wanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A callee and all that it must not be given at once, or a property that is set so."""

    callee: str
    conditions: tuple[Condition, ...]
    assigned: bool = False

    @property
    def options(self) -> frozenset[str]:
        """The parts of objects that it asks for, as `normalize_option` spells them."""
        return frozenset(
            normalize_option(step) for one in self.conditions for step in one.place[1:]
        )


@lru_cache(maxsize=1024)
def parse_setting(said: str) -> Setting:
    """Read a setting as a rule says it. Raises ValueError."""
    match = _SETTING.fullmatch(said.strip())
    if match is None:
        problem = (
            f"{said!r} is no setting: write it as module.function(option=false) or *.x = false"
        )
        raise ValueError(problem)
    callee = match["callee"].strip()
    if match["value"] is not None:
        value = Condition(("0",), "=", tuple(match["value"].lower().split("|")))
        return Setting(callee, (value,), assigned=True)
    parts = [part.strip() for part in match["arguments"].split(",") if part.strip()]
    return Setting(callee, tuple(parse_condition(part) for part in parts))


def parse_condition(said: str) -> Condition:
    """Read one condition as a rule says it. Raises ValueError."""
    match = _CONDITION.fullmatch(said)
    if match is None:
        problem = (
            f"{said!r} is no condition: write it as option=false, 0=des*|rc4, 2<1000 or !option"
        )
        raise ValueError(problem)
    if match["absent"] is not None:
        return Condition(tuple(match["absent"].split(".")), "!", ("",))
    wanted = tuple(match["wanted"].lower().split("|"))
    if match["operator"] == "<" and not wanted[0].isdecimal():
        problem = f"{said!r} compares with no number"
        raise ValueError(problem)
    return Condition(tuple(match["place"].split(".")), match["operator"], wanted)


def check_setting(said: str) -> str:
    """The same, if it can be read. Raises ValueError."""
    parse_setting(said)
    return said


def normalize_option(name: str) -> str:
    """What an option is called in any spelling: `setHttpOnly`, `http_only` and `HttpOnly`."""
    bare = name[3:] if name[:3] in ("set", "Set") and name[3:4].isupper() else name
    return bare.replace("_", "").replace("-", "").lower()


def read_key(said: str) -> str:
    """What an option is called by its key, in any spelling: the last word of a constant's name, or
    of an address as in `http://xml.org/sax/features/external-general-entities`.
    """
    return normalize_option(_BEFORE_KEY.sub("", said))


_BEFORE_KEY = re.compile(r".*[./#:]", re.DOTALL)
