"""What comes again with the next message: a key, or whose the message is.

A nonce that is made of these by what makes the same of the same comes again with them. What is
handed over as it stands is no such thing: its maker answers for it.
"""

from __future__ import annotations

import re

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import Attribute, Call
from jurat.engine.flow.values.settings import is_fixed, take_default
from jurat.engine.flow.values.value import Given, Value
from jurat.engine.flow.words import split_words
from jurat.engine.units import split_words as list_words

_SAID = re.compile(r"(?:^|[.\s(&*])(\w+)(?:\(\)|\[[^\[\]]*\]|\.(?:id|pk)|\.get\w*\(\))*$")
"""The last name of an expression, maybe read by a method, or its identity."""

_LASTING = split_words(
    """
    key secret password passphrase owner user account email mail customer tenant patient member
    id name context aad label field column iban subject
    """
)
_PASSING = split_words(
    """
    nonce iv seq sequence count counter ctr index offset chunk block packet frame stream message msg
    record session request token event job file object entry time now epoch random unique uuid
    """
)
"""In the name of what is another with each message."""

_COUNTS = split_words("count counter ctr seq sequence index offset")
"""End the names of what goes on from the number that it begins with, but for constants."""

_CHARSET = re.compile(r"(?:^|\.)(?:StandardCharsets|Charsets)\.|(?i:utf_?8)$")
"""The name of how letters are written as bytes, which is always the same."""

_OF_THEMSELVES = split_words("subarray slice rjust ljust zfill to_bytes encode getBytes")
"""Methods of which no argument says what is in their answer."""


def is_repeated(value: Value, node: SgNode) -> bool:
    """Whether a value comes again: it is fixed, or said to be a key or somebody's."""
    said = _SAID.search(node.text())
    words = list_words(said[1]) if said else []
    if is_fixed(value) or _CHARSET.search(value.name):
        is_count = bool(words) and words[-1] in _COUNTS and not (said and said[1].isupper())
        return type(value.constant) is not int or not is_count
    return bool(words) and words[-1] in _LASTING and _PASSING.isdisjoint(words)


def is_made_of_repeated(expression: Call, given: Given, receiver: Value, *, held: bool) -> bool:
    """Whether all that an answer is made of comes again.

    `held` says that `receiver` is no module, and maybe what the answer is made of.
    """
    callee = expression.callee
    parts = [(value, one.value.node) for one, value in given]
    if isinstance(callee, Attribute) and (held or not given or callee.name in _OF_THEMSELVES):
        parts.append((receiver, callee.of.node))
    return all(is_repeated(take_default(value), node) for value, node in parts)
