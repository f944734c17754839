"""One contract for every provider: what is no whole answer is a fault, and never a verdict."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import unused_port
from pydantic import SecretStr

from jurat.errors import ConfigurationError, UsageError
from jurat.facts.context import Surface
from jurat.findings.evaluation import Conclusion
from jurat.findings.verdict import Verdict
from jurat.judge.anthropic_vendor import ANTHROPIC
from jurat.judge.gemini import GeminiJudge, GeminiOptions
from jurat.judge.models_file import ModelSettings, load_models_file
from jurat.judge.openai_vendor import OPENAI
from jurat.judge.opening import open_models
from jurat.judge.protocol import Judge, JudgeError, JudgeErrorKind, Prompt
from jurat.judge.replies import build_schema, read_reply
from jurat.judge.vendor_judge import Vendor, VendorJudge, VendorOptions, close_schema, drop_nulls
from jurat.review import review
from jurat.review_interfaces import Inputs, Services
from jurat.rules.config import Config
from jurat.rules.rule import Modality, RuleSet, Severity
from jurat.settings import Settings
from jurat.source.diff import Diff
from jurat.source.parsing import parse_in_process
from tests.standins.gemini import reactions
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.standins.vendors import standin
from tests.standins.vendors.standin import KEY, Behaved, say_anthropic, say_openai
from tests.support.code import added
from tests.support.gemini import Deadlines, Rests, a_normative_rule
from tests.support.production import python
from tests.support.pushes import NOW, OneChange, PullRequestMemory

PROMPT = Prompt("Be brief.", "How are you?", build_schema(Surface.CODE), "flash", "medium")
LIMIT = Behaved({"error": {"message": "slow down"}}, 429, "13")
DOWN = Behaved({"error": {"message": f"key {KEY} of {PROMPT.user}"}}, 500)
LONG = "prompt is too long: it exceeds the context length"
COMMON = {
    "rate limit": LIMIT,
    "server error": DOWN,
    "overloaded": Behaved("<html>", 529),
    "timeout": Behaved(stalls=True),
    "no JSON": Behaved("<html>"),
    "another shape": Behaved({"choices": 7, "content": 7}),
    "a list": Behaved([]),
    "too long": Behaved({"error": {"message": LONG}}, 400),
    "rejected": Behaved({"error": {"message": "bad"}}, 400),
    "redirect": Behaved("", 307, location="/elsewhere"),
}
OUTCOMES: dict[str, dict[str, Behaved]] = {
    "openai": {
        **COMMON,
        "answer": say_openai('{"verdicts": []}'),
        "refusal": say_openai(None, refusal="I cannot."),
        "filtered": say_openai("", "content_filter"),
        "truncated": say_openai('{"verdicts": [', "length"),
        "nothing": say_openai(""),
        "odd end": say_openai("{}", "function_call"),
        "odd text": say_openai([{"type": "text"}]),
    },
    "anthropic": {
        **COMMON,
        "answer": say_anthropic('{"verdicts": []}'),
        "refusal": say_anthropic("", "refusal"),
        "filtered": say_anthropic("{}", "refusal"),
        "truncated": say_anthropic('{"verdicts": [', "max_tokens"),
        "nothing": say_anthropic(""),
        "odd end": say_anthropic("{}", "pause_turn"),
        "odd text": say_anthropic([{"type": "text"}]),
    },
}
GEMINI: dict[str, Callable[..., Any]] = {
    "answer": reactions.saying('{"verdicts": []}'),
    "refusal": reactions.blocked,
    "filtered": reactions.refused("SAFETY"),
    "truncated": reactions.cut_off,
    "nothing": reactions.saying(""),
    "odd end": reactions.refused("OTHER"),
    "odd text": lambda *_: reactions.Reaction('{"candidates": 7}'),
    "rate limit": reactions.rate_limited("13"),
    "server error": reactions.server_error(500),
    "overloaded": lambda *_: reactions.Reaction("<html>", 503),
    "timeout": reactions.stalled,
    "no JSON": lambda *_: reactions.Reaction("<html>"),
    "another shape": lambda *_: reactions.Reaction('{"candidates": 7}'),
    "a list": lambda *_: reactions.Reaction("[]"),
    "too long": lambda *_: reactions.failure(400, "INVALID_ARGUMENT", "too many tokens"),
    "rejected": lambda *_: reactions.failure(400, "INVALID_ARGUMENT", "bad"),
}
VENDORS: dict[str, Vendor] = {"openai": OPENAI, "anthropic": ANTHROPIC}
PASSING = "rate limit, server error, overloaded, timeout, no JSON, another shape, a list"


@dataclass
class Bench:
    """A provider's stand-in and its adapter, whose waits are noted instead of waited."""

    judge: Judge
    behave: Callable[..., None]
    asked: list[Any]
    rests: Rests


def build_judge(name: str, server: standin.Vendor, **given: Any) -> VendorJudge:
    base_url = server.address("/v1" if name == "openai" else "")
    options = VendorOptions(
        {"flash": given.pop("model", "small"), "pro": "large"}, base_url, attempts=2
    )
    return VendorJudge(VENDORS[name], given.pop("key", KEY), options, **given)


@pytest.fixture(params=["gemini", "openai", "anthropic"])
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    name, deadlines, rests = request.param, Deadlines(), Rests()
    async with AsyncExitStack() as stack:
        if name == "gemini":
            gemini = await stack.enter_async_context(StandInGemini(Script()))
            gemini.on_stall = deadlines.stall
            options = GeminiOptions(attempts=2)
            judge: Any = await stack.enter_async_context(
                GeminiJudge(
                    gemini.api_key,
                    base_url=gemini.base_url,
                    options=options,
                    sleep=rests,
                    deadline=deadlines,
                )
            )
            yield Bench(
                judge,
                lambda *names: gemini.behave(*(GEMINI[each] for each in names)),
                gemini.asked,
                rests,
            )
            return
        server = await stack.enter_async_context(getattr(standin, name)())
        server.on_stall = deadlines.stall
        judge = await stack.enter_async_context(
            build_judge(name, server, sleep=rests, deadline=deadlines)
        )
        yield Bench(
            judge,
            lambda *names: server.behave(*(OUTCOMES[name][each] for each in names)),
            server.asked,
            rests,
        )


async def test_an_answer_is_handed_on(bench: Bench) -> None:
    bench.behave("answer")
    reply = await bench.judge.ask(PROMPT)
    assert read_reply(reply.text, Surface.CODE) == {}
    assert reply.input_tokens > 0
    assert reply.output_tokens > 0
    assert reply.served
    assert reply.model_id == bench.judge.model_id("flash")


@pytest.mark.parametrize(
    ("outcome", "fault", "calls"),
    [
        ("refusal", JudgeErrorKind.REFUSED, 1),
        ("filtered", JudgeErrorKind.REFUSED, 1),
        ("truncated", JudgeErrorKind.TRUNCATED, 1),
        ("too long", JudgeErrorKind.TOO_LARGE, 1),
        ("rejected", JudgeErrorKind.REJECTED, 1),
        ("rate limit", JudgeErrorKind.RATE_LIMITED, 2),
        ("timeout", JudgeErrorKind.TIMEOUT, 2),
        ("server error", JudgeErrorKind.UNAVAILABLE, 2),
        ("overloaded", JudgeErrorKind.UNAVAILABLE, 2),
        ("no JSON", JudgeErrorKind.UNAVAILABLE, 2),
        ("another shape", JudgeErrorKind.UNAVAILABLE, 2),
        ("a list", JudgeErrorKind.UNAVAILABLE, 2),
        ("nothing", JudgeErrorKind.UNAVAILABLE, 2),
        ("odd end", JudgeErrorKind.UNAVAILABLE, 2),
        ("odd text", JudgeErrorKind.UNAVAILABLE, 2),
    ],
)
async def test_what_is_no_answer_is_a_fault(
    outcome: str, fault: JudgeErrorKind, calls: int, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bench.behave(outcome, outcome)
    with pytest.raises(JudgeError) as caught:
        await bench.judge.ask(PROMPT)
    assert caught.value.fault is fault
    assert len(bench.asked) == calls
    for secret in (KEY, PROMPT.user):
        assert secret not in f"{caught.value}{caplog.text}"


FAULTS = [name for name in OUTCOMES["openai"] if name not in {"answer", "redirect"}]


@pytest.mark.parametrize("outcome", [*FAULTS, "answer"])
async def test_a_review_passes_on_none_of_them(outcome: str, bench: Bench) -> None:
    # The answer is of no rule: what a model leaves out, it did not judge either.
    bench.behave(*([outcome] * 20))
    rule = a_normative_rule(modality=Modality.MUST, severity=Severity.HIGH)
    change = Diff((added("def pay(key):\n    return key\n"),))
    hands = OneChange(Inputs(change, RuleSet({rule.id: rule}), Config(), repository="acme/shop"))
    services = Services(bench.judge, PullRequestMemory(), parse_in_process, lambda: NOW)
    evaluation = (await review(hands, hands, services)).evaluation
    assert bench.asked
    assert [item.verdict for item in evaluation.rule_verdicts] == [Verdict.NOT_ASSESSED]
    assert evaluation.conclusion is not Conclusion.SUCCESS


@pytest.mark.parametrize("outcome", PASSING.split(", "))
async def test_what_passes_is_asked_again(outcome: str, bench: Bench) -> None:
    bench.behave(outcome, "answer")
    await bench.judge.ask(PROMPT)
    assert len(bench.asked) == 2
    assert outcome != "rate limit" or bench.rests == [13.0]


@pytest.mark.parametrize("name", VENDORS)
async def test_a_wrong_key_an_unknown_model_and_a_redirect_are_rejected_at_once(name: str) -> None:
    async with getattr(standin, name)() as server:
        server.behave(OUTCOMES[name]["redirect"])
        for given in ({"key": "wrong"}, {"model": "retired"}, {}):
            async with build_judge(name, server, **given) as judge:
                with pytest.raises(JudgeError) as caught:
                    await judge.ask(PROMPT)
            assert caught.value.fault is JudgeErrorKind.REJECTED
        assert len(server.asked) == 3


@pytest.mark.parametrize("name", VENDORS)
async def test_nobody_there_is_unavailable(name: str) -> None:
    rests = Rests()
    options = VendorOptions({"flash": "small"}, f"http://127.0.0.1:{unused_port()}", attempts=2)
    async with VendorJudge(VENDORS[name], KEY, options, sleep=rests) as judge:
        with pytest.raises(JudgeError) as caught:
            await judge.ask(PROMPT)
    assert (caught.value.fault, len(rests)) == (JudgeErrorKind.UNAVAILABLE, 1)


@pytest.mark.parametrize("name", VENDORS)
async def test_the_tokens_of_a_provider_that_counts_none_are_estimated(name: str) -> None:
    answer = OUTCOMES[name]["answer"].body
    async with getattr(standin, name)() as server, build_judge(name, server) as judge:
        server.behave(OUTCOMES[name]["answer"])
        counted = await judge.ask(PROMPT)
        server.behave(Behaved({key: answer[key] for key in answer.keys() - {"usage"}}))
        estimated = await judge.ask(PROMPT)
    assert (counted.input_tokens, counted.output_tokens) == (11, 7)
    assert (estimated.input_tokens, estimated.output_tokens) == (3 + 4, 6)


@pytest.mark.parametrize("name", VENDORS)
async def test_the_doctor_is_told_of_a_model_that_is_retired(name: str) -> None:
    async with getattr(standin, name)() as server:
        async with build_judge(name, server, model="retired") as judge:
            found = await judge.list_unreachable()
        assert found == {
            "retired": "The API answered 404; it is retired, or unknown there.",
            "large": "",
        }


@pytest.mark.parametrize("name", VENDORS)
async def test_without_its_client_a_judge_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    settings = ModelSettings(SecretStr(KEY), judge=name)
    async with open_models(settings) as models:
        with pytest.raises(JudgeError) as caught:
            await models.construct()
        found = await models.list_unreachable()
    assert f"pip install 'jurat[{name}]'" in caught.value.detail
    assert all(f"jurat[{name}]" in problem for problem in found.values())


def test_the_models_file_names_the_provider(tmp_path: Path) -> None:
    path = tmp_path / "models.yml"
    given = {"JURAT_MODELS": str(path), "ANTHROPIC_API_KEY": KEY}
    path.write_text("provider: anthropic\nmodels: {pro: claude-own}\n")
    model = Settings.from_environment(given).for_model()
    assert model is not None
    assert (model.judge, model.base_url) == ("anthropic", None)
    assert model.api_key.get_secret_value() == KEY
    assert KEY not in repr(model)
    assert model.file.models.flash.startswith("claude-")
    assert model.file.models.pro == "claude-own"

    path.write_text("provider: openai\n")
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        Settings.from_environment(given).for_model()
    path.write_text("provider: openai\nbase_url: http://127.0.0.1:11434/v1/\n")
    model = Settings.from_environment(given).for_model()
    assert model is not None
    assert model.base_url == "http://127.0.0.1:11434/v1"
    assert model.api_key.get_secret_value() != KEY
    with pytest.raises(ConfigurationError, match="provider: must be one of"):
        load_models_file("models.yml", "provider: oracle")


def test_strict_schemas_lose_nothing_that_was_optional() -> None:
    for surface in Surface:
        verdict = build_schema(surface)["properties"]["verdicts"]["items"]
        complete = close_schema(verdict, is_complete=True)
        assert set(complete["required"]) == set(verdict["properties"])
        assert complete["required"][: len(verdict["required"])] == verdict["required"]
        closed = close_schema(verdict, is_complete=False)
        assert closed["required"] == verdict["required"]
        assert not standin.find_open_object(closed)
        assert not standin.find_open_object(complete)
    assert drop_nulls('{"a": null, "b": [{"c": null, "d": "é"}]}') == '{"b": [{"d": "é"}]}'
    assert drop_nulls("[" * 100_000) == "[" * 100_000
    assert drop_nulls('{"a":') == '{"a":'


def test_no_client_is_imported_before_it_is_used() -> None:
    program = (
        "import sys, jurat.cli.main, jurat.cli.review\n"
        "import jurat.judge.openai_vendor, jurat.judge.anthropic_vendor\n"
        "sys.exit(', '.join({'openai', 'anthropic', 'httpx2'} & set(sys.modules)) or 0)"
    )
    run = subprocess.run([python(), "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
