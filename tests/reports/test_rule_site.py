"""The rules as a site, in a real browser, opened from the disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from jurat.cli.rule_pages import write_site
from jurat.errors import UsageError
from jurat.reports.rule_site import MARK, render_site
from jurat.rules.loader import load_ruleset
from jurat.rules.rule import RuleSet
from tests.support.command import RULES

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
SIZES = [(375, "dark"), (1280, "light")]


def rule_set(text: str = RULES) -> RuleSet:
    return load_ruleset({"rules.yml": text})


def hostile() -> RuleSet:
    plain = rule_set()
    rules = {
        name: rule.model_copy(
            update={
                "statement": HOSTILE,
                "rationale": HOSTILE,
                "fix": HOSTILE,
                "tags": (HOSTILE,),
                "exceptions": (HOSTILE,),
                "references": (HOSTILE, f"https://[{HOSTILE}", f"x: javascript:{HOSTILE}"),
                "origin": HOSTILE,
            }
        )
        for name, rule in plain.rules.items()
    }
    return replace(plain, rules=rules)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
async def test_a_rule_is_searched_for_and_read(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    write_site(rule_set(), tmp_path / "site")
    colours = "dark" if scheme == "dark" else "light"
    page = await browser.new_page(viewport={"width": width, "height": 800}, color_scheme=colours)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    await page.goto((tmp_path / "site" / "index.html").as_uri())
    assert await page.locator("#count").inner_text() == "2 of 2 rules"
    assert (await Axe().run(page)).response["violations"] == []
    await page.keyboard.press("/")
    await page.keyboard.type("python STRONG")
    assert await page.locator("li:visible").count() == 1
    assert await page.locator("#count").inner_text() == "1 of 2 rules"
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/rules/acme.no-md5.html")
    assert "hashlib.md5(data)" in await page.locator("pre").first.inner_text()
    assert (await Axe().run(page)).response["violations"] == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == [], "the policy lets through what the pages need"


async def test_nothing_of_a_rule_is_markup_and_nothing_is_fetched(
    tab: Page, tmp_path: Path
) -> None:
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("dialog", lambda dialogue: asked.append(dialogue.message))
    write_site(hostile(), tmp_path)
    for name in ("index.html", "rules/acme.no-md5.html"):
        await tab.goto((tmp_path / name).as_uri())
        assert await tab.locator("img, a[href^='javascript'], a[href*='script']").count() == 0
        assert await tab.locator("script").count() == (name == "index.html")
        assert "\u202e" not in await tab.locator("body").inner_text()
    assert all(address.startswith("file:") for address in asked)


def test_pages_of_rules_that_are_gone_go_and_other_files_are_safe(tmp_path: Path) -> None:
    write_site(rule_set(), tmp_path)
    mine = tmp_path / "rules" / "notes.html"
    mine.write_text("mine")
    write_site(rule_set(RULES.replace("acme.small", "acme.tiny")), tmp_path)
    assert {path.name for path in mine.parent.iterdir()} == {
        "acme.tiny.html",
        "acme.no-md5.html",
        "notes.html",
    }
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        write_site(rule_set(), tmp_path / "other")
    with pytest.raises(UsageError, match="cannot be written"):
        write_site(rule_set(), mine)


def test_every_page_says_that_it_is_ours() -> None:
    assert all(MARK in text for text in render_site(rule_set()).values())
