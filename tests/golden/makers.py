"""Every module that makes golden files."""

from __future__ import annotations

import importlib

MODULES = (
    "api",
    "audits",
    "demo",
    "helps",
    "pages",
    "probes",
    "pulls",
    "ratings",
    "reviews",
    "rules",
)


def load() -> None:
    """Let every module register what it makes."""
    for name in MODULES:
        importlib.import_module(f"tests.golden.make_{name}")
