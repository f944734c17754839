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
from jurat.rating.rate import Rating, rate_scan
from jurat.rating.recon import scan_worktree
from jurat.rating.worktree import open_folder
from jurat.reports.rating_report import render_rating
from tests.support.browser import browser
from tests.support.rating import ALL_APPLY, worktree_of

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
    await page.set_content(render_rating(rating, title, build_document(rating)["sha256"]))


async def test_every_evidence_link_leads_to_its_line(page: Page) -> None:
    rating = rating_of("facial_scraper")
    await show(page, rating)
    links = await page.eval_on_selector_all(
        "a.evidence",
        "links => links.map(a => [a.textContent, document.querySelector(a.hash)?.textContent,"
        " document.querySelector(a.hash)?.closest('ul').previousElementSibling.textContent])",
    )
    shown = {
        (f"{item.path}:{item.line}", item.snippet.split()[0], item.path)
        for clause in rating.clauses
        for _, item in clause.evidence
    }
    assert len(links) >= len(shown) > 5
    for label, target, file in links:
        assert any(label == at and word in target and path == file for at, word, path in shown)


async def test_every_clause_and_bar_is_there(page: Page) -> None:
    rating = rating_of("facial_scraper")
    await show(page, rating)
    assert await page.locator("details.clause").count() == len(rating.clauses)
    assert await page.locator(".bars li").count() == len(rating.regulations)
    inner = await page.eval_on_selector_all(
        'a[href^="#"]', "links => links.every(a => document.querySelector(a.hash))"
    )
    assert inner is True


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
    assert "Nothing was found." in body
    assert "not rated" in body
