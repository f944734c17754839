"""What a review costs in calls and tokens, counted as the stand-in's API counts them."""

from __future__ import annotations

import asyncio

import pytest

from jurat.judge.judge import ask_judge
from jurat.judge.protocol import (
    JudgeError,
    JudgeErrorKind,
    JudgmentOptions,
    Prompt,
    Reply,
    estimate_tokens,
)
from jurat.source.diff import FileChange
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule
from tests.support.values import a_context

STATEMENT = "A function that talks to the network has a timeout and handles its failure."
LINE = "    response = self.session.get(url, timeout)"


def a_file_of(number: int, lines: int) -> FileChange:
    """A changed file of ordinary length: two lines in three added, the others around them."""
    marks = ("+", "+", " ")
    shown = [f"{marks[index % 3]}{LINE}{index}" for index in range(lines)]
    return a_diff(f"src/package_{number % 7}/module_{number}.py", *shown, language="python")


@pytest.mark.parametrize(
    ("files", "lines", "rules", "tokens"),
    [
        # A fifth of what a well-known review bot spends on a change of one file (12,000 tokens in
        # 3 calls) and of 68 files (168,000 tokens in 7 calls).
        (1, 36, 10, 2_400),
        (68, 24, 20, 33_600),
    ],
)
async def test_a_review_is_one_call_of_few_tokens_that_shows_every_line(
    files: int, lines: int, rules: int, tokens: int
) -> None:
    model = Spoken()
    context = a_context(
        *(a_file_of(number, lines) for number in range(files)),
        intent="Fetch with a timeout\n\nThe worker hung when the gateway did not answer.",
    )
    chosen = [
        a_normative_rule(f"house.rule-{index}", statement=STATEMENT) for index in range(rules)
    ]
    judgment = await ask_judge(context, chosen, model, Notebook())
    (use,) = judgment.models
    assert use.calls == 1
    assert use.input_tokens <= tokens
    (asked,) = model.asked
    shown = [line for item in asked.shown for line in item.lines if LINE in line.text]
    assert len(shown) == files * lines


def test_a_token_is_counted_for_three_bytes() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcd") == 2
    assert estimate_tokens("ä" * 3) == 2
    assert estimate_tokens("\ud800") == 1


class Crowd(Spoken):
    """A model that cannot do batches, and counts who asks at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0

    async def ask(self, prompt: Prompt) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            for _ in range(3):
                await asyncio.sleep(0)
            if "Take each rule by itself" not in prompt.user:
                raise JudgeError(JudgeErrorKind.TOO_LARGE, "too large")
            return await super().ask(prompt)
        finally:
            self.now -= 1


async def test_no_more_calls_are_under_way_than_allowed() -> None:
    model = Crowd()
    rules = [a_normative_rule(f"house.rule-{index}") for index in range(20)]
    options = JudgmentOptions(concurrency=4)
    judgment = await ask_judge(a_context(a_diff("a.py", "+x")), rules, model, Notebook(), options)
    assert model.most == 4
    assert {item.verdict for item in judgment.verdicts} == {"ALLOW"}
    (use,) = judgment.models
    assert use.calls == 21
