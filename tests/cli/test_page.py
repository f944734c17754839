"""The demo's page in a real browser: readable, self-contained, and deaf to hostile text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Page

from jurat.cli.demo_page import CheckView, CommentView, PullRequestView, render_page
from jurat.source.diff_parser import parse_diff
from tests.support.browser import opened

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3))"
DIFF = b"""diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,3 @@
 import hashlib
+digest = hashlib.md5(data)
 print("a very long line that goes on and on, further than a phone is wide, and then some more")
"""
VIEW = PullRequestView(
    repository="acme/shop",
    number=7,
    title="Name the files",
    body="They need names.",
    author="rosa-lind",
    base="main",
    head="names",
    head_sha="a" * 40,
    files=parse_diff(DIFF).files,
    check=CheckView(
        "jurat", "completed", "failure", "1 rule blocks", "**1 rule** blocks.", (), ("Apply fixes",)
    ),
    review_body="1 finding below.",
    comments=(
        CommentView("jurat[bot]", "app.py", 2, 2, "No.\n\n```suggestion\ndigest = sha(data)\n```"),
    ),
)


async def test_the_tabs_show_the_conversation_and_the_files(tab: Page, tmp_path: Path) -> None:
    await opened(tab, render_page(VIEW, "A note."), tmp_path)
    assert await tab.locator("#talk").is_visible()
    assert not await tab.locator("#files").is_visible()
    await tab.get_by_text("Files changed (1)").click()
    assert await tab.locator("#files").is_visible()
    assert await tab.locator("#files .remark").count() == 1


async def test_a_suggestion_is_shown_as_a_diff_of_the_lines_it_replaces(
    tab: Page, tmp_path: Path
) -> None:
    await opened(tab, render_page(VIEW, "A note."), tmp_path)
    suggestion = tab.locator("#talk .suggestion")
    assert await suggestion.locator(".removed").inner_text() == "- digest = hashlib.md5(data)"
    assert await suggestion.locator(".added").inner_text() == "+ digest = sha(data)"


@pytest.mark.parametrize("width", [360, 1280])
async def test_nothing_is_wider_than_the_screen(tab: Page, tmp_path: Path, width: int) -> None:
    await tab.set_viewport_size({"width": width, "height": 800})
    await opened(tab, render_page(VIEW, "A note."), tmp_path)
    assert await tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("tab_name", ["Conversation", "Files changed (1)"])
async def test_the_code_has_the_room_and_its_line_numbers_little(
    tab: Page, tmp_path: Path, width: int, tab_name: str
) -> None:
    await tab.set_viewport_size({"width": width, "height": 800})
    await opened(tab, render_page(VIEW, "A note."), tmp_path)
    await tab.get_by_text(tab_name).click()
    row = tab.locator("section:visible tr.added td")
    widths = [await cell.evaluate("cell => cell.offsetWidth") for cell in await row.all()]
    assert max(widths[:2]) <= 44
    assert widths[2] > 0.7 * sum(widths)


async def test_hostile_text_stays_text_and_the_page_asks_for_nothing(
    tab: Page, tmp_path: Path
) -> None:
    hostile = replace(
        VIEW,
        title=HOSTILE,
        body=HOSTILE,
        author=HOSTILE,
        review_body=HOSTILE,
        check=replace(VIEW.check, title=HOSTILE, summary=HOSTILE),
        comments=(replace(VIEW.comments[0], body=HOSTILE),),
    )
    assert await opened(tab, render_page(hostile, "A note."), tmp_path) == []
    assert await tab.locator("script, img").count() == 0
    assert await tab.locator("a[href^='javascript']").count() == 0
    assert await tab.locator("h1").inner_text() == f"{HOSTILE} #7"


async def test_the_buttons_of_the_check_are_shown(tab: Page, tmp_path: Path) -> None:
    await opened(tab, render_page(VIEW, "A note."), tmp_path)
    assert await tab.get_by_role("button", name="Apply fixes").is_visible()
