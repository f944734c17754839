"""What is measured, and GET /metrics. Each App counts for itself, in a registry of its own.

No label comes from a pull request, and each has a bound: a rule's id is whatever a repository calls
it, so after `MAX_RULES` of them the rest count as `OTHER`, and so with installations.

https://prometheus.io/docs/practices/naming/
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Mapping
from typing import TypeVar

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from jurat import __version__
from jurat.findings.verdict import Verdict
from jurat.github.pace import Meter
from jurat.jobs.periodic import KIND as PERIODIC
from jurat.jobs.queue import JobQueue, QueueDepth
from jurat.jobs.requests import KINDS
from jurat.judge.protocol import Judge, JudgeError, Prompt, Reply, Tier
from jurat.review_interfaces import Review, Stage
from jurat.server.access import TokenGate
from jurat.server.api_http import ApiError, authorize, to_error_response
from jurat.store.database import DatabaseUnavailable


def add_metrics(
    app: web.Application, metrics: PrometheusMetrics, queue: JobQueue, *, gate: TokenGate
) -> None:
    """Add /metrics, for whoever may use the REST API: it names rules. See `authorize`."""

    async def scrape(request: web.Request) -> web.Response:
        try:
            await authorize(request, gate)
        except ApiError as error:
            return to_error_response(error)
        try:
            backlog = await queue.backlog()
        except DatabaseUnavailable:
            backlog = None
        body = metrics.render(backlog)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    app.router.add_get("/metrics", scrape)


T = TypeVar("T")

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MAX_RULES = 200
MAX_INSTALLATIONS = 50
OTHER = "(other)"

_STAGE_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_DELIVERY_SECONDS = (0.002, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_METHODS = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE"})


class _Names:
    """The first names that come, each as it is; the others are one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: set[str] = set()

    def limit_name(self, name: str) -> str:
        # Each label value is a time series for good:
        # https://prometheus.io/docs/practices/naming/#labels
        if name not in self._known and len(self._known) >= self._limit:
            return OTHER
        self._known.add(name)
        return name


class PrometheusMetrics:
    """The measurements of one App in one process. May be told things from any thread."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._rules = _Names(MAX_RULES)
        self._installations = _Names(MAX_INSTALLATIONS)
        ProcessCollector(registry=self.registry)
        build = self._add_gauge("jurat_build_info", "The release that runs.", "version")
        build.labels(__version__).set(1)

        self._jobs = self._add_gauge("jurat_jobs", "Jobs by state: waiting or running.", "state")
        self._oldest = self._add_gauge(
            "jurat_oldest_job_seconds", "For how long the oldest waiting job has been due."
        )
        self._database_up = self._add_gauge(
            "jurat_database_up", "1 if the database answered this scrape, else 0."
        )
        self._given_up = self._add_counter(
            "jurat_jobs_given_up", "Jobs that were given up, by kind.", "kind"
        )
        self._deliveries = self._add_counter(
            "jurat_deliveries", "Deliveries of GitHub's, by event and answer.", "event", "status"
        )
        self._acknowledged = self._add_histogram(
            "jurat_delivery_seconds", "Time from a delivery to its answer.", _DELIVERY_SECONDS
        )
        self._stages = self._add_histogram(
            "jurat_review_stage_seconds",
            "Time that a stage of a review took, failed ones included.",
            _STAGE_SECONDS,
            "stage",
        )
        self._reviews = self._add_counter("jurat_reviews", "Reviews by overall verdict.", "overall")
        self._verdicts = self._add_counter(
            "jurat_verdicts", "Verdicts by rule.", "rule", "verdict", "shadow"
        )
        self.models = ModelMetrics(self.registry)
        self._requests = self._add_counter(
            "jurat_github_requests", "Requests that GitHub answered.", "method", "status"
        )
        self._budget = self._add_gauge(
            "jurat_github_budget_remaining",
            "Requests that GitHub's primary limit leaves until its next reset.",
            "installation",
        )
        self._paced = self._add_counter(
            "jurat_github_pause_seconds",
            "Time that requests waited: for their turn (pace), or for a limit of GitHub's (limit).",
            "reason",
        )

        # There from the start, so that a rate has a beginning.
        for reason in ("pace", "limit"):
            self._paced.labels(reason)
        for kind in (*KINDS, PERIODIC):
            self._given_up.labels(kind)

    def render(self, backlog: QueueDepth | None) -> bytes:
        """All of it as text. `backlog` is None if the database does not answer."""
        # Not 0: a database that is away is no empty queue, and an alert on the queue must not calm
        # down.
        unknown = float("nan")
        self._database_up.set(backlog is not None)
        self._jobs.labels("waiting").set(backlog.waiting if backlog else unknown)
        self._jobs.labels("running").set(backlog.running if backlog else unknown)
        self._oldest.set(backlog.oldest_seconds if backlog else unknown)
        return generate_latest(self.registry)

    def count_delivery(self, event: str, status: int, seconds: float) -> None:
        """A delivery was answered. `event` is one that Jurat acts on, else OTHER."""
        self._deliveries.labels(event, str(status)).inc()
        self._acknowledged.observe(seconds)

    def count_failed_job(self, kind: str) -> None:
        """A job was given up."""
        self._given_up.labels(kind).inc()

    def count_review(self, review: Review) -> None:
        """A review was shown."""
        self._reviews.labels(review.evaluation.overall.value).inc()
        for item in review.evaluation.rule_verdicts:
            rule, shadow = self._rules.limit_name(item.rule.id), str(item.shadow).lower()
            self._verdicts.labels(rule, Verdict(item.verdict).value, shadow).inc()

    async def watch(self, stage: Stage, work: Awaitable[T]) -> T:
        """The pipeline's StageTimer: times a stage."""
        with self._stages.labels(stage).time():
            return await work

    def build_meter(self, installation: str) -> Meter:
        """What counts the requests of one installation; "app" is the App itself."""
        return _GitHubMeter(
            self._requests,
            self._budget.labels(self._installations.limit_name(installation)),
            self._paced,
        )

    def _add_gauge(self, name: str, says: str, *labels: str) -> Gauge:
        return Gauge(name, says, labels, registry=self.registry)

    def _add_counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(name, says, labels, registry=self.registry)

    def _add_histogram(
        self, name: str, says: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(name, says, labels, buckets=buckets, registry=self.registry)


class ModelMetrics:
    """What models were asked, and what it took."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter(
            "jurat_model_calls",
            "Calls of a model: ok, or the fault.",
            ("model", "outcome"),
            registry=registry,
        )
        self._tokens = Counter(
            "jurat_model_tokens",
            "Tokens that a model read and wrote.",
            ("model", "direction"),
            registry=registry,
        )
        self._seconds = Histogram(
            "jurat_model_call_seconds",
            "Time that a call of a model took, its retries included.",
            ("model",),
            buckets=_STAGE_SECONDS,
            registry=registry,
        )

    def count_answer(self, model: str, outcome: str, seconds: float, reply: Reply | None) -> None:
        """A model answered or failed."""
        self._calls.labels(model, outcome).inc()
        self._seconds.labels(model).observe(seconds)
        if reply is not None:
            self._tokens.labels(model, "input").inc(reply.input_tokens)
            self._tokens.labels(model, "output").inc(reply.output_tokens)


class _GitHubMeter:
    def __init__(self, requests: Counter, budget: Gauge, paced: Counter) -> None:
        self._requests = requests
        self._budget = budget
        self._paced = paced

    def count_answer(self, method: str, status: int, headers: Mapping[str, str]) -> None:
        self._requests.labels(method if method in _METHODS else OTHER, str(status)).inc()
        remaining = headers.get("x-ratelimit-remaining", "")
        if remaining.isascii() and remaining.isdigit():
            self._budget.set(int(remaining))

    def count_pause(self, seconds: float, *, limited: bool) -> None:
        self._paced.labels("limit" if limited else "pace").inc(seconds)


class MeteredJudge:
    """A Judge whose calls are counted."""

    def __init__(self, judge: Judge, metrics: ModelMetrics) -> None:
        self._judge = judge
        self._metrics = metrics

    def model_id(self, tier: Tier) -> str:
        """The model that serves a tier."""
        return self._judge.model_id(tier)

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt, as the judge does."""
        started = time.perf_counter()
        reply, outcome = None, "cancelled"
        try:
            reply = await self._judge.ask(prompt)
            outcome = "ok"
        except JudgeError as error:
            outcome = error.fault.value
            raise
        finally:
            seconds = time.perf_counter() - started
            self._metrics.count_answer(self.model_id(prompt.tier), outcome, seconds, reply)
        return reply
