"""What is logged during a test."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from jurat.logs import configure_logs
from jurat.settings import LogSettings


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged, at the most talkative level, as JSON lines."""
    root, stream = logging.getLogger(), io.StringIO()
    before, level = root.handlers[:], root.level
    configure_logs(LogSettings("DEBUG", "json"), stream)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)
    structlog.reset_defaults()
