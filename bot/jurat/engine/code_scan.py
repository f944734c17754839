"""Code constraints of all rules over all files: what to search where, and what is new of it.

Each file is parsed once for all rules. What one file lost may have moved to another: the rest of
the change is asked before anything is called new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from jurat.engine.baseline import Occurrence, find_news, squeeze
from jurat.engine.code_matches import CodeMatches
from jurat.engine.file_scan import FileScan, PatternMatches, list_base_occurrences, scan_file
from jurat.engine.flow.forms.linked_files import (
    MOST_CHARACTERS,
    MOST_FILES,
    MOST_LINKED,
    LinkedFile,
    LinkGraph,
    is_linked,
)
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import CodePlace, find_lines, search_lines
from jurat.engine.removal_search import Removal
from jurat.engine.removals import is_asked, is_final, list_holders
from jurat.engine.rule_queries import RuleQueries, build_rule_queries
from jurat.engine.scanned_files import ScannedFile, ScannedScripts
from jurat.findings.finding import Fix, Location
from jurat.findings.verdict import UnreadFile
from jurat.rules.matching import find_unread_reason
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus
from jurat.source.page_scripts import list_script_views
from jurat.source.parsing import ParseFailure, ParseMap
from jurat.source.paths import is_test

_ENDS_THERE = re.compile(r"return|\}|def|async|func|export|class|@|$")
"""What follows, without white space, if a function does no more than to ask."""

_ENDS = 24
"""Characters at either end of a code that are looked for."""


def scan_code(
    work: Sequence[tuple[Rule, Sequence[FileChange]]], parse_map: ParseMap
) -> list[CodeMatches]:
    """The new findings of each rule in its candidate files, in order.

    Each file is parsed once for all rules. If only a diff is at hand, its fragments are parsed
    instead of whole files, and what they do not show is not seen. A file that could not be read or
    parsed is listed with every rule that it concerns, unless it lacks a word that the rule needs.
    """
    scan = _Scan(work)
    scan.run(parse_map)
    return scan.list_findings()


def _note_linked(sources: Collection[ScannedFile]) -> None:
    """Note of each file which others of the change its values are followed through.

    No test is one: what it hands to a function is nobody's.
    """
    files = [one.file for one in sources if not is_test(one.file.path)]
    linked = _list_linkable(files)
    if not 2 <= len(linked) <= MOST_LINKED:
        return
    heads = LinkGraph(linked)
    bases = LinkGraph(
        [
            known
            for one in files
            if (before := one.as_base()) is not None
            and (known := _read_linked(before, "base")) is not None
        ]
    )
    for source in sources:
        source.others = heads.list_linked(source.file.path)
        source.users = heads.list_users(source.file.path)
        if source.before is not None:
            source.others_before = bases.list_linked(source.before.path)


def explain_unlinked(files: Sequence[FileChange]) -> tuple[str, ...]:
    """What a reader must know of values that go from file to file; nothing if all are followed."""
    linked = _list_linkable([one for one in files if not is_test(one.path)])
    if len(linked) > MOST_LINKED:
        return (
            f"Values were not followed from one file to another: {len(linked)} files of code"
            f" changed, more than {MOST_LINKED}. Each was followed by itself.",
        )
    if not (cut := LinkGraph(linked).list_cut()):
        return ()
    others = f" and {len(cut) - 1} others" if len(cut) > 1 else ""
    return (
        f"Values were followed through the {MOST_FILES} nearest files that hang together with one"
        f" (at most {MOST_CHARACTERS:,} characters), and no further: more do with {cut[0]}"
        f"{others}.",
    )


def _list_linkable(files: Iterable[FileChange]) -> list[LinkedFile]:
    read = filter(None, (_read_linked(one, "head") for one in files))
    return [one for one in read if is_linked(one)]


def _read_linked(file: FileChange, side: Literal["base", "head"]) -> LinkedFile | None:
    """One side of a file as others are followed through it; None if it is not all at hand."""
    whole = file.head if side == "head" else file.base
    if whole is None or file.unread or file.unparsed or file.language is None:
        return None
    return LinkedFile(file.path, file.language, file.list_code(side)[0].text)


class _Scan:
    """One run: what its rules look for in which files, and what came of it."""

    def __init__(self, work: Sequence[tuple[Rule, Sequence[FileChange]]]) -> None:
        self._findings = [CodeMatches() for _ in work]
        self._removed: list[list[Removal]] = [[] for _ in work]
        # By path, for all rules: one parse, one blob of added lines, one task for the pool.
        self._sources: dict[str, Sequence[ScannedFile]] = {}
        self._places: list[list[CodePlace]] = [[] for _ in work]
        self._gone: list[dict[str, Sequence[Occurrence]]] = [{} for _ in work]
        self._wanted: list[RuleQueries] = []
        self._candidates = [
            [source for file in files for source in self._get_sources(file)] for _, files in work
        ]
        self._all = [source for sources in self._sources.values() for source in sources]
        _note_linked([source for source in self._all if not source.is_inner])
        for number, (rule, _) in enumerate(work):
            wanted = build_rule_queries(number, rule)
            self._wanted.append(wanted)
            for source in self._candidates[number]:
                self._search_file(wanted, source)

    def _get_sources(self, file: FileChange) -> Sequence[ScannedFile]:
        """A file, and the scripts inside of it."""
        if file.path not in self._sources:
            views = list_script_views(file)
            own = replace(file, script_language="") if views else file
            inner = [
                ScannedScripts(view, is_all=view is not views[0] or len(views) == 1)
                for view in views
            ]
            self._sources[file.path] = (ScannedFile(own), *inner)
        return self._sources[file.path]

    def run(self, parse_map: ParseMap) -> None:
        """Parse what has to be parsed, and settle what moved between files."""
        searched = [source for source in self._all if source.queries]
        scans = [
            FileScan(
                source.file,
                tuple(source.queries),
                frozenset(source.judged),
                source.others,
                source.others_before,
                source.users,
                source.is_tolerated,
            )
            for source in searched
        ]
        results = parse_map(scan_file, scans)
        for source, job, result in zip(searched, scans, results, strict=True):
            if isinstance(result, ParseFailure):
                for number in dict.fromkeys(query.rule for query in job.queries):
                    self._findings[number].unread.append(UnreadFile(job.file.path, result.reason))
                continue
            for number, hits in result.items():
                self._add(number, source, hits)
        self._add_donors(parse_map)
        for number in range(len(self._findings)):
            self._settle(number)

    def list_findings(self) -> list[CodeMatches]:
        """What each rule found, in the order of paths and lines."""
        for found in self._findings:
            found.sort()
        return self._findings

    def _search_file(self, wanted: RuleQueries, source: ScannedFile) -> None:
        """Search a file for a rule's expressions, and note the patterns it must be parsed for."""
        file, number = source.file, wanted.number
        patterns = wanted.list_patterns(file)
        regexes = () if source.is_inner else wanted.regexes
        if file.status is FileStatus.REMOVED or not (patterns or regexes):
            return
        if not source.is_meant(wanted):
            return
        findings = self._findings[number]
        findings.files += not source.is_tolerated
        # Counted before this: a rule that should have looked at the file must say that it did not.
        if (reason := find_unread_reason(wanted.rule, file)) is not None:
            findings.unread.append(UnreadFile(file.path, reason))
            if file.unread is not None:
                return
        if patterns and file.unparsed:
            findings.unread.append(UnreadFile(file.path, file.unparsed))
            patterns = []
        elif patterns and file.unread_part:
            findings.unread.append(UnreadFile(file.path, file.unread_part))
        if regexes and (places := search_lines(source.changes, regexes)):
            self._add_lines(wanted, source, places)
        # In a disguise no word stands as it runs: a file without a rule's words may hold them.
        fitting = (
            patterns
            if source.has_signs_of_disguise
            else [item for item in patterns if source.can_hold(item)]
        )
        if fitting:
            source.queries += wanted.number_queries(fitting)
            if wanted.is_judging(source.before):
                source.judged.add(number)

    def _add(self, number: int, source: ScannedFile, hits: PatternMatches) -> None:
        path = source.file.path
        if hits.unread is not None:
            self._findings[number].unread.append(UnreadFile(path, hits.unread))
        if source.is_inner:
            # Read twice, and told once; what a fix does to a page nobody has tried.
            known = [place.location for place in self._places[number]]
            places = tuple(place for place in hits.places if place.location not in known)
            hits = replace(hits, places=places, remediations=())
        self._places[number] += hits.places
        self._removed[number] += hits.removed
        self._gone[number][path] = (*self._gone[number].get(path, ()), *hits.gone)
        self._findings[number].remediations += hits.remediations
        self._findings[number].unread += [UnreadFile(path, why) for why in hits.unfollowed]

    def _add_lines(
        self,
        wanted: RuleQueries,
        source: ScannedFile,
        places: Sequence[CodePlace],
    ) -> None:
        heads = [item for place in places for item in place.found]
        codes = {item.code for item in heads}
        bases = find_lines(source.changes, codes) if wanted.is_judging(source.before) else []
        news, gone = find_news(heads, bases)
        self._places[wanted.number] += [places[at] for at in news]
        self._gone[wanted.number][source.file.path] = [bases[at] for at in gone]

    def _add_donors(self, parse_map: ParseMap) -> None:
        """Add what files lost that the rules have not looked at, if something like it is new."""
        lost = "\0".join(source.lost for source in self._all)
        queries: dict[str, list[PatternQuery]] = {}
        for wanted, places in zip(self._wanted, self._places, strict=True):
            codes = {item.code for place in places for item in place.found}
            # Of all files first: what nobody took away has moved from nowhere.
            codes = {code for code in codes if _can_hold(lost, code)}
            if not codes:
                continue
            for source in self._candidates[wanted.number]:
                if source.is_inner or source.file.path in self._gone[wanted.number]:
                    continue
                is_lost = any(_can_hold(source.lost, code) for code in codes)
                if is_lost and wanted.is_judging(source.before):
                    asked = self._list_lost(wanted, source, codes)
                    queries.setdefault(source.file.path, []).extend(asked)
        jobs = [
            FileScan(self._sources[path][0].file, tuple(asked))
            for path, asked in queries.items()
            if asked
        ]
        for job, result in zip(jobs, parse_map(list_base_occurrences, jobs), strict=True):
            # A base that cannot be parsed excuses nothing.
            if not isinstance(result, ParseFailure):
                for number, gone in result.items():
                    before = self._gone[number].get(job.file.path, ())
                    self._gone[number][job.file.path] = (*before, *gone)

    def _list_lost(
        self, wanted: RuleQueries, source: ScannedFile, codes: Collection[str]
    ) -> list[PatternQuery]:
        """Add the lines that were lost; the patterns to look for in the base are handed back."""
        if source.file.unread is not None or source.before is None:
            return []
        if wanted.regexes:
            lines = find_lines(source.changes, codes)
            self._gone[wanted.number][source.file.path] = lines
        before, words = source.before, source.words_before
        return wanted.number_queries(
            [item for item in wanted.list_patterns(before) if item.fits(before, words)]
        )

    def _settle(self, number: int) -> None:
        """Keep of a rule's places those that did not move there from another file."""
        places, findings = self._places[number], self._findings[number]
        if not places and not self._removed[number]:
            return
        heads = [item for place in places for item in place.found]
        bases = [item for gone in self._gone[number].values() for item in gone]
        news = {id(heads[at]) for at in find_news(heads, bases, across=True)[0]}
        for place in places:
            if any(id(item) in news for item in place.found):
                findings.places.append(place)
            else:
                findings.remediations = [
                    fix for fix in findings.remediations if not _is_at(fix, place.location)
                ]
        findings.places += [one.place for one in self._removed[number] if self._is_missed(one)]

    def _is_missed(self, removal: Removal) -> bool:
        """Whether it was not brought to another file, from where its place is served."""
        code, path = removal.place.found[0].code, removal.place.location.file_path
        for source in self._all:
            # In the file itself it guards something else.
            if source.file.path == path or code not in (new := squeeze("".join(source.brought))):
                continue
            if removal.for_file or (removal.gone and removal.gone in new):
                return False
            holders = list_holders(source.file, code)
            answers = not is_final(code) and _ENDS_THERE.match(new.partition(code)[2]) is not None
            if is_asked(removal.around, holders, answers=answers):
                return False
        return True


def _can_hold(lost: str, code: str) -> bool:
    """Whether a text that was taken away may hold the code: a diff may keep one of its ends."""
    return code[:_ENDS] in lost or code[-_ENDS:] in lost


def _is_at(fix: Fix, place: Location) -> bool:
    return (
        fix.file_path == place.file_path
        and (fix.start_line or 0) <= (place.end_line or 0)
        and (place.start_line or 0) <= (fix.end_line or 0)
    )
