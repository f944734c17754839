"""Paths of which a check asks where they begin, and nobody how they go on.

Whoever asks whether a path begins with a folder wants it to stay there: that somebody outside says
all of it is not what the program is for, and `..` leads out of the folder all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jurat.engine.flow.checks.text_checks import is_beginning
from jurat.engine.flow.forms.program import Expression
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import Taint
from jurat.engine.flow.values.value import NOTHING, Env, iter_taints

_BEGUN = "begun "
"""Begins the name of an origin of which that was asked."""

_NO_FOLDER = re.compile(r"[/\\~.]*")
"""What a path begins with that is in no folder of anybody's."""


def note_begun(
    evaluator: Evaluator,
    asked: Iterable[Expression],
    arguments: Sequence[Expression],
    env: Env,
    mask: int,
) -> None:
    """Note of what a check is true that asks where a path lies whose `..` are not worked out."""
    if not mask or is_beginning(evaluator, _NO_FOLDER.fullmatch, arguments):
        return
    for one in asked:
        taints = iter_taints(evaluator.results.get(id(one), NOTHING))
        env.clear((_call_begun(taint) for taint in taints if not taint.settled), mask)


def is_begun(taint: Taint, env: Env, mask: int) -> bool:
    """Whether a check has asked so of an origin, for any of some questions."""
    return bool(env.find_cleared(_call_begun(taint)) & taint.live & mask)


def _call_begun(taint: Taint) -> Taint:
    return taint._replace(source=_BEGUN + taint.source)
