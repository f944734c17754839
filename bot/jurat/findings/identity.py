"""What an evaluation is known by: a digest of everything that its outcome depends on."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from jurat import __version__
from jurat.facts.context import EvaluationContext
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import WaiverKind
from jurat.rules.config import Config
from jurat.rules.level import Enforcement
from jurat.rules.rule import RuleSet
from jurat.rules.selection import SelectionCriteria
from jurat.source.suppressions import Suppression

_DAY = dt.timedelta(days=1)


def compute_evaluation_id(
    evaluation: Evaluation,
    context: EvaluationContext,
    *,
    change: Sequence[str | int | None],
    rules: RuleSet,
    configuration: Config,
    criteria: SelectionCriteria,
    judged_by: str,
    suppressions: Sequence[Suppression],
    today: dt.date,
) -> str:
    """SHA-256 of what an evaluation was made from: 64 hex digits, the same for the same inputs.

    In it go `change` (repository, number, base, head), what was read of it, with the author's
    words, scope and mode; the rules as they count here, their tables, and what of the configuration
    and `criteria` selects or concludes; the judge, as `judged_by` digests its models, options and
    prompts; this release; people's decisions that hold; and the last day, up to `today`, on which a
    rule or a suppression began or ended.

    So a retry is the same row, and may fill in what a model or a rating failed to answer: what they
    said is an outcome. The time of day is left out because nothing depends on it, and the date but
    for that one day because yesterday's review stands until something begins or ends. A new
    dismissal is a new input, and another row.
    """
    turns = (day for day in _iter_turning_days(rules, suppressions) if day <= today)
    return _digest(
        [
            __version__,
            *change,
            digest_subject(context),
            _digest_texts(context),
            context.intent,
            context.scope,
            context.mode.value,
            digest_rules(rules),
            configuration.model_dump_json(
                include={"ignore": True, "surfaces": True, "rating": True, "review": _OUTCOME}
            ),
            _normalize_criteria(criteria),
            judged_by,
            [*_list_decisions(evaluation), *_list_overrides(evaluation)],
            max(turns, default=None),
        ]
    )


_OUTCOME = {"max_rules", "severity_min", "needs_confirmation", "unassessed", "maturity"}
"""What of `review:` changes an outcome; how many comments there are and who is asked does not."""


def digest_basis(rules: RuleSet, configuration: Config) -> str:
    """SHA-256 of all that judges beside the model: the rules in force, and the configuration."""
    return _digest([digest_rules(rules), configuration.model_dump_json()])


def digest_rules(rules: RuleSet) -> str:
    """SHA-256 of the rules in force: what each says, may do, how far it is trusted; its tables."""
    said = [
        (item.id, item.revision, item.maturity.value, item.pin, _list_levels(item.enforcement))
        for item in rules.rules.values()
    ]
    return _digest([said, [(*key, table) for key, table in sorted(rules.tables.items())]])


def _list_levels(enforcement: Enforcement) -> list[object]:
    by_path = [(item.paths, item.level.value) for item in enforcement.by_path]
    least = enforcement.least and _list_levels(enforcement.least)
    return [enforcement.level.value, enforcement.wanted, by_path, least]


def digest_subject(context: EvaluationContext) -> str:
    """SHA-256 of what is judged: kinds, files, lines and facts. Equal subjects have one digest."""
    return _digest_pieces(_iter_pieces(context))


def _iter_pieces(context: EvaluationContext) -> Iterator[str]:
    for subject in context.subjects:
        yield subject.kind
        yield json.dumps(subject.facts, sort_keys=True, default=str)
        for file in subject.files:
            yield from (file.status, file.old_path or "", file.path, file.unread or "")
            yield from (file.old_mode or "", file.new_mode or "")
            for hunk in file.hunks:
                yield f"{hunk.old_start} {hunk.new_start}"
                for line in hunk.lines:
                    yield f"{line.kind} {line.newline} {line.text}"


def _digest_texts(context: EvaluationContext) -> str:
    """Of the files' whole texts: a work tree and a request have no commit that would name them."""
    return _digest_pieces(text or "" for file in context.files for text in (file.base, file.head))


def _list_decisions(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """The decisions that hold. A suppression is no decision: it stands in the change itself."""
    return sorted(
        (
            finding.id,
            waiver.kind.value,
            waiver.by,
            waiver.at.isoformat() if waiver.at else "",
        )
        for finding in evaluation.findings
        if (waiver := finding.waiver) is not None and waiver.kind is not WaiverKind.SUPPRESSED
    )


def _list_overrides(evaluation: Evaluation) -> list[tuple[str, ...]]:
    item = evaluation.override
    return [] if item is None else [("overridden", item.by, item.at.isoformat(), str(item.until))]


def _iter_turning_days(rules: RuleSet, suppressions: Iterable[Suppression]) -> Iterator[dt.date]:
    """The days on which something is in force for the first time, or no more."""
    for rule in rules.rules.values():
        if rule.effective.since is not None:
            yield rule.effective.since
        if rule.effective.until is not None:
            yield rule.effective.until + _DAY
    for item in suppressions:
        if item.until is not None:
            yield item.until + _DAY


def _normalize_criteria(criteria: SelectionCriteria) -> Mapping[str, object]:
    """Sets in order: their own order differs from process to process."""
    return {
        "max_rules": criteria.max_rules,
        "severity_min": criteria.severity_min,
        "modalities": sorted(criteria.modalities),
        "tags": sorted(criteria.tags),
    }


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _digest_pieces(pieces: Iterable[str]) -> str:
    total = sha256()
    for piece in pieces:
        encoded = piece.encode("utf-8", "surrogatepass")
        total.update(b"%d:" % len(encoded))  # lengths keep ("ab", "c") apart from ("a", "bc")
        total.update(encoded)
    return total.hexdigest()
