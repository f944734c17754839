"""The `jurat` command in this process, in an empty folder and an environment of its own."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from unittest import mock

from jurat.cli import main as command
from tests.golden.golden import stabilized
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini

MARK = "5e" * 8
"""What stands for every random word."""

_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.com",
    "GIT_AUTHOR_DATE": "2026-03-02T09:00:00Z",
    "GIT_COMMITTER_NAME": "A Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.com",
    "GIT_COMMITTER_DATE": "2026-03-02T09:00:00Z",
}


def fixed_words() -> mock._patch[object]:
    """Take chance out of prompts: every random word is MARK, so that controls are drawn alike."""
    return mock.patch("secrets.token_hex", lambda size=32: ("5e" * size)[: 2 * size])


@contextmanager
def alone(**environment: str) -> Iterator[Path]:
    """An empty current folder, and an environment with nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    cleared = {**kept, **_GIT, "COLUMNS": "100", **environment}
    with (
        tempfile.TemporaryDirectory(prefix="golden-") as folder,
        mock.patch.dict(os.environ, cleared, clear=True),
        chdir(folder),
        fixed_words(),
    ):
        yield Path(folder)


def run(*arguments: str, given: str = "") -> tuple[int, str, str]:
    """Run the command; its exit code and what it wrote to standard output and error."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    stdin = io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with (
        mock.patch.multiple(sys, argv=["jurat", *arguments], stdin=stdin, stdout=out, stderr=err),
    ):
        try:
            code = command.run()
        finally:
            gc.enable()
            for number, handler in before.items():
                signal.signal(number, handler)
        sys.stdout.flush()
        sys.stderr.flush()
        written = [stream.buffer.getvalue().decode() for stream in (sys.stdout, sys.stderr)]
    return code, written[0], written[1]


def transcript(*arguments: str, given: str = "") -> str:
    """What a run of the command leaves behind, as one text."""
    code, out, err = run(*arguments, given=given)
    folder = str(Path.cwd())
    parts = [f"$ jurat {' '.join(arguments)}", f"[exit code {code}]", out]
    if err:
        parts += ["[standard error]", err]
    return stabilized("\n".join(parts).replace(folder, "<folder>"))


def put(files: Mapping[str, str | bytes], under: Path | str = ".") -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = Path(under, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def gemini_beside(script: Script | None = None) -> Iterator[StandInGemini]:
    """A stand-in Gemini in a thread, for a command that runs in this one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    standin = StandInGemini(script if script is not None else Script())
    try:
        asyncio.run_coroutine_threadsafe(standin.start(), loop).result(30)
        yield standin
        asyncio.run_coroutine_threadsafe(standin.stop(), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def asking(gemini: StandInGemini) -> Mapping[str, str]:
    """The variables that name the stand-in as the model."""
    return {
        "GEMINI_API_KEY": gemini.api_key,
        "GOOGLE_GEMINI_BASE_URL": gemini.base_url,
        "JURAT_NO_CACHE": "1",
    }
