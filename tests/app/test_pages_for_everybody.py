"""The pages on a desk and on a phone, in the light and in the dark, by keyboard, and for axe-core.

The rules of axe-core are about WCAG 2.2 A and AA and good practice: none may be broken, whatever
its impact.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, ViewportSize

from jurat.app.registration import report_note, report_ok, report_problem
from jurat.app.setup import SetupForm
from jurat.cli.demo_page import render_page as render_demo
from jurat.github.app_manifest import ManifestAddresses, build_manifest
from jurat.server.login import render_login
from jurat.server.pages import render_page, render_problem
from tests.cli.test_page import VIEW
from tests.support.setup import TOKEN, NewServer

ADDRESS = "https://jurat.example.com"
LONG = "a-name-that-somebody-made-very-long-" * 6
LINK = f"https://github.com/apps/{LONG}/installations/new"
FORM: dict[str, Any] = {
    "form_token": "x",
    "fixed": None,
    "webhook_path": "/api/github/webhooks",
    "leave": True,
}
MANIFEST = build_manifest(ManifestAddresses(ADDRESS, f"{ADDRESS}/{LONG}", f"{ADDRESS}/{LONG}"))
FINDINGS = (
    report_problem("installations", "The App is installed nowhere.", f"Install it: {LINK}", LINK),
    report_note(f"acme/{LONG}@main", "It does not require the check.", "Require it.", LINK),
    report_ok("database", "It can be written."),
)
GOLDEN = Path(__file__).parents[2] / "fixtures" / "golden" / "pages"
PAGES: Mapping[str, str] = {
    "log-in": render_login(),
    "log-in, refused": render_login("That is not the token."),
    "set-up": render_page("setup.html.j2", form=SetupForm(address=ADDRESS), **FORM),
    "set-up, fixed": render_page(
        "setup.html.j2", form=SetupForm(address=ADDRESS), **{**FORM, "fixed": ADDRESS}
    ),
    "set-up, refused": render_page(
        "setup.html.j2",
        form=SetupForm(
            LONG, LONG, LONG, dict.fromkeys(("organization", "server", "address"), LONG)
        ),
        **FORM,
    ),
    "what will be registered": render_page(
        "confirm.html.j2",
        manifest=MANIFEST,
        text=json.dumps(MANIFEST),
        action="https://github.com/settings/apps/new",
        form=SetupForm(organization="acme"),
        web_url="https://github.com",
        leave=True,
    ),
    "installation": render_page(
        "doctor.html.j2",
        findings=FINDINGS,
        counts=Counter(finding.health.value for finding in FINDINGS),
        web_url="https://github.com",
        leave=True,
    ),
    "problem": render_problem("Not registered", LONG),
    "demo": render_demo(VIEW, "A note."),
    # As a served dashboard gave them, with reviews in it and without.
    **{
        f"dashboard, {file.stem}": file.read_text("utf-8").partition("\n")[2]
        for file in GOLDEN.glob("*.html")
    },
}


@pytest.fixture(params=[(375, "light"), (375, "dark"), (1280, "light"), (1280, "dark")])
async def screen(browser: Browser, request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    width: int
    scheme: Literal["light", "dark"]
    width, scheme = request.param
    page = await browser.new_page(
        viewport=ViewportSize(width=width, height=800), color_scheme=scheme
    )
    yield page
    await page.close()


async def find_violations(page: Page) -> list[str]:
    # Off unless asked for: the one rule of WCAG 2.2 AA.
    done = await Axe().run(page, options={"rules": {"target-size": {"enabled": True}}})
    assert len(done.response["passes"]) > 5  # it looked
    return [
        f"{found['id']} ({found['impact']}): {node['html']}"
        for found in done.response["violations"]
        for node in found["nodes"]
    ]


async def test_nothing_is_broken_and_nothing_is_wider_than_the_screen(screen: Page) -> None:
    broken = {}
    for name, html in PAGES.items():
        await screen.set_content(html)
        found = await find_violations(screen)
        if await screen.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append("wider than the screen")
        if found:
            broken[name] = found
    assert broken == {}


async def test_what_is_broken_would_be_found(tab: Page) -> None:
    await tab.set_content(
        PAGES["set-up"]
        .replace('<label for="address">', "<label>")
        .replace("--soft: #59636e", "--soft: #c0c0c0")
    )
    found = "".join(await find_violations(tab))
    assert "label (critical)" in found
    assert "color-contrast (serious)" in found


async def test_an_app_is_registered_without_a_mouse(browser: Browser, newcomer: NewServer) -> None:
    page = await browser.new_page()
    await page.goto(f"{newcomer.url}/")
    keys = page.keyboard
    # The field takes the focus by itself, and may do so after the page is loaded.
    await page.locator("input:focus").wait_for()
    await keys.type(TOKEN)
    await keys.press("Enter")
    await page.get_by_role("heading", name="Register the App").wait_for()
    seen = []
    while "Continue" not in seen:
        await keys.press("Tab")
        about = await page.evaluate(
            """() => {
                const at = document.activeElement, style = getComputedStyle(at);
                return [at.labels?.[0]?.innerText ?? at.innerText, style.outlineStyle];
            }"""
        )
        seen.append(about[0])
        assert about[1] == "solid", about  # one sees where one is
        if about[0] == "Public address of this server":
            await keys.type(ADDRESS)
    assert seen == [
        "Jurat",
        "Sign out",
        "Public address of this server",
        "Organisation",
        "Continue",
    ]
    await keys.press("Enter")
    await page.get_by_role("heading", name="What will be registered").wait_for()
    while await page.evaluate("document.activeElement.innerText") != "Register it on GitHub":
        await keys.press("Tab")
    await keys.press("Enter")
    await page.get_by_role("button", name="Create GitHub App").press("Enter")
    await newcomer.doors.registered.wait()
    assert newcomer.read_kept()["APP_ID"] == str(newcomer.github.world.app.id)
    await page.close()


async def test_the_demos_tabs_are_reached_without_a_mouse(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGES["demo"])
    await tab.goto(path.as_uri())
    await tab.keyboard.press("Tab")
    await tab.keyboard.press("ArrowRight")
    assert await tab.locator("#files").is_visible()
    assert not await tab.locator("#talk").is_visible()
