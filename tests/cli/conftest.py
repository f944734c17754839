"""A checkout with git alone, and nothing of the user's own configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support_checkout import Checkout


@pytest.fixture(autouse=True)
def no_personal_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git, colour and the model as on a machine where nothing is set."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "BYLAW_", "GEMINI_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.com")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """An empty repository on branch main."""
    return Checkout(tmp_path / "checkout")
