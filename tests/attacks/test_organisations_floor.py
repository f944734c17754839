"""A repository's admin against what the organisation requires of every repository."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.app.wiring import App
from tests.app.test_overrides import day
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.standins.github.checks import CheckRun
from tests.support.rules import BROKEN, NO_MD5
from tests.support.talk import finding_of, replies, said
from tests.support.town import Town

OWNERS = """\
version: 1
packs: []
rules: [law]
required: {rules: [py.no-md5]%s}
"""
BLOCKED = "the failure that the organisation's rule gives, and a line that says what was not heeded"


async def review(
    town: Town, app: App, own: dict[str, str], *, more: str = "", path: str = "digest.py"
) -> CheckRun:
    """The check of a change that breaks the required rule, in a repository that says `own`."""
    await opened(town, app, own, more=more, path=path)
    (pull,) = town.repository.pulls.values()
    return town.check(pull)


async def opened(
    town: Town, app: App, own: dict[str, str], *, more: str = "", path: str = "digest.py"
) -> PullRequest:
    owners = {".github/jurat.yml": OWNERS % more, "law/house.yml": NO_MD5}
    town.github.create_repository("acme/.github", owners)
    actions.push(town.repository, "main", own)
    pull = town.open({path: BROKEN})
    await town.settle(app)
    return pull


def configured(text: str) -> dict[str, str]:
    return {".github/jurat.yml": f"version: 1\n{text}"}


def assert_blocked(check: CheckRun, tried: str = "") -> None:
    assert check.conclusion == "failure"
    assert "acme/.github requires 1 rule" in (check.summary or "").replace("\\", "")
    if tried:
        assert "Not heeded here" in (check.summary or "")
        assert tried in (check.summary or "").replace("\\", "")


@attack(
    "a repository's admin",
    tries="leave a required rule out: no packs, no rules",
    gets=BLOCKED,
)
async def test_the_rule_is_left_out(town: Town, app: App) -> None:
    check = await review(town, app, configured("packs: []\nrules: []\n"))
    assert_blocked(check, "leave out py.no-md5")


@attack("a repository's admin", tries="switch a required rule off by `levels`", gets=BLOCKED)
async def test_the_rule_is_switched_off(town: Town, app: App) -> None:
    own = configured("rules: [policy]\nlevels: {py.no-md5: off}\n") | {"policy/house.yml": NO_MD5}
    assert_blocked(await review(town, app, own), "a lower level of py.no-md5")


@attack(
    "a repository's admin",
    tries="let a required rule only observe in the folder that the change is in",
    gets=BLOCKED,
)
async def test_the_rule_observes_by_path(town: Town, app: App) -> None:
    levels = "levels: [{rules: ['*'], paths: ['src/**'], level: observe}]\n"
    own = configured(f"rules: [policy]\n{levels}") | {"policy/house.yml": NO_MD5}
    assert_blocked(await review(town, app, own, path="src/digest.py"), "a lower level")


@attack("a repository's admin", tries="move the line with `block_on: never`", gets=BLOCKED)
async def test_the_line_is_moved(town: Town, app: App) -> None:
    own = configured("rules: [policy]\nblock_on: never\n") | {"policy/house.yml": NO_MD5}
    assert_blocked(await review(town, app, own), "a lower level of py.no-md5")


@attack(
    "a repository's admin",
    tries="ignore the files that a required rule looks at",
    gets=BLOCKED,
)
async def test_the_files_are_ignored(town: Town, app: App) -> None:
    check = await review(town, app, configured("packs: []\nignore: ['**/*.py']\n"))
    assert_blocked(check, "ignore leaves out")


@attack(
    "a repository's admin",
    tries="write a rule of the same id that finds nothing",
    gets=BLOCKED,
)
async def test_the_rule_is_defined_anew(town: Town, app: App) -> None:
    tame = NO_MD5.replace("hashlib.md5", "hashlib.md4").replace("severity: HIGH", "severity: LOW")
    own = configured("packs: []\nrules: [policy]\n") | {"policy/house.yml": tame}
    assert_blocked(await review(town, app, own), "another definition of py.no-md5")


@attack(
    "a repository's admin",
    tries="override a required rule by another one that is content",
    gets="the failure that the organisation's rule gives",
)
async def test_the_rule_is_overridden(town: Town, app: App) -> None:
    content = """
  - id: house.content
    statement: Files are few.
    kind: computational
    modality: MUST
    severity: CRITICAL
    relations: {overrides: [py.no-md5], conflicts_with: [py.no-md5]}
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: never_called($$$A)}
"""
    own = configured("packs: []\nrules: [policy]\n") | {"policy/house.yml": NO_MD5 + content}
    assert_blocked(await review(town, app, own))


@attack(
    "a repository's admin",
    tries="have rules of that severity left out by `review.severity_min`",
    gets="the failure that the organisation's rule gives",
)
async def test_the_severity_is_too_low(town: Town, app: App) -> None:
    own = configured("packs: []\nreview: {severity_min: CRITICAL, max_comments: 0}\n")
    assert_blocked(await review(town, app, own))


@attack(
    "a repository's admin",
    tries="loosen a required setting",
    gets="the owner's value, and a line that says what was not heeded",
)
async def test_a_setting_is_loosened(town: Town, app: App) -> None:
    own = configured("packs: []\nblock_on: never\nreview: {unassessed: neutral}\n")
    check = await review(town, app, own, more=", settings: [block_on]")
    assert_blocked(check, "block_on is never, not HIGH")
    assert "review.unassessed is neutral" in (check.summary or "").replace("\\", "")


@attack(
    "a repository's admin",
    tries="dismiss what a required rule found, if the owner refuses waivers",
    gets="the failure: the dismissal does not count",
)
async def test_the_finding_is_dismissed(town: Town, app: App) -> None:
    pull = await opened(town, app, configured("packs: []\n"), more=", waivers: refused")
    town.github.set_permission(town.repository, "ada", "admin")
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It is fine.", by="ada")
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="suppress a required rule on the base, if the owner refuses waivers",
    gets="the failure: the suppression does not count",
)
async def test_the_line_is_suppressed(town: Town, app: App) -> None:
    note = "  # jurat: ignore py.no-md5 until 2099-01-01 -- It is fine."
    old = BROKEN.replace("hexdigest()", f"hexdigest(){note}")
    own = configured("packs: []\n") | {"digest.py": old}
    owners = OWNERS % ", waivers: refused"
    town.github.create_repository(
        "acme/.github", {".github/jurat.yml": owners, "law/house.yml": NO_MD5}
    )
    actions.push(town.repository, "main", own)
    pull = town.open({"digest.py": old.replace("(data)", "(data, 1)")})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="write a `required` of their own",
    gets="an error on its line: it counts in the owner's file alone",
)
async def test_a_repository_requires(town: Town, app: App) -> None:
    check = await review(town, app, configured("packs: []\nrequired: {settings: [ignore]}\n"))
    assert check.conclusion == "failure"
    assert [note["start_line"] for note in check.annotations] == [3]


@attack(
    "a repository's admin",
    tries="profit from a required rule that cannot be loaded",
    gets="a failure that names the owner's file",
)
async def test_the_law_is_broken(town: Town, app: App) -> None:
    check = await review(town, app, configured("packs: []\n"), more=", settings: [blockon]")
    assert check.conclusion == "failure"
    assert "acme/.github/.github/jurat.yml" in (check.summary or "")


@attack(
    "a fork's author",
    tries="lower the levels in the branch's own configuration",
    gets="the failure that the base's levels give",
)
async def test_a_branch_brings_its_levels(town: Town, app: App) -> None:
    actions.push(town.repository, "main", configured("packs: []\nrules: [policy]\n"))
    actions.push(town.repository, "main", {"policy/house.yml": NO_MD5})
    lower = "packs: []\nrules: [policy]\nblock_on: never\nlevels: {py.no-md5: off}\n"
    pull = town.open(configured(lower) | {"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="count on the organisation's file only building on the one that requires the rule",
    gets=BLOCKED,
)
async def test_the_requirement_stands_in_a_file_that_the_owners_builds_on(
    town: Town, app: App
) -> None:
    town.github.create_repository(
        "acme/standards", {"house.yml": OWNERS % "", "law/house.yml": NO_MD5}
    )
    town.github.create_repository(
        "acme/.github", {".github/jurat.yml": "_extends: standards:house.yml\n"}
    )
    actions.push(town.repository, "main", configured("packs: []\nrules: []\n"))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert_blocked(town.check(pull))


@attack(
    "a repository's admin",
    tries="map the code away from a required rule: `surfaces` calls it a document",
    gets=BLOCKED,
)
async def test_the_code_is_called_a_document(town: Town, app: App) -> None:
    own = configured("surfaces: {'**': document}\n")
    assert_blocked(await review(town, app, own), "surfaces takes ** as document")


@attack(
    "a maintainer",
    tries="override a required rule of whose findings the owner lets nobody set one aside",
    gets="a refusal that names who requires it; nothing is on record, and the check fails",
)
async def test_an_override_of_what_nobody_sets_aside(town: Town, app: App) -> None:
    town.github.set_permission(town.repository, "mary", "maintain")
    own = configured("rules: []\npacks: []\n")
    pull = await opened(town, app, own, more=", waivers: refused")
    await said(town, app, pull, f"/jurat override until {day(app, 3)} Urgent.", "mary")
    assert "`acme/.github` requires `py.no-md5`" in replies(pull)[-1]
    assert_blocked(town.check(pull))


@attack(
    "a repository's admin",
    tries="have the App taken off the private `.github`, so that what it requires is not there",
    gets="a pass of its own rules, and a line in each check that more may be required unseen",
)
async def test_the_owners_file_is_hidden(town: Town, app: App) -> None:
    owners = {".github/jurat.yml": OWNERS % "", "law/house.yml": NO_MD5}
    law = town.github.create_repository("acme/.github", owners, private=True)
    actions.choose_repositories(
        town.github.world, town.github.installed_on("acme"), [town.repository]
    )
    actions.push(town.repository, "main", configured("packs: []\nrules: [policy]\n"))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    hidden = "Whether there is a `acme/.github` that requires more cannot be seen from here"
    assert hidden in (town.check(pull).summary or "")
    # Once it may be seen, it is required.
    actions.choose_repositories(
        town.github.world, town.github.installed_on("acme"), [town.repository, law]
    )
    actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}# again\n"})
    await town.settle(app)
    assert_blocked(town.check(pull))
    assert hidden not in (town.check(pull).summary or "")


@attack(
    "a repository's admin",
    tries="have the App taken off the private `.github`, or the file deleted there, although"
    " `JURAT_FLOORS` names the organisation",
    gets="a failure of every check that says what cannot be seen, until it can be seen again",
)
@pytest.mark.parametrize("gone", ["hidden", "deleted"])
async def test_a_floor_that_whoever_runs_jurat_counts_on(town: Town, gone: str) -> None:
    town.settings = replace(town.settings, floors=frozenset({"acme"}))
    owners = {".github/jurat.yml": OWNERS % "", "law/house.yml": NO_MD5}
    law = town.github.create_repository("acme/.github", owners, private=True)
    actions.push(town.repository, "main", configured("packs: []\nrules: []\n"))
    async with town.running() as app:
        if gone == "hidden":
            actions.choose_repositories(
                town.github.world, town.github.installed_on("acme"), [town.repository]
            )
        else:
            actions.push(law, "main", {".github/jurat.yml": None})
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
        check = town.check(pull)
        assert check.conclusion == "failure"
        told = f"{check.title} {check.summary}".replace("\\", "")
        assert "acme/.github/.github/jurat.yml" in told
        assert "whoever runs Jurat lets nothing of acme pass without it" in told
        await said(town, app, pull, "/jurat config")
        assert "lets nothing of acme pass" in replies(pull)[-1].replace("\\", "")
        if gone == "hidden":
            actions.choose_repositories(
                town.github.world, town.github.installed_on("acme"), [town.repository, law]
            )
        else:
            actions.push(law, "main", {".github/jurat.yml": OWNERS % ""})
        actions.push(town.repository, "fix", {"digest.py": f"{BROKEN}# again\n"})
        await town.settle(app)
        assert_blocked(town.check(pull))


async def test_no_other_account_needs_a_floor(town: Town) -> None:
    town.settings = replace(town.settings, floors=frozenset({"acme-labs"}))
    async with town.running() as app:
        pull = town.open({"digest.py": "x = 1\n"})
        await town.settle(app)
        assert "JURAT_FLOORS" not in (town.check(pull).summary or "")
        assert town.check(pull).conclusion != "failure"


async def test_an_owner_of_all_repositories_hides_none(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert "cannot be seen" not in (town.check(pull).summary or "")


async def test_a_public_file_of_the_owners_is_seen_without_the_app(town: Town, app: App) -> None:
    owners = {".github/jurat.yml": OWNERS % "", "law/house.yml": NO_MD5}
    town.github.create_repository("acme/.github", owners, private=False)
    actions.choose_repositories(
        town.github.world, town.github.installed_on("acme"), [town.repository]
    )
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert_blocked(town.check(pull))
    assert "cannot be seen" not in (town.check(pull).summary or "")
