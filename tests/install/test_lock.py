"""The locks are what pyproject.toml asks for: nothing is missing, too old, or there for nobody."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.production import LOCK, ROOT, packages, production, program

DEVELOPMENT_LOCK = LOCK.with_name("requirements-dev.lock")
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
DECLARED: list[str] = PROJECT["project"]["dependencies"]
POSTGRES: list[str] = PROJECT["project"]["optional-dependencies"]["postgres"]
GROUPS: Mapping[str, list[str | dict[str, str]]] = PROJECT["dependency-groups"]


def asked(group: str) -> list[str]:
    """What a dependency group names, with the groups that it includes."""
    found: list[str] = []
    for item in GROUPS[group]:
        found += [item] if isinstance(item, str) else asked(item["include-group"])
    return found


def pins(lock: Path) -> list[Requirement]:
    """What a lock names, for every platform."""
    lines = (line.removesuffix("\\") for line in lock.read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith((" ", "#"))]


def versions(lock: Path, *, here: bool) -> dict[str, set[str]]:
    """The versions that a lock allows of each package: on this platform, or on any."""
    found = defaultdict(set)
    for pin in pins(lock):
        (exact,) = pin.specifier
        assert exact.operator == "=="
        if not here or pin.marker is None or pin.marker.evaluate():
            found[canonicalize_name(pin.name)].add(exact.version)
    return dict(found)


def resolved(asked: Iterable[str], installed: Iterable[Distribution]) -> tuple[set[str], list[str]]:
    """All that is needed for what is asked, by the packages' own word; and what is not so."""
    there = {canonicalize_name(one.metadata["Name"]): one for one in installed}
    wanted = [("pyproject.toml", Requirement(text)) for text in asked]
    seen: set[tuple[str, str]] = set()
    wrong = []
    while wanted:
        by, requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        one = there.get(name)
        if one is None or not requirement.specifier.contains(one.version, prereleases=True):
            wrong.append(f"{by} needs {requirement}, locked is {one and one.version}")
            continue
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                wanted += [(name, more) for more in _needs(one, extra)]
    return {name for name, _ in seen}, wrong


def _needs(distribution: Distribution, extra: str) -> list[Requirement]:
    stated = map(Requirement, distribution.requires or ())
    return [one for one in stated if one.marker is None or one.marker.evaluate({"extra": extra})]


def test_the_lock_holds_what_is_asked_for_and_nothing_else() -> None:
    with production() as environment:
        installed = list(distributions(path=[str(packages(environment))]))
    there = {canonicalize_name(one.metadata["Name"]): {one.version} for one in installed}
    there.pop("jurat", None)  # the wheel, if a test has put it there
    assert there == versions(LOCK, here=True)

    needed, wrong = resolved(DECLARED + POSTGRES, installed)
    assert wrong == []
    assert there.keys() - needed == set()


def test_the_development_lock_holds_what_is_asked_for() -> None:
    locked = versions(DEVELOPMENT_LOCK, here=True)
    installed = [
        one
        for one in distributions()
        if one.version in locked.get(canonicalize_name(one.metadata["Name"]), ())
    ]
    needed, wrong = resolved(DECLARED + asked("dev"), installed)
    assert wrong == []
    assert locked.keys() - needed == set()


def test_what_both_locks_hold_is_of_one_version() -> None:
    ships, develops = versions(LOCK, here=False), versions(DEVELOPMENT_LOCK, here=False)
    assert {name: ships[name] for name in ships} == {name: develops.get(name) for name in ships}


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("unheard-of", "needs unheard-of, locked is None"),
        ("aiohttp>=99", "needs aiohttp>=99, locked is 3"),
    ],
)
def test_what_the_lock_lacks_is_named(asked: str, complaint: str) -> None:
    _, (wrong,) = resolved([asked], distributions())
    assert complaint in wrong


def test_pip_finds_nothing_amiss_in_what_is_installed(installed: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--python", program(installed, "python")]
    ran = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("No broken requirements found.\n", 0)
