"""Somebody would have Jurat read what they may not, and print it."""

from __future__ import annotations

import json

import pytest

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, Repository, actions
from tests.standins.github.git import Files, Submodule, Symlink
from tests.support.town import BASE, BROKEN, Town

SECRET = "hunter2-of-the-vault"
SECRETS = f"database:\n  password: {SECRET}\n  on: [{SECRET}, [\n"
CONFIGURATION = ".github/jurat.yml"


@pytest.fixture
def vault(town: Town) -> Repository:
    """A private repository of the same account: the App is installed on it, its writers are few."""
    return town.github.create_repository("acme/vault", {"config/secrets.yml": SECRETS})


def from_fork(town: Town, files: Files) -> PullRequest:
    """A pull request by somebody who has nothing but a fork."""
    fork = actions.fork(town.repository, "mallory")
    actions.push(fork, "fix", files, by="mallory")
    return actions.open_pull_request(town.repository, head="mallory:fix", by="mallory")


def told(town: Town) -> str:
    """Everything that Jurat wrote on GitHub."""
    return json.dumps([exchange.sent for exchange in town.github.writes()])


def asked_of(town: Town, repository: Repository) -> list[str]:
    """What was asked of a repository."""
    begin = f"/repos/{repository.full_name}"
    return [one.path for one in town.github.exchanges if one.path.startswith(begin)]


@attack(
    "a fork's author",
    tries="print another repository's file by an `_extends` of the branch",
    gets="a check that names the line; the file is not read, nor the repository asked for",
)
@pytest.mark.parametrize(
    "target", ["vault:config/secrets.yml", "acme/vault:config/secrets.yml", "vault"]
)
async def test_a_branch_builds_on_a_private_file(
    town: Town, vault: Repository, app: App, target: str
) -> None:
    pull = from_fork(town, {CONFIGURATION: f"packs: []\n_extends: {target}\n"})
    await town.settle(app)
    assert asked_of(town, vault) == []
    (check,) = town.named("jurat / rules", pull)
    assert check.conclusion == "neutral"
    assert [(note["path"], note["start_line"]) for note in check.annotations] == [
        (CONFIGURATION, 2)
    ]
    assert SECRET not in told(town)


@attack(
    "a fork's author",
    tries="have a file of the branch build on another repository by way of the branch's own files",
    gets="the same: each link of the chain is held to the base's",
)
async def test_a_branch_builds_on_a_private_file_by_a_detour(
    town: Town, vault: Repository, app: App
) -> None:
    files = {
        CONFIGURATION: "_extends: shop:near.yml\n",
        "near.yml": "_extends: shop:far.yml\n",
        "far.yml": "_extends: vault:config/secrets.yml\n",
    }
    pull = from_fork(town, files)
    await town.settle(app)
    assert asked_of(town, vault) == []
    (check,) = town.named("jurat / rules", pull)
    assert (check.conclusion, check.annotations[0]["path"]) == ("neutral", "far.yml")


@attack(
    "a fork's author",
    tries="begin the branch at an old commit of the base that built on a private file by mistake",
    gets="the same: what the base's tip builds on counts, not what it once did",
)
async def test_an_old_base_commit_is_chosen(town: Town, vault: Repository, app: App) -> None:
    leaking = f"{BASE[CONFIGURATION]}_extends: vault:config/secrets.yml\n"
    old = actions.push(town.repository, "main", {CONFIGURATION: leaking})
    actions.push(town.repository, "main", {CONFIGURATION: BASE[CONFIGURATION]})
    # The pushes to the base are its writers' own: what they built on was read as they came.
    await town.settle(app)
    read_before = asked_of(town, vault)
    actions.push(town.repository, "fix", {"policy/more.yml": "rules: []\n"}, onto=old)
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    assert asked_of(town, vault) == read_before
    assert SECRET not in told(town)
    assert town.named("jurat / rules", pull)[0].conclusion != "success"


@attack(
    "a fork's author",
    tries="reach another repository by a symbolic link, a submodule's path, `../` or an address",
    gets="an error on its line: paths are of the own repository, and lead nowhere else",
)
@pytest.mark.parametrize(
    "files",
    [
        {CONFIGURATION: Symlink("../../vault/config/secrets.yml")},
        {
            CONFIGURATION: "_extends: shop:modules/vault/config/secrets.yml\n",
            "modules/vault": Submodule("1" * 40),
        },
        {CONFIGURATION: "_extends: shop:../vault/config/secrets.yml\n"},
        {CONFIGURATION: "_extends: https://github.com/acme/vault/raw/main/config/secrets.yml\n"},
        {CONFIGURATION: "_extends: acme/shop/../vault:config/secrets.yml\n"},
        {CONFIGURATION: "rules: [../vault/config]\n"},
        {
            CONFIGURATION: "rules: [linked.yml]\n",
            "linked.yml": Symlink("../vault/config/secrets.yml"),
        },
    ],
    ids=["link", "submodule", "parent", "address", "detour", "rules", "linked-rules"],
)
async def test_a_path_leads_out(town: Town, vault: Repository, app: App, files: Files) -> None:
    pull = from_fork(town, files)
    await town.settle(app)
    assert asked_of(town, vault) == []
    (check,) = town.named("jurat / rules", pull)
    assert check.conclusion == "failure"
    assert SECRET not in told(town)


@attack(
    "a fork's author",
    tries="keep Jurat reading, by a hundred files that build on each other",
    gets="an error after the fifth",
)
async def test_a_hundred_files_build_on_each_other(town: Town, app: App) -> None:
    chain = {f"chain/{n}.yml": f"_extends: shop:chain/{n + 1}.yml\n" for n in range(100)}
    pull = from_fork(town, {**chain, CONFIGURATION: "_extends: shop:chain/0.yml\n"})
    await town.settle(app)
    (check,) = town.named("jurat / rules", pull)
    assert "more than 5 files" in check.annotations[0]["message"]
    assert len([path for path in asked_of(town, town.repository) if "/chain/" in path]) <= 5


@attack(
    "a repository's admin",
    tries="print a file that they may not read, by an `_extends` of the base branch",
    gets="a failing check that names the file and the line, and quotes nothing of it",
)
@pytest.mark.parametrize(
    "text",
    [SECRETS, f"password: {SECRET}\n", f"rules: ['../{SECRET}']\n", f"_extends: {SECRET}\n"],
    ids=["broken", "unknown-key", "value", "target"],
)
async def test_a_base_prints_a_private_file(
    town: Town, vault: Repository, app: App, text: str
) -> None:
    actions.push(vault, "main", {"config/secrets.yml": text})
    building = f"{BASE[CONFIGURATION]}_extends: vault:config/secrets.yml\n"
    actions.push(town.repository, "main", {CONFIGURATION: building})
    pull = town.open({"digest.py": BROKEN, "policy/more.yml": "rules: []\n"})
    await town.settle(app)
    actions.comment(pull, "/jurat config", by="wendy")
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert check.annotations[0]["path"] == "acme/vault/config/secrets.yml"
    assert SECRET not in told(town)


@attack(
    "a repository's admin",
    tries="print a private rule file by way of the file that names it",
    gets="the same: a rule file's errors quote nothing outside its own repository",
)
async def test_a_base_prints_a_private_rule_file(town: Town, vault: Repository, app: App) -> None:
    rule = f"rules: [{{id: {SECRET}, statement: '{SECRET}', kind: {SECRET}}}]\n"
    actions.push(vault, "main", {"jurat.yml": "rules: [laws]\n", "laws/a.yml": rule})
    building = "version: 1\npacks: []\n_extends: vault:jurat.yml\n"
    actions.push(town.repository, "main", {CONFIGURATION: building})
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert town.check(pull).annotations[0]["path"] == "acme/vault/laws/a.yml"
    assert SECRET not in told(town)


@attack(
    "a repository's admin",
    tries="have a job's token do more than the job: read other repositories, or write code",
    gets="a token for the one repository and what the job does there, without writing its contents",
)
async def test_a_token_is_for_its_job(town: Town, vault: Repository, app: App) -> None:
    pull = town.open({"digest.py": BROKEN, "policy/more.yml": "rules: []\n"})
    await town.settle(app)
    actions.comment(pull, "/recheck", by="wendy")
    actions.enqueue(town.repository, [pull])
    await town.settle(app)
    issued = town.github.gate.issued
    assert issued
    for token in issued:
        assert token.sees(town.repository)
        assert not token.sees(vault)
        assert not token.may("contents:write")
        assert set(token.permissions) <= {"checks", "contents", "metadata", "pull_requests"}


@attack(
    "a repository's admin",
    tries="have the token that reads a shared file write there",
    gets="a token that reads that repository's files, and is for nothing else",
)
async def test_a_token_for_a_shared_file_only_reads_it(
    town: Town, vault: Repository, app: App
) -> None:
    actions.push(vault, "main", {"jurat.yml": "packs: []\nrules: []\n"})
    # The vault's own push is a job of the vault's, with a token of its own.
    await town.settle(app)
    own = town.github.gate.issued
    building = f"{BASE[CONFIGURATION]}_extends: vault:jurat.yml\n"
    actions.push(town.repository, "main", {CONFIGURATION: building})
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    reading = [token for token in town.github.gate.issued if token not in own and token.sees(vault)]
    assert reading
    for token in reading:
        assert token.permissions == {"contents": "read", "metadata": "read"}
        assert not token.sees(town.repository)
