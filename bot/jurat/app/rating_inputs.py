"""The rating of a pull request: base and head beside each other, as a section of its check."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from jurat.errors import JuratError
from jurat.findings.evaluation import Conclusion
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.models import PullRequestPayload
from jurat.github.past import read_base_and_head
from jurat.github.reviews import PullRequestPublisher
from jurat.rating.changes import compare_ratings, document_of
from jurat.rating.named_rules import named_rules
from jurat.rating.pack import RiskClass, choose_packs, load_regulations
from jurat.rating.rate import Rating, RepositoryScan, find_below, rate
from jurat.rating.recon import Memory, recon
from jurat.rating.scale import ClauseVerdict
from jurat.rating.second_opinion import SecondOpinion, add_second_opinions
from jurat.rating.worktree import Worktree
from jurat.reports.check_run import CheckRun
from jurat.reports.limits import CHECK_TEXT, Limit, Unit, fit
from jurat.reports.markdown import escape_markdown
from jurat.reports.rating_report import moves_markdown
from jurat.review import Review, Services
from jurat.rules.config import RatingConfig
from jurat.source.parsing import ParseMap

_SECTION = Limit(20_000, Unit.BYTES)
"""The part of a check's summary that the rating may take; the review has the rest."""

_CUT = "\n\n_The list is longer than fits here; `jurat rate` prints all of it._"


class RatingHistory(Protocol):
    """Where ratings are kept, by repository and commit."""

    async def keep_rating(
        self, repository: str, commit: str, document: Mapping[str, Any], *, number: int | None
    ) -> None:
        """Keep a rating's document. One that is known already stays as it is."""
        ...


@dataclass(frozen=True, slots=True)
class RatedSection:
    """What the rating adds to a check. `conclusion` is None where it does not change it."""

    markdown: str
    conclusion: Conclusion | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class RatingReader:
    """Rates one head of a pull request and its base."""

    github: GitHub
    pull: PullRequestPayload
    outside: Services
    history: RatingHistory

    async def section(self, options: RatingConfig) -> RatedSection | None:
        """The section for a check, None where the configuration names no regulation.

        A rating that cannot be completed is a section too: it says so, and where a gate was asked
        for it does not let the check pass.
        """
        if not options.regulations:
            return None
        try:
            base, head = await self._rated(options)
        except JuratError as error:
            # Not retried: the review itself is done, and must not wait for its rating.
            return _incomplete(str(error), options)
        section = fit(moves_markdown(compare_ratings(base, head), head), _SECTION, _CUT)
        return _gated(section, head, options)

    async def _rated(self, options: RatingConfig) -> tuple[Rating, Rating]:
        pull = self.pull
        trees = await read_base_and_head(
            CommitFiles(self.github, pull.repository, pull.base.sha),
            CommitFiles(self.github, pull.repository, pull.head.sha),
        )
        parse_map = self.outside.parse_map
        found = await to_thread(_both, trees, options, parse_map)
        bench = SecondOpinion(self.outside.judge, self.outside.records, self.outside.options)
        ratings = [await add_second_opinions(rating, seen, bench) for seen, rating in found]
        commits = ((pull.base.sha, None), (pull.head.sha, pull.number))
        for rating, (commit, number) in zip(ratings, commits, strict=True):
            document = document_of(rating)
            await self.history.keep_rating(pull.repository, commit, document, number=number)
        return ratings[0], ratings[1]


@dataclass(frozen=True, slots=True)
class RatedPublisher:
    """A Publisher that adds the rating to the check of a review."""

    publisher: PullRequestPublisher
    rating: RatingReader

    async def publish(self, review: Review) -> None:
        """Rate, where the base's configuration asks for it, and make the edits still to be made."""
        section = await self.rating.section(review.material.configuration.rating)
        edits = await self.publisher.planned(review)
        await self.publisher.apply(
            [with_section(edit, section) if isinstance(edit, CheckRun) else edit for edit in edits]
        )


def with_section(check: CheckRun, section: RatedSection | None) -> CheckRun:
    """A check's conclusion with the rating's section below the review's own summary.

    A rating may make a check fail or wait for a person; it never makes one pass.
    """
    if section is None:
        return check
    # The review's part gives way: the gate's reason stands below it, and must not be what is cut.
    below = f"\n\n{section.markdown}"
    summary = fit(check.summary, CHECK_TEXT.beside(below), _CUT) + below
    extended = replace(check, summary=summary)
    stricter = section.conclusion is Conclusion.FAILURE or check.conclusion in (
        Conclusion.SUCCESS,
        Conclusion.NEUTRAL,
    )
    if section.conclusion is None or check.conclusion is Conclusion.FAILURE or not stricter:
        return extended
    return replace(extended, conclusion=section.conclusion, title=section.title)


def _both(
    trees: tuple[Worktree, Worktree], options: RatingConfig, parse_map: ParseMap
) -> list[tuple[RepositoryScan, Rating]]:
    """Both ends, by the same packs; what both hold is looked at once."""
    packs = choose_packs(options.regulations)
    risk = None if options.risk is None else RiskClass(options.risk)
    memory: Memory = {}
    found = []
    for tree in trees:
        seen = RepositoryScan(tree, *recon(tree, parse_map, memory))
        rating = rate(seen, packs, named_rules(), classifying=load_regulations(), risk=risk)
        found.append((seen, rating))
    return found


def _gated(section: str, head: Rating, options: RatingConfig) -> RatedSection:
    if options.fail_below is None:
        return RatedSection(section)
    if low := find_below(head, options.fail_below):
        names = " and ".join(f"{item.regulation.name} ({item.score:.2f})" for item in low)
        verb = "is" if len(low) == 1 else "are"
        least = f"below {options.fail_below:g}**, the least that is accepted."
        text = f"**{escape_markdown(names)} {verb} {least}"
        title = f"{low[0].regulation.name} is rated below {options.fail_below:g}"
        return RatedSection(f"{section}\n\n{text}", Conclusion.FAILURE, title)
    if head.having(ClauseVerdict.ERROR):
        return RatedSection(section, Conclusion.ACTION_REQUIRED, "A clause could not be rated")
    return RatedSection(section)


def _incomplete(reason: str, options: RatingConfig) -> RatedSection:
    text = (
        "### Regulation rating\n\n"
        f"The rating could not be completed: {escape_markdown(reason)} Nothing was rated."
        " Comment `/recheck` to try again."
    )
    if options.fail_below is None:
        return RatedSection(text)
    return RatedSection(text, Conclusion.ACTION_REQUIRED, "The rating could not be completed")
