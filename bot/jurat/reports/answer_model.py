"""What every answer of the REST API is: a frozen model that knows all its fields."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core.core_schema import CoreSchema

Count = Annotated[int, Field(ge=0)]


class Answer(BaseModel):
    """Whatever the REST API answers. `from_attributes`: a value with the same names becomes one."""

    # What is never answered, nor described, needs no validator: each takes time at every start.
    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema, in which the docstring below a field describes it.

        `use_attribute_docstrings` would read them at each start, for an eighth of its time, and the
        OpenAPI document alone shows them.
        """
        schema = handler(core)
        fields = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in _iter_field_docstrings(cls):
            fields[name]["description"] = text
        return schema

    def to_json(self) -> dict[str, Any]:
        """Only dicts, lists, strings, numbers, booleans and None; only the fields that were set."""
        return self.model_dump(mode="json", exclude_unset=True)


def _iter_field_docstrings(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Each field with what stands below it, those that it has from its bases first."""
    for base in reversed(model.__mro__):
        if base is Answer or not issubclass(base, Answer):
            continue
        (written,) = ast.parse(inspect.getsource(base)).body
        for field, below in pairwise(written.body if isinstance(written, ast.ClassDef) else ()):
            name = field.target if isinstance(field, ast.AnnAssign) else None
            said = below.value if isinstance(below, ast.Expr) else None
            if isinstance(name, ast.Name) and isinstance(said, ast.Constant):
                yield name.id, inspect.cleandoc(str(said.value))
