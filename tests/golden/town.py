"""The whole App between its two stand-ins, over HTTP and SQLite, for makers that tell a story."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import App
from jurat.settings import ServerSettings
from tests.golden.command import fixed_words
from tests.golden.golden import Files, golden, listed, stabilized
from tests.golden.material import CLEAN, CONFIGURED
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.standins.github import ManualClock, PullRequest, Repository, StandIn, actions
from tests.standins.github.conversation import IssueComment
from tests.standins.github.diffs import DiffLimits
from tests.standins.github.standin import PERMISSIONS
from tests.support.github import APP_ID, SECRET, made_key
from tests.support.memory import MEMORY
from tests.support.town import build_hasty_app, settings_for

Contents = Mapping[str, Any]


@dataclass(slots=True)
class Town:
    """One repository with the App on it."""

    github: StandIn
    gemini: StandInGemini
    repository: Repository
    app: App
    url: str
    database: Path

    async def settle(self) -> None:
        """Deliver every event and run every job, and what those bring about."""
        while self.github.outbox:
            await self.github.flush()
            await self.app.worker.run_due()

    def push(self, files: Contents, branch: str = "fix", *, by: str = "octocat") -> str:
        return actions.push(self.repository, branch, dict(files), by=by)

    async def open(self, files: Contents, branch: str = "fix", **about: Any) -> PullRequest:
        """A pull request, and what the App made of it."""
        self.push(files, branch)
        pull = actions.open_pull_request(self.repository, head=branch, **about)
        await self.settle()
        return pull

    async def say(self, pull: PullRequest, body: str, by: str = "wendy") -> IssueComment:
        comment = actions.comment(pull, body, by=by)
        await self.settle()
        return comment

    def finding(self, pull: PullRequest, number: int = 0) -> str:
        """What a reader calls a finding: the beginning of its name in the comment's last line."""
        match = re.search(r"<!-- \w+:.*?([0-9a-f]{16})", pull.review_comments[number].body)
        assert match is not None, pull.review_comments[number].body
        return match[1][:8]

    def story(self) -> Files:
        """What GitHub received, and what it shows in the end."""
        known = self.repository.git.refs("refs/").values()
        today = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"

        def told(value: object) -> str:
            return stabilized(listed(value), *known).replace(today, "<today>")

        writes = [
            {
                "request": f"{item.method} {item.path}",
                "sent": item.sent,
                "status": item.status,
            }
            for item in self.github.writes()
        ]
        return {"writes.yml": told(writes), "state.yml": told(self._state())}

    def _state(self) -> object:
        """Bodies are left out: the writes hold them."""
        numbers = self._commits()
        return {
            "checks": [
                {
                    "name": run.name,
                    "commit": numbers.get(run.head_sha, "elsewhere"),
                    "status": run.status,
                    "conclusion": run.conclusion,
                    "title": run.title,
                    "buttons": [item["label"] for item in run.actions],
                }
                for run in self.repository.check_runs.values()
            ],
            "pulls": [self._pull(pull) for pull in self.repository.pulls.values()],
            "commits": [
                {
                    "branch": ref.removeprefix("refs/heads/"),
                    "message": commit.message,
                    "author": commit.author.name,
                }
                for ref, sha in sorted(self.repository.git.refs("refs/heads/").items())
                for commit in [self.repository.git.read_commit(sha)]
            ],
        }

    def _commits(self) -> dict[str, str]:
        return {
            sha: ref.removeprefix("refs/")
            for ref, sha in sorted(self.repository.git.refs("refs/").items())
        }

    def _pull(self, pull: PullRequest) -> object:
        return {
            "number": pull.number,
            "reviews": [
                {"by": item.user.login, "state": item.state, "body": item.body}
                for item in pull.reviews
            ],
            "on the code": [
                {
                    "by": item.user.login,
                    "path": item.anchor.path,
                    "line": item.anchor.line,
                    "start": item.anchor.start_line,
                    "outdated": item.outdated,
                    "answer": item.in_reply_to is not None,
                    "first line": item.body.partition("\n")[0],
                    "reactions": [reaction.content for reaction in item.reactions],
                }
                for item in pull.review_comments
            ],
            "conversation": [
                {
                    "by": item.user.login,
                    "first line": item.body.partition("\n")[0],
                    "reactions": [reaction.content for reaction in item.reactions],
                }
                for item in pull.comments
            ],
        }


@asynccontextmanager
async def town(
    base: Contents | None = None,
    *,
    permissions: Mapping[str, str] = PERMISSIONS,
    diff_limits: DiffLimits | None = None,
    script: Script | None = None,
    change: Callable[[ServerSettings], ServerSettings] = lambda settings: settings,
) -> AsyncIterator[Town]:
    """A town whose base branch holds `base`, by default the rules of `material` and clean code."""
    # The App's own clock is the machine's, and GitHub refuses tokens of another day.
    clock = ManualClock(dt.datetime.now(dt.UTC).replace(microsecond=0))
    with tempfile.TemporaryDirectory(prefix="golden-", dir=MEMORY) as folder, fixed_words():
        async with (
            StandIn(
                app_id=APP_ID,
                private_key=made_key(),
                webhook_secret=SECRET,
                clock=clock,
                permissions=permissions,
                diff_limits=diff_limits,
            ) as github,
            StandInGemini(script if script is not None else Script()) as gemini,
        ):
            repository = github.create_repository(
                "acme/shop", dict(base if base is not None else {**CONFIGURED, "digest.py": CLEAN})
            )
            for login, role in (
                ("wendy", "write"),
                ("mary", "maintain"),
                ("tom", "triage"),
                ("rita", "read"),
            ):
                github.set_permission(repository, login, role)
            database = Path(folder, "town.sqlite3")
            url = f"sqlite:///{database}"
            settings = change(settings_for(github, gemini, made_key(), url))
            async with (
                build_hasty_app(settings) as app,
                serve_http(settings, app) as url,
            ):
                github.webhook_url = url + settings.webhook_path
                yield Town(github, gemini, repository, app, url, database)


def story(
    folder: str, **about: Any
) -> Callable[[Callable[[Town], Awaitable[None]]], Callable[[Town], Awaitable[None]]]:
    """Register what GitHub received while something happened in a town."""

    def registered(
        happening: Callable[[Town], Awaitable[None]],
    ) -> Callable[[Town], Awaitable[None]]:
        async def told() -> Files:
            async with town(**about) as here:
                await happening(here)
                return here.story()

        golden(folder)(lambda: asyncio.run(told()))
        return happening

    return registered
