"""The pages as HTML: no script, no asset from elsewhere, and foreign text as text."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from bot.jobs.protocol import Backlog
from bot.probes.standing import Standing
from bot.publishing.plaintext import one_line
from bot.publishing.templates import templates_in
from bot.store.overview import ReviewLine, RuleLine
from bot.store.records import StoredReview

_HERE = Path(__file__).parent
_WORDS = {
    "ALLOW": ("good", "passed"),
    "DENY": ("bad", "broken"),
    "NEEDS_CONFIRMATION": ("unsure", "needs confirmation"),
    "NOT_ASSESSED": ("soft", "not assessed"),
}


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first page shows. `since` is where the rules' counts begin."""

    backlog: Backlog
    reviews: Sequence[ReviewLine]
    rules: Sequence[RuleLine]
    standing: Standing | None
    since: dt.date
    now: dt.datetime


def overview_page(overview: Overview, *, web_url: str, leave: bool) -> str:
    """The first page. `web_url` is where GitHub shows its pages; `leave` offers to sign out."""
    return _render("overview.html.j2", overview=overview, web_url=web_url, leave=leave)


def review_page(review: StoredReview, *, web_url: str, leave: bool) -> str:
    """One review with all its verdicts."""
    verdicts: list[Mapping[str, Any]] = review.response.get("rule_verdicts", [])
    order = ("DENY", "NEEDS_CONFIRMATION", "ALLOW")
    verdicts = sorted(verdicts, key=lambda item: order.index(item["verdict"]))
    return _render("review.html.j2", review=review, verdicts=verdicts, web_url=web_url, leave=leave)


def login_page(problem: str = "") -> str:
    """The form that asks for the token."""
    return _render("login.html.j2", problem=problem, leave=False)


def problem_page(title: str, says: str) -> str:
    """Anything that went wrong."""
    return _render("problem.html.j2", title=title, says=says, leave=False)


def policy() -> str:
    """The Content-Security-Policy of every page: its one style sheet, by digest, and its forms.

    https://www.w3.org/TR/CSP3/
    """
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def web_address(api_url: str) -> str:
    """Where GitHub shows its pages, from where its API is."""
    if api_url == "https://api.github.com":
        return "https://github.com"
    return api_url.removesuffix("/api/v3")


@cache
def _style() -> str:
    return (_HERE / "style.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = templates_in(_HERE)
    environment.filters |= {"line": one_line, "ago": _ago, "span": _span}
    environment.globals |= {"words": _WORDS, "style": Markup(_style())}  # noqa: S704 - our own file
    return environment


def _render(name: str, **values: Any) -> str:
    return _environment().get_template(name).render(**values)


def _ago(then: dt.datetime, now: dt.datetime) -> str:
    return f"{_span(max((now - then).total_seconds(), 0.0))} ago"


def _span(seconds: float) -> str:
    """A time that a person reads: one unit is enough."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
