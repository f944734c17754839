"""Nodes that are an exception among others beside them: one route without the guard of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ast_grep_py import SgNode

FEWEST_PEERS = 2
"""Peers of which it can be said that what they have is the custom of a place."""

_SHARED = "PEER"
"""The metavariable that tells groups in one place apart, as the routes of two routers."""

_Group = tuple[str, int, int, str]


def list_exceptions(found: Sequence[SgNode], peers: Sequence[SgNode]) -> list[SgNode]:
    """Those of `found` beside which at least two peers stand for each.

    Beside each other is what has the same parent and the same `$PEER`, if there is one. What is
    among the peers itself is no exception.
    """
    among = {_get_span(node) for node in peers}
    alone = [node for node in found if _get_span(node) not in among]
    exceptions = Counter(map(_get_group, alone))
    custom = Counter(map(_get_group, peers))
    return [
        node
        for node in alone
        if custom[_get_group(node)] >= FEWEST_PEERS * exceptions[_get_group(node)]
    ]


def _get_group(node: SgNode) -> _Group:
    parent = node.parent() or node
    shared = node.get_match(_SHARED)
    return (*_get_span(parent), shared.text() if shared is not None else "")


def _get_span(node: SgNode) -> tuple[str, int, int]:
    span = node.range()
    return node.kind(), span.start.index, span.end.index
