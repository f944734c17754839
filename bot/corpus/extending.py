"""`_extends`: a configuration that builds on another file, as Probot's configurations do.

The value is `repo`, `owner/repo`, `repo:path` or `owner/repo:path`. As in
https://github.com/probot/octokit-plugin-config, an owner that is left out is that of the repository
under review, and a path that is left out is the one that was looked for there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.corpus.configuration import Configuration
from bot.errors import ConfigurationError

MAX_FILES = 5
"""Files of one chain. Probot knows no bound; a policy that nobody can follow helps nobody."""

EXTENDS = "_extends"

_TARGET = re.compile(
    r"(?:(?P<owner>[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38})/)?"
    r"(?P<name>\.?[a-z\d_-][a-z\d._-]{0,99})"
    r"(?::(?P<path>[\w./-]+\.ya?ml))?",
    re.ASCII | re.IGNORECASE,
)


class Target(NamedTuple):
    """The file that an `_extends` names. `repository` is "owner/name"."""

    repository: str
    path: str


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """One file of a chain, valid by itself. `data` is what it holds, without `_extends`.

    `path` is as errors show it. `line` is where `_extends` stands, `extends` its value.
    """

    path: str
    data: Mapping[str, Any]
    extends: str | None = None
    line: int = 0

    def refuse(self, problem: str) -> ConfigurationError:
        """An error at the line of this file's `_extends`."""
        return ConfigurationError(self.path, self.line, EXTENDS, problem)


def target_of(value: str, owner: str, path: str) -> Target | None:
    """The file that `value` names, None where it names none in Probot's way."""
    match = _TARGET.fullmatch(value)
    if match is None:
        return None
    return Target(f"{match['owner'] or owner}/{match['name']}", match["path"] or path)


def merged(files: Sequence[ConfigurationFile]) -> Configuration:
    """What a chain says, the first file being the one that counts most.

    Mappings are merged key by key; of everything else, lists included, the nearest file's holds.
    """
    data: Mapping[str, Any] = {}
    for file in files:
        data = _under(data, file.data)
    return Configuration.model_validate(data)


def sources(files: Sequence[ConfigurationFile]) -> Mapping[str, tuple[str, ...]]:
    """The paths of the files that each top-level key comes from, the one that wins first.

    More than one only where mappings were merged. A key that no file has is at its default.
    """
    return {key: tuple(_giving(key, files)) for file in files for key in file.data}


def _giving(key: str, files: Sequence[ConfigurationFile]) -> Iterator[str]:
    for file in files:
        if key in file.data:
            yield file.path
            if not isinstance(file.data[key], Mapping):
                return


def _under(near: Mapping[str, Any], far: Mapping[str, Any]) -> dict[str, Any]:
    """`near`, and of `far` what `near` does not say. Near keys come first: of globs the first wins.

    Both are valid configurations, so a key is a mapping in both or in neither.
    """
    result = dict(near)
    for key, value in far.items():
        if key not in result:
            result[key] = value
        elif isinstance(value, Mapping):
            result[key] = _under(result[key], value)
    return result
