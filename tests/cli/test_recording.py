"""The demo without the stand-ins shows what a review between the stand-ins shows."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from jurat.cli import demo
from jurat.cli.demo_github import Recording, ScriptedJudge, load_demo_recording, load_demo_script
from jurat.cli.demo_page import PullRequestView
from jurat.cli.main import run
from jurat.errors import ExitCode, IncompleteError
from jurat.jobs.worker import Worker
from jurat.judge.models_file import ModelNames
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt, Reply
from tests.cli.record import RECORDING, recorded
from tests.cli.stage import staged


def without_tokens(view: PullRequestView) -> dict[str, Any]:
    """All that a person sees, but for the tokens: a model's count is not an estimate of it."""
    summary, counts = re.subn(r"[\d,]+ tokens", "some tokens", view.check.summary)
    assert counts == 1
    return asdict(replace(view, check=replace(view.check, summary=summary)))


def lacking(path: str) -> Recording:
    """The demo's recording without its answers to one path."""
    recording = load_demo_recording()
    answers = {asked: body for asked, body in recording.answers.items() if asked[0] != path}
    assert len(answers) < len(recording.answers)
    return replace(recording, answers=answers)


async def test_the_recording_is_what_the_stand_in_says_today() -> None:
    again = await recorded()
    assert again == RECORDING.read_text(), "run python -m tests.cli.record"


async def test_the_demo_shows_what_a_review_between_the_stand_ins_shows() -> None:
    shown, missing = await demo.review_recording(load_demo_recording(), demo.build_demo_judge())
    assert missing is None
    async with staged() as stage:
        await stage.settle()
        assert without_tokens(shown) == without_tokens(stage.view())


async def test_an_answer_that_was_not_recorded_is_named() -> None:
    _, missing = await demo.review_recording(lacking("/users/jurat[bot]"), demo.build_demo_judge())
    assert missing == "The recording has no answer to GET /users/jurat[bot]."


class Silent(ScriptedJudge):
    async def ask(self, prompt: Prompt) -> Reply:
        raise JudgeError(JudgeErrorKind.UNAVAILABLE, "nobody is there")


async def test_a_judge_that_says_nothing_leaves_the_review_in_part() -> None:
    silent = Silent(load_demo_script(), ModelNames())
    view, missing = await demo.review_recording(load_demo_recording(), silent)
    assert missing is not None
    assert missing.startswith("The model does not answer.")
    assert view.check.status == "completed"


def test_a_check_that_is_never_completed_ends_with_3_and_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def doing_nothing(_worker: Worker) -> None:
        pass

    monkeypatch.setattr(Worker, "run_due", doing_nothing)
    monkeypatch.setattr("sys.argv", ["jurat", "demo", "--page", str(tmp_path / "demo.html")])
    assert run() == ExitCode.INCOMPLETE
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == (
        "jurat: The demo's review was not completed: No job has reviewed the pull request."
    )


async def test_a_webhook_that_the_server_refuses_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jurat.cli.demo_github.hmac.digest", lambda *_: b"no signature")
    with pytest.raises(IncompleteError, match="answered 401 to the webhook"):
        await demo.review_recording(load_demo_recording(), demo.build_demo_judge())
