"""Globs: words that a pattern needs only spare work, and never decide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.source.paths import compile_glob, match_glob

_PARTS = st.sampled_from(
    [
        "a",
        "ab",
        "b.py",
        "A",
        "*",
        "**",
        "?",
        "{a,b}",
        "{ab}",
        "{a,{b,c}}",
        "{",
        "}",
        "[ab]",
        "[",
        ".",
    ]
)
_PATTERNS = st.lists(st.lists(_PARTS, max_size=3).map("".join), min_size=1, max_size=4)
_NAMES = st.lists(st.sampled_from(["a", "ab", "b.py", "A", ".a", "{ab}", "c"]), max_size=4)


@given(pattern=_PATTERNS.map("/".join), path=_NAMES.map("/".join))
def test_the_quick_look_at_words_changes_no_answer(pattern: str, path: str) -> None:
    assert match_glob(pattern, path) == compile_glob(pattern).match(path)


@pytest.mark.parametrize("path", ["Docs/guide.md", "docs/GUIDE.md"])
def test_a_glob_means_the_same_paths_on_every_system(path: str) -> None:
    assert match_glob("docs/*.md", "docs/guide.md")
    assert not match_glob("docs/guide.md", path)
