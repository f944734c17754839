"""Who may use the API, how its requests are read, and how it refuses: by an ApiError."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from aiohttp import web
from multidict import MultiMapping
from pydantic import BaseModel

from jurat.errors import FileError, JuratError
from jurat.reports.answer_model import Answer
from jurat.rules.validation import validate_document
from jurat.server.access import TokenGate
from jurat.server.api_models import ProblemAnswer
from jurat.server.bodies import BodyError, BodyReader
from jurat.source.strict_json import parse_json
from jurat.source.strict_yaml import Document


async def authorize(request: web.Request, gate: TokenGate) -> None:
    """Return for a request with the bearer token; raise ApiError for any other.

    Nothing else speaks for whoever asks: behind a proxy every visitor comes from this machine.
    """
    header = request.headers.get("Authorization", "")
    scheme, _, given = header.partition(" ")
    # Who gives none does not guess. Looked at even if the scheme is wrong: the time says nothing.
    if header and await gate.admits(request, given.strip()) and scheme.lower() == "bearer":
        return
    raise ApiError(
        401,
        "The bearer token is wrong." if header else "This API wants a bearer token.",
        hint="Send the header Authorization: Bearer, with what JURAT_API_TOKEN is on the server; "
        "if it is not set, with the token in the file that the server names when it starts.",
        headers={"WWW-Authenticate": 'Bearer realm="jurat"'},
    )


Json = dict[str, Any]
Model = TypeVar("Model", bound=BaseModel)

MAX_BODY = 5 << 20
"""Bytes of a body."""

_SHOWN = 4
"""Further faults of one request that are named."""


async def read_body(request: web.Request, bodies: BodyReader) -> bytearray:
    """The body, if it is JSON by its type and not too large."""
    if request.content_type != "application/json":
        raise ApiError(
            415, "The body must be JSON.", hint="Send the header Content-Type: application/json."
        )
    try:
        return await bodies.read(request, MAX_BODY)
    except BodyError as error:
        hint = "Evaluate the change in parts." if error.status == 413 else error.hint
        raise ApiError(error.status, error.message, hint=hint) from None


def read_json(body: bytes | bytearray) -> Any:
    """What a body says."""
    try:
        return parse_json(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ApiError(400, f"The body is not UTF-8: see byte {error.start}.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ApiError(400, f"The body is not valid JSON: {error.msg}, {place}.") from None
    except ValueError as error:
        raise ApiError(400, f"The body cannot be used: {error}.") from None


def read_query(query: MultiMapping[str]) -> Mapping[str, str]:
    """The parameters of a query, each at most once."""
    for name in query:
        if len(query.getall(name)) > 1:
            raise ApiError(422, f"{name!r} stands in the query twice.")
    return dict(query)


def validate_body(model: type[Model], data: Any, whole: str) -> Model:
    """`data` as `model`. `whole` names it if no single key is wrong."""
    if not isinstance(data, Mapping):
        raise ApiError(422, f"{whole} must be an object with named fields.")
    try:
        return validate_document(model, Document(data, {}), whole, FileError)
    except FileError as error:
        first, *others = [
            f"{fault.key}: {fault.problem}" if fault.key else f"{whole} {fault.problem}"
            for fault in (error, *error.others)
        ]
    also = _end_sentence(f"Also: {'; '.join(others[:_SHOWN])}") if others else ""
    raise ApiError(422, _end_sentence(first), hint=also)


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."


# Every answer that is not what was asked for, in one form: https://www.rfc-editor.org/rfc/rfc9457

PROBLEM_JSON = "application/problem+json"
PROBLEM_TYPE = "https://github.com/jurat-review/jurat/blob/main/docs/api.md#"
"""What a problem's `type` begins with. Its code follows, where the page says what happened."""
CODES: Mapping[int, str] = MappingProxyType(
    {
        400: "unreadable",
        401: "unauthorized",
        404: "not_found",
        405: "method_not_allowed",
        408: "too_slow",
        413: "too_large",
        415: "unsupported_media_type",
        422: "invalid",
        429: "too_many",
        500: "internal",
        503: "unavailable",
    }
)
"""What the `type` of a problem ends with, for each status."""


class ApiError(JuratError):
    """A request that is answered with an error. `headers` go along with it."""

    def __init__(
        self, status: int, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = headers or {}


def build_problem(status: int, detail: str, hint: str = "") -> Json:
    """A `ProblemAnswer` as JSON."""
    code = CODES[status]
    title = code.replace("_", " ").capitalize()
    return ProblemAnswer(
        type=f"{PROBLEM_TYPE}{code}", title=title, status=status, detail=detail, hint=hint
    ).model_dump()


def to_error_response(error: ApiError) -> web.Response:
    """The response that says so."""
    return web.json_response(
        build_problem(error.status, error.message, error.hint),
        status=error.status,
        headers=error.headers,
        content_type=PROBLEM_JSON,
    )


# What a route is: one place that says what is asked, what is answered, and how it may fail.

_ALWAYS = frozenset({401})
_BY_PLACE = {
    "body": frozenset({400, 408, 413, 415, 422}),
    "query": frozenset({422}),
    "path": frozenset({404}),
    "nothing": frozenset[int](),
}


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `handle` gets the `Api` and a `request_model`, which stands in `place`.

    One that `is_queued` waits for its turn before its body is read.

    `response_model` describes what it returns, None for the document that describes them all.
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    handle: Callable[[Any, Any], Awaitable[Json]]
    place: Literal["body", "query", "path", "nothing"]
    request_model: type[BaseModel]
    response_model: type[Answer] | None
    may_be_unavailable: bool = True
    is_queued: bool = False

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.handle.__name__

    @property
    def refusals(self) -> frozenset[int]:
        """The statuses of errors that it may answer with."""
        unavailable = {503} if self.may_be_unavailable else set()
        crowded = {429} if self.is_queued else set()
        return _ALWAYS | _BY_PLACE[self.place] | unavailable | crowded
