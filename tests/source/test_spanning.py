"""Which lines of a page hang together."""

from __future__ import annotations

import time

import pytest

from jurat.source.spanning import list_spanning


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a\n{{ b\n}}\nc\n", [(1, 2)]),
        ("{{ a\n}} {% b\n\n%}\n", [(0, 3)]),
        ("<a b='\n>'\n>c\n", [(0, 2)]),
        ("<% a\n%>\nb\n${c\n}", [(0, 1), (3, 4)]),
        ("{{ a }}\n<b>\n${c}\n", []),
        ("{{ a\nb\n", []),
        ("a < b\n> c\n", []),
    ],
)
def test_lines_hang_together(text: str, rows: list[tuple[int, int]]) -> None:
    assert list_spanning(text) == rows


@pytest.mark.parametrize("piece", ["{{\n", "<a '\n", "<a \"'\n", "}}\n", "<a\n", "${\n}"])
def test_it_takes_time_in_proportion(piece: str) -> None:
    started = time.process_time()
    list_spanning(piece * 200_000)
    assert time.process_time() - started < 3
