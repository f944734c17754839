"""What the `jurat rules` commands do, on given files or on what is in force here."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jurat.cli.checkout import GitCheckout
from jurat.cli.options import print_note
from jurat.engine.rule_examples import run_examples, runnable
from jurat.errors import (
    ConfigurationError,
    ExitCode,
    FileError,
    IncompleteError,
    RuleError,
    UsageError,
)
from jurat.facts.context import Facts
from jurat.reports.summary import pluralize
from jurat.rules.config import Config
from jurat.rules.files import filter_rule_files, read_rule_files
from jurat.rules.loader import find_missing_tables, load_config, load_ruleset, read_pack
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.vocabulary import with_known_authorities
from jurat.source.strict_json import parse_json
from jurat.source.strict_yaml import parse_yaml
from jurat.source.visible_text import one_line

# The configuration and the rules that a local review is made by.

CONFIGURATION_PATH = ".github/jurat.yml"

_NONE: Mapping[str, str] = MappingProxyType({})


def read_base_config(repository: GitCheckout, commit: str) -> tuple[Config, Mapping[str, str]]:
    """The configuration of a commit, and the texts of the rule files that it names.

    From the base of a change and not from its head: a change must not weaken its own judge.
    """
    content = repository.content(commit, CONFIGURATION_PATH)
    if content is None:
        return Config(), _NONE
    text = _text(CONFIGURATION_PATH, content, ConfigurationError)
    configuration = load_config(CONFIGURATION_PATH, text)
    warn_ignored_config(configuration)
    if not configuration.rules:
        return configuration, _NONE
    listed = repository.names("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    files = _texts(repository, commit, filter_rule_files(configuration.rules, listed))
    return configuration, files | _texts(repository, commit, sorted(find_missing_tables(files)))


def warn_ignored_config(configuration: Config) -> None:
    """Remark on an `_extends`: a checkout holds one repository, and the App reads the others."""
    if configuration.extends is not None:
        print_note(
            f"_extends: {configuration.extends} was not followed, so its rules and settings are"
            " missing here; the App follows it."
        )


def load_local_ruleset(
    configuration: Config,
    own: Mapping[str, str] = _NONE,
    *,
    packs: Sequence[str] | None = None,
    added: Sequence[Path] = (),
) -> RuleSet:
    """The rules of the packs, the repository's own (text by path), and those in `added`.

    `packs` replaces the configuration's; "none" alone stands for no pack.
    """
    if packs is None:
        packs = configuration.packs
    elif "none" in packs:
        if len(packs) > 1:
            raise UsageError("--pack none goes with no other --pack.")
        packs = ()
    shipped = {path: text for name in packs for path, text in read_pack(name).items()}
    return with_known_authorities(load_ruleset({**shipped, **own, **read_rule_files(added)}))


def _texts(repository: GitCheckout, commit: str, paths: Sequence[str]) -> dict[str, str]:
    contents = {path: repository.content(commit, path) for path in paths}
    return {
        path: _text(path, content, RuleError)
        for path, content in contents.items()
        if content is not None
    }


def _text(path: str, content: bytes, error_type: type[FileError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_type(path, line, "", "is not UTF-8 text") from None


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
        raise FileError(str(path), 0, "", "is not UTF-8 text") from error
    looks_like_json = path.suffix == ".json" or text.lstrip().startswith("{")
    data = _json(text, path) if looks_like_json else parse_yaml(text, str(path), FileError).data
    if not isinstance(data, dict):
        problem = "must hold a mapping of names to values"
        raise FileError(str(path), 1, "", problem, hint='Such as {"monthly_overtime_hours": 52}.')
    return data


def _read(path: Path, option: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}.") from error


def _json(text: str, path: Path) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise FileError(str(path), error.lineno, "", f"is not valid JSON: {error.msg}") from error
    except ValueError as error:
        raise FileError(str(path), 0, "", f"cannot be facts: {error}") from error


def load_rules_at(paths: Sequence[Path] | None) -> RuleSet:
    """The rules of `in_force_at`."""
    return load_local_rules(paths)[0]


def load_local_rules(paths: Sequence[Path] | None) -> tuple[RuleSet, Config]:
    """The rules in `paths`; without any, those that the nearest configuration around here names.

    As they lie there, not as in the base: whoever edits rules wants to know of these. With `paths`
    the configuration is the default.
    """
    if paths:
        return with_known_authorities(load_ruleset(read_rule_files(paths))), Config()
    here = Path.cwd()
    root = next((up for up in (here, *here.parents) if (up / CONFIGURATION_PATH).is_file()), None)
    if root is None:
        return load_local_ruleset(Config()), Config()
    file = os.path.relpath(root / CONFIGURATION_PATH)
    if not Path(file).resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(file, 0, "", "is a link that leads out of the repository")
    try:
        text = Path(file).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(file, 0, "", f"cannot be read: {error}") from error
    configuration = load_config(file, text)
    warn_ignored_config(configuration)
    own = [os.path.relpath(root / entry) for entry in configuration.rules]
    return load_local_ruleset(configuration, read_rule_files(own, within=root)), configuration


def check_rule_files(paths: Sequence[Path] | None) -> str:
    """One line on what was loaded. Raises FileError where anything cannot be."""
    corpus = load_rules_at(paths)
    return f"{pluralize(len(corpus), 'rule')} in {pluralize(_files(corpus), 'file')} can be loaded."


def run_rule_examples(paths: Sequence[Path] | None) -> ExitCode:
    """Print each example that its rule does not treat as it says, and how many there were."""
    corpus = load_rules_at(paths)
    failures = run_examples(corpus)
    for failure in failures:
        line = f"{failure.rule.origin}: {failure.rule.id}: {failure.example} {failure.problem}"
        print(one_line(line), file=sys.stderr)  # noqa: T201 - a command speaks by printing
    examples = sum(
        len(rule.examples.valid) + len(rule.examples.invalid)
        for rule in corpus.rules.values()
        if runnable(rule)
    )
    if not examples:
        raise IncompleteError(
            f"Nothing was tested: {pluralize(len(corpus), 'rule')}, and no example to run.",
            hint="Give a rule that a computer decides `examples:`; see docs/rules.md.",
        )
    outcome = f"{pluralize(len(failures), 'example')} failed" if failures else "all as they say"
    ran = f"{pluralize(examples, 'example')} of {pluralize(len(corpus), 'rule')}: {outcome}."
    print(ran)  # noqa: T201 - as above
    return ExitCode.FINDINGS if failures else ExitCode.PASSED


def print_rules(paths: Sequence[Path] | None, *, as_json: bool) -> None:
    """Print the rules, each with its statement below it, or as JSON."""
    rules = list(load_rules_at(paths).rules.values())
    if as_json:
        print(json.dumps([_row(rule) for rule in rules], indent=2))  # noqa: T201 - as above
        return
    from rich.text import Text  # noqa: PLC0415 - a review that prints JSON needs no rich

    from jurat.reports.text import console_for  # noqa: PLC0415 - as above

    console = console_for(sys.stdout)
    for rule in rules:
        shadow = ", shadow" if rule.shadow else ""
        heading = Text.assemble((rule.id, "bold cyan"), f"  {rule.severity} {rule.kind}{shadow}")
        console.print(heading, soft_wrap=True)
        for line in textwrap.wrap(one_line(rule.statement), console.width - 4):
            console.print(Text(f"    {line}"), soft_wrap=True)


def _row(rule: Rule) -> dict[str, object]:
    return {**rule.model_dump(mode="json", exclude_defaults=True), "origin": rule.origin}


def _files(corpus: RuleSet) -> int:
    """How many files the rules stand in; an origin is `path:line`."""
    return len({rule.origin.rpartition(":")[0] for rule in corpus.rules.values()})
