"""Which origins in a value count where it arrives: all, or none of another callee's answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jurat.engine.flow.values.taints import REMOTE, Taint
from jurat.engine.flow.values.value import Value, iter_taints


def list_all(values: Iterable[Value]) -> Iterator[Taint]:
    """All that there are, those of its parts included."""
    for value in values:
        yield from iter_taints(value)


def list_mixed(values: Iterable[Value]) -> Iterator[Taint]:
    """What stands in a text beside something else; from outside also what is the text."""
    texts = (one for one in values if one.items is None or one.is_list)
    return (one for one in list_known(texts) if one.mixed or one.strength == REMOTE)


def list_known(values: Iterable[Value]) -> Iterator[Taint]:
    """What is not the answer of a callee that a parameter was handed to.

    Nobody knows that the parameter is somebody's outside, nor that the answer holds it.
    """
    return (one for one in list_all(values) if one.strength == REMOTE or not one.foreign)


def list_chosen_names(values: Iterable[Value]) -> Iterator[Taint]:
    """What somebody outside may choose of a statement's names, such as what it is ordered by.

    No parameter of a statement can be one, so a program has to hand them over as text.
    """
    return (one for one in list_known(values) if one.strength == REMOTE)


def find_last_name(taint: Taint) -> str:
    """What the program calls an origin: its parameter, or the part of it that was read."""
    return taint.path[-1] if taint.path else taint.source.rpartition(":")[2].lstrip("?")


def list_own(values: Iterable[Value]) -> Iterator[Taint]:
    """What is not another callee's answer.

    A page that a function of another file made, a path or an address that it found for a name is
    its own: what it checked, and what it escaped, nobody can see here.
    """
    return (one for one in list_all(values) if not one.foreign)
