"""What code may be lacking under a rule: elements that its own valid examples have.

A rule that asks for something, such as a timeout, a key or a flag, shows in its examples what that
looks like. Each element that no invalid example has is put into the code by way of trial.
"""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from jurat.engine.fixes import Replacement
from jurat.engine.rule_examples import normalize_example
from jurat.rules.rule import Example, Rule
from jurat.source.syntax import TooDeeplyNestedError, parse

OPTIONS = frozenset({"keyword_argument", "pair", "keyed_element", "named_argument"})
"""What a call or a literal can do without: to leave out a positional argument is no small edit."""

_KEYS = frozenset({"block_mapping_pair"})
_MOST_LINES = 3
"""Lines of an element that is still a small edit."""


def list_elements(rule: Rule, language: str) -> tuple[tuple[str, str], ...]:
    """Elements that fit code has and unfit has not, each with the kind of node that holds it."""
    fit: dict[tuple[str, str], None] = {}
    unfit: set[tuple[str, str]] = set()
    for entry in rule.examples.valid:
        fit |= dict.fromkeys(_iter_elements(normalize_example(entry), language))
    for entry in rule.examples.invalid:
        unfit |= set(_iter_elements(normalize_example(entry), language))
    return tuple(sorted((one for one in fit if one not in unfit), key=lambda one: len(one[0])))


def _iter_elements(example: Example, language: str) -> Iterator[tuple[str, str]]:
    if example.code is None or example.language not in (None, language):
        return
    try:
        root = parse(example.code, language).root()
    except TooDeeplyNestedError:
        return
    waiting = [root]
    while waiting:
        node = waiting.pop()
        holder = node.parent()
        is_small = node.text().count("\n") < _MOST_LINES
        if holder is not None and node.kind() in OPTIONS | _KEYS and is_small:
            yield node.text(), holder.kind()
        waiting += reversed(node.children())


def place_element(node: SgNode, text: str, holder: str) -> Replacement | None:
    """How to put an element into the nearest holder of that kind; None if there is none.

    That is the node itself, a child of it or of what it is a part of (a rule may match the name of
    a call alone), or anything inside.
    """
    around = [one for one in (node, node.parent()) if one is not None]
    near = [node, *(child for one in around for child in one.children())]
    found = next((one for one in near if one.kind() == holder), None)
    found = found or node.find({"rule": {"kind": holder}})
    if found is None:
        return None
    inside = [child for child in found.children() if child.is_named() and child.kind() != "comment"]
    if not inside:
        start = found.range().start.index + 1
        return None if holder == "block_mapping" else Replacement(start, start, text)
    # YAML's last entry has the line break behind it for its own.
    end = inside[-1].range().start.index + len(inside[-1].text().rstrip())
    if holder == "block_mapping":
        margin = " " * inside[0].range().start.column
        return Replacement(end, end, f"\n{margin}{text}")
    return Replacement(end, end, f", {text}")
