from __future__ import annotations

from tests.support_github import app_client, app_key, client, clock, github, session

__all__ = ["app_client", "app_key", "client", "clock", "github", "session"]
