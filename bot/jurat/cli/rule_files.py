"""The configuration and the rules in force in a checkout, and what `jurat rules` does with them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jurat.cli.checkout import GitCheckout
from jurat.cli.options import print_note
from jurat.errors import (
    ConfigurationError,
    FileError,
    RuleError,
    UsageError,
)
from jurat.facts.context import Facts
from jurat.rules.config import Config, ConfigurationFile, merge_configs
from jurat.rules.enforcement import check_level_names
from jurat.rules.files import filter_rule_files, read_rule_files, read_text
from jurat.rules.loader import find_missing_tables, load_configuration_file, load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.vocabulary import with_known_authorities
from jurat.source.diff import Diff
from jurat.source.git_attributes import AttributeLine, list_attribute_files, parse_attribute_files
from jurat.source.strict_json import parse_json
from jurat.source.strict_yaml import parse_yaml

# The configuration and the rules that a local review is made by.

CONFIGURATION_PATH = ".github/jurat.yml"
NO_CONFIGURATION = ConfigurationFile(CONFIGURATION_PATH, MappingProxyType({}))
"""If there is none: everything is at its default."""

_NONE: Mapping[str, str] = MappingProxyType({})


def read_base_config(
    repository: GitCheckout, commit: str
) -> tuple[ConfigurationFile, Mapping[str, str]]:
    """The configuration of a commit, and the texts of the rule files that it names.

    From the base of a change and not from its head: a change must not weaken its own judge.
    """
    content = repository.read_file(commit, CONFIGURATION_PATH)
    if content is None:
        return NO_CONFIGURATION, _NONE
    text = _decode_text(CONFIGURATION_PATH, content, ConfigurationError)
    file = load_configuration_file(CONFIGURATION_PATH, text)
    warn_ignored_config(file)
    configuration = merge_configs([file])
    if not configuration.rules:
        return file, _NONE
    listed = repository.list_names("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    files = _decode_texts(repository, commit, filter_rule_files(configuration.rules, listed))
    return file, files | _decode_texts(repository, commit, sorted(find_missing_tables(files)))


_NOTHING_UNSAVED: Mapping[Path, str] = MappingProxyType({})


def read_worktree_config(
    root: Path, unsaved: Mapping[Path, str] = _NOTHING_UNSAVED
) -> tuple[ConfigurationFile, Mapping[str, str]]:
    """The configuration that lies in the checkout at `root`, and the rule files that it names.

    As they lie there, not as in the base: for whoever edits rules. `unsaved` are texts that an
    editor has of files, by their resolved paths.
    """
    path = root / CONFIGURATION_PATH
    if not path.is_file():
        return NO_CONFIGURATION, _NONE
    name = os.path.relpath(path)
    # A link in a checkout is its author's: it must not read another file of the machine to us.
    if not path.resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(name, 0, "", "is a link that leads out of the repository")
    text = unsaved.get(path.resolve())
    if text is None:
        text = read_text(path, ConfigurationError)
    file = load_configuration_file(name, text)
    warn_ignored_config(file)
    own = [os.path.relpath(root / entry) for entry in merge_configs([file]).rules]
    texts = read_rule_files(own, within=root)
    return file, {name: unsaved.get(Path(name).resolve(), text) for name, text in texts.items()}


def read_attributes(
    repository: GitCheckout, commit: str, change: Diff
) -> tuple[AttributeLine, ...]:
    """What a commit says of the files of a change that nobody writes by hand."""
    paths = list_attribute_files(change)
    return parse_attribute_files({path: repository.read_file(commit, path) for path in paths})


def read_worktree_attributes(root: Path, change: Diff) -> tuple[AttributeLine, ...]:
    """The same of what lies in the checkout at `root`."""
    paths = list_attribute_files(change)
    return parse_attribute_files({path: _read_own_file(root, path) for path in paths})


def _read_own_file(root: Path, path: str) -> bytes | None:
    """A file below `root`, None if there is none. Raises ConfigurationError if it is unreadable."""
    try:
        file = (root / path).resolve(strict=True)
    except (OSError, ValueError):
        return None  # also what no file can be called
    # A link in a checkout is its author's: it must not read another file of the machine to us.
    if not file.is_relative_to(root.resolve()) or not file.is_file():
        return None
    try:
        return file.read_bytes()
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise ConfigurationError(path, 0, "", problem) from error


def warn_ignored_config(file: ConfigurationFile) -> None:
    """Remark on an `_extends`: a checkout holds one repository, and the App reads the others."""
    if file.extends is not None:
        print_note(
            f"_extends: {file.extends} was not followed, so its rules and settings are"
            " missing here; the App follows it."
        )


def load_local_ruleset(
    file: ConfigurationFile,
    own: Mapping[str, str] = _NONE,
    *,
    packs: Sequence[str] | None = None,
    added: Sequence[Path] = (),
) -> tuple[RuleSet, Config]:
    """The rules of the packs, the repository's own (text by path), and those in `added`.

    And the configuration that `file` holds. `packs` replaces the configuration's; "none" alone
    stands for no pack. Raises RuleError, and ConfigurationError for a level of no known rule.
    """
    configuration = merge_configs([file])
    if packs is None:
        packs = configuration.packs
    elif "none" in packs:
        if len(packs) > 1:
            raise UsageError("--pack none goes with no other --pack.")
        packs = ()
    shipped = {path: text for name in packs for path, text in read_pack(name).items()}
    rule_set = load_ruleset({**shipped, **own, **read_rule_files(added)})
    check_level_names([file], rule_set)
    return with_known_authorities(rule_set), configuration


def _decode_texts(repository: GitCheckout, commit: str, paths: Sequence[str]) -> dict[str, str]:
    contents = {path: repository.read_file(commit, path) for path in paths}
    return {
        path: _decode_text(path, content, RuleError)
        for path, content in contents.items()
        if content is not None
    }


def _decode_text(path: str, content: bytes, error_type: type[FileError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_type(path, line, "", "is not UTF-8 text; save it as UTF-8") from None


# Files named on the command line: a diff, and facts.


def read_diff(name: str) -> bytes:
    """The bytes of a diff file, or of standard input for "-"."""
    if name != "-":
        return _read(Path(name), "--diff")
    if sys.stdin.isatty():
        raise UsageError(
            "--diff - reads a diff from standard input.",
            hint="Pipe one in, such as: git diff main | jurat review --diff -",
        )
    return sys.stdin.buffer.read()


def read_facts(path: Path) -> Facts:
    """The facts in a JSON or YAML file. Raises FileError at the line where it is neither."""
    try:
        text = _read(path, "--facts").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), 0, "", "is not UTF-8 text; save it as UTF-8") from error
    # By JSON's own reader, whose errors speak of JSON.
    looks_like_json = path.suffix == ".json" or text.lstrip().startswith("{")
    data = (
        _parse_json_facts(text, path)
        if looks_like_json
        else parse_yaml(text, str(path), FileError).data
    )
    if not isinstance(data, dict):
        problem = "must hold a mapping of names to values"
        raise FileError(str(path), 1, "", problem, hint='Such as {"monthly_overtime_hours": 52}.')
    return data


def _read(path: Path, option: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{option}: {path} cannot be read: {error.strerror}.",
            hint=f"See `jurat review --help` for what {option} takes.",
        ) from error


def _parse_json_facts(text: str, path: Path) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise FileError(str(path), error.lineno, "", f"is not valid JSON: {error.msg}") from error
    except ValueError as error:
        raise FileError(str(path), 0, "", f"cannot be facts: {error}") from error
