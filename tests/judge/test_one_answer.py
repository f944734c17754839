"""One question, one answer: asked once however many ask, and again only if it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from jurat.findings.verdict import DecidedBy, Verdict
from jurat.judge import flights
from jurat.judge.answer_desk import UnitAnswer
from jurat.judge.flights import Flights
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import Prompt, Reply
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule
from jurat.store.database import DatabaseUnavailable
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule()
RULES = [
    RULE,
    *(a_normative_rule(f"house.rule-{i}", statement=f"Figure {i} is kept.") for i in range(7)),
]


def make_file(number: int, *more: str) -> Any:
    lines = [f"+    total_{number} = add({number}, {line})  # what is due" for line in range(20)]
    return a_diff(f"src/part_{number}.py", " def run():", *lines, *more)


def a_change(*changed: Any) -> Any:
    """68 files; those given stand in place of the first ones."""
    return a_context(*changed, *(make_file(number) for number in range(len(changed), 68)))


def tokens(result: JudgeResult) -> int:
    return sum(use.input_tokens + use.output_tokens for use in result.models)


def judge(
    context: Any, model: Spoken, ledger: Notebook, rules: list[Rule] = RULES, **given: Any
) -> JudgeResult:
    return asyncio.run(ask_judge(context, rules, model, ledger, **given))


class Slow(Spoken):
    """Answers once everybody else has asked."""

    everybody: asyncio.Event | None = None

    async def ask(self, prompt: Prompt) -> Reply:
        if self.everybody is not None:
            await self.everybody.wait()
        for _ in range(50):
            await asyncio.sleep(0)
        return await super().ask(prompt)


@pytest.mark.parametrize("broken", [False, True])
async def test_two_hundred_who_ask_the_same_at_once_are_one_call(broken: bool) -> None:
    everybody = asyncio.Event()
    begun: list[frozenset[str]] = []

    class Counted(Flights[UnitAnswer]):
        def begin(self, keys: Iterable[str]) -> Any:
            begun.append(frozenset(keys))
            if len(begun) == 200:
                everybody.set()
            return super().begin(begun[-1])

    model, ledger, flights = Slow(), Notebook(), Counted()
    model.everybody = everybody
    context = a_context(a_diff("pay.py", "+log(secret)"))
    model.functions = {RULE.id: denying("log(secret)")}
    if broken:
        model.behaviour = reactions.saying('{"verdicts": []}')
    results = await asyncio.gather(
        *(ask_judge(context, [RULE], model, ledger, flights=flights) for _ in range(200))
    )
    # A failure is shared as well, and its second try.
    assert len(model.asked) == 1 + broken
    assert {result.verdicts[0].verdict for result in results} == {
        Verdict.NOT_ASSESSED if broken else Verdict.DENY
    }


async def test_who_waits_has_places_of_its_own() -> None:
    model, ledger, flights = Slow(), Notebook(), Flights[UnitAnswer]()
    model.functions = {RULE.id: denying("log(secret)")}
    results = await asyncio.gather(
        *(
            ask_judge(
                a_context(a_diff("pay.py", "+log(secret)", first=first)),
                [RULE],
                model,
                ledger,
                flights=flights,
            )
            for first in (1, 70)
        )
    )
    lines = [result.verdicts[0].locations[0].start_line for result in results]
    assert (len(model.asked), lines) == (1, [1, 70])


async def test_who_waits_for_one_that_is_stopped_asks_itself() -> None:
    model, ledger, flights = Slow(), Notebook(), Flights[UnitAnswer]()
    context = a_context(a_diff("pay.py", "+x = 1"))
    first, second = (
        asyncio.ensure_future(ask_judge(context, [RULE], model, ledger, flights=flights))
        for _ in range(2)
    )
    for _ in range(10):
        await asyncio.sleep(0)
    first.cancel()
    assert (await second).verdicts[0].verdict is Verdict.ALLOW
    assert len(model.asked) == 1


class Claimed(Notebook):
    """A ledger in which another process asks first, and answers while somebody waits."""

    def __init__(self, answered: Notebook) -> None:
        super().__init__()
        self.answered = answered
        self.rests = 0

    async def claim(self, keys: Any) -> frozenset[str]:
        return frozenset(keys) if self.rests else frozenset()

    async def rest(self, _seconds: float) -> None:
        self.rests += 1
        self.update(self.answered)


@pytest.mark.parametrize("answers", [True, False])
async def test_what_another_process_asks_is_waited_for(answers: bool) -> None:
    context, model, kept = a_context(a_diff("pay.py", "+x = 1")), Spoken(), Notebook()
    await ask_judge(context, [RULE], model, kept)
    ledger = Claimed(kept if answers else Notebook())
    result = await ask_judge(context, [RULE], model, ledger, rest=ledger.rest)
    assert result.verdicts[0].verdict is Verdict.ALLOW
    # One that gave its claim back without an answer leaves the question to who waited.
    assert (len(model.asked), ledger.rests) == (1 if answers else 2, 1)


def test_a_push_of_one_line_asks_about_one_file() -> None:
    # One mark for all: it draws the twins, which cost more or less.
    model, ledger = Spoken(), Notebook()
    whole = tokens(judge(a_change(), model, ledger, nonce=lambda: "f00dfeed00112233"))
    one_file = tokens(
        judge(a_context(make_file(0)), model, Notebook(), nonce=lambda: "f00dfeed00112233")
    )
    pushed = judge(
        a_change(make_file(0, "+    return total_0")),
        model,
        ledger,
        nonce=lambda: "f00dfeed00112233",
    )
    assert {item.label for item in model.asked[-1].shown if "part_" in item.label} == {
        "src/part_0.py"
    }
    assert {item.verdict for item in pushed.verdicts} == {Verdict.ALLOW}
    assert tokens(pushed) <= 0.12 * whole
    # One line more than the file had.
    assert tokens(pushed) <= one_file + 40


def test_one_letter_in_the_description_asks_nothing() -> None:
    model, ledger = Spoken(), Notebook()
    model.functions = {RULE.id: denying("total_3 = add(3, 4)")}
    context = replace(a_change(), intent="Add totals")
    first = judge(context, model, ledger)
    again = judge(replace(context, intent="Add total"), model, ledger)
    assert again.models == ()
    assert [item.verdict for item in again.verdicts] == [item.verdict for item in first.verdicts]
    assert Verdict.DENY in {item.verdict for item in again.verdicts}


def test_a_rule_that_blocks_and_reads_the_change_is_asked_about_all_of_it() -> None:
    model, ledger = Spoken(), Notebook()
    rule = a_normative_rule("house.tested", statement="New code comes with tests.")
    judge(a_change(), model, ledger, [rule])
    judge(a_change(make_file(0, "+    return 1")), model, ledger, [rule])
    assert len([item for item in model.asked[-1].shown if "part_" in item.label]) == 68


def test_a_denial_stands_while_what_it_quotes_stands() -> None:
    model, ledger = Spoken(), Notebook()
    model.functions = {RULE.id: denying("log(secret)")}
    judge(a_context(a_diff("pay.py", "+log(secret)")), model, ledger, [RULE])
    # From now on the model sees nothing wrong, and another line of the file changes.
    model.functions = {}
    pushed = judge(a_context(a_diff("pay.py", "+log(secret)", "+x = 1")), model, ledger, [RULE])
    (verdict,) = pushed.verdicts
    assert (len(model.asked), verdict.verdict) == (2, Verdict.DENY)
    assert "what it quotes still stands" in verdict.note
    mended = judge(a_context(a_diff("pay.py", "+log(id)", "+x = 1")), model, ledger, [RULE])
    assert mended.verdicts[0].verdict is Verdict.ALLOW


def test_a_denial_of_another_repository_or_rule_stands_for_nothing() -> None:
    model, ledger = Spoken(), Notebook()
    model.functions = {RULE.id: denying("log(secret)")}
    context = a_context(a_diff("pay.py", "+log(secret)"), repository="acme/shop")
    judge(context, model, ledger, [RULE])
    model.functions = {}
    pushed = a_context(a_diff("pay.py", "+log(secret)", "+x = 1"), repository="acme/shop")
    elsewhere = replace(pushed, repository="acme/bank")
    reworded = a_normative_rule(statement="Log lines hold no keys.")
    assert judge(pushed, model, ledger, [RULE]).verdicts[0].verdict is Verdict.DENY
    # Another file of the same text has another question.
    for asked, rule in ((elsewhere, RULE), (pushed, reworded)):
        fresh = Notebook({key: entry for key, entry in ledger.items() if key.startswith("denied")})
        assert judge(asked, model, fresh, [rule]).verdicts[0].verdict is Verdict.ALLOW


def test_a_model_that_is_served_anew_is_asked_anew() -> None:
    class Versioned(Spoken):
        version = "v1"

        async def ask(self, prompt: Prompt) -> Reply:
            return replace(await super().ask(prompt), served=self.version)

    model, ledger = Versioned(), Notebook()
    context, other = a_context(a_diff("a.py", "+x = 1")), a_context(a_diff("b.py", "+y = 2"))
    judge(context, model, ledger, [RULE])
    assert judge(context, model, ledger, [RULE]).models == ()
    model.version = "v2"
    judge(other, model, ledger, [RULE])
    (verdict,) = judge(context, model, ledger, [RULE]).verdicts
    assert verdict.decided_by is DecidedBy.BATCH
    assert judge(context, model, ledger, [RULE]).models == ()
    assert '"served": "v2"' in "".join(ledger.values())


def test_what_a_denial_does_not_name_is_kept_only_if_it_could_have_been_named() -> None:
    def deny_all(asked: Asked, given: Any) -> None:
        del asked
        entry = next(item for item in given["verdicts"] if item["rule"] == RULE.id)
        entry["findings"] = [
            {"file_path": f"src/part_{i}.py", "quote": f"total_{i} = add({i}, 5)"}
            for i in range(10)
        ]
        entry |= {"verdict": "DENY", "reasoning": "`total_1 = add(1, 5)` logs a secret."}

    model, ledger = Spoken(), Notebook()
    model.behaviour = reactions.edited(deny_all)
    judge(a_change(), model, ledger, [RULE])
    model.behaviour = reactions.careful
    judge(a_change(), model, ledger, [RULE])
    shown = {item.label for item in model.asked[-1].shown if "part_" in item.label}
    assert len(shown) == 58


async def test_a_claim_is_prolonged_while_its_question_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flights, "PROLONGED", 0.0)
    claims: list[list[str]] = []
    prolonged = asyncio.Event()

    class Ledger(flights.NoAnswers):
        async def claim(self, keys: Sequence[str]) -> frozenset[str]:
            claims.append(list(keys))
            if len(claims) == 3:
                prolonged.set()
                raise DatabaseUnavailable("It is gone.")
            return frozenset(keys)

    async def look_up(_: Sequence[str]) -> Mapping[str, str]:
        return {}

    async def ask(items: Sequence[str]) -> Mapping[str, str]:
        await prolonged.wait()
        return dict.fromkeys(items, "said")

    table: flights.Flights[str] = flights.Flights()
    said = await flights.ask_once(
        {"rule": "key"}, look_up, ask, lambda _, answer: answer, ledger=Ledger(), flights=table
    )
    assert said == {"rule": "said"}
    assert claims[:3] == [["key"]] * 3
