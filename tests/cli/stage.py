"""A pull request at the stand-in GitHub: by default the demo's, which its recording stands for."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import App, build_app
from jurat.cli.demo_page import PullRequestView, build_view
from jurat.settings import Settings
from tests.standins.gemini.standin import StandInGemini
from tests.standins.github import Event, PullRequest, StandIn, actions, new_private_key
from tests.standins.github.payloads import checks, conversation, pulls

FIXTURES = Path(__file__).parents[2] / "fixtures" / "demo"
APP_ID = 1
SECRET = "hush, not a word of it"


@dataclass(frozen=True, slots=True)
class Stage:
    """The App between its two stand-ins, and the pull request that was just opened."""

    github: StandIn
    gemini: StandInGemini
    app: App
    pull: PullRequest
    opened: Event

    async def settle(self) -> None:
        """Deliver every event over HTTP and run every job, and what those bring about."""
        while self.github.outbox:
            await self.github.flush()
            await self.app.worker.run_due()

    def view(self) -> PullRequestView:
        """The pull request as GitHub would show it."""
        world, pull = self.github.world, self.pull
        return build_view(
            pulls.pull_request(world, pull),
            pull.diff(),
            checks=[
                as_sent(checks.check_run(world, run), run.annotations, run.actions)
                for run in pull.repository.check_runs.values()
            ],
            reviews=[conversation.review(world, one) for one in pull.reviews],
            comments=[conversation.review_comment(world, one) for one in pull.review_comments],
        )


def as_sent(run: dict[str, Any], annotations: list[Any], buttons: list[Any]) -> dict[str, Any]:
    """A check run with what GitHub shows of it elsewhere."""
    return run | {"output": run["output"] | {"annotations": annotations}, "actions": buttons}


@asynccontextmanager
async def staged(
    open_pull: Callable[[StandIn], PullRequest] | None = None,
    model: Mapping[str, str] | None = None,
) -> AsyncIterator[Stage]:
    """The real server and worker on loopback, and the pull request that `open_pull` opens.

    By default that is the demo's. `model` are the variables that name the model, by default those
    of a stand-in; without any, nothing is judged.
    """
    key = new_private_key()
    async with (
        StandIn(app_id=APP_ID, private_key=key, webhook_secret=SECRET) as github,
        StandInGemini() as gemini,
    ):
        if model is None:
            model = {"GEMINI_API_KEY": gemini.api_key, "GOOGLE_GEMINI_BASE_URL": gemini.base_url}
        with tempfile.TemporaryDirectory(prefix="jurat-stage-") as folder:
            settings = Settings.from_environment(
                {
                    "APP_ID": str(APP_ID),
                    "PRIVATE_KEY": key,
                    "WEBHOOK_SECRET": SECRET,
                    "GITHUB_API_URL": github.api_url,
                    "JURAT_API_TOKEN": "a token for nobody",
                    "DATABASE_URL": f"sqlite:///{folder}/stage.sqlite3",
                    "LOG_LEVEL": "warn",
                    "PORT": "0",
                    **model,
                }
            ).for_server()
            async with (
                build_app(settings, write_interval=0.0) as app,
                serve_http(settings, app) as url,
            ):
                github.webhook_url = url + settings.webhook_path
                pull = (open_pull or open_demo_pull)(github)
                event = next(event for event in github.outbox if event.name == "pull_request")
                yield Stage(github, gemini, app, pull, event)


def open_demo_pull(github: StandIn) -> PullRequest:
    """The demo's repository and pull request, on a stand-in."""
    told: Mapping[str, Any] = yaml.safe_load((FIXTURES / "pull_request.yml").read_text())
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


def _files(side: str) -> Iterator[tuple[str, bytes]]:
    folder = FIXTURES / side
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
