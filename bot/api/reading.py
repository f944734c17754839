"""From the bytes of a request to a checked model. Whatever is wrong is a RefusedError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from aiohttp import web
from multidict import MultiMapping
from pydantic import BaseModel

from bot.api.refusals import RefusedError
from bot.corpus.validation import validate
from bot.errors import FileError
from bot.subjects.strict_json import parse_json
from bot.subjects.strict_yaml import Document

Model = TypeVar("Model", bound=BaseModel)

MAX_BODY = 5 << 20
"""Bytes of a body, once unpacked."""

_SHOWN = 4
"""Further faults of one request that are named."""


async def read_body(request: web.Request) -> bytes:
    """The body, if it is JSON by its type and not too large."""
    if request.content_type != "application/json":
        raise RefusedError(
            415, "The body must be JSON.", hint="Send the header Content-Type: application/json."
        )
    if (request.content_length or 0) > MAX_BODY:
        raise _too_large()
    body = bytearray()
    try:
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > MAX_BODY:
                raise _too_large()
    except web.RequestPayloadError:
        raise RefusedError(400, "The body is not packed as its Content-Encoding says.") from None
    except ConnectionError:
        raise RefusedError(400, "The connection ended before the body did.") from None
    return bytes(body)


def _too_large() -> RefusedError:
    message = f"The body is larger than {MAX_BODY >> 20} MB."
    return RefusedError(413, message, hint="Evaluate the change in parts.")


def data_of(body: bytes) -> Any:
    """What a body says."""
    try:
        return parse_json(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RefusedError(400, f"The body is not UTF-8: see byte {error.start}.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RefusedError(400, f"The body is not valid JSON: {error.msg}, {place}.") from None
    except ValueError as error:
        raise RefusedError(400, f"The body cannot be used: {error}.") from None


def query_of(query: MultiMapping[str]) -> Mapping[str, str]:
    """The parameters of a query, each at most once."""
    for name in query:
        if len(query.getall(name)) > 1:
            raise RefusedError(422, f"{name!r} stands in the query twice.")
    return dict(query)


def checked(model: type[Model], data: Any, whole: str) -> Model:
    """`data` as `model`. `whole` names it where no single key is wrong."""
    if not isinstance(data, Mapping):
        raise RefusedError(422, f"{whole} must be an object with named fields.")
    try:
        return validate(model, Document(data, {}), whole, FileError)
    except FileError as error:
        first, *others = [
            f"{fault.key}: {fault.problem}" if fault.key else f"{whole} {fault.problem}"
            for fault in (error, *error.further)
        ]
    also = _ended(f"Also: {'; '.join(others[:_SHOWN])}") if others else ""
    raise RefusedError(422, _ended(first), hint=also)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."
