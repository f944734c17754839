"""Which findings a pull request has had, and which of them its last review still saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.corpus.rule import Maturity
from bot.publishing.findings import findings_of
from bot.review import Review
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding of a pull request that is still open. Prints are as `Finding` has them.

    `open` says whether the last review that looked for it saw it. `written` is the maturity in the
    rule's file, whatever its record has made of it.
    """

    fingerprint: str
    code_print: str
    rule_id: str
    substance: str
    written: Maturity
    path: str | None
    open: bool = True


def followed(before: Iterable[Seen], review: Review) -> tuple[Seen, ...]:
    """The findings after a review. Each is in exactly one state.

    A finding that is not there any more is gone only if it was looked for: its rule decided, its
    file read. One whose rule is no longer in force proves nothing and is forgotten, and so is one
    whose code moved to another file, where it is seen again. A finding that does not count, as it
    was dismissed before or is suppressed, says nothing new: one that was counted here stays as it
    was.
    """
    waived = {finding.fingerprint for finding in findings_of(review.evaluation) if finding.waiver}
    now = {finding.fingerprint: finding for finding in _seen_in(review)}
    moved_to = {finding.code_print for finding in now.values()}
    unread = {file.path for file in review.evaluation.coverage.unread}
    undecided = {item.rule.id for item in review.evaluation.having(Verdict.NOT_ASSESSED)}
    undecided |= {item.rule.id for item in review.evaluation.omitted}
    kept = []
    for known in before:
        rule = review.material.corpus.rules.get(known.rule_id)
        if known.fingerprint in now or rule is None or rule.substance != known.substance:
            continue
        if known.fingerprint in waived or known.rule_id in undecided or known.path in unread:
            kept.append(known)
        elif known.code_print not in moved_to:
            kept.append(replace(known, open=False))
    return (*now.values(), *kept)


def _seen_in(review: Review) -> Iterator[Seen]:
    for finding in findings_of(review.evaluation):
        if finding.waiver is not None:
            continue
        rule = review.material.corpus.rules[finding.verdict.rule.id]
        yield Seen(
            finding.fingerprint,
            finding.code_print,
            rule.id,
            rule.substance,
            rule.maturity,
            finding.path,
        )
