"""What a review is given and gives: its inputs, its result, and whom it speaks to.

The command line, the webhook's jobs and the REST API each hand in a `Source`, a `Publisher` and
`Services`; `jurat.review` is what happens between them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from jurat.facts.context import EvaluationContext, Facts, Mode, SubjectKind
from jurat.findings.convergence import AssessedPush
from jurat.findings.evaluation import Evaluation, RatingOutcome
from jurat.findings.model_usage import ModelUsage
from jurat.findings.origins import LineHistory
from jurat.findings.waivers import Decision
from jurat.judge.call_record import CallRecord
from jurat.judge.flights import Flights
from jurat.judge.protocol import AnswerCache, Judge, JudgmentOptions
from jurat.rules.config import Config
from jurat.rules.maturity import TrackRecord
from jurat.rules.relevance import Relevance
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import SelectionCriteria
from jurat.rules.trial import RuleTrial
from jurat.source.diff import Diff
from jurat.source.git_attributes import AttributeLine
from jurat.source.parsing import ParseMap

if TYPE_CHECKING:
    from jurat.judge.answer_desk import UnitAnswer

# What a door has gathered before a review, alike for a checkout, GitHub and the REST API.


@dataclass(frozen=True, slots=True)
class Inputs:
    """The change as read, and what it is judged by.

    `configuration` and `rule_set` are the base version's, so that a change cannot change its own
    judge. `intent` is the author's own words: data, never orders. `kind` is what facts without a
    file are judged as, None for what the rules that read them say. The SHAs are None if the
    change is not, or not yet, a commit. `rules_sha` is the commit of which configuration and rules
    were read, None if they were read of none. `criteria` narrows the rules, None by what the
    configuration says. `merging` is a merge queue's group, which holds pull requests that were
    reviewed one by one; `queued` is the last of them, if that is known. `attributes` are what
    the base says of files that nobody writes by hand.
    """

    change: Diff
    rule_set: RuleSet
    configuration: Config
    intent: str = ""
    repository: str | None = None
    base_sha: str | None = None
    head_sha: str | None = None
    facts: Facts = field(default_factory=dict)
    scope: str | None = None
    mode: Mode = Mode.PREFLIGHT
    kind: SubjectKind | None = None
    number: int | None = None
    base_ref: str | None = None
    repository_id: int | None = None
    asked_by: str = "local"
    criteria: SelectionCriteria | None = None
    merging: bool = False
    queued: int | None = None
    rules_sha: str | None = None
    attributes: tuple[AttributeLine, ...] = ()

    @property
    def repository_key(self) -> str | int | None:
        """What the store knows the repository by: names are given up, and taken by others."""
        return self.repository if self.repository_id is None else self.repository_id

    def get_criteria(self) -> SelectionCriteria:
        """What narrows the rules."""
        return self.criteria or SelectionCriteria.of(self.configuration)


T = TypeVar("T")

Stage = Literal[
    "fetch", "assemble", "select", "dispatch", "judge", "rate", "prove", "save", "publish"
]
"""The stages that take time. What stands between them takes none that is worth a measurement."""


@dataclass(frozen=True, slots=True)
class Review:
    """What was reviewed, and what came out.

    `inputs` has the rules as they are written; the verdicts' rules have the maturity that their
    records, the `track_records` by rule id, give them. `postponed` says that something was left for
    a review that follows; this one is kept and shown only if it fails without.
    """

    inputs: Inputs
    context: EvaluationContext
    evaluation: Evaluation
    track_records: Mapping[str, TrackRecord] = field(default_factory=dict)
    postponed: bool = False


class Source(Protocol):
    """Where a review reads: a pull request, a checkout or a request's body."""

    async def fetch(self) -> Inputs:
        """Everything that is judged, and the rules and configuration of its base."""
        ...


class EvaluationStore(Protocol):
    """Where a review is kept, what was learnt from those before, and what people have decided.

    A repository is named by its id if that is known: names are given up, and taken by others.
    """

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """The answers that are known; what is learnt there is kept as that repository's."""
        ...

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """Where the records of rules stand in a repository, by rule id; few rules have one."""
        ...

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        """The decisions about findings of a repository with one of these prints."""
        ...

    async def list_pushes(
        self, repository: str | int | None, number: int
    ) -> Sequence[AssessedPush]:
        """What the reviews of a pull request that were shown last left to those of later pushes."""
        ...

    async def count_tokens(self, since: dt.datetime, repository: str | int | None = None) -> int:
        """What models were given and gave since then, for one repository if it is named."""
        ...

    async def keep_calls(
        self, repository: str | int | None, asked_by: str, models: Sequence[ModelUsage]
    ) -> None:
        """Keep what models were asked for a review that is not saved."""
        ...

    async def save(self, review: Review) -> None:
        """Keep the evaluation and each of its verdicts, as not shown yet.

        The same id again is the same row: it then says what this review says.
        """
        ...

    async def mark_published(self, review: Review) -> None:
        """Keep that a saved evaluation was shown: from now on it is what counts of its head."""
        ...


class NullStore:
    """The part of an `EvaluationStore` that a review has which leaves nothing: it keeps nothing."""

    __slots__ = ()

    async def list_pushes(
        self, repository: str | int | None, number: int
    ) -> Sequence[AssessedPush]:
        """None was kept."""
        return ()

    async def count_tokens(self, since: dt.datetime, repository: str | int | None = None) -> int:
        """Nobody counts: a day's budget is the server's."""
        return 0

    async def keep_calls(
        self, repository: str | int | None, asked_by: str, models: Sequence[ModelUsage]
    ) -> None:
        """Nothing is kept."""

    async def save(self, review: Review) -> None:
        """Nothing is kept."""

    async def mark_published(self, review: Review) -> None:
        """Nothing is kept."""


class Publisher(Protocol):
    """Where a review is shown: a pull request, a terminal or a response."""

    async def publish(self, review: Review) -> None:
        """Show it. Called again with the same review, it changes nothing."""
        ...


class SemanticRelevance(Protocol):
    """Relevance by meaning. It asks a model outside, so it is prepared before a selection."""

    async def prepare(
        self,
        context: EvaluationContext,
        rule_set: RuleSet,
        rules: Sequence[Rule],
        record: CallRecord,
    ) -> Relevance:
        """The Relevance of these rules for this context. Raises EmbeddingError."""
        ...


class RatingSource(Protocol):
    """Where the rating of a change comes from, if its configuration names regulations."""

    async def __call__(self, configuration: Config, record: CallRecord, /) -> RatingOutcome | None:
        """The rating; None if none is asked for. One that failed is an outcome that says so.

        What a model is asked for it goes on the review's record.
        """
        ...


class StageTimer(Protocol):
    """Whoever watches the pipeline: awaits the work of each stage, and may time it."""

    async def __call__(self, stage: Stage, work: Awaitable[T], /) -> T:
        """What the work gives, or raises."""
        ...


async def run_untimed(_stage: Stage, work: Awaitable[T]) -> T:
    """Nobody watches."""
    return await work


def is_never() -> bool:
    """Nobody has looked, so that nothing is held back."""
    return False


class TrialSource(Protocol):
    """Where it is known how judges did on twins of rules' examples."""

    async def __call__(self, model: str, /) -> Mapping[str, RuleTrial]:
        """How a model with the prompts in use did, by the rules' revisions."""
        ...


async def read_no_trials(_model: str) -> Mapping[str, RuleTrial]:
    """No judge was tried."""
    return {}


@dataclass(frozen=True, slots=True)
class Services:
    """What the pipeline needs of the world.

    `judge` and `semantic` are None if no model is configured, `second_judge` if none reads beside
    it what blocks; `clock` gives the time in UTC.
    `history` is None if the base's history is not at hand. `flights` are the questions that the
    reviews of this process are asking. `computed_only` leaves what a model must be asked, and
    ratings, for a review that follows. `is_model_away` is asked of a review in which a model
    failed: if it is, nothing is kept or shown, and a review that follows is wanted. `read_trials`
    says by which rules the judge may not block.
    """

    judge: Judge | None
    records: EvaluationStore
    parse_map: ParseMap
    clock: Callable[[], dt.datetime]
    second_judge: Judge | None = None
    semantic: SemanticRelevance | None = None
    options: JudgmentOptions = field(default_factory=JudgmentOptions)
    watch: StageTimer = run_untimed
    history: LineHistory | None = None
    flights: Flights[UnitAnswer] = field(default_factory=Flights)
    computed_only: bool = False
    is_model_away: Callable[[], bool] = is_never
    read_trials: TrialSource = read_no_trials
