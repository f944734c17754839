"""What the rules that only observe still lack to count, as a reviewer reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jurat.reports.markdown import escape_markdown, quote_code
from jurat.rules.config import ReviewConfig
from jurat.rules.maturity import DEFAULT, PromotionGap, TrackRecord, find_promotion_gap
from jurat.rules.merit import OutcomeCounts
from jurat.rules.rule import Maturity, Rule

_NO_RECORD = TrackRecord()


def describe_promotions(
    rules: Iterable[Rule], track_records: Mapping[str, TrackRecord], options: ReviewConfig
) -> tuple[str, ...]:
    """One line of Markdown for each of `rules`, which only observe, in their order."""
    return tuple(
        f"- {quote_code(rule.id)} "
        f"{_describe_prospect(rule, track_records.get(rule.id, _NO_RECORD), options)}"
        for rule in {rule.id: rule for rule in rules}.values()
    )


def _describe_prospect(rule: Rule, found: TrackRecord, options: ReviewConfig) -> str:
    if rule.maturity is not Maturity.EXPERIMENTAL:
        return f"only observes: {escape_markdown(rule.enforcement.reason)}."
    if rule.pin:
        return "is pinned in its file: it only observes until that changes."
    earned = found.maturity or Maturity.EXPERIMENTAL
    if earned is not Maturity.EXPERIMENTAL and options.maturity == "propose":
        return (
            f"has earned to be {earned} ({_describe_record(found.tally)}). To let it count, write"
            f" {quote_code(f'maturity: {earned}')} in its file."
        )
    lack = find_promotion_gap(Maturity.EXPERIMENTAL, found)
    if lack is None:
        raise AssertionError("an experimental rule has a next maturity")
    record = "none is settled yet" if found.since is None else _describe_record(found.tally)
    return f"{_describe_needs(lack)} ({record})."


def _describe_needs(lack: PromotionGap) -> str:
    """What is missing until `lack.target`: findings, days or both."""
    findings = "finding" if lack.cases == 1 else "findings"
    missing = f"with {lack.cases:,} more {findings} in a row that are fixed or confirmed"
    if lack.day is None:
        return f"becomes {lack.target} {missing}, over at least {DEFAULT.stable_days} days"
    if not lack.cases:
        return f"becomes {lack.target} at the first daily look from {lack.day} on"
    return f"becomes {lack.target} {missing}, from {lack.day} on"


def _describe_record(tally: OutcomeCounts) -> str:
    """`12 settled so far, 1 of them dismissed or merged over`."""
    return f"{tally.cases:,} settled so far, {tally.faults:,} of them dismissed or merged over"
