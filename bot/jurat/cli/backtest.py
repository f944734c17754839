"""`jurat rules backtest`: what the rules would have said of the changes that were merged."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from jurat import __version__
from jurat.cli.checkout import CommitRange, GitCheckout, read_change, resolve_commit
from jurat.cli.options import Form, print_note
from jurat.cli.review import LocalStore
from jurat.cli.rule_files import (
    NO_CONFIGURATION,
    load_local_ruleset,
    read_attributes,
    read_base_config,
)
from jurat.engine.rule_examples import build_added_files
from jurat.errors import JuratError, UsageError
from jurat.findings.backtest import (
    Aftermath,
    Backtest,
    LaterState,
    ReplayedChange,
    ReplayedFinding,
    replay_evaluation,
    summarize_backtest,
)
from jurat.findings.evaluation import Conclusion, Evaluation
from jurat.findings.identity import digest_rules
from jurat.judge.flights import NoAnswers
from jurat.reports.backtest import write_backtest
from jurat.review import review
from jurat.review_interfaces import Inputs, Review, Services
from jurat.rules.config import Config
from jurat.rules.rule import RuleSet
from jurat.source.diff import Diff
from jurat.source.parser_pool import get_start_context
from jurat.source.parsing import parse_in_process

# What is replayed: one merged change is a commit of the first parents' line, against its parent, as
# a squash or a merge of a pull request leaves it.


@dataclass(frozen=True, slots=True)
class _MergedChange:
    parent: str
    commit: str
    title: str


@dataclass(frozen=True, slots=True)
class BacktestArgs:
    """Which history is replayed, and by which rules. See the options' help.

    With `is_configured` the repository's own configuration counts.
    """

    folder: Path | None
    head: str | None
    last: int
    rules: tuple[Path, ...]
    packs: tuple[str, ...] | None
    is_configured: bool = True


@dataclass(frozen=True, slots=True)
class _Judgement:
    """By what each change is judged: the rules of the newest commit, so of today."""

    configuration: Config
    rule_set: RuleSet

    def digest(self) -> str:
        said = [__version__, digest_rules(self.rule_set), self.configuration.model_dump_json()]
        return sha256("\0".join(said).encode()).hexdigest()


def replay_history(asked: BacktestArgs, *, fresh: bool, seconds: float | None = None) -> Backtest:
    """Replay the history; what an earlier run has done is not done again, unless `fresh`.

    After `seconds`, if any, no further change is begun, and what is done is what comes back.
    Raises UsageError if there is no history.
    """
    with GitCheckout.containing(asked.folder) as repository:
        tip = resolve_commit(repository, asked.head)
        changes = _list_changes(repository, tip, asked.last)
        if not changes:
            raise UsageError("There is no merged change to replay: this is the first commit.")
        judgement = _read_judgement(repository, tip, asked)
        progress = _Progress.open(repository, judgement.digest(), tip, fresh=fresh)
    try:
        replayed = list(_replay_all(asked, tip, changes, progress, seconds))
    except KeyboardInterrupt:
        print_note(f"{len(progress.done)} of {len(changes)} changes are kept; run it again.")
        raise
    order = {change.commit: place for place, change in enumerate(changes)}
    replayed.sort(key=lambda change: order[change.commit])
    return summarize_backtest(replayed)


def _list_changes(repository: GitCheckout, tip: str, last: int) -> list[_MergedChange]:
    """The newest merged changes, newest first. The first commit of all changes nothing."""
    printed = repository.run(
        "log", "--first-parent", f"--max-count={last}", "--format=%H%x1f%P%x1f%s", tip, "--"
    )
    rows = (line.split("\x1f") for line in printed.decode(errors="replace").splitlines())
    return [
        _MergedChange(parents.split()[0], commit, title)
        for commit, parents, title in rows
        if parents
    ]


def _read_judgement(repository: GitCheckout, tip: str, asked: BacktestArgs) -> _Judgement:
    file, own = read_base_config(repository, tip) if asked.is_configured else (NO_CONFIGURATION, {})
    rule_set, configuration = load_local_ruleset(file, own, packs=asked.packs, added=asked.rules)
    # No model is asked: what it would have judged is no reason why a change would have stopped.
    return _Judgement(configuration.model_copy(update={"judge": "none"}), rule_set)


# One change after another, in as many processes as there are processors.


def _replay_all(
    asked: BacktestArgs,
    tip: str,
    changes: Sequence[_MergedChange],
    progress: _Progress,
    seconds: float | None,
) -> Iterator[ReplayedChange]:
    missing = [change for change in changes if change.commit not in progress.done]
    yield from (progress.done[item.commit] for item in changes if item.commit in progress.done)
    workers = min(os.cpu_count() or 1, len(missing))
    if not workers:
        return
    with ProcessPoolExecutor(
        workers, get_start_context(), initializer=_start_worker, initargs=(asked, tip)
    ) as pool:
        futures = [pool.submit(_replay_one, change) for change in missing]
        try:
            for future in _show_progress(as_completed(futures, seconds), len(missing)):
                done = future.result()
                progress.keep(done)
                yield done
        except TimeoutError:
            pool.shutdown(cancel_futures=True)
        except BaseException:
            # What has not begun is not begun: the pool waits for what is under way alone.
            pool.shutdown(cancel_futures=True)
            raise


def _show_progress(items: Iterator[Any], total: int) -> Iterator[Any]:
    if not sys.stderr.isatty():
        return items
    from rich.console import Console  # noqa: PLC0415 - loaded for a person who looks on alone
    from rich.progress import track  # noqa: PLC0415 - as above

    return iter(track(items, "Replaying", total, console=Console(stderr=True), transient=True))


class _Worker:
    """What a process keeps from one change to the next."""

    def __init__(self, asked: BacktestArgs, tip: str) -> None:
        self.repository = GitCheckout.containing(asked.folder)
        self.tip = tip
        self.judgement = _read_judgement(self.repository, tip, asked)


_worker: _Worker | None = None


def _start_worker(asked: BacktestArgs, tip: str) -> None:
    global _worker  # noqa: PLW0603 - a pool's initializer has no other way to hand something on
    _worker = _Worker(asked, tip)
    gc.freeze()  # the rules live as long as the process


def _replay_one(change: _MergedChange) -> ReplayedChange:
    """What the rules say of one change; a review that cannot be made is said, never a pass."""
    if _worker is None:
        raise AssertionError("the pool starts its workers")
    try:
        return asyncio.run(_replay(change, _worker))
    except JuratError as error:
        return ReplayedChange(
            change.commit, change.title, Conclusion.ACTION_REQUIRED, problem=str(error)
        )


async def _replay(change: _MergedChange, worker: _Worker) -> ReplayedChange:
    between = CommitRange(change.parent, change.commit, change.commit)
    evaluation = await _evaluate(read_change(worker.repository, between), change.title, worker)
    paths = {finding.path for finding in evaluation.findings if finding.path}
    texts = {path: worker.repository.read_file(worker.tip, path) for path in paths}
    # The files of today as if each were new: every finding that still stands in them is found.
    present = {path: content for path, content in texts.items() if content is not None}
    today = await _evaluate(build_added_files(present), "", worker) if present else None
    gone = frozenset(path for path, content in texts.items() if content is None)
    later = LaterState(today.findings if today else (), gone)
    return replay_evaluation(change.commit, change.title, evaluation, later)


async def _evaluate(change: Diff, intent: str, worker: _Worker) -> Evaluation:
    judgement = worker.judgement
    inputs = Inputs(
        change,
        judgement.rule_set,
        judgement.configuration,
        intent=intent,
        # Of today, as the rules are.
        attributes=read_attributes(worker.repository, worker.tip, change),
    )
    return await evaluate_inputs(inputs, dt.datetime.now(dt.UTC))


async def evaluate_inputs(inputs: Inputs, now: dt.datetime) -> Evaluation:
    """What the rules say of what is at hand at a moment, without a model; nothing is kept."""
    services = Services(
        judge=None,
        records=LocalStore(NoAnswers()),
        parse_map=parse_in_process,
        clock=lambda: now,
    )
    return (await review(_Given(inputs), _Silent(), services)).evaluation


@dataclass(frozen=True, slots=True)
class _Given:
    """A Source of what is at hand."""

    inputs: Inputs

    async def fetch(self) -> Inputs:
        """What was given."""
        return self.inputs


class _Silent:
    """A Publisher that shows nothing: the summary is what is shown."""

    async def publish(self, review: Review) -> None:
        """Show nothing."""


# What was done stays in the git folder, so that an interrupted run goes on where it was.


class _Progress:
    """Replayed changes, one JSON line each, below a line that says by what they were judged."""

    def __init__(self, path: Path | None, done: Mapping[str, ReplayedChange]) -> None:
        self._path = path
        self.done = dict(done)

    @classmethod
    def open(cls, repository: GitCheckout, digest: str, tip: str, *, fresh: bool) -> _Progress:
        """What runs with the same rules and tip have done; of any other, nothing is left."""
        named = repository.run("rev-parse", "--git-path", "jurat-backtest.jsonl")
        path = repository.root / os.fsdecode(named).removesuffix("\n")
        header = json.dumps({"rules": digest, "tip": tip})
        lines: list[str] = []
        with suppress(OSError):
            lines = path.read_text("utf-8").splitlines()
        if not fresh and lines and lines[0] == header:
            return cls(path, {item.commit: item for item in _parse_lines(lines[1:])})
        try:
            path.write_text(header + "\n", "utf-8")
        except OSError:  # a repository that cannot be written to is replayed all the same
            return cls(None, {})
        return cls(path, {})

    def keep(self, change: ReplayedChange) -> None:
        """Add one change."""
        self.done[change.commit] = change
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(change)) + "\n")


def _parse_lines(lines: Sequence[str]) -> Iterator[ReplayedChange]:
    for line in lines:
        # A run that was killed while it wrote leaves half a line, which is done again.
        with suppress(ValueError, TypeError, KeyError):
            row = json.loads(line)
            firings = (
                ReplayedFinding(**{**item, "aftermath": Aftermath(item["aftermath"])})
                for item in row["firings"]
            )
            yield ReplayedChange(
                **{
                    **row,
                    "conclusion": Conclusion(row["conclusion"]),
                    "firings": tuple(firings),
                    "undecided": tuple(row["undecided"]),
                    "unread": tuple(row["unread"]),
                }
            )


def backtest_command(
    *,
    repo: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The checkout.", show_default="the one around here"),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="Replay the history of this branch, tag or commit.",
            show_default="origin/HEAD, else main, else master",
        ),
    ] = None,
    last: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many of the newest changes.")
    ] = 500,
    rules: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Add a rule file, or a folder of them."),
    ] = None,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|none",
            help="Use these shipped packs, or none of them.",
            show_default="what .github/jurat.yml says, else engineering",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what an earlier run has done.")
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="How to print the result.")] = Form.TEXT,
) -> None:
    """Say what the rules would have said of the changes that were merged, and suggest levels.

    A change is a commit of the first parents' line. No model is asked. It can be interrupted, and
    goes on where it was.
    """
    asked = BacktestArgs(
        repo, head, last, tuple(rules or ()), None if pack is None else tuple(pack)
    )
    backtest = replay_history(asked, fresh=fresh)
    write_backtest(backtest, sys.stdout, as_json=form is Form.JSON)
