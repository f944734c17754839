"""Webhook deliveries: signed, sent, remembered."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import aiohttp

from tests.standins.github.world import Event

TIMEOUT = 10.0
"""Seconds that GitHub waits for an answer."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One attempt. `status_code` is 0 if no answer came; `duration` is in seconds."""

    id: int
    event: Event
    delivered_at: datetime
    redelivery: bool
    duration: float
    status: str
    status_code: int
    request_headers: Mapping[str, str]
    response_headers: Mapping[str, str]
    response: str

    @property
    def ok(self) -> bool:
        """Whether the App answered 2XX."""
        return 200 <= self.status_code < 300


def encode(event: Event) -> bytes:
    """The payload's bytes as they are signed and sent."""
    return json.dumps(event.payload, ensure_ascii=False, separators=(",", ":")).encode()


def signed_headers(
    event: Event, data: bytes, *, secret: str, hook_id: int, app_id: int
) -> dict[str, str]:
    """The headers of a delivery.

    https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
    """
    key = secret.encode()
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/5ca1ab1e",
        "X-GitHub-Delivery": event.guid,
        "X-GitHub-Event": event.name,
        "X-GitHub-Hook-ID": str(hook_id),
        "X-GitHub-Hook-Installation-Target-ID": str(app_id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": f"sha1={hmac.new(key, data, hashlib.sha1).hexdigest()}",
        "X-Hub-Signature-256": f"sha256={hmac.new(key, data, hashlib.sha256).hexdigest()}",
    }


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back of one POST."""

    status: str
    code: int
    headers: Mapping[str, str]
    body: str
    duration: float


async def cut_off(data: bytes) -> AsyncIterator[bytes]:
    """The first half of a body, and the end of the connection."""
    yield data[: len(data) // 2]
    raise aiohttp.ClientConnectionError("a proxy gave up")


async def post(
    session: aiohttp.ClientSession,
    url: str,
    data: bytes | AsyncIterator[bytes],
    headers: Mapping[str, str],
) -> Reply:
    """Send one delivery. A failure is an answer too, as it is on GitHub's page of deliveries."""
    started = time.monotonic()
    limit = aiohttp.ClientTimeout(total=TIMEOUT)
    try:
        async with session.post(url, data=data, headers=headers, timeout=limit) as response:
            body = await response.text(errors="replace")
            reason = response.reason or "OK"
            code, told = response.status, dict(response.headers)
    except TimeoutError:
        reason, code, told, body = "timed out", 0, {}, ""
    except aiohttp.ClientError:
        reason, code, told, body = "failed to connect to host", 0, {}, ""
    return Reply(reason, code, told, body, round(time.monotonic() - started, 2))
