"""Every place that writes a file is known, and nobody but its user chooses the name.

A name that comes from a pull request, a rule, a model or a repository may lead elsewhere: who lets
one choose a file says so here, with the test that tries to get out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jurat
from tests.house.sources import parse_source

PACKAGE = Path(jurat.__file__).parent

USER, OURS, CHANGE = "an option or a setting of the user's", "a name of ours", "a change"
WRITTEN = {
    "cli/backtest.py": (2, OURS),  # in git's own folder, where git says
    "cli/baseline.py": (1, USER),
    "cli/checkout.py": (2, OURS),  # a copy of git's index, in a folder of its own
    "cli/demo.py": (2, USER),
    "cli/file_answers.py": (3, OURS),  # in the user's cache folder; the keys are rows
    "cli/init.py": (2, OURS),  # in a checkout, where no link leads on: cli/test_init.py
    "cli/kept_signs.py": (3, OURS),  # in the user's cache folder; the keys are digests
    "cli/main.py": (2, OURS),  # /dev/null
    "cli/new_rule.py": (1, USER),
    "cli/probe.py": (1, USER),
    "cli/review_output.py": (2, CHANGE),  # cli/test_file_names.py; the other is --output
    "cli/rule_pages.py": (3, CHANGE),  # a rule's id, which has no separator; --site: the folder
    "rules/compiled_files.py": (3, OURS),  # where Python keeps what it compiles
    "server/access.py": (3, USER),  # beside the database
    "server/credentials.py": (1, USER),  # beside the database too
    "store/database.py": (2, USER),
}
"""How many calls write, and who chooses the least trustworthy of their names."""

_WRITING = {
    *("write_text", "write_bytes", "touch", "mkdir", "makedirs", "rename", "symlink_to", "unlink"),
    *("hardlink_to", "link", "symlink", "copy2", "copyfile", "copytree", "move", "rmtree"),
    *("mkstemp", "mkdtemp", "TemporaryDirectory", "NamedTemporaryFile", "extractall", "mkfifo"),
}


def test_every_place_that_writes_a_file_is_known() -> None:
    found: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        for call in ast.walk(parse_source(path)):
            if isinstance(call, ast.Call) and _writes(call):
                found[path.relative_to(PACKAGE).as_posix()] += 1
    assert found == {name: count for name, (count, _) in WRITTEN.items()}


def _writes(call: ast.Call) -> bool:
    called = call.func
    if not isinstance(called, ast.Attribute):
        return isinstance(called, ast.Name) and called.id == "open"
    if called.attr == "open":
        return any(_is_mode_of_writing(value) for value in _list_values(call))
    # sqlite3 makes the file that it is given.
    return called.attr in _WRITING or ast.unparse(called) == "sqlite3.connect"


def _list_values(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (word.value for word in call.keywords)


def _is_mode_of_writing(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value in {"w", "a", "x", "wb", "ab", "xb", "r+", "r+b", "w+", "w+b"}
    return "O_WRONLY" in ast.unparse(value) or "O_RDWR" in ast.unparse(value)
