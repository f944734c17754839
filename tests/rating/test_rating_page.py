"""The page of a rating in a real Chromium: complete by itself, with links that lead somewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from jurat.rating.changes import build_document
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.worktree import open_folder
from jurat.reports.rating_page import render_rating
from tests.support.browser import browser
from tests.support.rating import ALL_APPLY, a_source, worktree_of

__all__ = ["browser"]

REPOS = Path(__file__).parents[2] / "fixtures" / "repos"
HOSTILE = "</code><script>document.title = 'owned'</script>"


def rating_of(name: str) -> Rating:
    worktree = open_folder(REPOS / name)
    return _rated(RepositoryScan(worktree, *scan_worktree(worktree)))


def _rated(seen: RepositoryScan) -> Rating:
    packs = load_regulations(ALL_APPLY)
    return rate_scan(seen, packs, list_named_rules(), classifying=packs, on=ALL_APPLY)


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context(offline=True)
    yield await context.new_page()
    await context.close()


async def show(page: Page, rating: Rating, title: str = "example") -> None:
    source = a_source(title)
    digest = build_document(rating, source)["sha256"]
    await page.set_content(render_rating(rating, source, digest))


async def test_every_line_of_evidence_is_a_permalink(page: Page) -> None:
    rating = rating_of("facial_scraper")
    source = a_source("example", page="https://github.com/acme/shop", changed={"gallery.py"})
    await page.set_content(render_rating(rating, source, "0" * 64))
    links = await page.eval_on_selector_all(
        "a.place", "links => links.map(a => [a.textContent, a.href])"
    )
    at = "https://github.com/acme/shop/blob/" + source.commit
    for label, href in links:
        path, _, line = label.rpartition(":")
        assert href == f"{at}/{path}#L{line}"
    places = {
        f"{item.path}:{item.line}" for clause in rating.clauses for _, item in clause.evidence
    }
    assert len({label for label, _ in links}) > 5
    assert {label for label, _ in links} <= places


async def test_what_the_commit_does_not_hold_is_no_link(page: Page) -> None:
    rating = rating_of("facial_scraper")
    paths = {item.path for clause in rating.clauses for _, item in clause.evidence}
    source = a_source("example", page="https://github.com/acme/shop", changed=paths)
    await page.set_content(render_rating(rating, source, "0" * 64))
    assert await page.locator("a.place").count() == 0
    assert await page.locator("span.place").count() > 5


async def test_every_clause_and_score_is_there(page: Page) -> None:
    rating = rating_of("facial_scraper")
    await show(page, rating)
    inside = [clause for clause in rating.clauses if clause.in_scope]
    assert await page.locator("article.clause").count() == len(inside)
    assert await page.locator("tr.row").count() == len(rating.clauses)
    assert await page.locator(".bars tbody tr").count() == len(rating.regulations)
    inner = await page.eval_on_selector_all(
        'a[href^="#"]', "links => links.every(a => document.querySelector(a.hash))"
    )
    assert inner is True


async def test_an_auditor_finds_what_a_report_needs(page: Page) -> None:
    rating = rating_of("hiring_scorer")
    source = a_source("example")
    digest = build_document(rating, source)["sha256"]
    await page.set_content(render_rating(rating, source, digest))
    body = await page.inner_text("body")
    for said in (
        *(source.commit, digest, "1 December 2028", "23 November 2026", "no legal advice"),
        *("Contents", "Scope", "Method", "Limits", "Prepared by", "Signature", "not accepted"),
    ):
        assert said in body


async def test_on_paper_nothing_is_folded_away_and_each_regulation_begins_a_page(
    page: Page,
) -> None:
    await show(page, rating_of("hiring_scorer"))
    await page.emulate_media(media="print")
    assert await page.locator("details").count() == 0
    breaks = await page.eval_on_selector_all(
        "section", "all => all.filter(s => getComputedStyle(s).breakBefore === 'page').length"
    )
    assert breaks == 4  # three regulations and the sign-off
    printed = await page.pdf(prefer_css_page_size=True)
    assert printed.startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_fits_a_phone_and_follows_its_colours(browser: Browser, scheme: str) -> None:
    context = await browser.new_context(
        viewport={"width": 360, "height": 740}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = await context.new_page()
    await show(page, rating_of("hiring_scorer"))
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    colour = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == ("rgb(20, 23, 27)" if scheme == "dark" else "rgb(255, 255, 255)")
    await context.close()


async def test_it_asks_the_network_for_nothing(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await show(page, rating_of("stock_agent"))
    assert asked == []


async def test_what_a_repository_holds_is_shown_and_never_run(page: Page) -> None:
    worktree = worktree_of(
        {f"{HOSTILE}.py": f'from langchain.agents import Agent  # {HOSTILE}\nchat = "{HOSTILE}"\n'}
    )
    await show(page, _rated(RepositoryScan(worktree, *scan_worktree(worktree))), HOSTILE)
    assert await page.title() == f"Rating of {HOSTILE}"
    assert await page.locator("script").count() == 0
    assert HOSTILE in await page.inner_text("body")


async def test_a_page_without_any_evidence_says_so(page: Page) -> None:
    worktree = worktree_of({"hello.py": "print('hello')\n"})
    await show(page, _rated(RepositoryScan(worktree, *scan_worktree(worktree))))
    body = await page.inner_text("body")
    assert "not an AI system" in body
    assert "not rated" in body
