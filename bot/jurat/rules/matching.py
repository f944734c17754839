"""Whether a rule's metadata fits a file, a subject or a scope."""

from __future__ import annotations

from functools import lru_cache

from jurat.facts.context import EvaluationContext, Subject
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange
from jurat.source.paths import matches


def fits_path(rule: Rule, path: str) -> bool:
    """Whether some glob of the rule means the path, and none that starts with "!" excludes it."""
    return _chosen(rule.paths, path)


def fits_language(rule: Rule, language: str | None) -> bool:
    """Whether the rule is about a language. Without `languages`, its patterns say so."""
    wanted = languages_of(rule)
    if not wanted:
        return True
    if language is None:
        return not _including(wanted)
    return _chosen(wanted, language)


def languages_of(rule: Rule) -> tuple[str, ...]:
    """The globs over languages that a rule is about: its own, or those its patterns imply."""
    return rule.languages or _pattern_languages(rule)


def rule_fits_file(rule: Rule, file: FileChange) -> bool:
    """Whether the rule is about a file, or may be about one that was not read.

    Any rule may be about one without a name.
    """
    # Its name is not known, so that no glob can say it is not meant: the rule must say it missed
    # it.
    if file.unlisted:
        return True
    languages = file.possible_languages
    return any(fits_language(rule, each) for each in languages) and fits_path(rule, file.path)


def fits_subject(rule: Rule, subject: Subject) -> bool:
    """Whether the rule is about a subject: of its kind, and with a file that fits if it names any.

    A subject that is facts alone fits a rule over facts that excludes files, but names none.
    """
    if rule.subject_kinds and subject.kinds.isdisjoint(rule.subject_kinds):
        return False
    if not subject.files:
        return not needs_file(rule)
    return not names_files(rule) or any(rule_fits_file(rule, file) for file in subject.files)


def names_files(rule: Rule) -> bool:
    """Whether the rule says which files it is about, or looks at code at all."""
    return bool(rule.paths or rule.languages) or looks_at_code(rule)


def needs_file(rule: Rule) -> bool:
    """Whether facts alone are nothing to the rule: it looks at code, or says which files it means.

    Only to exclude files is not to need one.
    """
    return looks_at_code(rule) or bool(_including((*rule.paths, *rule.languages)))


def looks_at_code(rule: Rule) -> bool:
    """Whether some constraint of the rule is over added code."""
    return any(isinstance(item, (PatternConstraint, RegexConstraint)) for item in rule.constraints)


def fits_scope(rule: Rule, context: EvaluationContext) -> bool:
    """Whether the rule's scope meets the context's, or the repository.

    Scopes are segments ("domain/area"): one that starts with the other meets it. A context without
    a scope, and a rule without one, are not narrowed.
    """
    if not rule.scope or context.scope is None:
        return True
    asked = [scope for scope in (context.scope, context.repository) if scope]
    return any(_meets(own, other) for own in rule.scope for other in asked)


def _meets(one: str, other: str) -> bool:
    return all(
        a == b for a, b in zip(one.strip("/").split("/"), other.strip("/").split("/"), strict=False)
    )


def _pattern_languages(rule: Rule) -> tuple[str, ...]:
    languages: dict[str, None] = {}
    for constraint in rule.constraints:
        if not isinstance(constraint, PatternConstraint):
            return ()
        languages |= dict.fromkeys(constraint.languages)
    return tuple(languages)


@lru_cache(maxsize=65536)
def _chosen(globs: tuple[str, ...], name: str) -> bool:
    including = _including(globs)
    if any(matches(glob[1:], name) for glob in globs if glob.startswith("!")):
        return False
    return not including or any(matches(glob, name) for glob in including)


def _including(globs: tuple[str, ...]) -> list[str]:
    return [glob for glob in globs if not glob.startswith("!")]
