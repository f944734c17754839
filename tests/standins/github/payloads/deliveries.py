"""Webhook deliveries as the REST API shows them."""

from __future__ import annotations

from tests.standins.github.clock import timestamp
from tests.standins.github.deliveries import Delivery
from tests.standins.github.world import Json


def item(one: Delivery) -> Json:
    """A delivery in the list."""
    payload = one.event.payload
    return {
        "id": one.id,
        "guid": one.event.guid,
        "delivered_at": timestamp(one.delivered_at),
        "redelivery": one.redelivery,
        "duration": one.duration,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event.name,
        "action": one.event.action,
        "installation_id": payload.get("installation", {}).get("id"),
        "repository_id": payload.get("repository", {}).get("id"),
        "throttled_at": None,
    }


def whole(one: Delivery) -> Json:
    """A delivery with what was sent and answered."""
    return item(one) | {
        "url": "",
        "request": {"headers": dict(one.request_headers), "payload": one.event.payload},
        "response": {"headers": dict(one.response_headers), "payload": one.response},
    }
