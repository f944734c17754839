"""GitHub takes no comment: why, and where the findings stand instead."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.github.reviews import UNPERMITTED
from tests.standins.github.faults import Fault, always
from tests.support.rules import BROKEN
from tests.support.town import Town

FORBIDDEN = Fault(403, "Resource not accessible by integration")


@pytest.mark.parametrize("locked", [False, True])
async def test_a_missing_permission_is_said_and_a_locked_conversation_is_none(
    town: Town, app: App, *, locked: bool
) -> None:
    town.github.faults.append(always(FORBIDDEN, "POST", "/reviews"))
    pull = town.open({"digest.py": BROKEN})
    # GitHub does not always say in its refusal that this is why.
    pull.locked = locked
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    notes = [str(note["message"]) for note in check.annotations]
    assert (UNPERMITTED in notes) is not locked


@pytest.mark.parametrize("status", [403, 500, 502])
async def test_an_owner_who_cannot_be_asked_requires_what_nobody_knows(
    town: Town, app: App, status: int
) -> None:
    town.github.create_repository("acme/.github", {"README.md": "Ours\n"})
    town.github.faults.append(always(Fault(status, "No."), "GET", "/repos/acme/.github/commits"))
    pull = town.open({"README.md": "Nothing that any rule finds.\n"})
    await town.github.flush()
    await app.worker.run_due()
    assert [run.conclusion for run in town.checks(pull)] != ["success"]


async def test_an_owners_file_is_read_once_a_review(town: Town, app: App) -> None:
    town.github.create_repository("acme/.github", {".github/jurat.yml": "version: 1\n"})
    town.open({"digest.py": BROKEN})
    await town.github.flush()
    town.github.exchanges.clear()
    await app.worker.run_due()
    asked = [one.path for one in town.github.exchanges if "/acme/.github/commits/HEAD" in one.path]
    assert len(asked) == 1
