"""The stand-in speaks as the real API does: its shapes are those that the SDK's own types know."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest
from google.genai import types

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.verdict import Verdict
from jurat.judge.batches import build_questions, plan_batches
from jurat.judge.control_rules import load_control_rules
from jurat.judge.gemini import GeminiJudge
from jurat.judge.judge import ask_judge
from jurat.judge.prompts import build_batch_prompt, estimate_overhead
from jurat.judge.protocol import CallOptions, JudgmentOptions
from jurat.judge.replies import ReplyVerdict, read_reply
from jurat.rules.rule import Rule
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import Behaviour
from tests.standins.gemini.reading import read_request
from tests.standins.gemini.script import load_script, reply
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, a_diff, a_normative_rule
from tests.support.values import a_context

CONTEXT = a_context(a_diff("pay.py", "+log(secret)"))
PATH = "/v1beta/models/gemini-3-flash-preview:generateContent"
BODY: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}


async def posted(
    gemini: StandInGemini, body: object = BODY, *, path: str = PATH, key: str | None = None
) -> tuple[int, dict[str, str], Any]:
    headers = {"x-goog-api-key": gemini.api_key if key is None else key}
    async with (
        aiohttp.ClientSession() as session,
        session.post(gemini.base_url + path, json=body, headers=headers) as response,
    ):
        return response.status, dict(response.headers), json.loads(await response.text())


@pytest.mark.parametrize(
    "behaviour",
    [
        reactions.careful,
        reactions.cut_off,
        reactions.refused("SAFETY"),
        reactions.refused("RECITATION"),
        reactions.blocked,
        reactions.saying("x"),
        reactions.wrong_shape,
        reactions.allowing_all,
    ],
)
async def test_what_it_answers_is_a_response_of_the_sdk(
    behaviour: Behaviour, gemini: StandInGemini
) -> None:
    gemini.always(behaviour)
    status, _, body = await posted(gemini)
    assert status == 200
    response = types.GenerateContentResponse.model_validate(body)
    assert response.model_extra in (None, {})
    assert response.usage_metadata is not None
    assert response.model_version == "gemini-3-flash-preview"
    assert bool(response.candidates) != bool(response.prompt_feedback)
    again = json.loads(response.model_dump_json(by_alias=True, exclude_none=True))
    assert again.keys() == body.keys()


async def test_what_the_sdk_sends_is_a_request_that_it_takes(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    await ask_judge(CONTEXT, [a_normative_rule()], gemini_judge, Notebook())
    body = gemini.asked[0].body
    assert [types.Content.model_validate(item).role for item in body["contents"]] == ["user"]
    types.Content.model_validate(body["systemInstruction"])
    generation = types.GenerationConfig.model_validate(body["generationConfig"])
    assert generation.thinking_config is not None
    assert generation.thinking_config.thinking_level is types.ThinkingLevel.MEDIUM


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "contents is not specified"),
        ([], "contents is not specified"),
        ({**BODY, "system": "x"}, 'Unknown name "system"'),
        ({**BODY, "generationConfig": {"thinking": "high"}}, 'Unknown name "thinking" at \'gen'),
        ({**BODY, "generationConfig": {"responseJsonSchema": {}}}, "responseMimeType"),
    ],
)
async def test_a_request_that_the_api_would_refuse_is_refused(
    body: object, problem: str, gemini: StandInGemini
) -> None:
    status, _, answer = await posted(gemini, body)
    assert (status, answer["error"]["code"]) == (400, 400)
    assert answer["error"]["status"] == "INVALID_ARGUMENT"
    assert problem in answer["error"]["message"]
    assert gemini.asked == []


async def test_a_wrong_key_and_an_unknown_model_are_refused(gemini: StandInGemini) -> None:
    status, _, answer = await posted(gemini, key="wrong")
    assert (status, answer["error"]["status"]) == (400, "INVALID_ARGUMENT")
    status, _, answer = await posted(gemini, path="/v1beta/models/gemini-1:generateContent")
    assert (status, answer["error"]["status"]) == (404, "NOT_FOUND")


async def test_a_rate_limit_says_when_to_come_back(gemini: StandInGemini) -> None:
    gemini.behave(reactions.rate_limited("7", retry_delay="7s"))
    status, headers, answer = await posted(gemini)
    assert (status, headers["Retry-After"]) == (429, "7")
    assert answer["error"]["details"][-1]["retryDelay"] == "7s"
    assert (await posted(gemini))[0] == 200


def request_of(context: EvaluationContext, rules: list[Rule], mark: str) -> dict[str, Any]:
    (batch,) = plan_batches(
        build_questions(context, rules), JudgmentOptions(), estimate_overhead(context)
    ).batches
    prompt, _ = build_batch_prompt(batch, context, CallOptions("flash", "medium"), mark)
    return {
        "systemInstruction": {"parts": [{"text": prompt.system}]},
        "contents": [{"parts": [{"text": prompt.user}]}],
        "generationConfig": {"responseJsonSchema": prompt.schema},
    }


@pytest.mark.parametrize("kind", SubjectKind)
def test_it_answers_controls_by_reading_them(kind: SubjectKind) -> None:
    script = load_script()
    context = EvaluationContext((Subject(kind, facts={"a": 1}),))
    rule = a_normative_rule()
    for mark in (f"mark-{number}" for number in range(25)):
        body = request_of(context, [rule], mark)
        asked = read_request("m", body)
        statements = {
            item.statement: item for items in load_control_rules().values() for item in items
        }
        answers = read_reply(json.dumps(reply(asked, script, {})), context.subjects[0].surface)
        said = {
            answer.verdict
            for listed in asked.rules
            if listed.statement in statements
            and isinstance(answer := answers[listed.id], ReplyVerdict)
        }
        assert said == {Verdict.ALLOW, Verdict.DENY}
        for listed in asked.rules:
            if (specimen := statements.get(listed.statement)) is not None:
                flipped = json.loads(
                    json.dumps(body).replace(
                        json.dumps(specimen.breaks.splitlines()[-1])[1:-1],
                        json.dumps(specimen.keeps.splitlines()[-1])[1:-1],
                    )
                )
                again = reply(read_request("m", flipped), script, {})["verdicts"]
                (entry,) = (item for item in again if item["rule"] == listed.id)
                assert entry["verdict"] == "ALLOW"


def test_the_demo_script_finds_the_address_in_the_log_and_its_fix_takes_it_out() -> None:
    lines = (
        "+        refunds = cursor.fetchall()",
        '+        logger.info("found %d refunds for %s", len(refunds), email)',
    )
    rule = a_normative_rule("acme.no-personal-data-in-logs")
    context = a_context(a_diff("payments/ledger.py", *lines))
    asked = read_request("m", request_of(context, [rule], "mark"))
    given = reply(asked, load_script(), {})["verdicts"]
    (entry,) = (item for item in given if item["rule"] == rule.id)
    assert entry["verdict"] == "DENY"
    (found,) = entry["findings"]
    assert found["quote"] == lines[1][1:].strip()
    assert found["remediation"]["replacement"] == 'logger.info("found %d refunds", len(refunds))'


def test_every_reply_of_the_script_keeps_the_schema() -> None:
    required = {"rule", "reasoning", "findings", "verdict", "confidence"}
    asked = read_request("m", request_of(CONTEXT, [a_normative_rule()], "mark"))
    for entry in reply(asked, load_script(), {})["verdicts"]:
        assert required <= set(entry)
