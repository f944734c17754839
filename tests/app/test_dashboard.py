"""The dashboard in a real browser: who may look, what it shows, and deaf to hostile text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest
from playwright.async_api import Browser, Page, ViewportSize
from pydantic import SecretStr
from sqlalchemy import select

from jurat.app.wiring import App
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Waiver, WaiverKind
from jurat.findings.verdict import Verdict
from jurat.jobs.queue import QueueDepth
from jurat.probes.run import ProbedModel, ProbeStatus
from jurat.reports.answer import EvaluationAnswer
from jurat.server.dashboard import Overview, render_overview, render_review
from jurat.server.login import SESSION_COOKIE
from jurat.store.database import Database
from jurat.store.listings import ReviewLine
from jurat.store.rows import StoredReview
from jurat.store.sessions import LIFETIME, SessionStore
from jurat.store.tables import sessions as table
from tests.support.gemini import denying
from tests.support.server import FakeTime
from tests.support.town import API_TOKEN, BROKEN, Town
from tests.support.values import a_rule, a_verdict

TOKEN = "a token for tests alone"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
HTML = {"Accept": "text/html"}


@pytest.fixture
def guarded(town: Town) -> Town:
    """A town whose server has a token, and whose people are hostile."""
    town.settings = replace(town.settings, api_token=SecretStr(TOKEN))
    town.gemini.judges("house.no-names-in-logs", denying("customer.name", issue=HOSTILE))
    return town


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


def origin(town: Town) -> str:
    return (town.github.webhook_url or "").removesuffix(town.settings.webhook_path)


async def reviewed(town: Town, app: App) -> None:
    """Two reviews: a hostile one that breaks rules, and a clean one."""
    code = f"# {HOSTILE}\nimport logging\nlogging.info(customer.name)\n"
    town.open({f"{HOSTILE.replace('/', '_')}.py": code, "digest.py": BROKEN}, title=HOSTILE)
    await town.settle(app)


async def signed_in(browser: Browser, town: Town, **about: object) -> Page:
    page = await browser.new_page(**about)  # type: ignore[arg-type] # the options of a context
    await page.goto(origin(town) + "/")
    await page.get_by_label("The token that the server knows").fill(TOKEN)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("heading", name="Recent reviews").wait_for()
    return page


async def test_nothing_is_shown_without_a_session(
    guarded: Town, session: aiohttp.ClientSession
) -> None:
    async with guarded.running():
        for cookie in ("", TOKEN, f"9999999999.{'0' * 64}", "x" * 500, "\u0663"):
            for path in ("/", "/reviews/1"):
                headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
                url = origin(guarded) + path
                async with session.get(url, headers=headers, allow_redirects=False) as answer:
                    assert (answer.status, answer.headers["Location"]) == (303, "/login")


async def test_a_wrong_token_opens_nothing(guarded: Town, session: aiohttp.ClientSession) -> None:
    async with guarded.running():
        for form in ({"token": "wrong"}, {}, {"token": "x" * 9_000}, {"token": "ü"}):
            async with session.post(origin(guarded) + "/login", data=form) as answer:
                assert answer.status == 401
                assert not answer.cookies
                assert "wrong" not in await answer.text()


async def test_the_cookie_is_for_this_server_alone_and_ends_with_the_token(
    guarded: Town, session: aiohttp.ClientSession
) -> None:
    async with guarded.running():
        url = origin(guarded) + "/login"
        headers = {"X-Forwarded-Proto": "https"}
        async with session.post(
            url, data={"token": TOKEN}, headers=headers, allow_redirects=False
        ) as answer:
            cookie = answer.cookies[SESSION_COOKIE]
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")
    assert TOKEN not in cookie.value


async def test_a_session_ends_with_its_time_with_its_token_and_with_a_log_out(
    database: Database, time: FakeTime
) -> None:
    sessions = SessionStore(database, TOKEN, time.now)
    cookie, left = await sessions.begin(), await sessions.begin()
    assert await sessions.is_open(cookie)
    # Another process, after a restart; and one that was given another token.
    assert await SessionStore(database, TOKEN, time.now).is_open(cookie)
    assert not await SessionStore(database, TOKEN + "!", time.now).is_open(cookie)
    await sessions.end(left)
    assert not await sessions.is_open(left)
    assert await sessions.is_open(cookie)
    time.advance(LIFETIME.total_seconds())
    assert not await sessions.is_open(cookie)
    await sessions.begin()
    async with database.reading() as connection:
        assert len((await connection.execute(select(table))).all()) == 1


async def test_every_page_forbids_scripts_frames_and_assets_from_elsewhere(
    guarded: Town, session: aiohttp.ClientSession
) -> None:
    async with guarded.running(), session.get(origin(guarded) + "/login") as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("width", [360, 1280])
async def test_hostile_text_is_text_and_nothing_is_asked_of_others(
    browser: Browser, guarded: Town, width: int
) -> None:
    async with guarded.running() as app:
        await reviewed(guarded, app)
        viewport = ViewportSize(width=width, height=800)
        page = await signed_in(browser, guarded, viewport=viewport)
        wrong: list[str] = []
        page.on("dialog", lambda dialogue: wrong.append(dialogue.message))
        page.on("console", lambda message: wrong.append(message.text))
        page.on(
            "request",
            lambda request: (
                wrong.append(request.url) if not request.url.startswith(origin(guarded)) else None
            ),
        )
        await page.reload()
        assert "acme/shop#1" in await page.inner_text("table >> nth=0")
        assert "py.no-md5" in await page.inner_text("table >> nth=1")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        await page.get_by_role("link", name="broken").click()
        await page.get_by_role("link", name="All reviews").wait_for()
        said = await page.inner_text("main")
        wide = wide or await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert HOSTILE in said
        assert await page.locator("img, script").count() == 0
        assert wrong == []
        assert not wide
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_role("button", name="Sign in").wait_for()
        await page.close()


async def test_a_review_that_is_not_there_is_not_found(
    town: Town, app: App, session: aiohttp.ClientSession
) -> None:
    form, url = {"token": API_TOKEN}, origin(town)
    async with session.post(url + "/login", data=form, allow_redirects=False) as entered:
        cookie = entered.cookies[SESSION_COOKIE].value
    headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
    async with session.get(url + "/reviews/%3Cscript%3E", headers=headers) as answer:
        assert answer.status == 404
        assert "<script>" not in await answer.text()


@pytest.mark.parametrize(
    ("state", "shown"), [(ProbedModel.PROBED, "0.91"), (ProbedModel.PROMPTS_CHANGED, "\u2013")]
)
def test_the_index_is_that_of_a_run_that_speaks_for_the_judge_in_use(
    state: ProbedModel, shown: str
) -> None:
    overview = Overview(
        backlog=QueueDepth(0, 0, 0.0),
        reviews=(),
        rules=(),
        probe_status=ProbeStatus(state, "flash: what was found.", resilience_index=0.913),
        since=dt.date(2026, 3, 2),
        now=dt.datetime(2026, 3, 3, tzinfo=dt.UTC),
    )
    page = render_overview(overview, web_url="https://github.com", leave=False)
    assert f"<b>{shown}</b> flash: what was found." in page


async def test_on_a_phone_a_verdicts_word_stays_whole(browser: Browser) -> None:
    now = dt.datetime(2026, 3, 3, tzinfo=dt.UTC)
    line = ReviewLine(
        "ev", f"acme/{'long-' * 20}", 1, "0" * 40, Verdict.DENY, None, 1.0, now, override=None
    )
    overview = Overview(QueueDepth(0, 0, 0.0), (line,), (), None, since=now.date(), now=now)
    page = await browser.new_page(viewport=ViewportSize(width=360, height=800))
    await page.set_content(render_overview(overview, web_url="https://github.com", leave=False))
    word = page.get_by_role("link", name="broken")
    assert await word.evaluate("link => link.getClientRects().length") == 1
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await page.close()


def test_a_verdict_that_does_not_count_says_so() -> None:
    dismissed = (Waiver(WaiverKind.DISMISSED, "wendy", "a checksum"),)
    verdicts = (
        a_verdict(a_rule("acme.new", maturity="experimental"), Verdict.NEEDS_CONFIRMATION),
        a_verdict(a_rule("acme.old"), Verdict.DENY, waivers=dismissed),
        a_verdict(a_rule("acme.counts"), Verdict.DENY),
    )
    evaluation = Evaluation("ev", Verdict.DENY, verdicts, Coverage())
    now = dt.datetime(2026, 3, 3, tzinfo=dt.UTC)
    review = StoredReview(EvaluationAnswer.build(evaluation), now)
    page = render_review(review, web_url="https://github.com", leave=False)
    said = {
        re.sub(r"<[^>]+>", "", line).partition(" · ")[2]
        for line in page.splitlines()
        if line.startswith("<p><b class=")
    }
    assert said == {
        "acme.new experimental, does not count",
        "acme.old set aside, does not count",
        "acme.counts",
    }


async def test_a_model_that_was_never_probed_is_named(app: App) -> None:
    found = await app.read_probe_status()
    assert found is not None
    assert found.text == "gemini-3-flash-preview has not been probed."
