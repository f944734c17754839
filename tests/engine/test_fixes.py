from __future__ import annotations

import pytest
from ast_grep_py import SgRoot
from hypothesis import given
from hypothesis import strategies as st

from jurat.engine.fixes import Replacement, apply_fixes, build_line_fixes, fill_template


def filled(source: str, pattern: str, template: str, language: str = "python") -> str:
    """The source with the template in place of the first match."""
    match = SgRoot(source, language).root().find(pattern=pattern)
    assert match is not None
    text = fill_template(template, match, source)
    assert text is not None
    span = match.range()
    return source[: span.start.index] + text + source[span.end.index :]


class TestFill:
    def test_metavariables_are_filled_in(self) -> None:
        assert filled("x = f(a, b)", "f($A, $B)", "g($B, $A)") == "x = g(b, a)"

    def test_many_keep_what_stands_between_them(self) -> None:
        assert filled("f(a,  b,c)", "f($$$ALL)", "g($$$ALL)") == "g(a,  b,c)"
        assert filled("f()", "f($$$ALL)", "g($$$ALL)") == "g()"

    def test_offsets_count_characters_and_not_bytes(self) -> None:
        source = "s = '😀é👍'; f('😀', b); t = '😀'"
        assert filled(source, "f($A, $B)", "g($B, $A)") == "s = '😀é👍'; g(b, '😀'); t = '😀'"

    def test_further_lines_of_a_template_are_indented_like_the_match(self) -> None:
        source = "def f():\n    if a:\n        old(x)\n"
        template = "if $X:\n    new($X)\n\nelse:\n    pass\n"
        assert filled(source, "old($X)", template) == (
            "def f():\n    if a:\n        if x:\n            new(x)\n\n"
            "        else:\n            pass\n"
        )

    def test_a_capture_of_several_lines_moves_as_a_block(self) -> None:
        source = "def f():\n    old(\n        a,\n        b,\n    )\n"
        assert filled(source, "old($$$ALL)", "with c:\n    new(\n        $$$ALL\n    )") == (
            "def f():\n    with c:\n        new(\n            a,\n            b,\n        )\n"
        )

    def test_windows_line_ends_are_kept(self) -> None:
        source = "def f():\r\n    old(x)\r\n"
        assert filled(source, "old($X)", "a($X)\nb($X)") == "def f():\r\n    a(x)\r\n    b(x)\r\n"

    def test_an_unbound_variable_gives_no_fix(self) -> None:
        match = SgRoot("f(a)", "python").root().find(pattern="f($A)")
        assert match is not None
        assert fill_template("g($B)", match, "f(a)") is None

    def test_a_dollar_that_is_no_metavariable_stays(self) -> None:
        assert filled("f(a)", "f($A)", "`${$A} $x`", "javascript") == "`${a} $x`"


def remedied(source: str, *edits: tuple[str, str]) -> tuple[str, list[tuple[str, int, int]]]:
    """The source after replacing each old text, through remediations."""
    replacements = []
    for old, new in edits:
        start = source.index(old)
        replacements.append(Replacement(start, start + len(old), new))
    fixes = build_line_fixes("a.py", source, replacements, "why")
    places = [(fix.type, fix.start_line or 0, fix.end_line or 0) for fix in fixes]
    return apply_fixes(source, fixes), places


class TestLineRemediations:
    def test_whole_lines_are_replaced(self) -> None:
        assert remedied("a\nb = old\nc\n", ("old", "new")) == (
            "a\nb = new\nc\n",
            [("replace", 2, 2)],
        )

    def test_fixes_on_one_line_become_one(self) -> None:
        assert remedied("a\nb = old + older\n", ("old ", "new "), ("older", "newer")) == (
            "a\nb = new + newer\n",
            [("replace", 2, 2)],
        )

    def test_fixes_whose_lines_meet_become_one(self) -> None:
        source = "one(\n) + two(\n)\nthree\n"
        text, places = remedied(source, ("one(\n)", "1"), ("two(\n)", "2"), ("three", "3"))
        assert text == "1 + 2\n3\n"
        assert places == [("replace", 1, 3), ("replace", 4, 4)]

    def test_a_line_of_which_nothing_is_left_goes_away(self) -> None:
        assert remedied("a\n  old  \nb\n", ("old", "")) == ("a\nb\n", [("delete", 2, 2)])
        assert remedied("a\nold", ("old", "")) == ("a", [("delete", 2, 2)])
        assert remedied("a\nold;\nb\n", ("old", "")) == ("a\n;\nb\n", [("replace", 2, 2)])

    def test_blank_lines_are_left_alone(self) -> None:
        assert remedied("a\n\nold\n\nb\n", ("old", "")) == ("a\n\n\nb\n", [("delete", 3, 3)])
        assert remedied("old(\n\n)\n", ("old(\n\n)", "x\n\ny")) == (
            "x\n\ny\n",
            [("replace", 1, 3)],
        )

    def test_windows_line_ends_stay_in_original_and_replacement(self) -> None:
        (fix,) = build_line_fixes("a.py", "a\r\nold\r\n", [Replacement(3, 6, "new")], "")
        assert (fix.original, fix.replacement) == ("old\r", "new\r")

    def test_of_overlapping_fixes_the_widest_counts(self) -> None:
        fixes = build_line_fixes(
            "a.py", "f(f(x))", [Replacement(2, 6, "inner"), Replacement(0, 7, "outer")], ""
        )
        assert [fix.replacement for fix in fixes] == ["outer"]

    def test_one_unsure_fix_makes_the_line_unsure(self) -> None:
        edits = [Replacement(0, 1, "x"), Replacement(2, 3, "y", auto_applicable=False)]
        (fix,) = build_line_fixes("a.py", "a b", edits, "")
        assert not fix.auto_applicable

    def test_a_text_that_has_changed_is_not_patched(self) -> None:
        fixes = build_line_fixes("a.py", "old\n", [Replacement(0, 3, "new")], "")
        with pytest.raises(ValueError, match="are not what the fix replaces"):
            apply_fixes("other\n", fixes)

    @given(
        st.text("ab \n😀", max_size=40),
        st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6), st.text("xy\n", max_size=4))),
    )
    def test_applying_them_equals_editing_the_text(
        self, source: str, cuts: list[tuple[int, int, str]]
    ) -> None:
        edits: list[Replacement] = []
        for start, length, new in sorted(cuts):
            end = min(start + length, len(source))
            if end > start and (not edits or start >= edits[-1].end) and new:
                edits.append(Replacement(start, end, new))
        expected = source
        for edit in reversed(edits):
            expected = expected[: edit.start] + edit.text + expected[edit.end :]
        fixes = build_line_fixes("a.py", source, edits, "")
        assert apply_fixes(source, fixes) == expected
        lines = [line for fix in fixes for line in range(fix.start_line or 0, fix.end_line or 0)]
        assert len(lines) == len(set(lines))
