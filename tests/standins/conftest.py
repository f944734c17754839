from __future__ import annotations

from tests.support.github import app_client, app_key, client, clock, github, session

__all__ = ["app_client", "app_key", "client", "clock", "github", "session"]
