"""Who may use the API, how its requests are read, and how it refuses: by an ApiError."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from aiohttp import web
from multidict import MultiMapping
from pydantic import BaseModel

from jurat.errors import FileError, JuratError
from jurat.rules.validation import validate_document
from jurat.server.api_models import ApiModel, Refusal, RefusalDetail
from jurat.server.bodies import BodyError, BodyReader
from jurat.source.strict_json import parse_json
from jurat.source.strict_yaml import Document

# Who may ask: whoever knows the token; without one, whoever is on this machine.

_PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""Headers that a proxy adds: the peer is then not who asks."""


def authorize(request: web.Request, token: str | None) -> None:
    """Return for a request that may be answered; raise RefusedError for any other."""
    if token is not None:
        _check_token(request.headers.get("Authorization", ""), token)
    elif not (is_local(_get_peer(request)) and not _is_passed_on(request.headers)):
        raise ApiError(
            403,
            "Without a token this API answers its own machine alone.",
            hint="Set JURAT_API_TOKEN for the server, and send it as a bearer token.",
        )


def _check_token(header: str, token: str) -> None:
    scheme, _, given = header.partition(" ")
    # As bytes: compare_digest refuses text beyond ASCII, which a header may hold. Compared even if
    # the scheme is wrong, so that the time says nothing.
    same = hmac.compare_digest(_to_bytes(given.strip()), _to_bytes(token))
    if scheme.lower() == "bearer" and same:
        return
    raise ApiError(
        401,
        "The bearer token is wrong." if header else "This API wants a bearer token.",
        hint="Send the header Authorization: Bearer, with what JURAT_API_TOKEN is on the server.",
        headers={"WWW-Authenticate": 'Bearer realm="jurat"'},
    )


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _get_peer(request: web.Request) -> str:
    """The address at the other end of the connection, whatever the headers say."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    return str(peer[0]) if isinstance(peer, tuple) and peer else ""


def is_local(peer: str) -> bool:
    """Whether an address is one that only this machine can have."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    # A socket that serves both families shows IPv4 peers as ::ffff:127.0.0.1.
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _is_passed_on(headers: Mapping[str, str]) -> bool:
    """Whether headers say that someone else asks: these only ever take the answer away.

    A proxy on this machine is a peer on loopback, and so is a browser that a page of another name
    had look that name up as 127.0.0.1 (DNS rebinding): it still sends the page's name as Host.
    """
    if any(name in headers for name in _PASSED_ON):
        return True
    host = headers.get("Host", "").strip()
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return name.lower() != "localhost" and not is_local(name.strip("[]"))


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
    """`data` as `model`. `whole` names it where no single key is wrong."""
    if not isinstance(data, Mapping):
        raise ApiError(422, f"{whole} must be an object with named fields.")
    try:
        return validate_document(model, Document(data, {}), whole, FileError)
    except FileError as error:
        first, *others = [
            f"{fault.key}: {fault.problem}" if fault.key else f"{whole} {fault.problem}"
            for fault in (error, *error.further)
        ]
    also = _end_sentence(f"Also: {'; '.join(others[:_SHOWN])}") if others else ""
    raise ApiError(422, _end_sentence(first), hint=also)


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."


# Every answer that is not what was asked for, in one form.

CODES: Mapping[int, str] = MappingProxyType(
    {
        400: "unreadable",
        401: "unauthorized",
        403: "forbidden",
        404: "not_found",
        405: "method_not_allowed",
        408: "too_slow",
        413: "too_large",
        415: "unsupported_media_type",
        422: "invalid",
        500: "internal",
        503: "unavailable",
    }
)
"""What `error.code` says for each status."""


class ApiError(JuratError):
    """A request that is answered with an error. `headers` go along with it."""

    def __init__(
        self, status: int, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = headers or {}


def to_error_response(error: ApiError) -> web.Response:
    """The response that says so."""
    detail = RefusalDetail(code=CODES[error.status], message=error.message, hint=error.hint)
    return web.json_response(
        Refusal(error=detail).model_dump(), status=error.status, headers=error.headers
    )


# What a route is: one place that says what is asked, what is answered, and how it may fail.

Json = dict[str, Any]

_ALWAYS = frozenset({401, 403})
_BY_PLACE = {
    "body": frozenset({400, 408, 413, 415, 422}),
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
    answers: type[ApiModel] | None
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
