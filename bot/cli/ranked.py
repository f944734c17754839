"""What `bylaw rules rank` reads and prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.errors import FileError, UsageError
from bot.publishing.plaintext import one_line
from bot.selection.authority import Ranked, rerank_by_authority
from bot.selection.ranking_file import candidates_of, parse_candidates, ranked_rows
from bot.selection.vocabulary import read_vocabulary, shipped_vocabulary


def print_ranking(query: str, candidates: Path, vocabulary: Path | None, *, as_json: bool) -> None:
    """Print the candidates in their new order. Raises UsageError or FileError on bad input."""
    terms = shipped_vocabulary() if vocabulary is None else read_vocabulary(vocabulary)
    text, name = _read(candidates)
    rows = parse_candidates(text, name, terms)
    ranked = rerank_by_authority(query, candidates_of(rows), terms)
    if as_json:
        sys.stdout.write(json.dumps(ranked_rows(ranked), indent=2) + "\n")
    else:
        sys.stdout.write(_as_text(ranked))


def _read(path: Path) -> tuple[str, str]:
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(f"--candidates: {path} cannot be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8-sig"), name
    except UnicodeDecodeError:
        raise FileError(name, 0, "", "is not UTF-8 text") from None


def _as_text(ranked: Sequence[Ranked]) -> str:
    """One paragraph a candidate: its place, score and id, and below them what made the score."""
    lines: list[str] = []
    for place, item in enumerate(ranked, 1):
        lines.append(f"{place:3}. {item.score:6.3f}  {one_line(item.candidate.id)}")
        lines += (f"     {part.amount:+6.3f}  {one_line(part.reason)}" for part in item.why)
    return "".join(f"{line}\n" for line in lines)
