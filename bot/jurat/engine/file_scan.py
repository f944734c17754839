"""The patterns of all rules over one file, both sides of which parse once.

A function of plain, picklable values, so that a pool can run it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from jurat.engine.baseline import Occurrence, find_news
from jurat.engine.causes import CauseFinder
from jurat.engine.code_search import CodeSearch
from jurat.engine.disguises import explain_disguise
from jurat.engine.file_matches import Extent, NodeMatch, read_match_phrase
from jurat.engine.file_versions import FileVersions
from jurat.engine.flow.forms.linked_files import LinkedFile
from jurat.engine.new_places import build_places
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import CodePlace
from jurat.engine.removal_search import Removal, find_removals
from jurat.engine.renames import pair_renamed
from jurat.findings.finding import Fix
from jurat.source.diff import FileChange
from jurat.source.names import UnresolvedNamesError


@dataclass(frozen=True, slots=True)
class FileScan:
    """The work on one file.

    `judged` are the numbers of the rules that were about its base version as well: what another
    rule would have found there excuses nothing. `others` are the files of the change that its
    values are followed through, `others_before` the same as they were before it, and
    `users` the paths of those that name it. If it `is_tolerated`, what no parser can read is told
    of another reading of the file.
    """

    file: FileChange
    queries: tuple[PatternQuery, ...]
    judged: frozenset[int] = frozenset()
    others: tuple[LinkedFile, ...] = ()
    others_before: tuple[LinkedFile, ...] = ()
    users: tuple[str, ...] = ()
    is_tolerated: bool = False


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """What the queries of one rule found in one file, in the order of lines.

    `places` have what is new, `gone` is what only the base had, `removed` what it lost of what must
    not go. `unread` says why a file could not be judged, `unfollowed` which functions that the
    change touches were too much to follow values in, and which of its lines no parser could read.
    """

    places: tuple[CodePlace, ...] = ()
    remediations: tuple[Fix, ...] = ()
    gone: tuple[Occurrence, ...] = ()
    unread: str | None = None
    unfollowed: tuple[str, ...] = ()
    removed: tuple[Removal, ...] = ()


def scan_file(job: FileScan) -> Mapping[int, PatternMatches]:
    """What is new in one file, and what is gone from it, by the number of the rule.

    The head is looked at as a whole: what stands on a line that nobody touched is new if it did
    not break the rule before. Rules that find nothing in the head are left out.
    """
    return _FileScanner(job).scan()


def list_base_occurrences(job: FileScan) -> Mapping[int, tuple[Occurrence, ...]]:
    """What the rules of a job found in the base of its file, by their number."""
    versions = FileVersions(job.file, CodeSearch(job.queries), _search_base(job))
    return {
        rule: tuple(occurrence for _, occurrence in versions.match_base(queries))
        for rule, queries in _group_by_rule(job.queries).items()
    }


def _search_base(job: FileScan) -> CodeSearch:
    path = job.file.old_path or job.file.path
    return CodeSearch(job.queries, path, job.others_before)


class _FileScanner:
    """One file with what its rules share: its versions, what is broken in it, and causes."""

    def __init__(self, job: FileScan) -> None:
        search = CodeSearch(job.queries, job.file.path, job.others, job.users)
        self._job = job
        self._versions = FileVersions(job.file, search, _search_base(job))
        roots = [(part.parsed.first_line, part.parsed.root) for part in self._versions.head]
        disguise = explain_disguise(job.file, roots)
        broken = () if job.is_tolerated else self._versions.explain_broken_lines()
        self._unreadable = (*broken, *([disguise] if disguise else ()))
        self._causes = CauseFinder(job.file, self._versions.lines, search)

    def scan(self) -> Mapping[int, PatternMatches]:
        """What each rule found; without those that found nothing in the head."""
        grouped = _group_by_rule(self._job.queries)
        scanned = {rule: self._scan_rule(rule, asked) for rule, asked in grouped.items()}
        return {rule: found for rule, found in scanned.items() if found is not None}

    def _scan_rule(self, rule: int, asked: Sequence[PatternQuery]) -> PatternMatches | None:
        versions, judged = self._versions, rule in self._job.judged
        removed = find_removals(versions, asked, self._causes) if judged else ()
        queries = [query for query in asked if not query.removed]
        try:
            found = _drop_repeated(versions.match_head(queries))
        except UnresolvedNamesError as error:
            return PatternMatches(unread=str(error))
        unfollowed = (*self._unreadable, *versions.list_unfollowed(queries))
        # Only now: most rules find nothing in the head, and then the base need not be parsed.
        if not found:
            some = unfollowed or removed
            return PatternMatches(unfollowed=unfollowed, removed=removed) if some else None
        heads = {match.extent: versions.describe(match, head=True) for match in found}
        fresh, gone = _find_news(found, heads, versions.match_base(queries) if judged else [])
        new = [match for match in found if match.extent in fresh and versions.is_certain(match)]
        places, fixes = build_places(versions, new, heads, self._causes)
        return PatternMatches(places, fixes, gone, unfollowed=unfollowed, removed=removed)


def _find_news(
    found: Sequence[NodeMatch],
    heads: Mapping[Extent, Occurrence],
    before: Sequence[tuple[NodeMatch, Occurrence]],
) -> tuple[set[Extent], tuple[Occurrence, ...]]:
    """What only the head has, and what only the base had: under another name it is the same."""
    extents = list(heads)
    news, gone = find_news(list(heads.values()), [occurrence for _, occurrence in before])
    if news and gone:
        matches = {match.extent: match for match in found}
        new = [(heads[extents[at]], read_match_phrase(matches[extents[at]])) for at in news]
        old = [(before[at][1], read_match_phrase(before[at][0])) for at in gone]
        alone, left = pair_renamed(new, old)
        news, gone = [news[at] for at in alone], [gone[at] for at in left]
    return {extents[at] for at in news}, tuple(before[at][1] for at in gone)


def _drop_repeated(found: Sequence[NodeMatch]) -> list[NodeMatch]:
    """The matches without those of settings around what another constraint of the rule matches."""
    written = [match.extent for match in found if not _is_setting(match)]
    return [
        match
        for match in found
        if not _is_setting(match)
        or not any(
            number == match.extent[0] and match.extent[1] <= first and last <= match.extent[2]
            for number, first, last in written
        )
    ]


def _is_setting(match: NodeMatch) -> bool:
    question = match.query.questions.get(match.part.language)
    return question is not None and bool(question.settings)


def _group_by_rule(queries: Iterable[PatternQuery]) -> Mapping[int, list[PatternQuery]]:
    grouped: dict[int, list[PatternQuery]] = {}
    for query in queries:
        grouped.setdefault(query.rule, []).append(query)
    return grouped
