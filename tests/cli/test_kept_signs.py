"""What files showed before is believed as long as it is the same, and nobody else could say it."""

from __future__ import annotations

import os
import pickle
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from jurat.cli import kept_signs
from jurat.cli.kept_signs import open_kept_signs
from jurat.cli.options import WORTH_SHOWING
from jurat.rating import recon
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.evidence import Inventory, Signals
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.file_signs import ContentKey, FileSigns
from jurat.source.parsing import ParseFailure, parse_in_process
from tests.support.command import Run, written
from tests.support.recon import a_worktree

T = TypeVar("T")
R = TypeVar("R")
FILES = {
    "app/ask.py": "import openai\ndef ask(x):\n    return openai.OpenAI().chat(input=x)\n",
    "app/run.ts": "import { ask } from './ask'\nexport const run = () => ask('Hello there')\n",
    "app/test_ask.py": "from app.ask import ask\ndef test_ask():\n    assert ask('x')\n",
    "settings.yml": "model: small\n",
    "README.md": "# Assistant\n\nIt answers questions of customers about their orders.\n",
    "schema.sql": "create table users (id int, email text);\n",
    "page.html": "<p>You are talking to an AI.</p>\n",
}


class Looking:
    """A ParseMap that counts what is looked into."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, work: Callable[[T], R], items: Sequence[T]) -> Sequence[R | ParseFailure]:
        self.count += len(items)
        return parse_in_process(work, items)


Scan = tuple[Signals, Inventory]


def scan(path: Path, files: Mapping[str, str] = FILES, tool: str = "1") -> tuple[Scan, int]:
    """What files show, and how many of them were looked into."""
    looking = Looking()
    with open_kept_signs(path, tool) as kept:
        scanned = scan_worktree(a_worktree(files), looking, kept.files, known=kept.wholes)
        return scanned, looking.count


def count_looked(path: Path, files: Mapping[str, str] = FILES, tool: str = "1") -> int:
    """How many files were looked into."""
    return scan(path, files, tool)[1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in which nothing stands yet."""
    return tmp_path / "jurat" / "ratings.sqlite3"


def test_what_is_known_is_not_looked_into_again_and_shows_the_same(path: Path) -> None:
    first = scan_worktree(a_worktree(FILES))
    assert count_looked(path) == len(FILES)
    assert count_looked(path) == 0
    assert scan(path)[0] == first


def test_a_file_that_changed_is_looked_into(path: Path) -> None:
    count_looked(path)
    changed = FILES | {"app/ask.py": "def ask(x):\n    return x\n"}
    assert count_looked(path, changed) == 1
    assert scan(path, changed)[0] == scan_worktree(a_worktree(changed))


def test_what_all_files_show_together_is_found_out_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scan(path)[0]
    changed = FILES | {"app/more.py": FILES["app/ask.py"]}
    count = Counter[int]()
    build = recon._build_signals

    def build_counted(files: Any, signs: Any, ask_both: Any) -> Signals:
        count[len(files)] += 1
        return build(files, signs, ask_both)

    monkeypatch.setattr(recon, "_build_signals", build_counted)
    assert scan(path)[0] == first
    assert not count
    moved = {("lib/ask.py" if name == "app/ask.py" else name): text for name, text in FILES.items()}
    for files in (changed, moved):  # a file more, and one at another place
        assert scan(path, files)[0] == scan_worktree(a_worktree(files))
    assert count == {len(changed): 2, len(moved): 2}


def test_the_same_text_in_another_role_is_another(path: Path) -> None:
    count_looked(path)
    moved = {"tests/test_it.py": FILES["app/ask.py"]}
    assert count_looked(path, moved) == 1


def test_what_another_version_of_the_tool_saw_is_not_believed(path: Path) -> None:
    count_looked(path, tool="1")
    assert count_looked(path, tool="2") == len(FILES)


class Evil:
    """What has something run when it is read back."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.proof),)


@pytest.mark.parametrize("entry", [b"", b"\x80\x05", pickle.dumps("text"), pickle.dumps([1])])
def test_an_entry_that_is_none_is_looked_into(path: Path, entry: bytes) -> None:
    count_looked(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE signs SET entry = ?", [entry])
    connection.close()
    assert scan(path)[0] == scan_worktree(a_worktree(FILES))
    assert count_looked(path) == 0


def test_an_entry_can_have_nothing_run(path: Path, tmp_path: Path) -> None:
    count_looked(path)
    entry = pickle.dumps(Evil(tmp_path / "proof"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE signs SET entry = ?", [entry])
    connection.close()
    assert count_looked(path) == len(FILES)
    assert not (tmp_path / "proof").exists()


@pytest.mark.skipif(os.name != "posix", reason="nobody else's files there")
def test_a_file_that_others_may_write_is_not_believed(path: Path) -> None:
    count_looked(path)
    for one, mode in ((path, 0o666), (path.parent, 0o777)):
        before = one.stat().st_mode
        one.chmod(mode)
        with pytest.raises(PermissionError, match="others may write"), open_kept_signs(path, "1"):
            pass
        one.chmod(before)
    assert count_looked(path) == 0


def test_a_content_that_is_not_named_by_sha_256_is_not_kept(path: Path) -> None:
    key = ContentKey("a" * 40, Role.CODE, "python")
    with open_kept_signs(path, "1") as kept:
        kept.files[key] = FileSigns(lines=1)
        assert kept.files[key].lines == 1
    with open_kept_signs(path, "1") as kept:
        assert key not in kept.files


def test_what_was_of_use_last_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {f"app/m{n}.py": f"x = {n}\n" for n in range(5)}
    count_looked(path)
    monkeypatch.setattr(kept_signs, "SIZE_LIMIT", 10_000_000)
    count_looked(path, other)
    with sqlite3.connect(path) as connection:
        (size,) = connection.execute("SELECT SUM(size) FROM signs").fetchone()
    connection.close()
    monkeypatch.setattr(kept_signs, "SIZE_LIMIT", size - 1)
    assert count_looked(path, other) == 0  # the first ones go, as they were not asked for
    assert count_looked(path, other) == 0
    assert count_looked(path) == len(FILES)


# The command.


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is large enough for a file of what it shows."""
    (tmp_path / "checkout").mkdir()
    for number in range(WORTH_SHOWING):
        written(tmp_path / "checkout" / f"m{number}.py", f"x = {number}\n")
    return tmp_path / "checkout"


def test_the_command_says_the_same_the_second_time(
    run: Run, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JURAT_NO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = run("rate", checkout, "--format", "json")
    assert (tmp_path / "cache/jurat/ratings.sqlite3").is_file()
    assert run("rate", checkout, "--format", "json").out == first.out


def test_a_checkout_cannot_say_what_it_shows(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JURAT_NO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / "cache"))
    assert run("rate", checkout).err == ""
    assert not (checkout / "cache").exists()


def test_a_file_that_cannot_be_opened_is_told_and_the_rating_is_there(
    run: Run, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JURAT_NO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache/jurat").mkdir(parents=True)
    written(tmp_path / "cache/jurat/ratings.sqlite3", "no database, but long enough to be none\n")
    ran = run("rate", checkout)
    assert "what files show is not kept: file is not a database" in ran.err
    assert ran.out.startswith("Risk: ")
