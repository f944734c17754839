"""Repositories that are labelled for several clauses each, in two halves.

Labels were taken from what a clause demands, before anything was rated. From the half named "tune"
the rater was mended; of the half named "kept" only totals were looked at until the figures on the
page were made. A third set is by a stranger, in an open half and one that is kept; a fourth came
after that, two more strangers' after it, and three more strangers' last.
A repository may be built `from` an earlier one: it has its files and its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "rating"
HALVES = ("tune", "kept")
STRANGERS = "strangers"
STRANGERS_KEPT = "strangers-kept"
"""A third set, whose author never saw what rates: of the half that is kept only totals are read."""
LATER = "later"
"""Written once the open half of the strangers' was mended from, in styles that were thin."""
PRODUCTS = ("products-1", "products-2")
"""By two strangers more, product by product: rated before anything was mended from them."""
PRODUCTS_KEPT = tuple(f"{name}-kept" for name in PRODUCTS)
"""The other halves of the same two, of which only totals are read."""
WHOLE, WHOLE_KEPT = "whole", "whole-kept"
"""By three strangers more, by field: what holds and what looks alike, with documents and code."""
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
