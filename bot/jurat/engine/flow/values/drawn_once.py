"""Random bytes that were drawn once and are used again and again: a nonce must be new each time."""

from __future__ import annotations

import re

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import BUFFER
from jurat.engine.flow.forms.program import Attribute, Name
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.value import Env, Value
from jurat.engine.flow.words import split_words

_DRAWN = re.compile(
    r"(?:^|\.)(?:urandom|token_bytes|randbytes|get_random_bytes|randomBytes|random_bytes)\(\)(?:\[\])?$"
)
"""Ends the name of random bytes."""

_KEEPING = split_words(
    """
    nextBytes IvParameterSpec GCMParameterSpec copyOf copyOfRange write put wrap encode
    encodeToString formatHex
    """
)
"""Callees that leave what is in a buffer as it is, or have drawn it."""

_OBJECTS = frozenset({"self", "this"})
_FUNCTIONS = frozenset({"function_definition", "method_definition", "method_declaration"})
_MAKERS = frozenset({"__init__", "constructor"})


def is_drawn_once(evaluator: Evaluator, name: str, env: Env) -> bool:
    """Whether a function reads random bytes that were drawn when the file was loaded."""
    if not evaluator.matcher.asks_settings or name in env.values:
        return False
    holder = env
    while holder.parent is not None and name not in holder.values:
        holder = holder.parent
    return holder.parent is None and _DRAWN.search(holder.values[name].name) is not None


def is_drawn_with_object(evaluator: Evaluator, part: Value, expression: Attribute) -> bool:
    """Whether a method that is given something reads random bytes that its object was made with, or
    what was made of others then; itself, or for the method that is.

    Of one that is given nothing the object may be there for one message alone.
    """
    if not (isinstance(expression.of, Name) and expression.of.node.text() in _OBJECTS):
        return False
    if is_filled_with_object(evaluator, part, expression.name, expression.node):
        return True
    if _DRAWN.search(part.name) is None and not evaluator.matcher.find_fixed(part.name):
        return False
    method: SgNode | None = expression.node
    while method is not None and method.kind() not in _FUNCTIONS:
        method = method.parent()
    if method is None or (name := method.field("name")) is None or name.text() in _MAKERS:
        return False
    set_there = re.compile(rf"\b(?:self|this)\.{re.escape(expression.name)}\s*=[^=]")
    if len(set_there.findall(method.get_root().root().text())) != 1:
        return False
    return _is_of_given(evaluator, method)


def is_filled_with_object(evaluator: Evaluator, part: Value, name: str, node: SgNode) -> bool:
    """Whether a method of Java's that is given something reads a buffer of its object into which
    the constructor has drawn random bytes, and that nobody else here may write into.
    """
    if not (part.name.startswith(BUFFER) and evaluator.language.names_own_fields):
        return False
    method = next((one for one in node.ancestors() if one.kind() in _FUNCTIONS), None)
    root = node.get_root().root()
    said = rf"(?:this\.)?\b{re.escape(name)}\b"
    drawn = re.compile(rf"\.nextBytes\(\s*{said}\s*\)")
    text = root.text()
    if method is None or len(drawn.findall(text)) != 1:
        return False
    if not any(drawn.search(one.text()) for one in root.find_all(kind="constructor_declaration")):
        return False
    written = rf"{said}\s*(?:\[[^\]]*\]\s*(?:[-+^|&]?=[^=]|\+\+|--)|=[^=])"
    handed = re.findall(rf"(\w+)\((?:[^()]*,)?\s*{said}\s*[,)]", text)
    is_kept = len(re.findall(written, text)) <= 1 and _KEEPING.issuperset(handed)
    return is_kept and _is_of_given(evaluator, method)


def _is_of_given(evaluator: Evaluator, method: SgNode) -> bool:
    """Whether a method is given something, or one is for which it runs."""
    return _is_given(method) or any(
        one.owner and one.name not in _MAKERS and _is_given(one.node) for one in evaluator.running
    )


def _is_given(method: SgNode) -> bool:
    """Whether a method is given something, beside its object."""
    parameters = method.field("parameters")
    given = [] if parameters is None else [one for one in parameters.children() if one.is_named()]
    return any(one.text() not in _OBJECTS for one in given)
