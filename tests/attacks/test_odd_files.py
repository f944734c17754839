"""Configuration and rules that are not what they seem: links, folders, encodings, two of a name."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.standins.github.git import Files, Submodule, Symlink
from tests.support.rules import NO_MD5
from tests.support.town import BROKEN, Town

CONFIGURATION = ".github/jurat.yml"
EMPTY = "version: 1\npacks: []\nrules: []\n"


@attack(
    "a repository's admin",
    tries="write the configuration so that it is read as nothing: in UTF-16, with a NUL, as two"
    " documents, with a key twice, by an alias bomb",
    gets="a failing check that says what is wrong with the file",
)
@pytest.mark.parametrize(
    "content",
    [
        EMPTY.encode("utf-16"),
        EMPTY.encode("utf-7").replace(b"version", b"+AHYAZQByAHM-ion"),
        b"version: 1\0\n",
        f"{EMPTY}---\nversion: 1\n".encode(),
        f"{EMPTY}rules: [policy]\n".encode(),
        b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nversion: 1\n",
        b"<<: {rules: []}\nversion: 1\n",
    ],
    ids=["utf-16", "utf-7", "nul", "documents", "twice", "aliases", "merge"],
)
async def test_a_file_that_reads_as_nothing(town: Town, app: App, content: bytes) -> None:
    actions.push(town.repository, "main", {CONFIGURATION: content})
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert town.check(pull).annotations[0]["path"] == CONFIGURATION


@attack(
    "a repository's admin",
    tries="have the rules' folder, a rule file or the configuration be a link, a submodule or a"
    " folder, so that nothing is found where they are looked for",
    gets="no pass: what is named and is not there fails the check",
)
@pytest.mark.parametrize(
    "files",
    [
        {"policy": Symlink("laws"), "policy/house.yml": None, "laws/house.yml": NO_MD5},
        {"policy": Submodule("1" * 40), "policy/house.yml": None},
        {"policy/house.yml": Symlink("../laws.yml"), "laws.yml": NO_MD5},
        {"policy/house.yml": None, "policy/house.YAML.txt": NO_MD5},
        {CONFIGURATION: Symlink("soft.yml"), ".github/soft.yml": EMPTY},
    ],
    ids=["folder", "submodule", "file", "name", "configuration"],
)
async def test_nothing_is_found(town: Town, app: App, files: Files) -> None:
    actions.push(town.repository, "main", files)
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion not in ("success", "neutral")


@attack(
    "a fork's author",
    tries="put a configuration beside the true one, which another reader would take: in another"
    " case, with another ending, at the root, in a folder",
    gets="the failure: there is one path, and it is the base's",
)
async def test_another_file_of_that_name(town: Town, app: App) -> None:
    names = (".github/Jurat.yml", ".GitHub/jurat.yml", ".github/jurat.yaml", "jurat.yml")
    more = ("src/.github/jurat.yml", ".github/.github/jurat.yml", ".jurat.yml")
    beside = dict.fromkeys((*names, *more), EMPTY)
    pull = town.open({"digest.py": BROKEN, "src/digest.py": BROKEN, **beside})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
