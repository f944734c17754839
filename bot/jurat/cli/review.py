"""`jurat review`: review a checkout, a diff or facts, and say what was found."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from jurat.cli.checkout import (
    GitCheckout,
    find_last_commit,
    read_change,
    read_commit_messages,
    resolve_range,
)
from jurat.cli.file_answers import FileAnswers
from jurat.cli.options import (
    FailOn,
    ReportFormat,
    exit_on_interrupt,
    parse_map,
    print_note,
    with_progress,
)
from jurat.cli.rule_files import (
    CONFIGURATION_PATH,
    NO_CONFIGURATION,
    load_local_ruleset,
    read_attributes,
    read_base_config,
    read_diff,
    read_facts,
)
from jurat.errors import ExitCode, UsageError
from jurat.facts.context import Facts, SubjectKind
from jurat.findings.evaluation import Conclusion, Evaluation, is_incomplete
from jurat.findings.waivers import Decision
from jurat.judge.flights import NoAnswers
from jurat.judge.protocol import (
    AnswerCache,
    JudgeError,
    JudgeErrorKind,
    JudgmentOptions,
    Prompt,
    Reply,
    Tier,
    count_utf8_bytes,
)
from jurat.judge.providers import open_models
from jurat.reports.formats import REVIEW_FORMATS
from jurat.review import Inputs, Publisher, Review, Services, review
from jurat.rules.maturity import TrackRecord
from jurat.rules.rule import RuleSet
from jurat.settings import Settings
from jurat.source.diff import Diff, FileChange
from jurat.source.diff_parser import parse_diff
from jurat.source.visible_text import to_terminal_text

if TYPE_CHECKING:
    from jurat.judge.embeddings import GeminiModels


@dataclass(frozen=True, slots=True)
class ReviewArgs:
    """What the command line asks to have reviewed, and by which rules. See the options' help."""

    folder: Path | None = None
    base: str | None = None
    head: str | None = None
    diff: str | None = None
    facts: Path | None = None
    kind: SubjectKind | None = None
    intent: str | None = None
    rules: tuple[Path, ...] = ()
    packs: tuple[str, ...] | None = None


class LocalSource:
    """A Source: a checkout, a diff, facts, or facts with one of the others."""

    def __init__(self, asked: ReviewArgs) -> None:
        self._arguments = asked
        self._base: str | None = None

    async def fetch(self) -> Inputs:
        """Everything that is judged, and the rules and configuration of its base."""
        asked = self._arguments
        names_checkout = bool(asked.folder or asked.base or asked.head)
        if asked.diff is not None and names_checkout:
            raise UsageError("--diff goes without --repo, --base and --head: it is the change.")
        facts = read_facts(asked.facts) if asked.facts else {}
        if asked.diff is None and (asked.facts is None or names_checkout):
            return self._fetch_from_checkout(facts)
        return self._fetch_without_checkout(facts)

    def find_last_commit(self, path: str, lines: Sequence[int]) -> str:
        """The commit, in short, that wrote the last of some lines of the base; "" if unknown."""
        if self._base is None:
            return ""
        with GitCheckout.containing(self._arguments.folder) as repository:
            return find_last_commit(repository, self._base, path, lines)

    def _fetch_without_checkout(self, facts: Facts) -> Inputs:
        """A diff or facts without a repository, and so without a configuration."""
        asked = self._arguments
        rule_set, configuration = load_local_ruleset(
            NO_CONFIGURATION, packs=asked.packs, added=asked.rules
        )
        return Inputs(
            change=Diff() if asked.diff is None else parse_diff(read_diff(asked.diff)),
            rule_set=rule_set,
            configuration=configuration,
            intent=asked.intent or "",
            facts=facts,
            kind=asked.kind,
        )

    def _fetch_from_checkout(self, facts: Facts) -> Inputs:
        asked = self._arguments
        with GitCheckout.containing(asked.folder) as repository:
            between = resolve_range(repository, asked.base, asked.head)
            # From the base: a change must not weaken its own judge, on a laptop either.
            file, own = read_base_config(repository, between.base)
            rule_set, configuration = load_local_ruleset(
                file, own, packs=asked.packs, added=asked.rules
            )
            change = read_change(repository, between)
            attributes = read_attributes(repository, between.base)
            stated = (
                read_commit_messages(repository, between) if asked.intent is None else asked.intent
            )
        _warn_uncounted_configuration(change, own)
        self._base = between.base
        return Inputs(
            change=change,
            rule_set=rule_set,
            configuration=configuration,
            intent=stated,
            base_sha=between.base,
            head_sha=between.head,
            facts=facts,
            kind=asked.kind,
            rules_sha=between.base,
            attributes=attributes,
        )


@dataclass(frozen=True, slots=True)
class LocalStore:
    """Records of a review that leaves none, but for what a model answered."""

    answers: AnswerCache

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """The user's own, of whatever repository."""
        return self.answers

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """Each rule is as mature as its file says."""
        return {}

    async def decisions(
        self, repository: str | int, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        """Nobody has decided anything."""
        return ()

    async def count_tokens(self, since: dt.datetime, repository: str | int | None = None) -> int:
        """Nobody counts: a day's budget is the server's."""
        return 0

    async def save(self, review: Review) -> None:
        """Nothing is kept."""

    async def mark_published(self, review: Review) -> None:
        """Nothing is kept."""


def run(asked: ReviewArgs, form: ReportFormat, fail_on: FailOn) -> ExitCode:
    """Review, print, and say how it ended. Raises JuratError if there is nothing to print."""
    exit_on_interrupt()
    return asyncio.run(_review(LocalSource(asked), Printer(form, sys.stdout), fail_on))


async def _review(source: LocalSource, publisher: Publisher, fail_on: FailOn) -> ExitCode:
    """The exit code alone: asyncio.run makes a text of what it is to return, whatever its size.

    (In Python 3.11 it asks for SIGINT's handler, which holds the task, as a member of an enum.)
    """
    async with AsyncExitStack() as stack:
        models = await open_configured_models(stack)
        services = Services(
            judge=with_progress(models.judge) if models else None,
            semantic=models.semantic if models else None,
            options=models.options if models else JudgmentOptions(),
            records=LocalStore(open_answers(stack) if models else NoAnswers()),
            parse_map=parse_map(),
            clock=lambda: dt.datetime.now(dt.UTC),
            history=source.find_last_commit,
        )
        finished = await review(source, publisher, services)
        return exit_code(finished.evaluation, fail_on)


async def open_configured_models(stack: AsyncExitStack) -> GeminiModels | None:
    """The models, if a key is configured; `stack` closes them."""
    settings = Settings.from_environment(os.environ).for_model()
    if settings is None:
        return None
    return await stack.enter_async_context(open_models(settings))


def open_answers(stack: AsyncExitStack) -> AnswerCache:
    """What models answered this user before, unless JURAT_NO_CACHE is set; `stack` closes it."""
    try:
        path = Settings.from_environment(os.environ).find_answers()
        return stack.enter_context(FileAnswers.at(path)) if path else NoAnswers()
    # RuntimeError: no home folder.
    except (OSError, RuntimeError, sqlite3.Error) as error:
        print_note(f"answers of models are not kept: {error}. JURAT_NO_CACHE=1 says so for good.")
        return NoAnswers()


def _warn_uncounted_configuration(change: Diff, own: Mapping[str, str]) -> None:
    if not change.files:
        print_note("nothing has changed since the base.")
    judging = {CONFIGURATION_PATH, *own}
    touched = [file.path for file in change.files if {file.path, file.old_path} & judging]
    if touched:
        print_note(f"{', '.join(touched)}: the base's version is in force, not this change's.")


# What a model would be shown, printed and not sent.


class ShowingJudge:
    """A Judge that prints what it is asked, and answers nothing. The model's name is its tier's."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.count = 0

    def model_id(self, tier: Tier) -> str:
        """The tier."""
        return tier

    async def ask(self, prompt: Prompt) -> Reply:
        """Print it. Raises JudgeError."""
        self.count += 1
        size = count_utf8_bytes(prompt.system) + count_utf8_bytes(prompt.user)
        text = f"{prompt.system}\n{prompt.user}"
        heading = f"=== prompt {self.count}, for the {prompt.tier} tier: {size:,} bytes"
        self._stream.write(f"{heading}\n\n{to_terminal_text(text)}\n")
        # Of the kind that nobody asks again in smaller parts.
        raise JudgeError(JudgeErrorKind.REJECTED, "it was shown, and not sent")


class SilentPublisher:
    """Nobody is shown a review that nobody has judged."""

    async def publish(self, review: Review) -> None:
        """Nothing is shown."""


async def _show_prompts(source: LocalSource, stream: TextIO) -> ExitCode:
    settings = Settings.from_environment(os.environ).for_model()
    judge = ShowingJudge(stream)
    services = Services(
        judge=judge,
        options=settings.file.options() if settings else JudgmentOptions(),
        records=LocalStore(NoAnswers()),
        parse_map=parse_map(),
        clock=lambda: dt.datetime.now(dt.UTC),
    )
    await review(source, SilentPublisher(), services)
    if not judge.count:
        print_note("no model would be asked.")
    return ExitCode.PASSED


# How a review is printed, and the exit code that it ends with.


class Printer:
    """A Publisher that prints the review, and nothing but the review, on `stream`."""

    def __init__(self, form: ReportFormat, stream: TextIO) -> None:
        self._form = form
        self._stream = stream

    async def publish(self, review: Review) -> None:
        """Print it."""
        files = {file.path: file for file in review.context.files}
        print_review(review.evaluation, files, self._form, self._stream)


def print_review(
    evaluation: Evaluation, files: Mapping[str, FileChange], form: ReportFormat, stream: TextIO
) -> None:
    """Print the review in one of its formats, whose module is loaded only when it is used."""
    resolve_name(REVIEW_FORMATS[form])(evaluation, files, stream)


def exit_code(evaluation: Evaluation, fail_on: FailOn) -> ExitCode:
    """3 if the review could not be completed, else 1 if its conclusion is one of `fail_on`, else 0.

    Findings are printed in any case; a code of 1 would say that they are all there is to find.
    """
    # First: 1 would say that these are all the findings, 0 that there are none.
    if is_incomplete(evaluation):
        return ExitCode.INCOMPLETE
    return ExitCode.FINDINGS if evaluation.conclusion in _FAILING[fail_on] else ExitCode.PASSED


_FAILING: Mapping[FailOn, frozenset[Conclusion]] = MappingProxyType(
    {
        FailOn.DENY: frozenset({Conclusion.FAILURE}),
        FailOn.CONFIRM: frozenset({Conclusion.FAILURE, Conclusion.ACTION_REQUIRED}),
        FailOn.NEVER: frozenset(),
    }
)
"""The conclusions that make the exit code 1."""


Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The checkout to review.", show_default="the one around here"),
]
Base = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review what has changed since the merge base with this branch, tag or commit.",
        show_default="origin/HEAD, else main, else master",
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        metavar="REF",
        help="Review up to this commit.",
        show_default="the work tree, uncommitted work included",
    ),
]
DiffFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-",
        help="Review a unified diff instead, - for standard input. Needs no checkout.",
    ),
]
FactsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Judge these facts, as JSON or YAML; alone, or together with a change.",
    ),
]
Kind = Annotated[
    SubjectKind | None,
    typer.Option(
        metavar="KIND",
        help=f"What is judged, where `surfaces:` does not say: {', '.join(SubjectKind)}.",
        show_default="code_diff; of facts what the rules that compute with them are about, else "
        "decision",
    ),
]
Intent = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="What the change is for.", show_default="its commit messages"
    ),
]
RulePaths = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="Add a rule file, or a folder of them, to those in force."),
]
Packs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|none",
        help="Use these shipped packs, or none of them.",
        show_default="what .github/jurat.yml says, else engineering",
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
    form: Annotated[
        ReportFormat, typer.Option("--format", help="How to print the review.")
    ] = ReportFormat("text"),
    fail_on: Annotated[
        FailOn, typer.Option(help="The weakest verdict that makes the exit code 1.")
    ] = FailOn.DENY,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a model would be sent; send nothing.")
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
    )
    if show_prompt:
        exit_on_interrupt()
        raise typer.Exit(asyncio.run(_show_prompts(LocalSource(asked), sys.stdout)))
    raise typer.Exit(run(asked, form, fail_on))
