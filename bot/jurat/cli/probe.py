"""`jurat probe`: measure how safely a judge behaves, and compare two measurements."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from jurat.cli.options import Form, ProbeFormat, print_note
from jurat.cli.probe_geometry import compute_observability, is_observable
from jurat.errors import ExitCode, UsageError
from jurat.judge.models_file import ModelSettings
from jurat.judge.opening import open_models
from jurat.probes.loader import parse_responses, read_probes
from jurat.probes.observability import MIN_CASES
from jurat.probes.probe import ProbeSet
from jurat.probes.report import (
    NotRun,
    Report,
    RunResponses,
    build_report,
    compare_reports,
    parse_report,
)
from jurat.probes.rule_twins import ask_rule_twins, count_twins
from jurat.probes.run import ProbeRun, ask_probes, get_probed_model, list_prompts, read_replies
from jurat.probes.twins import list_twins
from jurat.reports.counts import pluralize
from jurat.reports.formats import PROBE_FORMATS
from jurat.reports.probe_report import render_comparison, render_trials
from jurat.rules.files import read_rule_files, read_text
from jurat.rules.loader import load_ruleset
from jurat.rules.rule import Rule
from jurat.rules.trial import RuleTrial
from jurat.settings import Settings

if TYPE_CHECKING:
    from jurat.store.evaluations import Store

app = typer.Typer(
    help="Measure how safely a judge behaves before it may gate changes.", no_args_is_help=True
)

ProbePaths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE|DIR",
        help="Probe files (.yml, .jsonl), or folders of them.",
        show_default="the shipped probes",
    ),
]


@app.command("run")
def run_probes(
    paths: ProbePaths = None,
    *,
    responder: Annotated[
        str,
        typer.Option(
            metavar="judge|RESPONSES.jsonl",
            help='Who answers: the configured judge, or recorded responses, a line {"probe_id": …, '
            '"response": …} each.',
        ),
    ] = "judge",
    form: Annotated[
        ProbeFormat, typer.Option("--format", help="How to print the report.")
    ] = ProbeFormat("table"),
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report there.", show_default="print it"),
    ] = None,
    store: Annotated[
        bool,
        typer.Option(
            help="Keep what came of it in the database: a run for doctor and dashboard, a trial of "
            "--rules for reviews."
        ),
    ] = True,
    repeat: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="How often each is asked.",
            show_default="5 with --format json, which a gate compares; else 1",
        ),
    ] = None,
    rules: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Say of these rules by which the judge may block, instead of probing it.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Put probes to a judge and score its responses.

    With --rules it is asked about twins of those rules' own examples instead. Reviews with the same
    database and model do not block by a rule whose twins it takes for each other.

    Exits with 0 once every probe has been scored, passed or not (the gate is `probe compare`), and
    with 3 if some got no response.
    """
    # `compare` tests what was repeated thrice or more; a table to look at need not cost as much.
    if rules:
        if paths or responder != JUDGE:
            raise UsageError("--rules goes without probes and without --responder.")
        pairs = repeat or _GATE_REPEATS
        raise typer.Exit(try_rules(ProbeArgs(tuple(rules), responder, form, output, store, pairs)))
    times = repeat or (_GATE_REPEATS if form == "json" else 1)
    raise typer.Exit(run(ProbeArgs(tuple(paths or ()), responder, form, output, store, times)))


@app.command("compare")
def compare_runs(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The JSON report of the run before.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The JSON report of the run after.")],
    *,
    tolerance: Annotated[
        float,
        typer.Option(min=0, max=1, help="What a rate may worsen by before the exit code is 1."),
    ] = 0.02,
    form: Annotated[
        Form, typer.Option("--format", help="How to print the comparison.")
    ] = Form.TEXT,
) -> None:
    """Say what got worse between two runs of the same probes.

    Exits with 1 if a critical or high probe fails in most repeats that failed in none before, if
    paired tests find more failures than chance brings, if a rate is worse by more than the
    tolerance and than chance, or if a probe that had a response has none any more; with 3 if it
    is not worse and a probe of the new run has no response.
    """
    as_json = form is Form.JSON
    raise typer.Exit(print_comparison(old, new, tolerance, as_json=as_json))


@app.command("export")
def print_prompts(
    paths: ProbePaths = None,
) -> None:
    """Print the prompts of all probes and their twins, a line of JSON each, for a judge elsewhere.

    What it answers is scored by `probe import`.
    """
    for row in list_prompts(read_probes(tuple(paths or ()))):
        sys.stdout.write(f"{json.dumps(row)}\n")


@app.command("import")
def score_elsewhere(
    responses: Annotated[
        Path,
        typer.Argument(
            metavar="RESPONSES.jsonl",
            help='A line {"probe_id": …, "response": …} each; with "trial": 2 for a second answer.',
        ),
    ],
    paths: ProbePaths = None,
    *,
    form: Annotated[
        ProbeFormat, typer.Option("--format", help="How to print the report.")
    ] = ProbeFormat("table"),
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report there.", show_default="print it"),
    ] = None,
) -> None:
    """Score what a judge elsewhere answered to the prompts of `probe export`."""
    args = ProbeArgs(tuple(paths or ()), str(responses), form, output, store=False, is_import=True)
    raise typer.Exit(run(args))


JUDGE = "judge"


_GATE_REPEATS = 5
"""Enough for `compare` to find what goes from 0 to 60% failures; docs/probes.md has the power."""


@dataclass(frozen=True, slots=True)
class ProbeArgs:
    """What the command line asks for. See the options' help; `paths` are of probes or of rules."""

    paths: tuple[Path, ...]
    responder: str
    form: ProbeFormat
    output: Path | None
    store: bool
    repeat: int = 1
    is_import: bool = False


def run(asked: ProbeArgs) -> ExitCode:
    """Run the probes and say how it ended. Raises JuratError if there is nothing to report."""
    probes = read_probes(asked.paths)
    if asked.output is not None:
        # Before the judge is asked: sixty responses must not be lost to a folder that is not there.
        _check_writable(asked.output)
    if asked.responder == JUDGE:
        settings = Settings.from_environment(os.environ)
        collected = asyncio.run(_collect_responses(probes, settings, asked))
    else:
        path = Path(asked.responder)
        collected = parse_responses(str(path), read_text(path), probes)
        if asked.is_import:
            collected = read_replies(probes, collected)
    report = build_report(probes, collected, compute_observability if is_observable() else None)
    if not is_observable() and len(report.cases) >= MIN_CASES:
        print_note('no geometry without scikit-learn: pip install "jurat[probes]"')
    _write(partial(resolve_name(PROBE_FORMATS[asked.form]), report), asked.output)
    if asked.responder == JUDGE and asked.store:
        asyncio.run(_save_run(report, Settings.from_environment(os.environ)))
    for line in _describe_not_run(report.meta.not_run):
        print_note(line)
    return ExitCode.INCOMPLETE if report.meta.not_run else ExitCode.PASSED


def try_rules(asked: ProbeArgs) -> ExitCode:
    """Ask the judge about twins of the rules at `paths`, and say by which of them it may block."""
    if asked.form not in ("table", "json"):
        raise UsageError(f"--format {asked.form} goes without --rules.", hint="Use table or json.")
    if asked.output is not None:
        _check_writable(asked.output)
    rules = tuple(load_ruleset(read_rule_files(asked.paths)).rules.values())
    settings = Settings.from_environment(os.environ)
    model, trials = asyncio.run(_ask_twins(rules, settings, asked))
    text = render_trials(
        trials,
        model,
        blocking={rule.id for rule in rules if rule.blocking},
        kept=asked.store,
        as_json=asked.form == "json",
    )
    _write(lambda stream: stream.write(text), asked.output)
    is_whole = all(trial.pairs or not trial.problem.startswith("no answer") for trial in trials)
    return ExitCode.PASSED if is_whole else ExitCode.INCOMPLETE


async def _ask_twins(
    rules: Sequence[Rule], settings: Settings, asked: ProbeArgs
) -> tuple[str, tuple[RuleTrial, ...]]:
    model = _get_model_settings(settings)
    if asked.store:
        await _upgrade_schema(settings)
    async with open_models(model) as models:
        with _open_progress(count_twins(rules, asked.repeat)) as answered:
            trials = await ask_rule_twins(
                rules, models.judge, models.options, pairs=asked.repeat, answered=answered
            )
        name = get_probed_model(models.judge, models.options)
    if asked.store:
        tried = {rule.revision: trial for rule, trial in zip(rules, trials, strict=True)}
        async with _open_store(settings) as store:
            await store.save_trials(tried)
    return name, trials


def _get_model_settings(settings: Settings) -> ModelSettings:
    model = settings.for_model()
    if model is None:
        raise UsageError(
            "No judge is configured: GEMINI_API_KEY is not set.",
            hint="Set it, name another provider in JURAT_MODELS, or score recorded responses with"
            " --responder RESPONSES.jsonl.",
        )
    return model


def _describe_not_run(missed: Sequence[NotRun]) -> Iterator[str]:
    """One line for each reason: a service that is down is the same for sixty probes."""
    for reason in dict.fromkeys(item.reason for item in missed):
        names = [item.probe_id for item in missed if item.reason == reason]
        if len(names) == 1:
            yield f"{names[0]} was not run: {reason}."
            continue
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"{len(names)} probes were not run: {reason} ({', '.join(names[:3])}{more})."


def _check_writable(output: Path) -> None:
    """Say that nothing can be written there before the responses cost anything."""
    if output.is_dir():
        raise UsageError(f"--output: {output} is a folder.", hint="Name a file.")
    if not output.parent.is_dir():
        raise UsageError(f"--output: there is no folder {output.parent}.", hint="Make it.")


async def _collect_responses(
    probes: ProbeSet, settings: Settings, asked: ProbeArgs
) -> RunResponses:
    """The judge's responses. The database is looked at first: each response costs something."""
    model = _get_model_settings(settings)
    if asked.store:
        await _upgrade_schema(settings)
    return await _ask_all_probes(probes, model, asked.repeat)


async def _ask_all_probes(probes: ProbeSet, settings: ModelSettings, repeat: int) -> RunResponses:
    async with open_models(settings) as models:
        total = sum(1 + len(list_twins(probe)) for probe in probes.probes) * repeat
        with _open_progress(total) as answered:
            return await ask_probes(
                probes, models.judge, models.options, repeat=repeat, answered=answered
            )


@contextmanager
def _open_progress(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr if a person looks on."""
    from rich.console import Console  # noqa: PLC0415 - where a model is asked alone
    from rich.progress import Progress  # noqa: PLC0415 - as above

    quiet = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("Probing", total=total)
        yield lambda: bar.advance(task)


def _write(write: Callable[[TextIO], object], output: Path | None) -> None:
    """Have `write` write to the file, or print it."""
    if output is None:
        write(sys.stdout)
        return
    text = StringIO()
    write(text)
    try:
        output.write_text(text.getvalue(), encoding="utf-8")
    except OSError as error:
        problem = f"--output: {output} cannot be written: {error.strerror}."
        raise UsageError(problem) from None


async def _save_run(report: Report, settings: Settings) -> None:
    async with _open_store(settings) as store:
        await store.save_probe_run(ProbeRun(report, dt.datetime.now(dt.UTC)))


async def _upgrade_schema(settings: Settings) -> None:
    from jurat.store.maintenance import upgrade_schema  # noqa: PLC0415 - for runs that are kept

    await upgrade_schema(settings.for_database())


@asynccontextmanager
async def _open_store(settings: Settings) -> AsyncIterator[Store]:
    from jurat.store.database import Database  # noqa: PLC0415 - for runs that are kept
    from jurat.store.evaluations import Store  # noqa: PLC0415 - as above

    database = Database.at(settings.for_database())
    try:
        yield Store(database, lambda: dt.datetime.now(dt.UTC))
    finally:
        await database.close()


def print_comparison(old: Path, new: Path, tolerance: float, *, as_json: bool) -> ExitCode:
    """Print what got worse. Raises FileError or UsageError if the two cannot be compared."""
    before, after = _report(old), _report(new)
    found = compare_reports(before, after, tolerance)
    if as_json:
        fields = asdict(found)
        document = {"worse": found.worse, **fields}
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    else:
        text = "\n".join(render_comparison(found, before, after))
    sys.stdout.write(f"{text}\n")
    if found.worse:
        return ExitCode.FINDINGS
    if missed := after.meta.not_run:
        counted = f"{pluralize(len(missed), 'probe')} of the new run had no response"
        print_note(f"{counted}: whether it is worse there is not known.")
        return ExitCode.INCOMPLETE
    return ExitCode.PASSED


def _report(path: Path) -> Report:
    return parse_report(str(path), read_text(path))
