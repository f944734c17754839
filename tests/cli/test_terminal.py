"""What a person at a terminal sees of work that takes long, and nobody else."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable

import pytest

from jurat.cli.options import parse_map, print_note, with_progress
from jurat.judge.protocol import Judge, JudgeError, JudgeErrorKind, Prompt, Reply, Tier
from jurat.source.parsing import parse_in_process
from tests.support.production import python

PROMPT = Prompt(system="", user="", schema={}, tier="flash", thinking="low")


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


class Oracle:
    """A Judge that answers at once, or fails."""

    def __init__(self, fault: JudgeError | None = None) -> None:
        self.fault = fault

    async def ask(self, prompt: Prompt) -> Reply:
        if self.fault:
            raise self.fault
        return Reply("yes", self.model_id(prompt.tier), 1, 1, 0.0)

    def model_id(self, tier: Tier) -> str:
        return f"model-{tier}"


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Seats a person at standard error; called in the test, as pytest captures it anew for each."""

    def seated() -> Terminal:
        stream = Terminal()
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return seated


def doubled(number: int) -> int:
    return 2 * number


def test_many_files_show_their_progress(look: Callable[[], Terminal]) -> None:
    terminal = look()
    assert parse_map()(doubled, range(100)) == [2 * number for number in range(100)]
    assert "Reviewing" in terminal.getvalue()


def test_few_files_show_nothing(look: Callable[[], Terminal]) -> None:
    terminal = look()
    assert parse_map()(doubled, range(99)) == [2 * number for number in range(99)]
    assert terminal.getvalue() == ""


def test_nobody_is_shown_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    judge: Judge = Oracle()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert parse_map() is parse_in_process
    assert with_progress(judge) is judge


async def test_a_model_is_named_while_it_is_asked(look: Callable[[], Terminal]) -> None:
    terminal = look()
    reply = await with_progress(Oracle()).ask(PROMPT)
    assert reply.text == "yes"
    assert "Asking model-flash" in terminal.getvalue()
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h") == 1


async def test_a_model_that_fails_leaves_the_terminal_as_it_was(
    look: Callable[[], Terminal],
) -> None:
    terminal = look()
    fault = JudgeError(JudgeErrorKind.TIMEOUT, "too late")
    with pytest.raises(JudgeError):
        await with_progress(Oracle(fault)).ask(PROMPT)
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h") == 1


def test_an_interrupt_ends_the_process_though_a_thread_is_at_work() -> None:
    program = (
        "import os, signal, threading\n"
        "from jurat.cli.options import exit_on_interrupt\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "exit_on_interrupt()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Event().wait()\n"
    )
    done = subprocess.run([python(), "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_a_remark_is_one_line_whatever_it_holds(look: Callable[[], Terminal]) -> None:
    terminal = look()
    print_note("a\nb\x1b[31m")
    assert terminal.getvalue() == "jurat: a bU+001B[31m\n"
