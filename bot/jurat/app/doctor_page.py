"""GET /doctor: what `jurat doctor` finds, with what to click."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable

from aiohttp import web

from jurat.app.doctor import run_diagnostics
from jurat.app.registration import Diagnostic, DiagnosticLevel
from jurat.app.setup import PAGE
from jurat.server.login import LoginDoors
from jurat.server.pages import build_page_response, build_redirect, render_page, to_web_address
from jurat.settings import ServerSettings

Diagnose = Callable[[], AsyncIterator[Diagnostic]]


def add_doctor_page(
    app: web.Application,
    settings: ServerSettings,
    login: LoginDoors,
    diagnose: Diagnose | None = None,
) -> None:
    """Add the page, for those alone who have a session. `diagnose` looks at the installation."""
    page = _DoctorPage(settings, diagnose or (lambda: run_diagnostics(settings)))
    app.router.add_get("/doctor", login.guard(page.show))
    app.router.add_get(PAGE, login.guard(page.leave_setup))


_ORDER = {DiagnosticLevel.ILL: 0, DiagnosticLevel.NOTE: 1, DiagnosticLevel.WELL: 2}


class _DoctorPage:
    def __init__(self, settings: ServerSettings, diagnose: Diagnose) -> None:
        self._web_url = to_web_address(settings.app.api_url)
        self._diagnose = diagnose
        self._looking: asyncio.Task[list[Diagnostic]] | None = None

    async def show(self, _: web.Request) -> web.Response:
        """The page, once everything was looked at."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        # One look for all who ask meanwhile; who asked first may go away.
        found = sorted(await asyncio.shield(self._looking), key=lambda one: _ORDER[one.health])
        page = render_page(
            "doctor.html.j2",
            findings=found,
            counts=Counter(finding.health.value for finding in found),
            web_url=self._web_url,
            leave=True,
        )
        return build_page_response(page)

    async def _look(self) -> list[Diagnostic]:
        return [finding async for finding in self._diagnose()]

    async def leave_setup(self, _: web.Request) -> web.Response:
        """The page that registers is closed: there is an App."""
        raise build_redirect("/doctor")
