"""The scripts of components stay where they stand, and what cannot be read is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jurat.source.diff import FileChange, FunctionChange
from jurat.source.embedded import explain_unread_code, is_component, read_scripts
from jurat.source.file_text import attach_head_text, build_path_only_file
from jurat.source.functions import find_touched_functions
from jurat.source.suppressions import read_suppressions
from jurat.source.syntax import find_syntax_errors, parse
from tests.support.changes import changed_file, whole_file
from tests.support.code import added, changed
from tests.support.growth import LINEAR, measure_growth

CART = """\
<script lang="ts">
export default { name: "Cart" };
</script>
<script setup lang="ts" generic="T extends Record<string, any>">
import { run } from "./run";
const go = (é: string) => run(é);
</script>

<template>
  <p @click="go('<b>')">{{ total }}</p>
</template>

<style>p { color: red }</style>
"""


def test_a_script_keeps_its_lines_and_columns_and_all_else_is_blank() -> None:
    text, language, *_ = read_scripts("src/Cart.vue", CART)
    assert (len(text), text.count("\n"), language) == (len(CART), CART.count("\n"), "typescript")
    kept = {at for at, line in enumerate(text.split("\n"), 1) if line.strip()}
    assert kept == {2, 3, 5, 6, 7}
    for at, line in enumerate(text.split("\n")):
        if at in (1, 4, 5):
            assert line == CART.split("\n")[at]
    assert find_syntax_errors(text, "typescript") == 0


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.vue", "<script>\na();\n</script>\n", "javascript"),
        ("a.VUE", "<SCRIPT LANG='tsx'>a()</SCRIPT >", "tsx"),
        ("a.vue", "<script lang=ts>a()</script><script>b()</script>", "typescript"),
        ("a.vue", "<template><p/></template>", "javascript"),
        ("a.svelte", '<script context="module" lang="ts">a()</script>', "typescript"),
        ("a.svelte", "<script type='application/ld+json'>{}</script>", "javascript"),
        ("a.astro", "---\nconst a: T = 1;\n---\n<p/>\n", "typescript"),
        ("a.astro", "<script>const a: T = 1;</script>", "typescript"),
    ],
)
def test_the_language_is_what_all_scripts_are_written_in(
    path: str, text: str, language: str
) -> None:
    assert added(text, path).language == language


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("a.vue", '<p/>\n<script lang="coffee">a</script>', "line 2 is written in 'coffee'"),
        ("a.vue", "<script>\na();\n", "its script in line 1 is not ended"),
        ("a.vue", '<script lang="ts\n', "its script in line 1 is not ended"),
        ("a.svelte", "<script> /* <script> evil() // */ </script>", "may begin elsewhere"),
        ("a.svelte", "<script><!-- <script> </script>evil()", "may begin elsewhere"),
    ],
)
def test_what_cannot_be_read_is_read_by_no_grammar_and_said(path: str, text: str, why: str) -> None:
    file = added(text, path)
    assert why in explain_unread_code(path, text)
    assert not read_scripts(path, text).text.strip(" \n;")
    # Of one whose end is not known, nobody can tell what else is code.
    assert bool(file.unparsed) == ("coffee" not in text)
    assert why in file.unread_part


def test_what_cannot_be_read_counts_if_the_change_touches_it() -> None:
    text = '<p>A</p>\n<script\n  lang="coffee">\na\n</script>\n<p :a="b"/>\n<p v-html="c)"/>\n'

    def explain(old: str, new: str) -> str:
        return changed(text.replace(new, old), text, "a.vue").unread_part

    assert explain("<p>B", "<p>A") == ""
    assert explain(':a="c"', ':a="b"') == ""
    assert "line 3 is written in 'coffee'" in explain("\nb\n", "\na\n")
    assert "line 3 is written in 'coffee'" in explain('"ls"', '"coffee"')
    assert "line 2 is written" not in explain('"d"', '"c)"')
    assert "in line 7 is no expression" in explain('"d"', '"c)"')


def test_the_scripts_beside_one_that_cannot_be_read_are_read() -> None:
    text = '<script lang="coffee">a</script>\n<script lang="ts">b()</script>\n'
    assert read_scripts("a.vue", text).text.split() == [";", "b();"]
    assert added(text, "a.vue").language == "typescript"


@pytest.mark.parametrize("before", ['<script lang="coffee">a</script>', "<script>\na();\n"])
def test_the_language_is_that_of_the_newest_scripts(before: str) -> None:
    file = changed(before, '<script lang="ts">b();</script>', "a.vue")
    assert (file.language, file.unparsed) == ("typescript", None)


def test_what_markup_computes_is_said_to_be_unread() -> None:
    assert "markup" in explain_unread_code("Cart.vue", CART)
    assert "markup" in explain_unread_code("a.svelte", "<p>{@html a}</p>")
    assert explain_unread_code("a.vue", "<template><p class='a'>A</p></template>") == ""
    assert explain_unread_code("a.ts", "<p>{@html a}</p>") == ""
    assert "not at hand" in explain_unread_code("a.vue", None)


def test_a_script_behind_what_looks_like_a_comment_is_read() -> None:
    text = '<p>{"<!--"}</p>\n<script>evil()</script>\n<p>{"-->"}</p>'
    assert "evil()" in read_scripts("a.svelte", text).text


def test_two_scripts_in_one_line_are_two() -> None:
    text = read_scripts("a.svelte", "<script>a()</script><script>b()</script>").text
    calls = parse(text, "javascript").root().find_all(kind="call_expression")
    assert [call.text() for call in calls] == ["a()", "b()"]


def test_of_a_diff_alone_nobody_knows_where_a_script_is(tmp_path: Path) -> None:
    file = changed_file(tmp_path, "a.vue", CART, CART.replace("run(é)", "eval(é)"))
    assert (file.head, file.language) == (None, "typescript")
    assert "whole text" in (file.unparsed or "")


def test_a_component_that_was_not_read_may_be_in_any_language_of_scripts() -> None:
    assert "typescript" in build_path_only_file("a.vue").possible_languages
    assert is_component("a.vue")


def test_its_functions_are_found_and_a_rename_keeps_its_language(tmp_path: Path) -> None:
    file = whole_file(tmp_path, "a.vue", CART, CART.replace("run(é)", "run(é, 1)"))
    (function,) = find_touched_functions(file)
    assert (function.name, function.start_line) == ("go", 6)
    assert function.change is FunctionChange.CHANGED
    before = FileChange("b.vue", file.status, "a.vue", "typescript", base=CART).as_base()
    assert before is not None
    assert before.language == "typescript"
    assert attach_head_text(file, file.head or "").language == "typescript"


def test_suppressions_stand_in_scripts_and_in_markup() -> None:
    text = (
        "<template>\n<!-- jurat: ignore a.b until 2030-01-01 -- known -->\n<p/>\n</template>\n"
        "<script>\n// jurat: ignore c.d until 2030-01-01 -- known\ngo();\n</script>\n"
    )
    found = {(one.rule_id, one.line, one.target) for one in read_suppressions(added(text, "a.vue"))}
    assert found == {("a.b", 2, 3), ("c.d", 6, 7)}


@pytest.mark.parametrize("piece", ["<script>", "<script", "<script a='", "</script", "---\n", "{"])
def test_a_hostile_component_costs_no_more_than_its_length(piece: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        text = piece * (size // len(piece))
        paths = ("a.vue", "a.svelte", "a.astro")
        return lambda: [explain_unread_code(path, text) for path in paths]

    assert measure_growth(prepare, 20_000) < LINEAR
