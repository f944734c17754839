"""Structural patterns in one file. Works on plain, picklable values, so that a pool can run it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

from ast_grep_py import Config, SgNode

from bot.dispatch.fixes import Replacement, fill, line_remediations
from bot.dispatch.regexes import shortened
from bot.dispatch.standing import Standing, StoodBefore, innermost
from bot.subjects.change import FileChange, Fragment, Function
from bot.subjects.syntax import Parsed, parsed
from bot.verdicts import Location, Remediation

_UNDECODABLE = "\ufffd"
"""Stands for bytes that are no UTF-8. A line that holds it cannot be written back."""


@dataclass(frozen=True, slots=True)
class Query:
    """One pattern. `rule` is its rule's number in this run, `config` what ast-grep takes."""

    rule: int
    config: Mapping[str, Any]
    fix: str | None
    auto_applicable: bool
    description: str


@dataclass(frozen=True, slots=True)
class FileScan:
    """The work on one file."""

    file: FileChange
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """What the queries of one rule found in one file, in the order of lines."""

    locations: tuple[Location, ...]
    remediations: tuple[Remediation, ...]


class _Part(NamedTuple):
    """What is at hand of a file, in one piece: its lines as they are, and as they were parsed."""

    number: int
    fragment: Fragment
    parsed: Parsed


class _Match(NamedTuple):
    part: _Part
    node: SgNode
    first: int
    last: int


def scan_file(job: FileScan) -> Mapping[int, Hits]:
    """What all queries found in one file, by the number of their rule. Both sides parse once.

    A match counts where it touches an added line and did not stand in the base: see
    `bot.dispatch.standing`.
    """
    head, added = _parts(job.file, "head"), job.file.added_lines
    base: list[_Part] | None = None
    stood = StoodBefore(job.file)
    around = innermost(job.file)
    locations: dict[int, dict[tuple[int, int], Location]] = {}
    edits: dict[tuple[int, int, str], list[Replacement]] = {}
    for query in job.queries:
        found = [match for part in head for match in _matches(part, query)]
        if not any(_touches(match, added) for match in found):
            continue
        if base is None:
            base = _parts(job.file, "base")
        before = [match for part in base for match in _matches(part, query)]
        for match in _news(found, before, added, stood):
            places = locations.setdefault(query.rule, {})
            places.setdefault((match.first, match.last), _location(job.file, match, around))
            edit = _replacement(query, match)
            if edit is not None:
                key = (query.rule, match.part.number, query.description)
                edits.setdefault(key, []).append(edit)
    fixes: dict[int, list[Remediation]] = {}
    for (rule, number, description), group in edits.items():
        part = head[number]
        remediations = line_remediations(job.file.path, part.parsed.text, group, description)
        fixes.setdefault(rule, []).extend(
            _in_file(fix, part) for fix in remediations if _UNDECODABLE not in fix.original
        )
    return {
        rule: Hits(tuple(places[key] for key in sorted(places)), tuple(fixes.get(rule, ())))
        for rule, places in locations.items()
    }


def _parts(file: FileChange, side: Literal["base", "head"]) -> list[_Part]:
    pieces = zip(file.fragments(side), parsed(file, side), strict=True)
    return [_Part(number, fragment, tree) for number, (fragment, tree) in enumerate(pieces)]


def _matches(part: _Part, query: Query) -> Iterator[_Match]:
    """The matches in the lines of the file, without those that begin or end in scaffolding."""
    tree, fragment = part.parsed, part.fragment
    last_line = fragment.first_line + fragment.text.count("\n")
    for node in tree.root.find_all(cast("Config", query.config)):
        span = node.range()
        first, last = tree.first_line + span.start.line, tree.first_line + span.end.line
        if span.end.column == 0 and last > first:
            last -= 1
        if fragment.first_line <= first and last <= last_line:
            yield _Match(part, node, first, last)


def _touches(match: _Match, added: frozenset[int]) -> bool:
    return any(line in added for line in range(match.first, match.last + 1))


def _normal(node: SgNode) -> str:
    """The text of a match, whatever its indentation and line breaks."""
    return " ".join(node.text().split())


def _news(
    found: Sequence[_Match], before: Sequence[_Match], added: frozenset[int], stood: StoodBefore
) -> list[_Match]:
    """The matches that touch added lines and did not stand in the base."""
    touching = [match for match in found if _touches(match, added)]
    news = stood.without(
        [Standing(_normal(match.node), match.first, match.last) for match in touching],
        [Standing(_normal(match.node), match.first, match.last) for match in before],
        Counter(_normal(match.node) for match in found if not _touches(match, added)),
    )
    return [touching[index] for index in news]


def _location(file: FileChange, match: _Match, around: Mapping[int, Function]) -> Location:
    fields: dict[str, str | int] = {"snippet": shortened(match.node.text())}
    if match.first in around:
        fields["function_name"] = around[match.first].qualified_name
    return Location(file_path=file.path, start_line=match.first, end_line=match.last, fields=fields)


def _replacement(query: Query, match: _Match) -> Replacement | None:
    if query.fix is None:
        return None
    text = fill(query.fix, match.node, match.part.parsed.text)
    if text is None:
        return None
    span = match.node.range()
    return Replacement(span.start.index, span.end.index, text, query.auto_applicable)


def _in_file(fix: Remediation, part: _Part) -> Remediation:
    """A remediation of parsed lines as one of the file's: with their numbers and their margin."""
    tree, fragment = part.parsed, part.fragment
    if not tree.partial or fix.start_line is None or fix.end_line is None:
        return fix
    start, end = tree.first_line + fix.start_line - 1, tree.first_line + fix.end_line - 1
    first = fragment.first_line
    original = fragment.text.split("\n")[start - first : end - first + 1]
    margin = original[0][: tree.column]
    lines = [margin + line if line.strip() else line for line in fix.replacement.split("\n")]
    return replace(
        fix,
        start_line=start,
        end_line=end,
        original="\n".join(original),
        replacement="\n".join(lines),
    )
