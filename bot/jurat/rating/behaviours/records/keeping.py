"""Behaviours by which records stay: who keeps them does not let go of them before their time."""

from __future__ import annotations

from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.records.record_calls import RECORDS, list_recorded_places
from jurat.rating.code.durations import LEAST_DAYS, count_days
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.sql_statements import (
    has_deletion_guard,
    list_deletion_guards,
    split_statements,
)
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.stores import list_touched

_LOCKS = ("ObjectLockMode", "ObjectLockRetainUntilDate", "RetainUntilDate")
_MOST_DAYS = 5_000


@register_behaviour("locked_record")
def find_locked_records(conduct: Conduct) -> Iterator[Sign]:
    """A store refuses to delete records for six months at least."""
    recorded = list_recorded_places(conduct)
    yield from _find_guarded_tables(conduct, recorded)
    around = conduct.beside & set(conduct.product)
    for one, call, _ in conduct.iter_calls(conduct.subjects):
        locked = sum(name in call.keywords or f"k:{name}" in call.given for name in _LOCKS)
        if locked > 1 and _is_long(conduct, one, call):
            places = set(list_touched(conduct, one))
            places |= {p for kept in list_store_calls(conduct, one) for p in kept.places}
            if one in around or places & recorded or any(map(RECORDS.search, places)):
                yield Sign("locked_record", one, call.line, frozenset({one}))


def _is_long(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is locked stays so for six months, as far as numbers around it tell."""
    facts = conduct.facts(one)
    tags: Tags = conduct.expand(one, call.given) | frozenset(f"t:{text}" for text in facts.says)
    days = count_days(tags, facts) or count_days(tags, conduct.facts((one[0], 0)))
    numbers = (float(tag[2:]) for tag in tags if tag[:2] == "n:")
    return (days or 0) >= LEAST_DAYS or any(LEAST_DAYS <= n <= _MOST_DAYS for n in numbers)


def _find_guarded_tables(conduct: Conduct, recorded: frozenset[str]) -> Iterator[Sign]:
    """A trigger of the database refuses to delete rows that are young."""
    for one, statements in _iter_stated(conduct):
        for guard in list_deletion_guards(statements):
            days = count_days(frozenset({f"t:{guard.body}"}), conduct.facts(one))
            if f"table:{guard.table}" in recorded and (days is None or days >= LEAST_DAYS):
                yield Sign("locked_record", one, conduct.facts(one).first or 1, frozenset({one}))


def _iter_stated(conduct: Conduct) -> Iterator[tuple[Function, list[str]]]:
    """The statements of the database's own files, and of what a program has it make."""
    for path, facts in sorted(conduct.program.files.items()):
        if facts.language == "sql":
            yield (path, 0), sorted(facts.functions[0].says)
    for one in conduct.product:
        texts = [text for text in conduct.facts(one).says if has_deletion_guard(text)]
        if texts and conduct.program.files[one[0]].language != "sql":
            yield one, [part for text in sorted(texts) for part in split_statements(text)]
