"""`jurat serve` without an App, as a process: from the link to a reviewed pull request."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

from playwright.async_api import Browser

from jurat.server.access import find_secret_file
from jurat.server.credentials import find_credentials_file
from tests.standins.github import actions
from tests.support.production import python
from tests.support.rules import BROKEN
from tests.support.setup import fresh_github
from tests.support.town import BASE


async def test_one_process_goes_from_the_page_to_a_review_and_the_next_start_needs_no_page(
    browser: Browser, upgraded_sqlite_url: str, tmp_path: Path
) -> None:
    async with fresh_github() as github:
        environment = {
            **os.environ,
            "DATABASE_URL": upgraded_sqlite_url,
            "GITHUB_API_URL": github.api_url,
            "LOG_FORMAT": "json",
            "PORT": "0",
        }
        server, url, logs = await start(environment, tmp_path)
        token_file = find_secret_file(upgraded_sqlite_url, "token")
        token = token_file.read_text().strip()
        page = await browser.new_page()
        await page.goto(f"{url}/")
        await page.get_by_label("The token that the server knows").fill(token)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_label("Public address").fill(url)
        await page.get_by_label("Organisation").fill("acme")
        await page.get_by_role("button", name="Continue").click()
        await page.get_by_role("button", name="Register it on GitHub").click()
        await page.get_by_role("button", name="Create GitHub App").click()
        # No restart and no second log-in: another server answers at the same address.
        await page.get_by_role("heading", name="Installation", exact=True).wait_for()
        assert "The App is installed nowhere." in await page.inner_text("main")
        repository = github.create_repository("acme/shop", BASE, installed=False)
        await page.get_by_role("link", name="Open it on GitHub: installations").click()
        await page.get_by_role("button", name="Install").click()
        await page.get_by_role("heading", name="Installation", exact=True).wait_for()
        assert "installed nowhere" not in await page.inner_text("main")
        actions.push(repository, "fix", {"digest.py": BROKEN})
        actions.open_pull_request(repository, head="fix")
        await github.flush()
        for _ in range(1_200):  # as long as it takes, and not for ever
            done = [run.conclusion for run in repository.check_runs.values() if run.conclusion]
            if done:
                break
            await asyncio.sleep(0.05)
        assert done == ["failure"]
        await stop(server)
        # The log names the files, and holds nothing of what is in them.
        file, said = find_credentials_file(upgraded_sqlite_url), "".join(logs)
        assert str(file) in said
        assert str(token_file) in said
        secrets = [github.webhook_secret, token, "PRIVATE KEY", *read_values(file)]
        assert len(secrets) >= 5
        assert not [secret for secret in secrets if secret in said]

        server, url, logs = await start(environment, tmp_path)
        await page.goto(f"{url}/setup")
        assert "/login" in page.url or "/doctor" in page.url
        assert '"serving"' in "".join(logs)
        await stop(server)
        await page.close()


def read_values(file: Path) -> list[str]:
    return re.findall(r"=(\S{40,})", file.read_text())


async def start(
    environment: dict[str, str], folder: Path
) -> tuple[asyncio.subprocess.Process, str, list[str]]:
    """The server, its address, and its log, which grows."""
    server = await asyncio.create_subprocess_exec(
        *(python(), "-m", "jurat", "serve"),
        env=environment,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert server.stdout is not None
    logs: list[str] = []
    while not logs or "url" not in json.loads(logs[-1]):
        line = (await server.stdout.readline()).decode()
        assert line, logs
        logs.append(line)
    asyncio.get_running_loop().create_task(drain(server.stdout, logs))
    return server, json.loads(logs[-1])["url"], logs


async def drain(stream: asyncio.StreamReader, logs: list[str]) -> None:
    while line := await stream.readline():
        logs.append(line.decode())


async def stop(server: asyncio.subprocess.Process) -> None:
    server.terminate()
    assert await server.wait() == 0
