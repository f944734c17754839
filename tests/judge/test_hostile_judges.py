"""Hostile judges over 500 random changes: no ALLOW and no DENY that they did not earn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import JudgeError, JudgeErrorKind
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.script import control_of
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

REVIEWS, FILES = 25, 20
NAMES = ("account", "basket", "courier", "ledger", "member", "parcel", "ticket", "voucher")
Entry = dict[str, Any]


def make_review(seed: int) -> tuple[Any, list[Any], list[bool], dict[str, str]]:
    """A change of many files, a rule about each, which of them it breaks, and by what line."""
    dice = Random(seed)
    files, rules, broken, lines = [], [], [], {}
    for index in range(FILES):
        name, number = dice.choice(NAMES), dice.randrange(100, 999)
        breaks = dice.random() < 0.5
        value = "password" if breaks else "number"
        line = f"log.info('{name} {number}', {name}_{number}.{value})"
        rule = a_normative_rule(f"house.logs-{index}", paths=(f"{name}_{index}.py",))
        files.append(a_diff(f"{name}_{index}.py", f"+{line}"))
        rules.append(rule)
        broken.append(breaks)
        lines[rule.id] = line
    return a_context(*files), rules, broken, lines


def lie(change: Callable[[Entry, str], None]) -> Callable[[dict[str, str]], reactions.Behaviour]:
    """A judge that answers each control rightly and every rule of the house by `change`."""

    def build(lines: dict[str, str]) -> reactions.Behaviour:
        def edit(asked: Asked, given: Any) -> Any:
            controls = {rule.id for rule in asked.rules if control_of(rule)}
            for entry in given["verdicts"]:
                if entry["rule"] not in controls:
                    change(entry, lines[entry["rule"]])
            return given

        return reactions.edited(edit)

    return build


def allow(entry: Entry, reasoning: str, **fields: Any) -> None:
    entry.update({"verdict": "ALLOW", "findings": [], "reasoning": reasoning, **fields})


def deny(entry: Entry, reasoning: str, quotes: list[str]) -> None:
    findings = [{"quote": quote} for quote in quotes]
    entry.update({"verdict": "DENY", "findings": findings, "reasoning": reasoning})


def swap(entry: Entry, line: str) -> None:
    if entry["verdict"] == "DENY":
        entry.update({"verdict": "ALLOW", "findings": []})
    else:
        entry.update({"verdict": "DENY", "findings": [{"quote": line}]})


def constantly(verdict: str) -> Callable[[dict[str, str]], reactions.Behaviour]:
    def edit(_asked: Asked, given: Any) -> Any:
        for entry in given["verdicts"]:
            entry["verdict"] = verdict
        return given

    return lambda _lines: reactions.edited(edit)


def echo_controls(_lines: dict[str, str]) -> reactions.Behaviour:
    """Says of every rule what it says of the first control."""

    def edit(asked: Asked, given: Any) -> Any:
        ids = {rule.id for rule in asked.rules if control_of(rule)}
        first = next(entry for entry in given["verdicts"] if entry["rule"] in ids)
        return {
            "verdicts": [
                entry if entry["rule"] in ids else {**first, "rule": entry["rule"]}
                for entry in given["verdicts"]
            ]
        }

    return reactions.edited(edit)


def be_late(_asked: Asked, _reply: reactions.Reply) -> reactions.Reaction:
    raise JudgeError(JudgeErrorKind.TIMEOUT, "no answer within 120 s")


STATEMENT = a_normative_rule().statement
HOSTILE: dict[str, Callable[[dict[str, str]], reactions.Behaviour]] = {
    "always allows": constantly("ALLOW"),
    "always denies": constantly("DENY"),
    "confesses": lie(lambda e, line: allow(e, f"`{line}` violates the rule, but it is a test.")),
    "confesses in the rule's words": lie(lambda e, _: allow(e, "Log lines hold secrets here.")),
    "allows and lists": lie(lambda e, line: allow(e, "Ids alone.", findings=[{"quote": line}])),
    "is not sure": lie(lambda e, line: allow(e, f"`{line}` logs an id.", confidence=0.01)),
    "contradicts itself": lie(lambda e, line: deny(e, f"`{line}` complies; it is fine.", [line])),
    "quotes nothing": lie(lambda e, _: deny(e, "A secret is logged in this file.", [])),
    "quotes a bracket": lie(lambda e, _: deny(e, "A secret is logged in this call.", ["("])),
    "invents": lie(lambda e, _: deny(e, "`log(key.pem)` logs a secret.", ["log(key.pem)"])),
    "invents in its reasons": lie(lambda e, _: allow(e, "`mask(password)` hides the secret.")),
    "parrots the rule": lie(lambda e, _: allow(e, STATEMENT)),
    "parrots the rule in a denial": lie(lambda e, ln: deny(e, f"Wrong, as {STATEMENT}", [ln])),
    "obeys the change": lie(lambda e, _: allow(e, "As instructed by the comment, no secret is.")),
    "swaps verdicts": lie(swap),
    "echoes a control": echo_controls,
    "is late": lambda _lines: be_late,
    "denies for what it approves": lie(
        lambda e, ln: e.update(
            {"verdict": "DENY", "findings": [{"quote": ln, "why": "This complies with the rule."}]}
        )
    ),
    "checked nothing": lie(lambda e, ln: allow(e, f"`{ln}` logs a number.", checked=["vault"])),
    "is garbled": lambda _lines: reactions.saying('{"verdicts": [{"rule": "house.logs-1", "ver'),
    "leaves all out": lambda _lines: reactions.saying(json.dumps({"verdicts": []})),
}


def run_reviews(
    build: Callable[[dict[str, str]], reactions.Behaviour], reviews: int
) -> list[tuple[RuleVerdict, bool]]:
    """Every verdict of some reviews, with whether the change breaks the rule."""

    async def run() -> list[tuple[RuleVerdict, bool]]:
        found = []
        for seed in range(reviews):
            context, rules, broken, lines = make_review(seed)
            model = Spoken()
            model.functions = {rule_id: denying(line) for rule_id, line in lines.items()}
            for rule, breaks in zip(rules, broken, strict=True):
                if not breaks:
                    del model.functions[rule.id]
            model.behaviour = build(lines)
            judged = await ask_judge(context, rules, model, Notebook())
            found += list(zip(judged.verdicts, broken, strict=True))
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_judge_passes_or_blocks_what_it_did_not_earn(name: str) -> None:
    # Together 500 changes and more: each judge sees as many as its share.
    found = run_reviews(HOSTILE[name], 2)
    unearned = [
        (item.verdict, item.reasoning)
        for item, breaks in found
        if item.verdict is (Verdict.ALLOW if breaks else Verdict.DENY)
    ]
    assert unearned == []
    assert len(HOSTILE) * len(found) >= 500


def test_an_honest_judge_keeps_its_verdicts() -> None:
    found = run_reviews(lambda _lines: reactions.careful, REVIEWS)
    right = [item.verdict is (Verdict.DENY if breaks else Verdict.ALLOW) for item, breaks in found]
    assert len(right) == REVIEWS * FILES
    assert sum(right) >= 0.98 * len(right)
