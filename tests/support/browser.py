"""A real Chromium for pages; where the machine has none, the tests that need it are skipped."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Request, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # a container's root has no other way
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    executable = next((path for name in NAMES if (path := shutil.which(name))), None)
    if executable is None:
        pytest.skip("no Chromium on this machine: `make browser` says how to get one")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=executable, args=list(ARGUMENTS)
        )
        yield chromium
        await chromium.close()


@pytest.fixture
async def tab(browser: Browser) -> Page:
    return await browser.new_page()


async def opened(page: Page, html: str, folder: Path) -> list[str]:
    """Open a page of one file; what it asked the network for, or said in a dialogue."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith("file:"):
            asked.append(request.url)

    page.on("request", note)
    page.on("dialog", lambda dialogue: asked.append(dialogue.message))
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    await page.goto(path.as_uri())
    return asked
