"""The law as of a day: the packs of rules/regulations/, with the amendments in force by then.

An amendment is a file of its own in rules/regulations/amendments/, so that what an earlier day knew
can be rated still, and what came when is told.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import NamedTuple

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
from jurat.rating.signals.recon_table import ROOMS, load_recon_table
from jurat.resources import get_bundled_path
from jurat.rules.compiled_files import recall_or_make
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
    law = _load_law()
    packs = dict(law.packs)
    for item in law.amendments:
        if item.amendment.in_force <= on:
            packs[item.amendment.amends] = apply_amendment(packs[item.amendment.amends], item)
    return tuple(packs.values())


def load_amendments() -> tuple[AmendmentPack, ...]:
    """All amendments that come with Jurat, the earliest first."""
    return _load_law().amendments


def choose_packs(ids: Collection[str], on: dt.date) -> tuple[RegulationPack, ...]:
    """The packs of these ids as of a day, each once, or all if none is named. Raises UsageError."""
    packs = {pack.regulation.id: pack for pack in load_regulations(on)}
    for name in ids:
        if name not in packs:
            raise UsageError(f"There is no regulation {name!r}; {suggest(tuple(packs), name)}")
    return tuple(packs[name] for name in dict.fromkeys(ids)) or tuple(packs.values())


class _Law(NamedTuple):
    """The packs as enacted, by their ids, and what amends them, the earliest first."""

    packs: Mapping[str, RegulationPack]
    amendments: tuple[AmendmentPack, ...]


@cache
def _load_law() -> _Law:
    """The law of rules/regulations/, whose files name signals of rules/recon.yml."""
    packs = _read_files("*.yml")
    amendments = _read_files(f"{_FOLDER}/*.yml")
    signals = [source.name for source in load_recon_table().signals]
    texts = {**packs, **amendments, "signals": " ".join(signals)}
    return recall_or_make("law", texts, lambda: _parse_law(packs, amendments, signals), ROOMS)


def _read_files(glob: str) -> dict[str, str]:
    """The texts of the shipped files that a glob means, by the paths that errors name."""
    folder = get_bundled_path("rules", "regulations")
    return {
        _PREFIX + path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.glob(glob))
    }


def _parse_law(
    packs: Mapping[str, str], amendments: Mapping[str, str], signals: Collection[str]
) -> _Law:
    rules = list_named_rules()
    parsed = (parse_pack(*item, rules=rules, signals=signals) for item in packs.items())
    enacted = {pack.regulation.id: pack for pack in parsed}
    amending = (
        parse_amendment(*item, enacted, rules=rules, signals=signals) for item in amendments.items()
    )
    return _Law(
        dict(sorted(enacted.items())),
        tuple(sorted(amending, key=lambda item: (item.amendment.in_force, item.amendment.id))),
    )


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
