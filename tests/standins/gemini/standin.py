"""A Gemini to talk to: on loopback, scripted, and as strict about requests as the real one.

    async with StandInGemini() as gemini:
        gemini.behave(reactions.rate_limited("7"), reactions.careful)
        judge = GeminiJudge(gemini.api_key, base_url=gemini.base_url)
        ...
        assert len(gemini.asked) == 2

Queued behaviours are used up one a request; then, and by default, the script answers.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.standins.gemini.embedding import EMBEDDING_MODEL, embedded
from tests.standins.gemini.reactions import Behaviour, Reaction, careful, failure
from tests.standins.gemini.reading import Asked, read_request
from tests.standins.gemini.script import Function, Script, load_script, reply

MODELS = ("gemini-3-flash-preview", "gemini-3.1-pro-preview")

_BODY_LIMIT = 20 * 1024 * 1024
"""The API takes requests of at most 20 MB."""

_KNOWN = {
    "": {
        "contents",
        "systemInstruction",
        "generationConfig",
        "safetySettings",
        "tools",
        "toolConfig",
        "cachedContent",
    },
    "generationConfig": {
        "candidateCount",
        "maxOutputTokens",
        "responseJsonSchema",
        "responseMimeType",
        "responseSchema",
        "seed",
        "stopSequences",
        "temperature",
        "thinkingConfig",
        "topK",
        "topP",
    },
}
"""Fields of a request, at the top and inside generationConfig."""


VERTEX = "/v1beta1"
PUBLISHED = "publishers/google/models/{model}"
"""https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference"""


class StandInGemini:
    """One Gemini API.

    `asked` records every request that had a valid key, in order. `on_stall` is called when a
    request has come in that will not be answered. Requests for embeddings are kept apart: their
    bodies in `embedded`, and `embedding_fault` is what they get instead of vectors. It is Vertex
    AI as well, for who has `token` in `project`; `granted` counts how often it was handed out, and
    `locations` are where its models were asked.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        api_key: str = "stand-in-key",
        models: tuple[str, ...] = MODELS,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.script = script if script is not None else load_script()
        self.functions: dict[str, Function] = {}
        self.api_key = api_key
        self.asked: list[Asked] = []
        self.embedded: list[dict[str, Any]] = []
        self.embedding_fault: Reaction | None = None
        self.base_url = ""
        self.token, self.project, self.granted = "stand-in-token", "stand-in-project", 0
        self.locations: list[str] = []
        self.on_stall: Callable[[], None] | None = None
        self._models = models
        self._address = (host, port)
        self._queue: deque[Behaviour] = deque()
        self._always: Behaviour = careful
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen. `base_url` is known from then on."""
        app = web.Application(client_max_size=_BODY_LIMIT)
        app.router.add_get("/v1beta/models/{model}", self._model)
        app.router.add_post("/v1beta/models/{model}:generateContent", self._generate)
        app.router.add_post("/v1beta/models/{model}:batchEmbedContents", self._embed)
        app.router.add_get(f"{VERTEX}/{PUBLISHED}", self._model)
        app.router.add_post(
            f"{VERTEX}/projects/{{project}}/locations/{{location}}/{PUBLISHED}:generateContent",
            self._generate,
        )
        app.router.add_post("/token", self._grant)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        listening = socket.create_server(self._address)
        await web.SockSite(self._runner, listening).start()
        host, port = listening.getsockname()[:2]
        self.base_url = f"http://{host}:{port}"

    async def stop(self) -> None:
        """Let go of stalled requests and close."""
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    def behave(self, *behaviours: Behaviour) -> None:
        """Queue behaviours for the next requests, one each."""
        self._queue.extend(behaviours)

    def always(self, behaviour: Behaviour) -> None:
        """What to do once the queue is empty."""
        self._always = behaviour

    def judges(self, rule_id: str, function: Function) -> None:
        """Have a function judge one rule."""
        self.functions[rule_id] = function

    async def _model(self, request: web.Request) -> web.Response:
        """What a model is: https://ai.google.dev/api/models."""
        model = request.match_info["model"]
        refusal = self._refused(request, (*self._models, EMBEDDING_MODEL))
        told: dict[str, Any] = {
            "name": f"models/{model}",
            "version": "001",
            "displayName": model,
            "inputTokenLimit": 1_048_576,
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }
        return _response(refusal or Reaction(told))

    async def _generate(self, request: web.Request) -> web.Response:
        model = request.match_info["model"]
        body, refusal = await self._opened(request, self._models)
        if refusal is not None:
            return _response(refusal)
        if problem := _problem(body):
            return _response(failure(400, "INVALID_ARGUMENT", problem))
        asked = read_request(model, body)
        self.asked.append(asked)
        if "location" in request.match_info:
            self.locations.append(request.match_info["location"])
        behaviour = self._queue.popleft() if self._queue else self._always
        return await self._react(behaviour(asked, self._reply))

    async def _embed(self, request: web.Request) -> web.Response:
        body, refusal = await self._opened(request, (EMBEDDING_MODEL,))
        if refusal is None:
            self.embedded.append(body)
            refusal = self.embedding_fault or embedded(request.match_info["model"], body)
        return await self._react(refusal)

    async def _react(self, reaction: Reaction) -> web.Response:
        if reaction.stalls:
            if self.on_stall is not None:
                self.on_stall()
            await self._closing.wait()
        return _response(reaction)

    async def _opened(
        self, request: web.Request, models: tuple[str, ...]
    ) -> tuple[Any, Reaction | None]:
        """The body of a request, or why it is refused before its body counts."""
        if refusal := self._refused(request, models):
            return None, refusal
        try:
            return json.loads(await request.read()), None
        except ValueError:
            return None, failure(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")

    def _refused(self, request: web.Request, models: tuple[str, ...]) -> Reaction | None:
        """Why a request is refused for its key or its model."""
        if request.path.startswith(VERTEX):
            return self._refused_by_vertex(request, models)
        key = request.headers.get("x-goog-api-key", "")
        if not hmac.compare_digest(key.encode(), self.api_key.encode()):
            # An invalid key is a bad request here, not a 401.
            return failure(400, "INVALID_ARGUMENT", "API key not valid.")
        model = request.match_info["model"]
        if model not in models:
            problem = f"models/{model} is not found for API version v1beta."
            return failure(404, "NOT_FOUND", problem)
        return None

    def _refused_by_vertex(self, request: web.Request, models: tuple[str, ...]) -> Reaction | None:
        """Vertex AI knows no key: it wants a token, of who may use the project."""
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return failure(401, "UNAUTHENTICATED", "Request had invalid credentials.")
        if request.match_info.get("project", self.project) != self.project:
            return failure(403, "PERMISSION_DENIED", "Permission denied on resource project.")
        if (model := request.match_info["model"]) not in models:
            return failure(404, "NOT_FOUND", f"Publisher Model `{model}` was not found.")
        return None

    async def _grant(self, request: web.Request) -> web.Response:
        """A token for a service account that has signed for itself (RFC 7523)."""
        form = await request.post()
        wanted = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        if form.get("grant_type") != wanted or str(form.get("assertion")).count(".") != 2:
            return web.json_response({"error": "invalid_grant"}, status=400)
        self.granted += 1
        token = {"access_token": self.token, "expires_in": 3600, "token_type": "Bearer"}
        return web.json_response(token)

    def _reply(self, asked: Asked) -> dict[str, Any]:
        return reply(asked, self.script, self.functions)


def _problem(body: object) -> str:
    """What the API would refuse of a request's body, or ""."""
    if not isinstance(body, Mapping) or not body.get("contents"):
        return "contents is not specified"
    for name, known in _KNOWN.items():
        given = body.get(name, {}) if name else body
        unknown = sorted(set(given) - known)
        if unknown:
            where = f" at '{name}'" if name else ""
            return f'Invalid JSON payload received. Unknown name "{unknown[0]}"{where}'
    generation = body.get("generationConfig", {})
    if "responseJsonSchema" in generation and (
        generation.get("responseMimeType") != "application/json"
    ):
        return "responseJsonSchema needs responseMimeType application/json"
    return ""


def _response(reaction: Reaction) -> web.Response:
    """A text that is no JSON is what a proxy on the way would say, and is labelled as that."""
    text = reaction.body if isinstance(reaction.body, str) else json.dumps(reaction.body)
    return web.Response(
        status=reaction.status,
        text=text,
        content_type="application/json" if text.startswith("{") else "text/html",
        charset="utf-8",
        headers=reaction.headers,
    )
