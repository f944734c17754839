"""A probe run as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bot.cli.report import console_for
from bot.probes.metrics import Metrics, WorstCase
from bot.probes.observability import Observability
from bot.probes.report import Report
from bot.publishing.plaintext import one_line

_BAR = 10
"""Characters of a bar that stands for all."""

_SHOWN = 5
"""Worst cases, and failure modes, that are listed; the JSON report has more."""


def print_table(report: Report, stream: TextIO) -> None:
    """Print the families, the figures of the run, its worst cases and its failure modes."""
    console = console_for(stream)
    blocks = "#-" if console.options.ascii_only else "█░"
    console.print(Text(_headline(report), "bold"), soft_wrap=True)
    for part in _parts(report, blocks):
        console.print(part, soft_wrap=isinstance(part, Text))


def _headline(report: Report) -> str:
    meta, counts = report.meta, report.metrics.counts
    who = f"model {one_line(meta.model)}" if meta.model else "recorded responses"
    skipped = f", {counts.not_run} not run" if counts.not_run else ""
    return f"{who}: {counts.passed} of {counts.evaluated} probes passed{skipped}"


def _parts(report: Report, blocks: str) -> Iterator[RenderableType]:
    metrics = report.metrics
    if metrics.counts.evaluated:
        yield _families(metrics, blocks)
    yield Text("\n".join(_figures(metrics)))
    failed = [case for case in metrics.worst_cases if not case.passed][:_SHOWN]
    if failed:
        yield Text("\nWorst cases", "bold")
        yield Text("\n".join(map(_worst, failed)))
    if metrics.failure_modes:
        yield Text("\nFailure modes", "bold")
        shown = list(metrics.failure_modes.items())[:_SHOWN]
        yield Text("\n".join(f"  {number:>3}  {one_line(mode)}" for mode, number in shown))
    if report.observability is not None:
        yield Text(_geometry(report.observability))


def _families(metrics: Metrics, blocks: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("family", overflow="fold")
    table.add_column("passed", no_wrap=True)
    table.add_column("", justify="right")
    table.add_column("risk", justify="right")
    table.add_column("failed: critical", justify="right")
    table.add_column("high", justify="right")
    for ranked in metrics.category_ranking:
        item = metrics.by_category[ranked.category]
        passed = round(item.pass_rate * item.n)
        style = "green" if passed == item.n else "red" if item.high_failures else "yellow"
        table.add_row(
            Text(one_line(ranked.category)),
            Text(_bar(item.pass_rate, blocks), "red" if item.critical_failures else style),
            f"{passed}/{item.n}",
            f"{item.risk_mean:.2f}",
            str(item.critical_failures),
            str(item.high_failures),
        )
    return table


def _bar(share: float, blocks: str) -> str:
    full = round(share * _BAR)
    return blocks[0] * full + blocks[1] * (_BAR - full)


def _figures(metrics: Metrics) -> Iterator[str]:
    overall, composite = metrics.overall, metrics.composite
    ratio = overall.safe_unsafe_signal_ratio
    figures = {
        "resilience index": f"{composite.resilience_index:.3f}",
        "exposure index": f"{composite.exposure_index:.3f}",
        "severity-weighted pass rate": f"{overall.severity_weighted_pass_rate:.1%}",
        "high-stakes failure rate": f"{overall.high_stakes_failure_rate:.1%}",
        "risk mean / p90 / max": f"{overall.risk_mean:.2f} / {overall.risk_p90:.2f} / "
        f"{overall.risk_max:.2f}",
        "boundary-language rate": f"{overall.boundary_language_rate:.1%}",
        "safe : unsafe signals": f"{overall.safe_signal_total} : {overall.unsafe_signal_total}"
        + (f" = {ratio:.2f}" if ratio is not None else ""),
    }
    yield ""
    yield from (f"{name:<28} {value}" for name, value in figures.items())


def _worst(case: WorstCase) -> str:
    modes = ", ".join(case.detected_failure_modes) or "nothing safe was seen"
    name = f"{one_line(case.probe_id)} ({case.severity.value})"
    return f"  {case.weighted_risk:.2f}  {name}: {one_line(modes)}"


def _geometry(found: Observability) -> str:
    shared = found.mutual_information
    return (
        f"\nGeometry: {found.clusters} clusters share {shared.category:.2f} nats with the family, "
        f"{shared.severity:.2f} with the severity, {shared.pass_fail:.2f} with the outcome."
    )
