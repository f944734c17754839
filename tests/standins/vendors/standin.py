"""Stand-ins for OpenAI and Anthropic: servers that take what the vendors' own types allow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import TestServer
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as AnthropicParams
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming as OpenAIParams,
)
from pydantic import ConfigDict, TypeAdapter, ValidationError

KEY = "sk-a-key-for-tests-alone"
MODELS = frozenset({"small", "large"})


@dataclass(frozen=True)
class Behaved:
    """One response: a body, sent as JSON unless it is a text, or nothing, ever, with `stalls`."""

    body: Any = None
    status: int = 200
    retry_after: str | None = None
    stalls: bool = False
    location: str | None = None


class Vendor:
    """A server on loopback. `behave` says how it answers next; the last of them holds."""

    def __init__(self, path: str, read_key: Callable[[web.Request], str | None]) -> None:
        self.asked: list[dict[str, Any]] = []
        self.on_stall: Callable[[], None] = lambda: None
        self._path = path
        self._read_key = read_key
        self._next: list[Behaved] = []
        app = web.Application()
        app.router.add_post(path, self._answer)
        app.router.add_get("/v1/models/{model}", self._describe)
        self._server = TestServer(app)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    def address(self, path: str = "") -> str:
        return str(self._server.make_url(path or "/")).rstrip("/")

    def behave(self, *behaviours: Behaved) -> None:
        self._next = list(behaviours)

    async def _describe(self, request: web.Request) -> web.Response:
        model = request.match_info["model"]
        if self._read_key(request) != KEY:
            return web.json_response({"error": {"message": f"bad key {KEY}"}}, status=401)
        if model not in MODELS:
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        return web.json_response({"id": model, "object": "model", "type": "model"})

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        if self._read_key(request) != KEY:
            return web.json_response({"error": {"message": f"bad key {KEY}"}}, status=401)
        try:
            _adapter(self._path).validate_python(body)
        except ValidationError as error:
            return web.json_response({"error": {"message": str(error)}}, status=400)
        if problem := find_open_object(_schema_of(body)):
            return web.json_response({"error": {"message": problem}}, status=400)
        if body["model"] not in MODELS:
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        reaction = self._next.pop(0) if len(self._next) > 1 else self._next[0]
        if reaction.stalls:
            self.on_stall()
            await asyncio.Event().wait()
        given = {"Retry-After": reaction.retry_after, "Location": reaction.location}
        headers = {name: value for name, value in given.items() if value}
        text = reaction.body if isinstance(reaction.body, str) else json.dumps(reaction.body)
        return web.Response(
            text=text, status=reaction.status, headers=headers, content_type="application/json"
        )


def _schema_of(body: Mapping[str, Any]) -> Any:
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    return body["output_config"]["format"]["schema"]


def find_open_object(schema: object) -> str:
    """What strict output refuses: an object that may hold what it does not name; "" if nothing."""
    if isinstance(schema, list):
        return next(filter(None, map(find_open_object, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return "additionalProperties must be false"
    return find_open_object(list(schema.values()))


@cache
def _adapter(path: str) -> TypeAdapter[Any]:
    """The parameters that the vendor's client is typed with; what they do not name is refused."""
    params: Any = AnthropicParams if path.endswith("/messages") else OpenAIParams

    class Strict(params):  # type: ignore[misc]
        __pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    return TypeAdapter(Strict)


def _read_bearer(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


def openai() -> Vendor:
    """OpenAI's chat completions."""
    return Vendor("/v1/chat/completions", _read_bearer)


def anthropic() -> Vendor:
    """Anthropic's messages. Its client sends the key as a bearer token, too."""
    return Vendor("/v1/messages", _read_bearer)


def say_openai(text: object, finish: str = "stop", **message: object) -> Behaved:
    """A whole answer of chat completions."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text, **message},
    }
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return Behaved(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "small-2026-01-01",
            "choices": [choice],
            "usage": usage,
        }
    )


def say_anthropic(text: object, finish: str = "end_turn") -> Behaved:
    """A whole answer of messages, with a thought before it."""
    return Behaved(
        {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "small-2026-01-01",
            "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "s"},
                {"type": "text", "text": text},
            ],
            "stop_reason": finish,
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 6, "output_tokens": 7},
        }
    )
