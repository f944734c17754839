"""The demo's GitHub and its model: recorded answers, and a script in the place of Gemini.

The model reads the prompt as a real one would and answers from fixtures/demo/judge.yml. What the
script does not know it allows. Control rules it answers by reading the lines shown.
"""

from __future__ import annotations

import datetime as dt
import hmac
import json
import re
import secrets
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from string import Template
from typing import Any, NamedTuple

import aiohttp
import yaml
from aiohttp import web

from jurat.errors import IncompleteError
from jurat.judge.control_rules import load_control_rules
from jurat.judge.models_file import ModelNames
from jurat.judge.protocol import Prompt, Reply, Tier, estimate_tokens
from jurat.judge.twins import is_broken_example
from jurat.resources import get_bundled_path
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule

# The demo's GitHub: answers recorded in fixtures/demo/github.json, and what a review writes.
#
# `python -m tests.demo.record` makes the recording anew.

Json = dict[str, Any]

_BODY_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What GitHub said to one request: a body (JSON, or text), and 200 or 404."""

    body: Any
    status: int = 200


@dataclass(frozen=True, slots=True)
class Recording:
    """One opened pull request, as GitHub tells of it.

    `event` is the webhook's payload. `answers` are by what was asked: the path with its query,
    unquoted, and the media type.
    """

    event: Json
    answers: Mapping[tuple[str, str], RecordedAnswer]


def load_demo_recording() -> Recording:
    """The recording of the demo's pull request."""
    text = get_bundled_path("fixtures", "demo", "github.json").read_text(encoding="utf-8")
    recorded = json.loads(text)
    answers = {
        (item["path"], item["accept"]): RecordedAnswer(item["body"], item.get("status", 200))
        for item in recorded["answers"]
    }
    return Recording(recorded["event"], answers)


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
        text: str = self.recording.answers[path, "application/vnd.github.diff"].body
        return text

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[RecordedGitHub]:
        """Answer on loopback, on a free port."""
        app = web.Application(client_max_size=_BODY_LIMIT)
        repository, number = "/repos/{owner}/{name}", r"{number:\d+}"
        app.add_routes(
            [
                web.post(f"/app/installations/{number}/access_tokens", self._create_token),
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

    async def _create_token(self, request: web.Request) -> web.Response:
        named = (await request.json()).get("repositories", [])
        if any(name != self.pull["base"]["repo"]["name"] for name in named):
            # As GitHub refuses it: this installation has one repository.
            refusal = {"message": "There is at least one repository that does not exist."}
            return web.json_response(refusal, status=422)
        expires_at = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
        token = {"token": secrets.token_hex(), "expires_at": expires_at.isoformat()}
        return web.json_response(token, status=201)

    async def _create_check(self, request: web.Request) -> web.Response:
        run = {
            "id": len(self.checks) + 1,
            "app": {"id": self._find_answer("/app")["id"]},
            "conclusion": None,
            **await request.json(),
        }
        self.checks.append(_count_annotations(run))
        return web.json_response(run, status=201)

    async def _update_check(self, request: web.Request) -> web.Response:
        run = self.checks[int(request.match_info["number"]) - 1]
        run |= await request.json()
        return web.json_response(_count_annotations(run))

    async def _list_checks(self, request: web.Request) -> web.Response:
        runs = [run for run in self.checks if run["head_sha"] == request.match_info["sha"]]
        return web.json_response({"total_count": len(runs), "check_runs": runs})

    async def _create_review(self, request: web.Request) -> web.Response:
        sent = await request.json()
        review = {"id": len(self.reviews) + 1, "body": sent["body"]}
        user = self._find_answer(f"/users/{self._find_answer('/app')['slug']}[bot]")
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
        found = self.recording.answers.get((path, accept)) if request.method == "GET" else None
        if found is None:
            self.unknown.append(f"{request.method} {path}")
            refusal = {"message": "The demo's recording has no answer to this."}
            return web.json_response(refusal, status=422)
        if isinstance(found.body, str):
            return web.Response(text=found.body, status=found.status)
        return web.json_response(found.body, status=found.status)

    def _find_answer(self, path: str) -> Any:
        return self.recording.answers[path, "application/vnd.github.v3+json"].body


def _count_annotations(run: Json) -> Json:
    output = run["output"]
    output["annotations_count"] = len(output.get("annotations", ()))
    return run


Script = Mapping[str, Sequence[Mapping[str, Any]]]
"""What to say of a rule: for each pattern that an added line may match, the parts of a verdict."""

_RULE = re.compile(r"^- (\S+) \(\w+, on ([\d -]*)\): (.*)$", re.MULTILINE)
_HEADING = re.compile(r"^=== (\d+) (.*?)(?: \(\w+\b[^()]*\))?(?: \(in part\))?$")
_ADDED = re.compile(r"^(\d+)\+(.*)$")


class _Line(NamedTuple):
    """A line that the change adds, as the prompt shows it."""

    path: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class _ListedRule:
    """A rule of a prompt, and the added lines that it is about."""

    id: str
    statement: str
    lines: tuple[_Line, ...]


class ScriptedJudge:
    """A Judge without a network. It signs with the names of the models whose place it takes."""

    def __init__(self, script: Script, models: ModelNames) -> None:
        self._script = script
        self._models = models

    def model_id(self, tier: Tier) -> str:
        """The model whose place it takes."""
        return self._models.flash if tier == "flash" else self._models.pro

    async def ask(self, prompt: Prompt) -> Reply:
        """One verdict for each rule that the prompt lists. The tokens are estimates."""
        verdicts = [_build_verdict(rule, self._script) for rule in _parse_listed_rules(prompt.user)]
        text = json.dumps({"verdicts": verdicts})
        asked = estimate_tokens(prompt.system + prompt.user + json.dumps(prompt.schema))
        return Reply(text, self.model_id(prompt.tier), asked, estimate_tokens(text), latency_ms=0.0)


def load_demo_script() -> Script:
    """The script that belongs to the demo's pull request."""
    text = get_bundled_path("fixtures", "demo", "judge.yml").read_text(encoding="utf-8")
    script: Script = yaml.safe_load(text)["rules"]
    return script


def _parse_listed_rules(prompt: str) -> Iterator[_ListedRule]:
    """The rules stand before the material, which is fenced in with a word of its own."""
    rules, _, fenced = prompt.partition("\n<<<")
    parts: dict[int, list[_Line]] = {}
    path, lines = "", list[_Line]()
    for row in fenced.split("\n"):
        if heading := _HEADING.match(row):
            path, lines = heading[2], parts.setdefault(int(heading[1]), [])
        elif added := _ADDED.match(row):
            lines.append(_Line(path, *added.groups()))
    for name, ranges, statement in _RULE.findall(rules):
        about = [line for number in _parse_numbers(ranges) for line in parts.get(number, ())]
        yield _ListedRule(name, statement, tuple(about))


def _parse_numbers(ranges: str) -> Iterator[int]:
    """The numbers in ranges such as "1-4 7"."""
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield from range(int(first), int(last or first) + 1)


@cache
def _list_known_rules() -> Mapping[str, Rule]:
    """The rules that the demo is reviewed by, by their statements."""
    rules = load_ruleset(read_pack("engineering")).rules.values()
    return {" ".join(rule.statement.split()): rule for rule in rules}


def _is_broken_twin(rule: _ListedRule) -> bool:
    """Whether it asks by a known rule's words about code made of an example that breaks it."""
    known = _list_known_rules().get(rule.statement)
    if known is None or known.id == rule.id:
        return False
    return bool(is_broken_example(known, "\n".join(line.text for line in rule.lines)))


def _build_verdict(rule: _ListedRule, script: Script) -> dict[str, Any]:
    if _is_broken_twin(rule):
        return _build_denial(rule, rule.lines[0], {})
    for line in rule.lines:
        if _is_broken_control(rule, line):
            return _build_denial(rule, line, {})
        for entry in script.get(rule.id, ()):
            if re.search(entry["pattern"], line.text):
                return _build_denial(rule, line, entry)
    return _build_allowance(rule)


def _is_broken_control(rule: _ListedRule, line: _Line) -> bool:
    """Whether the rule is a control, and the line one that only its broken text has."""
    return any(
        (item.statement, item.label) == (rule.statement, line.path)
        and line.text in item.breaks.splitlines()
        and line.text not in item.keeps.splitlines()
        for items in load_control_rules().values()
        for item in items
    )


def _build_denial(rule: _ListedRule, line: _Line, entry: Mapping[str, Any]) -> dict[str, Any]:
    quote = line.text.strip()
    values = {"path": line.path, "line": line.number, "quote": quote, "statement": rule.statement}

    def worded(field: str, otherwise: str) -> str:
        return Template(entry.get(field, otherwise)).safe_substitute(values)

    finding: dict[str, Any] = {"file_path": line.path, "quote": quote, "why": ""}
    if fix := entry.get("remediation"):
        replacement = re.sub(fix["find"], fix["replacement"], quote)
        finding["remediation"] = {"type": fix["type"], "replacement": replacement}
    return {
        "rule": rule.id,
        "reasoning": worded("reasoning", '$path has "$quote", which breaks it: $statement'),
        "findings": [finding],
        "verdict": "DENY",
        "confidence": entry.get("confidence", 0.95),
        "issue": worded("issue", "This breaks the rule: $statement"),
        "fix_suggestion": worded("fix_suggestion", "Change the line so that the rule holds."),
    }


def _build_allowance(rule: _ListedRule) -> dict[str, Any]:
    first = next(iter(rule.lines), None)
    place = f'{first.path}, "{first.text.strip()}" among it,' if first else "the material"
    return {
        "rule": rule.id,
        "reasoning": f"In {place} nothing breaks it: {rule.statement}",
        "findings": [],
        "checked": [first.path if first else "the material"],
        "verdict": "ALLOW",
        "confidence": 0.9,
        "issue": "",
        "fix_suggestion": "",
    }
