"""`bylaw demo`: the real server, a recorded GitHub with a pull request, one signed webhook."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from rich.console import Console
from rich.text import Text

from bot.app import assembled, listening
from bot.config import ServerSettings, Settings
from bot.demo.page import render_page
from bot.demo.recorded_github import RecordedGitHub, Recording, recorded_demo
from bot.demo.scripted_judge import ScriptedJudge, demo_script
from bot.demo.terminal import show
from bot.demo.view import PullRequestView, view_of
from bot.errors import IncompleteError, UsageError
from bot.gemini.models import Models
from bot.judgment.models_file import ModelsFile
from bot.judgment.protocol import Judge
from bot.logs import configure_logs

APP_ID = 1

NOTE = (
    "Made by bylaw demo, on this machine alone: GitHub's answers were recorded, and the rules that "
    "need a model were judged by a script that stands in for Gemini."
)


def run(page: Path, console: Console) -> None:
    """Review the demo's pull request, print it, and write it to `page`. Raises UsageError."""
    view = asyncio.run(_reviewed())
    show(view, console)
    try:
        page.write_text(render_page(view, NOTE), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--page: {page} cannot be written: {error.strerror}.", hint="Name another file."
        ) from None
    console.print()
    console.print(Text(NOTE, "dim"))
    console.print(Text.assemble("The same as a page: ", (page.resolve().as_uri(), "underline")))


async def _reviewed() -> PullRequestView:
    return await review_recording(recorded_demo(), demo_judge())


def demo_judge() -> ScriptedJudge:
    """The judge of the demo."""
    return ScriptedJudge(demo_script(), ModelsFile().models)


async def review_recording(recording: Recording, judge: Judge) -> PullRequestView:
    """What is shown after the real server and worker had the webhook. Raises IncompleteError."""
    secret = secrets.token_hex()
    with tempfile.TemporaryDirectory(prefix="bylaw-demo-") as folder:
        async with RecordedGitHub(recording).listening() as github:
            settings = demo_settings(github.url, folder, key=_private_key(), secret=secret)
            configure_logs(settings.logs)
            models = Models(judge, None, ModelsFile().options())
            # The recorded GitHub asks for no pause between writes.
            async with (
                assembled(settings, write_interval=0.0, models=models) as app,
                listening(settings, app) as url,
            ):
                await github.deliver(url + settings.webhook_path, secret)
                await app.worker.run_due()
            return _shown(github)


def demo_settings(github_url: str, folder: str, *, key: str, secret: str) -> ServerSettings:
    """The server's settings, all of them from here: the environment has no say in the demo."""
    return Settings.from_environment(
        {
            "APP_ID": str(APP_ID),
            "PRIVATE_KEY": key,
            "WEBHOOK_SECRET": secret,
            "GITHUB_API_URL": github_url,
            "BYLAW_API_TOKEN": secrets.token_hex(),
            "DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3",
            "LOG_LEVEL": "warn",
            "PORT": "0",
        }
    ).for_server()


def _private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def _shown(github: RecordedGitHub) -> PullRequestView:
    """What GitHub holds now. An answer that was not there may be what a pass would rest on."""
    if github.unknown:
        raise IncompleteError(
            f"The demo's recording has no answer to {github.unknown[0]}.",
            hint="Please report this: the recording is older than the code.",
        )
    status = github.checks[-1]["status"] if github.checks else "missing"
    if status != "completed":
        raise IncompleteError(
            f"The demo's check was never completed: it is {status}.",
            hint="The log above says why.",
        )
    return view_of(
        github.pull,
        github.diff.encode(),
        checks=github.checks,
        reviews=github.reviews,
        comments=github.comments,
    )
