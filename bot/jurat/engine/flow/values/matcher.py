"""Which of a file's names are sources, sinks, sanitizers or checks, and for which questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from jurat.engine.flow.values.questions import MOST_NAMES, collect_secret_words, collect_words
from jurat.engine.flow.values.rejected import RejectedTexts
from jurat.engine.flow.values.surroundings import PlacedQuestions
from jurat.engine.flow.words import split_words
from jurat.rules.callbacks import Callback, parse_callback
from jurat.rules.callee_names import compile_name, expand_braces
from jurat.rules.callee_settings import Setting, normalize_option, parse_setting
from jurat.rules.flows import FlowQuestion
from jurat.rules.sinks import Sink, parse_sink

Mask = int
"""A bit for each question."""

_LAST_WORD = re.compile(r"(\w+)(?:\[\]|\(\))*$")

_ANY_CLASS = re.compile(r"(?:^|[.{,])\*[A-Z][a-z]\w*$")
"""A name that ends with a class of which any beginning will do."""

_OF_ANY = "*."
"""Begins the name of a method, whatever it is of."""

_PATHS = frozenset({"path"})
_PLACES = frozenset({"path", "redirect", "url"})
_OBJECTS = frozenset({"filter"})
_BELIEVED = frozenset({"kept"})
_GUESSED = frozenset({"secret", "keyed"})
_PROGRAMS = frozenset({"program"})
_CALLBACKS = frozenset({"callback"})
_REDIRECTS = frozenset({"redirect", "forward"})
_COMMANDS = frozenset({"command"})
_STATEMENTS = frozenset({"sql", "clause", "query"})
_MARKUP = frozenset({"html", "markup", "sent"})


class _NameTable:
    """Names with globs, looked up by their last word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_word: dict[str, list[_KnownName]] = {}
        self._others: list[_KnownName] = []
        self._found: dict[str, tuple[int, ...]] = {}
        for number, name in enumerate(names):
            for word, said, piece in _read_names(name):
                entry = _KnownName(said, number, piece)
                (self._others if word is None else self._by_word.setdefault(word, [])).append(entry)

    @cached_property
    def _pieces(self) -> re.Pattern[str] | None:
        """What most names have none of, by which no name without a last word is meant then."""
        pieces = {re.escape(one.piece) for one in self._others}
        return re.compile("|".join(sorted(pieces))) if pieces else None

    def find(self, name: str) -> tuple[int, ...]:
        """The numbers of the names that fit a name."""
        found = self._found.get(name)
        if found is None:
            entries = self._by_word.get(_read_last_word(name), ())
            others = self._others if self._pieces and self._pieces.search(name) else ()
            # Compiled here: of the hundreds of names that rules know, a change has a few.
            fitting = (
                one.number
                for one in (*entries, *others)
                if one.piece in name and _fits(one.said, name)
            )
            if len(self._found) >= MOST_NAMES:
                self._found.clear()
            # Most names are none of those that a table has.
            found = tuple(dict.fromkeys(fitting)) if entries or others else ()
            self._found[name] = found
        return found


@lru_cache(maxsize=MOST_NAMES)
def _read_last_word(name: str) -> str:
    """What a name ends with, before brackets; "" for no word. Each table asks for it."""
    match = _LAST_WORD.search(name, name.rfind(".") + 1)
    return match[1] if match else ""


def _fits(said: str, name: str) -> bool:
    """Whether a name is meant: `*Socket` is any class of sockets, and no `sendToSocket()`."""
    if _ANY_CLASS.search(said) and not _read_last_word(name)[:1].isupper():
        return False
    return compile_name(said).fullmatch(name) is not None


# Questions share most of their names, each in a list of its own.
@lru_cache(maxsize=MOST_NAMES)
def _read_names(said: str) -> tuple[tuple[str | None, str, str], ...]:
    """The names that one with braces stands for: its last word, the name, and its longest text."""
    return tuple(
        (_find_word(one), one, max(one.split("*"), key=len)) for one in expand_braces(said)
    )


class _KnownName(NamedTuple):
    """A name as a rule says it, its number, and the longest text in it without a glob."""

    said: str
    number: int
    piece: str


class _SinkTable:
    """The sinks of a question, looked up by what they are called."""

    def __init__(self, said: Sequence[str]) -> None:
        self._sinks = [parse_sink(text) for text in said]
        self._names = _NameTable(sink.callee for sink in self._sinks)

    def find(self, name: str) -> Iterator[Sink]:
        """The sinks that go by a name, in their order."""
        return (self._sinks[number] for number in sorted(self._names.find(name)))


class _SettingTable:
    """The settings of a question, looked up by what they are of."""

    def __init__(self, said: Sequence[str]) -> None:
        self.settings = [parse_setting(text) for text in said]
        self._names = _NameTable(one.callee for one in self.settings)

    def find(self, name: str) -> Iterator[Setting]:
        """The settings of what goes by a name."""
        return (self.settings[number] for number in self._names.find(name))


class _CallbackTable:
    """What calls functions, looked up by its name."""

    def __init__(self, said: Iterable[str]) -> None:
        self._callbacks = [parse_callback(text) for text in dict.fromkeys(said)]
        self._table = _NameTable(one.callee for one in self._callbacks)
        self.names = frozenset(name for one in self._callbacks for name in one.names)
        """All names that parameters go by."""

    def find(self, name: str) -> Sequence[Callback]:
        """What calls functions and goes by a name."""
        return [self._callbacks[number] for number in self._table.find(name)]


# Rules share their names, and files ask some of the rules each: what is known of a name serves all.
@lru_cache(maxsize=512)
def _build_names(names: tuple[str, ...]) -> _NameTable:
    return _NameTable(names)


@lru_cache(maxsize=512)
def _build_settings(said: tuple[str, ...]) -> _SettingTable:
    return _SettingTable(said)


@lru_cache(maxsize=512)
def _build_sinks(said: tuple[str, ...]) -> _SinkTable:
    return _SinkTable(said)


_Listed = TypeVar("_Listed", bound=Hashable)


def _mark(answers: Iterable[bool]) -> Mask:
    """The questions for which something is so; it is told of each, in order."""
    return sum(1 << number for number, holds in enumerate(answers) if holds)


def _mark_listed(lists: Iterable[Iterable[_Listed]]) -> dict[_Listed, Mask]:
    """What the questions list, each with those that do; there is a list of each, in order."""
    masks: dict[_Listed, Mask] = {}
    for number, listed in enumerate(lists):
        for one in listed:
            masks[one] = masks.get(one, 0) | 1 << number
    return masks


class _QuestionTable:
    """Which questions a name matters to, by one of their lists of names."""

    def __init__(self, lists: Iterable[tuple[str, ...]]) -> None:
        masks = _mark_listed((names,) for names in lists)
        self._tables = [(_build_names(names), mask) for names, mask in masks.items() if names]
        self._found: dict[str, Mask] = {}

    def find(self, name: str) -> Mask:
        """The questions that a name matters to."""
        found = self._found.get(name)
        if found is None:
            found = 0
            for table, mask in self._tables:
                if table.find(name):
                    found |= mask
            self._found[name] = found
        return found


def _find_word(said: str) -> str | None:
    """The word that every name it fits ends with, None if there is none."""
    match = _LAST_WORD.search(said, said.rfind(".") + 1)
    if match is None or (match.start() and said[match.start() - 1] in "*?"):
        return None
    return match[1]


_ASKING = split_words(
    """
    get post put patch delete request fetch axios got ky urlopen Get Post PostForm Execute
    getForObject getForEntity postForObject postForEntity exchange
    """
)
"""The last words of what answers with what another server says."""


class KnownSink(NamedTuple):
    """A sink with the questions that are about it."""

    sink: Sink
    mask: Mask


class KnownSetting(NamedTuple):
    """A setting with the questions that are about it."""

    setting: Setting
    mask: Mask
    exceptions: str
    beside: str


class Effect(NamedTuple):
    """The questions that a callee answers, only encodes for, and undoes the encodings of."""

    answered: Mask
    encoded: Mask
    undone: Mask


class Matcher:
    """All questions about the files of one language, as names are asked for them."""

    def __init__(self, questions: Sequence[FlowQuestion]) -> None:
        placed = PlacedQuestions(questions)
        self.ask_at, self.find_asked = placed.ask_at, placed.find_asked
        self.in_shells: Mask = placed.in_shells
        self.in_attributes: Mask = placed.in_attributes
        questions = placed.all
        kinds = [_list_kinds(one) for one in questions]
        self.everything: Mask = (1 << len(questions)) - 1
        self.parameters = _mark(bool(one.parameters) for one in questions)
        self._mark_kinds(questions, kinds)
        self.settings = _mark(bool(one.settings) for one in questions)
        """The questions about what something is told, and not about a value."""
        self.rejected = RejectedTexts(one.rejected for one in questions)
        sinks = _mark_listed((one.sinks,) for one in questions)
        self._sinks = [(_build_sinks(said), mask) for said, mask in sinks.items()]
        self._sinks_found: dict[str, tuple[KnownSink, ...]] = {}
        self.find_source = _QuestionTable(one.sources for one in questions).find
        self.find_encoder = _QuestionTable(one.encoders for one in questions).find
        self.find_undone = _QuestionTable(one.undoes for one in questions).find
        self.find_guard = _QuestionTable(one.guards for one in questions).find
        self.find_check = _QuestionTable(one.checks for one in questions).find
        self.find_refusal = _QuestionTable(one.refusals for one in questions).find
        self.find_bound = _QuestionTable(one.bounds for one in questions).find
        self.find_normalizer = _QuestionTable(one.normalizers for one in questions).find
        self.find_carrier = _QuestionTable(one.carriers for one in questions).find
        self.find_propagator = _QuestionTable(one.propagators for one in questions).find
        self.find_passing, self.find_passing_function = _find_passing(questions)
        self.find_fixed = _QuestionTable(one.fixed for one in questions).find
        self.lookups = frozenset(word for one in questions for word in one.lookups)
        self.binders = frozenset(word for one in questions for word in one.binders)
        callbacks = _CallbackTable(said for one in questions for said in one.callbacks)
        self.find_callbacks, self.callback_names = callbacks.find, callbacks.names
        self._settings = [
            (_build_settings(one.settings), 1 << index, one.exceptions, one.beside)
            for index, one in enumerate(questions)
            if one.settings
        ]
        self._settings_found: dict[str, tuple[KnownSetting, ...]] = {}
        self.options = _list_options((table for table, *_ in self._settings), sinks)
        """What objects are told that some question asks for."""
        self.words = collect_words(questions)
        self.secret_words = collect_secret_words(questions)
        self._effects: dict[str, Effect] = {}
        self._known: dict[str, bool] = {}
        self._find_sanitizer = _QuestionTable(one.sanitizers for one in questions).find
        self._find_unfit = _QuestionTable(one.unfit for one in questions).find

    def _mark_kinds(self, questions: Sequence[FlowQuestion], kinds: Sequence[set[str]]) -> None:
        """Which questions are about what: `kinds` are those of the sinks of each."""
        self.places = _mark(bool(found & _PLACES) for found in kinds)
        """The questions about where something leads: to a file, to a host."""
        self.believed = _mark(bool(found & _BELIEVED) for found in kinds)
        """The questions about what is kept and believed later."""
        self.guessed = _mark(bool(found & _GUESSED) for found in kinds)
        """The questions about numbers that must not be foretold."""
        asked = zip(questions, kinds, strict=True)
        self.paths = _mark(one.grouped and bool(found) and found <= _PATHS for one, found in asked)
        """The questions about which file somebody says is opened."""
        self.programs = _mark(bool(found & _PROGRAMS) for found in kinds)
        """The questions about programs in the language itself."""
        self.run = _mark(bool(found & (_PROGRAMS | _CALLBACKS)) for found in kinds)
        """The same, and those about functions that may be given as a text."""
        self.redirects = _mark(bool(found) and found <= _REDIRECTS for found in kinds)
        """The questions about where a visitor is sent on to."""
        self.commands = _mark(bool(found & _COMMANDS) for found in kinds)
        """The questions about what a shell runs."""
        self.statements = _mark(bool(found & _STATEMENTS) for found in kinds)
        """The questions about statements of a database."""
        self.markup = _mark(bool(found & _MARKUP) for found in kinds)
        """The questions about what a page takes for markup."""
        self.objects = _mark(bool(found) and found <= _OBJECTS for found in kinds)
        """The questions that a text does no harm to, only an object."""

    def is_known(self, name: str) -> bool:
        """Whether any question says anything of a name, or of a call of it."""
        # A name that nothing binds is asked for each time that it is read, in ten tables.
        known = self._known.get(name)
        if known is None:
            tables = (self.find_source, self.find_carrier, self.find_effect_mask)
            said = any(find(one) for find in tables for one in (name, f"{name}()", f"{name}.*"))
            known = self._known[name] = said or bool(self.find_sinks(name))
        return known

    def find_effect_mask(self, name: str) -> Mask:
        """The questions that a callee answers, or undoes the answers of."""
        effect = self.find_effect(name)
        return effect.answered | effect.undone

    def find_sanitizer(self, name: str) -> Mask:
        """The questions that a callee answers: `unescape` has the word of an `escape` in it."""
        mask = self._find_sanitizer(name)
        return mask and mask & ~self.find_undone(name) & ~self._find_unfit(name)

    def find_effect(self, name: str) -> Effect:
        """What a callee or a property does to the origins of what it is made from."""
        found = self._effects.get(name)
        if found is None:
            answered = self.find_sanitizer(name)
            found = Effect(answered, self.find_encoder(name), self.find_undone(name))
            self._effects[name] = found
        return found

    def find_sinks(self, name: str) -> tuple[KnownSink, ...]:
        """The sinks that a callee or a property is."""
        found = self._sinks_found.get(name)
        if found is None:
            masks: dict[Sink, Mask] = {}
            for table, mask in self._sinks:
                for sink in table.find(name):
                    masks[sink] = masks.get(sink, 0) | mask
            found = tuple(KnownSink(sink, mask) for sink, mask in masks.items())
            self._sinks_found[name] = found
        return found

    def asks_host(self, name: str) -> bool:
        """Whether a callee asks a host, which it is told as its first argument, for something."""
        word = name.rpartition(".")[2]
        return word in _ASKING and any(
            argument.kind == "url"
            for one in self.find_sinks(name)
            for argument in one.sink.arguments
        )

    @property
    def asks_settings(self) -> bool:
        """Whether some question asks what callees are given, and not where it came from."""
        return bool(self._settings)

    def find_settings(self, name: str) -> tuple[KnownSetting, ...]:
        """The settings that must not be those of a callee or a property."""
        found = self._settings_found.get(name)
        if found is None:
            found = tuple(
                KnownSetting(one, mask, exceptions, beside)
                for table, mask, exceptions, beside in self._settings
                for one in table.find(name)
            )
            self._settings_found[name] = found
        return found

    def get_rejected(self, text: object) -> Mask:
        """The questions that are answered for a value that does not hold a text."""
        return self.rejected.get(text)

    def find_safe(self, characters: frozenset[str], *, otherwise: bool = False) -> Mask:
        """The questions with texts to be rejected, none of which these characters make up.

        `otherwise` says whether those without such texts are among them.
        """
        listed, unsafe = self.rejected.find_safe(characters)
        return (self.everything if otherwise else listed) & ~unsafe


def _list_kinds(question: FlowQuestion) -> set[str]:
    """The kinds of what the sinks of a question are given."""
    return {one.kind for said in question.sinks for one in parse_sink(said).arguments}


def _list_options(
    tables: Iterable[_SettingTable], sinks: Iterable[tuple[str, ...]]
) -> frozenset[str]:
    """The options that settings, and places in what sinks are given, ask for."""
    asked = {option for table in tables for one in table.settings for option in one.options}
    steps = {
        normalize_option(step)
        for said in sinks
        for sink in map(parse_sink, said)
        # What a function returns is asked for its parts there, whatever it was told.
        if not sink.callee.startswith("return@")
        for one in sink.parts
        for step in one.place[1:]
    }
    return frozenset(asked | steps)


def _find_passing(
    questions: Iterable[FlowQuestion],
) -> tuple[Callable[[str], Mask], Callable[[str], Mask]]:
    """For which questions a callee hands on what it is given: any, and a function of a module.

    Such a function is no method of whatever has one of its name.
    """
    names = [one.passing for one in questions]
    functions = (tuple(one for one in said if not one.startswith(_OF_ANY)) for said in names)
    return _QuestionTable(names).find, _QuestionTable(functions).find


@lru_cache(maxsize=64)
def compile_questions(questions: tuple[FlowQuestion, ...]) -> Matcher:
    """The matcher of some questions, made once in each process."""
    return Matcher(questions)
