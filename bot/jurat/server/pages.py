"""Pages: how each is made, and what a browser may do with it. No script, nothing from elsewhere."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment
from markupsafe import Markup

from jurat.reports.markdown import load_templates
from jurat.source.visible_text import to_one_line

_HERE = Path(__file__).parent / "templates"


def render_page(name: str, **values: Any) -> str:
    """A page, by the name of its template."""
    return _get_environment().get_template(name).render(**values)


def render_problem(title: str, says: str) -> str:
    """Anything that went wrong."""
    return render_page("problem.html.j2", title=title, says=says, back="", leave=False)


def build_content_policy(form_target: str = "") -> str:
    """The Content-Security-Policy of a page: its one style sheet, by digest, and its forms.

    They go to this server alone, and to the origin `form_target` if a page has one.

    https://www.w3.org/TR/CSP3/
    """
    allowed = ["'self'", form_target] if form_target else ["'self'"]
    digest = base64.b64encode(hashlib.sha256(_read_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        f"form-action {' '.join(allowed)}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def to_web_address(api_url: str) -> str:
    """Where GitHub shows its pages, from where its API is."""
    if api_url == "https://api.github.com":
        return "https://github.com"
    # A company's own place on GitHub.com:
    # https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency
    if api_url.endswith(".ghe.com"):
        return api_url.replace("https://api.", "https://", 1)
    return api_url.removesuffix("/api/v3")


def build_redirect(path: str) -> web.HTTPSeeOther:
    """Another page of ours, by its path."""
    return web.HTTPSeeOther(path, headers=_build_headers())


def build_page_response(
    html: str, status: int = 200, *, form_target: str = "", referrer: str = "no-referrer"
) -> web.Response:
    """A page as it goes out. `referrer` is what other pages learn of its address."""
    return web.Response(
        text=html,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers=_build_headers(form_target, referrer),
    )


def _build_headers(form_target: str = "", referrer: str = "no-referrer") -> dict[str, str]:
    return {
        "Content-Security-Policy": build_content_policy(form_target),
        "X-Content-Type-Options": "nosniff",
        # For browsers that do not know frame-ancestors.
        "X-Frame-Options": "DENY",
        # The address of a page may hold the token, once.
        "Referrer-Policy": referrer,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }


@cache
def _read_style() -> str:
    return (_HERE / "style.css").read_text(encoding="utf-8")


@cache
def _get_environment() -> Environment:
    environment = load_templates(_HERE)
    environment.filters |= {"line": to_one_line, "ago": format_ago, "span": format_span}
    environment.globals |= {"words": _WORDS, "style": Markup(_read_style())}  # noqa: S704 - our own file
    return environment


_WORDS = {
    "ALLOW": ("good", "passed"),
    "DENY": ("bad", "broken"),
    "NEEDS_CONFIRMATION": ("unsure", "needs confirmation"),
    "NOT_ASSESSED": ("soft", "not assessed"),
}


def format_ago(then: dt.datetime, now: dt.datetime) -> str:
    """How long ago something was."""
    return f"{format_span(max((now - then).total_seconds(), 0.0))} ago"


def format_span(seconds: float) -> str:
    """A time that a person reads: one unit is enough."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
