"""What is looked for in texts and names: the expressions of signals, compiled once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.mentions import Kind
from jurat.rating.signals.recon_table import (
    EXPRESSIONS,
    NAMES,
    build_name_pattern,
    compile_expression,
    list_literals,
    load_recon_table,
    split_name,
    to_regex,
)
from jurat.rating.texts.accounts import MAY_TELL, SHOWN_ACCOUNTS
from jurat.rating.texts.line_search import list_touched_lines
from jurat.rating.texts.literal_index import LiteralIndex
from jurat.rating.texts.phrase_filter import PhraseFilter
from jurat.rules.constraints import LinearRegex, compile_regex

_LONGEST = 120
"""Characters of a name that can be one of the table's."""
_MOST_WORDS = 200_000
"""Words of which it is remembered whether they may show something."""
_NO_LETTERS = re.compile(r"[^A-Za-z0-9\n]+")
_TOGETHER = 20
"""Names or phrases in one expression: with many more its automaton outgrows RE2's memory."""
TEXTS = (Kind.TEXT, Kind.SHOWN)


class SignalExpression(NamedTuple):
    """A probe's expression for one kind of thing, over UTF-8 bytes."""

    signal: str
    probe: int
    within: frozenset[Role]
    expression: LinearRegex


class SignalAccount(NamedTuple):
    """A probe's account, which a document, a page or a program's texts may give."""

    signal: str
    probe: int
    account: str


class SignalSearch:
    """The expressions of some signals, compiled once, and what they were asked before."""

    def __init__(self, signals: frozenset[str] | None) -> None:
        table = load_recon_table()
        self._sources = [one for one in table.signals if signals is None or one.name in signals]
        self._wanted: dict[str, tuple[SignalExpression, ...]] = {}
        self._any: dict[str, tuple[LinearRegex, ...]] = {}
        self._lined: dict[str, tuple[LinearRegex, ...]] = {}
        self._roles = {
            field: frozenset(role for one in self.load_wanted(field) for role in one.within)
            for field in ("imports", *NAMES)
        }
        self.groups = tuple(
            tuple(
                SignalExpression(
                    source.name, number, frozenset(probe.within), compile_expression(one)
                )
                for one in group
            )
            for source in self._sources
            for number, probe in enumerate(source.probes)
            for group in probe.meets
        )
        self.accounts = {
            name: [
                SignalAccount(source.name, number, name)
                for source in self._sources
                for number, probe in enumerate(source.probes)
                if name in probe.accounts
            ]
            for name in {a for one in self._sources for probe in one.probes for a in probe.accounts}
        }
        self.list_wanted_by = lru_cache(maxsize=200_000)(self._list_wanted_by)
        self._literals = {field: self._build_literals(field) for field in NAMES}
        self._choices: dict[Role, tuple[set[str], set[str]]] = {}
        self._hints = {field: one.compile() for field, one in self._literals.items()}
        self._modules = self._build_modules()

    def prepare(self) -> SignalSearch:
        """Compile all that is looked for: a process that forks does it for those that it forks."""
        for field in ("imports", *NAMES, *EXPRESSIONS):
            self.load_wanted(field)
        for field in EXPRESSIONS:
            self.load_any(field)
        for field in ("documents", "settings"):
            self._load_lined(field)
        self.may_say("")
        return self

    def load_wanted(self, field: str) -> tuple[SignalExpression, ...]:
        """All probes that look for a kind of thing, each with its expression."""
        if field not in self._wanted:
            self._wanted[field] = tuple(
                SignalExpression(
                    source.name,
                    number,
                    frozenset(probe.within),
                    _compile_names(field, tuple(wanted)),
                )
                for source in self._sources
                for number, probe in enumerate(source.probes)
                if (wanted := getattr(probe, field))
            )
        return self._wanted[field]

    def may_tell(self, text: str) -> bool:
        """Whether the texts of a program may give an account that is looked for."""
        return (
            not SHOWN_ACCOUNTS.isdisjoint(self.accounts)
            and MAY_TELL.search(to_bytes(text)) is not None
        )

    def build_sieve(self, role: Role, text: str) -> Callable[[Kind, str], bool]:
        """Tells whether what is said of a kind in a text of a role may show something."""
        likely = _LikelyPhrases(self, text)

        def wants(kind: Kind, said: str) -> bool:
            if kind in TEXTS:
                return role is Role.CODE and likely.has_any(kind, said)
            return bool(self.list_wanted_by(role, kind, said))

        return wants

    def may_say(self, text: str) -> bool:
        """Whether any string of a text may have a phrase that is looked for; of most none has.

        Strings that stand beside each other are one, which does not stand there as such.
        """
        phrases, groups = self._met
        data = to_bytes(text)
        likely = phrases.list_likely(data)
        meeting = [group for group in groups if likely.issuperset(group)]
        alone = sorted(likely.difference(*groups))
        return phrases.finds_any(data, alone) or any(
            phrases.finds_all(data, group) for group in meeting
        )

    @cached_property
    def _met(self) -> tuple[PhraseFilter, tuple[range, ...]]:
        """All phrases, wherever they stand, and behind them the numbers of each group."""
        phrases = [
            _remove_ends(to_regex(pattern))
            for source in self._sources
            for probe in source.probes
            for kind in TEXTS
            for pattern in getattr(probe, kind.value)
        ]
        groups = []
        for group in self.groups:
            groups.append(range(len(phrases), len(phrases) + len(group)))
            phrases += [to_text(one.expression.pattern) for one in group]
        return PhraseFilter(phrases), tuple(groups)

    def reads_strings(self, role: Role) -> bool:
        """Whether what a file of a role writes in quotes may show something."""
        return role is Role.CODE or role in self._roles[Kind.KEY.value]

    def choose_names(self, role: Role, words: Collection[str]) -> Collection[str]:
        """The words that, as names in a file of a role, may show something."""
        # Files of one program say the same words: each is looked at once for all of them.
        chosen, passed = self._choices.setdefault(role, (set(), set()))
        if len(passed) > _MOST_WORDS:
            chosen.clear()
            passed.clear()
        left = frozenset(words) - passed
        if fresh := left - chosen:
            chosen.update(self._choose(role, list(fresh)))
            passed |= fresh - chosen
        return left & chosen

    def _choose(self, role: Role, lines: list[str]) -> Iterator[str]:
        letters = to_bytes(_NO_LETTERS.sub("", "\n".join(lines)).lower())
        for kind in (Kind.NAME, Kind.DEFINITION):
            # One search over all tells of most that they are not meant.
            number = start = 0
            hint = self._hints[kind.value]
            for hit in hint.finditer(letters) if hint else ():
                number += letters.count(b"\n", start, hit.start())
                start = hit.start()
                if self.list_wanted_by(role, kind, split_name(lines[number])):
                    yield lines[number]

    def _list_wanted_by(self, role: Role, kind: Kind, said: str) -> tuple[SignalExpression, ...]:
        """Who wants what is said. Programs say the same names again and again."""
        # Also bounds what the cache keeps: a minified file says names of any length.
        if len(said) > _LONGEST or role not in self._roles[kind.value]:
            return ()
        wanted = self.load_wanted(kind.value)
        data = to_bytes(said)
        if kind.value in NAMES:
            # What is left of its last part tells of most names that none is meant.
            letters = said.rpartition(".")[2].replace("_", "")
            likely = self._literals[kind.value].find(letters)
        else:
            likely = self._find_modules(said)
        return tuple(
            one
            for one in (wanted[at] for at in likely)
            if role in one.within and one.expression.search(data) is not None
        )

    def is_any(self, field: str, data: bytes) -> bool:
        """Whether anything of a kind is found: most of what code says is nothing."""
        return any(expression.search(data) is not None for expression in self.load_any(field))

    def find_lines(self, field: str, text: str) -> frozenset[int]:
        """The lines of a text, from 1, in which anything of a kind may be found by itself.

        Few searches over the whole text tell of most lines that nothing is.
        """
        data = to_bytes(text)
        return frozenset(
            line for one in self._load_lined(field) for line in list_touched_lines(one, data)
        )

    def _load_lined(self, field: str) -> tuple[LinearRegex, ...]:
        if field not in self._lined:
            every = tuple(one.pattern for one in self.load_any(field))
            self._lined[field] = tuple(compile_regex(f"(?m){to_text(one)}") for one in every)
        return self._lined[field]

    def load_any(self, field: str) -> tuple[LinearRegex, ...]:
        """All that is looked for of a kind, few expressions for many."""
        if field not in self._any:
            self._any[field] = self._compile_any(field)
        return self._any[field]

    def _build_literals(self, field: str) -> LiteralIndex:
        probes = (getattr(probe, field) for one in self._sources for probe in one.probes)
        return LiteralIndex(
            (literal, at)
            for at, names in enumerate(filter(None, probes))
            for name in names
            for literal in list_literals(name.removeprefix("*.").rpartition(".")[2])
        )

    def _build_modules(self) -> Mapping[str, set[int]]:
        """The modules that are looked for, each with the numbers of their expressions."""
        found: dict[str, set[int]] = {}
        probes = (probe.imports for one in self._sources for probe in one.probes if probe.imports)
        for number, modules in enumerate(probes):
            for module in modules:
                found.setdefault(module, set()).add(number)
        return found

    def _find_modules(self, said: str) -> list[int]:
        """The expressions, in order, that may fit a module: one wants it, or what it stands in."""
        found: set[int] = set()
        for name in {said, said.removeprefix(_PACKAGE)}:
            found.update(*(self._modules.get(name[:end], ()) for end in _iter_ends(name)))
        return sorted(found)

    def _compile_any(self, field: str) -> tuple[LinearRegex, ...]:
        """All that is looked for of a kind, little enough in each for RE2 to stay fast."""
        return tuple(
            _compile_names(field, tuple(wanted for _, wanted in part))
            for part in self._list_parts(field)
        )

    def _list_parts(self, field: str) -> Iterator[Sequence[tuple[int, str]]]:
        """All that is looked for of a kind, numbered, as it goes into few expressions."""
        wanted = [
            one
            for source in self._sources
            for probe in source.probes
            for one in getattr(probe, field)
        ]
        # Those that are bound to an end of a text last, in expressions of their own.
        for bound in (False, True):
            part = [(at, one) for at, one in enumerate(wanted) if is_bound(one) is bound]
            for start in range(0, len(part), _TOGETHER):
                yield part[start : start + _TOGETHER]

    def list_likely(self, text: str) -> Mapping[Kind, Sequence[LinearRegex]]:
        """The expressions of `load_any` of which a phrase may stand in a text, by its words."""
        phrases, _ = self._met
        likely = phrases.list_likely(to_bytes(text))
        return {
            kind: [
                one
                for one, numbers in zip(self.load_any(kind.value), parts, strict=True)
                if not likely.isdisjoint(numbers)
            ]
            for kind, parts in self._numbers.items()
        }

    @cached_property
    def _numbers(self) -> Mapping[Kind, Sequence[frozenset[int]]]:
        """The numbers, among all phrases, of those in each expression of `load_any`."""
        count = 0
        numbers: dict[Kind, list[int]] = {kind: [] for kind in TEXTS}
        for source in self._sources:
            for probe in source.probes:
                for kind in TEXTS:
                    end = count + len(getattr(probe, kind.value))
                    numbers[kind] += range(count, end)
                    count = end
        return {
            kind: [
                frozenset(numbers[kind][at] for at, _ in part)
                for part in self._list_parts(kind.value)
            ]
            for kind in TEXTS
        }


class _LikelyPhrases:
    """The phrases that may stand in the strings of one text: most can be told from the whole."""

    def __init__(self, search: SignalSearch, text: str) -> None:
        self._search = search
        self._text = text

    def has_any(self, kind: Kind, said: str) -> bool:
        """Whether a string has a phrase that is looked for, or a group meets in it."""
        data = to_bytes(said)
        # Strings that stand beside each other are one, which does not stand there as such.
        part = said in self._text
        phrases = self._phrases[kind] if part else self._search.load_any(kind.value)
        if any(expression.search(data) is not None for expression in phrases):
            return True
        groups = () if kind is not Kind.TEXT else self._groups if part else self._search.groups
        return any(all(one.expression.search(data) for one in group) for group in groups)

    @cached_property
    def _data(self) -> bytes:
        return to_bytes(self._text)

    @cached_property
    def _phrases(self) -> Mapping[Kind, Sequence[LinearRegex]]:
        # First by their words, of all at once: of most expressions none stands there.
        likely = self._search.list_likely(self._text)
        return {
            kind: [one for one in said if self._can_match(one)] for kind, said in likely.items()
        }

    @cached_property
    def _groups(self) -> Sequence[Sequence[SignalExpression]]:
        return [
            group
            for group in self._search.groups
            if all(self._can_match(one.expression) for one in group)
        ]

    def _can_match(self, expression: LinearRegex) -> bool:
        return is_bound(expression.pattern) or expression.search(self._data) is not None


_CLASS = re.compile(r"\\.|\[\^")


@cache
def is_bound(pattern: str | bytes) -> bool:
    """Whether an expression may be bound to an end of a text, so that it says less of a whole."""
    return re.search(r"[$^]", _CLASS.sub("", to_text(pattern))) is not None


_END = r"(?:\[\^\\s\]\{0,\d+\}|\\W[*?])?"
_ENDS = re.compile(rf"\^{_END}|{_END}\$|(\\.|\[\^?)")
"""An end of a text, with what may stand there; or a mark that is none, which is kept."""


def _remove_ends(pattern: str) -> str:
    """An expression for what `pattern` matches, at the ends of a text or within."""
    return _ENDS.sub(lambda found: found[1] or "", pattern)


@cache
def build_search(signals: frozenset[str] | None) -> SignalSearch:
    """The search for some signals, or for all."""
    return SignalSearch(signals)


def to_bytes(text: str) -> bytes:
    """A text as expressions are searched over it."""
    return text.encode("utf-8", "replace")


def to_text(pattern: str | bytes) -> str:
    """An expression as it was written."""
    return pattern.decode() if isinstance(pattern, bytes) else pattern


_PACKAGE = "package:"
_INSIDE = re.compile(r"[./:\\]")
"""What stands between a module and what is in it."""


def _iter_ends(module: str) -> Iterator[int]:
    """Where the name of a module ends, and of each that it stands in."""
    yield from (found.start() for found in _INSIDE.finditer(module))
    yield len(module)


def _compile_names(field: str, wanted: tuple[str, ...]) -> LinearRegex:
    if field == "imports":
        modules = "|".join(map(re.escape, wanted))
        return compile_regex(rf"^(?:{_PACKAGE})?(?:{modules})(?:[./:\\]|$)")
    if field == "calls":
        ends = (call.removeprefix("*.").split(".") for call in wanted)
        dotted = (r"\.".join(map(build_name_pattern, end)) for end in ends)
        return compile_regex(rf"(?:^|\.)(?:{'|'.join(dotted)})$")
    if field in ("defines", "names", "keys"):
        return compile_regex(f"^(?:{'|'.join(map(build_name_pattern, wanted))})$")
    return compile_expression("|".join(f"(?:{pattern})" for pattern in wanted))
