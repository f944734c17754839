"""A worker as a process of its own, between the stand-ins of a test."""

from __future__ import annotations

import asyncio
import os

from tests.support.github import APP_ID, SECRET
from tests.support.production import python
from tests.support.town import Town


async def started(town: Town, *command: str) -> asyncio.subprocess.Process:
    """A Python process that runs `command` with the town's settings."""
    settings = town.settings
    assert settings.model is not None
    environment = {
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": settings.app.private_key.get_secret_value(),
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API_URL": settings.app.api_url,
        "GEMINI_API_KEY": settings.model.api_key.get_secret_value(),
        "GOOGLE_GEMINI_BASE_URL": str(settings.model.base_url),
        "DATABASE_URL": settings.database_url,
        "LOG_LEVEL": "fatal",
        "PORT": "0",
        "PYTHONWARNINGS": "ignore",  # who is killed cleans nothing up
    }
    return await asyncio.create_subprocess_exec(
        *(python(), "-m", *command),
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


HANGING = 600
"""Seconds until a process counts as one that never ends. To start takes three of a core, and a
busy machine has given one a twentieth of that: a minute was too short."""


async def ended(process: asyncio.subprocess.Process) -> int:
    """Wait for a process that must end by itself; its exit code."""
    try:
        return await asyncio.wait_for(process.wait(), HANGING)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
