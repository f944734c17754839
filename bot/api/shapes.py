"""The values that requests are made of, each with its limits and the words for what is wrong."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

T = TypeVar("T")

MAX_DEPTH = 32
MAX_VALUES = 20_000
"""How deeply facts are nested, and how many keys and values they hold in all."""

Lenient = Annotated[T, Field(strict=False)]
"""What JSON can only write as something else: an enumeration as text, a tuple as a list."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A regular expression that a text must fit from end to end, and what to say where it does not.

    The expression is shown in the OpenAPI document, so it keeps to what ECMAScript understands too.
    """

    pattern: str
    problem: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._fitting, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}

    def _fitting(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(self.problem)
        return text


_PRINTABLE = Shape(r"[^\x00-\x1f\x7f]+", "must not hold control characters")

Word = Annotated[str, Field(min_length=1, max_length=200), _PRINTABLE]
RepositoryName = Annotated[
    str,
    Field(max_length=200),
    Shape("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", "must be a name such as acme/shop"),
]
RuleId = Annotated[
    str,
    Field(max_length=128),
    Shape("[A-Za-z0-9][A-Za-z0-9._-]*", "must be a rule's id, such as py.weak-hash"),
]
EvaluationId = Annotated[
    str, Field(max_length=64), Shape("[A-Za-z0-9-]+", "must be the id of an evaluation")
]


def _relative(path: str) -> str:
    """The path as git writes it, which is how rules mean it: "./src//a.py" is "src/a.py"."""
    folders = path.split("/")
    if path.startswith("/") or "\\" in path or ".." in folders:
        problem = "must be relative to the repository's root, with '/' between folders and no '..'"
        raise ValueError(problem)
    if folders[-1] in ("", "."):
        raise ValueError("must be the path of a file, not of a folder")
    return "/".join(part for part in folders if part not in ("", "."))


Path = Annotated[str, Field(min_length=1, max_length=1_024), _PRINTABLE, AfterValidator(_relative)]


def _usable(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that can be walked, shown and kept. Raises ValueError."""
    pending: list[tuple[object, int]] = [(facts, 0)]
    seen = 0
    while pending:
        value, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"must not be nested deeper than {MAX_DEPTH} levels")
        if seen > MAX_VALUES:
            raise ValueError(f"must not hold more than {MAX_VALUES:,} keys and values")
        if isinstance(value, dict):
            pending += [(item, depth + 1) for pair in value.items() for item in pair]
        elif isinstance(value, list):
            pending += [(item, depth + 1) for item in value]
        elif isinstance(value, str) and _LONE_SURROGATE.search(value):
            raise ValueError("holds text that is not Unicode: half of a surrogate pair")
    return facts


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Facts = Annotated[dict[str, Any], AfterValidator(_usable)]


def _day(text: object) -> object:
    """Of the ways to write a date, the one that the OpenAPI document promises."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("must be a date such as 2027-01-31")
    return text


Day = Annotated[dt.date, BeforeValidator(_day), Field(strict=False)]
