"""The law and what is looked for are kept for the next process, and are then what was read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jurat.errors import RuleError
from jurat.rating import law
from jurat.rating.law import load_amendments, load_regulations
from jurat.rating.signals import recon_table
from jurat.rating.signals.recon_table import load_recon_table
from tests.support.rating import ALL_APPLY, LONG_AGO


def forget() -> None:
    """Stand where a process begins."""
    load_recon_table.cache_clear()
    law._load_law.cache_clear()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which Python, and we beside it, keep what is compiled."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    forget()
    yield tmp_path
    forget()


def test_what_is_recalled_is_what_was_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> tuple[object, ...]:
        days = (LONG_AGO, ALL_APPLY)
        return load_recon_table(), load_amendments(), *(load_regulations(day) for day in days)

    read = load()
    forget()
    for module, name in ((recon_table, "parse_table"), (law, "parse_pack")):
        monkeypatch.setattr(module, name, None)
    assert load() == read
    assert len(list(cache.rglob("*.pickle"))) == 2


@pytest.mark.usefixtures("cache")
def test_the_law_is_read_anew_for_other_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    load_regulations(ALL_APPLY)
    forget()
    table = load_recon_table()
    fewer = table.model_copy(update={"signals": table.signals[:1]})
    monkeypatch.setattr(law, "load_recon_table", lambda: fewer)
    with pytest.raises(RuleError, match="unknown signal"):
        load_regulations(ALL_APPLY)
