"""Twins: a rule's own examples, changed so that nobody knows them by heart.

What carries the meaning stays: the words of the rule, what is called, and what is read of an
object. What does not is drawn anew: the names of objects, plain words in strings, the indentation
and the file.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jurat.rules.rule import Example, Rule
from jurat.source.languages import detect_language

MOST_CHARACTERS = 400
"""An example that is longer makes no twin: it would cost more than what it guards."""

_OWNER = re.compile(r"(?<![\w.])([a-z][a-z0-9_]*)(?=\.[A-Za-z_])")
_PLAIN = re.compile(r"(?<=([\"']))[a-z]{3,}(?=\1(?!\s*[:\]]))")
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|[^\w\s]")
_KEPT = frozenset(
    {"self", "this", "super", "cls", "os", "sys", "re", "json", "console", "window"}
    | {"log", "logger", "logging"}
)
"""Owners that are no object of the code's own: who renames them changes what is called."""

_OWNERS = ("member", "parcel", "courier", "basket", "voucher", "pupil", "tenant", "voyage")
_PLAINS = ("opened", "arrived", "sorted", "counted", "moved", "parked", "booked", "weighed")
_FILES = ("intake", "roster", "dispatch", "cabinet", "harbour", "pantry", "turnstile", "signpost")


@dataclass(frozen=True, slots=True)
class Twin:
    """Code made of an example, as it would stand in a file of a change."""

    path: str
    language: str | None
    lines: tuple[str, ...]
    breaks: bool


def make_twins(rule: Rule, paths: Sequence[str], dice: random.Random) -> tuple[Twin, ...]:
    """One that breaks `rule` and one that keeps it, in an order of their own; or none.

    `paths` are the files of the change that the rule is about: twins stand beside them.
    """
    broken, kept = (
        # Of the two shortest: they cost least, and say no less.
        sorted((text for item in examples if (text := _read_code(item))), key=len)[:2]
        for examples in (rule.examples.invalid, rule.examples.valid)
    )
    names = [name for name in _FILES if all(name not in path for path in paths)]
    if not broken or not kept or not paths or len(names) < 2:
        return ()
    files = dice.sample(names, 2)
    twins = []
    for breaks, texts, file in ((True, broken, files[0]), (False, kept, files[1])):
        text = dice.choice(texts)
        path = _place_beside(dice.choice(sorted(paths)), file)
        lines = _change_code(text, rule, dice).split("\n")
        indent = " " * dice.choice((0, 4, 8))
        code = tuple(f"{indent}{line}" if line else "" for line in lines)
        twins.append(Twin(path, detect_language(path), code, breaks))
    dice.shuffle(twins)
    return tuple(twins)


def is_broken_example(rule: Rule, text: str) -> bool | None:
    """Whether `text` has the form of an example that breaks `rule`, or of one that keeps it.

    None if it has the form of neither. This is how a judge that knows the rules by heart, as the
    demo's does, can tell a twin; the form of both would tell nothing.
    """
    form = _list_form(text)
    broken, kept = (
        form in [_list_form(code) for item in examples if (code := _read_code(item))]
        for examples in (rule.examples.invalid, rule.examples.valid)
    )
    return None if broken == kept else broken


def _read_code(item: Example | str) -> str | None:
    code = item if isinstance(item, str) else item.code
    if code is None or len(code) > MOST_CHARACTERS:
        return None
    # One with a path of its own or in a language of its own is about that.
    if not isinstance(item, str) and (item.path or item.language):
        return None
    return code.strip("\n")


def _place_beside(path: str, name: str) -> str:
    folder, slash, file = path.rpartition("/")
    _, dot, ending = file.rpartition(".")
    return f"{folder}{slash}{name}{dot}{ending}"


def _change_code(text: str, rule: Rule, dice: random.Random) -> str:
    about = f"{rule.id} {rule.statement} {' '.join(rule.exceptions)}".lower()

    def draw(words: Sequence[str]) -> Callable[[re.Match[str]], str]:
        left = dice.sample(words, len(words))
        drawn: dict[str, str] = {}

        def replace(match: re.Match[str]) -> str:
            word = match.group()
            # A word of the rule is what the example is about; so is one that begins like it.
            if word in _KEPT or word[:4] in about or not left:
                return word
            if word not in drawn:
                drawn[word] = left.pop()
            return drawn[word]

        return replace

    return _PLAIN.sub(draw(_PLAINS), _OWNER.sub(draw(_OWNERS), text))


def _list_form(text: str) -> tuple[str, ...]:
    """The tokens of a code without the names of objects and what stands in strings."""
    bare = _PLAIN.sub("_", _OWNER.sub("_", text))
    return tuple(_TOKEN.findall(bare))
