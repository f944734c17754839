"""A pattern looked for in a tree, with the names that its rule says resolved for that tree.

ast-grep knows nothing of imports. A utility such as `weak: [hashlib.md5]` therefore becomes, for
each tree anew, the places at which an expression means `hashlib.md5` there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ast_grep_py import Config, SgNode
from ast_grep_py import Rule as NodeRule

from jurat.engine.exceptional_nodes import list_exceptions
from jurat.engine.narrowed_rules import choose_utilities, narrow_config
from jurat.engine.regex_filter import RegexFilter
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import FlowQuestion
from jurat.rules.messages import list_messages
from jurat.rules.patterns import compile_pattern, compile_peers
from jurat.rules.rule import Rule
from jurat.source.names import Names, UnresolvedNamesError, bind_text

MAX_PLACES = 300
"""Places of one name that are listed one by one: ast-grep compares every node with each of them."""


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """One pattern. `rule` is its rule's number in a run, `config` what ast-grep takes.

    `names` are the utilities of `config` that mean names of the file, `messages` what may be said
    of a match (see rules/messages.py). A query that follows values has `questions` instead, by
    language. `removed`, `instead` and `disguised` are those of its constraint. Queries with the
    same `utilities` refer to the same ones; it is empty for none, or if they are not all it needs.
    `peers` is what ast-grep takes for those that its matches are an exception among, None if any
    match counts.
    """

    messages: tuple[str, ...]
    languages: tuple[str, ...]
    config: Mapping[str, Any]
    names: Mapping[str, Sequence[str]]
    fix: str | None
    auto_applicable: bool
    description: str
    consequence: str = ""
    questions: Mapping[str, FlowQuestion] = field(default_factory=dict)
    removed: bool = False
    instead: str = ""
    disguised: bool = False
    utilities: str = ""
    peers: Mapping[str, Any] | None = None
    rule: int = 0


def build_query(rule: Rule, constraint: PatternConstraint) -> PatternQuery:
    """The query of one pattern of a rule."""
    config = cast("Mapping[str, Any]", compile_pattern(constraint))
    alone = "constraints" in config or "utils" not in config
    utilities = "" if alone else json.dumps([config["utils"], constraint.names])
    if "utils" in config and "transform" not in config:
        config = {**config, "utils": choose_utilities(config)}
    return PatternQuery(
        messages=list_messages(rule, constraint),
        languages=constraint.languages,
        config=config,
        names=constraint.names,
        fix=constraint.fix,
        auto_applicable=constraint.is_fixed_by_itself,
        description=rule.fix or rule.statement,
        consequence=constraint.consequence or "",
        removed=constraint.removed,
        instead=constraint.instead or "",
        disguised=constraint.disguised,
        utilities=utilities,
        peers=cast("Mapping[str, Any] | None", compile_peers(constraint)),
    )


def search_tree(
    text: str, root: SgNode, language: str, query: PatternQuery, regexes: RegexFilter
) -> list[SgNode]:
    """The matches of a pattern in the tree of `text`. Raises UnresolvedNamesError.

    `regexes` are asked about the text of the tree, which may be written in older words.
    """
    found = _find_all(text, root, language, query, regexes)
    if query.peers is None or not found:
        return found
    among = replace(query, config=query.peers, peers=None)
    peers = _find_all(text, root, language, among, regexes)
    return list_exceptions(found, peers)


def _find_all(
    text: str, root: SgNode, language: str, query: PatternQuery, regexes: RegexFilter
) -> list[SgNode]:
    config = _bind_config(text, root, language, query, regexes)
    return [] if config is None else root.find_all(cast("Config", config))


def can_match_one(
    text: str,
    root: SgNode,
    language: str,
    queries: Sequence[PatternQuery],
    regexes: RegexFilter,
) -> bool:
    """Whether one of the queries may match; all have the same `utilities`.

    ast-grep compiles these for each search, which takes longer than the search: several are asked
    at once whether there is anything to be found. Raises UnresolvedNamesError.
    """
    bound = (_bind_config(text, root, language, one, regexes) for one in queries)
    found = [config for config in bound if config is not None]
    if len(found) < 2:
        return bool(found)
    utils = {key: said for one in found for key, said in one["utils"].items()}
    whole = {"rule": {"any": [one["rule"] for one in found]}, "utils": utils}
    return root.find(cast("Config", whole)) is not None


def _bind_config(
    text: str, root: SgNode, language: str, query: PatternQuery, regexes: RegexFilter
) -> Mapping[str, Any] | None:
    """What ast-grep takes, with the names that the rule says; None if that can match nothing."""
    if query.peers is not None:
        # Most files have none: no exception is looked for there.
        peers = replace(query, config=query.peers, peers=None)
        if _bind_config(text, root, language, peers, regexes) is None:
            return None
    config = query.config
    if query.names:
        try:
            names = bind_text(text, language)
        except UnresolvedNamesError:
            # A bundle has its modules in itself: if it names none of the rule's, only globals are
            # meant, which `config` looks for by their text.
            if any(_is_imported(name, text) for said in query.names.values() for name in said):
                raise
            return config
        # In the place of names by their text, which an alias has not, anything for now.
        used = config.get("utils", {})
        anything: Mapping[str, Any] = {key: {} for key in query.names if key in used}
        narrowed = narrow_config({**config, "utils": {**used, **anything}}, frozenset(), regexes)
        if narrowed is None:
            return None
        found = {key: names.find(query.names[key]) for key in anything if key in narrowed["utils"]}
        absent = frozenset(key for key, nodes in found.items() if not nodes)
        narrowed = narrow_config(narrowed, absent, regexes) if absent else narrowed
        if narrowed is None:
            return None
        left = narrowed["utils"]
        utils = {key: _build_utility(names, found[key], root) for key in left if key in found}
        return {**narrowed, "utils": {**left, **utils}}
    return narrow_config(config, frozenset(), regexes)


def _is_imported(name: str, text: str) -> bool:
    """Whether a text may import what a name is of, in whatever language."""
    module = re.split(r"[.*]", name)[0]
    return re.search(rf"""["'`/]{re.escape(module)}["'`/]|\bimport\s+[^"']""", text) is not None


def _build_utility(names: Names, found: Sequence[SgNode], root: SgNode) -> NodeRule:
    """A rule for these expressions, all of which mean one of a few names."""
    if not found:
        return {"kind": root.kind(), "not": {"kind": root.kind()}}
    if len(found) <= MAX_PLACES:
        return {"any": [_build_place(node) for node in found]}
    # What always means it, wherever it stands, is known by its text.
    groups = Counter((node.kind(), node.text()) for node in found)
    common = {group for group, number in groups.items() if number == names.count(*group)}
    rest = [node for node in found if (node.kind(), node.text()) not in common]
    if len(common) + len(rest) > MAX_PLACES:
        raise UnresolvedNamesError("it says one name too often for all places to be looked at")
    return {"any": [*_list_texts(common), *map(_build_place, rest)]}


def _list_texts(groups: Iterable[tuple[str, str]]) -> Iterable[NodeRule]:
    for kind, text in groups:
        yield {"kind": kind, "regex": f"^{_escape(text)}$"}


def _escape(text: str) -> str:
    return "".join(char if char.isalnum() else f"\\x{{{ord(char):x}}}" for char in text)


def _build_place(node: SgNode) -> NodeRule:
    span = node.range()
    return cast(
        "NodeRule",
        {
            "kind": node.kind(),
            "range": {
                "start": {"line": span.start.line, "column": span.start.column},
                "end": {"line": span.end.line, "column": span.end.column},
            },
        },
    )
