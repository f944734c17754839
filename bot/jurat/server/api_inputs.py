"""From a checked request to the Material of a review, and to the rules that it is judged by."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from jurat.engine.rule_examples import build_added_file
from jurat.errors import UsageError
from jurat.facts.assembly import build_subjects
from jurat.facts.context import EvaluationContext
from jurat.review_interfaces import Inputs, Services
from jurat.rules.config import Config
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.selection import SelectionCriteria
from jurat.rules.vocabulary import with_known_authorities
from jurat.server.api_queue import EvaluationQueue
from jurat.server.api_requests import (
    ApplicableRulesRequest,
    EvaluateRequest,
    FileContent,
    QuickRequest,
    RuleFilterRequest,
)
from jurat.server.bodies import BodyReader
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import (
    attach_base,
    attach_head_text,
    build_path_only_file,
    with_language,
)
from jurat.store.evaluations import Store

MAX_CHANGED = 3_000
"""Files of a change, as many as GitHub lists of a pull request."""
ASKED_BY = "api"


class RuleSetCache:
    """The rules that a server judges by.

    `packs` are the shipped packs that are in force if a request names none; `own` are rule files
    of the server, text by path, which always are. Raises UsageError or RuleError if they cannot
    be loaded.
    """

    def __init__(self, packs: Sequence[str], own: Mapping[str, str]) -> None:
        self._packs = tuple(packs)
        self._own = own
        # The same packs are the same object: the selection keeps an index for each.
        self._rule_set = lru_cache(maxsize=16)(self._load)
        # At start: a server whose rules cannot be loaded must not come up.
        self._rule_set(self._packs)

    def get_rules(self, asked: RuleFilterRequest) -> RuleSet:
        """The rules in force for a request. Raises UsageError for a pack that there is not."""
        packs = self._packs if asked.packs is None else asked.packs
        return self._rule_set(tuple(dict.fromkeys(packs)))

    def _load(self, packs: tuple[str, ...]) -> RuleSet:
        shipped = {path: text for name in packs for path, text in read_pack(name).items()}
        return with_known_authorities(load_ruleset({**shipped, **self._own}))


@dataclass(frozen=True, slots=True)
class Api:
    """What the routes work with."""

    services: Services
    store: Store
    rule_sets: RuleSetCache
    bodies: BodyReader = field(default_factory=BodyReader)
    queue: EvaluationQueue = field(default_factory=EvaluationQueue)


@dataclass(frozen=True, slots=True)
class ApiSource:
    """A Source: what one request holds, and the rules that it is judged by."""

    request: EvaluateRequest | QuickRequest
    rule_sets: RuleSetCache

    async def fetch(self) -> Inputs:
        """Everything that is judged. Raises UsageError if the diff or a pack is none."""
        if isinstance(self.request, QuickRequest):
            return await to_thread(_build_action_inputs, self.request, self.rule_sets)
        return await to_thread(_build_evaluation_inputs, self.request, self.rule_sets)


def build_criteria(asked: RuleFilterRequest) -> SelectionCriteria:
    """How the request narrows them."""
    return SelectionCriteria(
        max_rules=asked.max_rules,
        severity_min=asked.severity_min,
        modalities=frozenset(asked.modality),
        tags=frozenset(asked.tags),
    )


def build_diff_from_paths(asked: ApplicableRulesRequest) -> EvaluationContext:
    """Files of which nothing is known but their paths."""
    return build_subjects(
        Diff(tuple(build_path_only_file(path) for path in dict.fromkeys(asked.files))),
        scope=asked.scope,
        repository=asked.repository,
        kind=asked.subject,
    )


def build_diff(diff: str, files: Sequence[str | FileContent]) -> Diff:
    """The files of a diff, with their whole texts if given, and then the files beside it.

    A file beside the diff is added whole by its content. If only its path is given it is unread:
    rules about it are found, and none passes. Raises UsageError if the diff is none, or if
    there are too many files.
    """
    given = {
        entry.path: entry.content
        for entry in files
        if isinstance(entry, FileContent) and entry.content is not None
    }
    change = parse_diff(diff.encode())
    changed = {file.path for file in change.files}
    paths = [entry if isinstance(entry, str) else entry.path for entry in files]
    beside = [path for path in paths if path not in changed]
    if len(changed) + len(beside) > MAX_CHANGED:
        raise UsageError(
            f"The change has {len(changed) + len(beside):,} files; {MAX_CHANGED:,} is the most.",
            hint="Evaluate it in parts.",
        )
    return Diff(
        (
            *(_with_text(file, given) for file in change.files),
            *(
                _to_added_file(path, given[path]) if path in given else build_path_only_file(path)
                for path in beside
            ),
        )
    )


def _build_evaluation_inputs(asked: EvaluateRequest, shelf: RuleSetCache) -> Inputs:
    return Inputs(
        change=build_diff(asked.diff, asked.files),
        rule_set=shelf.get_rules(asked),
        configuration=Config(),
        intent=asked.intent,
        repository=asked.repository,
        facts=asked.facts,
        scope=asked.scope,
        mode=asked.mode,
        kind=asked.subject,
        asked_by=ASKED_BY,
        criteria=build_criteria(asked),
    )


def _build_action_inputs(asked: QuickRequest, shelf: RuleSetCache) -> Inputs:
    return Inputs(
        change=Diff(),
        rule_set=shelf.get_rules(asked),
        configuration=Config(),
        intent=asked.action,
        facts={"action": asked.action, **asked.facts},
        scope=asked.scope,
        mode=asked.mode,
        asked_by=ASKED_BY,
        criteria=build_criteria(asked),
    )


def _with_text(file: FileChange, given: Mapping[str, str]) -> FileChange:
    """A file of the diff with the text that was given: its version after the change, or before.

    A text that is neither makes it unread: one of the two is not what the caller thinks it is.
    """
    text = given.get(file.path)
    if text is None:
        return file
    if file.status is FileStatus.REMOVED:
        return attach_base(file, text)
    # The head first: it is what most callers have at hand.
    after = attach_head_text(file, text)
    if after.unread is None or file.status is FileStatus.ADDED:
        return after
    before = attach_base(file, text)
    return after if before.unread is not None else before


def _to_added_file(path: str, content: str) -> FileChange:
    return with_language(build_added_file(path, None, content))
