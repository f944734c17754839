"""The way in: the form that asks for the token, or the link that holds it; and the way out."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

import structlog
from aiohttp import web

from jurat.server.access import TokenGate
from jurat.server.bodies import BodyError, BodyReader
from jurat.server.pages import build_page_response, build_redirect, render_page, render_problem
from jurat.store.database import DatabaseUnavailable
from jurat.store.sessions import LIFETIME, SessionStore

MAX_FORM = 4_096
"""Bytes of what a form here may send."""
SESSION_COOKIE = "jurat_session"

_log = structlog.stdlib.get_logger("jurat.server")

Page = Callable[[web.Request], Awaitable[web.Response]]


def render_login(problem: str = "") -> str:
    """The form that asks for the token."""
    return render_page("login.html.j2", problem=problem, leave=False)


class LoginDoors:
    """Lets those in who know the token of `gate`, and guards pages for those who have a session."""

    def __init__(self, gate: TokenGate, sessions: SessionStore) -> None:
        self._gate = gate
        self._bodies = BodyReader()
        self._sessions = sessions

    def add_to(self, app: web.Application) -> None:
        """Add the way in and the way out."""
        app.router.add_get("/login", self.show_form)
        app.router.add_post("/login", self.enter)
        app.router.add_post("/logout", self.leave)

    def guard(self, page: Page) -> Page:
        """A page for those alone who may look."""

        async def answer(request: web.Request) -> web.Response:
            try:
                if not await self._sessions.is_open(request.cookies.get(SESSION_COOKIE, "")):
                    raise build_redirect("/login")
                return await page(request)
            except DatabaseUnavailable as error:
                _log.error("a page could not be made", cause=str(error.__cause__))
                return build_page_response(
                    render_problem("Not now", "The database does not answer."), 503
                )

        return answer

    async def show_form(self, request: web.Request) -> web.Response:
        """The way in; with the token in the query, as the server's link has it, a session.

        The address with the token is left at once for one without, and no page links to it.
        """
        token = request.query.get("token")
        return (
            build_page_response(render_login())
            if token is None
            else await self._try_token(request, token)
        )

    async def enter(self, request: web.Request) -> web.Response:
        """A session for whoever knows the token."""
        return await self._try_token(request, (await self.read_form(request)).get("token", ""))

    async def leave(self, request: web.Request) -> web.Response:
        """End the session, here and wherever its cookie was copied to."""
        await self._sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        answer = build_redirect("/login")
        answer.del_cookie(SESSION_COOKIE)
        raise answer

    async def read_form(self, request: web.Request) -> dict[str, str]:
        """What stands in a form, the first of each name; nothing if it is no form of ours."""
        if request.content_type != "application/x-www-form-urlencoded":
            return {}
        try:
            body = await self._bodies.read(request, MAX_FORM)
            fields = parse_qs(body.decode("ascii"), max_num_fields=8)
        except (BodyError, ValueError):
            return {}
        return {name: values[0] for name, values in fields.items()}

    def make_form_token(self, request: web.Request) -> str:
        """What a form of this session holds, and no page of another site can know."""
        cookie = request.cookies.get(SESSION_COOKIE, "")
        text = f"form {cookie}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._gate.token.encode("utf-8", "surrogatepass"), text, "sha256").hex()

    async def _try_token(self, request: web.Request, token: str) -> web.Response:
        gate = self._gate
        if not await gate.admits(request, token):
            _log.warning("somebody gave a wrong token", peer=gate.find_visitor(request))
            return build_page_response(render_login("That is not the token."), 401)
        entered = build_redirect("/")
        entered.set_cookie(
            SESSION_COOKIE,
            await self._sessions.begin(),
            max_age=int(LIFETIME.total_seconds()),
            httponly=True,
            # No page of another site can post in this session's name.
            samesite="Lax",
            secure=is_encrypted(request),
        )
        raise entered


def is_encrypted(request: web.Request) -> bool:
    """Whether the browser speaks https, to us or to a proxy that says so.

    A proxy's word can only add the flag: a browser then keeps the cookie from plain http.
    """
    return request.secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"
