"""Logging: structured, to one stream, without a secret and without what a pull request holds.

Everything goes through here, the standard library's loggers included. Only doors import this.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from jurat.settings import LogSettings
from jurat.source.visible_text import to_visible_text

REDACTED = "[redacted]"

_SECRET_KEY = re.compile(
    r"secret|token|password|passwd|authorization|private_?key|api_?key|signature|cookie|jwt|pem"
    r"|credential|database_?url",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"_tokens$|^tokens$", re.IGNORECASE)  # what a model read, in tokens
_CONTENT_KEY = re.compile(r"^(body|payload|diff|patch|content|snippet|prompt)$", re.IGNORECASE)

# The forms in which GitHub, Google and PEM files write secrets, and passwords in URLs.
_SECRET_TEXT = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_.-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)",
    re.DOTALL,
)
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_MULTILINE = frozenset({"exception", "stack"})


def configure_logs(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Send every log line to `stream`, stderr by default; replaces what was configured before."""
    stream = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(settings.level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                # Behind every processor that adds fields, right before the text is made: nothing
                # joins later.
                redact,
                _build_renderer(settings, stream),
            ],
        )
    )
    root = logging.getLogger()
    # Replaced, not added: libraries that log by themselves would pass the redaction by.
    root.handlers[:] = [handler]
    root.setLevel(settings.level)
    # Each writes a line for every request or statement; only what goes wrong there is news.
    for name in ("aiohttp.access", "sqlalchemy", "alembic", "aiosqlite", "asyncio", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The last processor before rendering: no secret, no content, no control character passes."""
    return {key: _clean(key, value) for key, value in event.items()}


def clean_text(text: str, *, multiline: bool = False) -> str:
    """Text without what looks like a secret, and with control characters made visible."""
    text = _SECRET_TEXT.sub(REDACTED, text)
    if multiline:
        return "\n".join(_show(line) for line in text.split("\n"))
    return _show(text)


def _show(line: str) -> str:
    # What turns a line around, or is no character at all, is spelled out too: a stream in UTF-8
    # takes no half of a surrogate.
    return to_visible_text(line.translate(_CONTROL))


def _build_renderer(settings: LogSettings, stream: TextIO) -> Processor:
    if settings.format == "json":
        return structlog.processors.JSONRenderer()
    # The plain formatter: rich's would print the values of local variables.
    return structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def _clean(key: str, value: Any) -> Any:
    if _CONTENT_KEY.search(key) or (_SECRET_KEY.search(key) and not _COUNTED.search(key)):
        return REDACTED
    if isinstance(value, str):
        return clean_text(value, multiline=key in _MULTILINE)
    if isinstance(value, Mapping):
        return {str(name): _clean(str(name), item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean("", item) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return clean_text(str(value))
