"""What a system is for, told by all that stands around the call of its model."""

from __future__ import annotations

import pytest

from jurat.rating.recon import scan_worktree
from jurat.rating.texts.fields import find_field_words, has_field
from tests.support.rating import worktree_of

ASKS = """
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)


@app.post("{route}")
def answer():
    told = "{prompt}" + request.json["{key}"]
    messages = [{{"role": "user", "content": told}}]
    return OpenAI().chat.completions.create(model="m", messages=messages)
"""


@pytest.mark.parametrize(
    ("signal", "route", "prompt", "key"),
    [
        ("education", "/exams/mark", "Answer with one number. ", "essay"),
        ("credit", "/loans/decide", "Answer yes or no. ", "income"),
        ("health", "/emergency/triage", "Answer from 1 to 5, how urgent is it? ", "complaint"),
        ("migration", "/asylum/claims", "Is it credible? ", "transcript"),
    ],
)
def test_a_field_is_told_by_route_prompt_and_fields_together(
    signal: str, route: str, prompt: str, key: str
) -> None:
    text = ASKS.format(route=route, prompt=prompt, key=key)
    signals, _ = scan_worktree(worktree_of({"app.py": text}))
    assert signals[signal].strength >= 0.6


def test_one_word_of_a_field_tells_nothing() -> None:
    text = ASKS.format(route="/loans", prompt="Translate into French. ", key="text")
    signals, _ = scan_worktree(worktree_of({"app.py": text}))
    assert signals["credit"].strength == 0


def test_a_word_and_its_plural_are_one_thing_said() -> None:
    assert not has_field(find_field_words("a loan, loans, approve"), "credit")
    assert has_field(find_field_words("a loan, the income, approve"), "credit")


def test_a_chat_behind_a_route_talks_with_people() -> None:
    text = ASKS.format(route="/chat", prompt="", key="text")
    signals, _ = scan_worktree(worktree_of({"app.py": text}))
    assert signals["user_interaction"].strength >= 0.5


def test_two_things_that_tell_who_somebody_is_are_personal_data() -> None:
    kept = 'def put(db, f):\n    db.execute("INSERT INTO note ({})", f)\n\n\nput({}, [])\n'
    alone, _ = scan_worktree(worktree_of({"a.py": kept.format("email", "open")}))
    both, _ = scan_worktree(worktree_of({"a.py": kept.format("first_name, iban", "open")}))
    assert alone["pii_presence"].strength < 0.3 <= both["pii_presence"].strength


PAGE = "export default function Page() {\n  return <Notice />;\n}\n"
NOTICE = "export const Notice = () => <p>You are talking to an AI assistant.</p>;\n"


@pytest.mark.parametrize(("importing", "held"), [(True, True), (False, False)])
def test_a_page_runs_by_where_it_stands_and_what_no_page_shows_does_not(
    importing: bool, held: bool
) -> None:
    shown = "import { Notice } from '../lib/notice';\n" if importing else ""
    files = {"app/page.tsx": shown + PAGE, "lib/notice.tsx": NOTICE}
    signals, _ = scan_worktree(worktree_of(files))
    assert (signals.keep_held()["ai_disclosure"].strength > 0) is held


POSTS = 'import os\nimport requests\n\n\nprint(requests.post(os.environ["{}"], json={{}}).json())\n'


@pytest.mark.parametrize(("setting", "asked"), [("MODEL_URL", True), ("SHOP_URL", False)])
def test_a_model_over_http_is_known_by_the_setting_that_keeps_its_address(
    setting: str, asked: bool
) -> None:
    signals, _ = scan_worktree(worktree_of({"app.py": POSTS.format(setting)}))
    assert (signals["model_usage"].strength >= 0.6) is asked


REQUEST = """
export function ask(messages) {
  return relay({ model: "gpt-5", HOW });
}
"""
PAGE = """
import { ask } from "./ask";
export function Talk({ turns }) {
  const words = turns.map((turn) => turn.by === "BY" ? turn.said : "user");
  return <ul onClick={() => ask(turns)}>{words}</ul>;
}
"""


@pytest.mark.parametrize(
    ("how", "by", "asked", "talks"),
    [
        ("messages, stream: true", "assistant", True, True),
        ("messages, stream: true", "editor", True, False),
        ("wheels: 4", "assistant", False, False),
    ],
)
def test_a_page_that_shows_turns_is_talked_with_if_a_model_is_asked(
    how: str, by: str, *, asked: bool, talks: bool
) -> None:
    files = {"ask.ts": REQUEST.replace("HOW", how), "Talk.tsx": PAGE.replace("BY", by)}
    signals, _ = scan_worktree(worktree_of(files))
    assert bool(signals["model_usage"] or signals["model_likeness"]) is asked
    assert bool(signals["user_interaction"]) is talks


ENGINE = """
import requests


class Engine:
    def WORK(self, text):
        asked = {"model": "m", "prompt": text, "voice": "a", "emotion": "happy", "mood": "sad"}
        return requests.post("https://api.openai.com/v1/audio/speech", json=asked)
"""


@pytest.mark.parametrize(("work", "reads"), [("synthesizer", False), ("recognise", True)])
def test_what_speaks_with_a_feeling_reads_none(work: str, *, reads: bool) -> None:
    starts = f"from engine import Engine\n\nEngine().{work}(input())\n"
    files = {"engine.py": ENGINE.replace("WORK", work), "main.py": starts}
    signals, _ = scan_worktree(worktree_of(files))
    kinds = {one.kind for one in signals["emotion_recognition"].evidence}
    assert ("behaviours" in kinds) is reads
