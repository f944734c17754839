"""`jurat review`: review a checkout, a diff or facts, and say what was found."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from jurat.cli.baseline import filter_decisions, read_baseline, write_baseline
from jurat.cli.configured_models import open_answers, open_configured_models
from jurat.cli.local_source import LocalSource, ReviewArgs, RulesFrom
from jurat.cli.options import (
    ChangeParser,
    FailOn,
    ReportFormat,
    exit_on_interrupt,
    parse_map,
    print_note,
    with_progress,
)
from jurat.cli.review_output import (
    FixPrinter,
    OutputArgs,
    Printer,
    WorkTreeFixer,
    check_outputs,
    exit_code,
)
from jurat.errors import ExitCode, UsageError
from jurat.facts.context import SubjectKind
from jurat.findings.evaluation import is_incomplete
from jurat.findings.waivers import Decision
from jurat.judge.flights import NoAnswers
from jurat.judge.protocol import AnswerCache, Judge, JudgmentOptions
from jurat.reports.counts import pluralize
from jurat.reports.formats import FORMAT_OF_SUFFIX, Detail
from jurat.review import review
from jurat.review_interfaces import NullStore, Review, Services
from jurat.rules.maturity import TrackRecord
from jurat.rules.rule import RuleSet
from jurat.settings import Settings


@dataclass(frozen=True, slots=True)
class LocalStore(NullStore):
    """Records of a review that leaves none, but for what a model answered."""

    answers: AnswerCache
    known: tuple[Decision, ...] = ()

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """The user's own, of whatever repository."""
        return self.answers

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """Each rule is as mature as its file says."""
        return {}

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        """What the baseline sets aside; nobody has decided anything else."""
        return filter_decisions(self.known, code_prints)


class FixMode(StrEnum):
    """What is done with the fixes that were proven."""

    SHOW = "show"
    APPLY = "apply"
    DIFF = "diff"


@dataclass(frozen=True, slots=True)
class RunArgs:
    """What becomes of a review.

    What `baseline` holds does not count, and `new_baseline` is to hold what is found.
    """

    output: OutputArgs
    fail_on: FailOn = FailOn.DENY
    fixing: FixMode = FixMode.SHOW
    baseline: Path | None = None
    new_baseline: Path | None = None


def run(asked: ReviewArgs, wanted: RunArgs) -> ExitCode:
    """Review, print, and say how it ended. Raises JuratError if there is nothing to print."""
    check_outputs(wanted.output)
    if wanted.fixing is FixMode.APPLY and (asked.head or asked.diff is not None):
        raise UsageError("--fix changes the work tree, so it goes without --head and --diff.")
    known = read_baseline(wanted.baseline) if wanted.baseline else ()
    exit_on_interrupt()
    return asyncio.run(_review(LocalSource(asked), wanted, known))


async def _review(source: LocalSource, wanted: RunArgs, known: tuple[Decision, ...]) -> ExitCode:
    """The exit code alone: asyncio.run makes a text of what it is to return, whatever its size.

    (In Python 3.11 it asks for SIGINT's handler, which holds the task, as a member of an enum.)
    """
    quiet = wanted.output.detail is Detail.BRIEF
    async with AsyncExitStack() as stack:
        parse = stack.enter_context(closing(ChangeParser(quiet=quiet)))
        models = await open_configured_models(stack)
        records = LocalStore(open_answers(stack) if models else NoAnswers(), known)
        services = Services(
            judge=_watch(models.judge if models else None, quiet=quiet),
            second_judge=_watch(models.second if models else None, quiet=quiet),
            semantic=models.semantic if models else None,
            options=models.options if models else JudgmentOptions(),
            records=records,
            parse_map=parse,
            clock=lambda: dt.datetime.now(dt.UTC),
            history=source.find_last_commit,
        )
        finished = await _review_and_fix(source, wanted, services)
        if wanted.new_baseline and not is_incomplete(finished.evaluation):
            today = services.clock().date()
            count = write_baseline(wanted.new_baseline, finished.evaluation, today)
            print_note(f"{wanted.new_baseline} holds {pluralize(count, 'finding')}.")
            return ExitCode.PASSED
        return exit_code(finished.evaluation, wanted.fail_on)


def _watch(judge: Judge | None, *, quiet: bool) -> Judge | None:
    return with_progress(judge) if judge and not quiet else judge


async def _review_and_fix(source: LocalSource, wanted: RunArgs, services: Services) -> Review:
    """The review that counts: of what is left if fixes were applied. What was asked is printed."""
    if wanted.fixing is FixMode.DIFF:
        return await review(source, FixPrinter(sys.stdout, services.parse_map), services)
    printer = Printer(wanted.output, sys.stdout, source)
    if wanted.fixing is FixMode.SHOW:
        return await review(source, printer, services)
    fixer = WorkTreeFixer(source.find_root(), services.parse_map)
    finished = await review(source, fixer, services)
    # What is left is found by looking again: a fix may have moved it, or brought it about.
    if fixer.count:
        return await review(source, printer, services)
    await printer.publish(finished)
    return finished


class SilentPublisher:
    """Nobody is shown a review that nobody has judged."""

    async def publish(self, review: Review) -> None:
        """Nothing is shown."""


async def _show_prompts(source: LocalSource, stream: TextIO) -> ExitCode:
    # Loaded where it is wanted: a review need not wait for what it prints with.
    from jurat.cli.prompt_printing import ShowingEmbedder, ShowingJudge  # noqa: PLC0415
    from jurat.judge.embeddings import EmbeddedRelevance  # noqa: PLC0415

    settings = Settings.from_environment(os.environ).for_model()
    judge = ShowingJudge(stream)
    # Of the providers Gemini alone embeds, and it is who is asked if only its key is missing.
    embeds = settings is None or settings.judge == "gemini"
    services = Services(
        judge=judge,
        second_judge=judge if settings and settings.second else None,
        semantic=EmbeddedRelevance(ShowingEmbedder(stream)) if embeds else None,
        options=settings.file.options() if settings else JudgmentOptions(),
        records=LocalStore(NoAnswers()),
        parse_map=parse_map(),
        clock=lambda: dt.datetime.now(dt.UTC),
    )
    await review(source, SilentPublisher(), services)
    if not judge.count:
        print_note("no model would be asked.")
    return ExitCode.PASSED


_WHAT, _BY, _TOLD, _DONE = (
    "What is reviewed",
    "By which rules",
    "How it is told",
    "What comes of it",
)
"""The panels of the help: twenty options in one list are read by nobody."""

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The checkout to review.",
        show_default="the one around here",
        rich_help_panel=_WHAT,
    ),
]
Base = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review what has changed since the merge base with this branch, tag or commit.",
        show_default="origin/HEAD, else main, else master",
        rich_help_panel=_WHAT,
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review up to this commit.",
        show_default="the work tree, uncommitted work included",
        rich_help_panel=_WHAT,
    ),
]
DiffFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-",
        help="Review a unified diff instead, - for standard input. Needs no checkout.",
        rich_help_panel=_WHAT,
    ),
]
FactsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Judge these facts, as JSON or YAML; alone, or together with a change.",
        rich_help_panel=_WHAT,
    ),
]
Kind = Annotated[
    SubjectKind | None,
    typer.Option(
        metavar="KIND",
        help=f"What is judged, where `surfaces:` does not say: {', '.join(SubjectKind)}.",
        show_default="code_diff; of facts what the rules that compute with them are about, else "
        "decision",
        rich_help_panel=_WHAT,
    ),
]
Intent = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What the change is for.",
        show_default="its commit messages",
        rich_help_panel=_WHAT,
    ),
]
RulePaths = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="PATH",
        help="Add a rule file, or a folder of them, to those in force.",
        rich_help_panel=_BY,
    ),
]
Packs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|none",
        help="Use these shipped packs, or none of them.",
        show_default="what .github/jurat.yml says, else engineering",
        rich_help_panel=_BY,
    ),
]


def review_command(
    *,
    repo: Folder = None,
    base: Base = None,
    head: Head = None,
    diff: DiffFile = None,
    facts: FactsFile = None,
    subject: Kind = None,
    intent: Intent = None,
    rules: RulePaths = None,
    pack: Packs = None,
    whole: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Review all that is there, not a change; no model is asked.",
            rich_help_panel=_WHAT,
        ),
    ] = False,
    rules_from: Annotated[
        RulesFrom,
        typer.Option(
            help="Whose rules and configuration judge: a pull request's are its base's.",
            rich_help_panel=_BY,
        ),
    ] = RulesFrom.BASE,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", help="How to print the review.", rich_help_panel=_TOLD),
    ] = ReportFormat("text"),
    output: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write it to a file too, in the format of its name:"
            f" {', '.join(FORMAT_OF_SUFFIX)}. May be given several times.",
            rich_help_panel=_TOLD,
        ),
    ] = None,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Apply the fixes that are proven, then review again.",
            rich_help_panel=_DONE,
        ),
    ] = False,
    diff_fixes: Annotated[
        bool,
        typer.Option(
            "--diff-fixes",
            help="Print the fixes that are proven as a diff, no report.",
            rich_help_panel=_DONE,
        ),
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Do not count the findings that this file holds.",
            rich_help_panel=_BY,
        ),
    ] = None,
    new_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Write what is found now into such a file.",
            rich_help_panel=_DONE,
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Print what counts, and no progress.", rich_help_panel=_TOLD
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Print each finding and each rule's verdict.",
            rich_help_panel=_TOLD,
        ),
    ] = False,
    fail_on: Annotated[
        FailOn,
        typer.Option(help="The weakest verdict that makes the exit code 1.", rich_help_panel=_DONE),
    ] = FailOn.DENY,
    show_prompt: Annotated[
        bool,
        typer.Option(
            "--show-prompt",
            help="Print what a model would be sent; send nothing.",
            rich_help_panel=_TOLD,
        ),
    ] = False,
) -> None:
    """Review what has changed, against the rules in force.

    Exit codes: 0 passed, 1 findings at or above --fail-on, 2 usage or configuration error,
    3 the review could not be completed; what was found is printed all the same.
    """
    # What a review makes lives until its end, so that looking for garbage finds none.
    gc.disable()

    asked = ReviewArgs(
        folder=repo,
        base=base,
        head=head,
        diff=diff,
        facts=facts,
        kind=subject,
        intent=intent,
        rules=tuple(rules or ()),
        packs=None if pack is None else tuple(pack),
        whole=whole,
        rules_from=rules_from,
    )
    fixing = _choose_fixing(fix=fix, diff_fixes=diff_fixes, output=output)
    detail = _choose_detail(quiet=quiet, verbose=verbose)
    if show_prompt:
        exit_on_interrupt()
        raise typer.Exit(asyncio.run(_show_prompts(LocalSource(asked), sys.stdout)))
    wanted = RunArgs(
        OutputArgs(form, tuple(output or ()), detail),
        fail_on,
        fixing,
        baseline,
        new_baseline,
    )
    raise typer.Exit(run(asked, wanted))


def _choose_fixing(*, fix: bool, diff_fixes: bool, output: Sequence[Path] | None) -> FixMode:
    if diff_fixes and output:
        raise UsageError(
            "--diff-fixes prints a diff and no report, so it goes without --output.",
            hint="Run it once for each.",
        )
    if fix and diff_fixes:
        raise UsageError("--fix goes without --diff-fixes: it applies what that one prints.")
    return FixMode.APPLY if fix else FixMode.DIFF if diff_fixes else FixMode.SHOW


def _choose_detail(*, quiet: bool, verbose: bool) -> Detail:
    if quiet and verbose:
        raise UsageError("--quiet goes without --verbose: a report is short or long.")
    return Detail.BRIEF if quiet else Detail.FULL if verbose else Detail.NORMAL
