"""Records what the demo's GitHub answers: python -m tests.cli.record

A review of the demo's pull request runs between the stand-ins, and what GitHub was asked to read is
written to fixtures/demo/github.json. What the App writes is not: bot/jurat/cli/demo_github.py
keeps that itself.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from tests.cli.stage import FIXTURES, Stage, staged
from tests.standins.github.recorder import Exchange

RECORDING = FIXTURES / "github.json"

_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_KEPT = ("/check-runs", "/comments")
"""The lists that grow with what the App writes."""


async def recorded() -> str:
    """The recording as JSON text; the same each time."""
    async with staged() as stage:
        await stage.settle()
        return recording_of(stage)


def recording_of(stage: Stage) -> str:
    """What the stand-in said to a review, with one address and one moment for all."""
    asked: dict[tuple[str, str], Exchange] = {}
    for exchange in stage.github.exchanges:
        if exchange.method == "GET" and not exchange.path.endswith(_KEPT):
            # 404: the demo's owner has no `.github` repository, and the App asks for one.
            assert exchange.status in (200, 404), exchange
            # The first answer counts: a later one may tell of what the App wrote.
            asked.setdefault((address(exchange), exchange.headers["accept"]), exchange)
    answers = [
        {"path": path, "accept": accept, **answer_of(exchange)}
        for (path, accept), exchange in sorted(asked.items(), key=lambda item: item[0])
    ]
    told = {"event": stage.opened.payload, "answers": answers}
    text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    return _MOMENT.sub(
        "2026-01-05T09:00:00Z", text.replace(stage.github.api_url, "https://api.github.com")
    )


def answer_of(exchange: Exchange) -> dict[str, Any]:
    """The body that was answered, and the status if it was not 200."""
    body = exchange.answered
    said = {"body": body.decode() if isinstance(body, bytes) else body}
    return said if exchange.status == 200 else {**said, "status": exchange.status}


def address(exchange: Exchange) -> str:
    """What was asked for: the path with its query, unquoted."""
    query = "&".join(f"{name}={value}" for name, value in exchange.query.items())
    return f"{exchange.path}?{query}".removesuffix("?")


if __name__ == "__main__":
    RECORDING.write_text(asyncio.run(recorded()), encoding="utf-8")
