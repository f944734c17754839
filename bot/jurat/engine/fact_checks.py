"""What checks come to on the facts of subjects, and which unread files those facts rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from jurat.engine.applicable_rules import ApplicableRule
from jurat.engine.field_paths import MISSING
from jurat.engine.outcome import Admits, CheckedSubject, Outcome
from jurat.facts.context import Subject, SubjectKind
from jurat.facts.derived import DERIVED
from jurat.facts.places import get_value
from jurat.findings.verdict import UnreadFile
from jurat.rules.matching import find_unread_reason, fits_file, fits_language, fits_path
from jurat.rules.rule import Rule
from jurat.source.languages import detect_language


def check_subjects(applicable: ApplicableRule) -> list[CheckedSubject]:
    """All outcomes over facts.

    A rule for every kind of subject is decided on the kinds that say anything about its fields.
    """
    # Most rules are about code alone.
    if not applicable.program.checks:
        return []
    checked = [
        CheckedSubject(
            subject,
            detach_places(check(subject.facts, admits), subject),
            constraint,
            partial(check, admits=admits),
        )
        for subject in applicable.subjects
        for admits in [_build_admits(applicable.rule, subject)]
        for constraint, check in applicable.program.checks
    ]
    if applicable.rule.subject_kinds:
        return checked
    speaking = {item.subject.kind for item in checked if not _is_silent(item)}
    return [item for item in checked if not speaking or item.subject.kind in speaking]


def detach_places(outcome: Outcome, subject: Subject) -> Outcome:
    """The outcome without the places that a file names in its own content: they are its words."""
    if not subject.spans:
        return outcome
    return outcome._replace(evidence=tuple(item._replace(place=None) for item in outcome.evidence))


def list_unread_behind(rule: Rule, checked: Sequence[CheckedSubject]) -> list[UnreadFile]:
    """The unread files of which facts come: what they hold back, no rule may pass on."""
    if not checked:
        return []
    asked = [item.subject for item in checked if _is_derived(rule, item.outcome)]
    return list_unread_in(rule, [*asked, *filter_stating(item.subject for item in checked)])


def list_unread_in(rule: Rule, subjects: Iterable[Subject]) -> list[UnreadFile]:
    """The files of some subjects that a rule is about and that were not read."""
    return [
        UnreadFile(file.path, reason)
        for subject in subjects
        for file in subject.files
        if fits_file(rule, file) and (reason := find_unread_reason(rule, file)) is not None
    ]


def filter_stating(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """The subjects whose facts stand in their files, or are measured there."""
    return (subject for subject in subjects if subject.kind is not SubjectKind.CODE_DIFF)


def _is_derived(rule: Rule, outcome: Outcome) -> bool:
    """Whether facts that follow from the files were asked for. An empty list leaves no evidence."""
    asked = [getattr(item, "field_path", "") for item in (*rule.constraints, *rule.preconditions)]
    return any(path.startswith(f"{DERIVED}.") for path in asked) or _is_about_derived(outcome)


def _is_about_derived(outcome: Outcome) -> bool:
    return any(evidence.path.startswith(f"{DERIVED}.") for evidence in outcome.evidence)


def _is_silent(item: CheckedSubject) -> bool:
    """Whether the facts say nothing at all of what a constraint asks, and hide nothing either."""
    values = [evidence.value for evidence in item.outcome.evidence]
    if not values or not all(value is MISSING for value in values):
        return False
    hidden = any(file.unread is not None for file in item.subject.files)
    return _is_about_derived(item.outcome) or not hidden


def _build_admits(rule: Rule, subject: Subject) -> Admits | None:
    """Passes over list items of files that the rule is not about, and entries that are no news."""
    if subject.spans:
        # By identity: two entries of a list may be equal, and only one of them old.
        known = {id(get_value(subject.facts, where)) for where in subject.unchanged}
        return (lambda item: id(item) not in known) if known else None
    left_alone = any(file.unwritten for file in subject.files)
    if not rule.paths and not rule.languages and not left_alone:
        return None
    files = {file.path: file for file in subject.files}

    @cache  # A change has far more functions than files.
    def admits_path(path: str) -> bool:
        if (file := files.get(path)) is not None:
            return fits_file(rule, file)
        return fits_path(rule, path) and fits_language(rule, detect_language(path))

    def admits(item: Mapping[str, Any]) -> bool:
        path = item.get("path")
        return not isinstance(path, str) or admits_path(path)

    return admits
