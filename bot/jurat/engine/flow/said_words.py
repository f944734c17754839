"""What a program says, as values are followed in it: every word that a name there can be made of.

A file says more, in comments and in sentences. Whatever a value is called is put together from what
the program form holds, so that no flow is found if its words are not all here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache
from typing import Any

from jurat.engine.flow.needs import compile_needs
from jurat.engine.flow.program import (
    Argument,
    Constant,
    Expression,
    Option,
    Parameter,
    Routine,
    Statement,
)
from jurat.engine.needles import FileWords
from jurat.rules.flows import FlowQuestion

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s")


def can_answer(program: Routine, questions: Sequence[FlowQuestion]) -> bool:
    """Whether a program has the words of one of the questions.

    One whose words are not even in the text was asked for another reason, such as a disguise.
    """
    text = FileWords([program.node.text()])
    said = FileWords(text.texts, read_said_words(program, text.words))
    needs = map(compile_needs, questions)
    return any(one.are_met(said) or not one.are_met(text) for one in needs)


def read_said_words(program: Routine, written: Set[str]) -> frozenset[str]:
    """The words of all names, types, marks and keys of a program.

    A constant with white space is no key and no module, and says nothing. Of the words that are
    `written` anywhere, those count as well that may be put together: `"sys" + "tem"`.
    """
    names, keys = _list_texts(program)
    said = frozenset(word for text in names | keys for word in _WORD.findall(text))
    pieces = {word for text in keys for word in _WORD.findall(text)}
    return said | {word for word in written - said if _is_made_of(word, pieces)}


def _list_texts(program: Routine) -> tuple[set[str], set[str]]:
    """The texts that a program is made of, and its constants."""
    names: set[str] = set()
    keys: set[str] = set()
    waiting: list[Any] = [program]
    while waiting:
        one = waiting.pop()
        kind: Any = type(one)
        if kind is str:
            names.add(one)
        elif kind is Constant:
            if isinstance(one.value, str) and not _SPACE.search(one.value):
                keys.add(one.value)
        elif kind is list or kind is tuple:
            waiting += one
        elif kind is dict:
            waiting += [*one, *one.values()]
        else:
            waiting += [getattr(one, part) for part in _list_parts(kind)]
    return names, keys


@cache
def _list_parts(kind: Any) -> tuple[str, ...]:
    """The parts of a form that a program is made of; none of anything else."""
    if not issubclass(kind, Expression | Statement | Argument | Parameter | Option):
        return ()
    return tuple(part for part in kind.__dataclass_fields__ if part != "node")


def _is_made_of(word: str, pieces: Set[str]) -> bool:
    """Whether a word begins with one piece and ends with another, neither of which it is."""
    cuts = range(1, len(word))
    return any(word[:at] in pieces for at in cuts) and any(word[at:] in pieces for at in cuts)
