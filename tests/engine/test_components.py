"""Rules about JavaScript and TypeScript read the scripts of components, on their own lines."""

from __future__ import annotations

import pytest

from jurat.engine.code_matches import CodeMatches
from jurat.engine.code_scan import scan_code
from jurat.engine.fixes import apply_fixes
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule
from jurat.source.parsing import parse_in_process
from tests.support.code import added

RULES = load_ruleset(read_pack("engineering")).rules
EVAL, DEBUGGER = RULES["js.eval"], RULES["js.debugger-left"]


def search(rule: Rule, path: str, text: str) -> CodeMatches:
    (matches,) = scan_code([(rule, [added(text, path)])], parse_in_process)
    return matches


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            "src/Cart.vue",
            "<template>\n  <p/>\n</template>\n<script setup lang='ts'>\n"
            "const a: string = location.hash;\neval(a);\n</script>\n",
            6,
        ),
        ("src/Cart.svelte", "<script>\n  eval(location.hash);\n</script>\n<p/>\n", 2),
        ("src/cart.astro", "---\nconst a = 1;\n---\n<script>eval(location.hash)</script>\n", 4),
    ],
)
def test_what_a_script_does_is_found_where_it_stands(path: str, text: str, line: int) -> None:
    (place,) = search(EVAL, path, text).places
    assert (place.location.file_path, place.location.start_line) == (path, line)


def test_what_is_written_in_markup_alone_is_no_code() -> None:
    markup = "<template>\n<p>eval(location.hash)</p>\n</template>\n"
    assert not search(EVAL, "a.vue", markup).places


def test_a_fix_keeps_what_stands_around_a_script_in_its_line() -> None:
    text = "<p/><script>go(); debugger;</script><b/>\n"
    (fix,) = search(DEBUGGER, "a.svelte", text).remediations
    assert apply_fixes(text, [fix]) == "<p/><script>go(); </script><b/>\n"


VUE = """\
<script setup>
import { marked } from "marked";
import { ref } from "vue";
import DOMPurify from "dompurify";
const props = defineProps({ post: Object });
const icon = ref("<b></b>");
const text = ref("");
function load() { text.value = marked(props.post.body); }
</script>
<template>
  <p v-html="%s"></p>
</template>
"""


@pytest.mark.parametrize(
    "value",
    ["post.body", "marked(props.post.body)", "text", "$route.query.a", "`<b>${post.title}</b>`"],
)
def test_what_markup_puts_into_the_page_unescaped_is_followed(value: str) -> None:
    (place,) = search(RULES["js.markup-trusted"], "a.vue", VUE % value).places
    assert place.location.start_line == 11
    assert "v-html" in str(place.location.fields["snippet"])
    assert "`v-html`" in place.message
    assert "$" not in place.message.replace("$route", "")


@pytest.mark.parametrize(
    "value",
    [
        "icon",
        "'<b></b>'",
        "DOMPurify.sanitize(post.body)",
        "$t('a.b', { name: post.title })",
        "other",
    ],
)
def test_what_nobody_else_wrote_is_put_there_in_peace(value: str) -> None:
    assert not search(RULES["js.markup-trusted"], "a.vue", VUE % value).places


def test_a_fix_below_markup_that_is_longer_as_code_is_of_its_line() -> None:
    text = "{@html a}\n<script>\ndebugger;\ngo();\n</script>\n"
    (fix,) = search(DEBUGGER, "a.svelte", text).remediations
    assert apply_fixes(text, [fix]) == "{@html a}\n<script>\ngo();\n</script>\n"
