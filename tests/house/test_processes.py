"""What the tests start runs in the environment that ships, not in that of development."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house.sources import parse_source

TESTS = Path(__file__).parents[1]
NEEDS_DEVELOPMENT = {
    "deploy/test_base_images.py",  # a script of the release, which needs nothing installed
    "deploy/test_bill_of_materials.py",  # the Makefile's target, with cyclonedx-py
    "deploy/test_workflows.py",  # zizmor
    "golden/make_helps.py",  # walks the help texts, and runs nothing
    "cli/test_language_server.py",  # pygls, an extra that the lock is without
    "install/conftest.py",  # builds the wheel
    "install/test_lock.py",  # asks pip
    "probes/test_probe_geometry.py",  # scikit-learn, an extra that the lock is without
    "support/production.py",  # makes the environment that ships
}


def test_no_process_is_started_on_what_development_alone_has() -> None:
    found = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if "benchmarks" not in path.parts
        if "sys.executable" in path.read_text()  # few are parsed then
        for node in ast.walk(parse_source(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable"
    }
    assert found == NEEDS_DEVELOPMENT
