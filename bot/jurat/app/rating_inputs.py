"""The rating of a pull request: base and head beside each other, as a section of its check."""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jurat.errors import JuratError
from jurat.findings.evaluation import Gate, RatingOutcome
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.models import PullRequestPayload
from jurat.github.past import read_base_and_head
from jurat.judge.call_record import CallRecord
from jurat.judge.protocol import Judge
from jurat.rating.changes import build_document, compare_ratings
from jurat.rating.held import RepositoryScan
from jurat.rating.law import choose_packs, load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import Operator, RiskClass
from jurat.rating.provenance import RatedSource
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating, find_below
from jurat.rating.recon import scan_worktree
from jurat.rating.scale import ClauseVerdict
from jurat.rating.second_opinion import SecondOpinion, add_second_opinions
from jurat.rating.signals.file_signs import Memory
from jurat.rating.signals.worktree import Worktree
from jurat.reports.limits import Limit, Unit, fit
from jurat.reports.markdown import escape_markdown
from jurat.reports.rating_report import render_moves
from jurat.review_interfaces import Services
from jurat.rules.config import Config, RatingConfig
from jurat.source.parsing import ParseMap

_SECTION = Limit(20_000, Unit.BYTES)
"""The part of a check's summary that the rating may take; the review has the rest."""

_CUT = "\n\n_The list is longer than fits here; `jurat rate` prints all of it._"


class RatingHistory(Protocol):
    """Where ratings are kept, by repository and commit."""

    async def keep_rating(
        self, repository_id: int, commit: str, document: Mapping[str, Any], *, number: int | None
    ) -> None:
        """Keep a rating's document. One that is known already stays as it is."""
        ...


@dataclass(frozen=True, slots=True)
class RatingReader:
    """Rates one head of a pull request and its base."""

    github: GitHub
    pull: PullRequestPayload
    services: Services
    history: RatingHistory

    async def read(self, configuration: Config, record: CallRecord) -> RatingOutcome:
        """The rating by the regulations of a configuration. `judge: none` asks no model.

        What is asked of a model goes on `record`, within its budgets.

        One that cannot be completed is an outcome too: it says so, and if a gate was asked for it
        does not let the check pass.
        """
        options = configuration.rating
        judge = self.services.judge if configuration.judge != "none" else None
        try:
            base, head = await self._rate(options, judge, configuration.review.private, record)
        except JuratError as error:
            # Not retried: the review stands without its rating, and must not wait for it.
            return _build_incomplete(str(error), options)
        moves = render_moves(compare_ratings(base, head), head, self._describe_ends())
        section = fit(moves, _SECTION, _CUT)
        return _apply_gate(section, head, options)

    def _describe_ends(self) -> tuple[RatedSource, RatedSource]:
        pull, made = self.pull, self.services.clock()
        # GitHub says where the repository is read by the address of the pull request alone.
        page = pull.html_url.removesuffix(f"/pull/{pull.number}")
        page = page if page != pull.html_url else ""
        name = pull.repository.rpartition("/")[2]
        base, head = (RatedSource(name, made, end.sha, page) for end in (pull.base, pull.head))
        return base, head

    async def _rate(
        self,
        options: RatingConfig,
        judge: Judge | None,
        private: tuple[str, ...],
        record: CallRecord,
    ) -> tuple[Rating, Rating]:
        pull = self.pull
        trees = await read_base_and_head(
            CommitFiles(self.github, pull.repository, pull.base.sha),
            CommitFiles(self.github, pull.repository, pull.head.sha),
        )
        parse_map = self.services.parse_map
        # Both ends by the law of one day, even if midnight falls between them.
        on = options.on or self.services.clock().date()
        found = await to_thread(_rate_both_ends, trees, options, on, parse_map)
        answers = self.services.records.get_answers(pull.repository_id)
        bench = SecondOpinion(judge, answers, self.services.options, private, record)
        ratings = [await add_second_opinions(rating, seen, bench) for seen, rating in found]
        commits = ((pull.base.sha, None), (pull.head.sha, pull.number))
        for rating, source, (commit, number) in zip(
            ratings, self._describe_ends(), commits, strict=True
        ):
            document = build_document(rating, source)
            await self.history.keep_rating(pull.repository_id, commit, document, number=number)
        return ratings[0], ratings[1]


def _rate_both_ends(
    trees: tuple[Worktree, Worktree], options: RatingConfig, on: dt.date, parse_map: ParseMap
) -> list[tuple[RepositoryScan, Rating]]:
    """Both ends, by the same packs; what both hold is looked at once."""
    packs = choose_packs(options.regulations, on)
    risk = None if options.risk is None else RiskClass(options.risk)
    memory: Memory = {}
    found = []
    for tree in trees:
        seen = RepositoryScan(tree, *scan_worktree(tree, parse_map, memory))
        rating = rate_scan(
            seen,
            packs,
            list_named_rules(),
            classifying=load_regulations(on),
            on=on,
            risk=risk,
            operators=tuple(Operator(role) for role in options.roles),
        )
        found.append((seen, rating))
    return found


def _apply_gate(section: str, head: Rating, options: RatingConfig) -> RatingOutcome:
    if options.fail_below is None:
        return RatingOutcome(section)
    if low := find_below(head, options.fail_below):
        names = " and ".join(f"{item.regulation.name} ({item.supported_score:.2f})" for item in low)
        verb = "is" if len(low) == 1 else "are"
        least = f"below {options.fail_below:g}**, the least that is accepted."
        text = f"**{escape_markdown(names)} {verb} {least}"
        title = f"{low[0].regulation.name} is rated below {options.fail_below:g}"
        return RatingOutcome(f"{section}\n\n{text}", Gate.BELOW, title)
    if head.list_clauses(ClauseVerdict.ERROR):
        return RatingOutcome(section, Gate.UNRATED, "A clause could not be rated")
    return RatingOutcome(section)


def _build_incomplete(reason: str, options: RatingConfig) -> RatingOutcome:
    text = (
        "### Regulation rating\n\n"
        f"The rating could not be completed: {escape_markdown(reason)} Nothing was rated."
        " Comment `/recheck` to try again."
    )
    if options.fail_below is None:
        return RatingOutcome(text)
    return RatingOutcome(text, Gate.UNRATED, "The rating could not be completed")
