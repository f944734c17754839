"""A review as spans; and none unless asked for."""

from __future__ import annotations

import os
import subprocess

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from jurat.app.lifecycle import serve_http
from jurat.app.tracing import Tracing
from jurat.app.wiring import build_app
from tests.standins.github.faults import Fault, always
from tests.support.production import python
from tests.support.town import BROKEN, Town

HOSTILE = "the author's own words"


async def spans_of(town: Town) -> tuple[ReadableSpan, ...]:
    """The spans of one review."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    async with (
        build_app(town.settings, write_interval=0.0, tracing=Tracing(provider)) as app,
        serve_http(town.settings, app) as url,
    ):
        town.github.webhook_url = url + town.settings.webhook_path
        town.open({"digest.py": BROKEN}, title=HOSTILE)
        await town.settle(app)
        return kept.get_finished_spans()


async def test_a_job_is_a_span_and_its_stages_are_spans_within(town: Town) -> None:
    *stages, job = await spans_of(town)
    assert job.name == "job review"
    names = [span.name for span in stages]
    # The rating is read while the judge thinks: either may be done first.
    names[4:6] = sorted(names[4:6])
    assert names == [
        f"review {stage}"
        for stage in (
            "fetch",
            "assemble",
            "select",
            "dispatch",
            "judge",
            "rate",
            "prove",
            "save",
            "publish",
        )
    ]
    assert job.context is not None
    assert all(span.parent and span.parent.span_id == job.context.span_id for span in stages)
    delivery = next(item for item in town.github.deliveries if item.event.name == "pull_request")
    assert job.attributes == {"jurat.attempt": 1, "jurat.delivery": delivery.event.guid}


async def test_a_failure_is_its_kind_and_not_its_words(town: Town) -> None:
    town.github.faults.append(always(Fault(422, HOSTILE), "GET", "/pulls/"))
    job = (await spans_of(town))[-1]
    assert job.attributes is not None
    assert job.attributes["error.type"] == "RejectedError"
    assert not job.status.is_ok
    assert HOSTILE not in job.to_json()


def test_without_the_extra_it_says_what_to_install(town: Town) -> None:
    environment = {
        **os.environ,
        "APP_ID": "1",
        "PRIVATE_KEY": town.settings.app.private_key.get_secret_value(),
        "DATABASE_URL": town.settings.database_url,
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
    }
    ended = subprocess.run(
        [python(), "-m", "jurat", "worker"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("jurat: OTEL_EXPORTER_OTLP_ENDPOINT is set")
    assert "jurat[otel]" in ended.stderr
