"""The page that registers the App, for a server that has none, and the way from there to GitHub.

The browser's session, and what GitHub is told to send back with it, tie a registration to whoever
began it. Nothing that is secret is shown or logged; what GitHub hands out goes into a file.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from jurat.errors import JuratError
from jurat.github.app_manifest import (
    ORGANIZATION,
    ManifestAddresses,
    NewApp,
    RegistrationError,
    build_form_url,
    build_manifest,
    exchange_code,
    is_code,
)
from jurat.server.credentials import check_writable, write_credentials
from jurat.server.login import LoginDoors, is_encrypted
from jurat.server.pages import (
    build_page_response,
    build_redirect,
    render_page,
    render_problem,
    to_web_address,
)
from jurat.setting_values import DEFAULT_API_URL, is_loopback, to_api_url
from jurat.settings import Settings, SetupSettings

PAGE = "/setup"
CALLBACK = "/setup/callback"
LIFETIME = 3600.0
"""Seconds in which GitHub wants the whole of it done."""
MAX_PENDING = 16
"""Registrations that were begun and are remembered."""

_NETLOC = re.compile(
    r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?"
)
# With the origin and no more, so that the form's sender is known to GitHub and to us.
_REFERRER = "strict-origin"

_log = structlog.stdlib.get_logger("jurat.app.setup")


@dataclass(frozen=True, slots=True)
class SetupForm:
    """What somebody typed, and for each field what is wrong with it."""

    organization: str = ""
    server: str = ""
    address: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _OpenRegistration:
    """A registration that went to GitHub; `app` is what came back and could not be kept."""

    session: str
    api_url: str
    began: float
    app: NewApp | None = None


class SetupDoors:
    """The page's doors. `registered` is set once the App's credentials are kept in `file`.

    `clock` counts seconds.
    """

    def __init__(
        self,
        settings: SetupSettings,
        file: Path,
        login: LoginDoors,
        session: aiohttp.ClientSession,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.registered = asyncio.Event()
        self._settings = settings
        self._file = file
        self._login = login
        self._session = session
        self._clock = clock
        self._pending: dict[str, _OpenRegistration] = {}

    def add_to(self, app: web.Application) -> None:
        """Add the page and the way back from GitHub, for those alone who have a session."""
        guard = self._login.guard
        app.middlewares.append(self._hand_over)
        self._login.add_to(app)
        app.router.add_get("/", guard(self._to_page))
        app.router.add_get(PAGE, guard(self.show_form))
        app.router.add_post(PAGE, guard(self.confirm))
        app.router.add_get(CALLBACK, guard(self.complete))

    @web.middleware
    async def _hand_over(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Once there is an App, have whoever comes over an open connection come again.

        Browsers keep several: one that this server took before it ended would else be told that
        there is no such page.
        """
        if not self.registered.is_set():
            return await handler(request)
        page = render_problem("The App is registered", "The server begins. This page follows.")
        answer = build_page_response(page, 503)
        answer.headers["Refresh"] = "1"
        answer.force_close()
        return answer

    async def _to_page(self, _: web.Request) -> web.Response:
        raise build_redirect(PAGE)

    async def show_form(self, request: web.Request) -> web.Response:
        """Ask where the App is to be, and where GitHub reaches this server."""
        # Only proposed, and in sight: a proxy, or anybody who speaks to it, may write that header.
        address = parse_origin(f"{'https' if is_encrypted(request) else 'http'}://{request.host}")
        if address and self._is_local(address):
            address = ""
        return self._render_form(request, SetupForm(address=address or ""))

    async def confirm(self, request: web.Request) -> web.Response:
        """Show what would be registered, with the button that takes it to GitHub."""
        form = await self._login.read_form(request)
        if not self._is_ours(request, form.get("form_token", "")):
            return _refuse("This form is not of this session. Open the page again.")
        # The browser's own word, which no page and no header of a proxy can put in its mouth. What
        # GitHub sends the browser back to must be where this session is.
        here = parse_origin(request.headers.get("Origin", ""))
        if here is None:
            return _refuse(
                "A code for the App's key comes back to this page, so it has to be opened over"
                " https, or on this machine: `ssh -L 3000:127.0.0.1:3000 …` brings it to yours."
            )
        asked, api_url = self._read_form(form)
        if asked.problems or api_url is None:
            return self._render_form(request, asked, status=422)
        try:
            check_writable(self._file)
        except JuratError as error:
            return _refuse(str(error), 503)
        state = self._begin(request, api_url)
        web_url = to_web_address(api_url)
        manifest = build_manifest(
            ManifestAddresses(
                home=asked.address,
                webhook=asked.address + self._settings.webhook_path,
                return_url=here + CALLBACK,
                # For good, and for others too: an address of one machine is none.
                after_install=f"{here}/doctor" if here == asked.address else "",
            )
        )
        page = render_page(
            "confirm.html.j2",
            manifest=manifest,
            text=json.dumps(manifest),
            action=build_form_url(web_url, asked.organization, state),
            form=asked,
            web_url=web_url,
            leave=True,
        )
        return build_page_response(page, form_target=web_url, referrer=_REFERRER)

    async def complete(self, request: web.Request) -> web.Response:
        """Take the code that GitHub sent the browser back with, and keep what it stands for."""
        state, code = request.query.get("state", ""), request.query.get("code", "")
        # Taken out before anything is awaited: it counts once, however many ask at once.
        pending = self._pending.pop(state, None)
        if pending is None or not self._is_current(request, pending) or not is_code(code):
            return _refuse("This is no way back from GitHub that was begun here. Start again.")
        try:
            app = pending.app or await exchange_code(self._session, pending.api_url, code)
        except RegistrationError as error:
            if not error.is_final:
                self._pending[state] = pending
            _log.warning("the App was not registered", reason=error.message)
            return _refuse(str(error), 502)
        try:
            self._keep(pending.api_url, app)
        except JuratError as error:
            # GitHub hands the key out once: it is kept until there is room for it.
            self._pending[state] = replace(pending, app=app)
            _log.error("the App's credentials could not be kept", reason=error.message)
            return _refuse(f"{error} Then reload this page: nothing is lost yet.", 503)
        _log.info("registered", app_id=app.id, file=str(self._file.absolute()))
        self.registered.set()
        answer = build_redirect("/doctor")
        answer.force_close()  # the server that answers next is another one
        raise answer

    def _keep(self, api_url: str, app: NewApp) -> None:
        kept = {
            "APP_ID": str(app.id),
            "PRIVATE_KEY": base64.b64encode(app.pem.get_secret_value().encode()).decode(),
            "WEBHOOK_SECRET": app.webhook_secret.get_secret_value(),
            "GITHUB_API_URL": api_url,
        }
        # By the same checks that the next start makes: what it would refuse is not written.
        Settings({**kept, "DATABASE_URL": self._settings.database_url}).for_server()
        write_credentials(self._file, kept)

    def _read_form(self, form: Mapping[str, str]) -> tuple[SetupForm, str | None]:
        """What was typed with what is wrong with it, and where GitHub's API is."""
        asked = SetupForm(
            form.get("organization", "").strip(),
            form.get("server", "").strip().removeprefix("https://").rstrip("/"),
            form.get("address", "").strip(),
        )
        problems = {}
        api_url = self._settings.api_url or DEFAULT_API_URL
        if self._settings.api_url is None and asked.server:
            api_url = to_api_url(asked.server) or ""
            if not api_url or is_loopback(asked.server.partition(":")[0]):
                problems["server"] = "Write the server's name alone, such as github.example.com."
        if asked.organization and not ORGANIZATION.fullmatch(asked.organization):
            problems["organization"] = "Write the organisation's name as it stands in its address."
        address = parse_origin(asked.address)
        if address is None:
            problems["address"] = "Write an address such as https://jurat.example.com, with https."
        elif self._is_local(address, api_url):
            problems["address"] = "GitHub cannot reach this machine by that name."
        return replace(asked, address=address or asked.address, problems=problems), api_url or None

    def _is_local(self, address: str, api_url: str | None = None) -> bool:
        """Whether GitHub could not reach it because it is this machine's name for itself."""
        api = api_url or self._settings.api_url or DEFAULT_API_URL
        return is_loopback(urlsplit(address).hostname or "") and not is_loopback(
            urlsplit(api).hostname or ""
        )

    def _begin(self, request: web.Request, api_url: str) -> str:
        state = secrets.token_urlsafe(32)
        while len(self._pending) >= MAX_PENDING:
            del self._pending[next(iter(self._pending))]
        session = self._login.make_form_token(request)
        self._pending[state] = _OpenRegistration(session, api_url, self._clock())
        return state

    def _is_current(self, request: web.Request, pending: _OpenRegistration) -> bool:
        is_fresh = self._clock() - pending.began <= LIFETIME
        return is_fresh and not self.registered.is_set() and self._is_ours(request, pending.session)

    def _is_ours(self, request: web.Request, token: str) -> bool:
        given = token.encode("utf-8", "surrogatepass")
        return hmac.compare_digest(given, self._login.make_form_token(request).encode())

    def _render_form(
        self, request: web.Request, form: SetupForm, status: int = 200
    ) -> web.Response:
        fixed = self._settings.api_url
        page = render_page(
            "setup.html.j2",
            form=form,
            form_token=self._login.make_form_token(request),
            fixed=fixed and to_web_address(fixed),
            webhook_path=self._settings.webhook_path,
            leave=True,
        )
        return build_page_response(page, status, referrer=_REFERRER)


def parse_origin(text: str) -> str | None:
    """An address without a path: https, or http on this machine. None for anything else."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        return None
    if not _NETLOC.fullmatch(parts.netloc):
        return None
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        return None
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _refuse(says: str, status: int = 400) -> web.Response:
    page = render_page("problem.html.j2", title="Not registered", says=says, back=PAGE, leave=True)
    return build_page_response(page, status)
