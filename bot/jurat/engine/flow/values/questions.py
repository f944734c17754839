"""What the words of a name mean: what a function asks about a value, and what is kept by a name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from jurat.rules.flows import FlowQuestion

_LAST_WORD = re.compile(r"(?P<owner>.*\.)?(?P<word>[^.]*)", re.DOTALL)
_VERSION = r"(?:_?v?\d)?"
_PART = r"(?:_?(?:id|ids|name|number|no|percent|rate|cents|level))?"

MOST_NAMES = 20_000
"""Names of which it is kept what they say; a process that reviews for weeks meets many more."""


class Question(NamedTuple):
    """A question by its name: `turned` says that a no is what the name's yes would be."""

    name: str
    turned: bool


class Words:
    """The words of names that a vocabulary knows.

    `formats` are texts that end no other and lead nowhere, `kinds` those that an author took for
    enough, `opposites` pairs of a word that turns a question round and the one that it is turned
    from: `is_unsafe` asks the opposite of `is_safe`. `trusted` end the names under which a program
    keeps what it believes later.
    """

    def __init__(
        self,
        formats: Iterable[str],
        kinds: Iterable[str],
        opposites: Iterable[tuple[str, str]],
        trusted: Iterable[str] = (),
    ) -> None:
        said = _join_words(formats)
        self._format = re.compile(rf"(?i)is_?(?:valid_?)?(?:{said}){_VERSION}") if said else None
        said = _join_words(kinds)
        self._kind = (
            re.compile(rf"(?i)is_?\w*?(?:{said})(?:_?(?:v?\d|address|name|string))?")
            if said
            else None
        )
        said = _join_words(trusted)
        self._trusted = re.compile(rf"(?i)\w*?(?:{said}){_PART}") if said else None
        self._opposites = [(_compile_word(word), other) for word, other in opposites]
        self._turned: dict[str, Question] = {}

    def is_format(self, word: str) -> bool:
        """Whether the last word of a callee asks for such a format."""
        return self._format is not None and self._format.fullmatch(word) is not None

    def is_kind(self, word: str) -> bool:
        """Whether the last word of a callee asks whether a text is of a kind."""
        return self._kind is not None and self._kind.fullmatch(word) is not None

    def is_trusted(self, name: str) -> bool:
        """Whether what is kept under a name is believed later: `user_role`, `accountId`."""
        return self._trusted is not None and self._trusted.fullmatch(name) is not None

    def turn(self, name: str) -> Question:
        """The question that a callee asks or is the opposite of: one that is not unsafe is safe."""
        found = self._turned.get(name)
        if found is None:
            if len(self._turned) >= MOST_NAMES:
                self._turned.clear()
            found = self._turned[name] = self._find_turned(name)
        return found

    def _find_turned(self, name: str) -> Question:
        match = _LAST_WORD.fullmatch(name)
        if match is None:
            return Question(name, turned=False)
        word, turned = match["word"], False
        for pattern, other in self._opposites:
            word, times = pattern.subn(
                lambda found, said=other: _fit_spelling(found[0], said), word
            )
            turned ^= times % 2 == 1
        return Question((match["owner"] or "") + word, turned)


def _join_words(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace("_", "_?") for word in words)


def _compile_word(word: str) -> re.Pattern[str]:
    """A word within a name, as `is_unsafe` and `isUnsafe` have it, with what parts it."""
    rest = re.escape(word[1:])
    first, capital = re.escape(word[:1]), re.escape(word[:1].upper())
    return re.compile(rf"(?:(?<![A-Za-z]){first}|(?<![A-Z]){capital}){rest}(?![a-z])_?")


def _fit_spelling(found: str, other: str) -> str:
    """A word in the place of another: with a capital if that had one, and with what parted it."""
    if not other:
        return ""
    word = other[:1].upper() + other[1:] if found[:1].isupper() else other
    return word + "_" * found.endswith("_")


@lru_cache(maxsize=64)
def _build_words(
    formats: tuple[str, ...],
    kinds: tuple[str, ...],
    opposites: tuple[tuple[str, str], ...],
    trusted: tuple[str, ...],
) -> Words:
    return Words(formats, kinds, opposites, trusted)


def collect_words(questions: Sequence[FlowQuestion]) -> Words:
    """The words that the vocabulary of some questions knows: one language has one vocabulary."""
    return _build_words(
        tuple(dict.fromkeys(word for one in questions for word in one.formats)),
        tuple(dict.fromkeys(word for one in questions for word in one.kinds)),
        tuple(dict.fromkeys(pair for one in questions for pair in one.opposites)),
        tuple(dict.fromkeys(word for one in questions for word in one.trusted)),
    )


class SecretWords:
    """The words of the names of what must not be guessed.

    A name ends with one of `secrets`, or with one of `forms` behind one of `events`.
    """

    def __init__(
        self, secrets: Collection[str], events: Collection[str], forms: Collection[str]
    ) -> None:
        form, event = _join_words(forms), _join_words(events)
        of_each = [f"(?:{event})_?(?:{form})"] if form and event else []
        whole = "|".join([*filter(None, [_join_words(secrets)]), *of_each])
        self._secret = re.compile(rf"(?i).*?(?:{whole})_?\d*") if whole else None
        self._form = re.compile(rf"(?i)_*(?:{form})") if form else None
        around = _join_words([*events, *(word for word in secrets if "_" in word)])
        self._event = re.compile(rf"(?i){around}") if around else None

    def is_secret(self, name: str) -> bool:
        """Whether a name is that of what must not be guessed: `csrfToken`, `reset_code`."""
        return self._secret is not None and self._secret.fullmatch(name) is not None

    def is_form(self, name: str) -> bool:
        """Whether a name is that of what must not be guessed on some events: `code`."""
        return self._form is not None and self._form.fullmatch(name) is not None

    def names_event(self, text: str) -> bool:
        """Whether a text tells of such an event."""
        return self._event is not None and self._event.search(text) is not None


def collect_secret_words(questions: Sequence[FlowQuestion]) -> SecretWords:
    """The words of what must not be guessed that some questions know."""
    return SecretWords(
        dict.fromkeys(word for one in questions for word in one.secrets),
        dict.fromkeys(word for one in questions for word in one.events),
        dict.fromkeys(word for one in questions for word in one.forms),
    )
