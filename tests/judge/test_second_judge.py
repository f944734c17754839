"""Two judges for rules that block: they agree, or a person decides."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from jurat.errors import UsageError
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.call_record import CallRecord
from jurat.judge.flights import Flights
from jurat.judge.opening import open_models
from jurat.judge.protocol import (
    JudgeError,
    JudgeErrorKind,
    JudgmentOptions,
    Prompt,
    Reply,
    Tier,
    TokenBudget,
)
from jurat.judge.second_judge import ask_judges
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule, Severity
from jurat.settings import Settings
from tests.standins.gemini import reactions
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule()
ADVICE = a_normative_rule("house.advice", statement="Log lines are short.", severity=Severity.LOW)
CONTEXT = a_context(a_diff("pay.py", "+log(secret)"))


class Named(Spoken):
    """A judge whose models have a name of their own."""

    def __init__(self, name: str, *denied: Rule) -> None:
        super().__init__()
        self.name = name
        self.functions = {rule.id: denying("log(secret)") for rule in denied}

    def model_id(self, tier: Tier) -> str:
        return f"{self.name}-{tier}"


class Away(Named):
    """A judge that never answers."""

    async def ask(self, prompt: Prompt) -> Reply:
        raise JudgeError(JudgeErrorKind.UNAVAILABLE, "it is away")


def garble(name: str) -> Named:
    judge = Named(name)
    judge.behaviour = reactions.saying('{"verdicts": []}')
    return judge


def ask(
    first: Spoken, second: Spoken | None, *rules: Rule, ledger: Any = None, record: Any = None
) -> JudgeResult:
    return asyncio.run(
        ask_judges(
            CONTEXT,
            rules or (RULE,),
            first,
            second,
            ledger=Notebook() if ledger is None else ledger,
            options=JudgmentOptions(),
            flights=Flights(),
            record=record or CallRecord(),
        )
    )


def read(first: Spoken, second: Spoken | None, **given: Any) -> RuleVerdict:
    return ask(first, second, **given).verdicts[0]


def test_two_that_deny_block() -> None:
    said = read(Named("one", RULE), Named("two", RULE))
    assert (said.verdict, said.blocks) == (Verdict.DENY, True)
    assert said.locations[0].start_line == 1
    assert "two-flash says the same." in said.note


def test_two_that_allow_pass() -> None:
    assert read(Named("one"), Named("two")).verdict is Verdict.ALLOW


@pytest.mark.parametrize("denies", ["one", "two"])
def test_where_they_disagree_a_person_decides_with_both_readings(denies: str) -> None:
    judges = [Named(name, *([RULE] if name == denies else [])) for name in ("one", "two")]
    said = read(*judges)
    assert said.verdict is Verdict.NEEDS_CONFIRMATION
    assert (said.blocks, said.awaits_confirmation) == (False, True)
    assert said.locations[0].start_line == 1
    other = "two" if denies == "one" else "one"
    assert f"{denies}-flash answers DENY: " in said.reasoning
    assert f"{other}-flash answers ALLOW: " in said.reasoning


@pytest.mark.parametrize("silent", [Away("silent"), garble("silent")])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_one_allows_alone_is_no_pass(silent: Spoken, is_first: bool) -> None:
    heard = Named("heard")
    said = read(silent, heard) if is_first else read(heard, silent)
    assert (said.verdict, said.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.MODEL_FAILED)
    assert "silent-flash gave no reading" in said.reasoning
    assert "heard-flash answers ALLOW" in said.reasoning


@pytest.mark.parametrize("silent", [Away("silent"), garble("silent")])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_one_denies_alone_is_a_question(silent: Spoken, is_first: bool) -> None:
    heard = Named("heard", RULE)
    said = read(silent, heard) if is_first else read(heard, silent)
    assert (said.verdict, said.blocks) == (Verdict.NEEDS_CONFIRMATION, False)
    assert said.awaits_confirmation
    assert said.locations[0].start_line == 1


def test_two_that_say_nothing_decide_nothing() -> None:
    assert read(Away("one"), garble("two")).verdict is Verdict.NOT_ASSESSED


def test_the_second_is_asked_about_what_blocks_alone() -> None:
    second = Named("two")
    verdicts = ask(Named("one", ADVICE), second, RULE, ADVICE).verdicts

    asked = {rule.id for prompt in second.asked for rule in prompt.rules}
    assert RULE.id in asked
    assert ADVICE.id not in asked
    assert [item.verdict for item in verdicts] == [Verdict.ALLOW, Verdict.DENY]


def test_nobody_is_asked_twice_if_nothing_blocks() -> None:
    second = Named("two")
    assert ask(Named("one", ADVICE), second, ADVICE).verdicts[0].verdict is Verdict.DENY
    assert second.asked == []


def test_each_remembers_its_own_answers() -> None:
    ledger, one, two = Notebook(), Named("same", RULE), Named("same")
    first = read(one, two, ledger=ledger)
    asked = len(one.asked), len(two.asked)
    again = read(one, two, ledger=ledger)

    # Of one name, and still two: the first one's denial is no word of the second.
    assert first.verdict is again.verdict is Verdict.NEEDS_CONFIRMATION
    assert (len(one.asked), len(two.asked)) == asked == (1, 1)


def test_both_are_on_one_record_and_in_one_budget() -> None:
    record = CallRecord()
    result = ask(Named("one"), Named("two"), record=record)
    assert {use.model_id for use in result.models} == {"one-flash", "two-flash"}

    spent = CallRecord([TokenBudget(0, "the review's budget")])
    assert read(Named("one"), Named("two"), record=spent).verdict is Verdict.NOT_ASSESSED


def configure(folder: Path, text: str, **keys: str) -> Settings:
    path = folder / "models.yml"
    path.write_text(text)
    return Settings.from_environment({"JURAT_MODELS": str(path), **keys})


async def test_the_file_names_the_second(tmp_path: Path) -> None:
    async with StandInGemini(Script()) as gemini:
        model = configure(
            tmp_path,
            f"timeout: 30\nprovider: openai\nbase_url: {gemini.base_url}\n"
            "second: {provider: gemini}\n",
            GEMINI_API_KEY=gemini.api_key,
            GOOGLE_GEMINI_BASE_URL=gemini.base_url,
        ).for_model()
        assert model is not None
        assert model.second is not None
        assert model.second.file.timeout == 30
        async with open_models(model) as models:
            assert models.second is not None
            assert models.judge.model_id("flash") == "gpt-5.4-mini"
            schema = {"type": "object", "properties": {"verdicts": {"type": "array"}}}
            await models.second.ask(Prompt("system", "user", schema, "flash", "medium"))
        assert [asked.model for asked in gemini.asked] == ["gemini-3-flash-preview"]


def test_a_key_is_not_sent_to_another_server_of_the_same_kind(tmp_path: Path) -> None:
    text = "provider: openai\nsecond: {provider: openai, base_url: http://127.0.0.1:9/v1}\n"
    keys = {"OPENAI_API_KEY": "of the vendor"}
    model = configure(tmp_path, text, **keys).for_model()
    assert model is not None
    assert model.second is not None
    assert model.second.api_key.get_secret_value() == "none"
    own = configure(tmp_path, text, **keys, JURAT_SECOND_API_KEY="its own").for_model()
    assert own is not None
    assert own.second is not None
    assert own.second.api_key.get_secret_value() == "its own"
    assert own.api_key.get_secret_value() == "of the vendor"


def test_a_second_without_its_key_is_refused(tmp_path: Path) -> None:
    settings = configure(tmp_path, "second: {provider: anthropic}\n", GEMINI_API_KEY="key")
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not set"):
        settings.for_model()
