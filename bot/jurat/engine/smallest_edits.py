"""The smallest edit under which a rule would pass, found by trying it: it is told, not offered.

Of code, the options of a call or a literal are left out one by one, the shortest first, then the
change is taken back, and then what the rule's valid examples have is put in; whatever holds is what
made the difference. Nothing is said if nothing
holds. Each edit costs a parse of its file, so that few are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.fix_trials import (
    FixAttempt,
    TriedFix,
    VersionFindings,
    compute_findings,
    try_attempt,
)
from jurat.engine.fix_verifier import build_attempt, map_judged_files
from jurat.engine.fixes import Replacement, apply_to_file, build_line_fixes
from jurat.engine.missing_elements import OPTIONS, list_elements, place_element
from jurat.engine.pattern_search import build_query, search_tree
from jurat.engine.regex_filter import RegexFilter
from jurat.facts.context import EvaluationContext
from jurat.findings.finding import Finding, Fix, Location
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.rules.constraints import PatternConstraint
from jurat.rules.messages import mark_capture
from jurat.rules.rule import Rule, RuleSet
from jurat.source.diff import ChangeRun, FileChange
from jurat.source.embedded import read_code
from jurat.source.names import UnresolvedNamesError
from jurat.source.notebooks import is_notebook
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from jurat.source.syntax import TooDeeplyNestedError, parse

MOST_FINDINGS = 20
"""Findings of one review for which an edit is looked for, those that count first."""

MOST_TRIED = 6
"""Edits that are tried for one finding."""

MOST_CHARACTERS = 200_000
"""Characters of a file beyond which no edit is looked for."""

MOST_PARSED = 400_000
"""Characters that are parsed again for one rule in one file: about half a second."""


class CandidateEdit(NamedTuple):
    """An edit, and the phrase that completes "It would pass …"."""

    phrase: str
    fix: Fix


@dataclass(frozen=True, slots=True)
class EditSearch:
    """A file, the rule that is broken in it, and the places and codes of what it found there."""

    trial: FixAttempt
    rule: Rule
    wanted: tuple[tuple[Location, str], ...]


def find_smallest_edits(
    context: EvaluationContext,
    rule_set: RuleSet,
    verdicts: Sequence[RuleVerdict],
    parse_map: ParseMap = parse_in_process,
) -> tuple[RuleVerdict, ...]:
    """The verdicts; findings that no proven fix mends say without what they would pass.

    Looked for in code alone: of facts, `engine.check` has done it.
    """
    judged = map_judged_files(context)
    found: dict[tuple[str, str], list[Finding]] = {}
    rules = {item.rule.id: item.rule for item in verdicts}
    for finding in _list_wanted(verdicts):
        if finding.path is not None and finding.path in judged:
            found.setdefault((finding.rule.id, finding.path), []).append(finding)
    searches = [
        EditSearch(
            build_attempt(judged[path], (rules[rule_id],), rule_set),
            rules[rule_id],
            tuple((item.location, item.code) for item in group if item.location),
        )
        for (rule_id, path), group in found.items()
    ]
    phrases: dict[str, str] = {}
    for group, result in zip(found.values(), parse_map(search_edits, searches), strict=True):
        if not isinstance(result, ParseFailure):
            phrases |= {item.id: phrase for item, phrase in zip(group, result, strict=True)}
    return tuple(_with_phrases(item, phrases) for item in verdicts)


def search_edits(search: EditSearch) -> tuple[str, ...]:
    """For each place the phrase of the first edit that holds, "" if none does."""
    file = search.trial.file
    if file.head is None or file.language is None or len(file.head) > MOST_CHARACTERS:
        return ("",) * len(search.wanted)
    # An edit is of lines as they stand, not as code in a notebook or a page is read.
    if is_notebook(file.path) or len(read_code(file.path, file.head)) != len(file.head):
        return ("",) * len(search.wanted)
    try:
        before = compute_findings(search.trial, apply_to_file(file, ()))
        root = parse(read_code(file.path, file.head), file.language).root()
        left = MOST_PARSED // max(len(file.head), 1)
        phrases = []
        for place, code in search.wanted:
            matched = _find_matched(search, root, place)
            edits = [
                *_list_options(search, matched),
                *_list_reverts(file, place),
                *_list_additions(search, matched),
            ]
            phrase, tried = _find_first(search, before, edits[: min(MOST_TRIED, left)], code)
            phrases.append(phrase)
            left -= tried
        return tuple(phrases)
    except (ValueError, TooDeeplyNestedError, UnresolvedNamesError):
        return ("",) * len(search.wanted)


def _find_first(
    search: EditSearch, before: VersionFindings, edits: Sequence[CandidateEdit], code: str
) -> tuple[str, int]:
    """The phrase of the first edit that holds, and how many were tried."""
    key = search.rule.id, code
    for number, edit in enumerate(edits, start=1):
        fix = TriedFix(search.rule.id, edit.fix, computed=True)
        proof, after = try_attempt(search.trial, (fix,), before)
        # By its code too: an edit elsewhere may mend another finding of the rule.
        if after is not None and not proof.problem and after.findings[key] < before.findings[key]:
            return edit.phrase, number
    return "", len(edits)


def _list_wanted(verdicts: Iterable[RuleVerdict]) -> list[Finding]:
    """The findings to look at, those that block first."""
    wanted = [
        finding
        for item in verdicts
        if item.verdict is Verdict.DENY and item.is_computed
        for finding in item.findings
        if finding.location is not None
        and finding.location.start_line is not None
        and not finding.smallest_edit
        and not finding.shadow
        and not (finding.fix and finding.fix.is_verified)
    ]
    return sorted(wanted, key=lambda finding: not finding.blocks)[:MOST_FINDINGS]


def _find_matched(search: EditSearch, root: SgNode, place: Location) -> list[SgNode]:
    """The nodes that the rule's patterns match at a place."""
    file, found = search.trial.file, []
    for constraint in search.rule.constraints:
        if not isinstance(constraint, PatternConstraint):
            continue
        if file.language is None or file.language not in constraint.languages:
            continue
        query = build_query(search.rule, constraint)
        code, regexes = read_code(file.path, file.head or ""), RegexFilter(root.text())
        hits = search_tree(code, root, file.language, query, regexes)
        found += [node for node in hits if node.range().start.line + 1 == place.start_line]
    return found


def _list_additions(search: EditSearch, matched: Sequence[SgNode]) -> list[CandidateEdit]:
    """Each element that fit code has by the rule's examples, put into what matched."""
    file, edits = search.trial.file, []
    for text, holder in list_elements(search.rule, file.language or "") if matched else ():
        added = place_element(matched[0], text, holder)
        if added is not None:
            phrase = f"with {mark_capture(text)} added"
            edit = added._replace(auto_applicable=False)
            fixes = build_line_fixes(file.path, file.head or "", [edit], phrase)
            edits += [CandidateEdit(phrase, fix) for fix in fixes]
    return edits


def _list_options(search: EditSearch, matched: Sequence[SgNode]) -> list[CandidateEdit]:
    """Each option of what matched at a place, left out, the shortest first."""
    file = search.trial.file
    options = {
        (one.range().start.index, one.range().end.index): one
        for node in matched
        for one in _iter_options(node)
    }
    ordered = sorted(options.items(), key=lambda item: (item[0][1] - item[0][0], item[0]))
    edits = []
    for _, node in ordered[:MOST_TRIED]:
        start, end = _find_extent(node)
        gone = Replacement(start, end, "")
        phrase = f"without {mark_capture(node.text())}"
        fixes = build_line_fixes(file.path, file.head or "", [gone], phrase)
        edits += [CandidateEdit(phrase, fix) for fix in fixes]
    return edits


def _iter_options(node: SgNode) -> Iterator[SgNode]:
    if node.kind() in OPTIONS:
        yield node
    for child in node.children():
        yield from _iter_options(child)


def _find_extent(node: SgNode) -> tuple[int, int]:
    """The characters of an element of a list, with the comma that goes if it does."""
    start, end = node.range().start.index, node.range().end.index
    after, before = node.next(), node.prev()
    if after is not None and after.kind() == ",":
        beyond = after.next()
        stop = beyond if beyond is not None else after
        end = stop.range().start.index if stop is beyond else after.range().end.index
    elif before is not None and before.kind() == ",":
        start = before.range().start.index
    return start, end


def _list_reverts(file: FileChange, place: Location) -> Iterator[CandidateEdit]:
    """The runs of changes at a place, or that brought it about, as they were before."""
    first = place.start_line or 1
    last = place.end_line or first
    for run in file.runs:
        # What is only added has nothing to go back to: to leave all of it out is no small edit.
        if not run.removed:
            continue
        is_cause = place.cause is not None and place.cause.line == run.start
        if is_cause or any(first <= line <= last for line in run.added):
            yield CandidateEdit(_describe_revert(run), _build_revert(file, run))


def _describe_revert(run: ChangeRun) -> str:
    count = len(run.removed)
    if not run.added:
        back = mark_capture(run.removed[0].text) if count == 1 else f"the {count} removed lines"
        return f"with {back} put back"
    if len(run.added) > 1:
        return f"with lines {run.added[0]} to {run.added[-1]} as they were"
    # The old line is not repeated: it may hold the secret that the new one replaces.
    return f"with line {run.added[0]} as it was"


def _build_revert(file: FileChange, run: ChangeRun) -> Fix:
    lines = (file.head or "").split("\n")
    removed = [line.text for line in run.removed]
    if run.added:
        start, end = run.added[0], run.added[-1]
        after: Sequence[str] = removed
    else:
        # Nothing stands where the lines were: the line that follows is written with them.
        start = end = min(run.start, len(lines))
        after = [*removed, lines[start - 1]]
    return Fix(
        type="replace",
        file_path=file.path,
        start_line=start,
        end_line=end,
        original="\n".join(lines[start - 1 : end]),
        replacement="\n".join(after),
    )


def _with_phrases(item: RuleVerdict, phrases: Mapping[str, str]) -> RuleVerdict:
    if not any(finding.id in phrases for finding in item.findings):
        return item
    findings = tuple(
        replace(finding, smallest_edit=phrases.get(finding.id, finding.smallest_edit))
        for finding in item.findings
    )
    return replace(item, findings=findings)
