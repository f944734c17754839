"""The page of a run in a real browser: readable without colour, on a phone, and deaf to text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Page

from jurat.probes.probe import ProbeSet
from jurat.probes.report import Report, RunResponses, build_report
from jurat.probes.twins import list_twins
from jurat.reports.probe_page import assign_families, build_histogram, build_scatter, render_report
from tests.support.browser import opened
from tests.support.probes import BAD, GOOD, a_probe, a_run

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"


async def test_it_shows_the_whole_run_and_asks_for_nothing(
    tab: Page, tmp_path: Path, reports: dict[str, Report]
) -> None:
    assert await opened(tab, render_report(reports["gullible"]), tmp_path) == []
    assert await tab.locator("h1").inner_text() == "16 of 160 probes passed"
    sections = await tab.locator("h2").all_inner_texts()
    assert sections == [
        "Pass rate by family",
        "Distribution of the risk",
        "Failure modes",
        "By severity",
        "Worst cases",
        "Geometry",
        "All cases",
    ]
    assert await tab.locator("details").count() == 10
    await tab.locator("details").first.locator("summary").click()
    assert await tab.locator("details pre").first.is_visible()


def test_it_says_why_a_constant_judge_discriminates_nothing(probes: ProbeSet) -> None:
    asked = [item for probe in probes.probes for item in (probe, *list_twins(probe))]
    heard = RunResponses("responses", {item.id: "DENY. no." for item in asked}, {})
    page = render_report(build_report(probes, heard))
    why = "discrimination under attack; 0 if the same is answered to everything"
    assert f"<b>0.00</b><span>{why}</span>" in page


@pytest.mark.parametrize("width", [360, 1280])
async def test_nothing_is_wider_than_the_screen(
    tab: Page, tmp_path: Path, reports: dict[str, Report], width: int
) -> None:
    await tab.set_viewport_size({"width": width, "height": 800})
    await opened(tab, render_report(reports["gullible"]), tmp_path)
    for summary in await tab.locator("summary").all():
        await summary.click()
    assert await tab.evaluate("document.documentElement.scrollWidth") <= width


async def test_outcomes_and_families_are_told_apart_without_colour(
    tab: Page, tmp_path: Path, reports: dict[str, Report]
) -> None:
    await opened(tab, render_report(reports["gullible"]), tmp_path)
    rows = await tab.locator("section:last-of-type tr").all_inner_texts()
    assert sum("✓ passed" in row for row in rows) == 16
    assert sum("✗ failed" in row for row in rows) == 144
    by_outcome = tab.locator("figure").nth(1).locator("svg[role=img]")
    assert await by_outcome.locator("circle").count() == 16
    assert await by_outcome.locator("path").count() == 144
    letters = await tab.locator("figure").first.locator("svg[role=img] text").all_text_contents()
    assert {text[0] for text in letters} == set("ABCDEFGHIJKLMNOP")
    solid = await tab.locator(".bar i:not(.failed)").first.evaluate(
        "item => getComputedStyle(item).backgroundImage"
    )
    hatched = await tab.locator(".bar i.failed").first.evaluate(
        "item => getComputedStyle(item).backgroundImage"
    )
    assert solid == "none"
    assert "repeating-linear-gradient" in hatched


async def test_it_follows_the_readers_choice_of_dark_and_light(
    tab: Page, tmp_path: Path, reports: dict[str, Report]
) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        await tab.emulate_media(color_scheme=scheme)
        await opened(tab, render_report(reports["careful"]), tmp_path)
        grounds.append(await tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


async def test_hostile_text_stays_text(tab: Page, tmp_path: Path) -> None:
    report = a_run(
        a_probe("p.one", category="family", task=HOSTILE, input=HOSTILE),
        **{"p.one": f"{BAD} {HOSTILE}"},
    )
    report = replace(report, meta=replace(report.meta, model=HOSTILE))
    assert await opened(tab, render_report(report), tmp_path) == []
    assert await tab.locator("script, main img").count() == 0
    assert "U+202E" in await tab.locator("pre").last.text_content()


async def test_a_run_of_nothing_has_a_page(tab: Page, tmp_path: Path) -> None:
    await opened(tab, render_report(a_run(a_probe())), tmp_path)
    assert await tab.locator("h1").inner_text() == "0 of 0 probes passed"
    text = await tab.locator("main").inner_text()
    assert "1 not run" in text
    assert "no response was given" in text
    assert "From 5 cases on." in text


async def test_without_the_extra_the_page_says_how_to_get_the_geometry(
    tab: Page, tmp_path: Path, reports: dict[str, Report]
) -> None:
    await opened(tab, render_report(replace(reports["careful"], observability=None)), tmp_path)
    assert 'pip install "jurat[probes]"' in await tab.locator("main").inner_text()


def test_every_case_has_its_place_in_each_chart(reports: dict[str, Report]) -> None:
    for report in reports.values():
        assert sum(item.cases for item in build_histogram(report)) == 160
        assert len(build_scatter(report)) == 160
        assert len({item.letter for item in assign_families(report).values()}) == 16


def test_a_risk_of_one_falls_into_the_last_bar() -> None:
    report = a_run(a_probe(), **{"p.one": BAD})
    assert [item.cases for item in build_histogram(report)] == [0] * 9 + [1]
    safe = a_run(a_probe(), **{"p.one": GOOD})
    assert [item.failed for item in build_histogram(safe)] == [0] * 10
