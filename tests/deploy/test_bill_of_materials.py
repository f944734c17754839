"""`make sbom` lists what is shipped, and the build's own lock fits the others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]
Locked = dict[tuple[str, str], set[str]]
"""Hashes by name and version."""


def locked(name: str) -> Locked:
    """What a lock in deploy/ holds."""
    text = (ROOT / "deploy" / name).read_text().replace("\\\n", " ")
    packages: Locked = {}
    for line in text.splitlines():
        found = re.match(r"([\w.-]+)==(\S+)", line)
        assert found, line
        packages[found[1], found[2]] = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
    return packages


def test_it_is_valid_and_lists_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    written = tmp_path / "build" / "sbom.json"
    # The environment is the one that runs this test: nothing is to be installed meanwhile.
    variables = [f"BIN={Path(sys.executable).parent}", f"SBOM={written}"]
    command = ["make", "--old-file=.venv/.ready", *variables, "sbom"]
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    text = written.read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    listed: Locked = {}
    for component in bill["components"]:
        name, version = component["name"], component["version"]
        assert component["purl"] == f"pkg:pypi/{name}@{version}"
        (reference,) = component["externalReferences"]
        listed[name, version] = {item["content"] for item in reference["hashes"]}
    assert listed == locked("requirements.lock")
    assert all(listed.values())
    assert bill["metadata"]["component"]["name"] == "jurat"


def test_what_builds_the_wheel_is_locked_in_the_versions_that_development_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]
    build, development = locked("requirements-build.lock"), locked("requirements-dev.lock")
    assert "hatchling" in {name for name, _ in build}
    assert build.items() <= development.items()
