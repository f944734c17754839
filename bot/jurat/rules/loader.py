"""From the texts of rule files to a checked RuleSet. Pure: `jurat.rules.files` reads the texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache

from jurat.errors import ConfigurationError, FileError, RuleError, UsageError
from jurat.resources import get_bundled_path
from jurat.rules.compiled_files import recall_or_make
from jurat.rules.config import EXTENDS, Config, ConfigurationFile, parse_extends
from jurat.rules.constraints import LookupConstraint
from jurat.rules.flows import FlowVocabulary, ValueConstraint
from jurat.rules.level import is_rule_glob, iter_level_paths, iter_rule_names
from jurat.rules.lint import lint_glob, lint_rule
from jurat.rules.measured import with_merits
from jurat.rules.merit import Merit
from jurat.rules.rule import Pack, Rule, RuleFile, RuleSet, Table
from jurat.rules.tables import list_table_paths, parse_table, resolve_table_path
from jurat.rules.validation import build_file_error, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath
from jurat.source.strict_yaml import Document, parse_yaml

RULE_FILES = (".yml", ".yaml")
TABLE_FILES = (".csv",)


@dataclass(frozen=True, slots=True)
class _LoadedFile:
    """A rule file as it was read by itself, and the lookup tables that it names.

    `lines` are those of its rules' ids. `settled` are the rules of a shipped file as they are if no
    vocabulary but the shipped ones has a say; None if the file is somebody's own.
    """

    content: RuleFile
    lines: tuple[int, ...]
    tables: frozenset[str]
    settled: tuple[Rule, ...] | None = None


def load_ruleset(files: Mapping[str, str]) -> RuleSet:
    """The rules of all `files`, text by path, in their order.

    A file is a rule file (.yml, .yaml) or a lookup table that some rule file names. Raises the
    first RuleError, with the others in `further`: one rule that cannot be loaded stops the run.
    Shipped rules have been checked by the test suite, and are not linted at each start.
    """
    loaded, tables = _load_files(files)
    vocabularies = _list_vocabularies(loaded.values())
    own_words = _list_vocabularies(file for file in loaded.values() if file.settled is None)
    errors: list[FileError] = []
    rules: dict[str, Rule] = {}
    places: dict[str, tuple[str, KeyPath]] = {}

    def report(path: str, where: KeyPath, problem: str) -> None:
        # Parsed again, because few files have an error, and each is read at each start.
        document = parse_yaml(files[path], path, RuleError)
        errors.append(build_file_error(RuleError, path, document, where, problem))

    for path, file in loaded.items():
        proven, placed = file.settled is not None, file.settled
        if placed is None or own_words:
            placed = _place_rules(path, file, vocabularies)
        for index, rule in enumerate(placed):
            where: KeyPath = ("rules", index)
            if rule.id in rules:
                problem = f"the id {rule.id!r} stands in {rules[rule.id].origin} already"
                report(path, (*where, "id"), problem)
                continue
            rules[rule.id] = rule.with_merit(Merit()) if proven and rule.merit is None else rule
            places[rule.id] = (path, where)
            for inner, text in () if proven else lint_rule(rule, path, tables, vocabularies):
                report(path, (*where, *inner), text)
    # When all files are read: a rule may relate to one in a file that comes later.
    for path, where, problem in _find_relation_errors(rules, places):
        report(path, where, problem)
    raise_errors(errors)
    return RuleSet(
        with_merits(rules),
        tuple(file.content.pack for file in loaded.values() if file.content.pack is not None),
        {
            (rule.id, name): tables[resolve_table_path(places[rule.id][0], name)]
            for rule in rules.values()
            for name in _list_tables_of(rule)
        },
    )


def _load_files(
    files: Mapping[str, str],
) -> tuple[Mapping[str, _LoadedFile], Mapping[str, Table]]:
    """The rule files, in their order, and the tables that they name, by path."""
    shipped = _load_shipped(tuple(_iter_shipped(files)))
    documents = _parse_all({path: text for path, text in files.items() if path not in shipped})
    named = {
        table
        for path, document in documents.items()
        for table in list_table_paths(path, document.data)
    }.union(*(file.tables for file in shipped.values()))
    tables = _parse_tables({path: files[path] for path in files if path in named})
    own = _validate_all({path: one for path, one in documents.items() if path not in named})
    found = {**shipped, **own}
    return {path: found[path] for path in files if path in found}, tables


def _list_vocabularies(files: Iterable[_LoadedFile]) -> list[FlowVocabulary]:
    return [file.content.vocabulary for file in files if file.content.vocabulary is not None]


# A server loads the same packs for each review. Their key is the texts, and nobody changes what
# this gives; between processes, `recall_or_make` keeps it: 12 ms instead of 120.


def _iter_shipped(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in files.items():
        if path.endswith(RULE_FILES) and is_shipped(path, text):
            yield path, text


@cache
def _load_shipped(files: tuple[tuple[str, str], ...]) -> Mapping[str, _LoadedFile]:
    """Shipped files, which the test suite has checked."""
    if not files:
        return {}
    texts = dict(files)
    return recall_or_make("packs", texts, lambda: _read_shipped(texts))


def _read_shipped(texts: Mapping[str, str]) -> dict[str, _LoadedFile]:
    documents = _parse_all(texts)
    named = {t for path, one in documents.items() for t in list_table_paths(path, one.data)}
    loaded = _validate_all({path: one for path, one in documents.items() if path not in named})
    vocabularies = _list_vocabularies(loaded.values())
    found = {}
    for path, file in loaded.items():
        placed = _place_rules(path, file, vocabularies)
        for rule in placed:
            _ = rule.substance, rule.revision  # they are kept with the rule once somebody asked
        # Shared by all rule sets, so that each rule is digested once.
        settled = tuple(rule.with_merit(Merit()) for rule in placed)
        found[path] = replace(file, settled=settled)
    return found


def load_config(path: str, text: str) -> Config:
    """A repository's configuration. An empty file is the default. Raises ConfigurationError."""
    return _parse_configuration(path, text)[0]


def load_configuration_file(path: str, text: str) -> ConfigurationFile:
    """One file of a chain that `_extends` makes. Raises ConfigurationError as it would alone."""
    configuration, document = _parse_configuration(path, text)
    data = {key: value for key, value in (document.data or {}).items() if key != EXTENDS}
    line = document.line((EXTENDS,))
    return ConfigurationFile(path, data, configuration.extends, line, document.lines)


def _parse_configuration(path: str, text: str) -> tuple[Config, Document]:
    document = parse_yaml(text, path, ConfigurationError)
    configuration = validate_document(Config, document, path, ConfigurationError)
    problems: list[tuple[KeyPath, str]] = []
    known = list_packs()
    for index, pack in enumerate(configuration.packs):
        if pack not in known:
            problems.append((("packs", index), f"unknown pack {pack!r}; {suggest(known, pack)}"))
    regulations = list_regulations()
    for index, regulation in enumerate(configuration.rating.regulations):
        if regulation not in regulations:
            unknown = f"unknown regulation {regulation!r}; {suggest(regulations, regulation)}"
            problems.append((("rating", "regulations", index), unknown))
    for index, entry in enumerate(configuration.rules):
        if not _is_inside(entry):
            services = f"{entry!r} must be a path in this repository, such as .github/rules"
            problems.append((("rules", index), services))
    globs: list[tuple[KeyPath, str]] = [
        (("ignore", index), glob) for index, glob in enumerate(configuration.ignore)
    ]
    globs += [(("surfaces", glob), glob) for glob in configuration.surfaces]
    levels = (document.data or {}).get("levels", {})
    globs += [
        (("levels", *where), name) for where, name in iter_rule_names(levels) if is_rule_glob(name)
    ]
    globs += [(("levels", *where), glob) for where, glob in iter_level_paths(levels)]
    problems += [(where, problem) for where, glob in globs if (problem := lint_glob(glob))]
    if configuration.extends is not None and parse_extends(configuration.extends, "", path) is None:
        problem = f"must be repo, owner/repo or owner/repo:path.yml, not {configuration.extends!r}"
        problems.append(((EXTENDS,), problem))
    raise_errors(
        build_file_error(ConfigurationError, path, document, where, problem)
        for where, problem in problems
    )
    return configuration, document


def _is_inside(entry: str) -> bool:
    """Whether a path, as the configuration writes it, leads nowhere but into its repository."""
    parts = set(re.split(r"[/\\]", entry))
    return bool(entry) and not entry.startswith("/") and parts.isdisjoint(("..", ".git"))


def find_missing_tables(files: Mapping[str, str]) -> frozenset[str]:
    """Paths of lookup tables that the rule files among `files` name and that are not there."""
    wanted = {path: text for path, text in files.items() if "lookup_table" in text}
    return frozenset(
        table
        for path, document in _parse_all(wanted).items()
        for table in list_table_paths(path, document.data)
        if table not in files
    )


def _parse_all(files: Mapping[str, str]) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    errors: list[FileError] = []
    for path, text in files.items():
        if not path.endswith(RULE_FILES):
            continue
        try:
            documents[path] = parse_yaml(text, path, RuleError)
        except RuleError as error:
            errors.append(error)
    raise_errors(errors)
    return documents


def _parse_tables(files: Mapping[str, str]) -> dict[str, Table]:
    return {path: parse_table(path, text) for path, text in files.items()}


def _validate_all(documents: Mapping[str, Document]) -> dict[str, _LoadedFile]:
    loaded: dict[str, _LoadedFile] = {}
    errors: list[FileError] = []
    for path, document in documents.items():
        try:
            if document.data is None:
                raise RuleError(path, 0, "", "is empty; a rule file has the key rules")  # noqa: TRY301 - collected with the others
            errors += [
                build_file_error(RuleError, path, document, where, "unknown key")
                for where in _find_origins(document)
            ]
            found = validate_document(RuleFile, document, path, RuleError)
            lines = (document.line(("rules", index, "id")) for index in range(len(found.rules)))
            tables = frozenset(list_table_paths(path, document.data))
            loaded[path] = _LoadedFile(found, tuple(lines), tables)
            if not found.rules and (found.vocabulary is None or "rules" in found.model_fields_set):
                is_there = "rules" in found.model_fields_set
                problem = "holds no rule; see `jurat rules new`" if is_there else "is required"
                errors.append(build_file_error(RuleError, path, document, ("rules",), problem))
        except RuleError as error:
            errors += [error, *error.others]
    raise_errors(errors)
    return loaded


def _find_origins(document: Document) -> Iterator[KeyPath]:
    """Where a rule file sets `origin`, which is set here and by nobody else."""
    return (where for where in document.lines if where[-1] == "origin" and len(where) == 3)


def _place_rules(
    path: str, file: _LoadedFile, vocabularies: Sequence[FlowVocabulary]
) -> tuple[Rule, ...]:
    return tuple(
        _place_rule(rule, file.content.pack, f"{path}:{line}", vocabularies)
        for rule, line in zip(file.content.rules, file.lines, strict=True)
    )


def _place_rule(
    rule: Rule, pack: Pack | None, origin: str, vocabularies: Sequence[FlowVocabulary]
) -> Rule:
    tags = (*pack.tags, *rule.tags) if pack is not None else rule.tags
    updated: dict[str, object] = {"origin": origin, "tags": tuple(dict.fromkeys(tags))}
    if any(isinstance(item, ValueConstraint) for item in rule.constraints):
        updated["constraints"] = tuple(
            item.with_vocabulary(vocabularies) if isinstance(item, ValueConstraint) else item
            for item in rule.constraints
        )
    return rule.model_copy(update=updated)


def _list_tables_of(rule: Rule) -> Iterator[str]:
    for constraint in (*rule.constraints, *rule.preconditions):
        if isinstance(constraint, LookupConstraint):
            yield constraint.lookup_table


def _find_relation_errors(
    rules: Mapping[str, Rule], places: Mapping[str, tuple[str, KeyPath]]
) -> Iterator[tuple[str, KeyPath, str]]:
    for rule in rules.values():
        path, where = places[rule.id]
        for relation, target in rule.relations.targets():
            if target == rule.id:
                problem = "a rule cannot relate to itself"
            elif target not in rules:
                problem = f"there is no rule {target!r}; {_suggest_rule(target, rules)}"
            elif relation == "overrides" and _is_overriding(target, rule.id, rules):
                problem = f"{target!r} overrides this rule in turn, so neither would hold"
            else:
                continue
            index = getattr(rule.relations, relation).index(target)
            yield path, (*where, "relations", relation, index), problem


def _is_overriding(start: str, target: str, rules: Mapping[str, Rule]) -> bool:
    """Whether `start` overrides `target`, itself or by those that it overrides."""
    seen, left = {start}, [start]
    while left:
        for name in rules[left.pop()].relations.overrides:
            if name == target:
                return True
            if name in rules and name not in seen:
                seen.add(name)
                left.append(name)
    return False


def _suggest_rule(target: str, rules: Mapping[str, Rule]) -> str:
    close = get_close_matches(target, rules, n=1)
    return f"did you mean {close[0]!r}?" if close else "jurat rules list shows all"


_PREFIX = "jurat:"
"""Begins the paths of shipped files."""

_REGULATIONS = "regulations"
"""The folder of what repositories are rated by (see jurat.rating.pack): no rules for a change."""


@cache
def list_packs() -> tuple[str, ...]:
    """The names of all packs, sorted."""
    folder = get_bundled_path("rules")
    named = (path.name for path in folder.iterdir() if any(path.glob("*.yml")))
    return tuple(sorted(name for name in named if name != _REGULATIONS))


@cache
def list_regulations() -> tuple[str, ...]:
    """The ids of all regulations that a repository can be rated by, sorted."""
    return tuple(
        sorted(path.stem for path in get_bundled_path("rules", _REGULATIONS).glob("*.yml"))
    )


def is_shipped(path: str, text: str) -> bool:
    """Whether a file is a pack's, word for word. The test suite has checked its rules already."""
    name = path.removeprefix(_PREFIX).partition("/")[0]
    # Word for word: a repository that calls a file of its own so must not escape the checks.
    return path.startswith(_PREFIX) and name in list_packs() and read_pack(name).get(path) == text


@cache
def _read_pack_files(name: str) -> tuple[tuple[str, str], ...]:
    folder = get_bundled_path("rules", name)
    return tuple(
        (f"{_PREFIX}{name}/{path.relative_to(folder).as_posix()}", path.read_text("utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".yml", ".yaml", ".csv"}
    )


def read_pack(name: str) -> dict[str, str]:
    """The files of a pack, text by path. Raises UsageError if there is no such pack."""
    known = list_packs()
    if name not in known:
        raise UsageError(f"There is no pack {name!r}; {suggest(known, name)}")
    return dict(_read_pack_files(name))
