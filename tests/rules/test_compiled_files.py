"""What was read of shipped files is kept, and counts only for what it was read from."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from jurat.rules import compiled_files, loader
from jurat.rules.compiled_files import READING_ROOMS, recall_or_make
from jurat.rules.flows import FlowConstraint
from jurat.rules.loader import load_ruleset, read_pack
from tests.support.production import python

TEXTS = {"jurat:one.yml": "rules: []", "jurat:two.yml": ""}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which Python, and we beside it, keep what is compiled."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield tmp_path / "kept"
    loader._load_shipped.cache_clear()


ROOMS = (*READING_ROOMS, "rating")


def make(texts: Mapping[str, str], value: str, name: str = "packs") -> str:
    return recall_or_make(name, texts, lambda: value, ROOMS)


def kept(cache: Path) -> Path:
    (found,) = cache.rglob("*.pickle*")
    return found


@pytest.mark.usefixtures("cache")
def test_what_was_made_of_the_texts_is_not_made_again() -> None:
    assert make(TEXTS, "first") == "first"
    assert make(TEXTS, "second") == "first"


@pytest.mark.parametrize(
    "other",
    [
        {**TEXTS, "jurat:two.yml": " "},
        {**TEXTS, "jurat:three.yml": ""},
        {"jurat:one.yml": "rules: []"},
        {"jurat:one.ymlrules: []": "", "jurat:two.yml": ""},
        dict(reversed(TEXTS.items())),
    ],
)
@pytest.mark.usefixtures("cache")
def test_other_texts_are_read_anew(other: Mapping[str, str]) -> None:
    make(TEXTS, "first")
    assert make(other, "second") == "second"
    assert make(TEXTS, "third") == "third"


@pytest.mark.usefixtures("cache")
def test_what_has_two_names_is_kept_twice() -> None:
    assert make(TEXTS, "first") == "first"
    assert make(TEXTS, "second", "law") == "second"
    assert make(TEXTS, "third") == "first"


@pytest.mark.parametrize("room", ROOMS)
def test_other_code_reads_anew(
    room: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ROOMS:
        (tmp_path / "jurat" / name).mkdir(parents=True)
        (tmp_path / "jurat" / name / "one.py").touch()
    monkeypatch.setattr(compiled_files, "__file__", str(tmp_path / "jurat/rules/one.py"))
    make(TEXTS, "first")
    assert make(TEXTS, "second") == "first"
    os.utime(tmp_path / "jurat" / room / "one.py", (1, 1))
    assert make(TEXTS, "third") == "third"
    (tmp_path / "jurat" / room / "other.py").touch()
    assert make(TEXTS, "fourth") == "fourth"
    assert kept(cache).exists()


@pytest.mark.parametrize("damage", [b"", b"x" * 64, b"x" * 200])
def test_what_is_damaged_is_read_anew(cache: Path, damage: bytes) -> None:
    make(TEXTS, "first")
    kept(cache).write_bytes(damage)
    assert make(TEXTS, "second") == "second"
    assert make(TEXTS, "third") == "second"


def test_what_was_cut_off_or_changed_is_never_unpickled(cache: Path) -> None:
    make(TEXTS, "first")
    whole = kept(cache).read_bytes()
    for content in (whole[:-1], whole[:64] + b"cos\nsystem\n(S'false'\ntR."):
        kept(cache).write_bytes(content)
        assert make(TEXTS, "second") == "second"


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    cache.write_text("no folder")
    assert make(TEXTS, "first") == "first"
    assert make(TEXTS, "second") == "second"


def test_who_wants_no_compiled_modules_gets_none_of_ours(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    make(TEXTS, "first")
    assert not list(cache.rglob("*.pickle*"))


def describe(rules: Mapping[str, object]) -> list[str]:
    return [repr(rule) for rule in rules.values()]


OWN_WORDS = """
version: 1
vocabulary:
  language: python
  sources:
    remote: [house.wire.read]
"""


@pytest.mark.parametrize("own", [{}, {"own.yml": OWN_WORDS}])
def test_kept_rules_are_those_that_were_read(cache: Path, own: Mapping[str, str]) -> None:
    def load() -> tuple[list[str], list[str], list[object]]:
        loader._load_shipped.cache_clear()
        rules = load_ruleset({**read_pack("engineering"), **own}).rules
        revisions = [rule.revision + rule.substance for rule in rules.values()]
        return describe(rules), revisions, [rule.merit for rule in rules.values()]

    read, recalled = load(), load()
    assert kept(cache).exists()
    assert recalled == read
    flow = load_ruleset({**read_pack("engineering"), **own}).rules["flow.path-traversal"]
    asked = [item.questions for item in flow.constraints if isinstance(item, FlowConstraint)]
    assert ("house.wire.read" in repr(asked)) == bool(own)


def test_another_process_finds_what_is_kept(cache: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    code = (
        "import sys\nfrom jurat.rules.compiled_files import READING_ROOMS, recall_or_make\n"
        "print(recall_or_make('packs', {'a.yml': ''}, lambda: sys.argv[1]))"
    )
    for value in ("first", "second"):
        command = [python(), "-c", code, value]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "first"
