"""The stand-in GitHub, which the tests and the demo talk to instead of the real one.

It shares no code with the reviewer: what git says is the truth of both.
"""

from __future__ import annotations

from bot.demo.github.auth import new_private_key
from bot.demo.github.clock import ManualClock
from bot.demo.github.diffs import DiffLimits
from bot.demo.github.git import Executable, Files, Submodule, Symlink
from bot.demo.github.limits import SecondaryLimits
from bot.demo.github.pulls import PullRequest
from bot.demo.github.repositories import Repository
from bot.demo.github.standin import EVENTS, PERMISSIONS, StandIn
from bot.demo.github.world import Event

__all__ = [
    "EVENTS",
    "PERMISSIONS",
    "DiffLimits",
    "Event",
    "Executable",
    "Files",
    "ManualClock",
    "PullRequest",
    "Repository",
    "SecondaryLimits",
    "StandIn",
    "Submodule",
    "Symlink",
    "new_private_key",
]
