"""A real Chromium for pages; where the machine has none, the tests that need it are skipped."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright

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
