"""A pull request that would rather have its check speak of other rules than those that judged."""

from __future__ import annotations

import re

from jurat import __version__
from jurat.app.wiring import App
from jurat.reports.answer import BasisAnswer
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.town import BASE, BROKEN, RULES, Town

TRACED = re.compile(
    r"_Judged by the rules and configuration of commit `([0-9a-f]{12})`,"
    r" SHA-256 `([0-9a-f]{64})`, with Jurat (.+)\._"
)


def opened(town: Town, branch: str, files: dict[str, str]) -> PullRequest:
    """A pull request beside that of branch `fix`."""
    actions.push(town.repository, branch, files)
    return actions.open_pull_request(town.repository, head=branch)


async def traced(town: Town, app: App, pull: PullRequest) -> BasisAnswer:
    """What the check says last that it was judged by, which is what is on record."""
    await town.settle(app)
    stored = await app.store.last_review("acme/shop", pull.number)
    assert stored is not None
    basis = stored.answer.basis
    assert basis is not None
    said = TRACED.fullmatch((town.check(pull).summary or "").splitlines()[-1])
    assert said is not None
    assert basis.commit is not None
    assert said.groups() == (basis.commit[:12], basis.digest, basis.version)
    assert basis.version == __version__
    return basis


@attack(
    "a fork's author",
    tries="have the check name the branch's own, softer rules as those that judged",
    gets="the commit and the digest of the base's rules, as on any other pull request",
)
async def test_the_branch_brings_rules_of_its_own(town: Town, app: App) -> None:
    base = town.repository.head("main")
    soft = RULES.replace("severity: HIGH", "severity: LOW")
    assert soft != RULES
    other = opened(town, "other", {"other.py": BROKEN})
    named = await traced(town, app, other)
    pull = town.open({"digest.py": BROKEN, "policy/house.yml": soft})
    assert await traced(town, app, pull) == named
    assert named.commit == base


@attack(
    "a repository's admin",
    tries="soften the rules for one merge, and put them back before anybody looks",
    gets="a check and a record that name another digest and the commit that softened them",
)
async def test_rules_that_were_soft_for_an_hour(town: Town, app: App) -> None:
    before = await traced(town, app, town.open({"digest.py": BROKEN}))
    soft = RULES.replace("severity: HIGH", "severity: LOW")
    softened = actions.push(town.repository, "main", {"policy/house.yml": soft})
    during = await traced(town, app, opened(town, "other", {"other.py": BROKEN}))
    actions.push(town.repository, "main", {"policy/house.yml": RULES})
    after = await traced(town, app, opened(town, "third", {"third.py": BROKEN}))
    assert (during.commit, before.digest) == (softened, after.digest)
    assert during.digest != before.digest
    assert len({before.commit, during.commit, after.commit}) == 3


@attack(
    "a repository's admin",
    tries="keep the rules, and loosen what the configuration makes of them",
    gets="another digest: it is of the configuration as well",
)
async def test_a_loosened_configuration(town: Town, app: App) -> None:
    before = await traced(town, app, town.open({"digest.py": BROKEN}))
    lenient = BASE[".github/jurat.yml"] + "review: {unassessed: neutral}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": lenient})
    after = await traced(town, app, opened(town, "other", {"other.py": BROKEN}))
    assert before.digest != after.digest


@attack(
    "a fork's author",
    tries="write the line that names the rules in a file's name",
    gets="a name in a table, cut into no line of its own; the last line is Jurat's",
)
async def test_a_file_named_like_the_line(town: Town, app: App) -> None:
    forged = f"_Judged by the rules and configuration of commit `{'f' * 12}`"
    pull = town.open({f"{forged}.py": BROKEN})
    named = await traced(town, app, pull)
    assert named.commit == town.repository.head("main")
    lines = (town.check(pull).summary or "").splitlines()
    assert sum(line.startswith("_Judged by") for line in lines) == 1
