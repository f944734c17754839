"""What a vocabulary says of functions that a framework calls: what their parameters are."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from jurat.rules.callee_names import NAME

_CALLBACK = re.compile(
    rf"(?P<callee>{NAME.pattern}?)\((?P<given>(?:\d=[\w./*]+(?:, (?=\d)|(?=\))))*)\)"
    r" -> (?P<names>[A-Za-z]\w*(?:, [A-Za-z]\w*)*)"
)


class Callback(NamedTuple):
    """What calls a function that it is given, and by which names the function's parameters go.

    `callee` is that of a call, `@name` a mark of the function, `Class.method` a class that it
    overrides the method of, or `function.name` the name that it has. A call counts if the texts at
    the positions of `given` fit what stands there, and a function that goes by its name if its
    parameters there are called so.
    """

    callee: str
    given: tuple[tuple[int, str], ...]
    names: tuple[str, ...]

    @property
    def is_guess(self) -> bool:
        """Whether it goes by a word alone, a method's or the function's, so that names that say
        what they are themselves are believed more.
        """
        return self.callee.startswith("*.") or self.is_by_name

    @property
    def is_by_name(self) -> bool:
        """Whether it is the name of the function itself."""
        return self.callee.startswith("function.")


@lru_cache(maxsize=1024)
def parse_callback(said: str) -> Callback:
    """`node:http.createServer() -> req, res` or `*.get(0=/*) -> req, res`. Raises ValueError."""
    match = _CALLBACK.fullmatch(said.strip())
    if match is None:
        problem = (
            f"{said!r} does not say who calls a function with what: write it as"
            " module.callee() -> name, name, maybe with a text such as (0=/*)"
        )
        raise ValueError(problem)
    given = (one.partition("=") for one in match["given"].split(", ") if one)
    names = tuple(match["names"].split(", "))
    return Callback(match["callee"], tuple((int(at), text) for at, _, text in given), names)


def _check_callback(said: str) -> str:
    parse_callback(said)
    return said


CallbackSaid = Annotated[str, AfterValidator(_check_callback)]
