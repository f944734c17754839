"""The demo's judge reads a prompt as the stand-in for Gemini does, and answers likewise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jurat.cli.demo import build_demo_judge, review_recording
from jurat.cli.demo_github import load_demo_recording
from jurat.judge.protocol import Prompt, Reply, Tier
from tests.standins.gemini.reading import read_request
from tests.standins.gemini.script import control_of, load_script, reply


class Listening:
    """The demo's judge, and all that it was asked and said."""

    def __init__(self) -> None:
        self.judge = build_demo_judge()
        self.heard: list[tuple[Prompt, Reply]] = []

    def model_id(self, tier: Tier) -> str:
        return self.judge.model_id(tier)

    async def ask(self, prompt: Prompt) -> Reply:
        answer = await self.judge.ask(prompt)
        self.heard.append((prompt, answer))
        return answer


@pytest.fixture
async def heard() -> tuple[Prompt, dict[str, Any]]:
    """The one prompt of the demo, and the reply to it."""
    listening = Listening()
    await review_recording(load_demo_recording(), listening)
    ((prompt, answer),) = listening.heard
    return prompt, json.loads(answer.text)


async def test_it_says_what_the_stand_in_for_gemini_says(
    heard: tuple[Prompt, dict[str, Any]],
) -> None:
    prompt, answer = heard
    asked = read_request(
        "gemini-3-flash-preview",
        {
            "contents": [{"parts": [{"text": prompt.user}]}],
            "generationConfig": {"responseJsonSchema": prompt.schema},
        },
    )
    assert sum(control_of(rule) is not None for rule in asked.rules) == 2
    assert answer == reply(asked, load_script(), {})
