"""The sources that the house's rules are held against, parsed once for all of them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def parse_source(path: Path) -> ast.Module:
    """The syntax tree of a file. Nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))
