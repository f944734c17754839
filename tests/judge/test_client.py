"""The adapter against the stand-in: what it sends, what it makes of each answer, how it waits."""

from __future__ import annotations

import asyncio
import logging
import subprocess
from collections.abc import AsyncIterator
from email.utils import formatdate

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from jurat.judge.gemini import GeminiJudge, GeminiOptions
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import Behaviour, Reaction
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Rests
from tests.support.production import python

PROMPT = Prompt(
    "Be brief.",
    "How are you?",
    {"type": "object", "properties": {"verdicts": {"type": "array"}}},
    "flash",
    "medium",
)
FINE = reactions.saying('{"verdicts": []}')


async def fault_of(judge: GeminiJudge) -> JudgeErrorKind:
    with pytest.raises(JudgeError) as caught:
        await judge.ask(PROMPT)
    return caught.value.fault


async def test_it_sends_what_the_prompt_says(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.always(FINE)
    await gemini_judge.ask(PROMPT)
    (asked,) = gemini.asked
    assert asked.model == "gemini-3-flash-preview"
    assert (asked.system, asked.user, asked.thinking) == ("Be brief.", "How are you?", "medium")
    generation = asked.body["generationConfig"]
    assert generation["responseMimeType"] == "application/json"
    assert generation["responseJsonSchema"] == PROMPT.schema
    assert generation["maxOutputTokens"] == 65_536
    # Sampling parameters are deprecated for Gemini 3: its own defaults hold.
    assert not {"temperature", "topP", "topK"} & set(generation)


async def test_it_hands_on_text_model_and_tokens(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.always(FINE)
    reply = await gemini_judge.ask(PROMPT)
    assert (reply.text, reply.model_id) == ('{"verdicts": []}', "gemini-3-flash-preview")
    assert reply.input_tokens > 0
    assert reply.output_tokens == 256 + 6
    assert reply.latency_ms > 0


async def test_thoughts_are_no_part_of_the_text(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    def thinking_aloud(asked: reactions.Asked, _reply: reactions.Reply) -> Reaction:
        reaction = reactions.generated(asked, "{}")
        assert not isinstance(reaction.body, str)
        parts = reaction.body["candidates"][0]["content"]["parts"]
        parts.insert(0, {"text": "Let me see.", "thought": True})
        return reaction

    gemini.always(thinking_aloud)
    assert (await gemini_judge.ask(PROMPT)).text == "{}"


@pytest.mark.parametrize(
    ("behaviour", "fault", "calls"),
    [
        (reactions.stalled, JudgeErrorKind.TIMEOUT, 2),
        (reactions.server_error(500), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.server_error(503), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.server_error(504), JudgeErrorKind.TIMEOUT, 2),
        (reactions.rate_limited(), JudgeErrorKind.RATE_LIMITED, 2),
        (reactions.cut_off, JudgeErrorKind.TRUNCATED, 1),
        (reactions.refused("SAFETY"), JudgeErrorKind.REFUSED, 1),
        (reactions.refused("RECITATION"), JudgeErrorKind.REFUSED, 1),
        (reactions.refused("PROHIBITED_CONTENT"), JudgeErrorKind.REFUSED, 1),
        (reactions.refused("OTHER"), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.refused("MALFORMED_RESPONSE"), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.refused("STOP"), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.saying(""), JudgeErrorKind.UNAVAILABLE, 2),
        (reactions.blocked, JudgeErrorKind.REFUSED, 1),
        (lambda *_: Reaction({"usageMetadata": {}}), JudgeErrorKind.UNAVAILABLE, 2),
        (lambda *_: Reaction("<html>"), JudgeErrorKind.UNAVAILABLE, 2),
        (lambda *_: Reaction('{"candidates": 7}'), JudgeErrorKind.UNAVAILABLE, 2),
        (lambda *_: Reaction("<html>", 502), JudgeErrorKind.UNAVAILABLE, 2),
        (
            lambda *_: reactions.failure(
                400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum"
            ),
            JudgeErrorKind.TOO_LARGE,
            1,
        ),
        (lambda *_: Reaction("too large", 413), JudgeErrorKind.TOO_LARGE, 1),
        (lambda *_: reactions.failure(400, "INVALID_ARGUMENT", "bad"), JudgeErrorKind.REJECTED, 1),
        (lambda *_: reactions.failure(403, "PERMISSION_DENIED", "no"), JudgeErrorKind.REJECTED, 1),
    ],
)
async def test_each_answer_is_the_fault_that_it_is(
    behaviour: Behaviour,
    fault: JudgeErrorKind,
    calls: int,
    gemini: StandInGemini,
    gemini_judge: GeminiJudge,
) -> None:
    gemini.always(behaviour)
    assert await fault_of(gemini_judge) is fault
    assert len(gemini.asked) == calls


@pytest.mark.parametrize(
    "behaviour", [reactions.stalled, reactions.server_error(500), reactions.rate_limited()]
)
async def test_a_passing_fault_is_asked_again(
    behaviour: Behaviour, gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.behave(behaviour, FINE)
    assert (await gemini_judge.ask(PROMPT)).text == '{"verdicts": []}'
    assert len(gemini.asked) == 2


async def test_an_unknown_model_and_a_wrong_key_are_rejected_at_once(
    gemini: StandInGemini, rests: Rests
) -> None:
    unknown = GeminiOptions(models={"flash": "gemini-9-flash", "pro": "gemini-9-pro"})
    for key, options in (("wrong", GeminiOptions()), (gemini.api_key, unknown)):
        async with GeminiJudge(
            key, base_url=gemini.base_url, options=options, sleep=rests
        ) as judge:
            assert await fault_of(judge) is JudgeErrorKind.REJECTED
    assert rests == []


@pytest.mark.parametrize(
    ("behaviour", "waits"),
    [
        (reactions.rate_limited("13"), 13.0),
        (reactions.rate_limited(retry_delay="4.5s"), 4.5),
        (reactions.rate_limited("3", retry_delay="9s"), 3.0),
        (reactions.rate_limited(formatdate(1_000_060, usegmt=True)), 60.0),
        (reactions.rate_limited(formatdate(999_000, usegmt=True)), 0.0),
    ],
)
async def test_it_waits_as_long_as_the_api_asks(
    behaviour: Behaviour, waits: float, gemini: StandInGemini, rests: Rests
) -> None:
    gemini.behave(behaviour, FINE)
    async with GeminiJudge(
        gemini.api_key, base_url=gemini.base_url, sleep=rests, now=lambda: 1_000_000.0
    ) as judge:
        await judge.ask(PROMPT)
    assert rests == [waits]


@pytest.mark.parametrize(
    "behaviour",
    [
        reactions.rate_limited(),
        reactions.rate_limited("soon"),
        reactions.rate_limited(retry_delay="a whiles"),
        reactions.server_error(500),
    ],
)
async def test_where_the_api_asks_for_nothing_waits_grow_at_random(
    behaviour: Behaviour, gemini: StandInGemini, rests: Rests
) -> None:
    gemini.always(behaviour)
    options = GeminiOptions(attempts=6)
    async with GeminiJudge(
        gemini.api_key, base_url=gemini.base_url, options=options, sleep=rests
    ) as judge:
        with pytest.raises(JudgeError):
            await judge.ask(PROMPT)
    assert len(rests) == 5
    assert all(0 <= rest <= limit for rest, limit in zip(rests, (1, 2, 4, 8, 16), strict=True))


async def test_a_wait_beyond_its_patience_is_not_begun(gemini: StandInGemini, rests: Rests) -> None:
    gemini.always(reactions.rate_limited("3600"))
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url, sleep=rests) as judge:
        assert await fault_of(judge) is JudgeErrorKind.RATE_LIMITED
    assert rests == []
    assert len(gemini.asked) == 1


async def test_a_host_that_is_not_there_is_unavailable(rests: Rests) -> None:
    options = GeminiOptions(attempts=2)
    base_url = f"http://127.0.0.1:{unused_port()}"
    async with GeminiJudge("key", base_url=base_url, options=options, sleep=rests) as judge:
        assert await fault_of(judge) is JudgeErrorKind.UNAVAILABLE
    assert len(rests) == 1


@pytest.fixture
async def hanging_up() -> AsyncIterator[TestServer]:
    async def handle(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", handle)
    async with TestServer(app) as server:
        yield server


async def test_a_connection_that_breaks_is_unavailable(
    hanging_up: TestServer, rests: Rests
) -> None:
    options = GeminiOptions(attempts=2)
    async with GeminiJudge(
        "key", base_url=str(hanging_up.make_url("/")), options=options, sleep=rests
    ) as judge:
        assert await fault_of(judge) is JudgeErrorKind.UNAVAILABLE
    assert len(rests) == 1


async def test_a_judge_that_is_cancelled_lets_go(
    gemini: StandInGemini,
) -> None:
    stalled = asyncio.Event()
    gemini.on_stall = stalled.set
    gemini.always(reactions.stalled)
    async with GeminiJudge(gemini.api_key, base_url=gemini.base_url) as judge:
        asking = asyncio.create_task(judge.ask(PROMPT))
        await stalled.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert len(gemini.asked) == 1


async def test_a_closed_judge_may_be_asked_again(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.always(FINE)
    await gemini_judge.ask(PROMPT)
    await gemini_judge.aclose()
    await gemini_judge.ask(PROMPT)
    assert len(gemini.asked) == 2


async def test_neither_key_nor_prompt_is_logged_or_part_of_an_error(
    gemini: StandInGemini,
    gemini_judge: GeminiJudge,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = reactions.failure(403, "PERMISSION_DENIED", f"{gemini.api_key}: {PROMPT.user}")
    gemini.behave(FINE, lambda *_: echo, reactions.server_error(500), reactions.refused())
    await gemini_judge.ask(PROMPT)
    told = []
    for _ in range(2):
        with pytest.raises(JudgeError) as caught:
            await gemini_judge.ask(PROMPT)
        told.append(str(caught.value))
        assert caught.value.__cause__ is None
    for text in (caplog.text, *told):
        assert gemini.api_key not in text
        assert PROMPT.user not in text


async def test_the_environment_has_no_say(
    gemini: StandInGemini, gemini_judge: GeminiJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("GEMINI_API_KEY", "another")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v1")
    gemini.always(FINE)
    await gemini_judge.ask(PROMPT)
    assert len(gemini.asked) == 1


def test_the_sdk_is_not_imported_before_it_is_asked() -> None:
    program = (
        "import sys; from jurat.judge.gemini import GeminiJudge; GeminiJudge('key');"
        "import jurat.judge.judge;"
        "heavy = {'google.genai', 'aiohttp', 'httpx2', 'tenacity'} & set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    run = subprocess.run([python(), "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
