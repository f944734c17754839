"""Spans by OpenTelemetry: one a job, and one for each stage of its review. Off unless asked for.

The SDK is an extra (`jurat[otel]`), imported only if OTEL_EXPORTER_OTLP_ENDPOINT is set; how it
samples and exports it reads from its own OTEL_ variables. A span holds kinds and ids, and nothing
of what was reviewed.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from jurat.errors import UsageError
from jurat.jobs.queue import Handler, Job
from jurat.review_interfaces import Stage, StageTimer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


T = TypeVar("T")


def open_exporter() -> TracerProvider:
    """A provider that exports as the OTEL_ variables say. Raises UsageError without the extra."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra, as above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - as above
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise UsageError(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, and {error.name} is not installed.",
            hint="Install jurat[otel], or unset the variable.",
        ) from None
    provider = TracerProvider(resource=Resource.create({"service.name": "jurat"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class Tracing:
    """Wraps the worker's handler and the pipeline's watch in spans of one provider."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("jurat")

    def watch(self, inner: StageTimer) -> StageTimer:
        """A StageTimer that makes a span of each stage, and lets `inner` watch it too."""

        async def watch(stage: Stage, work: Awaitable[T]) -> T:
            with self._open_span(f"review {stage}", {}):
                return await inner(stage, work)

        return watch

    def wrap_handler(self, inner: Handler) -> Handler:
        """A Handler that makes a span of each job."""

        async def handle(job: Job) -> None:
            about: dict[str, str | int] = {"jurat.attempt": job.attempts}
            if job.delivery is not None:
                about["jurat.delivery"] = job.delivery
            with self._open_span(f"job {job.kind}", about):
                await inner(job)

        return handle

    def close(self) -> None:
        """Export what is left."""
        # shutdown flushes: the batch processor sends from a thread every few seconds only.
        self._provider.shutdown()

    @contextmanager
    def _open_span(self, name: str, about: Mapping[str, str | int]) -> Iterator[None]:
        # An error's text may quote what was reviewed: the span says its kind alone.
        with self._tracer.start_as_current_span(
            name, attributes=about, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except BaseException as error:
                from opentelemetry.trace import StatusCode  # noqa: PLC0415 - an extra, as above

                span.set_attribute("error.type", type(error).__qualname__)
                span.set_status(StatusCode.ERROR)
                raise
