"""Fixtures: a stand-in Gemini, the real client that talks to it, and a ledger in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from jurat.judge.gemini import GeminiJudge, GeminiOptions
from jurat.judge.protocol import Prompt, Reply, Tier
from jurat.rules.rule import Modality, Rule, RuleKind, Severity
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from tests.standins.gemini.reactions import Behaviour, careful
from tests.standins.gemini.reading import Asked, ListedRule, read_request
from tests.standins.gemini.script import Function, Script, Verdict, allowed, denied, reply
from tests.standins.gemini.standin import StandInGemini


class Notebook(dict[str, str]):
    """A ledger in memory."""

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        return {key: self[key] for key in keys if key in self}

    async def remember(self, entries: Mapping[str, str]) -> None:
        for key, entry in entries.items():
            self.setdefault(key, entry)

    async def amend(self, entries: Mapping[str, str]) -> None:
        self.update(entries)

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        return frozenset(keys)

    async def release(self, keys: Sequence[str]) -> None:
        pass


class Rests(list[float]):
    """Takes the place of sleeping: notes how long it should have been."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


class Deadlines:
    """Takes the place of timeouts: all are over once every request under way is stalled."""

    def __init__(self) -> None:
        self.active: list[asyncio.Timeout] = []
        self.stalled = 0

    @asynccontextmanager
    async def __call__(self, _seconds: float) -> AsyncIterator[None]:
        async with asyncio.timeout(None) as timeout:
            self.active.append(timeout)
            try:
                yield
            finally:
                self.active.remove(timeout)

    def stall(self) -> None:
        self.stalled += 1
        if self.stalled == len(self.active):
            self.stalled = 0
            for timeout in self.active:
                timeout.reschedule(0)


class Spoken:
    """The stand-in's judge without the HTTP between, for tests that are about words alone."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.functions: dict[str, Function] = {}
        self.behaviour: Behaviour = careful

    def model_id(self, tier: Tier) -> str:
        return f"spoken-{tier}"

    async def ask(self, prompt: Prompt) -> Reply:
        body = {
            "systemInstruction": {"parts": [{"text": prompt.system}]},
            "contents": [{"role": "user", "parts": [{"text": prompt.user}]}],
            "generationConfig": {"responseJsonSchema": prompt.schema},
        }
        asked = read_request(self.model_id(prompt.tier), body)
        self.asked.append(asked)
        reaction = self.behaviour(asked, lambda said: reply(said, Script(), self.functions))
        answer: Any = reaction.body
        text = answer["candidates"][0]["content"]["parts"][0]["text"]
        tokens = answer["usageMetadata"]
        return Reply(
            text, asked.model, tokens["promptTokenCount"], tokens["candidatesTokenCount"], 1.0
        )


@pytest.fixture
async def gemini() -> AsyncIterator[StandInGemini]:
    """A stand-in whose script knows no rule: tests add what it should judge."""
    async with StandInGemini(Script()) as standin:
        yield standin


@pytest.fixture
def rests() -> Rests:
    return Rests()


@pytest.fixture
async def gemini_judge(gemini: StandInGemini, rests: Rests) -> AsyncIterator[GeminiJudge]:
    """The real client. It gives up on a stalled answer at once, and never really waits."""
    deadlines = Deadlines()
    gemini.on_stall = deadlines.stall
    async with GeminiJudge(
        gemini.api_key,
        base_url=gemini.base_url,
        options=GeminiOptions(attempts=2),
        sleep=rests,
        deadline=deadlines,
    ) as judge:
        yield judge


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def a_normative_rule(rule_id: str = "house.no-secrets-in-logs", **fields: Any) -> Rule:
    """A blocking rule that only a model can judge."""
    values: dict[str, Any] = {
        "id": rule_id,
        "statement": "Log lines hold no secrets.",
        "kind": RuleKind.NORMATIVE,
        "modality": Modality.MUST_NOT,
        "severity": Severity.HIGH,
    }
    return Rule(**{**values, **fields})


def a_diff(path: str, *lines: str, first: int = 1, **fields: Any) -> FileChange:
    """A file with one hunk. Lines begin with "+", "-" or " ", as a diff has them."""
    old = new = first
    shown = []
    for line in lines:
        text = line[1:]
        if line[0] == "+":
            shown.append(Line("added", None, new, text))
            new += 1
        elif line[0] == "-":
            shown.append(Line("removed", old, None, text))
            old += 1
        else:
            shown.append(Line("context", old, new, text))
            old, new = old + 1, new + 1
    section = fields.pop("section", "")
    hunk = Hunk(first, old - first, first, new - first, section, tuple(shown))
    values: dict[str, Any] = {"status": FileStatus.MODIFIED, "old_path": path, "hunks": (hunk,)}
    return FileChange(path, **{**values, **fields})


def denying(text: str, **fields: Any) -> Function:
    """A function that denies where a line holds `text`, with other values for its fields."""

    def judged(asked: Asked, rule: ListedRule) -> Verdict:
        for shown in asked.about(rule):
            for line in shown.lines:
                if text in line.text:
                    return {**denied(asked, rule, shown, line), **fields}
        return allowed(asked, rule)

    return judged
