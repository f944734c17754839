"""What the code constraints of a rule look for, and which words a file needs for it to be there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from weakref import ref

from jurat.engine.flow.needs import FlowNeeds, compile_needs
from jurat.engine.needles import FileWords, Needles, extract_needles
from jurat.engine.pattern_search import PatternQuery, build_query
from jurat.engine.regexes import LineQuery
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.flows import FlowConstraint, SettingConstraint
from jurat.rules.matching import fits_file
from jurat.rules.messages import list_messages
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange


@dataclass(frozen=True, slots=True)
class SoughtPattern:
    """A query, and what must stand in a file for it to be met there."""

    query: PatternQuery
    needles: Needles = ()
    _needs: dict[str, FlowNeeds] = field(default_factory=dict)

    def fits(self, file: FileChange, words: FileWords) -> bool:
        """Whether the query can be met in a file of these words."""
        if not self.query.questions:
            return words.can_match(self.needles)
        return any(
            self._get_needs(language).are_met(words)
            for language in self.query.questions
            if file.unlisted or language in file.possible_languages
        )

    def _get_needs(self, language: str) -> FlowNeeds:
        # Kept here as well: to look a question up compares its hundreds of names.
        if language not in self._needs:
            self._needs[language] = compile_needs(self.query.questions[language])
        return self._needs[language]


class RuleQueries(NamedTuple):
    """The code constraints of a rule, which has this number in its run."""

    number: int
    rule: Rule
    patterns: Sequence[SoughtPattern]
    regexes: Sequence[LineQuery]

    def list_patterns(self, file: FileChange) -> list[SoughtPattern]:
        """Those for a language that a file may be written in."""
        languages = file.possible_languages
        return [
            item
            for item in self.patterns
            if file.unlisted or any(one in languages for one in item.query.languages)
        ]

    def number_queries(self, patterns: Sequence[SoughtPattern]) -> list[PatternQuery]:
        """The queries of some of them, as those of this rule of the run."""
        return [replace(item.query, rule=self.number) for item in patterns]

    def is_judging(self, before: FileChange | None) -> bool:
        """Whether the rule was about a file as it was before the change; None was not there."""
        return before is not None and fits_file(self.rule, before)


TreeConstraint = PatternConstraint | FlowConstraint | SettingConstraint
"""What is looked for in the tree of a file."""


def _build_pattern(rule: Rule, constraint: TreeConstraint) -> SoughtPattern:
    if isinstance(constraint, PatternConstraint):
        query = build_query(rule, constraint)
        needles = extract_needles(
            query.config["rule"], constraint.utils, constraint.names, constraint.constraints
        )
        return SoughtPattern(query, needles)
    query = PatternQuery(
        messages=list_messages(rule, constraint),
        languages=constraint.languages,
        config={},
        names={},
        fix=None,
        auto_applicable=False,
        description=rule.fix or rule.statement,
        questions=constraint.questions,
    )
    return SoughtPattern(query)


class _Kept(NamedTuple):
    """The pattern of a constraint, and what of its rule went into it."""

    constraint: ref[TreeConstraint]
    said: tuple[str | None, ...]
    pattern: SoughtPattern


_KEPT: dict[int, _Kept] = {}
"""By the identity of a constraint, which has no hash: a server asks the same rules for years."""

_MOST_KEPT = 4096


def _get_pattern(rule: Rule, constraint: TreeConstraint) -> SoughtPattern:
    said = (rule.message, rule.statement, rule.fix)
    kept = _KEPT.get(id(constraint))
    # Another object may have taken the place in memory of one that is gone, and a rule that an
    # organisation words anew has the constraints of the shipped one.
    if kept is None or kept.constraint() is not constraint or kept.said != said:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        kept = _Kept(ref(constraint), said, _build_pattern(rule, constraint))
        _KEPT[id(constraint)] = kept
    return kept.pattern


def build_rule_queries(number: int, rule: Rule) -> RuleQueries:
    """What a rule looks for, as the one of that number in a run."""
    patterns = [
        _get_pattern(rule, item) for item in rule.constraints if isinstance(item, TreeConstraint)
    ]
    regexes = [
        LineQuery(item.pattern, list_messages(rule, item), item.followed_by)
        for item in rule.constraints
        if isinstance(item, RegexConstraint)
    ]
    return RuleQueries(number, rule, patterns, regexes)
