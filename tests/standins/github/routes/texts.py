"""Limits on what is written, shared by comments and reviews."""

from __future__ import annotations

from typing import Any

from tests.standins.github.refusals import failed, invalid
from tests.standins.github.world import Json

BODY_LIMIT = 65_536
"""Characters of a comment's or review's body."""


def body_text(body: Json, resource: str, *, required: bool = True) -> str:
    """The `body` of a request, within its limit."""
    given = body.get("body")
    if given is None and not required:
        return ""
    if given is None:
        raise invalid('"body" wasn\'t supplied.')
    if not isinstance(given, str):
        raise invalid(f"For 'properties/body', {_shown(given)} is not a string.")
    if required and not given.strip():
        raise failed(resource, "body", "missing_field", "Body cannot be blank")
    check_length(given, resource)
    return given


def check_length(text: str, resource: str) -> None:
    """Refuse a text that is longer than GitHub keeps."""
    if len(text) > BODY_LIMIT:
        raise failed(
            resource, "body", "custom", f"body is too long (maximum is {BODY_LIMIT} characters)"
        )


def whole_number(body: Json, name: str) -> int | None:
    """An integer field, or None if it is absent."""
    given = body.get(name)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int):
        raise invalid(f"For 'properties/{name}', {_shown(given)} is not an integer.")
    return given


def one_of(body: Json, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    """A field with few values."""
    given = body.get(name, default)
    if given not in allowed:
        raise invalid(f"For 'properties/{name}', {_shown(given)} is not a member of {allowed}.")
    return str(given)


def _shown(given: Any) -> str:
    return repr(given)[:80]
