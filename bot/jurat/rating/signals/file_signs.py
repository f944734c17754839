"""What each file of a worktree shows: read once, looked into by a ParseMap, and remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple
from zlib import compress, decompress

from jurat.rating.code.file_reader import FOLLOWED, read_facts
from jurat.rating.code.function_facts import FileFacts
from jurat.rating.code.schema_reader import is_models, is_schema, read_models, read_schema
from jurat.rating.signals.file_roles import Role, detect_grammar, has_generated_marker
from jurat.rating.signals.screening import can_show
from jurat.rating.signals.sightings import Sighting, SourceFile, cut_line, find_sightings
from jurat.rating.signals.signal_search import build_search
from jurat.rating.signals.worktree import FILE_LIMIT, FileEntry, Worktree
from jurat.rating.texts.document_facts import DocumentFacts, read_document
from jurat.rating.texts.page_text import list_named_pages
from jurat.source.parsing import ParseFailure, ParseMap

_AT_ONCE = 1_024
"""Texts that are held in memory for one call of the ParseMap at most."""
_AT_FIRST = 64
"""Texts of the first call that screens: a few show much. Each next has twice as many."""
_SIZE_AT_ONCE = 8_000_000
"""Characters of them from which on no other is taken along."""
_SAMPLE = 8_000
"""Bytes in which git looks for a NUL."""
_MINIFIED = 20_000
"""Characters of a line of code that no person wrote."""
_DATA = 200_000
"""Bytes beyond which a file in a format of settings is data."""
_STARTED = re.compile(
    r"[\w./-]+\.(?:py|[cm]?[jt]sx?)\b|\b[\w.]+:\w+|-m\s+[\w.]+|\bcron(?:Schedule|_schedule)?\"?:|[Hh]andler\"?\s*[:=]\s*\"?[\w./-]+"
)


@dataclass(frozen=True, slots=True)
class FileSigns:
    """What was found in one content: its sightings and its size in lines, or why it was not read.

    `generated` says that its first lines name a program as its author, and nothing counts. `facts`
    are what its functions do, if its language is followed; `page` what a document says; `starts`
    what settings name as programs. `packed` is the text, if it is needed again.
    """

    sightings: tuple[Sighting, ...] = ()
    first_line: str = ""
    lines: int = 0
    unread: str | None = None
    generated: bool = False
    facts: FileFacts | None = None
    page: DocumentFacts | None = None
    starts: tuple[str, ...] = ()
    packed: bytes = b""
    minified: bool = False

    def unpack(self) -> str:
        """The text. All of it is unpacked: ask once for a file."""
        # Packed, not read again: what stands in a worktree may have changed since.
        return decompress(self.packed).decode("utf-8") if self.packed else ""


class ContentKey(NamedTuple):
    """A content in a role and a language, and the signals that it was screened for, if it was.

    `digest` is what the worktree calls the content, or else SHA-256 of its bytes.
    """

    digest: str
    role: Role
    language: str | None
    among: frozenset[str] | None = None


Memory = MutableMapping[ContentKey, FileSigns]
"""What each content showed: base and head may share one."""


class _WaitingFile(NamedTuple):
    path: str
    key: ContentKey
    source: SourceFile


class FileReader:
    """Reads the files of one worktree, each once at most, and knows what `memory` holds."""

    def __init__(self, worktree: Worktree, parse_map: ParseMap, memory: Memory) -> None:
        self._worktree = worktree
        self._parse_map = parse_map
        self._known = memory
        self._digests: dict[str, str] = {}
        self._among: frozenset[str] | None = None

    def collect(self, roles: Mapping[FileEntry, Role]) -> dict[str, FileSigns]:
        """All that the files show, by path."""
        return {path: one for part in self._iter_signs(roles, None) for path, one in part.items()}

    def screen(
        self, roles: Mapping[FileEntry, Role], among: frozenset[str]
    ) -> Iterator[dict[str, FileSigns]]:
        """What the files show of some signals, some files at a time. Most need no parsing."""
        self._among = among
        return self._iter_signs(roles, among)

    def digest_contents(self, roles: Mapping[FileEntry, Role]) -> str:
        """SHA-256 of all that was read, by path and role: what the whole shows follows from it."""
        said = sorted(
            (entry.path, role.value, entry.size, entry.digest or self._digests.get(entry.path, ""))
            for entry, role in roles.items()
        )
        return sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()

    def read_functions(self, signs: Mapping[str, FileSigns]) -> dict[str, FileFacts]:
        """What functions of screened files do, by path, but of those that cannot be parsed."""
        sources = [
            SourceFile(sign.unpack(), detect_grammar(path), Role.CODE)
            for path, sign in signs.items()
        ]
        found = zip(signs, self._parse_map(read_functions_of, sources), strict=True)
        return {path: facts for path, facts in found if isinstance(facts, FileFacts)}

    def _iter_signs(
        self, roles: Mapping[FileEntry, Role], among: frozenset[str] | None
    ) -> Iterator[dict[str, FileSigns]]:
        build_search(among).prepare()
        known: dict[str, FileSigns] = {}
        waiting: list[_WaitingFile] = []
        size = 0
        most = _AT_ONCE if among is None else _AT_FIRST
        for entry, role in roles.items():
            found = self._open(entry, role, among)
            if isinstance(found, FileSigns):
                known[entry.path] = found
                continue
            waiting.append(found)
            size += len(found.source.text)
            # In portions: a whole repository's texts would be held in memory at once.
            if len(waiting) == most or size > _SIZE_AT_ONCE:
                yield {**known, **dict(self._parse(waiting))}
                known, waiting, size = {}, [], 0
                most = min(2 * most, _AT_ONCE)
        yield {**known, **dict(self._parse(waiting))}

    def _open(
        self, entry: FileEntry, role: Role, among: frozenset[str] | None
    ) -> FileSigns | _WaitingFile:
        """What a file shows, if that is known without a look, or else what to look into."""
        if not role.is_read or (role in (Role.SETTINGS, Role.PAGE) and entry.size > _DATA):
            return FileSigns()
        language = detect_grammar(entry.path)
        if role is Role.CODE and language is None:
            return FileSigns(unread="its language is not read")
        digest = entry.digest or self._digests.get(entry.path, "")
        key = ContentKey(digest, role, language, among)
        if digest and key in self._known:
            return self._known[key]
        text = self._recall(key) if digest else None
        if text is None:
            read = _read_entry(self._worktree, entry, role)
            if isinstance(read, FileSigns):
                return read
            text, digest = read
            self._digests[entry.path] = entry.digest or digest
            key = key._replace(digest=entry.digest or digest)
        if key in self._known:
            return self._known[key]
        if role is Role.CODE and _is_minified(text):
            # No person reads it, and every look at a line of it takes as long as the line.
            self._known[key] = FileSigns(generated=True, minified=True)
            return self._known[key]
        return _WaitingFile(entry.path, key, SourceFile(text, language, role, among))

    def _recall(self, key: ContentKey) -> str | None:
        """The text of a content that was screened before."""
        screened = self._known.get(key._replace(among=self._among))
        return screened.unpack() if screened and screened.packed else None

    def _parse(self, waiting: list[_WaitingFile]) -> Iterator[tuple[str, FileSigns]]:
        sources = {key: source for _, key, source in waiting}
        results = self._parse_map(look_into, list(sources.values()))
        found = dict(zip(sources, results, strict=True))
        for path, key, _ in waiting:
            result = found[key]
            if isinstance(result, ParseFailure):
                # Not remembered: a deadline that was missed once may be met the next time.
                yield path, FileSigns(unread=result.reason)
            else:
                self._known[key] = result
                yield path, result


def _is_minified(text: str) -> bool:
    longest = max(map(len, text.split("\n")))
    return longest > _MINIFIED or (longest > 1_000 and len(text) > 300 * (text.count("\n") + 1))


def _read_entry(worktree: Worktree, entry: FileEntry, role: Role) -> tuple[str, str] | FileSigns:
    """A file's text and digest, or why there is none to look at."""
    if entry.size > FILE_LIMIT:
        return FileSigns(unread=f"larger than {FILE_LIMIT:,} bytes")
    try:
        data = worktree.read(entry)
    except OSError as error:
        return FileSigns(unread=f"cannot be read: {error.strerror or type(error).__name__}")
    if len(data) > FILE_LIMIT:
        return FileSigns(unread=f"larger than {FILE_LIMIT:,} bytes")
    if b"\0" in data[:_SAMPLE]:
        # As git tells a binary file. Code may hold a NUL and run, so that it is not passed over.
        speaks = role in (Role.CODE, Role.PROMPT)
        return FileSigns(unread="holds NUL bytes: is no UTF-8 text" if speaks else None)
    return data.decode("utf-8-sig", "replace"), sha256(data).hexdigest()


# The work of a ParseMap.


def look_into(source: SourceFile) -> FileSigns:
    """What a text shows of the signals that are looked for; if of all, what its functions do too.

    Of some signals, a text that cannot show them is not parsed.
    """
    text, role, among = source.text, source.role, source.among
    first = next((line for line in text[:2_000].split("\n") if line.strip()), "")
    signs = FileSigns(
        first_line=cut_line(first),
        lines=text.count("\n") + 1,
        generated=has_generated_marker(text[:1_000]),
    )
    if among is not None:
        seen = can_show(text, source.language, role, among)
        sightings = find_sightings(source) if seen else ()
        return replace(signs, sightings=sightings, packed=_pack(text))
    signs = replace(signs, sightings=find_sightings(source))
    if role is Role.DOCUMENT:
        return replace(signs, page=read_document(text))
    if role is Role.PAGE:
        return replace(signs, starts=list_named_pages(text))
    if role is Role.SETTINGS:
        facts = read_schema(text) if is_schema(text) else None
        facts = read_models(text) if facts is None and is_models(text) else facts
        starts = tuple(dict.fromkeys(_STARTED.findall(text[:_SAMPLE])))
        return replace(signs, starts=starts, facts=facts)
    if role in (Role.CODE, Role.TEST) and source.language in FOLLOWED:
        return replace(signs, facts=read_facts(text, source.language), packed=_pack(text))
    return signs


def read_functions_of(source: SourceFile) -> FileFacts:
    """What the functions of a text in one of FOLLOWED do."""
    return read_facts(source.text, source.language or "")


def _pack(text: str) -> bytes:
    return compress(text.encode("utf-8", "replace"), 1)
