"""The whole App between its stand-ins, as in tests/app."""

from tests.app.conftest import app, town

__all__ = ["app", "town"]
