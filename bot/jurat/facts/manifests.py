"""What a manifest asks for: the names of its dependencies and their versions.

A reader takes the whole text or a fragment of it. The whole goes through the format's own parser
if there is one; a fragment, and a text that does not parse, is read line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Pins = dict[str, str | None]
"""The version, or range of versions, that each name is asked for in; None if any will do."""

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?(?P<rest>(?:[=~!<>(@ ].*)?)$"
)
_SEPARATORS = re.compile(r"[-_.]+")
_VERSION = re.compile(r"[\^~<>=!\s v]*\d|\*$|latest$|workspace:|npm:|git|file:|https?:")
_JSON_LINE = re.compile(r'\s*"(?P<name>(?:@[\w.~-]+/)?[\w.~/-]+)"\s*:\s*"(?P<version>[^"]*)"')
_TOML_LINE = re.compile(
    r"\s*\"?(?P<name>[\w.-]+)\"?\s*=\s*(?:\{[^}]*?\bversion\s*=\s*)?\"(?P<version>[^\"]*)\""
)
_QUOTED = re.compile(r"\s*(?:[\w-]+\s*=\s*\[\s*)?[\"'](?P<requirement>[^\"']+)[\"'][\s,\]]*$")
_GO_LINE = re.compile(r"\s*(?:require\s+)?(?P<name>[\w./~-]+)\s+(?P<version>v\d\S*)")
_GEM_LINE = re.compile(
    r"\s*gem[ (]+[\"'](?P<name>[^\"']+)[\"'](?:\s*,\s*[\"'](?P<version>[^\"']+)[\"'])?"
)
_GRADLE_LINE = re.compile(
    r"\s*\w*(?:mplementation|pi|Only|lasspath|kapt|ompile|rocessor)[ (]+(?:platform\()?"
    r"[\"'](?P<name>[\w.-]+:[\w.-]+)(?::(?P<version>[^\"':@]+))?"
)
_NUGET_LINE = re.compile(
    r"\s*<Package(?:Reference|Version)\s+Include=\"(?P<name>[^\"]+)\""
    r"(?:\s+Version=\"(?P<version>[^\"]*)\")?"
)
_POM_TAG = re.compile(
    r"<(?P<tag>groupId|artifactId|version)>\s*(?P<value>[^<\s]*)"
    r"|<(?P<end>/?)(?:dependency|plugin|parent|exclusion)>"
)
_NO_DEPENDENCY = frozenset(
    {
        "description",
        "edition",
        "homepage",
        "license",
        "main",
        "module",
        "name",
        "node",
        "npm",
        "packageManager",
        "python",
        "readme",
        "repository",
        "requires-python",
        "resolver",
        "rust-version",
        "type",
        "types",
        "version",
        "yarn",
    }
)
"""Keys beside the dependencies whose values look like versions, and runtimes."""


def read_manifest(path: str, text: str, *, whole: bool) -> Pins:
    """What the manifest at `path` asks for; nothing if no manifest has such a name."""
    name = path.rpartition("/")[2]
    for pattern, read_whole, read_lines in _MANIFESTS:
        if pattern.fullmatch(name) or pattern.fullmatch(path):
            # A fragment of a diff is no TOML and no JSON, however well it looks.
            if whole and read_whole is not None:
                try:
                    return read_whole(text)
                except (ValueError, TypeError, AttributeError, RecursionError):
                    # Broken, or of a shape no package manager takes: its lines still tell names.
                    return read_lines(text)
            return read_lines(text)
    return {}


def is_manifest(path: str) -> bool:
    """Whether a file is one that `read_manifest` reads."""
    name = path.rpartition("/")[2]
    return any(pattern.fullmatch(name) or pattern.fullmatch(path) for pattern, _, _ in _MANIFESTS)


def _build_line_reader(pattern: re.Pattern[str]) -> Callable[[str], Pins]:
    def read(text: str) -> Pins:
        matches = filter(None, map(pattern.match, text.split("\n")))
        return {
            match["name"]: match["version"]
            for match in matches
            if match["name"] not in _NO_DEPENDENCY
        }

    return read


def _build_version_reader(pattern: re.Pattern[str]) -> Callable[[str], Pins]:
    """As `_build_line_reader`, for formats in which many a line looks like a dependency's."""
    read = _build_line_reader(pattern)

    def read_versions(text: str) -> Pins:
        return {
            name: version
            for name, version in read(text).items()
            if version and _VERSION.match(version)
        }

    return read_versions


def _parse_requirements(lines: Iterable[str]) -> Pins:
    """PEP 508 requirements, with names as PEP 503 normalises them."""
    pins: Pins = {}
    for line in lines:
        bare = line.split(" #")[0].split(";")[0].rstrip(" \t\r\\")
        match = _REQUIREMENT.match(bare.strip())
        if match:
            name = _SEPARATORS.sub("-", match["name"]).lower()
            specifier = match["rest"].split("--hash")[0].strip(" ()@")
            exact = specifier.startswith("==") and "," not in specifier
            pins[name] = (specifier.lstrip("= ") if exact else specifier) or None
    return pins


def _parse_requirements_txt(text: str) -> Pins:
    lines = (line.strip() for line in text.split("\n"))
    return _parse_requirements(line for line in lines if not line.startswith(("#", "-")))


def _parse_pyproject_lines(text: str) -> Pins:
    """Only quoted requirements with a version: keywords and classifiers are quoted too."""
    quoted = filter(None, map(_QUOTED.match, text.split("\n")))
    named = _parse_requirements(match["requirement"] for match in quoted)
    return {name: version for name, version in named.items() if version and _VERSION.match(version)}


def _parse_pyproject(text: str) -> Pins:
    document = _parse_toml(text)
    project = document.get("project", {})
    groups = [
        project.get("dependencies", []),
        document.get("build-system", {}).get("requires", []),
        *project.get("optional-dependencies", {}).values(),
        *document.get("dependency-groups", {}).values(),
    ]
    pins = _parse_requirements(line for group in groups for line in group if isinstance(line, str))
    poetry = document.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    pins |= _read_tables(tables)
    pins.pop("python", None)
    return pins


def _parse_cargo(text: str) -> Pins:
    document = _parse_toml(text)
    places = [document, document.get("workspace", {}), *document.get("target", {}).values()]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    return _read_tables(place.get(kind, {}) for place in places for kind in kinds)


def _parse_pipfile(text: str) -> Pins:
    document = _parse_toml(text)
    return _read_tables(document.get(kind, {}) for kind in ("packages", "dev-packages"))


def _build_json_reader(*sections: str) -> Callable[[str], Pins]:
    def read(text: str) -> Pins:
        document = json.loads(text)
        return _read_tables(document.get(section, {}) for section in sections)

    return read


def _read_tables(tables: Iterable[Mapping[str, Any]]) -> Pins:
    """Tables from a name to a version, or to a table that may hold one."""
    pins: Pins = {}
    for table in tables:
        for name, requirement in table.items():
            version = requirement.get("version") if isinstance(requirement, dict) else requirement
            pins[name] = version if isinstance(version, str) else None
    return pins


def _parse_pom(text: str) -> Pins:
    return dict(_iter_pom_pins(text))


def _iter_pom_pins(text: str) -> Iterator[tuple[str, str | None]]:
    """Dependencies, plugins and the parent. In a fragment one end of an element is enough."""
    fields: dict[str, str] = {}
    opened = False
    for match in _POM_TAG.finditer(text):
        if match["tag"]:
            fields.setdefault(match["tag"], match["value"])
        elif match["end"] or opened:
            if "artifactId" in fields:
                group = fields.get("groupId")
                artifact = fields["artifactId"]
                yield f"{group}:{artifact}" if group else artifact, fields.get("version")
            fields, opened = {}, False
        if not match["tag"] and not match["end"]:
            fields, opened = {}, True


_MANIFESTS: tuple[
    tuple[re.Pattern[str], Callable[[str], Pins] | None, Callable[[str], Pins]], ...
] = (
    (
        re.compile(
            r"[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)|(?:.*/)?requirements/[^/]+\.txt"
        ),
        None,
        _parse_requirements_txt,
    ),
    (re.compile(r"pyproject\.toml"), _parse_pyproject, _parse_pyproject_lines),
    (re.compile(r"Pipfile"), _parse_pipfile, _build_version_reader(_TOML_LINE)),
    (re.compile(r"Cargo\.toml"), _parse_cargo, _build_version_reader(_TOML_LINE)),
    (
        re.compile(r"package\.json"),
        _build_json_reader(
            "dependencies", "devDependencies", "peerDependencies", "optionalDependencies"
        ),
        _build_version_reader(_JSON_LINE),
    ),
    (
        re.compile(r"composer\.json"),
        _build_json_reader("require", "require-dev"),
        _build_version_reader(_JSON_LINE),
    ),
    (re.compile(r"go\.mod"), None, _build_line_reader(_GO_LINE)),
    (re.compile(r"Gemfile|[\w-]+\.gemspec"), None, _build_line_reader(_GEM_LINE)),
    (re.compile(r"build\.gradle(?:\.kts)?"), None, _build_line_reader(_GRADLE_LINE)),
    (
        re.compile(r"[\w.-]+\.csproj|Directory\.Packages\.props"),
        None,
        _build_line_reader(_NUGET_LINE),
    ),
    (re.compile(r"pom\.xml"), None, _parse_pom),
)


def _parse_toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - for a change that has such a manifest

    return tomllib.loads(text)
