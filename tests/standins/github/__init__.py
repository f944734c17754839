"""The stand-in GitHub, which the tests talk to instead of the real one.

It shares no code with the reviewer: what git says is the truth of both.
"""

from __future__ import annotations

from tests.standins.github.auth import new_private_key
from tests.standins.github.clock import ManualClock
from tests.standins.github.diffs import DiffLimits
from tests.standins.github.git import Executable, Files, Submodule, Symlink
from tests.standins.github.limits import SecondaryLimits
from tests.standins.github.pulls import PullRequest
from tests.standins.github.repositories import Repository
from tests.standins.github.standin import EVENTS, PERMISSIONS, StandIn
from tests.standins.github.world import Event

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
