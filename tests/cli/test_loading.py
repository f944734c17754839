"""What a command loads is what it uses: a library that it never asks is paid for at each start.

Those of a library are named with it: typer's are in `START`, pydantic's in `RULES`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import DIFF, written
from tests.support.production import python

START = frozenset({"typer", "annotated_doc", "shellingham"})
HELP = START | {"rich", "attr", "markdown_it", "mdurl", "pygments"}
RULES = START | {
    *("pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"),
    *("re2", "wcmatch", "bracex", "yaml", "ast_grep_py", "unidiff"),
}
CHANGE = ("--diff", "a.diff", "--rules", "rules.yml")
LOADED = {
    ("--version",): (START, {"pydantic", "asyncio", "jurat.settings", "jurat.rules"}),
    ("--help",): (HELP, {"pydantic", "asyncio", "jurat.settings", "jurat.rules"}),
    ("review", "--help"): (RULES | HELP, {"multiprocessing", "sqlite3"}),
    ("review", *CHANGE): (RULES | {"rich"}, {"multiprocessing", "sqlite3"}),
    ("review", *CHANGE, "--format", "json"): (RULES, {"multiprocessing", "sqlite3"}),
    ("rate", "."): (
        RULES | {"pathspec"},
        {"sqlite3", "jurat.review", "jurat.engine.check", "jurat.judge.judge"},
    ),
}
"""For each command the libraries that it may load, and modules that stand for what it must not."""

_PROGRAM = "import sys; from jurat.cli.main import run; run(); print(*sys.modules, file=sys.stderr)"


def list_loaded(folder: Path, arguments: tuple[str, ...]) -> set[str]:
    """The modules that a command loads in a process of its own."""
    ran = subprocess.run(
        [python(), "-c", _PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    )
    assert ran.stdout
    return set(ran.stderr.splitlines()[-1].split())


@pytest.fixture
def folder(tmp_path: Path, rules: Path) -> Path:
    """A folder with a change, rules and a file of code."""
    written(tmp_path / "a.diff", DIFF)
    written(tmp_path / "digest.py", "import hashlib\n")
    return rules.parent


@pytest.mark.parametrize("arguments", LOADED, ids=" ".join)
def test_a_command_loads_what_it_uses(arguments: tuple[str, ...], folder: Path) -> None:
    loaded = list_loaded(folder, arguments)
    libraries, avoided = LOADED[arguments]
    known = {*sys.stdlib_module_names, "jurat", "cython_runtime", *libraries}
    others = {name.partition(".")[0] for name in loaded} - known
    assert not {name for name in others if not name.startswith("_")}
    assert not loaded & avoided
