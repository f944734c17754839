"""Fixtures that every folder may use."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from aiohttp.web_app import _cached_build_middleware
from hypothesis import HealthCheck, settings

# No test depends on time passing: a slow machine is not a failure. The same examples every time,
# so that a change is tested against what its parent was.
settings.register_profile(
    "jurat", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("jurat")

# What a model answers in one test is no answer in another, nor in the user's own reviews.
os.environ["JURAT_NO_CACHE"] = "1"

# jsonschema loads this for addresses that no schema here has, and it compiles 38 grammars when it
# is loaded: four seconds of each worker. jsonschema goes on without it.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment] - Python's way to say "not there"

pytest_plugins = [
    "tests.support.browser",
    "tests.support.gemini",
    "tests.support.github",
    "tests.support.logs",
    "tests.support.postgres",
    "tests.support.probes",
    "tests.support.server",
    "tests.support.setup",
    "tests.support.sqlite",
    "tests.support.town",
    "tests.support.wire",
]


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores: a test that waits for a process leaves its core to another."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits for processes: at the end of a run nobody had anything else to do."""
    items.sort(key=lambda item: item.path.parent.name not in {"chaos", "install"})


def pytest_collection_finish() -> None:
    # What was imported stays, and a test's objects die with it: to look for both all the time took
    # a tenth of the run.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_runtest_teardown() -> None:
    # aiohttp remembers the handlers of a thousand applications, and with each a test's whole town.
    _cached_build_middleware.cache_clear()
