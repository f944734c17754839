"""A backtest as a person reads it, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TextIO

from rich.table import Table
from rich.text import Text

from jurat.findings.backtest import Aftermath, Backtest, ReplayedFinding, RuleBacktest
from jurat.reports.counts import pluralize
from jurat.reports.text import build_console
from jurat.source.visible_text import escape_json, to_terminal_line

_SHORT = 10
"""Digits of a commit."""

_GAPS = 10
"""Things that were not assessed which are named."""

_LONGEST = 100
"""Characters of a message beside an example."""


def write_backtest(backtest: Backtest, stream: TextIO, *, as_json: bool = False) -> None:
    """Print the rules that spoke, with examples, and the levels that are suggested."""
    if as_json:
        stream.write(escape_json(json.dumps(_to_json(backtest), indent=2)) + "\n")
        return
    console = build_console(stream)
    console.print(Text(_describe_total(backtest), style="bold"), soft_wrap=True)
    if backtest.rules:
        console.print(_build_table(backtest))
    for rule in backtest.rules:
        for example in _render_examples(rule):
            console.print(example, soft_wrap=True)
    for change in backtest.changes:
        if change.problem:
            problem = f"{change.commit[:_SHORT]} could not be reviewed: {change.problem}"
            console.print(Text(to_terminal_line(problem)), soft_wrap=True)
    for line in (*_render_gaps(backtest), *_render_levels(backtest)):
        console.print(Text(line), soft_wrap=True)


def _describe_total(backtest: Backtest) -> str:
    total = pluralize(len(backtest.changes), "merged change")
    if not backtest.stopped:
        return f"{total}: none would have been stopped."
    share = backtest.stopped / len(backtest.changes)
    return f"{total}: {backtest.stopped} would have been stopped ({share:.1%})."


def _build_table(backtest: Backtest) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for heading in ("changes", "stopped", "firings", "fixed later"):
        table.add_column(heading, justify="right")
    table.add_column("suggested")
    for item in backtest.rules:
        table.add_row(
            item.rule,
            str(item.changes),
            str(item.stopped),
            str(item.firings),
            str(item.fixed),
            item.suggested or "as it is",
        )
    return table


def _render_examples(item: RuleBacktest) -> Iterator[Text]:
    yield Text.assemble("\n", (item.rule, "bold cyan"), f": {item.reason}")
    for commit, firing in item.examples:
        yield Text(f"  {commit[:_SHORT]}  {_describe_firing(firing)}")


def _describe_firing(firing: ReplayedFinding) -> str:
    place = f"{firing.path}:{firing.line}" if firing.line else firing.path or "the whole change"
    after = "" if firing.aftermath is Aftermath.STANDS else f" ({firing.aftermath})"
    return to_terminal_line(f"{place}  {firing.message[:_LONGEST]}{after}")


def _render_gaps(backtest: Backtest) -> Iterator[str]:
    gaps = backtest.count_gaps()
    if not gaps:
        return
    yield ""
    yield "Not assessed, which stopped changes and no level mends:"
    for gap, count in gaps.most_common(_GAPS):
        yield f"  {to_terminal_line(gap)} ({pluralize(count, 'change')})"
    if len(gaps) > _GAPS:
        yield f"  … and {len(gaps) - _GAPS} more"


def _render_levels(backtest: Backtest) -> Iterator[str]:
    if not backtest.levels:
        return
    yield ""
    yield "In .github/jurat.yml these levels would have stopped less:"
    yield ""
    yield "levels:"
    for rule, level in backtest.levels.items():
        yield f"  {rule}: {level}"


def _to_json(backtest: Backtest) -> dict[str, object]:
    return {
        "changes": len(backtest.changes),
        "reviewed": backtest.reviewed,
        "stopped": backtest.stopped,
        "rules": [
            {
                **{name: value for name, value in asdict(item).items() if name != "examples"},
                "suggested": item.suggested or None,
            }
            for item in backtest.rules
        ],
        "replayed": [
            asdict(change)
            for change in backtest.changes
            if change.firings or change.undecided or change.problem
        ],
    }
