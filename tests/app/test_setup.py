"""The page that registers the App: on whose behalf, where, what is kept, and what is shown."""

from __future__ import annotations

import re

import aiohttp
import pytest
from playwright.async_api import Browser, Page

from jurat.server.credentials import add_credentials
from jurat.settings import Settings
from tests.standins.github.faults import BAD_GATEWAY, once
from tests.support.setup import TOKEN, NewServer, log_in, post_form

ADDRESS = "https://jurat.example.com"


async def open_page(browser: Browser, server: NewServer) -> Page:
    page = await browser.new_page()
    await page.goto(f"{server.url}/login?token={TOKEN}".replace(" ", "%20"))
    await page.get_by_role("heading", name="Register the App on GitHub").wait_for()
    return page


async def register(page: Page, organization: str = "") -> None:
    await page.get_by_label("Public address").fill(ADDRESS)
    await page.get_by_label("Organisation").fill(organization)
    await page.get_by_role("button", name="Continue").click()
    await page.get_by_role("button", name="Register it on GitHub").click()
    await page.get_by_role("button", name="Create GitHub App").click()


@pytest.mark.parametrize("organization", ["", "acme"])
async def test_the_app_is_registered_from_the_manifest_and_what_comes_back_is_kept(
    browser: Browser, newcomer: NewServer, organization: str
) -> None:
    page = await open_page(browser, newcomer)
    await register(page, organization)
    await newcomer.doors.registered.wait()
    github = newcomer.github
    app = github.world.app
    assert (app.owner.login, app.slug) == (organization or "octocat", "jurat")
    kept = newcomer.read_kept()
    assert (kept["APP_ID"], kept["GITHUB_API_URL"]) == (str(app.id), github.api_url)
    settings = add_credentials(
        Settings.from_environment({"DATABASE_URL": newcomer.settings.database_url})
    ).for_server()
    assert settings.webhook_secret.get_secret_value() == github.webhook_secret
    assert github.webhook_url == f"{ADDRESS}/api/github/webhooks"
    # Where the browser is, not where GitHub sends events; and for good only what others reach too.
    assert github.manifests[0]["redirect_url"] == f"{newcomer.url}/setup/callback"
    assert "setup_url" not in github.manifests[0]
    await page.close()


async def test_what_is_set_in_the_environment_counts_before_what_is_kept(
    browser: Browser, newcomer: NewServer, app_key: str
) -> None:
    page = await open_page(browser, newcomer)
    await register(page)
    await newcomer.doors.registered.wait()
    await page.close()
    named = {"APP_ID": "7", "PRIVATE_KEY": app_key, "WEBHOOK_SECRET": "x" * 20}
    url = newcomer.settings.database_url
    settings = add_credentials(Settings.from_environment({**named, "DATABASE_URL": url}))
    assert settings.for_server().app.app_id == 7
    newcomer.file.chmod(0o644)
    with pytest.raises(Exception, match="can be read by others"):
        add_credentials(Settings.from_environment({"DATABASE_URL": url}))


async def test_a_code_that_github_does_not_answer_for_can_be_tried_again(
    browser: Browser, newcomer: NewServer
) -> None:
    newcomer.github.faults.append(once(BAD_GATEWAY, "POST", "/app-manifests/"))
    page = await open_page(browser, newcomer)
    await register(page)
    assert "Reload this page" in await page.inner_text("main")
    assert not newcomer.file.exists()
    await page.reload()
    assert newcomer.doors.registered.is_set()
    await page.close()


async def test_credentials_that_could_not_be_kept_are_not_lost(
    browser: Browser, newcomer: NewServer
) -> None:
    page = await open_page(browser, newcomer)
    await page.get_by_label("Public address").fill(ADDRESS)
    await page.get_by_role("button", name="Continue").click()
    await page.get_by_role("button", name="Register it on GitHub").click()
    newcomer.file.mkdir()
    await page.get_by_role("button", name="Create GitHub App").click()
    assert "nothing is lost yet" in await page.inner_text("main")
    newcomer.file.rmdir()
    await page.reload()
    assert newcomer.read_kept()["APP_ID"] == str(newcomer.github.world.app.id)
    await page.close()


async def test_nothing_goes_to_github_while_nothing_can_be_kept(
    newcomer: NewServer, visitor: aiohttp.ClientSession
) -> None:
    # A test may run as root, whom no mode stops: a folder in its place stops everybody.
    newcomer.file.with_name(f"{newcomer.file.name}.trial").mkdir()
    html = await post_form(newcomer, visitor, {"address": ADDRESS})
    assert "cannot be kept" in html
    assert "manifest" not in html


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("address", "http://jurat.example.com", "with https"),
        ("address", "https://jurat.example.com/a?b", "with https"),
        ("address", "https://me@jurat.example.com", "with https"),
        ("organization", "acme/../evil", "organisation's name"),
    ],
)
async def test_what_is_wrong_with_a_field_stands_beside_it(
    newcomer: NewServer, visitor: aiohttp.ClientSession, field: str, value: str, says: str
) -> None:
    html = await post_form(newcomer, visitor, {"address": ADDRESS, field: value})
    (problem,) = re.findall(rf'id="{field}-problem">([^<]+)<', html)
    assert says in problem
    assert f'value="{value}"' in html
    assert f'aria-describedby="{field}-hint {field}-problem" aria-invalid="true"' in html


async def test_an_enterprise_server_and_a_companys_place_have_their_own_addresses(
    newcomer: NewServer, visitor: aiohttp.ClientSession
) -> None:
    newcomer.choose_github()
    for server, page in {
        "": "https://github.com/settings/apps/new?state=",
        "https://github.acme.example/": "https://github.acme.example/settings/apps/new?state=",
        "acme.ghe.com": "https://acme.ghe.com/settings/apps/new?state=",
    }.items():
        html = await post_form(newcomer, visitor, {"address": ADDRESS, "server": server})
        assert f'action="{page}' in html


async def test_whoever_comes_over_an_open_connection_meanwhile_comes_again(
    newcomer: NewServer, visitor: aiohttp.ClientSession
) -> None:
    await log_in(newcomer, visitor)
    newcomer.doors.registered.set()
    for path in ("/doctor", "/setup", "/", "/api/github/webhooks"):
        async with visitor.get(newcomer.url + path) as answer:
            assert (answer.status, answer.headers["Refresh"]) == (503, "1")
            assert answer.headers["Connection"] == "close"


async def test_an_address_that_others_reach_gets_people_back_after_they_installed(
    newcomer: NewServer, visitor: aiohttp.ClientSession
) -> None:
    html = await post_form(newcomer, visitor, {"address": ADDRESS}, origin=ADDRESS)
    assert f'"setup_url": "{ADDRESS}/doctor"' in html
    assert f'"redirect_url": "{ADDRESS}/setup/callback"' in html
