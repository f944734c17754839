"""Repositories that are labelled for several clauses each, in sets of two halves.

Labels were taken from what a clause demands, before anything was rated. The rater is mended from
the open half of a set; of the half named "kept" totals alone are looked at. Each set but the first
was written for its purpose by people who never saw what rates, after the mends from the one before:

    tune, kept   by the rater's authors, before it was written anew
    strangers    by one stranger
    later        once the strangers' open half was mended from, in styles that were thin
    products-1   by two strangers, product by product
    products-2
    whole        by three, by field: what holds and what looks alike, with documents and code
    small        by one, small programs
    young        by one, of the size of young products
    teams        by one, small programs again
    firms        by one, of 14 to 16 files
    tenth        by one, of 5 to 8 files, each product bare and with its controls
    eleventh     by one, of 4 to 9 files, each product bare, with its controls, and changed
    twelfth      by one, of the same kind and size, by other products
    thirteenth   by one, of the same kind again, after the mends from the twelfth
    fourteenth   by one, of the same kind again, after the mends from the thirteenth
    fifteenth    by one, of the same kind again, after the mends from the fourteenth
    sixteenth    by one, small programs of many countries, after the mends from the fifteenth
    seventeenth  by one, of the same kind again, after the mends from the sixteenth
    eighteenth   by one, of the same kind again, after the mends from the seventeenth
    nineteenth   by one, the same products' kind in other words and languages, at the same time
    twentieth    by one, five ways and three look-alikes of eight clauses that were seen least
    twenty-first by another, the same of eight others

Beside them, `examples` and `listed` are the rater's authors' own, one idea or one way each: no
figure is told of them.
A repository may be built `from` an earlier one: it has its files and its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "rating"
FIRST = ("tune", "kept")
SETS = (
    *("twenty-first", "twenty-first-kept"),
    *("twentieth", "twentieth-kept"),
    *("nineteenth", "nineteenth-kept"),
    *("eighteenth", "eighteenth-kept"),
    *("seventeenth", "seventeenth-kept"),
    *("sixteenth", "sixteenth-kept"),
    *("fifteenth", "fifteenth-kept"),
    *("fourteenth", "fourteenth-kept"),
    *("thirteenth", "thirteenth-kept"),
    *("twelfth", "twelfth-kept"),
    *("eleventh", "eleventh-kept"),
    *("tenth", "tenth-kept"),
    *("firms", "firms-kept", "teams", "teams-kept"),
    *("young", "young-kept", "small", "small-kept", "whole", "whole-kept"),
    *("products-1", "products-2", "products-1-kept", "products-2-kept"),
    *("strangers", "strangers-kept", "later", "kept", "tune"),
)
"""All halves, the newest first."""
_REGULATIONS = {"": "eu-ai-act", "gdpr": "gdpr", "nist": "nist-ai-rmf"}


@dataclass(frozen=True)
class ClauseLabel:
    """Whether a repository meets a clause, or does what it prohibits."""

    regulation: str
    clause: str
    holds: bool


@dataclass(frozen=True)
class ClauseRepository:
    """A repository with its labels."""

    name: str
    half: str
    labels: tuple[ClauseLabel, ...]
    files: Mapping[str, str]


def read_repositories(half: str) -> Iterator[ClauseRepository]:
    """The repositories of a half, in order."""
    known: dict[str, Mapping[str, str]] = {}
    text = (FOLDER / f"clauses-{half}.txt").read_text("utf-8")
    for block in re.split(r"(?m)^@@@ ", text)[1:]:
        head, _, rest = block.partition("\n")
        who, _, labels = head.partition(": ")
        name, _, base = who.partition(" from ")
        parts = re.split(r"(?m)^--- (\S+)\n", rest)[1:]
        files = {**known.get(base, {}), **dict(zip(parts[::2], parts[1::2], strict=True))}
        known[name] = files
        yield ClauseRepository(name, half, tuple(map(_read_label, labels.split())), files)


def _read_label(label: str) -> ClauseLabel:
    """`+12(1)`, `-gdpr:17`, `+nist:MAP-1.1`."""
    regulation, _, clause = label[1:].rpartition(":")
    clause = clause.replace("-", " ") if regulation == "nist" else clause
    return ClauseLabel(_REGULATIONS[regulation], clause, label[0] == "+")
