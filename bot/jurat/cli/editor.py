"""What an editor is told of a file while somebody types in it. No model is asked."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from jurat.cli.checkout import GitCheckout, resolve_commit, resolve_range
from jurat.cli.local_source import RulesFrom, drop_change_rules
from jurat.cli.review import LocalStore, SilentPublisher
from jurat.cli.rule_files import (
    CONFIGURATION_PATH,
    load_local_ruleset,
    read_attributes,
    read_base_config,
    read_worktree_config,
)
from jurat.engine.rule_examples import build_added_file, build_changed_file
from jurat.errors import UsageError
from jurat.findings.finding import Finding
from jurat.judge.flights import NoAnswers
from jurat.review import review
from jurat.review_interfaces import Inputs, Review, Services
from jurat.rules.config import Config
from jurat.rules.rule import RuleSet
from jurat.rules.selection import needs_model
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.diff_parser import decode_text
from jurat.source.file_text import with_language
from jurat.source.parsing import parse_in_process


@dataclass(frozen=True, slots=True)
class EditorArgs:
    """What the command line asks of the editor's reviews. See the options' help."""

    base: str | None = None
    rules: tuple[Path, ...] = ()
    packs: tuple[str, ...] | None = None
    rules_from: RulesFrom = RulesFrom.HEAD


class _BaseCommit(NamedTuple):
    """The commit that files are compared with, and what it says of them."""

    commit: str
    old_paths: Mapping[str, str]


class _RulesInForce(NamedTuple):
    rule_set: RuleSet
    configuration: Config
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class FileReview:
    """What was found in one text of one file."""

    path: Path
    text: str
    review: Review

    @property
    def findings(self) -> Sequence[Finding]:
        """Those that count or observe, and have lines of their own."""
        return [
            item
            for item in self.review.evaluation.findings
            if item.waiver is None and item.location and item.location.start_line
        ]


@dataclass(slots=True)
class EditorSession:
    """The reviews of one checkout's files. One at a time: git is asked through one pipe.

    The base is that of `jurat review`, or HEAD if there is no branch to compare with. The rules
    are those of the work tree, unsaved changes of them included, unless the base's are asked for:
    nothing passes a check here, and whoever writes a rule wants to see what it does.
    """

    repository: GitCheckout
    asked: EditorArgs
    _base: _BaseCommit | None = None
    _base_key: tuple[str, str] | None = None
    _rules: _RulesInForce | None = None
    _rules_key: object = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def root(self) -> Path:
        """The top folder of the checkout, without links."""
        return self.repository.root.resolve()

    def count_rules(self) -> tuple[int, int]:
        """How many rules are decided here, and how many wait for a model."""
        rules = self._rules.rule_set.rules.values() if self._rules else ()
        waiting = sum(map(needs_model, rules))
        return len(rules) - waiting, waiting

    def is_configuration(self, path: Path) -> bool:
        """Whether a file says by what is judged, so that a change of it changes every review."""
        known = self._rules.files if self._rules else ()
        return path == self.root / CONFIGURATION_PATH or path in known

    async def review_file(
        self, path: Path, text: str, unsaved: Mapping[Path, str]
    ) -> FileReview | None:
        """What there is to say of a file with this text; None if it is none of the checkout's.

        `path` is resolved, and so are those of `unsaved`, all texts that the editor has.
        Raises JuratError.
        """
        if not path.is_relative_to(self.root) or ".git" in path.parts:
            return None
        async with self._lock:
            inputs = await asyncio.to_thread(self._read_inputs, path, text, unsaved)
            services = Services(
                judge=None,
                records=LocalStore(NoAnswers()),
                parse_map=parse_in_process,
                clock=lambda: dt.datetime.now(dt.UTC),
            )
            finished = await review(_FetchedSource(inputs), SilentPublisher(), services)
        return FileReview(path, text, finished)

    def _read_inputs(self, path: Path, text: str, unsaved: Mapping[Path, str]) -> Inputs:
        base = self._find_base()
        rules = self._load_rules(base, unsaved)
        name = path.relative_to(self.root).as_posix()
        change = Diff((self._build_change(name, text, base),))
        return Inputs(
            change=change,
            rule_set=rules.rule_set,
            configuration=rules.configuration,
            attributes=read_attributes(self.repository, base.commit, change),
        )

    def _build_change(self, name: str, text: str, base: _BaseCommit) -> FileChange:
        """The file as a change of the base to what the editor has, which has its own line ends."""
        old_name = base.old_paths.get(name, name)
        content = self.repository.read_file(base.commit, old_name)
        head = text.replace("\r\n", "\n")
        if content is None:
            return with_language(build_added_file(name, None, head))
        before = decode_text(content).replace("\r\n", "\n")
        file = build_changed_file(name, None, before, head)
        status = FileStatus.MODIFIED if old_name == name else FileStatus.RENAMED
        return with_language(replace(file, status=status, old_path=old_name))

    def _find_base(self) -> _BaseCommit:
        """The base, looked for again once a branch has moved."""
        repository = self.repository
        tip = repository.commit("HEAD")
        if tip is None:
            raise UsageError(f"{repository.root} has no commit to compare with.")
        try:
            named = resolve_commit(repository, self.asked.base)
        except UsageError:
            if self.asked.base is not None:
                raise
            named = tip  # no branch is called main, and none is the remote's
        if self._base is None or self._base_key != (tip, named):
            try:
                commit = resolve_range(repository, named).base
            except UsageError:
                commit = tip  # a shallow clone
            self._base = _BaseCommit(commit, _read_renames(repository, commit))
            self._base_key = (tip, named)
        return self._base

    def _load_rules(self, base: _BaseCommit, unsaved: Mapping[Path, str]) -> _RulesInForce:
        """The rules in force, read again once they, or the commit that they are of, are others."""
        from_head = self.asked.rules_from is RulesFrom.HEAD
        if self._rules is not None:
            key = self._digest_rules(self._rules.files, unsaved) if from_head else base.commit
            if key == self._rules_key:
                return self._rules
        self._rules = None  # what is broken now does not stand in for what was not
        file, own = (
            read_worktree_config(self.repository.root, unsaved)
            if from_head
            else read_base_config(self.repository, base.commit)
        )
        rule_set, configuration = load_local_ruleset(
            file, own, packs=self.asked.packs, added=self.asked.rules
        )
        files = tuple(Path(name).resolve() for name in own) if from_head else ()
        self._rules = _RulesInForce(
            # A file alone says nothing of a change as a whole, and no model is asked.
            drop_change_rules(rule_set),
            configuration.model_copy(update={"judge": "none"}),
            files,
        )
        self._rules_key = self._digest_rules(files, unsaved) if from_head else base.commit
        return self._rules

    def _digest_rules(self, files: Sequence[Path], unsaved: Mapping[Path, str]) -> object:
        """What is another once the configuration, a rule file or a folder of them is another."""
        named = (self.root / CONFIGURATION_PATH, *files)
        looked_at = dict.fromkeys((*named, *(path.parent for path in files)))
        return (
            tuple(_digest_file(path) for path in looked_at),
            tuple(unsaved.get(path) for path in named),
        )


@dataclass(frozen=True, slots=True)
class _FetchedSource:
    """A Source that was read already."""

    inputs: Inputs

    async def fetch(self) -> Inputs:
        return self.inputs


def _digest_file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _read_renames(repository: GitCheckout, commit: str) -> Mapping[str, str]:
    """The old path of each file that was renamed since a commit, by the new one."""
    words = repository.list_names(
        *("diff", "--name-status", "--find-renames", "--no-ext-diff", "--diff-filter=R", "-z"),
        commit,
        "--",
    )
    return {new: old for old, new in zip(words[1::3], words[2::3], strict=True)}
