"""What is worked out of a rule, kept with the rule: a server asks the same ones for years.

By the object and not by what it says: to compare two rules takes longer than most answers, and one
that somebody has in force in another way is another object.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

_MOST_KEPT = 4096


def keep_answers(answer: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """The function, which is asked of each object once. None of these may ever change."""
    kept: dict[int, tuple[Asked, Answer]] = {}

    @wraps(answer)
    def recall(asked: Asked) -> Answer:
        found = kept.get(id(asked))
        # An object that is kept keeps its number. The other threads may forget meanwhile.
        if found is None or found[0] is not asked:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            found = kept[id(asked)] = asked, answer(asked)
        return found[1]

    return recall
