"""The demo's GitHub: answers recorded in fixtures/demo/github.json, and what a review writes.

`python -m tests.demo.record` makes the recording anew.
"""

from __future__ import annotations

import datetime as dt
import hmac
import json
import secrets
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from bot.errors import IncompleteError
from bot.resources import shipped

Json = dict[str, Any]

_BODY_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Recording:
    """One opened pull request, as GitHub tells of it.

    `event` is the webhook's payload. `answers` are bodies (JSON, or text) by what was asked: the
    path with its query, unquoted, and the media type.
    """

    event: Json
    answers: Mapping[tuple[str, str], Any]


def recorded_demo() -> Recording:
    """The recording of the demo's pull request."""
    text = shipped("fixtures", "demo", "github.json").read_text(encoding="utf-8")
    told = json.loads(text)
    answers = {(item["path"], item["accept"]): item["body"] for item in told["answers"]}
    return Recording(told["event"], answers)


@dataclass(slots=True)
class RecordedGitHub:
    """One GitHub at `url`. Reads come from the recording; what is written is kept, and read back.

    `unknown` are the requests that the recording has no answer to, which were refused.
    """

    recording: Recording
    url: str = ""
    checks: list[Json] = field(default_factory=list)
    reviews: list[Json] = field(default_factory=list)
    comments: list[Json] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def pull(self) -> Json:
        """The pull request, as the webhook has it."""
        pull: Json = self.recording.event["pull_request"]
        return pull

    @property
    def diff(self) -> str:
        """The pull request's diff."""
        path = f"/repos/{self.pull['base']['repo']['full_name']}/pulls/{self.pull['number']}"
        text: str = self.recording.answers[path, "application/vnd.github.diff"]
        return text

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[RecordedGitHub]:
        """Answer on loopback, on a free port."""
        app = web.Application(client_max_size=_BODY_LIMIT)
        repository, number = "/repos/{owner}/{name}", r"{number:\d+}"
        app.add_routes(
            [
                web.post(f"/app/installations/{number}/access_tokens", self._token),
                web.post(f"{repository}/check-runs", self._create_check),
                web.patch(f"{repository}/check-runs/{number}", self._update_check),
                web.get(f"{repository}/commits/{{sha}}/check-runs", self._list_checks),
                web.post(f"{repository}/pulls/{number}/reviews", self._create_review),
                web.get(f"{repository}/pulls/{number}/comments", self._list_comments),
                web.route("*", "/{rest:.*}", self._replay),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await runner.cleanup()

    async def deliver(self, webhook_url: str, secret: str) -> None:
        """Send the webhook, signed. Raises IncompleteError if it is not accepted."""
        data = json.dumps(self.recording.event).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-GitHub-Event": "pull_request",
            "X-Hub-Signature-256": f"sha256={hmac.digest(secret.encode(), data, 'sha256').hex()}",
        }
        async with (
            aiohttp.ClientSession() as session,
            session.post(webhook_url, data=data, headers=headers) as answer,
        ):
            if not answer.ok:
                said = await answer.text()
                raise IncompleteError(f"The server answered {answer.status} to the webhook: {said}")

    async def _token(self, _: web.Request) -> web.Response:
        expires_at = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
        token = {"token": secrets.token_hex(), "expires_at": expires_at.isoformat()}
        return web.json_response(token, status=201)

    async def _create_check(self, request: web.Request) -> web.Response:
        run = {
            "id": len(self.checks) + 1,
            "app": {"id": self._answer("/app")["id"]},
            "conclusion": None,
            **await request.json(),
        }
        self.checks.append(_counted(run))
        return web.json_response(run, status=201)

    async def _update_check(self, request: web.Request) -> web.Response:
        run = self.checks[int(request.match_info["number"]) - 1]
        run |= await request.json()
        return web.json_response(_counted(run))

    async def _list_checks(self, request: web.Request) -> web.Response:
        runs = [run for run in self.checks if run["head_sha"] == request.match_info["sha"]]
        return web.json_response({"total_count": len(runs), "check_runs": runs})

    async def _create_review(self, request: web.Request) -> web.Response:
        sent = await request.json()
        review = {"id": len(self.reviews) + 1, "body": sent["body"]}
        user = self._answer(f"/users/{self._answer('/app')['slug']}[bot]")
        self.reviews.append(review)
        for comment in sent["comments"]:
            about = {"user": user, "original_commit_id": sent["commit_id"]}
            self.comments.append({"id": len(self.comments) + 1, **about, **comment})
        return web.json_response(review)

    async def _list_comments(self, _: web.Request) -> web.Response:
        return web.json_response(self.comments)

    async def _replay(self, request: web.Request) -> web.Response:
        """An answer of the recording.

        What it lacks is refused as something that cannot be answered: a 404 would say that there is
        no such file, and the review would go on without it.
        """
        accept = request.headers.get("Accept", "")
        path = f"{request.path}?{request.query_string}".removesuffix("?")
        body = self.recording.answers.get((path, accept)) if request.method == "GET" else None
        if body is None:
            self.unknown.append(f"{request.method} {path}")
            told = {"message": "The demo's recording has no answer to this."}
            return web.json_response(told, status=422)
        return web.Response(text=body) if isinstance(body, str) else web.json_response(body)

    def _answer(self, path: str, accept: str = "application/vnd.github.v3+json") -> Any:
        return self.recording.answers[path, accept]


def _counted(run: Json) -> Json:
    output = run["output"]
    output["annotations_count"] = len(output.get("annotations", ()))
    return run
