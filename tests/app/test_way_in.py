"""How somebody who set no token gets in: a link on their terminal, and nothing in a log."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jurat.app.lifecycle import _show_way_in
from jurat.server.access import get_token
from jurat.settings import ServerSettings


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "count"), [(Terminal(), 1), (io.StringIO(), 0)])
def test_a_terminal_alone_is_shown_the_token(
    settings: ServerSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    log: io.StringIO,
    *,
    stream: io.StringIO,
    count: int,
) -> None:
    mine = replace(settings, database_url=f"sqlite:///{tmp_path}/jurat.sqlite3", api_token=None)
    token = get_token(mine)
    monkeypatch.setattr(sys, "stderr", stream)
    _show_way_in(mine, "http://127.0.0.1:3000", "Open the dashboard")
    assert stream.getvalue().count(f"http://127.0.0.1:3000/login?token={token}") == count
    assert token not in log.getvalue()
    assert "jurat.sqlite3.token" in log.getvalue()
