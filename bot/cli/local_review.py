"""What `bylaw review` does: gathers the material, runs the pipeline, prints the outcome."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.git import Repository
from bot.cli.in_force import CONFIGURATION_PATH, base_configuration, corpus_of
from bot.cli.inputs import read_diff, read_facts
from bot.cli.options import FailOn, ReportFormat
from bot.cli.outcome import Printer, exit_code
from bot.cli.terminal import end_at_interrupt, parse_map, remark, watched
from bot.cli.worktree import read_change, span, told_intent
from bot.config import Settings
from bot.corpus.configuration import Configuration
from bot.corpus.maturity import Standing
from bot.corpus.rule import Corpus
from bot.errors import ExitCode, UsageError
from bot.judgment.options import JudgmentOptions
from bot.material import Material
from bot.review import Outside, Publisher, Review, Source, review
from bot.subjects.change import Change
from bot.subjects.context import Facts
from bot.subjects.diff import parse_diff
from bot.subjects.kinds import SubjectKind
from bot.waivers.decisions import Decision

if TYPE_CHECKING:
    from bot.gemini.models import Models


@dataclass(frozen=True, slots=True)
class Asked:
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

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    async def fetch(self) -> Material:
        """Everything that is judged, and the rules and configuration of its base."""
        asked = self._asked
        names_checkout = bool(asked.folder or asked.base or asked.head)
        if asked.diff is not None and names_checkout:
            raise UsageError("--diff goes without --repo, --base and --head: it is the change.")
        facts = read_facts(asked.facts) if asked.facts else {}
        if asked.diff is None and (asked.facts is None or names_checkout):
            return self._checkout(facts)
        return self._alone(facts)

    def _alone(self, facts: Facts) -> Material:
        """A diff or facts without a repository, and so without a configuration."""
        asked = self._asked
        configuration = Configuration()
        corpus = corpus_of(configuration, packs=asked.packs, added=asked.rules)
        return Material(
            change=Change() if asked.diff is None else parse_diff(read_diff(asked.diff)),
            corpus=corpus,
            configuration=configuration,
            intent=asked.intent or "",
            facts=facts,
            kind=asked.kind,
        )

    def _checkout(self, facts: Facts) -> Material:
        asked = self._asked
        with Repository.around(asked.folder) as repository:
            between = span(repository, asked.base, asked.head)
            configuration, own = base_configuration(repository, between.base)
            corpus = corpus_of(configuration, own, packs=asked.packs, added=asked.rules)
            change = read_change(repository, between)
            told = told_intent(repository, between) if asked.intent is None else asked.intent
        _say_what_does_not_count(change, own)
        return Material(
            change=change,
            corpus=corpus,
            configuration=configuration,
            intent=told,
            base_sha=between.base,
            head_sha=between.head,
            facts=facts,
            kind=asked.kind,
        )


class NothingKept:
    """Records of a review that leaves none."""

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Nothing is remembered."""
        return {}

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Nothing is kept."""

    async def standings(self, repository: str | None, corpus: Corpus) -> Mapping[str, Standing]:
        """Each rule is as mature as its file says."""
        return {}

    async def decisions(self, repository: str, code_prints: Sequence[str]) -> Sequence[Decision]:
        """Nobody has decided anything."""
        return ()

    async def save(self, review: Review) -> None:
        """Nothing is kept."""


def run(asked: Asked, form: ReportFormat, fail_on: FailOn) -> ExitCode:
    """Review, print, and say how it ended. Raises BylawError where there is nothing to print."""
    end_at_interrupt()
    return asyncio.run(_review(LocalSource(asked), Printer(form, sys.stdout), fail_on))


async def _review(source: Source, publisher: Publisher, fail_on: FailOn) -> ExitCode:
    """The exit code alone: asyncio.run makes a text of what it is to return, whatever its size.

    (In Python 3.11 it asks for SIGINT's handler, which holds the task, as a member of an enum.)
    """
    async with AsyncExitStack() as stack:
        models = await configured_models(stack)
        outside = Outside(
            judge=watched(models.judge) if models else None,
            semantic=models.semantic if models else None,
            options=models.options if models else JudgmentOptions(),
            records=NothingKept(),
            parse_map=parse_map(),
            clock=lambda: dt.datetime.now(dt.UTC),
            new_id=lambda: str(uuid.uuid4()),
        )
        finished = await review(source, publisher, outside)
        return exit_code(finished.evaluation, fail_on)


async def configured_models(stack: AsyncExitStack) -> Models | None:
    """The models, where a key is configured; `stack` closes them."""
    settings = Settings.from_environment(os.environ).for_model()
    if settings is None:
        return None
    from bot.gemini.models import opened  # noqa: PLC0415 - for those with a key

    return await stack.enter_async_context(opened(settings))


def _say_what_does_not_count(change: Change, own: Mapping[str, str]) -> None:
    if not change.files:
        remark("nothing has changed since the base.")
    judging = {CONFIGURATION_PATH, *own}
    touched = [file.path for file in change.files if {file.path, file.old_path} & judging]
    if touched:
        remark(f"{', '.join(touched)}: the base's version is in force, not this change's.")
