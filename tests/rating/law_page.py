"""The table of dates and sources in docs/rating.md: `python -m tests.rating.law_page` writes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from jurat.cli.law import describe_bound, describe_dates
from jurat.rating.law import load_regulations

PAGE = Path(__file__).parents[2] / "docs" / "rating.md"
_HEAD = "| clause | applies | binds | by | source |\n|---|---|---|---|---|\n"
_AMENDED = dt.date(9999, 1, 1)


def render_table() -> str:
    """Every clause of every pack, with all amendments applied."""
    return _HEAD + "".join(f"{row}\n" for row in _iter_rows())


def _iter_rows() -> Iterator[str]:
    for pack in load_regulations(_AMENDED):
        for clause in pack.clauses:
            by = "; ".join(dict.fromkeys(item.by for item in clause.applies))
            cells = (
                f"{pack.regulation.name} {clause.article}: {clause.title}",
                describe_dates(clause),
                describe_bound(clause).removeprefix("binds "),
                by,
                f"[text]({clause.link})",
            )
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Put the table in the place of the one that the page has."""
    text = PAGE.read_text("utf-8")
    PAGE.write_text(text.partition(_HEAD)[0] + render_table(), "utf-8")


if __name__ == "__main__":
    main()
