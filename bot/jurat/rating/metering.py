"""A behaviour by which what happens while a system runs is measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct

_MEASURED = re.compile(
    r"^(?:prometheus_client|statsd|datadog|ddtrace|prom-client|opentelemetry\.metrics|newrelic"
    r"|evidently|whylogs|nannyml|aws_embedded_metrics|hot-shots|@opentelemetry/api|boto3)"
)
_MEASURE = re.compile(
    r"\.(?:inc|observe|set|labels|record|increment|gauge|histogram|timing|add|count|time|startTimer"
    r"|put_metric_data|log|run|Counter|Histogram|Gauge)$|put_metric_data$"
)


@register_behaviour("metered")
def find_metered(conduct: Conduct) -> Iterator[Sign]:
    """What happens while it runs is measured."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if one[1] and _MEASURED.search(name) and _MEASURE.search(name):
            yield Sign("metered", one, call.line, frozenset({one}))
