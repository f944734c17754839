"""A checkout with git alone, and nothing of the user's own configuration."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from pathlib import Path

import pytest

from jurat.cli import main as command
from tests.support.checkout import Checkout
from tests.support.command import RULES, Ran, Run, written


@pytest.fixture(autouse=True)
def no_personal_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Git, colour and the model as on a machine where nothing is set."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "JURAT_", "GEMINI_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.com")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """An empty repository on branch main."""
    return Checkout(tmp_path / "checkout")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command in this process, in an empty folder and with empty standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))

    def jurat(*arguments: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["jurat", *map(str, arguments)])
        interrupt = signal.getsignal(signal.SIGINT)
        try:
            code = command.run()
        finally:
            gc.enable()
            signal.signal(signal.SIGINT, interrupt)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return jurat


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return written(tmp_path / "rules.yml", RULES)
