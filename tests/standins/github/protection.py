"""What a repository demands of a branch before anything is merged into it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A check that has to pass. `app_id` is None if any App may report it."""

    context: str
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class Protection:
    """The demands on one branch: checks by a ruleset, by the older branch protection, a queue."""

    checks: tuple[RequiredCheck, ...] = ()
    classic_checks: tuple[RequiredCheck, ...] = ()
    merge_queue: bool = False
