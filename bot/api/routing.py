"""What a route is: one place that says what is asked, what is answered, and how it may fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from bot.api.answers import Answer

Json = dict[str, Any]

_ALWAYS = frozenset({401, 403})
_BY_PLACE = {
    "body": frozenset({400, 413, 415, 422}),
    "query": frozenset({422}),
    "path": frozenset({404}),
    "nothing": frozenset[int](),
}


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `handle` gets the `Api` and the request as `asks`, which stands in `place`.

    `answers` describes what it returns, None for the document that describes them all.
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    handle: Callable[[Any, Any], Awaitable[Json]]
    place: Literal["body", "query", "path", "nothing"]
    asks: type[BaseModel]
    answers: type[Answer] | None
    may_be_unavailable: bool = True

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.handle.__name__

    @property
    def refusals(self) -> frozenset[int]:
        """The statuses of errors that it may answer with."""
        unavailable = {503} if self.may_be_unavailable else set()
        return _ALWAYS | _BY_PLACE[self.place] | unavailable
