"""What earlier pushes of a pull request held, and what was found in them.

A finding is late if an earlier push held the text that it stands on, the same rule was assessed
then and found nothing there, and nothing that changed since can reach it. Authors mend what they
are told: what could have been said before is labelled, and if a model judged it never blocks.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from jurat.facts.context import EvaluationContext
from jurat.findings.evaluation import Evaluation, find_worst_outcome
from jurat.findings.finding import Finding, number_copies
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.rules.rule import Rule, RuleInput
from jurat.source.diff import FileChange
from jurat.source.shared_names import find_words, is_paragraph_start, list_outer_functions

OUTSIDE = ""
"""What stands in no function."""

_ANYTHING = "*"
_MOST_WORDS = 500
"""Names in a paragraph outside of functions that are kept: above that it may reach anything."""

_SAID = frozenset({RuleInput.DESCRIPTION, RuleInput.PULL_REQUEST})


class KnownFinding(NamedTuple):
    """What was found in a push: its ids, its rule, and the prints of the lines it stood on."""

    id: str
    code_id: str
    rule_id: str
    path: str
    function: str
    rows: tuple[str, ...]
    late: bool = False


@dataclass(frozen=True, slots=True)
class AssessedPush:
    """What a push held, by its prints, and what was found in it. No text of it is kept.

    `rules` has the print of each rule that was assessed over all of it. `functions` has that of
    each function by path and qualified name, `loose` the changed lines outside of functions by
    path, paragraph by paragraph, each with the prints of its names. `said` is the print of the
    author's words and of the facts, `whole` that of everything.
    """

    rules: Mapping[str, str]
    functions: Mapping[str, Mapping[str, str]]
    loose: Mapping[str, Mapping[str, str]]
    said: str
    whole: str
    findings: tuple[KnownFinding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a JSON column takes it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> AssessedPush:
        """What `to_json` gave."""
        findings = (
            KnownFinding._make([*names, tuple(rows), late])
            for *names, rows, late in kept["findings"]
        )
        return cls(**{**kept, "findings": tuple(findings)})


@lru_cache(maxsize=65_536)
def _print(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class _HeldText:
    """The text of a change, by path: of each function, and of what changed outside of them.

    `loose` has the paragraph of each changed line by its number, of removed ones the head's before.
    """

    functions: Mapping[str, Mapping[str, str]]
    loose: Mapping[str, Mapping[int, str]]
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    spans: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, context: EvaluationContext, *, without: frozenset[str] = frozenset()) -> _HeldText:
        files = [
            file
            for file in context.files
            if file.unread is None
            and not file.private
            and not file.unwritten
            and file.path not in without
        ]
        spans: dict[str, dict[str, tuple[int, int]]] = {}
        functions: dict[str, dict[str, str]] = {}
        lines = {file.path: (file.head or "").split("\n") for file in files}
        for file in files:
            if file.head is None:
                continue
            texts = functions.setdefault(file.path, {})
            for item in list_outer_functions(file):
                own = lines[file.path][item.start_line - 1 : item.end_line]
                name = item.qualified_name
                texts[name] = "\n".join([*([texts[name]] if name in texts else ()), *own])
                spans.setdefault(file.path, {})[name] = item.start_line, item.end_line
        loose = {
            file.path: _find_paragraphs(file, lines[file.path], spans.get(file.path, {}).values())
            for file in files
        }
        return cls(functions, loose, lines, spans)

    def find_function(self, path: str, line: int | None) -> str:
        """The function that a line stands in, OUTSIDE if none."""
        if line is None:
            return OUTSIDE
        spans = self.spans.get(path, {}).items()
        return next((name for name, (first, last) in spans if first <= line <= last), OUTSIDE)

    def find_paragraph(self, finding: Finding) -> str:
        """The changed lines of the paragraph that a finding stands in, "" if it is in none."""
        location = finding.location
        if location is None or location.file_path is None or location.start_line is None:
            return ""
        there = self.loose.get(location.file_path, {})
        last = location.end_line or location.start_line
        found = (there.get(line, "") for line in range(location.start_line, last + 1))
        return next(filter(None, found), "")

    def list_rows(self, finding: Finding) -> tuple[str, ...]:
        """The lines that a finding stands on, without those that hold nothing."""
        location = finding.location
        if location is None or location.file_path is None or location.start_line is None:
            return ()
        last = location.end_line or location.start_line
        texts = self.lines.get(location.file_path, ())[location.start_line - 1 : last]
        return tuple(text.strip() for text in texts if text.strip())


def _find_paragraphs(
    file: FileChange, lines: Sequence[str], spans: Iterable[tuple[int, int]]
) -> dict[int, str]:
    """The changed lines of a file that stand in none of its functions, by paragraph."""
    inside = {line for first, last in spans for line in range(first, last + 1)}
    starts = [1] + [
        number
        for number in range(2, len(lines) + 1)
        if is_paragraph_start(lines[number - 1], lines[number - 2], file.language)
    ]
    found: dict[int, list[tuple[int, str]]] = {}
    at = 0
    for hunk in file.hunks:
        for line in hunk.lines:
            at = line.new or at
            if line.kind != "context" and at not in inside and line.text.strip():
                found.setdefault(bisect_right(starts, at), []).append((at, line.text.strip()))
    texts = (("\n".join(text for _, text in rows), rows) for rows in found.values())
    return {at: text for text, rows in texts for at, _ in rows}


def _print_words(text: str) -> str:
    words = find_words(text)
    return _ANYTHING if len(words) > _MOST_WORDS else " ".join(sorted(map(_print, words)))


def describe_push(evaluation: Evaluation, context: EvaluationContext) -> AssessedPush:
    """What a review leaves to those of later pushes."""
    unread = frozenset(item.path for item in evaluation.coverage.unread)
    held = _HeldText.of(context, without=unread)
    rules = {
        item.rule.id: _print_rule(item.rule)
        for item in evaluation.rule_verdicts
        if _is_assessed(item)
    }
    findings = [
        KnownFinding(
            item.id,
            item.code_id,
            item.rule.id,
            item.path or "",
            held.find_function(item.path or "", _get_line(item)),
            tuple(map(_print, held.list_rows(item))),
            item.late,
        )
        for item in evaluation.findings
    ]
    return _build_push(context, held, rules, findings)


def _build_push(
    context: EvaluationContext,
    held: _HeldText,
    rules: Mapping[str, str],
    findings: Sequence[KnownFinding],
) -> AssessedPush:
    functions = {
        path: {name: _print(text) for name, text in texts.items()}
        for path, texts in held.functions.items()
        if texts
    }
    loose = {
        path: {_print(text): _print_words(text) for text in dict.fromkeys(rows.values())}
        for path, rows in held.loose.items()
        if rows
    }
    facts = [subject.facts for subject in context.subjects]
    said = _print(json.dumps([context.intent, facts], sort_keys=True, default=str))
    whole = _print(json.dumps([functions, loose, said], sort_keys=True))
    return AssessedPush(rules, functions, loose, said, whole, tuple(findings))


def _print_rule(rule: Rule) -> str:
    # What it may do in which place belongs to it: a place in which it was off was not assessed.
    return _print(f"{rule.revision} {rule.enforcement}")


def _is_assessed(verdict: RuleVerdict) -> bool:
    """Whether a verdict speaks of all that its rule is about.

    A model that denies one place is silent about the others: who adds a decoy, and takes it away
    once it was denied, must not have made the rest late.
    """
    if verdict.partial or verdict.vacuous or verdict.unreadable or verdict.unlisted_count:
        return False
    if verdict.verdict is Verdict.ALLOW:
        return True
    found = verdict.verdict is Verdict.DENY or verdict.would_block
    return found and verdict.is_computed


def _get_line(finding: Finding) -> int | None:
    return finding.location.start_line if finding.location else None


def mark_late(
    evaluation: Evaluation, context: EvaluationContext, earlier: Sequence[AssessedPush]
) -> Evaluation:
    """The evaluation, its late findings marked as such. `earlier` are reviews that were shown."""
    if not earlier or not evaluation.findings:
        return evaluation
    changes = _Changes(context, earlier)
    verdicts = tuple(
        replace(
            verdict,
            findings=tuple(
                replace(item, late=True, judged=not verdict.is_computed)
                if changes.is_late(item, computed=verdict.is_computed)
                else item
                for item in verdict.findings
            ),
        )
        for verdict in evaluation.rule_verdicts
    )
    return replace(
        evaluation,
        rule_verdicts=verdicts,
        overall=find_worst_outcome(verdicts, evaluation.rating),
    )


def keep_ids(
    evaluation: Evaluation, context: EvaluationContext, earlier: Sequence[AssessedPush]
) -> Evaluation:
    """The evaluation, each finding in an untouched function with the id that it had before.

    Ids count the copies of a code from the top of a file. Who pushes another copy above one must
    not take over what was said about that, such as its dismissal. `earlier` are the newest first.
    """
    if not earlier or not evaluation.findings:
        return evaluation
    changes = _Changes(context, earlier)
    verdicts = tuple(
        replace(item, findings=changes.keep_ids(item.findings)) if item.findings else item
        for item in evaluation.rule_verdicts
    )
    return replace(evaluation, rule_verdicts=verdicts)


def find_known_findings(
    evaluation: Evaluation, context: EvaluationContext, earlier: Sequence[AssessedPush]
) -> Mapping[str, tuple[KnownFinding, ...]]:
    """By the id of each judged finding, what was found before on its very lines by its rule.

    A model quotes the same place in other words from one time to the next.
    """
    judged = [
        item
        for verdict in evaluation.rule_verdicts
        if not verdict.is_computed
        for item in verdict.findings
    ]
    if not earlier or not judged:
        return {}
    changes = _Changes(context, earlier)
    return {item.id: tuple(changes.iter_known_at(item)) for item in judged}


class _Changes:
    """What changed between each of some pushes and the change at hand."""

    def __init__(self, context: EvaluationContext, earlier: Sequence[AssessedPush]) -> None:
        self._held = _HeldText.of(context)
        self._now = _build_push(context, self._held, {}, ())
        self._earlier = earlier
        self._words = {
            (path, name): find_words(text)
            for path, texts in self._held.functions.items()
            for name, text in texts.items()
        }

    def is_late(self, finding: Finding, *, computed: bool) -> bool:
        """Whether one of the pushes could have been told of it, and none was in time."""
        known = (item for push in self._earlier for item in push.findings if not item.late)
        if any(item.id == finding.id for item in known):
            return False
        if not computed and any(not item.late for item in self.iter_known_at(finding)):
            return False
        asked = _print_rule(finding.rule)
        return any(
            push.rules.get(finding.rule.id) == asked
            and self._is_held(finding, push)
            and not self._is_reached(finding, push, computed=computed)
            for push in self._earlier
        )

    def keep_ids(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings of one rule, in order, with the ids that they have by the earlier pushes."""
        copies: dict[tuple[str | None, str], list[Finding]] = {}
        for item in findings:
            copies.setdefault((item.path, item.code), []).append(item)
        ids = {
            old.id: new
            for items in copies.values()
            for old, new in zip(items, self._number(items), strict=True)
        }
        return tuple(ids[item.id] for item in findings)

    def _number(self, copies: Sequence[Finding]) -> Sequence[Finding]:
        """The copies of one code in one file, numbered as the earlier pushes did."""
        path, rule_id = copies[0].path or "", copies[0].rule.id
        held: dict[str, str] = {}
        for push in self._earlier:
            for item in push.findings:
                if (item.rule_id, item.path) == (rule_id, path) and self._is_untouched(push, item):
                    held.setdefault(item.id, item.function)
        most = len(copies) + len(held)
        ids = [item.id for item in number_copies([copies[0]] * most, range(1, most + 1))]
        if not held or [item.id for item in copies] != ids[: len(copies)]:
            return copies
        left = {number: held.get(key, OUTSIDE) for number, key in enumerate(ids, 1)}
        numbers: list[int] = [0] * len(copies)
        functions = [self._held.find_function(path, _get_line(item)) for item in copies]
        # Those that were there first; whatever is new has a number that nobody holds.
        for wanted in (functions, [OUTSIDE] * len(copies)):
            for at, function in enumerate(wanted):
                if not numbers[at]:
                    numbers[at] = next((key for key in left if left[key] == function), 0)
                    left.pop(numbers[at], None)
        return number_copies(copies, numbers)

    def _is_untouched(self, push: AssessedPush, found: KnownFinding) -> bool:
        return found.function != OUTSIDE and self._is_same(push, found.path, found.function)

    def iter_known_at(self, finding: Finding) -> Iterator[KnownFinding]:
        """What was found before on lines of a finding, in a function that is the same still."""
        path = finding.path or ""
        function = self._held.find_function(path, _get_line(finding))
        rows = set(map(_print, self._held.list_rows(finding)))
        for push in self._earlier:
            if function != OUTSIDE and not self._is_same(push, path, function):
                continue
            for item in push.findings:
                at_place = (item.rule_id, item.path, item.function) == (
                    finding.rule.id,
                    path,
                    function,
                )
                if at_place and not rows.isdisjoint(item.rows):
                    yield item

    def _is_same(self, push: AssessedPush, path: str, function: str) -> bool:
        before = push.functions.get(path, {}).get(function)
        return before is not None and before == self._now.functions.get(path, {}).get(function)

    def _is_held(self, finding: Finding, push: AssessedPush) -> bool:
        """Whether a push held the text that a finding stands on."""
        rows = self._held.list_rows(finding)
        if finding.path is None or not rows:
            return push.whole == self._now.whole
        function = self._held.find_function(finding.path, _get_line(finding))
        if function != OUTSIDE:
            return self._is_same(push, finding.path, function)
        paragraph = self._held.find_paragraph(finding)
        return bool(paragraph) and _print(paragraph) in push.loose.get(finding.path, {})

    def _is_reached(self, finding: Finding, push: AssessedPush, *, computed: bool) -> bool:
        """Whether something that changed since can have made a finding of what a push held."""
        rule, path = finding.rule, finding.path or ""
        if _is_reading_all(rule):
            return push.whole != self._now.whole
        if not rule.inputs.isdisjoint(_SAID) and push.said != self._now.said:
            return True
        function = self._held.find_function(path, _get_line(finding))
        if function == OUTSIDE:
            words = set(find_words(self._held.find_paragraph(finding)))
        else:
            words = set(self._words[path, function])
        words = self._follow_calls(words)
        changed = self._list_changed(push)
        names = {name.rpartition(".")[2] for _, name in changed}
        if not words.isdisjoint(names):
            return True
        if computed and function != OUTSIDE:
            # A value that a caller hands over can be what makes it a finding.
            own = function.rpartition(".")[2]
            if any(own in self._words.get(item, ()) for item in changed):
                return True
        rows = self._list_changed_words(push, path)
        return _ANYTHING in rows or not rows.isdisjoint(map(_print, words))

    def _follow_calls(self, words: set[str]) -> set[str]:
        """The words, and those of all functions of the change that they name, directly or not."""
        found, left = set(words), dict(self._words)
        while True:
            called = [item for item in left if item[1].rpartition(".")[2] in found]
            if not called:
                return found
            for item in called:
                found |= left.pop(item)

    def _list_changed(self, push: AssessedPush) -> list[tuple[str, str]]:
        """The functions that are not what they were, by path and name."""
        before = {(path, name) for path, names in push.functions.items() for name in names}
        after = {(path, name) for path, names in self._now.functions.items() for name in names}
        return [item for item in before | after if not self._is_same(push, *item)]

    def _list_changed_words(self, push: AssessedPush, path: str) -> frozenset[str]:
        """The prints of the names in paragraphs outside of functions that came or went."""
        before, after = push.loose.get(path, {}), self._now.loose.get(path, {})
        return frozenset(
            word
            for row in before.keys() ^ after.keys()
            for word in (before.get(row) or after.get(row) or "").split()
        )


def _is_reading_all(rule: Rule) -> bool:
    """Whether a rule may rest on any part of a change: on facts, or on other files."""
    by_facts = any(hasattr(item, "field_path") for item in rule.constraints)
    return by_facts or bool(rule.preconditions) or bool(rule.inputs - _SAID)
