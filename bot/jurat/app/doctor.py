"""Examines an installation: asks GitHub, the model and the database, and judges what they say."""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import islice
from urllib.parse import urlsplit, urlunsplit

import aiohttp
from pydantic import BaseModel, ValidationError

from jurat.app.reconciler import CLOCK, EVERY
from jurat.app.registration import (
    BranchRule,
    Diagnostic,
    DiagnosticLevel,
    Hook,
    InstallationSummary,
    RegisteredApp,
    RequiredCheck,
    check_app,
    check_branch,
    check_deliveries,
    check_hook,
    check_installation,
    check_owners_file,
    read_manifest,
    report_failure,
    report_note,
    report_ok,
    report_problem,
)
from jurat.errors import JuratError
from jurat.github.auth import GitHubApp, TokenScope
from jurat.github.client import GitHub
from jurat.github.errors import NotFoundError
from jurat.github.models import HookDeliveryPayload, InstalledRepositoryPayload
from jurat.jobs.table_queue import open_queue
from jurat.judge.models_file import ModelSettings
from jurat.judge.opening import open_models
from jurat.judge.protocol import JudgeError
from jurat.probes.run import ProbedModel
from jurat.reports.limits import PAGE
from jurat.settings import ServerSettings
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.maintenance import get_head, read_revision
from jurat.store.runs import load_probe_status
from jurat.store.write_trial import WriteTrial

MAX_REPOSITORIES = 10
"""Repositories of one installation that are looked at."""

_LOOKING = TokenScope.from_permissions({"contents": "read"})
_LATEST = 30
_WAITS = 5
_TIMEOUT = aiohttp.ClientTimeout(total=10)

Sleep = Callable[[float], Awaitable[None]]


class _Checks(BaseModel):
    checks: tuple[RequiredCheck, ...] = ()


class _Protection(BaseModel):
    required_status_checks: _Checks | None = None


class _Branch(BaseModel):
    protection: _Protection = _Protection()


class _Anything(BaseModel):
    pass


async def run_diagnostics(
    settings: ServerSettings, *, sleep: Sleep = asyncio.sleep
) -> AsyncIterator[Diagnostic]:
    """Look at everything, and tell each finding as soon as it is known. Raises nothing expected."""
    about_database = await check_database(settings.database_url)
    yield about_database
    async for finding in check_models(settings.model):
        yield finding
    if about_database.health is DiagnosticLevel.WELL:
        database = Database.at(settings.database_url)
        try:
            if settings.model is not None:
                yield await check_probe_status(database, settings.model)
            yield await check_job_loop(database, dt.datetime.now(dt.UTC))
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
            registered = await app.api.read(RegisteredApp, "/app")
        except JuratError as error:
            yield report_failure(
                "App", error, "Check APP_ID, PRIVATE_KEY and GITHUB_API_URL or GHE_HOST."
            )
            return
        for finding in check_app(registered, read_manifest()):
            yield finding
        async for finding in _check_webhook(app.api, session, settings, sleep):
            is_there = "settings page" in finding.todo
            yield replace(finding, link=registered.settings_url) if is_there else finding
        async for finding in _check_installations(app, registered):
            yield finding


async def _check_webhook(
    app: GitHub, session: aiohttp.ClientSession, settings: ServerSettings, sleep: Sleep
) -> AsyncIterator[Diagnostic]:
    try:
        hook = await app.read(Hook, "/app/hook/config")
        latest = await _list_latest_deliveries(app)
    except JuratError as error:
        yield report_failure("webhook", error, "Try again; GitHub may be busy.")
        return
    for finding in check_hook(hook, settings.webhook_path):
        yield finding
    if hook.url:
        secret = settings.webhook_secret.get_secret_value()
        yield await _send_ping(session, hook.url, secret)
        if (server := await check_server(session, hook.url)) is not None:
            yield server
    ping = next((delivery for delivery in latest if delivery.event == "ping"), None)
    if ping is not None:
        yield await _redeliver_ping(app, ping, sleep)
    yield check_deliveries(latest)


async def _list_latest_deliveries(app: GitHub) -> list[HookDeliveryPayload]:
    rows = app.iter_items(
        HookDeliveryPayload, "/app/hook/deliveries{?per_page}", {"per_page": _LATEST}
    )
    found: list[HookDeliveryPayload] = []
    async for row in rows:
        found.append(row)
        if len(found) == _LATEST:
            break
    return found


async def _send_ping(session: aiohttp.ClientSession, url: str, secret: str) -> Diagnostic:
    """Send a ping of our own, signed as GitHub signs, to where GitHub sends its own."""
    body = json.dumps({"zen": "Jurat asks whether anyone listens."}).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "jurat-doctor",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex(),
    }
    about = "webhook: ping from here"
    try:
        # A redirect is no answer: our signature would go wherever it leads.
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
            status = answer.status
    except (aiohttp.ClientError, OSError, ValueError) as error:
        says = f"Nobody answered at the App's webhook URL ({type(error).__name__})."
        return report_problem(
            about, says, "Start `jurat serve`, and let its address be reached from outside."
        )
    if status == 200:
        return report_ok(
            about, "The server answers at the App's webhook URL, and takes our signature."
        )
    if status == 401:
        return report_problem(
            about,
            "The server refused our signature.",
            "Give it the WEBHOOK_SECRET that this command has.",
        )
    return report_problem(
        about,
        f"The App's webhook URL answered {status}.",
        "Let that URL lead to `jurat serve`, without a redirect or a login page before it.",
    )


async def _redeliver_ping(app: GitHub, ping: HookDeliveryPayload, sleep: Sleep) -> Diagnostic:
    """Have GitHub send its last ping again, and wait for what comes of it."""
    about = "webhook: ping from GitHub"
    try:
        # A redelivery has the GUID of the first attempt and an id of its own.
        known = {delivery.id for delivery in await _list_latest_deliveries(app)}
        attempts = "/app/hook/deliveries/{id}/attempts"
        await app.write("POST", _Anything, attempts, {"id": ping.id}, {})
        for _ in range(_WAITS):
            await sleep(2.0)
            for delivery in await _list_latest_deliveries(app):
                if delivery.guid == ping.guid and delivery.id not in known:
                    return _check_ping(about, delivery)
    except JuratError as error:
        return report_failure(about, error, "Try again; GitHub may be busy.")
    return report_note(about, "GitHub has not sent it yet.", "Run this again in a minute.")


def _check_ping(about: str, delivery: HookDeliveryPayload) -> Diagnostic:
    if delivery.arrived:
        return report_ok(about, "It arrived.")
    return report_problem(
        about,
        f"It did not arrive ({delivery.status_code} {delivery.status}).",
        "Let GitHub reach the webhook URL: a public address, a valid certificate, no firewall.",
    )


async def _check_installations(
    app: GitHubApp, registered: RegisteredApp
) -> AsyncIterator[Diagnostic]:
    try:
        found = [one async for one in app.api.iter_items(InstallationSummary, "/app/installations")]
    except JuratError as error:
        yield report_failure("installations", error, "Try again; GitHub may be busy.")
        return
    if not found:
        todo = f"Install it: {registered.install_url}"
        says = "The App is installed nowhere."
        yield report_problem("installations", says, todo, registered.install_url)
    for one in found:
        for finding in check_installation(one, registered):
            yield finding
        if one.suspended_at is None:
            async for finding in _check_repositories(
                app.get_installation(one.id, _LOOKING), one, registered
            ):
                yield finding


async def _check_repositories(
    github: GitHub, one: InstallationSummary, app: RegisteredApp
) -> AsyncIterator[Diagnostic]:
    about = f"installation on {one.name}"
    try:
        every = [
            repository
            async for repository in github.iter_items(
                InstalledRepositoryPayload,
                "/installation/repositories{?per_page}",
                {"per_page": PAGE.size},
                key="repositories",
            )
            if not repository.archived
        ]
    except JuratError as error:
        yield report_failure(about, error, "Check the App's permissions.")
        return
    if hidden := check_owners_file(one, [repository.full_name for repository in every]):
        yield hidden
    for repository in islice(every, MAX_REPOSITORIES):
        for finding in await _check_branch(github, repository, app):
            yield finding
    if len(every) > MAX_REPOSITORIES:
        yield report_note(
            about,
            f"{MAX_REPOSITORIES} of its {len(every)} repositories were looked at.",
            "The others are required to name the check in the same way.",
        )


async def _check_branch(
    github: GitHub, repository: InstalledRepositoryPayload, app: RegisteredApp
) -> Iterable[Diagnostic]:
    place = f"{repository.full_name}@{repository.default_branch}"
    values = {"repository": repository.full_name, "branch": repository.default_branch}
    try:
        rules = [
            rule
            async for rule in github.iter_items(
                BranchRule, "/repos/{+repository}/rules/branches/{branch}", values
            )
        ]
        branch = await github.read(_Branch, "/repos/{+repository}/branches/{branch}", values)
    except NotFoundError:
        return [report_note(place, "The branch is empty.", "Nothing needs to be done yet.")]
    except JuratError as error:
        return [report_failure(place, error, "Check the App's permissions on this repository.")]
    classic = branch.protection.required_status_checks or _Checks()
    return list(check_branch(place, [*_list_ruleset_checks(rules), *classic.checks], rules, app))


def _list_ruleset_checks(rules: Iterable[BranchRule]) -> Iterable[RequiredCheck]:
    for rule in rules:
        if rule.type == "required_status_checks" and rule.parameters is not None:
            for check in rule.parameters.get("required_status_checks", ()):
                yield RequiredCheck(context=check["context"], app_id=check.get("integration_id"))


# The parts of this installation itself: its database, its model, its job loop, its server.
#
# The doctor is a process of its own, and can look into no other. Of the job loop it sees what the
# database shows: a worker that lives adds a tick to the clock of the sweep every few minutes, and
# no job stays due for long while none is run. Of a loop that hangs in a process that still keeps
# the time, and of which no job shows it yet, only that process's /readyz can tell; it is asked if
# it answers where the webhook does.

OVERDUE = 60.0
"""Seconds after which a job that is due, while none is run, has been forgotten: a worker looks
every 2."""

_WRITING = 10.0
"""Seconds that the database may take to be written: nobody waits for the doctor but its user."""


class _Readiness(BaseModel):
    """What /readyz answers."""

    status: str
    problems: tuple[str, ...] = ()


async def check_database(url: str) -> Diagnostic:
    """Whether it answers, has the tables of this release, and can be written."""
    about = "database"
    try:
        found = await read_revision(url)
    except DatabaseUnavailable as error:
        says = f"It cannot be used: {error.reason}."
        return report_problem(about, says, "Check DATABASE_URL, and that the database runs.")
    except JuratError as error:
        return report_failure(about, error, "Check DATABASE_URL.")
    if found != get_head():
        says = f"It is at revision {found or 'none'}; this release works with {get_head()}."
        return report_problem(
            about, says, "Run `jurat db upgrade`, or start `jurat serve`, which does."
        )
    database = Database.at(url)
    try:
        problem = await WriteTrial(database, deadline=_WRITING).problem()
    finally:
        await database.close()
    if problem is not None:
        todo = "Look at its disk, how that is mounted, and who may write there."
        return report_problem(about, f"It cannot be written: {problem}.", todo)
    return report_ok(about, f"It can be written and is at revision {found}.")


async def check_models(settings: ModelSettings | None) -> AsyncIterator[Diagnostic]:
    """Whether the judge can be constructed, and the key may use its models."""
    if settings is None:
        yield report_note(
            "model",
            "None is configured: rules that no program can decide are not assessed.",
            "Set GEMINI_API_KEY or name another provider in JURAT_MODELS, or say `judge: none`"
            " where no model is to be asked.",
        )
        return
    for asked in (settings, settings.second):
        if asked is not None:
            async for said in _check_provider(replace(asked, second=None)):
                yield said


async def _check_provider(settings: ModelSettings) -> AsyncIterator[Diagnostic]:
    try:
        async with open_models(settings) as models:
            await models.construct()
            problems = await models.list_unreachable()
    except JudgeError as error:
        says = f"The judge cannot be constructed: {error.detail}."
        todo = "Install Jurat anew, with what deploy/requirements.lock names."
        if settings.judge not in ("gemini", "vertex"):
            todo = f"Run: pip install 'jurat[{settings.judge}]'"
        yield report_problem("model", says, todo)
        return
    for model, problem in problems.items():
        if problem:
            todo = "Check GEMINI_API_KEY, and GOOGLE_GEMINI_BASE_URL if it is set."
            if settings.judge != "gemini":
                key = f"{settings.judge.upper()}_API_KEY"
                if settings.judge == "vertex":
                    key = "GOOGLE_APPLICATION_CREDENTIALS"
                todo = f"Check {key}, and what JURAT_MODELS names."
            yield report_problem(f"model {model}", problem, todo)
        else:
            yield report_ok(f"model {model}", "The key may use it.")


async def check_probe_status(database: Database, settings: ModelSettings) -> Diagnostic:
    """How the judge did when it was probed."""
    tier = settings.file.options().batch.tier
    names = {"flash": settings.file.models.flash, "pro": settings.file.models.pro}
    try:
        found = await load_probe_status(database, names[tier])
    except DatabaseUnavailable as error:
        return report_failure("resilience", error, "Check that the database runs.")
    if found.state is ProbedModel.PROBED:
        return report_ok("resilience", found.text)
    return report_note("resilience", found.text, found.todo)


async def check_job_loop(database: Database, now: dt.datetime) -> Diagnostic:
    """Whether a worker lives, by what the database shows. `now` has its zone."""
    about, todo = (
        "job loop",
        "Start `jurat serve` or `jurat worker`, or restart the one that hangs.",
    )
    queue = open_queue(database, lambda: now)
    try:
        tick, backlog = await queue.latest_tick(CLOCK), await queue.backlog()
    except DatabaseUnavailable as error:
        return report_failure(about, error, "Check that the database runs.")
    if tick is None:
        return report_problem(about, "No worker has ever run on this database.", todo)
    kept = dt.datetime.fromtimestamp(tick * EVERY.total_seconds(), dt.UTC)
    if now - kept > 2 * EVERY:
        return report_problem(
            about, f"No worker lives: the last sweep was due {kept:%Y-%m-%d %H:%M} UTC.", todo
        )
    if not backlog.running and backlog.oldest_seconds > OVERDUE:
        says = f"A job has been due for {backlog.oldest_seconds:.0f} s, and none is run."
        return report_problem(about, says, todo)
    return report_ok(
        about, f"A worker lives: {backlog.waiting} jobs wait and {backlog.running} run."
    )


async def check_server(session: aiohttp.ClientSession, webhook: str) -> Diagnostic | None:
    """What the server behind the webhook's URL says of itself; None if it cannot be asked there."""
    address = urlunsplit((*urlsplit(webhook)[:2], "/readyz", "", ""))
    try:
        async with session.get(address, allow_redirects=False) as answer:
            said = _Readiness.model_validate_json(await answer.read())
    except (aiohttp.ClientError, OSError, ValueError, ValidationError):
        return None  # a proxy may well let nothing but deliveries through
    if said.status == "ready":
        return report_ok("server", "It is ready.")
    says = f"It is not ready: {'; '.join(said.problems)}."
    return report_problem("server", says, "Mend what it names: it is ready again by itself.")
