"""`bylaw demo`: the real server, a stand-in GitHub with a pull request, one signed webhook."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.text import Text

from bot.app import App, assembled, listening
from bot.config import Settings
from bot.demo.gemini.standin import StandInGemini
from bot.demo.github import StandIn, actions, new_private_key
from bot.demo.github.pulls import PullRequest
from bot.demo.page import render_page
from bot.demo.terminal import show
from bot.demo.view import PullRequestView, view_of
from bot.errors import IncompleteError, UsageError
from bot.logs import configure_logs
from bot.resources import shipped
from bot.verdicts import Gap

APP_ID = 1

NOTE = (
    "Made by bylaw demo, on this machine alone: GitHub is a stand-in, and the rules that need a "
    "model were judged by a scripted stand-in for Gemini, spoken to through Google's own client."
)


@dataclass(frozen=True, slots=True)
class Stage:
    """The App between its two stand-ins, and the pull request that was just opened."""

    github: StandIn
    gemini: StandInGemini
    app: App
    pull: PullRequest

    async def settle(self) -> None:
        """Deliver every event over HTTP and run every job, and what those bring about."""
        while self.github.outbox:
            await self.github.flush()
            await self.app.worker.run_due()


def run(page: Path, console: Console) -> None:
    """Review the demo's pull request, print it, and write it to `page`.

    Raises UsageError if the page cannot be written, and IncompleteError if the review was not
    completed: what there is of it was printed then.
    """
    view, missing = asyncio.run(_reviewed())
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
    if missing:
        raise IncompleteError(f"The demo's review was not completed: {missing}")


async def _reviewed() -> tuple[PullRequestView, str]:
    """The pull request, and why its review is not whole; "" if it is."""
    async with staged() as stage:
        await stage.settle()
        return view_of(stage.pull), await _missing(stage)


async def _missing(stage: Stage) -> str:
    repository, number = stage.pull.repository.full_name, stage.pull.number
    kept = await stage.app.store.last_review(repository, number)
    jobs = await stage.app.queue.records(keys=[f"{repository}#{number}"])
    if kept is None or any(job.state != "done" for job in jobs):
        reasons = [job.reason for job in jobs if job.reason]
        return reasons[-1] if reasons else "No job has reviewed the pull request."
    unanswered = [
        item["reason"] for item in kept.response["not_assessed"] if item["gap"] == Gap.MODEL_FAILED
    ]
    return unanswered[0] if unanswered else ""


@asynccontextmanager
async def staged() -> AsyncIterator[Stage]:
    """The demo's stage: the real server and worker, everything else on loopback."""
    key = new_private_key()
    secret = secrets.token_hex()
    async with (
        StandIn(app_id=APP_ID, private_key=key, webhook_secret=secret) as github,
        StandInGemini() as gemini,
    ):
        with tempfile.TemporaryDirectory(prefix="bylaw-demo-") as folder:
            settings = Settings.from_environment(
                {
                    "APP_ID": str(APP_ID),
                    "PRIVATE_KEY": key,
                    "WEBHOOK_SECRET": secret,
                    "GITHUB_API_URL": github.api_url,
                    "GEMINI_API_KEY": gemini.api_key,
                    "GOOGLE_GEMINI_BASE_URL": gemini.base_url,
                    "BYLAW_API_TOKEN": secrets.token_hex(),
                    "DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3",
                    "LOG_LEVEL": "warn",
                    "PORT": "0",
                }
            ).for_server()
            configure_logs(settings.logs)
            # The stand-in asks for no pause between writes.
            async with (
                assembled(settings, write_interval=0.0) as app,
                listening(settings, app) as url,
            ):
                github.webhook_url = url + settings.webhook_path
                yield Stage(github, gemini, app, open_pull_request(github))


def open_pull_request(github: StandIn) -> PullRequest:
    """The demo's repository and pull request, on a stand-in."""
    told = _told()
    repository = github.create_repository(told["repository"], dict(_files("base")))
    actions.push(
        repository,
        told["branch"],
        dict(_files("head")),
        message=told["title"],
        by=told["author"],
        onto=repository.default_branch,
    )
    return actions.open_pull_request(
        repository,
        head=told["branch"],
        title=told["title"],
        body=told["body"],
        by=told["author"],
    )


def _told() -> Mapping[str, Any]:
    text = shipped("fixtures", "demo", "pull_request.yml").read_text(encoding="utf-8")
    told: Mapping[str, Any] = yaml.safe_load(text)
    return told


def _files(side: str) -> Iterator[tuple[str, bytes]]:
    folder = shipped("fixtures", "demo", side)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
