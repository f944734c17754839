"""What GitHub delivered to the App's webhook, as GitHub remembers it: for three days.

https://docs.github.com/en/rest/apps/webhooks
"""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from bot.github.client import GitHub

KEPT = dt.timedelta(days=3)
"""How long GitHub keeps a delivery."""


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True)


class HookAttempt(_Payload):
    """One attempt at a delivery. `status_code` is what we answered, 0 or less where we did not."""

    id: int
    guid: str
    event: str
    action: str | None = None
    delivered_at: dt.datetime
    status_code: int

    @property
    def taken(self) -> bool:
        """Whether the App answered that it took the delivery on."""
        return 200 <= self.status_code < 300


class _Request(_Payload):
    payload: Mapping[str, Any] | None = None


class _Whole(_Payload):
    request: _Request


def attempts(app: GitHub) -> AsyncIterator[HookAttempt]:
    """Every attempt that GitHub remembers, newest first. `app` speaks as the App itself."""
    return app.each(HookAttempt, "/app/hook/deliveries{?per_page}", {"per_page": 100})


async def payload_of(app: GitHub, attempt: HookAttempt) -> Mapping[str, Any]:
    """What was sent."""
    whole = await app.read(_Whole, "/app/hook/deliveries/{id}", {"id": attempt.id})
    return whole.request.payload or {}
