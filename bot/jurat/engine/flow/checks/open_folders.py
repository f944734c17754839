"""Folders as texts that no separator ends: `/srv/a` begins `/srv/a-secret`, too."""

from __future__ import annotations

import re

from jurat.engine.flow.forms.program import Expression
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.joins import WORKED_OUT
from jurat.engine.flow.values.value import NOTHING

_FOLDER = re.compile(r"(?:[A-Za-z]:)?[/\\].*[^/\\]", re.DOTALL)
"""A folder from the root on, by itself."""

_TEXT_IN_JAVA = re.compile(r"(?:getCanonicalPath|getAbsolutePath|getPath|toString)\(\)$|^String$")
"""The name of a path as a text: a path itself asks for whole steps."""


def is_open_folder(evaluator: Evaluator, of: Expression | None, said: Expression) -> bool:
    """Whether a path is asked whether it begins with such a folder."""
    if evaluator.language.asks_whole_steps:
        asked = evaluator.results.get(id(of), NOTHING)
        if not _TEXT_IN_JAVA.search(asked.name):
            return False
    known = evaluator.results.get(id(said), NOTHING)
    if isinstance(known.constant, str):
        return _FOLDER.fullmatch(known.constant) is not None
    return known.items is None and WORKED_OUT.search(known.name) is not None
