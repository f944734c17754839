"""What the code constraints of a rule look for, and which words a file needs for it to be there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from jurat.engine.flow.forms.needs import FlowNeeds, compile_needs
from jurat.engine.needles import FileWords, Needles, extract_needles
from jurat.engine.pattern_search import PatternQuery, build_query
from jurat.engine.regexes import LineQuery
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.flows import FlowConstraint, FlowQuestion, SettingConstraint
from jurat.rules.kept_answers import keep_answers
from jurat.rules.matching import describe_files, fits_file
from jurat.rules.messages import list_messages
from jurat.rules.patterns import get_node_rule
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange

TreeConstraint = PatternConstraint | FlowConstraint | SettingConstraint
"""What is looked for in the tree of a file."""


class SoughtPattern:
    """What a constraint looks for, and what must stand in a file for it to be met there.

    Each is worked out when it is first asked for: a change is written in a few of the languages
    that rules are about, and has the words of few of them.
    """

    def __init__(self, rule: Rule, constraint: TreeConstraint) -> None:
        self.languages = constraint.languages
        self.is_removed = isinstance(constraint, PatternConstraint) and constraint.removed
        self._rule = rule
        self._constraint = constraint
        self._questions = {} if isinstance(constraint, PatternConstraint) else constraint.questions
        self._needs: dict[str, FlowNeeds] = {}

    @cached_property
    def query(self) -> PatternQuery:
        """The query of the constraint."""
        if isinstance(self._constraint, PatternConstraint):
            return build_query(self._rule, self._constraint)
        return PatternQuery(
            messages=list_messages(self._rule, self._constraint),
            languages=self.languages,
            config={},
            names={},
            fix=None,
            auto_applicable=False,
            description=self._rule.fix or self._rule.statement,
            questions=self._questions,
        )

    def fits_linked(self, file: FileChange, own: FileWords, joint: FileWords) -> bool:
        """Whether a value may come to a file of these words from those it is followed with."""
        return any(
            needs.can_end(own) and needs.are_met(joint)
            for language, question in self._questions.items()
            if language in file.possible_languages
            for needs in (self._get_needs(language, question),)
        )

    def fits(self, file: FileChange, words: FileWords) -> bool:
        """Whether the query can be met in a file of these words."""
        if isinstance(self._constraint, PatternConstraint):
            return words.can_match(self._needles)
        languages = self._questions if file.unlisted else file.possible_languages
        return any(
            self._get_needs(language, question).are_met(words)
            for language, question in self._questions.items()
            if language in languages
        )

    @cached_property
    def _needles(self) -> Needles:
        said = self._constraint
        if not isinstance(said, PatternConstraint):
            return ()
        return extract_needles(get_node_rule(said), said.utils, said.names, said.constraints)

    def _get_needs(self, language: str, question: FlowQuestion) -> FlowNeeds:
        # Kept here as well: to look a question up compares its hundreds of names.
        if language not in self._needs:
            self._needs[language] = compile_needs(question)
        return self._needs[language]


class RuleQueries(NamedTuple):
    """The code constraints of a rule, which has this number in its run.

    `files` says which ones it is about (see rules/matching.py), `by_language` is what it was asked.
    """

    number: int
    rule: Rule
    patterns: Sequence[SoughtPattern]
    regexes: Sequence[LineQuery]
    files: Hashable
    by_language: dict[tuple[str | None, ...], Sequence[SoughtPattern]]

    def list_patterns(self, file: FileChange) -> Sequence[SoughtPattern]:
        """Those for a language that a file may be written in."""
        if file.unlisted:
            return self.patterns
        languages = file.possible_languages
        found = self.by_language.get(languages)
        if found is None:
            is_met = set(languages).intersection
            found = [item for item in self.patterns if is_met(item.languages)]
            self.by_language[languages] = found
        return found

    def number_queries(self, patterns: Sequence[SoughtPattern]) -> list[PatternQuery]:
        """The queries of some of them, as those of this rule of the run."""
        return [replace(item.query, rule=self.number) for item in patterns]

    def is_judging(self, before: FileChange | None) -> bool:
        """Whether the rule was about a file as it was before the change; None was not there."""
        return before is not None and fits_file(self.rule, before)


class _Kept(NamedTuple):
    """The pattern of a constraint, and what of its rule went into it."""

    constraint: TreeConstraint
    said: tuple[str | None, ...]
    pattern: SoughtPattern


_KEPT: dict[int, _Kept] = {}
"""By the identity of a constraint, which has no hash: a server asks the same rules for years."""

_MOST_KEPT = 4096


def _get_pattern(rule: Rule, constraint: TreeConstraint) -> SoughtPattern:
    said = (rule.message, rule.statement, rule.fix)
    kept = _KEPT.get(id(constraint))
    # A rule that an organisation words anew has the constraints of the shipped one.
    if kept is None or kept.said != said:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        kept = _Kept(constraint, said, SoughtPattern(rule, constraint))
        _KEPT[id(constraint)] = kept
    return kept.pattern


def build_rule_queries(number: int, rule: Rule) -> RuleQueries:
    """What a rule looks for, as the one of that number in a run."""
    return _build_queries(rule)._replace(number=number)


@keep_answers
def _build_queries(rule: Rule) -> RuleQueries:
    patterns = [
        _get_pattern(rule, item) for item in rule.constraints if isinstance(item, TreeConstraint)
    ]
    regexes = [
        LineQuery(
            item.pattern,
            list_messages(rule, item),
            item.followed_by,
            item.whole_key_in,
            item.known_keys,
            item.unless,
        )
        for item in rule.constraints
        if isinstance(item, RegexConstraint)
    ]
    return RuleQueries(0, rule, patterns, regexes, describe_files(rule), {})
