"""What functions do as evidence: each sign with its line, and where what carries it begins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.tied import explain_untied
from jurat.rating.behaviours.uses.purpose import find_purposes
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.file_signs import FileSigns
from jurat.rating.signals.recon_table import ProbeKey, SignalSource
from jurat.rating.signals.sightings import cut_line
from jurat.rating.support import Support
from jurat.rating.texts.fields import find_stated_fields

_FRONT = re.compile(r"README(?:\.\w+)?", re.IGNORECASE)
"""The page on which a maker says what a system is for: by law that is its purpose."""


def iter_behaviour_evidence(
    sources: Iterable[SignalSource],
    support: Support,
    signs: Mapping[str, FileSigns],
    doubts: Mapping[Sign, str],
    purposes: Iterable[Sign],
) -> Iterator[tuple[ProbeKey, SignalEvidence]]:
    """What functions do, and are for, by the probes that ask for it.

    `doubts` are of some signs, `purposes` what `list_purposes` says.
    """
    wanted = _group_by_behaviour(sources)
    seen = (*support.signs, *purposes)
    snippets = _show_lines(seen, signs)
    for one in seen:
        path = one.function[0]
        function = support.conduct.facts(one.function)
        for key in wanted[one.behaviour]:
            doubt = doubts.get(one, "") or explain_untied(support.conduct, one)
            evidence = SignalEvidence(
                path, one.line, snippets[path, one.line], key[1], function.first, function.last,
                "behaviours", one.behaviour, _list_places(support, one), doubt,
            )  # fmt: skip
            yield key, evidence
    yield from _iter_stated_purposes(wanted, support)


def list_purposes(support: Support) -> tuple[Sign, ...]:
    """What the system is for, as its functions say, and the pages of a small one."""
    # Of a large program no page is read for what it is for.
    pages = support.pages.values() if is_small(support.conduct) else ()
    said = " ".join(line for page in pages for line in page.list_lines()).lower()
    return tuple(find_purposes(support.conduct, said))


def _group_by_behaviour(sources: Iterable[SignalSource]) -> Mapping[str, list[ProbeKey]]:
    wanted: defaultdict[str, list[ProbeKey]] = defaultdict(list)
    for source in sources:
        for number, probe in enumerate(source.probes):
            for behaviour in probe.behaviours:
                wanted[behaviour].append((source.name, number))
    return wanted


def _show_lines(
    seen: Iterable[Sign], signs: Mapping[str, FileSigns]
) -> Mapping[tuple[str, int], str]:
    """The lines of signs as evidence shows them, "" for one that is not there."""
    at: defaultdict[str, set[int]] = defaultdict(set)
    for one in seen:
        at[one.function[0]].add(one.line)
    found = {}
    for path, numbers in at.items():
        lines = signs[path].unpack().split("\n")
        for number in numbers:
            is_there = 0 < number <= len(lines)
            found[path, number] = cut_line(lines[number - 1]) if is_there else ""
    return found


def _iter_stated_purposes(
    wanted: Mapping[str, Iterable[ProbeKey]], support: Support
) -> Iterator[tuple[ProbeKey, SignalEvidence]]:
    """The fields of use that the front page tells: they classify, and prove nothing."""
    for path, page in support.pages.items():
        if not (_FRONT.fullmatch(path) and page.sections):
            continue
        lines = page.list_lines()
        first = next((line for line in lines if line.strip()), "")
        stated = [f"decided_{name}" for name in find_stated_fields(" ".join(lines).lower())]
        for key in dict.fromkeys(key for name in stated for key in wanted.get(name, ())):
            yield key, SignalEvidence(path, 1, cut_line(first), key[1], kind="documents")


def _list_places(support: Support, sign: Sign) -> tuple[tuple[str, int], ...]:
    """Where the functions begin that carry a sign, but for the one that shows it."""
    others = sorted(sign.carriers - {sign.function})
    places = ((path, support.conduct.facts((path, number)).first) for path, number in others)
    return tuple((path, line) for path, line in places if line)
