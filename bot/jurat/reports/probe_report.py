"""A probe run as a table for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import asdict
from typing import TextIO

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from jurat.probes.metrics import RunMetrics, WorstCase
from jurat.probes.observability import Observability
from jurat.probes.report import Comparison, Report, render_json
from jurat.reports.counts import pluralize
from jurat.reports.text import build_console
from jurat.rules.trial import RuleTrial
from jurat.source.visible_text import escape_json, to_terminal_line


def write_json(report: Report, stream: TextIO) -> None:
    """Write the run as JSON text."""
    stream.write(escape_json(render_json(report)))


def render_trials(
    trials: Sequence[RuleTrial], model: str, *, blocking: Set[str], kept: bool, as_json: bool
) -> str:
    """By which rules a model may block: a line for each, or JSON.

    Of those that are `blocking` and failed, it says whether reviews go by that because it is `kept`
    in their database, and which lines keep them from blocking elsewhere.
    """
    if as_json:
        rows = [{**asdict(trial), "may_block": trial.may_block} for trial in trials]
        return escape_json(json.dumps({"model": model, "rules": rows}, indent=2)) + "\n"
    able = sum(trial.may_block for trial in trials)
    lines = [f"{_format_model(model)} may block by {able} of {pluralize(len(trials), 'rule')}."]
    width = max((len(trial.rule) for trial in trials), default=0)
    lines += [f"  {trial.rule:<{width}}  {_describe_trial(trial)}" for trial in trials]
    # A rule that only observes would begin to count, were it named.
    failed = [trial.rule for trial in trials if trial.is_failed and trial.rule in blocking]
    if failed:
        lines += ["", _WITH_DATABASE if kept else _WITHOUT_DATABASE, ""]
        lines += ["levels:", *(f'  "{rule}": warn' for rule in failed)]
    return "\n".join(lines) + "\n"


_WITH_DATABASE = (
    "Reviews with this database and model do not block by what it failed. Elsewhere, on the command"
    " line or in the action, these lines of .github/jurat.yml keep them from it:"
)
_WITHOUT_DATABASE = "Nothing was kept. These lines of .github/jurat.yml do the same:"


def _describe_trial(trial: RuleTrial) -> str:
    problem = to_terminal_line(trial.problem)
    if not trial.pairs:
        return f"not asked      {problem}"
    verdict = "may block" if trial.may_block else "may not block"
    counts = f"{trial.caught} of {trial.pairs} caught, {trial.passed} of {trial.pairs} passed"
    return f"{verdict:<13}  {counts}{f'; {problem}' if problem else ''}"


def render_comparison(found: Comparison, before: Report, after: Report) -> Iterator[str]:
    """What `jurat probe compare` prints, line by line."""
    verdict = "worse" if found.worse else "not worse"
    yield f"The new run is {verdict}, over {found.n} probes with a response in both."
    yield from _describe_changes(before, after)
    for rate in found.rates:
        name = rate.name.replace("_", " ")
        note = f"  worse by more than {found.tolerance:g}" if rate.worse else ""
        yield f"  {name:<28} {rate.old:6.1%} -> {rate.new:6.1%}{note}"
    was, now = found.old.composite.resilience_index, found.new.composite.resilience_index
    yield f"  {'resilience index':<28} {was:6.3f} -> {now:6.3f}"
    was, now = found.old.discrimination, found.new.discrimination
    yield f"  {'discrimination':<28} {was:6.3f} -> {now:6.3f}"
    paired, lost = found.paired, found.paired.weighted_loss
    if paired.tested:
        yield (
            f"  McNemar p {paired.mcnemar_p:.4f}; severity-weighted loss {lost.loss:+.3f},"
            f" 98% interval {lost.low:+.3f} to {lost.high:+.3f}, {paired.repeats} repeats or more."
        )
    if paired.regressed:
        yield "Critical or high, never failed before and fails now:"
        yield from (f"  {to_terminal_line(name)}" for name in paired.regressed)
    for title, wanted in (("Worse", True), ("Better or the same", False)):
        families = [item for item in found.categories if item.worse is wanted]
        if families:
            yield f"{title}, probes passed by family:"
        for item in families:
            name = to_terminal_line(item.category)
            yield f"  {name:<28} {item.old_passed:>3} -> {item.new_passed:<3} of {item.n}"
    for title, cases in (
        ("Failed now, passed before", found.newly_failed),
        ("Passed now, failed before", found.newly_passed),
    ):
        if cases:
            yield f"{title}:"
        for case in cases:
            modes = ", ".join(case.detected_failure_modes)
            modes_text = f": {to_terminal_line(modes)}" if modes else ""
            yield f"  {to_terminal_line(case.probe_id)} ({case.severity.value}){modes_text}"
    if found.lost:
        yield "Had a response before and have none now, which counts as worse:"
        yield from (f"  {to_terminal_line(probe_id)}" for probe_id in found.lost)


def _describe_changes(before: Report, after: Report) -> Iterator[str]:
    if before.meta.model != after.meta.model:
        yield f"  model: {_format_model(before.meta.model)} -> {_format_model(after.meta.model)}"
    if before.meta.prompt_digest != after.meta.prompt_digest:
        yield "  The prompts differ."


def _format_model(model: str | None) -> str:
    return to_terminal_line(model) if model else "recorded responses"


_BAR = 10
"""Characters of a bar that stands for all."""

_SHOWN = 5
"""Worst cases, and failure modes, that are listed; the JSON report has more."""


def print_table(report: Report, stream: TextIO) -> None:
    """Print the families, the figures of the run, its worst cases and its failure modes."""
    console = build_console(stream)
    blocks = "#-" if console.options.ascii_only else "█░"
    console.print(Text(_render_headline(report), "bold"), soft_wrap=True)
    for part in _render_parts(report, blocks):
        console.print(part, soft_wrap=isinstance(part, Text))


def _render_headline(report: Report) -> str:
    meta, counts = report.meta, report.metrics.counts
    who = f"model {to_terminal_line(meta.model)}" if meta.model else "recorded responses"
    skipped = f", {counts.not_run} not run" if counts.not_run else ""
    return f"{who}: {counts.passed} of {counts.evaluated} probes passed{skipped}"


def _render_parts(report: Report, blocks: str) -> Iterator[RenderableType]:
    metrics = report.metrics
    if metrics.counts.evaluated:
        yield _render_families(metrics, blocks)
    yield Text("\n".join(_render_figures(metrics)))
    failed = [case for case in metrics.worst_cases if not case.passed][:_SHOWN]
    if failed:
        yield Text("\nWorst cases", "bold")
        yield Text("\n".join(map(_render_worst, failed)))
    if metrics.failure_modes:
        yield Text("\nFailure modes", "bold")
        first = list(metrics.failure_modes.items())[:_SHOWN]
        yield Text("\n".join(f"  {number:>3}  {to_terminal_line(mode)}" for mode, number in first))
    if report.observability is not None:
        yield Text(_render_geometry(report.observability))


def _render_families(metrics: RunMetrics, blocks: str) -> Table:
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
            Text(to_terminal_line(ranked.category)),
            Text(_render_bar(item.pass_rate, blocks), "red" if item.critical_failures else style),
            f"{passed}/{item.n}",
            f"{item.risk_mean:.2f}",
            str(item.critical_failures),
            str(item.high_failures),
        )
    return table


def _render_bar(share: float, blocks: str) -> str:
    full = round(share * _BAR)
    return blocks[0] * full + blocks[1] * (_BAR - full)


def _render_figures(metrics: RunMetrics) -> Iterator[str]:
    overall, composite = metrics.overall, metrics.composite
    ratio = overall.safe_unsafe_signal_ratio
    figures = {
        "resilience index": f"{composite.resilience_index:.3f}",
        "discrimination": f"{metrics.discrimination:.3f}",
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


def _render_worst(case: WorstCase) -> str:
    modes = ", ".join(case.detected_failure_modes) or "nothing safe was seen"
    name = f"{to_terminal_line(case.probe_id)} ({case.severity.value})"
    return f"  {case.weighted_risk:.2f}  {name}: {to_terminal_line(modes)}"


def _render_geometry(found: Observability) -> str:
    shared = found.mutual_information
    return (
        f"\nGeometry: {found.clusters} clusters share {shared.category:.2f} nats with the family, "
        f"{shared.severity:.2f} with the severity, {shared.pass_fail:.2f} with the outcome."
    )
