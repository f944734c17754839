from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.config import LogSettings
from bot.logs import configure_logs


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged during the test, as JSON lines."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logs(LogSettings("DEBUG", "json"), stream)
    yield stream
    root.handlers[:], level = before[0], before[1]
    root.setLevel(level)
    structlog.reset_defaults()
