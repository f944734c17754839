"""What `bylaw rules explain` and `bylaw rules docs` print."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rich.text import Text

from bot.cli.report import console_for
from bot.cli.rule_files import in_force_at
from bot.corpus.configuration import Configuration
from bot.corpus.rule import Corpus, Rule
from bot.errors import UsageError
from bot.publishing.plaintext import one_line
from bot.publishing.rule_page import applies_to, how_decided, pages
from bot.selection.metadata import select
from bot.selection.selection import Criteria
from bot.subjects.assembly import assemble
from bot.subjects.change import Change
from bot.subjects.texts import path_alone


@dataclass(frozen=True, slots=True)
class _Standing:
    """What becomes of a rule in a change of one path."""

    path: str
    applies: bool
    reason: str


def print_explanation(
    rule_id: str, paths: Sequence[str], files: Sequence[Path] | None, *, as_json: bool
) -> None:
    """Print the rule, and whether it applies to each path. Raises UsageError for an unknown id."""
    corpus, configuration = in_force_at(files)
    rule = corpus.rules.get(rule_id)
    if rule is None:
        close = get_close_matches(rule_id, corpus.rules, n=1, cutoff=0.6)
        meant = f"; did you mean {close[0]!r}?" if close else "."
        raise UsageError(
            f"No rule is called {rule_id!r}{meant}", hint="`bylaw rules list` shows them all."
        )
    today = dt.datetime.now(dt.UTC).date()
    standings = [_standing(rule, path, corpus, configuration, today) for path in paths]
    if as_json:
        row = {**rule.model_dump(mode="json", exclude_defaults=True), "origin": rule.origin}
        found = [
            {"path": item.path, "applies": item.applies, "reason": item.reason}
            for item in standings
        ]
        sys.stdout.write(json.dumps({"rule": row, "paths": found}, indent=2) + "\n")
        return
    console = console_for(sys.stdout)
    for line in (*_about(rule), *_standings(standings)):
        console.print(line, soft_wrap=True)


def print_pages(files: Sequence[Path] | None) -> None:
    """Print all rules as one Markdown document."""
    corpus, _ = in_force_at(files)
    sys.stdout.write(pages(corpus))


def _standing(
    rule: Rule, path: str, corpus: Corpus, configuration: Configuration, today: dt.date
) -> _Standing:
    context = assemble(
        Change((path_alone(path),)),
        surfaces=configuration.surfaces,
        ignored=configuration.ignore,
    )
    selection = select(context, corpus, Criteria.of(configuration), today)
    left_out = {item.rule.id: item.reason for item in selection.omitted}
    if rule.id in left_out:
        return _Standing(path, applies=True, reason=f"not assessed: {left_out[rule.id]}")
    if any(chosen.id == rule.id for chosen in selection.rules):
        return _Standing(path, applies=True, reason="")
    (reason,) = (item.reason for item in selection.inapplicable if item.rule.id == rule.id)
    return _Standing(path, applies=False, reason=reason)


def _about(rule: Rule) -> Iterator[Text]:
    weight = f"  {rule.modality} {rule.severity} {rule.kind} {rule.maturity}"
    yield Text.assemble((rule.id, "bold cyan"), weight)
    yield Text(f"  {one_line(rule.statement)}")
    rows = [
        ("why", rule.rationale),
        ("decided", how_decided(rule)),
        ("applies to", applies_to(rule)),
        ("fix", rule.fix or ""),
        ("sources", ", ".join(rule.references)),
        ("written in", rule.origin),
    ]
    for name, text in rows:
        if text:
            yield Text.assemble((f"  {name:<11}", "dim"), one_line(text))


def _standings(standings: Sequence[_Standing]) -> Iterator[Text]:
    for item in standings:
        said = "applies" if item.applies else "does not apply"
        style = "green" if item.applies else "yellow"
        reason = f": {one_line(item.reason)}" if item.reason else ""
        yield Text.assemble(f"{one_line(item.path)}  ", (said, style), reason)
