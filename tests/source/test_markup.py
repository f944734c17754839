"""What markup puts into a page unescaped is a call on its own line."""

from __future__ import annotations

import time

import pytest

from jurat.source.embedded import explain_unread_code, read_scripts
from jurat.source.markup import spell_as_markup
from jurat.source.syntax import find_syntax_errors

VUE = "<script setup>\nconst props = defineProps({ post: Object });\n%s\n</script>\n%s\n"


def list_calls(path: str, text: str) -> dict[int, str]:
    code, language, *_ = read_scripts(path, text)
    assert language is not None
    assert code.count("\n") == text.count("\n")
    assert find_syntax_errors(code, language) == 0
    found = enumerate(code.split("\n"), start=1)
    return {at: line.removeprefix(";_ => ")[:-1] for at, line in found if line.startswith(";_")}


@pytest.mark.parametrize(
    ("path", "text", "call"),
    [
        ("a.vue", '<p\n  v-html="a.b"\n/>', "$v_html(a.b)"),
        ("a.vue", "<p v-html='f(\"a\")'/>", '$v_html(f("a"))'),
        ("a.vue", '<p v-html="a &amp;&amp; &quot;b; c&quot;"/>', '$v_html(a && "b; c")'),
        ("a.vue", '<script lang="ts"></script>\n<p v-html="a as B"/>', "$v_html(a as B)"),
        ("a.vue", "\n<p :innerHTML='a'/>", "$v_html(a)"),
        ("a.vue", '\n<p v-html="a +\n  b"/>', "$v_html(a +   b)"),
        ("a.svelte", "\n<p>{@html\n  a.b\n}</p>", "$at_html(a.b)"),
        ("a.svelte", "\n<p>{@html a.b}</p>", "$at_html(a.b)"),
        ("a.svelte", "\n{@html f({ a: b })}", "$at_html(f({ a: b }))"),
        ("a.astro", "\n<p set:html={a} />", "$set_html(a)"),
        ("a.astro", "\n<p set:html={{ a: { b } }.a} />", "$set_html({ a: { b } }.a)"),
    ],
)
def test_it_is_a_call_on_its_line(path: str, text: str, call: str) -> None:
    assert list_calls(path, text) == {2 if "\n" in text else 1: call}


@pytest.mark.parametrize(
    ("path", "text", "call"),
    [
        ("a.vue", '<li v-for="c in props.all"><p v-html="c.a"/></li>', "props.all[0].a"),
        ("a.vue", '<li v-for="(c, i) of all"><p v-html="c.a"/></li>', "all[0].a"),
        ("a.svelte", "{#each data.all as c (c.id)}{@html c.a}{/each}", "data.all[0].a"),
        (
            "a.svelte",
            "{#each data.all as c}{#each c.more as d}{@html d.a}{/each}{/each}",
            "data.all[0].more[0].a",
        ),
        ("a.astro", "{posts.map((post) => <p set:html={post.a} />)}", "posts[0].a"),
        ("a.svelte", "<script>export let a = '';\n</script>{@html a.b}", "$handed.a.b"),
        ("a.vue", VUE % ("", '<p v-html="post.a"/>'), "$handed.post.a"),
        ("a.vue", VUE % ("const a = ref('');", '<p v-html="a"/>'), "a.value"),
        (
            "a.vue",
            VUE % ("const a = computed(() => {\n  return f(')');\n});", '<p v-html="a"/>'),
            "(() => {   return f(')'); })()",
        ),
        (
            "a.vue",
            "<template><p v-html=\"a + 'a'\"/></template>\n"
            "<script>\nexport default { props: ['a', 'b'] }\n</script>",
            "$handed.a + 'a'",
        ),
    ],
)
def test_names_are_what_they_stand_for(path: str, text: str, call: str) -> None:
    (written,) = list_calls(path, text).values()
    assert written.partition("(")[2].removesuffix(")") == call


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.vue", '<template lang="pug">\np( v-html="a")\n</template>'),
        ("a.vue", '<template lang="pug">\np(v-html="a")\n</template>'),
        ("a.vue", '\n<p v-html="a)("/>'),
        ("a.vue", '\n<p v-html="a as string"/>'),
        ("a.vue", '\n<p v-html="a // b\n + c"/>'),
        ("a.vue", "\n<p v-html=a />"),
        ("a.vue", '\n<p v-html="a;b"/>'),
        ("a.vue", '\n<p v-html="a"/><script>b()</script>'),
        ("a.svelte", "\n<p>{@html }</p>"),
        ("a.svelte", "\n<p>{@html a(}</p>"),
        ("a.astro", "\n<p set:html=`${a}` />"),
    ],
)
def test_what_is_no_expression_of_its_own_is_left_out_and_said(path: str, text: str) -> None:
    scripts = read_scripts(path, text)
    assert "html" not in scripts.text
    assert [one.first_line for one in scripts.parts] == [2]
    assert "in line 2 " in scripts.unread


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.vue", '<!-- <p v-html="a"/> -->'),
        ("a.vue", "<p v-html=''/>"),
        ("a.vue", '<p data-v-html="a"/>'),
        ("a.astro", '<p set:html="<b>a</b>" />'),
    ],
)
def test_what_puts_nothing_into_a_page_is_no_call(path: str, text: str) -> None:
    scripts = read_scripts(path, text)
    assert ("html" in scripts.text, scripts.parts) == (False, ())


@pytest.mark.parametrize(
    ("value", "call"),
    [
        ("clean", "(() => {return f(')') + $handed.post})()"),
        ("render(post)", "((text) => {return g(text);})($handed.post)"),
        ("text", "(() => (g($handed.post)) || ($route.query.a))()"),
        ("other", "other"),
    ],
)
def test_what_a_component_puts_into_itself_is_put_in(value: str, call: str) -> None:
    text = (
        "<script>\nexport default {\n  props: ['post'],\n"
        "  computed: {\n    clean() { return f(')') + this.post },\n  },\n"
        "  methods: {\n    render(text) {\n      return g(text);\n    },\n"
        "    go() {\n      this.text = g(this.post);\n      this.text = this.$route.query.a\n"
        "      if (this.text == 1) return;\n    },\n  },\n};\n</script>\n"
    )
    (written,) = list_calls("a.vue", f'{text}<p v-html="{value}"/>\n').values()
    assert written == f"$v_html({call})"


def test_a_script_in_the_line_stays_as_it_is() -> None:
    text = "<script>a()</script>{@html b}\n{@html c}{@html d}\n"
    code = read_scripts("a.svelte", text).text
    assert "a()" in code.split("\n")[0]
    assert "$at_html" not in code.split("\n")[0]
    assert code.split("\n")[1] == ";_ => $at_html(c);_ => $at_html(d);"


def test_what_is_said_names_what_is_read() -> None:
    said = explain_unread_code("a.vue", '<p v-html="a"/>')
    assert "its markup puts into the page unescaped" in said
    assert "unescaped" not in explain_unread_code("a.vue", "<p>{{ a }}</p>")


def test_it_is_told_as_its_author_wrote_it() -> None:
    assert spell_as_markup("$v_html($handed.post.a)") == "v-html(post.a)"
    assert spell_as_markup("a(b)") == "a(b)"


@pytest.mark.parametrize(
    "piece",
    [
        '<p v-html="a"/>', ' v-html="', " v-html='a(", "{@html a", "{@html {", "{@html a}",
        "{#each a as a}", "{#each a(a(a)) as a}{@html a(a(a))}", " set:html={", "{a.map(a ",
        ' v-for="a in a" v-html="a"',
        ' v-for="a ', "<!-- {@html a} -->", "<script>const a = computed(() => a + a)</script>",
        "<script>props: {", "<script>const a: ",
        "<script>export default {\n a() {this.a = this.a;</script> v-html='a'", "<script>this.a =",
        "{@html `", "\n{@html a}",
    ],
)  # fmt: skip
def test_hostile_markup_costs_no_more_than_its_length(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    started = time.process_time()
    for path in ("a.vue", "a.svelte", "a.astro"):
        assert len(read_scripts(path, text).text) < 5_000_000
    assert time.process_time() - started < 10
