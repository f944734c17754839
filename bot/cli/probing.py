"""What `bylaw probe run` does: gathers responses, scores them, prints and keeps the report."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.cli.observing import is_observable, observed
from bot.cli.options import ProbeFormat
from bot.cli.terminal import remark
from bot.config import ModelSettings, Settings
from bot.corpus.reading import read_text
from bot.errors import ExitCode, UsageError
from bot.probes.asking import ask_judge
from bot.probes.observability import MIN_CASES
from bot.probes.probe import ProbeSet
from bot.probes.reading import read_probes
from bot.probes.report import Heard, NotRun, Report, build_report, report_text
from bot.probes.responses import parse_responses
from bot.probes.standing import ProbeRun

JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for. See the options' help."""

    paths: tuple[Path, ...]
    responder: str
    form: ProbeFormat
    output: Path | None
    store: bool


def run(asked: Asked) -> ExitCode:
    """Run the probes and say how it ended. Raises BylawError where there is nothing to report."""
    probes = read_probes(asked.paths)
    if asked.output is not None:
        _check_place(asked.output)
    if asked.responder == JUDGE:
        settings = Settings.from_environment(os.environ)
        heard = asyncio.run(_heard(probes, settings, upgraded=asked.store))
    else:
        path = Path(asked.responder)
        heard = parse_responses(str(path), read_text(path), probes)
    report = build_report(probes, heard, observed if is_observable() else None)
    if not is_observable() and len(report.cases) >= MIN_CASES:
        remark('no geometry without scikit-learn: pip install "bylaw[probes]"')
    _write(report, asked)
    if asked.responder == JUDGE and asked.store:
        asyncio.run(_keep(report, Settings.from_environment(os.environ).for_database()))
    for line in _not_run(report.meta.not_run):
        remark(line)
    return ExitCode.INCOMPLETE if report.meta.not_run else ExitCode.PASSED


def _not_run(missed: Sequence[NotRun]) -> Iterator[str]:
    """One line for each reason: a service that is down is the same for sixty probes."""
    for reason in dict.fromkeys(item.reason for item in missed):
        names = [item.probe_id for item in missed if item.reason == reason]
        if len(names) == 1:
            yield f"{names[0]} was not run: {reason}."
            continue
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"{len(names)} probes were not run: {reason} ({', '.join(names[:3])}{more})."


def _check_place(output: Path) -> None:
    """Say that nothing can be written there before the responses cost anything."""
    if output.is_dir():
        raise UsageError(f"--output: {output} is a folder.", hint="Name a file.")
    if not output.parent.is_dir():
        raise UsageError(f"--output: there is no folder {output.parent}.", hint="Make it.")


async def _heard(probes: ProbeSet, settings: Settings, *, upgraded: bool) -> Heard:
    """The judge's responses. The database is looked at first: each response costs something."""
    model = settings.for_model()
    if model is None:
        raise UsageError(
            "No judge is configured: GEMINI_API_KEY is not set.",
            hint="Set it, or score recorded responses with --responder RESPONSES.jsonl.",
        )
    if upgraded:
        from bot.store.schema import upgrade  # noqa: PLC0415 - for runs that are kept

        await upgrade(settings.for_database())
    return await _answers(probes, model)


async def _answers(probes: ProbeSet, settings: ModelSettings) -> Heard:
    from bot.gemini.models import opened  # noqa: PLC0415 - where a model is asked

    async with opened(settings) as models:
        with _progress(len(probes.probes)) as answered:
            return await ask_judge(probes, models.judge, models.options, answered=answered)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr where a person looks on."""
    from rich.console import Console  # noqa: PLC0415 - where a model is asked alone
    from rich.progress import Progress  # noqa: PLC0415 - as above

    quiet = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("Probing", total=total)
        yield lambda: bar.advance(task)


def _write(report: Report, asked: Asked) -> None:
    if asked.form is ProbeFormat.TABLE and asked.output is None:
        from bot.cli.probe_table import print_table  # noqa: PLC0415 - for this format alone

        print_table(report, sys.stdout)
        return
    text = _text(report, asked.form)
    if asked.output is None:
        sys.stdout.write(text)
        return
    try:
        asked.output.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"--output: {asked.output} cannot be written: {error.strerror}."
        raise UsageError(problem) from None


def _text(report: Report, form: ProbeFormat) -> str:
    if form is ProbeFormat.JSON:
        return report_text(report)
    if form is ProbeFormat.HTML:
        from bot.cli.probe_page import render_report  # noqa: PLC0415 - for this format alone

        return render_report(report)
    from io import StringIO  # noqa: PLC0415 - as above

    from bot.cli.probe_table import print_table  # noqa: PLC0415 - as above

    text = StringIO()
    print_table(report, text)
    return text.getvalue()


async def _keep(report: Report, database_url: str) -> None:
    from bot.store.database import Database  # noqa: PLC0415 - for runs that are kept
    from bot.store.store import Store  # noqa: PLC0415 - as above

    database = Database.at(database_url)
    try:
        now = dt.datetime.now(dt.UTC)
        await Store(database, lambda: now).save_probe_run(ProbeRun(report, now))
    finally:
        await database.close()
