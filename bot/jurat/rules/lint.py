"""What a single rule may not say, beyond the shape of its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jurat.rules.constraints import (
    LookupConstraint,
    OrderConstraint,
    PatternConstraint,
    RegexConstraint,
    lint_regex,
)
from jurat.rules.flows import FlowConstraint, FlowVocabulary, ValueConstraint, lint_flow
from jurat.rules.messages import lint_messages
from jurat.rules.patterns import PatternProblem, lint_pattern
from jurat.rules.rule import Example, Rule, RuleKind, Table
from jurat.rules.tables import resolve_table_path
from jurat.source.paths import compile_glob
from jurat.source.strict_json import KeyPath

_CODE = (PatternConstraint, RegexConstraint, ValueConstraint)


def lint_rule(
    rule: Rule,
    path: str,
    tables: Mapping[str, Table],
    vocabularies: Sequence[FlowVocabulary] = (),
) -> Iterator[PatternProblem]:
    """Everything wrong with a rule from the file `path`.

    `tables` are all tables, by path, `vocabularies` those of all rule files.
    """
    yield from _lint_kind(rule)
    yield from _lint_examples(rule)
    yield from lint_messages(rule)
    for index, glob in enumerate(rule.paths):
        if problem := lint_glob(glob.removeprefix("!")):
            yield PatternProblem(("paths", index), problem)
    for name in ("constraints", "preconditions"):
        for index, constraint in enumerate(getattr(rule, name)):
            for where, text in _lint_constraint(constraint, path, tables):
                yield PatternProblem((name, index, *where), text)
            if isinstance(constraint, FlowConstraint):
                for where, text in lint_flow(constraint, vocabularies):
                    yield PatternProblem((name, index, *where), text)


def lint_glob(glob: str) -> str | None:
    """Why a glob matches nothing, or something else than it seems to; None if it is fine."""
    if not glob:
        return "must not be empty"
    if glob.startswith("/") or glob.endswith("/"):
        return f"{glob!r} must neither start nor end with '/': paths are relative, folders are x/**"
    if "\\" in glob:
        return f"{glob!r} must separate folders with '/'"
    for opening, closing in ("[]", "{}"):
        if glob.count(opening) != glob.count(closing):
            return f"{glob!r} has an unmatched {opening!r} or {closing!r}"
    try:
        compile_glob(glob)
    except Exception as error:  # noqa: BLE001 - wcmatch raises its private PatternLimitException
        return f"{glob!r} is not a glob: {error}"
    return None


def _lint_kind(rule: Rule) -> Iterator[PatternProblem]:
    for index, constraint in enumerate(rule.constraints):
        wanted = (
            RuleKind.PROCEDURAL
            if isinstance(constraint, OrderConstraint)
            else RuleKind.COMPUTATIONAL
        )
        if rule.kind is not wanted:
            text = f"{constraint.type} needs a rule of kind: {wanted}; this one is {rule.kind}"
            yield PatternProblem(("constraints", index, "type"), text)
    for index, condition in enumerate(rule.preconditions):
        if isinstance(condition, (*_CODE, OrderConstraint)):
            text = f"a precondition is about facts; {condition.type} cannot be one"
            yield PatternProblem(("preconditions", index, "type"), text)
        elif not isinstance(condition, str) and condition.message is not None:
            text = "a precondition finds nothing, so it has nothing to say"
            yield PatternProblem(("preconditions", index, "message"), text)


def _lint_examples(rule: Rule) -> Iterator[PatternProblem]:
    code = [item for item in rule.constraints if isinstance(item, _CODE)]
    fixes = any(isinstance(item, PatternConstraint) and item.fix is not None for item in code)
    for name in ("valid", "invalid"):
        for index, example in enumerate(getattr(rule.examples, name)):
            where: KeyPath = ("examples", name, index)
            is_facts = isinstance(example, Example) and example.facts is not None
            if is_facts and code and len(code) == len(rule.constraints):
                yield PatternProblem(where, "this rule looks at code, so its examples are code")
            if not is_facts and rule.kind is RuleKind.COMPUTATIONAL and not code:
                yield PatternProblem(
                    where, "this rule looks at facts: write the example as facts: {...}"
                )
            if isinstance(example, Example) and example.fixed is not None:
                if not fixes:
                    yield PatternProblem((*where, "fixed"), "no constraint of this rule has a fix")
                if name == "valid":
                    yield PatternProblem((*where, "fixed"), "a valid example needs no fixing")


def _lint_constraint(
    constraint: object, path: str, tables: Mapping[str, Table]
) -> Iterator[PatternProblem]:
    if isinstance(constraint, PatternConstraint):
        yield from lint_pattern(constraint)
        if constraint.instead and (problem := lint_regex(constraint.instead, "every line")):
            yield PatternProblem(("instead",), problem)
    elif isinstance(constraint, RegexConstraint):
        if problem := lint_regex(constraint.pattern, "every line"):
            yield PatternProblem(("pattern",), problem)
        inside = constraint.unless
        if inside and (problem := lint_regex(inside, "whatever is matched")):
            yield PatternProblem(("unless",), problem)
        behind = constraint.followed_by
        if behind and (problem := lint_regex(behind, "whatever follows")):
            yield PatternProblem(("followed_by",), problem)
    elif isinstance(constraint, LookupConstraint):
        yield from _lint_lookup(constraint, path, tables)


def _lint_lookup(
    constraint: LookupConstraint, path: str, tables: Mapping[str, Table]
) -> Iterator[PatternProblem]:
    try:
        wanted = resolve_table_path(path, constraint.lookup_table)
    except ValueError as error:
        yield PatternProblem(("lookup_table",), str(error))
        return
    table = tables.get(wanted)
    if table is None:
        yield PatternProblem(("lookup_table",), f"there is no table {wanted}")
        return
    for key, column in (
        ("key_column", constraint.key_column),
        ("result_column", constraint.result_column),
    ):
        if column is not None and column not in table[0]:
            known = ", ".join(table[0])
            yield PatternProblem((key,), f"{wanted} has no column {column!r}; it has {known}")
            return
    seen: set[str] = set()
    for row in table:
        value = row[constraint.key_column]
        if value in seen:
            yield PatternProblem(("key_column",), f"{wanted} has several rows for {value!r}")
            return
        seen.add(value)
