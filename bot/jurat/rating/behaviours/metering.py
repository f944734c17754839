"""A behaviour by which what happens while a system runs is measured."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.tag_search import has_name
from jurat.rating.program.conduct import Conduct

_MEASURED = re.compile(
    r"^(?:prometheus_client|statsd|datadog|ddtrace|prom-client|opentelemetry\.metrics|newrelic"
    r"|evidently|whylogs|nannyml|aws_embedded_metrics|hot-shots|@opentelemetry/api|boto3)"
)
_MEASURE = re.compile(
    r"\.(?:inc|observe|set|labels|record|increment|gauge|histogram|timing|add|count|time|startTimer"
    r"|put_metric_data|log|run|Counter|Histogram|Gauge)$|put_metric_data$"
)


_MACHINE = re.compile(
    r"^(?:os\.(?:getloadavg|loadavg|freemem|cpus)|psutil|resource|gc|process\.memoryUsage)\b"
)
"""What tells of the machine, and of nothing that is done on it."""


@register_behaviour("metered")
def find_metered(conduct: Conduct) -> Iterator[Sign]:
    """What happens while it runs is measured."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if one[1] and _is_measured(name) and not has_name(call.given, _MACHINE):
            yield Sign("metered", one, call.line, frozenset({one}))


def is_of_machine(conduct: Conduct, path: str) -> bool:
    """Whether all that a file measures is the machine that it runs on."""
    functions = (one for one in conduct.product if one[0] == path and one[1])
    calls = [call for one, call, name in conduct.iter_calls(functions) if _is_measured(name)]
    return bool(calls) and all(has_name(call.given, _MACHINE) for call in calls)


def _is_measured(name: str) -> bool:
    return _MEASURED.search(name) is not None and _MEASURE.search(name) is not None
