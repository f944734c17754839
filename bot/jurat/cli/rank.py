"""`jurat rules rank`: the last step of rule selection alone, for tuning and for tests."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import Field

from jurat.cli.options import Form
from jurat.errors import FileError, UsageError
from jurat.rules.authority import Candidate, RankedCandidate, rerank_by_authority
from jurat.rules.rule import Authority
from jurat.rules.validation import StrictModel, raise_errors, validate_document
from jurat.rules.vocabulary import (
    Vocabulary,
    find_authority_problems,
    load_shipped_vocabulary,
    read_vocabulary,
)
from jurat.source.strict_yaml import Document
from jurat.source.visible_text import escape_json, to_terminal_line


def rank(
    *,
    query: Annotated[
        str, typer.Option(metavar="TEXT", help="What is asked, such as a pull request's title.")
    ],
    candidates: Annotated[
        Path,
        typer.Option(
            metavar="FILE|-",
            help="JSON list of {id, score, text, references, authority}, - for standard input; "
            "score is the relevance, from 0 to 1.",
        ),
    ],
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Source classes, domains and bodies. [default: Jurat's own]"
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the ranking.")] = Form.TEXT,
) -> None:
    """Order candidates by authority, as the last step of rule selection does, and say why.

    Nothing is dropped: the output holds every candidate with its computed score.
    """
    print_ranking(query, candidates, vocabulary, as_json=form is Form.JSON)


def print_ranking(query: str, candidates: Path, vocabulary: Path | None, *, as_json: bool) -> None:
    """Print the candidates in their new order. Raises UsageError or FileError on bad input."""
    terms = load_shipped_vocabulary() if vocabulary is None else read_vocabulary(vocabulary)
    text, name = _read(candidates)
    rows = parse_candidates(text, name, terms)
    ranked = rerank_by_authority(query, to_candidates(rows), terms)
    if as_json:
        sys.stdout.write(escape_json(json.dumps(to_ranked_rows(ranked), indent=2)) + "\n")
    else:
        sys.stdout.write(_render_text(ranked))


def _read(path: Path) -> tuple[str, str]:
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"--candidates: {path} cannot be read: {error.strerror}.",
            hint="See `jurat rules rank --help` for what --candidates takes.",
        ) from None
    try:
        return data.decode("utf-8-sig"), name
    except UnicodeDecodeError:
        raise FileError(name, 0, "", "is not UTF-8 text; save it as UTF-8") from None


def _render_text(ranked: Sequence[RankedCandidate]) -> str:
    """One paragraph a candidate: its place, score and id, and below them what made the score."""
    lines: list[str] = []
    for place, item in enumerate(ranked, 1):
        lines.append(f"{place:3}. {item.score:6.3f}  {to_terminal_line(item.candidate.id)}")
        lines += (f"     {part.amount:+6.3f}  {to_terminal_line(part.reason)}" for part in item.why)
    return "".join(f"{line}\n" for line in lines)


# The candidates of `jurat rules rank`: a JSON list, read strictly and written in its new order.

_DIGITS = 6
"""Of a score when written: more would be the noise of binary fractions."""


class RankingRow(StrictModel):
    """One candidate. `score` is its relevance to the query, a similarity."""

    id: str = Field(min_length=1)
    score: Annotated[float, Field(strict=True, ge=-1, le=1)]
    text: str = ""
    references: tuple[str, ...] = ()
    authority: Authority | None = None


class _Rows(StrictModel):
    candidates: tuple[RankingRow, ...]


def parse_candidates(text: str, path: str, vocabulary: Vocabulary) -> tuple[RankingRow, ...]:
    """The rows of a file. Raises a FileError for the first fault, with the others in `further`."""
    try:
        data = json.loads(text, parse_constant=_refuse, object_pairs_hook=_check_unambiguous)
    except json.JSONDecodeError as error:
        raise FileError(path, error.lineno, "", f"is not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(path, 0, "", f"cannot be read: {error}") from None
    if not isinstance(data, list):
        problem = "must hold a list of candidates"
        raise FileError(path, 0, "", problem, hint='Such as [{"id": "gdpr.art-7", "score": 0.66}].')
    # JSON's parser tells no lines of values: an error names the key, and line 0 is no line.
    rows = validate_document(
        _Rows, Document({"candidates": data}, {(): 0}), path, FileError
    ).candidates
    raise_errors(
        FileError(path, 0, f"candidates[{at}].authority.{key}", problem)
        for at, row in enumerate(rows)
        for key, problem in find_authority_problems(row.authority or Authority(), vocabulary)
    )
    return rows


def to_candidates(rows: Sequence[RankingRow]) -> list[Candidate]:
    """The rows as the ranking takes them."""
    return [Candidate(row.id, row.score, row.text, row.references, row.authority) for row in rows]


def to_ranked_rows(ranked: Sequence[RankedCandidate]) -> list[dict[str, Any]]:
    """The rows in their new order, each with its computed `score`, and `why` which adds up to it.

    A row holds what it held: an `authority` block shows the keys that were given.
    """
    return [_check_row(item) for item in ranked]


def _check_row(item: RankedCandidate) -> dict[str, Any]:
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


def _check_unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return data
