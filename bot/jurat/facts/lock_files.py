"""Lock files as what they pin: name, version, source and checksum, and what a change makes of it.

Thousands of lines that no person wrote come to a few that one can judge.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from jurat.source.diff import FileChange, FileStatus


class Pin(NamedTuple):
    """One package as a lock file has it; what the file does not say is ""."""

    name: str
    version: str
    source: str = ""
    checksum: str = ""


class PinChange(NamedTuple):
    """What a change does to one package: `before` None if it adds it, `after` if it drops it.

    `line` is where it stands in the head, None if that is not known.
    """

    before: Pin | None
    after: Pin | None
    line: int | None = None

    def describe(self) -> str:
        """One line: name, from, to, and where it comes from."""
        sides = [pin for pin in (self.before, self.after) if pin is not None]
        versions = " -> ".join(pin.version or "?" for pin in sides)
        line = f"{sides[0].name} {versions}"
        sources = dict.fromkeys(pin.source for pin in sides)
        if any(sources):
            line += f" from {' -> '.join(source or 'an unnamed source' for source in sources)}"
        if self.before and self.after and self.before[:3] == self.after[:3]:
            line += ", with another checksum"
        return line


def is_lock_file(path: str) -> bool:
    """Whether a file is one whose pins are read, by its name."""
    return path.rpartition("/")[2] in _READERS


def list_pin_changes(file: FileChange) -> tuple[PinChange, ...] | None:
    """What a change makes of what a lock file pins, by name.

    None for any other file, and for one that cannot be read as its name says.
    """
    read = _READERS.get(file.path.rpartition("/")[2])
    if read is None or file.unread is not None:
        return None
    base = "" if file.status is FileStatus.ADDED else file.base
    head = "" if file.status is FileStatus.REMOVED else file.head
    if base is None or head is None:
        return None
    try:
        before, after = (frozenset(read(text)) if text else frozenset() for text in (base, head))
    # What a stranger wrote into a file: whatever it is, it is then shown as it stands.
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if head and not after:
        return None
    return tuple(_pair_pins(before, after, _map_lines(head)))


def _pair_pins(
    before: frozenset[Pin], after: frozenset[Pin], lines: Mapping[str, int]
) -> Iterator[PinChange]:
    gone, come = sorted(before - after), sorted(after - before)
    for name in sorted({pin.name for pin in (*gone, *come)}):
        old = [pin for pin in gone if pin.name == name]
        new = [pin for pin in come if pin.name == name]
        if len(old) == len(new) == 1:
            yield PinChange(old[0], new[0], lines.get(name))
        else:
            yield from (PinChange(pin, None) for pin in old)
            yield from (PinChange(None, pin, lines.get(name)) for pin in new)


_NAMED = re.compile(r"@?[\w.~-]+(?:/[\w.~-]+)*")


def _map_lines(text: str) -> dict[str, int]:
    """Where each name is met first."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for match in _NAMED.finditer(line):
            found.setdefault(match.group().rpartition("node_modules/")[2], number)
    return found


def _read_npm(text: str) -> Iterator[Pin]:
    document = json.loads(text)
    packages: Mapping[str, Any] = document.get("packages") or {}
    for path, entry in packages.items():
        if path and not entry.get("link"):
            name = entry.get("name") or path.rpartition("node_modules/")[2]
            yield _build_pin(name, entry)
    if not packages:
        yield from _read_npm_tree(document.get("dependencies") or {})


def _read_npm_tree(dependencies: Mapping[str, Any]) -> Iterator[Pin]:
    for name, entry in dependencies.items():
        yield _build_pin(name, entry)
        yield from _read_npm_tree(entry.get("dependencies") or {})


def _build_pin(name: str, entry: Mapping[str, Any]) -> Pin:
    return Pin(
        name,
        str(entry.get("version", "")),
        str(entry.get("resolved", "")),
        str(entry.get("integrity", "")),
    )


def _read_toml(text: str) -> Iterator[Pin]:
    """Cargo, Poetry, uv and PDM: one table for each package."""
    for entry in tomllib.loads(text)["package"]:
        source = entry.get("source", "")
        if isinstance(source, dict):
            source = next((str(source[key]) for key in ("registry", "url") if key in source), "")
        files = entry.get("files") or [*entry.get("wheels", ()), entry.get("sdist", "")]
        checksum = str(entry.get("checksum", "")) or json.dumps(files, sort_keys=True)
        yield Pin(entry["name"], str(entry.get("version", "")), str(source), checksum)


def _read_composer(text: str) -> Iterator[Pin]:
    document = json.loads(text)
    for entry in (*document["packages"], *(document.get("packages-dev") or ())):
        dist = entry.get("dist") or {}
        url = dist.get("url") or (entry.get("source") or {}).get("url", "")
        yield Pin(entry["name"], str(entry["version"]), str(url), str(dist.get("shasum", "")))


def _read_pipfile(text: str) -> Iterator[Pin]:
    document = json.loads(text)
    for group in ("default", "develop"):
        for name, entry in (document.get(group) or {}).items():
            source = entry.get("git") or entry.get("index") or ""
            hashes = json.dumps(entry.get("hashes", ""))
            yield Pin(name, str(entry.get("version", entry.get("ref", ""))), str(source), hashes)


_YARN = re.compile(r'^"?(?P<name>@?[^@"\s]+)@[^\n]*:\n(?P<body>(?:[ \t]+[^\n]*\n?)+)', re.MULTILINE)
_YARN_FIELD = re.compile(
    r'^  "?(?P<key>version|resolved|resolution|integrity|checksum)"?:? "?(?P<value>[^"\n]+)"?$',
    re.MULTILINE,
)


def _read_yarn(text: str) -> Iterator[Pin]:
    for block in _YARN.finditer(text):
        said = {item["key"]: item["value"] for item in _YARN_FIELD.finditer(block["body"])}
        source = said.get("resolved") or said.get("resolution", "")
        checksum = said.get("integrity") or said.get("checksum", "")
        yield Pin(block["name"], said.get("version", ""), source.partition("#")[0], checksum)


def _read_go_sum(text: str) -> Iterator[Pin]:
    for line in text.splitlines():
        name, version, checksum = line.split()
        if not version.endswith("/go.mod"):
            yield Pin(name, version, "", checksum)


_READERS: Mapping[str, Callable[[str], Iterator[Pin]]] = {
    "package-lock.json": _read_npm,
    "npm-shrinkwrap.json": _read_npm,
    "composer.lock": _read_composer,
    "Pipfile.lock": _read_pipfile,
    "Cargo.lock": _read_toml,
    "poetry.lock": _read_toml,
    "uv.lock": _read_toml,
    "pdm.lock": _read_toml,
    "yarn.lock": _read_yarn,
    "go.sum": _read_go_sum,
}
