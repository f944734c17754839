"""The webhook over HTTP.

Nothing is parsed before its signature holds, and nothing is answered with success before it is on
the disk.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from pydantic_core import from_json

from jurat.errors import JuratError
from jurat.github.events import (
    SUBSCRIBED,
    UNASKED,
    IgnoredEvent,
    InstallationChanged,
    PayloadError,
    Ping,
    parse_event,
)
from jurat.reports.limits import WEBHOOK_PAYLOAD
from jurat.server.bodies import BodyError, BodyReader
from jurat.server.connections import LIMITS
from jurat.server.intake import ClaimResult, Delivery, Intake
from jurat.server.readiness import Readiness, add_health
from jurat.settings import ServerSettings
from jurat.store.database import DatabaseUnavailable

_GUID = re.compile(r"[0-9A-Za-z-]{1,64}")
_EVENT = re.compile(r"[a-z0-9_]{1,64}")

_log = structlog.stdlib.get_logger("jurat.server")


class _RefusedError(JuratError):
    """A request that is answered with a 4xx status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Answered = Callable[[str, int, float], None]
"""Told of each delivery: its event (`OTHER` if none of ours), the status, and the seconds taken."""

OTHER = "(other)"


def create_app(
    settings: ServerSettings,
    intake: Intake,
    readiness: Readiness,
    *,
    answered: Answered | None = None,
    bodies: BodyReader | None = None,
) -> web.Application:
    """The server's application: the webhook, /healthz and /readyz. Further doors add their own."""
    app = web.Application(handler_args=LIMITS)
    secret = settings.webhook_secret.get_secret_value()
    webhook = _Webhook(secret, settings.app.app_id, intake, bodies or BodyReader(), answered)
    app.router.add_post(settings.webhook_path, webhook.receive)
    add_health(app, readiness)
    return app


class _Webhook:
    def __init__(
        self,
        secret: str,
        app_id: int,
        intake: Intake,
        bodies: BodyReader,
        answered: Answered | None,
    ) -> None:
        self._secret = secret
        self._app_id = app_id
        self._intake = intake
        self._bodies = bodies
        self._answered = answered

    async def receive(self, request: web.Request) -> web.Response:
        """Answer one delivery, whatever it is, and log one line about it."""
        started = time.perf_counter()
        guid = request.headers.get("X-GitHub-Delivery", "")
        known = guid if _GUID.fullmatch(guid) else None
        with structlog.contextvars.bound_contextvars(delivery=known):
            try:
                answer = await self._handle(request)
            except (_RefusedError, BodyError) as refused:
                answer = _build_response(refused.status, status="refused", reason=refused.message)
            except DatabaseUnavailable as error:
                _log.error("a delivery could not be kept", cause=str(error.__cause__))
                # Not a 2XX: GitHub lists the delivery as failed, and `jurat replay --missed` finds
                # it.
                answer = _build_response(
                    503, status="failed", reason="The database does not answer."
                )
            seconds = time.perf_counter() - started
            name = request.headers.get("X-GitHub-Event", "")
            _log.info(
                "delivery",
                event_name=name[:64],
                status=answer.status,
                answer=answer.text,
                milliseconds=round(seconds * 1000, 2),
            )
        if self._answered is not None:
            event = name if name in SUBSCRIBED or name in UNASKED else OTHER
            self._answered(event, answer.status, seconds)
        return answer

    async def _handle(self, request: web.Request) -> web.Response:
        body = await self._read_verified(request)
        name = request.headers.get("X-GitHub-Event", "")
        guid = request.headers.get("X-GitHub-Delivery", "")
        if not _EVENT.fullmatch(name):
            raise _RefusedError(400, "The X-GitHub-Event header is missing or malformed.")
        if not _GUID.fullmatch(guid):
            raise _RefusedError(400, "The X-GitHub-Delivery header is missing or malformed.")
        payload = _parse_payload(request.content_type, body)
        try:
            event = parse_event(name, payload, delivery=guid, app_id=self._app_id)
        except PayloadError as error:
            raise _RefusedError(400, error.message) from None
        if isinstance(event, IgnoredEvent):
            return _build_response(202, status="ignored", reason=event.reason)
        if isinstance(event, Ping):
            return _build_response(200, status="pong")
        if isinstance(event, InstallationChanged):
            _log.info("installation", action=event.action, account=event.account)
        claim = await self._intake.accept(Delivery.of(guid, name, event))
        # A duplicate is a success as well: its first delivery is on the disk.
        return _build_response(
            202 if claim is ClaimResult.ACCEPTED else 200, status=claim.value, delivery=guid
        )

    async def _read_verified(self, request: web.Request) -> bytearray:
        """The body, read only under a header that may be its signature."""
        header = request.headers.get(HEADER)
        if not is_signature_well_formed(header):
            # Before the body is read: 25 MB from whoever finds the address cost nothing but this.
            raise _RefusedError(401, f"The {HEADER} header is missing or malformed.")
        # As it comes: 25 MB at once would hold up everybody else for 50 ms.
        signature = begin_signature(self._secret)
        body = await self._bodies.read(request, WEBHOOK_PAYLOAD.size, each=signature.update)
        if not verify_signature(signature, header):
            raise _RefusedError(401, "The signature does not match: compare the webhook secrets.")
        return body


def _parse_payload(content_type: str, body: bytes | bytearray) -> dict[str, Any]:
    """The payload, sent as JSON or as a form that holds it."""
    if content_type == "application/x-www-form-urlencoded":
        try:
            # The signature covers the form as sent; only then is it taken apart.
            body = parse_qs(body.decode("ascii"), max_num_fields=16)["payload"][0].encode()
        except (ValueError, KeyError):
            raise _RefusedError(400, "The form holds no payload.") from None
    elif content_type != "application/json":
        raise _RefusedError(415, "Send the payload as application/json.")
    try:
        payload = from_json(body)
    except ValueError:
        raise _RefusedError(400, "The payload is not JSON.") from None
    if not isinstance(payload, dict):
        raise _RefusedError(400, "The payload is not a JSON object.")
    return payload


def _build_response(code: int, /, **fields: str) -> web.Response:
    return web.json_response(fields, status=code)


# Whether a delivery comes from GitHub.
#
# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. The older SHA-1
# header is not read at all.

HEADER = "X-Hub-Signature-256"

_FORM = re.compile("sha256=([0-9a-f]{64})")


def is_signature_well_formed(header: str | None) -> bool:
    """Whether a header can be a signature, known before the body is read."""
    return _FORM.fullmatch(header or "") is not None


def begin_signature(secret: str) -> hmac.HMAC:
    """What is fed with a body, part by part, to find its signature under a secret.

    An empty secret signs nothing: ValueError.
    """
    if not secret:
        raise ValueError("an empty secret signs nothing")
    return hmac.new(secret.encode(), digestmod="sha256")


def verify_signature(signature: hmac.HMAC, header: str | None) -> bool:
    """Whether `header` is the signature of the raw body that was fed, in constant time."""
    match = _FORM.fullmatch(header or "")
    return match is not None and hmac.compare_digest(signature.digest(), bytes.fromhex(match[1]))
