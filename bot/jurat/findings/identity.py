"""What an evaluation is known by: a digest of everything that its outcome depends on."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from jurat import __version__
from jurat.facts.context import EvaluationContext, Facts
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import WaiverKind
from jurat.rules.config import Config
from jurat.rules.level import Enforcement
from jurat.rules.rule import Rule, RuleKind, RuleSet
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

    In it go `change` (repository, number, base, head), what was read of it, with scope and mode;
    the author's words, and facts such as the title, as far as a rule reads them; the rules as they
    count here, their tables, and what of the configuration and `criteria` selects or concludes; the
    judge, as `judged_by` digests its models, options and prompts; this release; people's decisions
    that hold; and the last day, up to `today`, on which a rule or a suppression began or ended.

    So a retry is the same row, and may fill in what a model or a rating failed to answer: what they
    said is an outcome. The time of day is left out because nothing depends on it, and the date but
    for that one day because yesterday's review stands until something begins or ends. A new
    dismissal is a new input, and another row.
    """
    words = find_facts_read(rules) if is_computed(rules, criteria, judged_by) else None
    turns = (day for day in _iter_turning_days(rules, suppressions) if day <= today)
    return _digest(
        [
            __version__,
            *change,
            _digest_pieces(_iter_pieces(context, words)),
            _digest_texts(context),
            context.intent if words is None else None,
            context.scope,
            context.mode.value,
            digest_rules(rules),
            configuration.model_dump_json(
                include={
                    "ignore": True,
                    "surfaces": True,
                    "judge": True,
                    "rating": True,
                    "review": _OUTCOME,
                }
            ),
            _normalize_criteria(criteria),
            judged_by,
            [*_list_decisions(evaluation), *_list_overrides(evaluation), *_list_late(evaluation)],
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


def is_computed(rules: RuleSet, criteria: SelectionCriteria, judged_by: str) -> bool:
    """Whether nothing but computing decides: no model is asked, and no rule competes for a place.

    A model is shown all words and facts, and by words rules are ranked if there are too many.
    """
    asked = judged_by and not all(_is_about_code(rule) for rule in rules.rules.values())
    return not asked and len(rules.rules) <= criteria.max_rules


def _is_about_code(rule: Rule) -> bool:
    """Whether a rule is decided by code alone, so that no missing fact leaves it to a model."""
    by_facts = any(hasattr(item, "field_path") for item in rule.constraints)
    decided = rule.kind is RuleKind.COMPUTATIONAL and rule.constraints and not rule.preconditions
    return bool(decided) and not by_facts


def find_facts_read(rules: RuleSet) -> frozenset[str]:
    """The facts that rules compute with: the first keys of their paths, two at most, dotted."""
    stated = (
        getattr(item, "field_path", "")
        for rule in rules.rules.values()
        for item in (*rule.constraints, *rule.preconditions)
    )
    return frozenset(match.group() for path in stated if (match := _FIRST_KEYS.match(path)))


_FIRST_KEYS = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+)?")


def _select_facts(facts: Facts, read: frozenset[str]) -> dict[str, object]:
    """Of facts what is read of them, by its first keys; what is not there is None."""
    found: dict[str, object] = {}
    for keys in read:
        first, _, second = keys.partition(".")
        value = facts.get(first)
        found[keys] = value.get(second) if second and isinstance(value, Mapping) else value
    return found


def digest_subject(context: EvaluationContext) -> str:
    """SHA-256 of what is judged: kinds, files, lines and facts. Equal subjects have one digest."""
    return _digest_pieces(_iter_pieces(context))


def _iter_pieces(context: EvaluationContext, read: frozenset[str] | None = None) -> Iterator[str]:
    """What is judged, of facts only what is `read` if that is given."""
    for subject in context.subjects:
        yield subject.kind
        facts = subject.facts if read is None else _select_facts(subject.facts, read)
        yield json.dumps(facts, sort_keys=True, default=str)
        for file in subject.files:
            yield from (file.status, file.old_path or "", file.path, file.unread or "")
            yield from (file.old_mode or "", file.new_mode or "")
            yield from (file.unwritten, str(file.was_unwritten))
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


def _list_late(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """What earlier pushes make of findings."""
    return sorted(("late", finding.id) for finding in evaluation.findings if finding.late)


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
