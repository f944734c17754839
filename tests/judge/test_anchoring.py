from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import SubjectKind
from jurat.judge.excerpts import Excerpt, build_file_excerpt
from jurat.judge.quotes import find_quote
from jurat.judge.replies import QuotedFinding
from jurat.source.diff import FileChange, Function, FunctionChange
from tests.support.gemini import a_diff


def shown(file: FileChange) -> Excerpt:
    return build_file_excerpt(file, SubjectKind.CODE_DIFF)


def lines_of(quote: str, *files: FileChange, source: str = "", **hints: Any) -> list[int] | None:
    anchor = find_quote(QuotedFinding(quote, source, hints), [shown(file) for file in files])
    return None if anchor is None else [row.line or 0 for row in anchor.rows]


FILE = a_diff(
    "a.py", " def f():", "-    go(1)", "+    go(2)", " ", "+    stop(  3 )", " end", first=10
)


def test_a_quote_is_found_on_its_line() -> None:
    assert lines_of("go(2)", FILE) == [11]
    assert lines_of("    go(2)", FILE) == [11]


def test_a_quote_over_several_lines_skips_what_was_removed() -> None:
    assert lines_of("def f():\n    go(2)", FILE) == [10, 11]


def test_white_space_may_differ_where_nothing_matches_exactly() -> None:
    assert lines_of("stop( 3 )", FILE) == [13]
    assert lines_of("def  f():\ngo(2)", FILE) == [10, 11]


def test_a_removed_line_is_no_place() -> None:
    assert lines_of("go(1)", FILE) is None


def test_what_does_not_stand_there_is_not_found() -> None:
    assert lines_of("go(22)", FILE) is None
    assert lines_of("GO(2)", FILE) is None
    assert lines_of("11+    go(2)", FILE) is None
    assert lines_of("", FILE) is None
    assert lines_of("  \n ", FILE) is None


def test_a_quote_too_short_to_tell_must_be_a_whole_line() -> None:
    assert lines_of("d", FILE) is None
    assert lines_of("}", a_diff("a.c", "+if (x) {", "+}")) == [2]


def test_a_quote_must_stand_in_the_file_that_is_named() -> None:
    other = a_diff("b.py", "+    go(2)", first=50)
    assert lines_of("go(2)", FILE, other, source="b.py") == [50]
    assert lines_of("go(2)", FILE, source="b.py") is None
    assert lines_of("stop(  3 )", FILE, other, source="b.py") is None


def test_the_heading_names_a_file_as_well_as_its_path_does() -> None:
    assert lines_of("go(2)", FILE, source="a.py (modified)") == [11]


TWICE = a_diff("a.py", " retry()", "+x = 1", "+retry()", " y", "+retry()", " retry()")


def test_of_equal_quotes_the_added_one_is_taken() -> None:
    assert lines_of("retry()", TWICE) == [3]


def test_of_equal_quotes_the_line_that_is_named_is_taken() -> None:
    assert lines_of("retry()", TWICE, start_line=5) == [5]
    assert lines_of("retry()", TWICE, start_line=6) == [6]


def test_of_equal_quotes_the_one_in_the_named_function_is_taken() -> None:
    functions = (
        Function("f", "A.f", "method", FunctionChange.CHANGED, 1, 3),
        Function("g", "A.g", "method", FunctionChange.CHANGED, 4, 6),
        Function("g", "B.g", "method", FunctionChange.REMOVED, 1, 3),
    )
    file = a_diff("a.py", "+go()", "+x", "+y", "+go()", "+z", "+z", functions=functions)
    assert lines_of("go()", file, function_name="g") == [4]
    assert lines_of("go()", file, function_name="A.f") == [1]
    assert lines_of("go()", file, function_name="h", start_line=4) == [4]


def test_a_hint_that_fits_nothing_is_passed_over() -> None:
    assert lines_of("go(2)", FILE, function_name="nowhere", start_line=999) == [11]


def test_a_quote_that_is_everywhere_costs_little() -> None:
    hostile = a_diff("a.js", "+" + "aa " * 60_000)
    assert lines_of("aa aa", hostile) == [1]


def test_what_was_made_visible_is_quoted_as_it_was_shown() -> None:
    file = a_diff("a.py", "+if admin\u202e: # check")
    assert lines_of("admin⟦U+202E⟧:", file) == [1]
    # However a model writes down what it was shown: it reads the same.
    assert lines_of("admin\u202e:", file) == lines_of("if admin:", file) == [1]


TEXTS = st.text(st.sampled_from("ab \t()"), min_size=1, max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.data())
def test_every_run_of_shown_lines_is_found_where_it_stands(
    texts: list[str], data: st.DataObject
) -> None:
    excerpt = shown(a_diff("a.py", *(f"+{text}" for text in texts)))
    start = data.draw(st.integers(0, len(texts) - 1))
    end = data.draw(st.integers(start, len(texts) - 1))
    quote = "\n".join(texts[start : end + 1])
    anchor = find_quote(QuotedFinding(quote), [excerpt])
    if not quote.strip():
        assert anchor is None
    elif len(quote.strip("\n")) >= 3:
        assert anchor is not None
        assert anchor.text == quote.strip("\n")
        assert anchor.exact
