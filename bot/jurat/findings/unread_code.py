"""Which files hold a program that no rule about code has read all of, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from jurat.findings.verdict import UnreadFile
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import FlowConstraint, SettingConstraint
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus
from jurat.source.embedded import explain_unread_code
from jurat.source.grammars import GRAMMARS
from jurat.source.languages import explain_ungrammared


def list_unread_code(
    files: Iterable[FileChange], rules: Iterable[Rule], named: Collection[str]
) -> tuple[UnreadFile, ...]:
    """The files, but for those that are `named` elsewhere. `rules` are all that are in force."""
    languages = _list_languages(rules)
    return tuple(
        UnreadFile(file.path, why)
        for file in files
        if file.path not in named and (why := _explain_file(file, languages))
    )


def _list_languages(rules: Iterable[Rule]) -> frozenset[str]:
    """The languages in whose code some rule looks for more than for names in disguise."""
    return frozenset(
        language
        for rule in rules
        for constraint in rule.constraints
        if isinstance(constraint, FlowConstraint | SettingConstraint)
        or (isinstance(constraint, PatternConstraint) and not constraint.disguised)
        for language in constraint.languages
    )


def _explain_file(file: FileChange, languages: frozenset[str]) -> str:
    """Why no rule about code has read all of a file that holds a program; empty if some may."""
    if file.status is FileStatus.REMOVED:
        return explain_ungrammared(file.path)
    said = explain_ungrammared(file.path, file.head) or explain_unread_code(file.path, file.head)
    # A set of rules of which none is about code says so by itself.
    if said or not languages or file.language not in GRAMMARS or file.language in languages:
        return said
    return f"no rule in force looks into code in `{file.language}`, its lines alone are looked at"
