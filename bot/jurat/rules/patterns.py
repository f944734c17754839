"""Structural patterns as ast-grep takes them, and everything that can be wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ast_grep_py import Config, SgNode, SgRoot

from jurat.rules.constraints import PatternConstraint
from jurat.rules.pattern_order import place_parts
from jurat.source.names import FAMILIES
from jurat.source.strict_json import KeyPath
from jurat.source.syntax import TooDeeplyNestedError, check_nesting

MAX_PATTERN = 1_000
"""Characters of one pattern: some grammars take a second for a few thousand hostile ones."""

METAVARIABLE = re.compile(r"\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)")
"""`$$$MANY` or `$ONE`, as ast-grep names them."""

_ANY_METAVARIABLE = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$\$?[A-Z_][A-Z0-9_]*")
_MANY = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?")
_RULE_KEYS = ("inside", "has", "precedes", "follows", "not", "stopBy", "ofRule", "nthChild")
_LIST_KEYS = ("all", "any")

# What ast-grep puts in place of "$" if a language has no such identifiers, so that a pattern
# parses (https://github.com/ast-grep/ast-grep/blob/main/crates/language/src/lib.rs).
_EXPANDO = {"c": "_", "cpp": "_", "css": "_", "nix": "_", "html": "z"} | dict.fromkeys(
    ("bash", "java", "javascript", "json", "lua", "scala", "tsx", "typescript", "yaml"), "$"
)


class PatternProblem(NamedTuple):
    """Something wrong with a pattern, at a key below the constraint."""

    where: KeyPath
    text: str


def compile_pattern(constraint: PatternConstraint) -> Config:
    """The constraint as ast-grep's configuration object."""
    rule = get_node_rule(constraint)
    utils = {**constraint.utils, **_list_name_utilities(constraint)}
    config: dict[str, Any] = {"rule": place_parts(rule, utils)}
    if constraint.constraints:
        config["constraints"] = constraint.constraints
    if utils:
        config["utils"] = place_parts(utils, utils)
    if constraint.transform:
        config["transform"] = constraint.transform
    return cast("Config", config)


def compile_peers(constraint: PatternConstraint) -> Config | None:
    """What the matches are an exception among, as ast-grep's configuration object; None if any."""
    if constraint.peers is None:
        return None
    utils = {**constraint.utils, **_list_name_utilities(constraint)}
    config: dict[str, Any] = {"rule": place_parts(constraint.peers, utils)}
    if utils:
        config["utils"] = place_parts(utils, utils)
    return cast("Config", config)


def get_node_rule(constraint: PatternConstraint) -> Mapping[str, Any]:
    """What a node must be, as the constraint says it."""
    return constraint.rule if constraint.rule is not None else {"pattern": constraint.pattern}


def _list_name_utilities(constraint: PatternConstraint) -> Mapping[str, Any]:
    """The names by their text alone. Whoever searches puts the places of a tree there instead."""
    return {
        key: {"regex": rf"(?s)^(new )?({'|'.join(re.escape(name) for name in said)})(\(.*\))?$"}
        for key, said in constraint.names.items()
    }


def lint_pattern(constraint: PatternConstraint) -> Iterator[PatternProblem]:
    """Why the constraint would not match what its author means, or its fix could not be filled."""
    where: KeyPath = ("rule",) if constraint.rule is not None else ("pattern",)
    for language in constraint.languages:
        for place, code in _list_patterns(constraint):
            if len(code) > MAX_PATTERN:
                yield PatternProblem(place, f"is longer than {MAX_PATTERN:,} characters")
                return
            try:
                # A pattern is parsed by the same grammar as a file, and can end the process as
                # well.
                check_nesting(code, language)
            except TooDeeplyNestedError as error:
                yield PatternProblem(place, f"{error}; write a smaller pattern")
                return
        try:
            # On an empty text: ast-grep parses the whole configuration before it looks for
            # anything.
            _get_empty_tree(language).find_all(compile_pattern(constraint))
            if (peers := compile_peers(constraint)) is not None:
                _get_empty_tree(language).find_all(peers)
        except Exception as error:  # noqa: BLE001 - ast-grep raises bare Exception and RuntimeError
            yield PatternProblem(where, f"not a pattern for {language}: {_find_cause(str(error))}")
            return
        for place, code in _list_patterns(constraint):
            if not _is_parsable(code, language):
                hint = "write the whole construct as context and name the part as selector"
                yield PatternProblem(place, f"{code!r} is not whole {language} code; {hint}")
                return
    yield from _lint_names(constraint)
    yield from _lint_fix(constraint)


def _lint_names(constraint: PatternConstraint) -> Iterator[PatternProblem]:
    for language in constraint.languages if constraint.names else ():
        if language not in FAMILIES:
            known = ", ".join(FAMILIES)
            yield PatternProblem(
                ("names",), f"are not resolved for {language}; they are for {known}"
            )
    used = set(
        _list_utilities(
            [constraint.rule, constraint.peers, constraint.constraints, constraint.utils]
        )
    )
    for key, said in constraint.names.items():
        if key in constraint.utils:
            yield PatternProblem(("names", key), "is one of utils as well")
        if key not in used:
            yield PatternProblem(("names", key), f"is not used: say matches: {key}")
        for at, name in enumerate(said):
            package = name.partition(".")[0]
            if "go" in constraint.languages and package in _TWO_PACKAGES:
                problem = f"{name!r} is in {_TWO_PACKAGES[package]}: write which"
                yield PatternProblem(("names", key, at), problem)


_TWO_PACKAGES = {
    "pprof": "net/http/pprof or runtime/pprof",
    "rand": "math/rand or crypto/rand",
    "scanner": "go/scanner or text/scanner",
    "template": "html/template or text/template",
}
"""Go: packages of the standard library that share their last word."""


def _list_utilities(rule: object) -> Iterator[str]:
    """The utilities that a rule refers to."""
    if isinstance(rule, Mapping):
        if isinstance(rule.get("matches"), str):
            yield rule["matches"]
        rule = list(rule.values())
    for item in rule if isinstance(rule, list) else ():
        yield from _list_utilities(item)


def list_captured(constraint: PatternConstraint) -> tuple[str, ...]:
    """The names of what a match may bind; whether it does may depend on the branch of an `any`."""
    # What stands under `not` is never bound: it is what did not match. What `utils` and `peers`
    # bind stays theirs.
    named = [
        name
        for place, code in _list_patterns(constraint)
        if "not" not in place and place[0] not in ("utils", "peers")
        for name in _list_names(code)
    ]
    return tuple(
        dict.fromkeys(name for name in (*named, *constraint.transform) if not name.startswith("_"))
    )


def _lint_fix(constraint: PatternConstraint) -> Iterator[PatternProblem]:
    bound = list_captured(constraint)
    for name in _list_names(constraint.fix or ""):
        if name not in bound:
            known = ", ".join(sorted(f"${name}" for name in bound)) or "none"
            yield PatternProblem(
                ("fix",), f"${name} is not bound by the pattern; bound are {known}"
            )


def _list_names(code: str) -> list[str]:
    return [many or one for many, one in METAVARIABLE.findall(code)]


def _list_patterns(constraint: PatternConstraint) -> Iterator[tuple[KeyPath, str]]:
    """All pattern texts of a constraint with their keys."""
    if constraint.pattern is not None:
        yield ("pattern",), constraint.pattern
    if constraint.rule is not None:
        yield from _find_in_rule(constraint.rule, ("rule",))
    yield from _find_in_rule(constraint.peers, ("peers",))
    for name in ("constraints", "utils"):
        for key, rule in getattr(constraint, name).items():
            yield from _find_in_rule(rule, (name, key))


def _find_in_rule(rule: object, where: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if not isinstance(rule, Mapping):
        return
    pattern = rule.get("pattern")
    if isinstance(pattern, str):
        yield (*where, "pattern"), pattern
    elif isinstance(pattern, Mapping) and isinstance(pattern.get("context"), str):
        yield (*where, "pattern", "context"), pattern["context"]
    for key in _RULE_KEYS:
        yield from _find_in_rule(rule.get(key), (*where, key))
    for key in _LIST_KEYS:
        inner = rule.get(key)
        for index, item in enumerate(inner if isinstance(inner, list) else ()):
            yield from _find_in_rule(item, (*where, key, index))


@lru_cache(maxsize=64)
def _get_empty_tree(language: str) -> SgNode:
    return SgRoot("", language).root()


@lru_cache(maxsize=1024)
def _is_parsable(code: str, language: str) -> bool:
    """Whether a pattern is whole code, whatever its metavariables stand for.

    ast-grep accepts a pattern that does not parse, and then never finds what its author means.
    """
    # Alone it is no statement of Java's, and any node to ast-grep all the same.
    if _ANY_METAVARIABLE.fullmatch(code):
        return True
    expando = _EXPANDO.get(language, "µ")
    name = _ANY_METAVARIABLE.sub(lambda match: match[0].replace("$", expando), code)
    none = _MANY.sub("", code)
    candidates = (
        name,
        _ANY_METAVARIABLE.sub(lambda match: match[0].replace("$", expando), none),
        _ANY_METAVARIABLE.sub("1", none),
    )
    return any(
        SgRoot(f"{text}\n", language).root().find(kind="ERROR") is None
        for text in dict.fromkeys(candidates)
    )


def _find_cause(message: str) -> str:
    """The innermost cause of an ast-grep error, without the stack that it carries."""
    message = message.partition("\n\nStack backtrace:")[0]
    _, _, causes = message.rpartition("Caused by:\n")
    innermost = re.split(r"(?:^|\n)\s+\d+: ", causes)[-1]
    return " ".join(innermost.split())
