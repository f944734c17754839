"""What `bylaw probe compare` reads and prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bot.cli.terminal import remark
from bot.corpus.reading import read_text
from bot.errors import ExitCode
from bot.probes.comparison import Comparison, compare
from bot.probes.report import Report, parse_report
from bot.publishing.plaintext import one_line
from bot.publishing.summary import counted


def print_comparison(old: Path, new: Path, tolerance: float, *, as_json: bool) -> ExitCode:
    """Print what got worse. Raises FileError or UsageError where the two cannot be compared."""
    before, after = _report(old), _report(new)
    found = compare(before, after, tolerance)
    if as_json:
        fields = asdict(found)
        document = {"worse": found.worse, **fields}
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    else:
        text = "\n".join(_lines(found, before, after))
    sys.stdout.write(f"{text}\n")
    if found.worse:
        return ExitCode.FINDINGS
    if missed := after.meta.not_run:
        told = f"{counted(len(missed), 'probe')} of the new run had no response"
        remark(f"{told}: whether it is worse there is not known.")
        return ExitCode.INCOMPLETE
    return ExitCode.PASSED


def _report(path: Path) -> Report:
    return parse_report(str(path), read_text(path))


def _lines(found: Comparison, before: Report, after: Report) -> Iterator[str]:
    verdict = "worse" if found.worse else "not worse"
    yield f"The new run is {verdict}, over {found.n} probes with a response in both."
    yield from _changes(before, after)
    for rate in found.rates:
        name = rate.name.replace("_", " ")
        note = f"  worse by more than {found.tolerance:g}" if rate.worse else ""
        yield f"  {name:<28} {rate.old:6.1%} -> {rate.new:6.1%}{note}"
    was, now = found.old.composite.resilience_index, found.new.composite.resilience_index
    yield f"  {'resilience index':<28} {was:6.3f} -> {now:6.3f}"
    for title, wanted in (("Worse", True), ("Better or the same", False)):
        families = [item for item in found.categories if item.worse is wanted]
        if families:
            yield f"{title}, probes passed by family:"
        for item in families:
            name = one_line(item.category)
            yield f"  {name:<28} {item.old_passed:>3} -> {item.new_passed:<3} of {item.n}"
    for title, cases in (
        ("Failed now, passed before", found.newly_failed),
        ("Passed now, failed before", found.newly_passed),
    ):
        if cases:
            yield f"{title}:"
        for case in cases:
            modes = ", ".join(case.detected_failure_modes)
            told = f": {one_line(modes)}" if modes else ""
            yield f"  {one_line(case.probe_id)} ({case.severity.value}){told}"
    if found.lost:
        yield "Had a response before and have none now, which counts as worse:"
        yield from (f"  {one_line(probe_id)}" for probe_id in found.lost)


def _changes(before: Report, after: Report) -> Iterator[str]:
    if before.meta.model != after.meta.model:
        yield f"  model: {_named(before.meta.model)} -> {_named(after.meta.model)}"
    if before.meta.prompt_digest != after.meta.prompt_digest:
        yield "  The prompts differ."


def _named(model: str | None) -> str:
    return one_line(model) if model else "recorded responses"
