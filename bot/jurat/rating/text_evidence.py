"""What texts show of each probe: lines that were sighted, and files by their names."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.code.file_reader import FOLLOWED
from jurat.rating.code.function_facts import FileFacts
from jurat.rating.program.setting_evidence import UNUSED
from jurat.rating.signals.evidence import InventoryFile, SignalEvidence, is_of_one_thing
from jurat.rating.signals.file_roles import Role, is_diary
from jurat.rating.signals.file_signs import FileSigns
from jurat.rating.signals.page_subjects import (
    is_headed_so,
    is_of_makers,
    is_of_whole,
    list_product_words,
)
from jurat.rating.signals.recon_table import ProbeKey, SignalPattern, SignalSource
from jurat.rating.signals.sightings import Sighting
from jurat.rating.support import HOLLOW, IN_PASSING, OF_PART
from jurat.rating.texts.document_facts import DocumentFacts
from jurat.source.paths import match_glob

_FRONT = re.compile(r"README(?:\.\w+)?", re.IGNORECASE)
_LONG_PAGE = 150
"""Lines of a page from which on anything is said somewhere."""


def collect_text_evidence(
    sources: Collection[SignalSource],
    files: Collection[InventoryFile],
    signs: Mapping[str, FileSigns],
) -> defaultdict[ProbeKey, list[SignalEvidence]]:
    """The lines of each probe that text alone shows, and files that show by their name."""
    found: defaultdict[ProbeKey, list[SignalEvidence]] = defaultdict(list)
    probes = {
        (source.name, number): probe
        for source in sources
        for number, probe in enumerate(source.probes)
    }
    named = {key: probe for key, probe in probes.items() if probe.files}
    apart = frozenset(key for key, probe in probes.items() if probe.names_alone)
    documented = frozenset(source.name for source in sources if source.proven_by == "document")
    texts = _Texts(files, signs)
    for file in files:
        for key in _iter_fitting(file, named):
            found[key].append(texts.build_named(file, key))
        for one in texts.list_sightings(file):
            key = one.signal, one.probe
            # Where functions are looked into, what they do tells it better than a name.
            if key in apart and file.language in FOLLOWED:
                continue
            # What was once changed or announced gives no account of what there is.
            if one.kind == "documents" and one.signal in documented and is_diary(file.path):
                continue
            found[key].append(texts.build_evidence(file, one))
    return found


def _iter_fitting(
    file: InventoryFile, named: Mapping[ProbeKey, SignalPattern]
) -> Iterator[ProbeKey]:
    """The probes that a file shows by its name alone. An empty one shows nothing."""
    for key, probe in named.items() if file.size else ():
        if file.role in probe.within and any(match_glob(g, file.path) for g in probe.files):
            yield key


@dataclass(frozen=True)
class _Texts:
    """All files with what was sighted in each: one tells what another is worth."""

    files: Collection[InventoryFile]
    signs: Mapping[str, FileSigns]

    def list_sightings(self, file: InventoryFile) -> Iterator[Sighting]:
        """What was sighted in a file, but for what settings keep for a model that nobody loads."""
        is_loaded = file.role is not Role.SETTINGS or posixpath.basename(file.path) in self._loaded
        return (
            one for one in self.signs[file.path].sightings if is_loaded or one.kind != "prompts"
        )

    def build_named(self, file: InventoryFile, key: ProbeKey) -> SignalEvidence:
        """A file that shows something by its name."""
        first = self.signs[file.path].first_line
        doubt = "" if self._is_of_whole(file, key[0]) else OF_PART
        return SignalEvidence(file.path, 1, first, key[1], kind="files", doubt=doubt)

    def build_evidence(self, file: InventoryFile, one: Sighting) -> SignalEvidence:
        """A sighting with the function around it and with what the text alone makes doubtful."""
        first, last = one.first, one.last
        if not first:
            spans = self._spans[file.path]
            first, last = next((s for s in spans if s[0] <= one.line <= s[1]), (0, 0))
        return SignalEvidence(
            file.path, one.line, one.snippet, one.probe, first, last, one.kind, one.said,
            doubt=self._explain_doubt(file, one),
        )  # fmt: skip

    def _explain_doubt(self, file: InventoryFile, one: Sighting) -> str:
        """Why a sighting supports nothing, "" if the text does not say so."""
        if file.path in self._unseen_pages:
            return UNUSED
        if not one.holds:
            return HOLLOW
        if one.kind != "documents":
            return ""
        inner = _is_inner(posixpath.dirname(file.path), self._folders)
        if inner or not self._is_of_whole(file, one.signal):
            return OF_PART
        sign = self.signs[file.path]
        if is_of_makers(file.path, one.signal) and sign.page and not _is_announced(sign.page, one):
            return IN_PASSING
        if not one.said or _is_headed(sign, one.signal, one.line):
            return ""
        return "" if self._is_small and sign.lines <= _LONG_PAGE else IN_PASSING

    def _is_of_whole(self, file: InventoryFile, signal: str) -> bool:
        """Whether a page is about the product: that of a small one can be about nothing else."""
        page = self.signs[file.path].page
        if self._is_small or page is None:
            return True
        return is_of_whole(file.path, page.title, signal, self._product_words)

    @cached_property
    def _product_words(self) -> frozenset[str]:
        """The words of the front page's title, and of the folders in which there is code."""
        heads = (s.page.title for p, s in self.signs.items() if s.page and _FRONT.fullmatch(p))
        return list_product_words((*heads, *(path.partition("/")[0] for path in self._folders)))

    @cached_property
    def _spans(self) -> Mapping[str, list[tuple[int, int]]]:
        return {path: _list_spans(sign.facts) for path, sign in self.signs.items()}

    @cached_property
    def _loaded(self) -> frozenset[str]:
        return _list_loaded(self.signs)

    @cached_property
    def _unseen_pages(self) -> frozenset[str]:
        pages = frozenset(file.path for file in self.files if file.role is Role.PAGE)
        if self._is_small:
            named = self._loaded | _list_rendered(self.signs) | _list_linked(self.signs.values())
            return frozenset(
                path for path in pages if not (_INDEX.search(path) or _is_public(path, named))
            )
        return pages - self._find_led_to(pages)

    def _find_led_to(self, pages: frozenset[str]) -> frozenset[str]:
        """The pages of a large program that people come to: code names one, which names others.

        What only pages name that nobody comes to was fetched from elsewhere, or is left over.
        """
        named = self._loaded | _list_rendered(self.signs)
        found: frozenset[str] = frozenset()
        edge = frozenset(
            path
            for path in pages
            if _is_public(path, named)
            or (_INDEX.search(path) and posixpath.dirname(path) in self._folders)
        )
        while edge:
            found |= edge
            linked = _list_linked(self.signs[path] for path in edge)
            edge = frozenset(path for path in pages - found if _is_named(path, linked))
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders in which code stands."""
        return frozenset(
            posixpath.dirname(file.path) for file in self.files if file.role is Role.CODE
        )

    @cached_property
    def _is_small(self) -> bool:
        return is_of_one_thing(file.lines for file in self.files if file.role is Role.CODE)


def _is_inner(folder: str, folders: Collection[str]) -> bool:
    """Whether a folder of code stands in another one: its pages tell of a part of the product."""
    around = posixpath.dirname(folder)
    return bool(around) and folder in folders and around in folders


def _is_announced(page: DocumentFacts, one: Sighting) -> bool:
    """Whether a page's title says what a passage is about, or the line that the passage begins."""
    return any(is_headed_so(line, one.signal) for line in (page.title, one.snippet))


def _is_headed(sign: FileSigns, name: str, line: int) -> bool:
    """Whether an account stands under a heading that says so, or has one in its own section."""
    headings = [
        one.line
        for one in sign.sightings
        if (one.signal, one.kind) == (name, "documents") and not one.said
    ]
    sections = sign.page.sections if sign.page is not None else ()
    return any(
        part.first in (heading, line)
        and part.first <= min(heading, line)
        and max(heading, line) <= part.last
        for heading in headings
        for part in sections
    )


_SERVED = re.compile(r"(?:^|/)(?:public|static|www|htdocs|wwwroot|dist|assets)/")
_INDEX = re.compile(r"(?:^|/)index\.html?$")


def _is_public(path: str, loaded: frozenset[str]) -> bool:
    """Whether a page is one that code or another page names, or that is served where it stands."""
    return _SERVED.search(path) is not None or _is_named(path, loaded)


def _is_named(path: str, named: frozenset[str]) -> bool:
    name = posixpath.basename(path)
    return name in named or name.partition(".")[0] in named


def _list_linked(signs: Iterable[FileSigns]) -> frozenset[str]:
    """The names of pages that other pages take in or lead to."""
    return frozenset(posixpath.basename(one) for sign in signs for one in sign.starts)


def _list_rendered(signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The names by which pages are rendered without an ending."""
    return frozenset(
        posixpath.basename(tag[2:])
        for sign in signs.values()
        for function in (sign.facts.functions if sign.facts else ())
        for call in function.calls
        if call.callee.rpartition(".")[2] in ("render", "view", "renderFile", "render_template")
        for tag in call.given
        if tag[:2] == "t:" and " " not in tag
    )


def _list_loaded(signs: Mapping[str, FileSigns]) -> frozenset[str]:
    """The names of files that code names."""
    return frozenset(
        posixpath.basename(text)
        for sign in signs.values()
        for function in (sign.facts.functions if sign.facts else ())
        for text in function.says
        if "." in text and " " not in text and "://" not in text
    )


def _list_spans(facts: FileFacts | None) -> list[tuple[int, int]]:
    """The lines of a file's functions, the innermost first: a function need not have a name."""
    functions = facts.functions if facts else ()
    return sorted(((f.first, f.last) for f in functions if f.first), key=lambda s: s[1] - s[0])
