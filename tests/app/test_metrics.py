"""What Prometheus reads after a review, over HTTP."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import urllib.request
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from jurat.app.wiring import App
from jurat.jobs.requests import KINDS
from jurat.server.prometheus import MAX_INSTALLATIONS, MAX_RULES, OTHER, PrometheusMetrics
from tests.support.production import python
from tests.support.town import API_TOKEN, BROKEN, Town

Sample = tuple[str, frozenset[tuple[str, str]]]


def sample(name: str, **labels: str) -> Sample:
    return name, frozenset(labels.items())


def read(text: str) -> Mapping[Sample, float]:
    return {
        sample(item.name, **item.labels): item.value
        for family in text_string_to_metric_families(text)
        for item in family.samples
    }


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


def origin(town: Town) -> str:
    return (town.github.webhook_url or "").removesuffix(town.settings.webhook_path)


async def scraped(town: Town, session: aiohttp.ClientSession) -> Mapping[Sample, float]:
    headers = {"Authorization": f"Bearer {API_TOKEN}"}
    async with session.get(origin(town) + "/metrics", headers=headers) as answer:
        assert answer.status == 200
        assert answer.content_type == "text/plain"
        return read(await answer.text())


async def test_a_review_can_be_read_off_the_metrics(
    town: Town, app: App, session: aiohttp.ClientSession
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    before = await scraped(town, session)
    await town.settle(app)
    await app.worker.run_due()
    assert town.check(pull).conclusion == "failure"

    after = await scraped(town, session)

    assert before[sample("jurat_jobs", state="waiting")] == 1
    assert after[sample("jurat_jobs", state="waiting")] == 0
    assert after[sample("jurat_oldest_job_seconds")] == 0
    assert after[sample("jurat_database_up")] == 1
    assert after[sample("jurat_deliveries_total", event="pull_request", status="202")] == 1
    assert after[sample("jurat_reviews_total", overall="DENY")] == 1
    denied = sample("jurat_verdicts_total", rule="py.no-md5", verdict="DENY", shadow="false")
    assert after[denied] == 1
    for stage in ("fetch", "assemble", "select", "dispatch", "judge", "prove", "save", "publish"):
        assert after[sample("jurat_review_stage_seconds_count", stage=stage)] == 1
    model = "gemini-3-flash-preview"
    calls = {key: value for key, value in after.items() if key[0] == "jurat_model_calls_total"}
    assert calls == {sample("jurat_model_calls_total", model=model, outcome="ok"): 1}
    assert after[sample("jurat_model_tokens_total", model=model, direction="input")] > 100
    installation = str(town.github.installed_on("acme").id)
    remaining = after[sample("jurat_github_budget_remaining", installation=installation)]
    assert 4_900 < remaining < 5_000
    assert after[sample("jurat_github_requests_total", method="POST", status="201")] >= 2


async def test_metrics_want_the_token_where_there_is_one(
    town: Town, session: aiohttp.ClientSession
) -> None:
    town.settings = replace(town.settings, api_token=SecretStr("a token for tests alone"))
    async with town.running():
        address = origin(town) + "/metrics"
        async with session.get(address) as refused:
            assert refused.status == 401
        headers = {"Authorization": "Bearer a token for tests alone"}
        async with session.get(address, headers=headers) as answered:
            assert answered.status == 200


async def test_a_database_that_is_away_is_a_figure_and_no_error(
    town: Town, app: App, session: aiohttp.ClientSession
) -> None:
    path = town.settings.database_url.removeprefix("sqlite:///")
    await app.database.close()
    with open(path, "r+b") as file:  # noqa: ASYNC230, PTH123 - a few bytes of a test's own
        file.write(b"no database any more" * 5)

    after = await scraped(town, session)

    assert after[sample("jurat_database_up")] == 0
    assert math.isnan(after[sample("jurat_jobs", state="waiting")])


def served_by_a_worker(environment: Mapping[str, str]) -> tuple[list[int], int]:
    """What a worker's port answers, by path; and the worker's exit code after SIGTERM."""
    command = [python(), "-m", "jurat", "worker", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = (json.loads(line) for line in process.stderr)
        url = next(line["url"] for line in lines if line["event"] == "working")
        statuses = []
        for path in ("/healthz", "/readyz", "/metrics"):
            headers = {"Authorization": f"Bearer {API_TOKEN}"}
            asked = urllib.request.Request(url + path, headers=headers)
            with urllib.request.urlopen(asked) as answer:
                statuses.append(answer.status)
        process.terminate()
        process.stderr.read()
    return statuses, process.returncode


async def test_a_worker_answers_on_a_port_of_its_own(town: Town, app_key: str) -> None:
    environment = {
        **os.environ,
        "APP_ID": "1",
        "PRIVATE_KEY": app_key,
        "GITHUB_API_URL": town.github.api_url,
        "DATABASE_URL": town.settings.database_url,
        "JURAT_API_TOKEN": API_TOKEN,
        "LOG_FORMAT": "json",
    }
    assert await asyncio.to_thread(served_by_a_worker, environment) == ([200, 200, 200], 0)


def test_the_first_job_that_is_given_up_raises_its_count() -> None:
    metrics = PrometheusMetrics()
    kinds = (*KINDS, "periodic")
    before = read(metrics.render(None).decode())
    assert {before[sample("jurat_jobs_given_up_total", kind=kind)] for kind in kinds} == {0}

    metrics.count_failed_job("review")

    after = read(metrics.render(None).decode())
    assert after[sample("jurat_jobs_given_up_total", kind="review")] == 1


def test_however_many_installations_there_are_the_series_are_bounded() -> None:
    metrics = PrometheusMetrics()
    for number in range(MAX_INSTALLATIONS + 20):
        metrics.build_meter(str(number)).count_answer("GET", 200, {"x-ratelimit-remaining": "17"})
    found = read(metrics.render(None).decode())
    names = {dict(key[1])["installation"] for key in found if key[0].startswith("jurat_github_bu")}
    assert len(names) == MAX_INSTALLATIONS + 1
    assert OTHER in names


def test_however_many_rules_there_are_the_series_are_bounded() -> None:
    from jurat.server.prometheus import _Names  # noqa: PLC0415 - the bound itself

    names = _Names(MAX_RULES)
    assert {names.limit_name(f"rule.{number}") for number in range(1_000)} == {
        OTHER,
        *(f"rule.{number}" for number in range(MAX_RULES)),
    }
    assert names.limit_name("rule.7") == "rule.7"
