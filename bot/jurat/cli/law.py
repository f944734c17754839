"""`jurat rules law`: what the regulation packs hold, from when it applies, and whom it binds."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from jurat.cli.options import Form, print_note
from jurat.rating.law import Amendment, load_amendments, load_regulations
from jurat.rating.pack import Application, Clause, LawCheck, RegulationPack, format_day
from jurat.reports.counts import pluralize

STALE = dt.timedelta(days=120)
"""How long after it was last held against the law a pack is still taken for it."""


def list_law(
    *,
    on: Annotated[
        dt.datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DAY",
            help="The law as it stands on this day, such as 2027-12-02.",
            show_default="today",
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.TEXT,
) -> None:
    """List what `jurat rate` rates by: versions, sources, dates, and whom each clause binds.

    Says of each when it was last held against the law, what of it could not be, and warns if that
    was more than 120 days ago.
    """
    day = dt.datetime.now(dt.UTC).date() if on is None else on.date()
    packs = load_regulations(day)
    if form is Form.JSON:
        json.dump([_build_document(pack, day) for pack in packs], sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n\n".join("\n".join(_render(pack, day)) for pack in packs) + "\n")
    for name, checked in _list_sources(packs, day):
        if day - checked.checked > STALE:
            age = pluralize((day - checked.checked).days, "day")
            print_note(f"{name} was last checked {age} ago: see whether the law has changed.")


def _list_sources(
    packs: tuple[RegulationPack, ...], day: dt.date
) -> Iterator[tuple[str, LawCheck]]:
    for pack in packs:
        yield pack.regulation.name, pack.regulation
        for item in _list_amendments(pack, day):
            yield item.name, item


def _list_amendments(pack: RegulationPack, day: dt.date) -> list[Amendment]:
    return [
        item.amendment
        for item in load_amendments()
        if item.amendment.amends == pack.regulation.id and item.amendment.in_force <= day
    ]


def _render(pack: RegulationPack, day: dt.date) -> Iterator[str]:
    about = pack.regulation
    yield f"{about.name} ({about.id}): {about.version}"
    yield f"  {about.source}"
    yield from _render_checked(about)
    for item in _list_amendments(pack, day):
        yield f"  {item.name}, in force since {format_day(item.in_force)}"
        yield f"    {item.source}"
        yield from (f"  {line}" for line in _render_checked(item))
    for clause in pack.clauses:
        yield f"  {clause.article:<14} {clause.title}"
        yield f"  {'':<14} {describe_dates(clause)}; {describe_bound(clause)}"


def _render_checked(checked: LawCheck) -> Iterator[str]:
    yield f"  Last checked on {format_day(checked.checked)}."
    if checked.unchecked:
        yield f"  Not checked: {checked.unchecked}"


def describe_dates(clause: Clause) -> str:
    """From when a clause applies, and to which systems if not to all at once."""
    return ", ".join(_describe_application(item) for item in clause.applies)


def _describe_application(application: Application) -> str:
    of = f" ({application.category})" if application.category else ""
    return f"from {format_day(application.since)}{of}"


def describe_bound(clause: Clause) -> str:
    """Whom a clause binds."""
    return f"binds {', '.join(clause.binds)}" if clause.binds else "voluntary"


def _build_document(pack: RegulationPack, day: dt.date) -> dict[str, Any]:
    return {
        **pack.regulation.model_dump(mode="json"),
        "amendments": [item.model_dump(mode="json") for item in _list_amendments(pack, day)],
        "clauses": [
            clause.model_dump(mode="json", include={"id", "article", "title", "applies", "binds"})
            for clause in pack.clauses
        ],
    }
