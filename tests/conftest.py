"""Fixtures that every folder may use."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test depends on time passing: a slow machine is not a failure. The same examples every time,
# so that a change is tested against what its parent was.
settings.register_profile(
    "bylaw", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("bylaw")

pytest_plugins = [
    "tests.support_browser",
    "tests.support_gemini",
    "tests.support_github",
    "tests.support_logs",
    "tests.support_postgres",
    "tests.support_probes",
    "tests.support_server",
]
