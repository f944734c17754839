"""A GitHub to talk to: stateful, on loopback, deterministic, and as strict as the real one.

    async with StandIn(app_id=1, private_key=pem, webhook_secret="…") as github:
        repository = github.create_repository("acme/payments", {"README.md": "Payments"})
        actions.push(repository, "fix", {"pay.py": "..."})
        pull = actions.open_pull_request(repository, head="fix", title="Fix")
        await github.flush()

`github.latency` is how many seconds each answer takes; nothing waits unless told.

The state lives in `github.world`, people act through `tests.standins.github.actions`, the App
through the REST API at `github.api_url`. What happens queues events in `github.outbox`; `flush`
delivers them to `github.webhook_url`, and a test may reorder, repeat or drop them before.
"""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp import web

from tests.standins.github.accounts import Installation, Role
from tests.standins.github.actions.branches import write_commit
from tests.standins.github.clock import Clock, system_clock
from tests.standins.github.deliveries import Delivery, cut_off, encode, post, signed_headers
from tests.standins.github.diffs import DiffLimits
from tests.standins.github.git import Files
from tests.standins.github.limits import RateLimits, SecondaryLimits
from tests.standins.github.payloads import webhooks
from tests.standins.github.recorder import Exchange
from tests.standins.github.repositories import Repository
from tests.standins.github.server import application
from tests.standins.github.site import ENTERPRISE_PREFIX, Site
from tests.standins.github.world import Event, World

PERMISSIONS = {
    "checks": "write",
    "contents": "read",
    "issues": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}

EVENTS = frozenset(
    {
        "check_run",
        "check_suite",
        "issue_comment",
        "merge_group",
        "repository",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "push",
    }
)

HOOK_ID = 90_000_001


class StandIn(Site):
    """One GitHub with one App registered on it, the App under test.

    Without an `html_url` its pages name the address at which it really shows them.
    """

    def __init__(
        self,
        *,
        app_id: int,
        private_key: str,
        webhook_secret: str,
        slug: str = "jurat",
        permissions: Mapping[str, str] = PERMISSIONS,
        events: Iterable[str] = EVENTS,
        clock: Clock = system_clock,
        enterprise: bool = False,
        diff_limits: DiffLimits | None = None,
        rate_limit: int = 5_000,
        secondary_limits: SecondaryLimits | None = None,
        html_url: str | None = "https://github.com",
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="standin-")
        # Bound at once, so that the first event can name the right address.
        self._socket = socket.create_server(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        world = World(
            clock=clock,
            api_url=base_url + (ENTERPRISE_PREFIX if enterprise else ""),
            html_url=html_url or base_url,
            folder=Path(self._folder.name),
            limits=diff_limits or DiffLimits(),
        )
        world.app = world.add_app(
            slug, permissions=permissions, events=frozenset(events), app_id=app_id
        )
        super().__init__(
            world,
            base_url=base_url,
            private_key=private_key,
            webhook_secret=webhook_secret,
            enterprise=enterprise,
            limits=RateLimits(rate_limit, secondary_limits),
        )
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    @property
    def outbox(self) -> list[Event]:
        """Events that have happened and are not delivered yet."""
        return self.world.outbox

    async def start(self) -> str:
        """Answer requests; the root of the REST API."""
        self._runner = web.AppRunner(application(self), access_log=None)
        await self._runner.setup()
        await web.SockSite(self._runner, self._socket).start()
        self._session = aiohttp.ClientSession()
        return self.api_url

    async def stop(self) -> None:
        """Stop answering and forget everything."""
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()
        self.close()

    def close(self) -> None:
        """Forget everything; enough for a stand-in that was never started."""
        self._socket.close()
        self.world.close()
        self._folder.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def create_repository(
        self,
        full_name: str,
        files: Files | None = None,
        *,
        private: bool = True,
        installed: bool = True,
        message: str = "Initial commit",
    ) -> Repository:
        """A repository of an organisation, with one commit if there are files.

        Nothing is announced: it was there before the story begins.
        """
        owner_login, _, name = full_name.partition("/")
        owner = self.world.account(owner_login, "Organization")
        repository = self.world.add_repository(owner, name, private=private)
        if files:
            branch = repository.default_branch
            write_commit(repository, branch, files, message, parents=[], by="octocat")
        if installed:
            self.installed_on(owner_login)
        return repository

    def installed_on(self, owner: str) -> Installation:
        """The App's installation on an account; made, and not announced, if there is none."""
        for known in self.world.installations.values():
            if known.account.login.lower() == owner.lower():
                return known
        return self._new_installation(owner)

    def install(self, owner: str, repositories: Iterable[Repository] = ()) -> Installation:
        """Install the App on an account, on all its repositories or on those named."""
        chosen = list(repositories)
        one = self._new_installation(owner, frozenset(one.id for one in chosen) or None)
        covered = self.world.covered(one)
        sender = self.world.account("octocat")
        self.world.emit(
            "installation",
            webhooks.installation(self.world, "created", one, covered, sender),
        )
        return one

    def set_permission(self, repository: Repository, login: str, role: Role) -> None:
        """Give somebody a role in a repository."""
        self.world.account(login)
        repository.roles[login.lower()] = role

    async def flush(self) -> list[Delivery]:
        """Deliver what is queued, and what that brings about, until nothing is left."""
        made = []
        while self.outbox:
            made.append(await self.deliver(self.outbox.pop(0)))
        return made

    async def deliver(self, event: Event, *, cut: bool = False) -> Delivery:
        """Sign an event, send it to the App and remember how that went.

        With `cut` a proxy on the way hangs up in the midst of it.
        """
        if self._session is None or self.webhook_url is None:
            raise RuntimeError("start() and webhook_url come before a delivery")
        data = encode(event)
        headers = signed_headers(
            event, data, secret=self.webhook_secret, hook_id=HOOK_ID, app_id=self.world.app.id
        )
        known = any(one.event.guid == event.guid for one in self.deliveries)
        moment = self.world.now()
        sent = cut_off(data) if cut else data
        # Said anyway: the App is to wait for the rest.
        length = {"Content-Length": str(len(data))}
        reply = await post(self._session, self.webhook_url, sent, {**headers, **length})
        delivery = Delivery(
            id=self.world.next_id("delivery"),
            event=event,
            delivered_at=moment,
            redelivery=known,
            duration=reply.duration,
            status=reply.status,
            status_code=reply.code,
            request_headers=headers,
            response_headers=reply.headers,
            response=reply.body,
        )
        self.deliveries.append(delivery)
        return delivery

    def repeated(self, event: Event) -> Event:
        """The same event under another GUID, as GitHub sends it at times."""
        return replace(event, guid=self.world.next_guid())

    def ping(self) -> Event:
        """Queue the event that GitHub sends when a webhook is set up."""
        url = self.webhook_url or ""
        return self.world.emit("ping", webhooks.ping(self.world, HOOK_ID, self.world.app.id, url))

    def writes(self) -> list[Exchange]:
        """The requests that changed something, or would have."""
        return [exchange for exchange in self.exchanges if exchange.is_write]

    def _new_installation(self, owner: str, selected: frozenset[int] | None = None) -> Installation:
        world = self.world
        one = Installation(
            id=world.next_id("installation"),
            account=world.account(owner, "Organization"),
            app=world.app,
            selected=selected,
            created_at=world.now(),
        )
        world.installations[one.id] = one
        return one
