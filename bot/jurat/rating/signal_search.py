"""What is looked for in texts and names: the expressions of signals, compiled once."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from jurat.rating.accounts import MAY_TELL, SHOWN_ACCOUNTS
from jurat.rating.file_roles import Role
from jurat.rating.mentions import Kind
from jurat.rating.recon_table import (
    NAMES,
    build_name_pattern,
    compile_expression,
    load_recon_table,
)
from jurat.rules.constraints import LinearRegex, compile_regex

_LONGEST = 120
"""Characters of a name that can be one of the table's."""
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

    def wants(self, role: Role, kind: Kind, said: str) -> bool:
        """Whether what is said in a file of a role may show something."""
        if kind in TEXTS:
            data = to_bytes(said)
            return role is Role.CODE and (
                self._is_any(kind.value, data) or (kind is Kind.TEXT and self._is_met(data))
            )
        return bool(self.list_wanted_by(role, kind, said))

    def _list_wanted_by(self, role: Role, kind: Kind, said: str) -> tuple[SignalExpression, ...]:
        """Who wants what is said. Programs say the same names again and again."""
        # Also bounds what the cache keeps: a minified file says names of any length.
        if len(said) > _LONGEST or role not in self._roles[kind.value]:
            return ()
        data = to_bytes(said)
        if not self._is_any(kind.value, data):
            return ()
        return tuple(
            one
            for one in self.load_wanted(kind.value)
            if role in one.within and one.expression.search(data) is not None
        )

    def _is_met(self, data: bytes) -> bool:
        """Whether a text may be one in which a group meets."""
        return any(all(w.expression.search(data) for w in group) for group in self.groups)

    def _is_any(self, field: str, data: bytes) -> bool:
        """Whether anything of a kind is found: most of what code says is nothing."""
        if field not in self._any:
            self._any[field] = self._compile_any(field)
        return any(expression.search(data) is not None for expression in self._any[field])

    def _compile_any(self, field: str) -> tuple[LinearRegex, ...]:
        """All that is looked for of a kind, little enough in each for RE2 to stay fast."""
        wanted = [
            one
            for source in self._sources
            for probe in source.probes
            for one in getattr(probe, field)
        ]
        return tuple(
            _compile_names(field, tuple(wanted[start : start + _TOGETHER]))
            for start in range(0, len(wanted), _TOGETHER)
        )


@cache
def build_search(signals: frozenset[str] | None) -> SignalSearch:
    """The search for some signals, or for all."""
    return SignalSearch(signals)


def to_bytes(text: str) -> bytes:
    """A text as expressions are searched over it."""
    return text.encode("utf-8", "replace")


def _compile_names(field: str, wanted: tuple[str, ...]) -> LinearRegex:
    if field == "imports":
        modules = "|".join(map(re.escape, wanted))
        return compile_regex(rf"^(?:package:)?(?:{modules})(?:[./:\\]|$)")
    if field == "calls":
        ends = (call.removeprefix("*.").split(".") for call in wanted)
        dotted = (r"\.".join(map(build_name_pattern, end)) for end in ends)
        return compile_regex(rf"(?:^|\.)(?:{'|'.join(dotted)})$")
    if field in ("defines", "names", "keys"):
        return compile_regex(f"^(?:{'|'.join(map(build_name_pattern, wanted))})$")
    return compile_expression("|".join(f"(?:{pattern})" for pattern in wanted))
