"""`jurat demo`: the real server, a recorded GitHub with a pull request, one signed webhook."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from rich.console import Console
from rich.text import Text

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import App, build_app
from jurat.cli.demo_github import (
    RecordedGitHub,
    Recording,
    ScriptedJudge,
    load_demo_recording,
    load_demo_script,
)
from jurat.cli.demo_page import PullRequestView, build_view, print_view, render_page
from jurat.errors import IncompleteError, UsageError
from jurat.findings.verdict import NotAssessedReason
from jurat.judge.embeddings import JudgeModels
from jurat.judge.models_file import ModelsFile
from jurat.judge.protocol import Judge
from jurat.logs import configure_logs
from jurat.settings import ServerSettings, Settings


def demo(
    *,
    page: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to write the pull request as a page.")
    ] = Path("demo.html"),
) -> None:
    """Show a review from webhook to suggestions, with no key and no network.

    Exits with 3 if the review was not completed.
    """
    from rich.console import Console  # noqa: PLC0415 - a command loads what it runs

    run(page, Console())


APP_ID = 1

NOTE = (
    "Made by jurat demo on this machine alone: GitHub's answers were recorded, and a script stands"
    " in for the model."
)


def run(page: Path, console: Console) -> None:
    """Review the demo's pull request, print it, and write it to `page`.

    Raises UsageError if the page cannot be written, and IncompleteError if the review was not
    completed: what there is of it was printed then.
    """
    view, missing = asyncio.run(review_recording(load_demo_recording(), build_demo_judge()))
    print_view(view, console)
    try:
        page.write_text(render_page(view, NOTE), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--page: {page} cannot be written: {error.strerror}.", hint="Name another file."
        ) from None
    console.print()
    console.print(Text(NOTE, "dim"))
    console.print(Text.assemble("The same as a page: ", (page.resolve().as_uri(), "underline")))
    if missing is not None:
        raise IncompleteError(f"The demo's review was not completed: {missing}")


def build_demo_judge() -> ScriptedJudge:
    """The judge of the demo."""
    return ScriptedJudge(load_demo_script(), ModelsFile().models)


async def review_recording(
    recording: Recording, judge: Judge
) -> tuple[PullRequestView, str | None]:
    """The pull request after the real server and worker had its webhook.

    With it comes why the review is not whole; None if it is. Raises IncompleteError if the server
    does not take the webhook.
    """
    secret = secrets.token_hex()
    with tempfile.TemporaryDirectory(prefix="jurat-demo-") as folder:
        async with RecordedGitHub(recording).serve() as github:
            settings = build_demo_settings(
                github.url, folder, key=_create_private_key(), secret=secret
            )
            configure_logs(settings.logs)
            models = JudgeModels(judge, None, ModelsFile().options())
            # The recorded GitHub asks for no pause between writes.
            async with (
                build_app(settings, write_interval=0.0, models=models) as app,
                serve_http(settings, app) as url,
            ):
                await github.deliver(url + settings.webhook_path, secret)
                await app.worker.run_due()
                return _to_view(github), await _find_gap(github, app)


def build_demo_settings(github_url: str, folder: str, *, key: str, secret: str) -> ServerSettings:
    """The server's settings, all of them from here: the environment has no say in the demo."""
    return Settings.from_environment(
        {
            "APP_ID": str(APP_ID),
            "PRIVATE_KEY": key,
            "WEBHOOK_SECRET": secret,
            "GITHUB_API_URL": github_url,
            "JURAT_API_TOKEN": secrets.token_hex(),
            "DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3",
            "LOG_LEVEL": "warn",
            "PORT": "0",
        }
    ).for_server()


def _create_private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def _to_view(github: RecordedGitHub) -> PullRequestView:
    return build_view(
        github.pull,
        github.diff.encode(),
        checks=github.checks,
        reviews=github.reviews,
        comments=github.comments,
    )


async def _find_gap(github: RecordedGitHub, app: App) -> str | None:
    """Why the review is not whole; None if it is."""
    if github.unknown:
        return f"The recording has no answer to {github.unknown[0]}."
    repository, number = github.pull["base"]["repo"]["full_name"], github.pull["number"]
    kept = await app.store.last_review(repository, number)
    jobs = await app.queue.records(keys=[f"{github.pull['base']['repo']['id']}#{number}"])
    if kept is None or any(job.state != "done" for job in jobs):
        reasons = [job.reason for job in jobs if job.reason]
        return reasons[-1] if reasons else "No job has reviewed the pull request."
    unanswered = [
        item.reason
        for item in kept.answer.not_assessed
        if item.gap == NotAssessedReason.MODEL_FAILED
    ]
    return unanswered[0] if unanswered else None
