"""The candidates of `bylaw rules rank`: a JSON list, read strictly and written in its new order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

from pydantic import Field

from bot.corpus.rule import Authority
from bot.corpus.validation import StrictModel, raise_all, validate
from bot.errors import FileError
from bot.selection.authority import Candidate, Ranked
from bot.selection.vocabulary import Vocabulary, authority_problems
from bot.subjects.strict_yaml import Document

_DIGITS = 6
"""Of a score when written: more would be the noise of binary fractions."""


class Row(StrictModel):
    """One candidate. `score` is its relevance to the query, a similarity."""

    id: str = Field(min_length=1)
    score: Annotated[float, Field(strict=True, ge=-1, le=1)]
    text: str = ""
    references: tuple[str, ...] = ()
    authority: Authority | None = None


class _Rows(StrictModel):
    candidates: tuple[Row, ...]


def parse_candidates(text: str, path: str, vocabulary: Vocabulary) -> tuple[Row, ...]:
    """The rows of a file. Raises a FileError for the first fault, with the others in `further`."""
    try:
        data = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unambiguous)
    except json.JSONDecodeError as error:
        raise FileError(path, error.lineno, "", f"is not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(path, 0, "", f"cannot be read: {error}") from None
    if not isinstance(data, list):
        problem = "must hold a list of candidates"
        raise FileError(path, 0, "", problem, hint='Such as [{"id": "gdpr.art-7", "score": 0.66}].')
    # JSON's parser tells no lines of values: an error names the key, and line 0 is no line.
    rows = validate(_Rows, Document({"candidates": data}, {(): 0}), path, FileError).candidates
    raise_all(
        FileError(path, 0, f"candidates[{at}].authority.{key}", problem)
        for at, row in enumerate(rows)
        for key, problem in authority_problems(row.authority or Authority(), vocabulary)
    )
    return rows


def candidates_of(rows: Sequence[Row]) -> list[Candidate]:
    """The rows as the ranking takes them."""
    return [Candidate(row.id, row.score, row.text, row.references, row.authority) for row in rows]


def ranked_rows(ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    """The rows in their new order, each with its computed `score`, and `why` which adds up to it.

    A row holds what it held: an `authority` block shows the keys that were given.
    """
    return [_row(item) for item in ranked]


def _row(item: Ranked) -> dict[str, Any]:
    candidate = item.candidate
    row: dict[str, Any] = {
        "id": candidate.id,
        "score": round(item.score, _DIGITS),
        "text": candidate.text,
        "references": list(candidate.references),
    }
    if candidate.authority is not None:
        row["authority"] = candidate.authority.model_dump(mode="json", exclude_unset=True)
    row["why"] = [
        {"amount": round(part.amount, _DIGITS), "reason": part.reason} for part in item.why
    ]
    return row


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no score")


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return data
