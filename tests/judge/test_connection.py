"""Whatever the SDK or its transport fails with, it is a judge's or an embedder's failure."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys

import aiohttp
import httpx2
import pytest

from jurat.judge.call_record import CallRecord
from jurat.judge.embeddings import GeminiEmbedder
from jurat.judge.gemini import GeminiJudge
from jurat.judge.gemini_connection import CallError, Connection, NoClientError
from jurat.judge.opening import open_models
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt
from jurat.rules.relevance import EmbeddingError
from jurat.settings import Settings
from tests.standins.gemini.standin import StandInGemini

KEY = "sk-a-key-for-tests-alone"
PROMPT = Prompt("Be brief.", "How are you?", {"type": "object"}, "flash", "low")
NO_CLIENT = "the model's client could not be made"

UNREAD = "the API's answer could not be read"
LATE = "no answer within 5 s"


@pytest.fixture
def without_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (TimeoutError(KEY), LATE),
        (aiohttp.ServerTimeoutError(KEY), LATE),
        (httpx2.ReadTimeout(KEY), LATE),
        (httpx2.ConnectError(KEY), "the call failed (ConnectError)"),
        (httpx2.InvalidURL(KEY), "the call failed (InvalidURL)"),
        (aiohttp.ClientPayloadError(KEY), "the connection failed (ClientPayloadError)"),
        (aiohttp.InvalidURL(KEY), "the connection failed (InvalidURL)"),
        (ConnectionResetError(KEY), "the connection failed (ConnectionResetError)"),
        (ssl.SSLCertVerificationError(KEY), "the connection failed (SSLCertVerificationError)"),
        (json.JSONDecodeError(KEY, KEY, 0), UNREAD),
        (KeyError(KEY), UNREAD),
        (AttributeError(KEY), UNREAD),
        (RecursionError(KEY), "the call failed (RecursionError)"),
        (AssertionError(KEY), "the call failed (AssertionError)"),
        (ImportError("No module named 'x'"), f"{NO_CLIENT} (ImportError: No module named 'x')"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_a_call_fails_with_what_came_of_it_and_nothing_else(
    error: Exception, problem: str
) -> None:
    connection = Connection(KEY, "http://127.0.0.1:1", 5.0)
    with pytest.raises(CallError) as caught:
        async with connection.call():
            raise error
    await connection.aclose()
    assert str(caught.value) == problem
    assert caught.value.timed_out is (problem == LATE)
    assert (caught.value.answer, caught.value.__cause__) == (None, None)


async def test_who_is_cancelled_is_cancelled() -> None:
    connection = Connection(KEY, "http://127.0.0.1:1", 5.0)
    with pytest.raises(asyncio.CancelledError):
        async with connection.call():
            raise asyncio.CancelledError
    await connection.aclose()


async def test_a_judge_is_constructed_without_a_word_to_the_network(gemini: StandInGemini) -> None:
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url) as judge:
        await judge.construct()
        await judge.construct()
    assert gemini.asked == []


@pytest.mark.usefixtures("without_sdk")
async def test_without_the_sdk_each_door_says_so_in_its_own_error() -> None:
    missing = rf"{NO_CLIENT} \(ModuleNotFoundError: .*google\.genai"
    async with GeminiJudge(KEY) as judge, GeminiEmbedder(KEY) as embedder:
        with pytest.raises(JudgeError, match=missing) as constructed:
            await judge.construct()
        with pytest.raises(JudgeError, match=missing) as asked:
            await judge.ask(PROMPT)
        with pytest.raises(EmbeddingError, match=missing):
            await embedder.embed(["a text"], "query", CallRecord())
    assert constructed.value.fault is asked.value.fault is JudgeErrorKind.UNAVAILABLE
    settings = Settings.from_environment({"GEMINI_API_KEY": KEY}).for_model()
    assert settings is not None
    async with open_models(settings) as models:
        found = await models.list_unreachable()
    assert found
    assert all(problem.startswith("The model's client could not") for problem in found.values())


async def test_a_judge_works_as_soon_as_its_sdk_does(
    gemini: StandInGemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url) as judge:
        with monkeypatch.context() as broken:
            broken.setitem(sys.modules, "google.genai", None)
            with pytest.raises(JudgeError):
                await judge.construct()
        await judge.construct()


async def test_what_making_the_client_says_may_hold_the_key_and_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(**given: object) -> None:
        raise ValueError(f"bad key {given['api_key']}")

    monkeypatch.setattr("google.genai.Client", refuse)
    with pytest.raises(NoClientError) as caught:
        await Connection(KEY, "http://127.0.0.1:1", 5.0).open()
    assert str(caught.value) == f"{NO_CLIENT} (ValueError)"
    assert caught.value.__cause__ is None


async def test_a_client_that_cannot_be_closed_costs_no_answer(
    gemini: StandInGemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_client: object) -> None:
        raise RuntimeError("no loop")

    monkeypatch.setattr("google.genai.Client.close", fail)
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url) as judge:
        await judge.construct()
