"""The answers with which GitHub refuses a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


BURST = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class RefusalError(Exception):
    """A request that GitHub does not carry out.

    `errors` are objects with resource, field and code, or plain sentences, as the endpoint has it.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Mapping[str, str] | str] = (),
        headers: Mapping[str, str] | None = None,
        documentation: str = DOCUMENTATION,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = dict(headers or {})
        self.documentation = documentation

    def body(self) -> dict[str, Any]:
        """The JSON that goes over the wire."""
        told: dict[str, Any] = {"message": self.message}
        if self.errors:
            told["errors"] = list(self.errors)
        return told | {"documentation_url": self.documentation, "status": str(self.status)}


def not_found() -> RefusalError:
    """What is not there, and what the caller may not know is there."""
    return RefusalError(404, "Not Found")


def invalid(reason: str) -> RefusalError:
    """A request that does not fit the endpoint's schema."""
    return RefusalError(422, f"Invalid request.\n\n{reason}")


def failed(resource: str, field: str, code: str, message: str = "") -> RefusalError:
    """A request that fits the schema and breaks a rule."""
    error = {"resource": resource, "field": field, "code": code}
    if message:
        error["message"] = message
    return RefusalError(422, "Validation Failed", errors=[error])


def locked() -> RefusalError:
    """A conversation that was locked: https://github.com/renovatebot/renovate/issues/6215"""
    return RefusalError(403, "Unable to create comment because issue is locked.")


def forbidden() -> RefusalError:
    """An App without the permission for this."""
    return RefusalError(403, "Resource not accessible by integration")
