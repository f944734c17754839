"""`jurat rate`: how far a repository keeps regulations, clause by clause."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated

import typer

from jurat.cli.all_cores import AllCores
from jurat.cli.configured_models import open_answers, open_configured_models
from jurat.cli.options import (
    WORTH_SHOWING,
    RatingFormat,
    exit_on_interrupt,
    print_note,
    with_progress,
)
from jurat.cli.rated_source import read_source
from jurat.cli.rule_files import CONFIGURATION_PATH
from jurat.errors import ConfigurationError, ExitCode
from jurat.findings.model_usage import CallPurpose
from jurat.judge.call_record import CallRecord, list_review_budgets
from jurat.judge.flights import NoAnswers
from jurat.judge.protocol import JudgmentOptions
from jurat.rating.first_look import build_first_look
from jurat.rating.held import RepositoryScan
from jurat.rating.law import choose_packs, load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import Operator, RiskClass
from jurat.rating.provenance import digest_reading
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating, find_below
from jurat.rating.recon import SignalMemory, scan_worktree
from jurat.rating.scale import ClauseVerdict
from jurat.rating.second_opinion import SecondOpinion, add_second_opinions
from jurat.rating.signals.file_signs import Memory
from jurat.rating.signals.worktree import Worktree
from jurat.rating.signals.worktree import open_folder as worktree_in
from jurat.reports.counts import pluralize
from jurat.reports.formats import RATING_FORMATS, RatingReport
from jurat.rules.config import Config, RatingConfig
from jurat.rules.loader import load_config
from jurat.settings import Settings


def run(
    folder: Path,
    regulations: tuple[str, ...],
    form: RatingFormat,
    *,
    on: dt.date | None = None,
    roles: tuple[Operator, ...] = (),
    show_prompt: bool = False,
) -> ExitCode:
    """Rate, print, and say how it ended. Raises JuratError if there is nothing to print.

    With `show_prompt`, print what a model would be sent instead, and send nothing.
    """
    exit_on_interrupt()
    worktree = worktree_in(folder)
    configuration = _load_configuration(folder)
    options = configuration.rating
    day = on or options.on or dt.datetime.now(dt.UTC).date()
    packs = choose_packs(regulations or options.regulations, day)
    # Millions of small values and no circle among them: looking for circles would take as long as
    # all the rest, and the process ends with the report.
    gc.disable()
    risk = None if options.risk is None else RiskClass(options.risk)
    classifying, rules = load_regulations(day), list_named_rules()
    first_look = (
        None
        if show_prompt or _has_models(configuration)
        else build_first_look(packs, rules, classifying=classifying, risk=risk)
    )
    with _open_kept(folder, worktree) as (memory, known), AllCores() as cores:
        scanned = scan_worktree(
            worktree, cores.parse, memory, first_look, cores.ask_both, known=known
        )
    seen = RepositoryScan(worktree, *scanned)
    found = rate_scan(
        seen,
        packs,
        rules,
        classifying=classifying,
        on=day,
        risk=risk,
        operators=roles or tuple(Operator(role) for role in options.roles),
    )
    if show_prompt:
        asyncio.run(_show_prompts(found, seen, configuration))
        return ExitCode.PASSED
    rating = asyncio.run(_add_opinions(found, seen, configuration))
    report = RatingReport(rating, read_source(folder, dt.datetime.now(dt.UTC)))
    resolve_name(RATING_FORMATS[form])(report, sys.stdout)
    return _exit_code(rating, options)


@contextmanager
def _open_kept(
    folder: Path, worktree: Worktree
) -> Iterator[tuple[Memory | None, SignalMemory | None]]:
    """What files showed before, if there are many and JURAT_NO_CACHE is not set."""
    with ExitStack() as stack:
        is_large = len(worktree.entries) >= WORTH_SHOWING
        yield (_find_kept(stack, folder) if is_large else None) or (None, None)


def _find_kept(stack: ExitStack, folder: Path) -> tuple[Memory, SignalMemory] | None:
    import sqlite3  # noqa: PLC0415 - for a checkout of many files

    from jurat.cli.kept_signs import open_kept_signs  # noqa: PLC0415 - as above

    try:
        path = Settings.from_environment(os.environ).find_signs()
        # What is rated must not say what it shows.
        if path is None or path.resolve().is_relative_to(folder.resolve()):
            return None
        kept = stack.enter_context(open_kept_signs(path, digest_reading()))
    # RuntimeError: no home folder.
    except (OSError, RuntimeError, sqlite3.Error) as error:
        print_note(f"what files show is not kept: {error}. JURAT_NO_CACHE=1 says so for good.")
        return None
    return kept.files, kept.wholes


def _has_models(configuration: Config) -> bool:
    return configuration.judge != "none" and (
        Settings.from_environment(os.environ).for_model() is not None
    )


async def _add_opinions(rating: Rating, seen: RepositoryScan, configuration: Config) -> Rating:
    """The rating after a model was asked, unless none is configured or the folder has none."""
    bench = SecondOpinion(None, NoAnswers())
    async with AsyncExitStack() as stack:
        models = None if configuration.judge == "none" else await open_configured_models(stack)
        if models:
            budgets = tuple(list_review_budgets(models.options, configuration.budget))
            bench = SecondOpinion(
                with_progress(models.judge),
                open_answers(stack),
                models.options,
                configuration.review.private,
                CallRecord(budgets, models.options.prices, CallPurpose.RATING),
            )
        try:
            return await add_second_opinions(rating, seen, bench)
        finally:
            _print_what_was_sent(bench.record)


def _print_what_was_sent(record: CallRecord) -> None:
    # On standard error: a commit has one report, whether its questions were asked now or before.
    if not record.models:
        return
    sent = [prompt for use in record.models for prompt in use.sent]
    names = ", ".join(dict.fromkeys(use.model_id for use in record.models))
    calls = pluralize(sum(use.calls for use in record.models), "call")
    taken = sum(use.input_tokens + use.output_tokens for use in record.models)
    digest = sha256("\n".join(sorted(prompt.digest for prompt in sent)).encode()).hexdigest()
    print_note(
        f"sent {pluralize(len(sent), 'prompt')}, {sum(prompt.size for prompt in sent):,} bytes, to"
        f" {names}: {calls}, {pluralize(taken, 'token')}; SHA-256 of their sorted digests {digest}"
    )


async def _show_prompts(rating: Rating, seen: RepositoryScan, configuration: Config) -> None:
    from jurat.cli.prompt_printing import ShowingJudge  # noqa: PLC0415 - most ratings show none

    judge = ShowingJudge(sys.stdout)
    if configuration.judge != "none":
        settings = Settings.from_environment(os.environ).for_model()
        options = settings.file.options() if settings else JudgmentOptions()
        bench = SecondOpinion(judge, NoAnswers(), options, configuration.review.private)
        await add_second_opinions(rating, seen, bench)
    if not judge.count:
        print_note("no model would be asked.")


def _exit_code(rating: Rating, options: RatingConfig) -> ExitCode:
    if errors := rating.list_clauses(ClauseVerdict.ERROR):
        print_note(f"{pluralize(len(errors), 'clause')} could not be rated: {errors[0].note}")
        return ExitCode.INCOMPLETE
    unanswered = [item.unanswered for item in rating.clauses if item.unanswered]
    if unanswered:
        count = pluralize(len(unanswered), "clause")
        print_note(f"{count} could not be judged by the model: {unanswered[0]}")
    low = find_below(rating, options.fail_below)
    for item in low:
        least = f"below {options.fail_below:g}"
        print_note(f"{item.regulation.name} scores {item.supported_score:.2f}, {least}.")
    if unanswered:
        return ExitCode.INCOMPLETE
    return ExitCode.FINDINGS if low else ExitCode.PASSED


def _load_configuration(folder: Path) -> Config:
    """What the folder's own configuration says, or the defaults if it has none."""
    path = folder / CONFIGURATION_PATH
    if not path.is_file():
        return Config()
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(str(path), 0, "", "cannot be read as UTF-8 text") from None
    return load_config(str(path), text)


def rate_command(
    *,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The checkout to rate.")],
    regulation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Rate by this regulation, such as eu-ai-act; repeatable.",
            show_default="what .github/jurat.yml says, else all",
        ),
    ] = None,
    on: Annotated[
        dt.datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="DAY",
            help="Rate by the law as it applies on this day, such as 2027-12-02.",
            show_default="what .github/jurat.yml says, else today",
        ),
    ] = None,
    role: Annotated[
        list[Operator] | None,
        typer.Option(
            help="Rate only what binds this role; repeatable.",
            show_default="what .github/jurat.yml says, else all",
        ),
    ] = None,
    form: Annotated[
        RatingFormat, typer.Option("--format", help="How to print the rating.")
    ] = RatingFormat("text"),
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a model would be sent; send nothing.")
    ] = False,
) -> None:
    """Rate a checkout against regulations: what its code shows of each clause.

    What does not apply yet is not rated: the report says what will, and from when.

    Exit codes: 0 rated, 1 a regulation scores below rating.fail_below, 2 usage or configuration
    error, 3 a clause could not be rated, or not judged by the model that is configured.
    """
    day = None if on is None else on.date()
    roles = tuple(role or ())
    asked = tuple(regulation or ())
    raise typer.Exit(run(folder, asked, form, on=day, roles=roles, show_prompt=show_prompt))
