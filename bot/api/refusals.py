"""Every answer that is not what was asked for, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

from bot.api.answers import Refusal, RefusalDetail
from bot.errors import BylawError

CODES: Mapping[int, str] = MappingProxyType(
    {
        400: "unreadable",
        401: "unauthorized",
        403: "forbidden",
        404: "not_found",
        405: "method_not_allowed",
        413: "too_large",
        415: "unsupported_media_type",
        422: "invalid",
        500: "internal",
        503: "unavailable",
    }
)
"""What `error.code` says for each status."""


class RefusedError(BylawError):
    """A request that is answered with an error. `headers` go along with it."""

    def __init__(
        self, status: int, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = headers or {}


def refusal(error: RefusedError) -> web.Response:
    """The response that says so."""
    detail = RefusalDetail(code=CODES[error.status], message=error.message, hint=error.hint)
    return web.json_response(
        Refusal(error=detail).model_dump(), status=error.status, headers=error.headers
    )
