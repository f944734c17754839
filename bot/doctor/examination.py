"""The examination: asks GitHub, the model and the database, and judges what they say."""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import islice

import aiohttp
from pydantic import BaseModel

from bot.config import ServerSettings
from bot.doctor.findings import Finding, Health, failed, ill, note, well
from bot.doctor.own_parts import of_database, of_job_loop, of_models, of_server, of_standing
from bot.doctor.registration import (
    Delivery,
    Hook,
    Installed,
    Registered,
    RequiredCheck,
    Rule,
    manifest,
    of_app,
    of_branch,
    of_deliveries,
    of_hook,
    of_installation,
)
from bot.errors import BylawError
from bot.github.app_auth import GitHubApp
from bot.github.client import GitHub
from bot.github.errors import NotFoundError
from bot.store.database import Database

MAX_REPOSITORIES = 10
"""Repositories of one installation that are looked at."""

_LATEST = 30
_WAITS = 5
_TIMEOUT = aiohttp.ClientTimeout(total=10)

Sleep = Callable[[float], Awaitable[None]]


class _Repository(BaseModel):
    full_name: str
    default_branch: str
    archived: bool = False


class _Checks(BaseModel):
    checks: tuple[RequiredCheck, ...] = ()


class _Protection(BaseModel):
    required_status_checks: _Checks | None = None


class _Branch(BaseModel):
    protection: _Protection = _Protection()


class _Anything(BaseModel):
    pass


async def examine(
    settings: ServerSettings, *, sleep: Sleep = asyncio.sleep
) -> AsyncIterator[Finding]:
    """Look at everything, and tell each finding as soon as it is known. Raises nothing expected."""
    about_database = await of_database(settings.database_url)
    yield about_database
    async for finding in of_models(settings.model):
        yield finding
    if about_database.health is Health.WELL:
        database = Database.at(settings.database_url)
        try:
            if settings.model is not None:
                yield await of_standing(database, settings.model)
            yield await of_job_loop(database, dt.datetime.now(dt.UTC))
        finally:
            await database.close()
    async with aiohttp.ClientSession(timeout=_TIMEOUT) as session:
        app = GitHubApp(
            session,
            settings.app.app_id,
            settings.app.private_key.get_secret_value(),
            base_url=settings.app.api_url,
        )
        try:
            registered = await app.api.read(Registered, "/app")
        except BylawError as error:
            yield failed("App", error, "Check APP_ID, PRIVATE_KEY and GITHUB_API_URL or GHE_HOST.")
            return
        for finding in of_app(registered, manifest()):
            yield finding
        async for finding in _webhook(app.api, session, settings, sleep):
            yield finding
        async for finding in _installations(app, registered):
            yield finding


async def _webhook(
    app: GitHub, session: aiohttp.ClientSession, settings: ServerSettings, sleep: Sleep
) -> AsyncIterator[Finding]:
    try:
        hook = await app.read(Hook, "/app/hook/config")
        latest = await _latest(app)
    except BylawError as error:
        yield failed("webhook", error, "Try again; GitHub may be busy.")
        return
    for finding in of_hook(hook, settings.webhook_path):
        yield finding
    if hook.url:
        secret = settings.webhook_secret.get_secret_value()
        yield await _ping(session, hook.url, secret)
        if (server := await of_server(session, hook.url)) is not None:
            yield server
    ping = next((delivery for delivery in latest if delivery.event == "ping"), None)
    if ping is not None:
        yield await _redelivered(app, ping, sleep)
    yield of_deliveries(latest)


async def _latest(app: GitHub) -> list[Delivery]:
    rows = app.each(Delivery, "/app/hook/deliveries{?per_page}", {"per_page": _LATEST})
    found: list[Delivery] = []
    async for row in rows:
        found.append(row)
        if len(found) == _LATEST:
            break
    return found


async def _ping(session: aiohttp.ClientSession, url: str, secret: str) -> Finding:
    """Send a ping of our own, signed as GitHub signs, to where GitHub sends its own."""
    body = json.dumps({"zen": "Bylaw asks whether anyone listens."}).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "bylaw-doctor",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex(),
    }
    about = "webhook: ping from here"
    try:
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
            status = answer.status
    except (aiohttp.ClientError, OSError, ValueError) as error:
        says = f"Nobody answered at the App's webhook URL ({type(error).__name__})."
        return ill(about, says, "Start `bylaw serve`, and let its address be reached from outside.")
    if status == 200:
        return well(about, "The server answers at the App's webhook URL, and takes our signature.")
    if status == 401:
        return ill(
            about,
            "The server refused our signature.",
            "Give it the WEBHOOK_SECRET that this command has.",
        )
    return ill(
        about,
        f"The App's webhook URL answered {status}.",
        "Let that URL lead to `bylaw serve`, without a redirect or a login page before it.",
    )


async def _redelivered(app: GitHub, ping: Delivery, sleep: Sleep) -> Finding:
    """Have GitHub send its last ping again, and wait for what comes of it."""
    about = "webhook: ping from GitHub"
    try:
        known = {delivery.id for delivery in await _latest(app)}
        attempts = "/app/hook/deliveries/{id}/attempts"
        await app.write("POST", _Anything, attempts, {"id": ping.id}, {})
        for _ in range(_WAITS):
            await sleep(2.0)
            for delivery in await _latest(app):
                if delivery.guid == ping.guid and delivery.id not in known:
                    return _of_ping(about, delivery)
    except BylawError as error:
        return failed(about, error, "Try again; GitHub may be busy.")
    return note(about, "GitHub has not sent it yet.", "Run this again in a minute.")


def _of_ping(about: str, delivery: Delivery) -> Finding:
    if delivery.arrived:
        return well(about, "It arrived.")
    return ill(
        about,
        f"It did not arrive ({delivery.status_code} {delivery.status}).",
        "Let GitHub reach the webhook URL: a public address, a valid certificate, no firewall.",
    )


async def _installations(app: GitHubApp, registered: Registered) -> AsyncIterator[Finding]:
    try:
        found = [one async for one in app.api.each(Installed, "/app/installations")]
    except BylawError as error:
        yield failed("installations", error, "Try again; GitHub may be busy.")
        return
    if not found:
        todo = f"Install it: {registered.html_url}"
        yield ill("installations", "The App is installed nowhere.", todo)
    for one in found:
        for finding in of_installation(one, registered):
            yield finding
        if one.suspended_at is None:
            async for finding in _repositories(app.installation(one.id), one, registered):
                yield finding


async def _repositories(github: GitHub, one: Installed, app: Registered) -> AsyncIterator[Finding]:
    about = f"installation on {one.name}"
    try:
        every = [
            repository
            async for repository in github.each(
                _Repository,
                "/installation/repositories{?per_page}",
                {"per_page": 100},
                key="repositories",
            )
            if not repository.archived
        ]
    except BylawError as error:
        yield failed(about, error, "Check the App's permissions.")
        return
    for repository in islice(every, MAX_REPOSITORIES):
        for finding in await _branch(github, repository, app):
            yield finding
    if len(every) > MAX_REPOSITORIES:
        yield note(
            about,
            f"{MAX_REPOSITORIES} of its {len(every)} repositories were looked at.",
            "The others are required to name the check in the same way.",
        )


async def _branch(github: GitHub, repository: _Repository, app: Registered) -> Iterable[Finding]:
    place = f"{repository.full_name}@{repository.default_branch}"
    values = {"repository": repository.full_name, "branch": repository.default_branch}
    try:
        rules = [
            rule
            async for rule in github.each(
                Rule, "/repos/{+repository}/rules/branches/{branch}", values
            )
        ]
        branch = await github.read(_Branch, "/repos/{+repository}/branches/{branch}", values)
    except NotFoundError:
        return [note(place, "The branch is empty.", "Nothing needs to be done yet.")]
    except BylawError as error:
        return [failed(place, error, "Check the App's permissions on this repository.")]
    classic = branch.protection.required_status_checks or _Checks()
    return list(of_branch(place, [*_by_ruleset(rules), *classic.checks], rules, app))


def _by_ruleset(rules: Iterable[Rule]) -> Iterable[RequiredCheck]:
    for rule in rules:
        if rule.type == "required_status_checks" and rule.parameters is not None:
            for check in rule.parameters.get("required_status_checks", ()):
                yield RequiredCheck(context=check["context"], app_id=check.get("integration_id"))
