"""What Python opens by `with`, and behind which it goes on after an error."""

from __future__ import annotations

import re

from ast_grep_py import SgNode

_SUPPRESS = re.compile(r"(?:contextlib\.)?suppress\(")
_OWN = re.compile(r"\w+(?=\()")

_SAYS_YES = re.compile(r"\breturn\b[ \t]*(?!None\b|False\b)[^\s#]")
"""What ends `__exit__` with more than no."""


def is_swallowing(opened: SgNode) -> bool:
    """Whether what is opened takes the errors of its block, as far as the file tells."""
    text = opened.text()
    if _SUPPRESS.match(text):
        return True
    named = _OWN.match(text)
    if named is None:
        return False
    root = opened.get_root().root()
    return any(_is_taking_errors(one, named[0]) for one in root.children())


def _is_taking_errors(node: SgNode, name: str) -> bool:
    """Whether a class or a generator of the file has this name, and takes errors."""
    kind = node.kind()
    inner = node.field("definition") if kind == "decorated_definition" else node
    named = inner.field("name") if inner is not None else None
    if inner is None or named is None or named.text() != name:
        return False
    if inner.kind() == "function_definition":
        is_opened = "contextmanager" in node.text().partition("def ")[0]
        handlers = inner.find_all(kind="except_clause") if is_opened else ()
        return any(one.find(kind="raise_statement") is None for one in handlers)
    if inner.kind() != "class_definition":
        return False
    return any(
        (method := one.field("name")) is not None
        and method.text() in ("__exit__", "__aexit__")
        and _SAYS_YES.search(one.text()) is not None
        for one in inner.find_all(kind="function_definition")
    )
