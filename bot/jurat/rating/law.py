"""The law as of a day: the packs of rules/regulations/, with the amendments in force by then.

An amendment is a file of its own in rules/regulations/amendments/, so that what an earlier day knew
can be rated still, and what came when is told.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

from pydantic import Field

from jurat.errors import RuleError, UsageError
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import (
    Application,
    Clause,
    Day,
    LawCheck,
    Link,
    RegulationPack,
    find_application_problems,
    find_clause_problems,
    find_unknown,
    list_categories,
    parse_pack,
)
from jurat.rating.recon_table import load_recon_table
from jurat.resources import get_bundled_path
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import parse_yaml

_PREFIX = "jurat:regulations/"
_FOLDER = "amendments"


class Amendment(LawCheck):
    """What the file of an amending act says of itself: what it `amends`, and since when."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    amends: str
    name: str = Field(min_length=1)
    in_force: Day
    source: Link


class ChangedClauses(StrictModel):
    """Clauses that an amendment changes, and what it puts in the place of what they said."""

    clauses: tuple[str, ...] = Field(min_length=1)
    applies: tuple[Application, ...] | None = Field(default=None, min_length=1)
    title: str | None = Field(default=None, min_length=1)
    text: str | None = Field(default=None, min_length=1)
    link: Link | None = None


class AddedClauses(StrictModel):
    """Clauses that an amendment puts in `after` one that was there."""

    after: str
    clauses: tuple[Clause, ...] = Field(min_length=1)


class AmendmentPack(StrictModel):
    """One file of an amending act."""

    amendment: Amendment
    changes: tuple[ChangedClauses, ...] = ()
    additions: tuple[AddedClauses, ...] = ()


def parse_amendment(
    path: str,
    text: str,
    packs: Mapping[str, RegulationPack],
    *,
    rules: Collection[str],
    signals: Collection[str],
) -> AmendmentPack:
    """The amendment in a file, of one of `packs`, by id.

    Raises the first RuleError, at its line and key, the others in `further`.
    """
    document = parse_yaml(text, path, RuleError)
    found = validate_document(AmendmentPack, document, path, RuleError)
    raise_errors(
        RuleError(path, document.line(where), format_key_path(where), problem)
        for where, problem in _find_problems(found, packs, tuple(rules), tuple(signals))
    )
    return found


def apply_amendment(pack: RegulationPack, amendment: AmendmentPack) -> RegulationPack:
    """The pack as the amendment has it."""
    changed = {name: change for change in amendment.changes for name in change.clauses}
    added = {item.after: item.clauses for item in amendment.additions}
    clauses = (
        (_change_clause(clause, changed.get(clause.id)), *added.get(clause.id, ()))
        for clause in pack.clauses
    )
    version = f"{pack.regulation.version}, amended by {amendment.amendment.name}"
    return pack.model_copy(
        update={
            "regulation": pack.regulation.model_copy(update={"version": version}),
            "clauses": tuple(chain.from_iterable(clauses)),
        }
    )


def load_regulations(on: dt.date) -> tuple[RegulationPack, ...]:
    """All packs that come with Jurat, by their ids, as the law stands on a day."""
    packs = dict(_load_packs())
    for item in load_amendments():
        if item.amendment.in_force <= on:
            packs[item.amendment.amends] = apply_amendment(packs[item.amendment.amends], item)
    return tuple(packs.values())


@cache
def load_amendments() -> tuple[AmendmentPack, ...]:
    """All amendments that come with Jurat, the earliest first."""
    folder = get_bundled_path("rules", "regulations") / _FOLDER
    found = (
        parse_amendment(
            f"{_PREFIX}{_FOLDER}/{path.name}",
            path.read_text("utf-8"),
            _load_packs(),
            rules=list_named_rules(),
            signals=_list_signals(),
        )
        for path in folder.glob("*.yml")
    )
    return tuple(sorted(found, key=lambda item: (item.amendment.in_force, item.amendment.id)))


def choose_packs(ids: Collection[str], on: dt.date) -> tuple[RegulationPack, ...]:
    """The packs of these ids as of a day, each once, or all if none is named. Raises UsageError."""
    packs = {pack.regulation.id: pack for pack in load_regulations(on)}
    for name in ids:
        if name not in packs:
            raise UsageError(f"There is no regulation {name!r}; {suggest(tuple(packs), name)}")
    return tuple(packs[name] for name in dict.fromkeys(ids)) or tuple(packs.values())


@cache
def _load_packs() -> Mapping[str, RegulationPack]:
    """The packs as enacted, by their ids."""
    packs = (
        parse_pack(
            _PREFIX + path.name,
            path.read_text("utf-8"),
            rules=list_named_rules(),
            signals=_list_signals(),
        )
        for path in get_bundled_path("rules", "regulations").glob("*.yml")
    )
    return {pack.regulation.id: pack for pack in sorted(packs, key=lambda pack: pack.regulation.id)}


def _list_signals() -> Sequence[str]:
    return [source.name for source in load_recon_table().signals]


def _change_clause(clause: Clause, change: ChangedClauses | None) -> Clause:
    if change is None:
        return clause
    new = {
        name: value
        for name in ("applies", "title", "text", "link")
        if (value := getattr(change, name)) is not None
    }
    return clause.model_copy(update=new)


def _find_problems(
    found: AmendmentPack,
    packs: Mapping[str, RegulationPack],
    rules: tuple[str, ...],
    signals: tuple[str, ...],
) -> Iterator[tuple[KeyPath, str]]:
    name = found.amendment.amends
    if name not in packs:
        known = suggest(tuple(packs), name)
        yield ("amendment", "amends"), f"unknown regulation {name!r}; {known}"
        return
    clauses = tuple(clause.id for clause in packs[name].clauses)
    categories = tuple(list_categories(packs[name].risk_triggers))
    for i, change in enumerate(found.changes):
        yield from find_unknown(("changes", i, "clauses"), "clause", change.clauses, clauses)
        applies = change.applies or ()
        yield from find_application_problems(("changes", i, "applies"), applies, categories)
    for i, addition in enumerate(found.additions):
        if addition.after not in clauses:
            known = suggest(clauses, addition.after)
            yield ("additions", i, "after"), f"unknown clause {addition.after!r}; {known}"
        for k, clause in enumerate(addition.clauses):
            at: KeyPath = ("additions", i, "clauses", k)
            if clause.id in clauses:
                yield (*at, "id"), f"the clause {clause.id!r} is there already"
            yield from find_clause_problems(at, clause, rules, signals, categories)
