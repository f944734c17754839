"""Whether two findings are one under other names: what a rename, an alias or a formatter leaves.

Code is compared by what it says: imported names in full, the file's own numbered in their order,
without annotations, trailing commas and the kind of its quotes. Two names are one renamed if the
old one is gone from around the head's code, and the new one was not around the base's: who puts
another value that was there already into an old call has written a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.baseline import Occurrence
from jurat.source.definitions import list_enclosing
from jurat.source.name_bindings import find_kinds
from jurat.source.names import FAMILIES, Names, UnresolvedNamesError, bind_text

_ANNOTATIONS = frozenset({"type", "type_annotation"})
_QUOTES = re.compile(r"""\\?(?:\"""|'''|["'])""")
_CLOSING = frozenset(")]}")
_WITH_SHORTHANDS = frozenset({"javascript", "typescript", "tsx"})
_SHORTHANDS = ("shorthand_property_identifier", "shorthand_property_identifier_pattern")
_MOST = 20_000
"""Characters of a match that is compared by what it says: a class or a page is nobody's rename."""


class Phrase(NamedTuple):
    """What a piece of code says.

    `names` are the file's own in `shape`, in the order of their numbers, `around` all words of the
    function or, outside of one, of the file that it stands in.
    """

    shape: str
    names: tuple[str, ...]
    around: frozenset[str]


def read_phrase(node: SgNode, text: str, language: str) -> Phrase | None:
    """What a node of the tree of `text` says; None if its names cannot be resolved."""
    if language not in FAMILIES or len(node.text()) > _MOST:
        return None
    try:
        names = bind_text(text, language)
        numbers: dict[str, int] = {}
        shape = "".join(_spell(node, names, numbers, language))
    except (UnresolvedNamesError, RecursionError):
        return None
    enclosing = next(list_enclosing(node, language), None)
    around = node.get_root().root() if enclosing is None else enclosing
    return Phrase(shape, tuple(numbers), frozenset(list_variables(around, language)))


def list_variables(around: SgNode, language: str) -> list[str]:
    """The words in a part of a file that may name a variable, as often as they stand there."""
    kinds = ("identifier", *(_SHORTHANDS if language in _WITH_SHORTHANDS else ()))
    return [node.text() for node in find_kinds(around, kinds)]


def _spell(node: SgNode, names: Names, numbers: dict[str, int], language: str) -> Iterator[str]:
    kind, family = node.kind(), FAMILIES[language]
    if kind in family.identifiers or kind in family.members:
        name = names.qualify(node)
        if name is not None and ("." in name or "/" in name or name == node.text()):
            yield f"⟨{name}⟩"
            return
        if kind in family.identifiers and not _is_label(node):
            yield f"⟨{numbers.setdefault(node.text(), len(numbers))}⟩"
            return
    text, start, at = node.text(), node.range().start.index, 0
    children = node.children()
    for child, following in zip(children, [*children[1:], None], strict=False):
        span = child.range()
        # A grammar has no node for some of what a text says.
        yield _spell_text(text[at : span.start.index - start])
        at = span.end.index - start
        trailing = child.text() == "," and following is not None and following.text() in _CLOSING
        if not (trailing or _is_remark(child)):
            yield from _spell(child, names, numbers, language)
    yield _spell_text(text[at:])


def _is_remark(node: SgNode) -> bool:
    """Whether what a node says changes nothing: a comment, an annotation and its colon."""
    following = node.next() if node.text() == ":" else node
    return following is not None and (
        following.kind() in _ANNOTATIONS or "comment" in following.kind()
    )


def _spell_text(text: str) -> str:
    """A text without white space, in quotes of one kind."""
    return _QUOTES.sub('"', "".join(text.split()))


def _is_label(node: SgNode) -> bool:
    """Whether a word names a member or an argument of somebody else's, which no rename changes."""
    parent = node.parent()
    if parent is None:
        return False
    fields = {"attribute": "attribute", "keyword_argument": "name", "field_access": "field"}
    field = fields.get(parent.kind())
    if field is None and parent.kind() == "method_invocation":
        field = "name"
    labelled = parent.field(field) if field else None
    return labelled is not None and labelled.range().start.index == node.range().start.index


def pair_renamed(
    heads: Sequence[tuple[Occurrence, Phrase | None]],
    bases: Sequence[tuple[Occurrence, Phrase | None]],
) -> tuple[list[int], list[int]]:
    """The indexes of the heads and the bases that have no partner under other names.

    Both stand in one run of changes, or in one function.
    """
    offered, alone = list(range(len(bases))), []
    for index, (head, phrase) in enumerate(heads):
        partner = next(
            (
                at
                for at in offered
                if phrase is not None
                and _is_beside(head, bases[at][0])
                and is_renamed(phrase, bases[at][1])
            ),
            None,
        )
        if partner is None:
            alone.append(index)
        else:
            offered.remove(partner)
    return alone, offered


def _is_beside(head: Occurrence, base: Occurrence) -> bool:
    if base.doubtful and not head.doubtful:
        return False
    return head.symbol == base.symbol or (head.run is not None and head.run == base.run)


def is_renamed(head: Phrase, base: Phrase | None) -> bool:
    """Whether both say the same, the names of one being the other's renamed."""
    return (
        base is not None
        and head.shape == base.shape
        and all(
            new == old or (old not in head.around and new not in base.around)
            for new, old in zip(head.names, base.names, strict=True)
        )
    )
