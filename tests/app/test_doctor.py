"""`jurat doctor` on installations that are well, and on each way in which they are not."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import make_url

from jurat.app.doctor import OVERDUE, check_database, check_job_loop, run_diagnostics
from jurat.app.reconciler import EVERY
from jurat.app.registration import Diagnostic, DiagnosticLevel, exit_code
from jurat.app.wiring import App
from jurat.judge.models_file import ModelSettings
from jurat.store.database import Database
from tests.standins.github import actions
from tests.standins.github.protection import Protection, RequiredCheck
from tests.support.github import APP_ID, SECRET
from tests.support.process import HANGING
from tests.support.production import python
from tests.support.town import Town


def command(environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python(), "-m", "jurat", "doctor"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGING,
    )


async def examined(town: Town) -> list[Diagnostic]:
    async def sleep(_: float) -> None:
        await town.github.flush()

    return [finding async for finding in run_diagnostics(town.settings, sleep=sleep)]


async def not_well(town: Town) -> dict[str, Diagnostic]:
    """What is ill or worth a note, by what it is about."""
    found = await examined(town)
    assert all(finding.todo for finding in found if finding.health is not DiagnosticLevel.WELL)
    return {
        finding.about: finding
        for finding in found
        if finding.health is not DiagnosticLevel.WELL and not finding.about.startswith("resilience")
    }


def register(town: Town, *, accepted: bool = True, **changes: Any) -> None:
    """Change the App on GitHub; its owners have accepted that, or not yet."""
    world = town.github.world
    world.app = replace(world.app, **changes)
    if accepted:
        for number, one in world.installations.items():
            world.installations[number] = replace(one, app=world.app)


@pytest.fixture
async def healthy(town: Town, app: App) -> Town:
    """A town in which all is well."""
    town.repository.protections["main"] = Protection((RequiredCheck("jurat", APP_ID),))
    town.github.ping()
    await app.scheduler.tick()
    await town.settle(app)
    return town


async def test_a_healthy_installation_is_well(healthy: Town) -> None:
    found = await examined(healthy)
    noted = [finding for finding in found if finding.health is not DiagnosticLevel.WELL]
    assert [(finding.health, finding.message) for finding in noted] == [
        (DiagnosticLevel.NOTE, "gemini-3-flash-preview has not been probed.")
    ]
    assert exit_code(found) == 0
    assert [finding.about for finding in found] == [
        "database",
        "model gemini-3-flash-preview",
        "model gemini-3.1-pro-preview",
        "model gemini-embedding-001",
        "resilience",
        "job loop",
        "App Jurat: events",
        "App Jurat: permissions",
        "webhook: ping from here",
        "server",
        "webhook: ping from GitHub",
        "webhook: deliveries",
        "installation on acme",
        "acme/shop@main",
    ]


async def test_events_and_permissions_that_are_missing_are_named(healthy: Town) -> None:
    app = healthy.github.world.app
    register(
        healthy,
        events=app.events - {"merge_group", "check_run"},
        permissions={**app.permissions, "checks": "read"},
    )
    found = await not_well(healthy)
    assert "not sent check_run, merge_group" in found["App Jurat: events"].message
    assert "does not ask for checks: write" in found["App Jurat: permissions"].message
    assert exit_code(found.values()) == 1


async def test_permissions_that_an_owner_has_not_accepted_are_named(healthy: Town) -> None:
    permissions = {**healthy.github.world.app.permissions, "contents": "write"}
    register(healthy, accepted=False, permissions=permissions)
    (found,) = (await not_well(healthy)).values()
    assert found.about == "installation on acme"
    assert "has not accepted contents: write" in found.message
    assert "/settings/installations/" in found.todo


@pytest.mark.parametrize(
    ("check", "says"),
    [
        (RequiredCheck("jurat", 99), "requires the check jurat of another App"),
        (RequiredCheck("Jurat"), "requires the check 'Jurat', which nobody reports"),
        (RequiredCheck("jurat/review"), "requires the check 'jurat/review', which nobody reports"),
    ],
)
@pytest.mark.parametrize("classic", [False, True])
async def test_a_check_that_is_required_under_a_wrong_name_would_block_for_ever(
    healthy: Town, check: RequiredCheck, says: str, classic: bool
) -> None:
    demands = Protection(classic_checks=(check,)) if classic else Protection((check,))
    healthy.repository.protections["main"] = demands
    found = await not_well(healthy)
    assert found["acme/shop@main"].health is DiagnosticLevel.ILL
    assert says in found["acme/shop@main"].message


async def test_a_check_that_is_not_required_is_a_note(healthy: Town) -> None:
    healthy.repository.protections.clear()
    (found,) = (await not_well(healthy)).values()
    assert (found.health, found.about) == (DiagnosticLevel.NOTE, "acme/shop@main")
    assert exit_code([found]) == 0


async def test_a_merge_queue_that_the_app_does_not_hear_of_would_stall(healthy: Town) -> None:
    checks = (RequiredCheck("jurat"),)
    healthy.repository.protections["main"] = Protection(checks, merge_queue=True)
    assert await not_well(healthy) == {}
    app = healthy.github.world.app
    register(healthy, events=app.events - {"merge_group"})
    assert "waits for the check for ever" in (
        (await not_well(healthy))["acme/shop@main: merge queue"].message
    )


async def test_a_webhook_that_leads_elsewhere_is_ill(healthy: Town) -> None:
    healthy.github.webhook_url = healthy.github.api_url + "/elsewhere"
    found = await not_well(healthy)
    assert "/elsewhere" in found["webhook: address"].message
    assert "answered 404" in found["webhook: ping from here"].message
    assert "did not arrive (404" in found["webhook: ping from GitHub"].message


async def test_a_server_that_is_down_is_ill(healthy: Town) -> None:
    healthy.github.webhook_url = "http://127.0.0.1:1/api/github/webhooks"
    found = await not_well(healthy)
    assert "Nobody answered" in found["webhook: ping from here"].message
    assert "failed to connect" in found["webhook: ping from GitHub"].message


async def test_another_secret_is_ill(healthy: Town) -> None:
    healthy.settings = replace(healthy.settings, webhook_secret=SecretStr("quite another secret"))
    (found,) = (await not_well(healthy)).values()
    assert "refused our signature" in found.message


async def test_a_key_that_the_model_does_not_take_is_ill_and_not_shown(healthy: Town) -> None:
    key = "a key that nobody knows"
    model = ModelSettings(SecretStr(key), healthy.gemini.base_url)
    healthy.settings = replace(healthy.settings, model=model)
    found = await not_well(healthy)
    assert "The API answered 400" in found["model gemini-3.1-pro-preview"].message
    assert key not in repr(found)


async def test_a_second_judge_is_looked_at_as_well(healthy: Town) -> None:
    second = ModelSettings(SecretStr("a key that nobody knows"), healthy.gemini.base_url)
    assert healthy.settings.model is not None
    both = replace(healthy.settings.model, second=second)
    healthy.settings = replace(healthy.settings, model=both)
    found = await not_well(healthy)
    assert "The API answered 400" in found["model gemini-3.1-pro-preview"].message


async def test_no_model_is_a_note(healthy: Town) -> None:
    healthy.settings = replace(healthy.settings, model=None)
    (found,) = (await not_well(healthy)).values()
    assert (found.about, found.health) == ("model", DiagnosticLevel.NOTE)


async def test_a_database_without_tables_is_ill(healthy: Town) -> None:
    healthy.settings = replace(
        healthy.settings, database_url=healthy.settings.database_url + ".another"
    )
    (found,) = (await not_well(healthy)).values()
    assert "at revision none" in found.message
    assert "jurat db upgrade" in found.todo


async def test_a_judge_that_cannot_be_constructed_is_ill(
    healthy: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    found = (await not_well(healthy))["model"]
    assert found.health is DiagnosticLevel.ILL
    assert found.message.startswith(
        "The judge cannot be constructed: the model's client could not be made"
    )


def test_a_database_that_is_read_only_is_ill(upgraded_postgresql_url: str) -> None:
    asyncio.run(make_read_only(upgraded_postgresql_url))
    found = asyncio.run(check_database(upgraded_postgresql_url))
    assert (found.health, found.message) == (
        DiagnosticLevel.ILL,
        "It cannot be written: it is read-only.",
    )


async def make_read_only(url: str) -> None:
    database = Database.at(url)
    name = make_url(url).database
    async with database.writing() as connection:
        await connection.exec_driver_sql(
            f"ALTER DATABASE {name} SET default_transaction_read_only = 1"
        )
    await database.close()


async def test_a_database_that_never_saw_a_worker_is_ill(town: Town, app: App) -> None:
    found = (await not_well(town))["job loop"]
    assert (found.health, found.message) == (
        DiagnosticLevel.ILL,
        "No worker has ever run on this database.",
    )


async def test_a_worker_that_keeps_no_time_any_more_is_ill(app: App) -> None:
    await app.scheduler.tick()
    await app.worker.run_due()
    now = app.services.clock()
    assert (await check_job_loop(app.database, now)).health is DiagnosticLevel.WELL
    found = await check_job_loop(app.database, now + 2 * EVERY + dt.timedelta(minutes=5))
    assert found.health is DiagnosticLevel.ILL
    assert found.message.startswith("No worker lives: the last sweep was due ")


async def test_a_job_that_nobody_takes_is_ill_but_not_one_that_waits_for_its_turn(app: App) -> None:
    await app.scheduler.tick()
    soon = app.services.clock() + dt.timedelta(seconds=OVERDUE + 5)
    found = await check_job_loop(app.database, soon)
    assert found.health is DiagnosticLevel.ILL
    assert "and none is run" in found.message
    await app.queue.lease("w", dt.timedelta(seconds=60))
    assert (await check_job_loop(app.database, soon)).health is DiagnosticLevel.WELL


async def test_a_server_that_is_not_ready_is_ill(healthy: Town, app: App) -> None:
    await app.database.transact(lambda one: one.exec_driver_sql("PRAGMA query_only = 1"))
    found = (await not_well(healthy))["server"]
    assert (found.health, found.message) == (
        DiagnosticLevel.ILL,
        "It is not ready: database: it is read-only.",
    )


async def test_an_unknown_app_ends_the_examination_of_github(healthy: Town) -> None:
    healthy.settings = replace(healthy.settings, app=replace(healthy.settings.app, app_id=1))
    found = await not_well(healthy)
    assert list(found) == ["App"]
    assert "404" in found["App"].message


def test_without_an_environment_it_says_what_is_missing_and_ends_with_2() -> None:
    bare = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    ended = command(bare)
    assert ended.returncode == 2
    assert ended.stderr.startswith("jurat: APP_ID is not set.")
    assert len(ended.stderr.splitlines()) == 1


async def test_the_command_prints_one_line_each_with_what_to_do_and_no_secret(
    healthy: Town, app_key: str
) -> None:
    healthy.repository.protections["main"] = Protection((RequiredCheck("\x1b[31mjurat /x"),))
    environment = {
        **os.environ,
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": app_key,
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API_URL": healthy.github.api_url,
        "DATABASE_URL": healthy.settings.database_url + ".another",
    }
    healthy.github.deliveries.clear()  # nobody delivers pings while a command waits for them
    ended = await asyncio.to_thread(command, environment)
    assert ended.returncode == 1, ended.stderr
    assert "FAIL  database: It is at revision none" in ended.stdout
    assert "      -> Run `jurat db upgrade`" in ended.stdout
    assert ended.stdout.splitlines()[-1].endswith(" to look at.")
    assert "\x1b" not in ended.stdout
    assert "Traceback" not in ended.stderr
    said = ended.stdout + ended.stderr
    assert not any(secret in said for secret in (SECRET, app_key, app_key[60:100]))


async def test_an_owners_file_that_may_be_hidden_is_worth_a_note(town: Town, app: App) -> None:
    assert "installation on acme" not in await not_well(town)
    one = town.github.installed_on("acme")
    actions.choose_repositories(town.github.world, one, [town.repository])
    note = (await not_well(town))["installation on acme"]
    assert "If acme/.github is private" in note.message
    owners = town.github.create_repository("acme/.github", {"README.md": "Ours\n"})
    actions.choose_repositories(town.github.world, one, [town.repository, owners])
    assert "installation on acme" not in await not_well(town)
