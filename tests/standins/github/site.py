"""What the endpoints of the stand-in see of it: the state, who may ask, and what is recorded."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime

from tests.standins.github.accounts import App
from tests.standins.github.auth import AppCaller, Caller, Gate
from tests.standins.github.deliveries import Delivery
from tests.standins.github.faults import Fault, FaultRule
from tests.standins.github.limits import RateLimits
from tests.standins.github.recorder import Exchange
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World

ENTERPRISE_PREFIX = "/api/v3"


@dataclass(frozen=True, slots=True)
class HandOut:
    """An App whose key waits for whoever has its code."""

    app: App
    pem: str
    secret: str
    made_at: datetime


class Site:
    """One GitHub at `base_url`, with the App of `world` registered on it.

    `faults` are asked before each request, and each answer takes `latency` seconds. `exchanges`
    are the requests so far, `deliveries` those of events.
    """

    def __init__(
        self,
        world: World,
        *,
        base_url: str,
        private_key: str,
        webhook_secret: str,
        enterprise: bool,
        limits: RateLimits,
    ) -> None:
        self.world = world
        self.base_url = base_url
        self.enterprise = enterprise
        self.webhook_url: str | None = None
        self.webhook_secret = webhook_secret
        self.gate = Gate(world.app, private_key)
        self.limits = limits
        self.faults: list[FaultRule] = []
        self.latency = 0.0
        self.exchanges: list[Exchange] = []
        self.deliveries: list[Delivery] = []
        self.codes: dict[str, HandOut] = {}
        self.manifests: list[Json] = []
        self.setup_url = ""

    @property
    def api_url(self) -> str:
        """The root of the REST API."""
        return self.world.api_url

    def fault_for(self, method: str, path: str) -> Fault | None:
        """The first fault that a rule has for this request."""
        for rule in self.faults:
            if (fault := rule(method, path)) is not None:
                return fault
        return None

    def budget_name(self, caller: Caller | None) -> str:
        """Whose rate limit a request counts against."""
        if caller is None:
            return "127.0.0.1"
        if isinstance(caller, AppCaller):
            return f"App ID {caller.app.id}"
        return f"installation ID {caller.installation.id}"

    def archive_url(self, repository: Repository, commit: str) -> str:
        """The address of an archive, with a token in it that is good for five minutes."""
        minute = int(self.world.now().timestamp()) // 60
        token = self._archive_token(repository, commit, minute)
        place = f"{repository.full_name}/legacy.tar.gz/{commit}"
        return f"{self.base_url}/_codeload/{place}?token={token}"

    def check_archive_token(self, repository: Repository, commit: str, token: str) -> bool:
        """Whether an archive's address was given out in the last five minutes."""
        minute = int(self.world.now().timestamp()) // 60
        return any(
            hmac.compare_digest(token, self._archive_token(repository, commit, minute - age))
            for age in range(6)
        )

    def _archive_token(self, repository: Repository, commit: str, minute: int) -> str:
        text = f"{repository.id} {commit} {minute}"
        return hmac.new(self.webhook_secret.encode(), text.encode(), "sha256").hexdigest()
