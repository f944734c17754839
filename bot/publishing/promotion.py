"""What the rules that only observe still lack to count, as a reviewer reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.corpus.configuration import ReviewOptions
from bot.corpus.maturity import DEFAULT, Lack, Standing, Tally, lacking
from bot.corpus.rule import Maturity, Rule
from bot.publishing.markdown import code_span

_NO_RECORD = Standing()


def promotion_lines(
    rules: Iterable[Rule], standings: Mapping[str, Standing], options: ReviewOptions
) -> tuple[str, ...]:
    """One line of Markdown for each of `rules`, which are experimental, in their order."""
    return tuple(
        f"- {code_span(rule.id)} {_prospect(rule, standings.get(rule.id, _NO_RECORD), options)}"
        for rule in {rule.id: rule for rule in rules}.values()
    )


def _prospect(rule: Rule, found: Standing, options: ReviewOptions) -> str:
    if rule.pin:
        return "is pinned in its file: it only observes until that changes."
    earned = found.maturity or Maturity.EXPERIMENTAL
    if earned is not Maturity.EXPERIMENTAL and options.maturity == "propose":
        return (
            f"has earned to be {earned} ({_record(found.tally)}). To let it count, write"
            f" {code_span(f'maturity: {earned}')} in its file."
        )
    lack = lacking(Maturity.EXPERIMENTAL, found)
    if lack is None:
        raise AssertionError("an experimental rule has a next maturity")
    record = "none is settled yet" if found.since is None else _record(found.tally)
    return f"{_needs(lack)} ({record})."


def _needs(lack: Lack) -> str:
    """What is missing until `lack.target`: findings, days or both."""
    findings = "finding" if lack.cases == 1 else "findings"
    missing = f"with {lack.cases:,} more {findings} in a row that are fixed or confirmed"
    if lack.day is None:
        return f"becomes {lack.target} {missing}, over at least {DEFAULT.stable_days} days"
    if not lack.cases:
        return f"becomes {lack.target} at the first daily look from {lack.day} on"
    return f"becomes {lack.target} {missing}, from {lack.day} on"


def _record(tally: Tally) -> str:
    """`12 settled so far, 1 of them dismissed or merged over`."""
    return f"{tally.cases:,} settled so far, {tally.faults:,} of them dismissed or merged over"
