"""Faults of GitHub, played by a handler that answers what a test wrote down, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


class Time:
    """A clock that goes on only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Tokens:
    """Credentials that count up: a refused one is replaced by the next."""

    def __init__(self) -> None:
        self.number = 1

    async def get_authorization(self, refused: str | None = None) -> str:
        if refused == f"Bearer fake-{self.number}":
            self.number += 1
        return f"Bearer fake-{self.number}"


@dataclass(frozen=True)
class Answer:
    """One scripted answer; `drop` closes the connection instead."""

    status: int = 200
    data: Any = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Script:
    """A server on loopback that gives its answers in order, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer | Callable[[web.Request], Answer]] = []
        self.seen: list[Seen] = []
        self.url = ""
        self.at_once = self.most_at_once = 0

    def will(self, *answers: Answer | Callable[[web.Request], Answer]) -> None:
        self.answers += answers

    async def handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append(Seen(request.method, request.raw_path, headers, await request.read()))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for _ in range(50):  # long enough for another request to arrive, if one is on its way
            await asyncio.sleep(0)
        self.at_once -= 1
        following = self.answers.pop(0)
        answer = following(request) if callable(following) else following
        if answer.drop:
            assert request.transport is not None
            request.transport.close()
        if answer.body is not None:
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        return web.Response(
            status=answer.status,
            text=json.dumps(answer.data if answer.data is not None else {}),
            content_type="application/json",
            headers=answer.headers,
        )
