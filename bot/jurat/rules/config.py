"""`.github/jurat.yml`, and `_extends`, by which it builds on another file as Probot's does.

The value is `repo`, `owner/repo`, `repo:path` or `owner/repo:path`. As in
https://github.com/probot/octokit-plugin-config, an owner that is left out is that of the repository
under review, and a path that is left out is the one that was looked for there.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from pydantic import Field

from jurat.errors import ConfigurationError
from jurat.facts.context import SubjectKind
from jurat.rules.level import Levels
from jurat.rules.rule import Severity
from jurat.rules.validation import StrictModel
from jurat.source.strict_json import KeyPath

# The repository's configuration, `.github/jurat.yml`, as read from the base commit.


class BlockOn(StrEnum):
    """The severity from which on a rule that binds blocks."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    CRITICAL = "CRITICAL"
    NEVER = "never"


class ReviewConfig(StrictModel):
    """How a pull request is reviewed.

    `private` are globs of paths that no model is ever shown. `maturity` says whether what the
    record says of a rule governs its shadow here, or is only proposed (see
    `jurat.rules.maturity`). `backtest` says whether the App looks back at what was merged.
    """

    max_rules: int = Field(default=20, ge=1, le=100)
    severity_min: Severity = Severity.MEDIUM
    max_comments: int = Field(default=20, ge=0, le=100)
    drafts: bool = False
    needs_confirmation: Literal["action_required", "neutral"] = "action_required"
    unassessed: Literal["action_required", "neutral"] = "action_required"
    maturity: Literal["automatic", "propose"] = "automatic"
    private: tuple[str, ...] = ()
    backtest: bool = True


class BudgetConfig(StrictModel):
    """Tokens that models may be given and give, for one review and for all of a day's."""

    review: int | None = Field(default=None, ge=0)
    day: int | None = Field(default=None, ge=0)


class CommandConfig(StrictModel):
    """Who may give commands in comments.

    `own_decisions` lets those who wrote a change decide about its findings.
    """

    permission: Literal["read", "triage", "write", "maintain", "admin"] = "write"
    own_decisions: bool = False


class RatingConfig(StrictModel):
    """Which regulations are rated, and the score (0 to 4) below which the check fails.

    The check fails if one of them scores less. `risk` sets the class of risk by hand. They are
    rated as they apply `on` a day, today if none is given, and to `roles`, to everybody if none is.
    """

    regulations: tuple[str, ...] = ()
    fail_below: float | None = Field(default=None, ge=0, le=4)
    risk: Literal["not_ai", "minimal", "limited", "high"] | None = None
    on: dt.date | None = Field(default=None, strict=False)
    roles: tuple[
        Literal["provider", "deployer", "importer", "distributor", "controller", "processor"], ...
    ] = ()


class RequiredConfig(StrictModel):
    """What an owner requires of all of its repositories, in the owner's file alone.

    `rules` names rules that are in force everywhere, `levels` the least that they do, `settings`
    the keys whose value is the least that counts. With `waivers: refused` nobody dismisses or
    suppresses what a required rule finds.
    """

    rules: tuple[str, ...] = ()
    levels: Levels = Field(default_factory=dict)
    settings: tuple[str, ...] = ()
    waivers: Literal["allowed", "refused"] = "allowed"


class Config(StrictModel):
    """What is in force for one repository. The defaults are a repository without the file.

    `packs` names shipped packs, `rules` files or folders of the repository, `ignore` globs of paths
    that are not reviewed, `surfaces` maps path globs to a subject kind. `block_on` is the severity
    from which on MUST and MUST_NOT block, and `levels` says otherwise of single rules. With `judge:
    none` no model is asked, and a rule that only one can decide is not in force, unless the owner
    requires it. `budget` bounds what a model is asked. `retain` says what is kept of a change and
    its facts: a digest and the quoted evidence, or all of it.
    `extends` names a file that this one builds on (see `parse_extends`); it is None once that was
    followed.
    """

    extends: str | None = Field(default=None, alias="_extends")
    version: Literal[1] = 1
    packs: tuple[str, ...] = ("engineering",)
    rules: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    surfaces: Mapping[str, SubjectKind] = Field(default_factory=dict)
    block_on: BlockOn = BlockOn.HIGH
    levels: Levels = Field(default_factory=dict)
    judge: Literal["any", "none"] = "any"
    budget: BudgetConfig = BudgetConfig()
    review: ReviewConfig = ReviewConfig()
    commands: CommandConfig = CommandConfig()
    rating: RatingConfig = RatingConfig()
    retain: Literal["digest", "full"] = "digest"
    required: RequiredConfig = RequiredConfig()


MAX_FILES = 5
"""Files of one chain. Probot knows no bound; a policy that nobody can follow helps nobody."""

EXTENDS = "_extends"

_TARGET = re.compile(
    r"(?:(?P<owner>[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38})/)?"
    r"(?P<name>\.?[a-z\d_-][a-z\d._-]{0,99})"
    r"(?::(?P<path>(?!/)[\w./-]+\.ya?ml))?",
    re.ASCII | re.IGNORECASE,
)


class ConfigReference(NamedTuple):
    """The file that an `_extends` names. `repository` is "owner/name"."""

    repository: str
    path: str


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """One file of a chain, valid by itself. `data` is what it holds, without `_extends`.

    `path` is as errors show it. `line` is where `_extends` stands, `extends` its value; `lines`
    has where each key and item of `data` stands.
    """

    path: str
    data: Mapping[str, Any]
    extends: str | None = None
    line: int = 0
    lines: Mapping[KeyPath, int] = field(default_factory=dict)

    def refuse(self, problem: str) -> ConfigurationError:
        """An error at the line of this file's `_extends`."""
        return ConfigurationError(self.path, self.line, EXTENDS, problem)


def parse_extends(value: str, owner: str, path: str) -> ConfigReference | None:
    """The file that `value` names, None if it names none in Probot's way."""
    match = _TARGET.fullmatch(value)
    if match is None:
        return None
    return ConfigReference(f"{match['owner'] or owner}/{match['name']}", match["path"] or path)


def merge_configs(files: Sequence[ConfigurationFile]) -> Config:
    """What a chain says, the first file being the one that counts most.

    Mappings are merged key by key; of everything else, lists included, the nearest file's holds.
    """
    data: Mapping[str, Any] = {}
    for file in files:
        data = _merge_under(data, file.data)
    return Config.model_validate(data)


def list_extended_files(files: Sequence[ConfigurationFile]) -> Mapping[str, tuple[str, ...]]:
    """The paths of the files that each top-level key comes from, the one that wins first.

    More than one only if mappings were merged. A key that no file has is at its default.
    """
    return {key: tuple(_list_giving(key, files)) for file in files for key in file.data}


def _list_giving(key: str, files: Sequence[ConfigurationFile]) -> Iterator[str]:
    for file in files:
        if key in file.data:
            yield file.path
            if not isinstance(file.data[key], Mapping):
                return


def _merge_under(near: Mapping[str, Any], far: Mapping[str, Any]) -> dict[str, Any]:
    """`near`, and of `far` what `near` does not say. Near keys come first: of globs the first wins.

    If a key is a mapping in one and a list in the other, the near one holds.
    """
    result = dict(near)
    for key, value in far.items():
        if key not in result:
            result[key] = value
        elif isinstance(value, Mapping) and isinstance(result[key], Mapping):
            result[key] = _merge_under(result[key], value)
    return result
