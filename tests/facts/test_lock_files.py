"""What a change makes of a lock file: name, from, to, source, and nothing hidden behind it."""

from __future__ import annotations

import json

import pytest

from jurat.facts.lock_files import list_pin_changes
from jurat.source.diff import FileChange, FileStatus

REGISTRY = "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz"


def npm(version: str, source: str = REGISTRY, checksum: str = "sha512-a") -> str:
    entry = {"version": version, "resolved": source, "integrity": checksum}
    packages = {"": {"name": "shop"}, "node_modules/left-pad": entry}
    return json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2)


def describe(path: str, base: str | None, head: str | None) -> list[str] | None:
    status = FileStatus.MODIFIED if base else FileStatus.ADDED
    found = list_pin_changes(FileChange(path, status, path, base=base, head=head))
    return None if found is None else [item.describe() for item in found]


CARGO = '[[package]]\nname = "serde"\nversion = "{}"\nsource = "registry+https://github.com/x"\n'
UV = '[[package]]\nname = "httpx"\nversion = "{}"\nsource = {{ registry = "https://pypi.org" }}\n'
YARN = 'left-pad@^1.0.0:\n  version "{}"\n  resolved "https://r.example/l.tgz#abc"\n'
GO = "github.com/a/b v1.{}.0 h1:x=\ngithub.com/a/b v1.{}.0/go.mod h1:y=\n"
PIPFILE = '{{"default": {{"httpx": {{"version": "=={}", "index": "pypi"}}}}, "develop": {{}}}}'
COMPOSER = (
    '{{"packages": [{{"name": "a/b", "version": "{}", "dist": {{"url": "https://d.example"}}}}]}}'
)


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("Cargo.lock", CARGO, "serde 1 -> 2 from registry+https://github.com/x"),
        ("api/uv.lock", UV, "httpx 1 -> 2 from https://pypi.org"),
        ("yarn.lock", YARN, "left-pad 1 -> 2 from https://r.example/l.tgz"),
        ("go.sum", GO, "github.com/a/b v1.1.0 -> v1.2.0"),
        ("Pipfile.lock", PIPFILE, "httpx ==1 -> ==2 from pypi"),
        ("composer.lock", COMPOSER, "a/b 1 -> 2 from https://d.example"),
    ],
)
def test_each_kind_says_name_from_to_and_source(path: str, text: str, line: str) -> None:
    assert describe(path, text.format(1, 1), text.format(2, 2)) == [line]


def test_what_is_added_dropped_moved_to_another_source_or_forged_shows() -> None:
    lock = "web/package-lock.json"
    assert describe(lock, None, npm("1.3.0")) == [f"left-pad 1.3.0 from {REGISTRY}"]
    elsewhere = "https://evil.example/left-pad.tgz"
    assert describe(lock, npm("1.3.0"), npm("1.3.0", elsewhere)) == [
        f"left-pad 1.3.0 -> 1.3.0 from {REGISTRY} -> {elsewhere}"
    ]
    assert describe(lock, npm("1.3.0"), npm("1.3.0", checksum="sha512-b")) == [
        f"left-pad 1.3.0 -> 1.3.0 from {REGISTRY}, with another checksum"
    ]
    assert describe(lock, npm("1.3.0"), npm("1.3.0")) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"packages": []}', '{"packages": {"a": 1}}', "[" * 9_000, "x = 1"],
)
def test_what_cannot_be_read_is_shown_as_it_stands(text: str) -> None:
    for path in ("package-lock.json", "Cargo.lock", "composer.lock", "go.sum", "yarn.lock"):
        if text:
            assert describe(path, npm("1"), text) is None
    assert describe("package-lock.json", None, None) is None
    assert describe("package.json", npm("1"), npm("2")) is None


def test_a_line_says_where_it_stands() -> None:
    file = FileChange("go.sum", FileStatus.ADDED, head=f"a.b/c v1 h1:=\n{GO.format(1, 1)}")
    assert [item.line for item in list_pin_changes(file) or ()] == [1, 2]
