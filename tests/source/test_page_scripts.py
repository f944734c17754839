"""The scripts of a page keep their lines, and are read as they stand and without a template."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from jurat.engine.code_scan import scan_code
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.page_scripts import (
    has_scripts,
    list_script_views,
    read_page_scripts,
    read_program,
)
from jurat.source.parsing import parse_in_process
from jurat.source.syntax import find_syntax_errors
from tests.support.code import added, changed
from tests.support.growth import LINEAR, measure_growth

EVAL = load_ruleset(read_pack("engineering")).rules["js.eval"]


def strip(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<p>a</p>\n<script>a()</script>\n", "a();"),
        ("<script type=module>a()</script><script>b()</script>", "a(); b();"),
        ("<script type='text/template'>a</script>", ""),
        ("<script type='application/json'>{}</script>", ""),
        ("<!-- <script>a()</script> -->", "a();"),
        ("<script><!-- <script> </script>\na()</script><p>b</p>", "<!-- <script> </script> a();"),
        ("<script><!--\na()\n--></script><p>", "<!-- a() -->;"),
        ("<p onclick='a()'>", ";() => {a()};"),
        ("<svg/onload=a()>", ";() => {a()};"),
        ('<a href="javascript:a(&quot;b&quot;)">', ';() => {a("b")};'),
        ("<p data-onclick='a()'>", ""),
    ],
)
def test_all_else_is_blank(text: str, code: str) -> None:
    found = read_page_scripts(text)
    assert strip(found.text) == code
    assert found.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "script",
    [
        "let a = {{ b|safe }};",
        "{% if a %}\nlet b = '{{ c[\"d\"] }}';\n{% endif %}",
        "let a = <%- JSON.stringify(b) %>; <% if (a) { %> b(); <% } %>",
        "let a = <?= $b ?>; <?php if ($a): ?> b(); <?php endif ?>",
        "let a = {{{json b}}}; {{#if a}} b(); {{/if}}",
        "{{ range .A }} b({{ . }}); {{ end }}",
        "let a = ${b}; <c:if test='${c}'>d();</c:if> let e = <fmt:message key='f'/>;",
        "% if a:\nb();\n% endif\n",
        "{# it's a remark #} b();",
    ],
)
def test_what_a_template_writes_is_a_name(script: str) -> None:
    found = read_page_scripts(f"<script>{script}</script>")
    assert find_syntax_errors(found.templated, "javascript") == 0
    assert len(found.templated) == len(found.text)
    assert "b" in found.text


def test_a_template_hides_nothing_of_a_script() -> None:
    text = "<script>var a = '{%'; eval(b); var c = '%}';</script>\n"
    whole, templated = list_script_views(added(text, "a.html"))
    assert "eval(b)" in (whole.head or "")
    assert "eval" not in (templated.head or "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<p><% a() %><b>\n<%= b.c %></p>", "a() ; ;( b.c );"),
        ("<% if (a) { -%>x<% } else { _%>y<%_ } %>", "if (a) { ; } else { ; } ;"),
        ("<%# a %><%% b %>", ""),
    ],
)
def test_a_template_of_ejs_is_a_program(text: str, code: str) -> None:
    found = read_program(text)
    assert (strip(found), len(found)) == (code, len(text))
    assert find_syntax_errors(found, "javascript") == 0


def test_between_backticks_a_name_is_the_script_s_own() -> None:
    assert read_page_scripts("<script>a = `${b}`</script>").templated == ""


def test_a_page_has_the_language_of_its_scripts_as_well() -> None:
    file = changed("<script>a()</script>\n", "<script>b()</script>\n", "a.html")
    assert (file.language, file.script_language) == ("html", "javascript")
    assert file.possible_languages == ("html", "javascript")
    (view,) = list_script_views(file)
    assert (view.language, view.possible_languages) == ("javascript", ("javascript",))
    assert [strip(line.text) for hunk in view.hunks for line in hunk.lines] == ["a();", "b();"]
    assert added("<p>a</p>\n", "a.html").script_language == ""
    assert not list_script_views(added("<p>a</p>\n", "a.html"))
    assert not has_scripts("a.py", ["<script>a()</script>"])


@pytest.mark.parametrize(
    "piece",
    ["<script>", "<script", "</script", "<!--", "<script><!-- ", "{{", "{%", "}}", " onclick='a'",
     " on", "\n% if", "<c:if ", "${", "<%", "<%-", "<script>a</script><p onclick=b>\n"],
)  # fmt: skip
def test_a_hostile_page_costs_no_more_than_its_length(piece: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        turns = count()

        def read() -> None:
            # One longer each time: what was read of a page is remembered.
            text = f"<script>{piece * (size // len(piece))}" + " " * next(turns)
            read_page_scripts(text)
            read_page_scripts(text.removeprefix("<script>"))
            read_program(text)

        return read

    assert measure_growth(prepare, 20_000) < LINEAR


def test_a_page_that_is_too_large_is_not_looked_through() -> None:
    file = added("<p>{{ a }}</p>\n" * 100_000, "a.jinja")
    assert "too large to parse" in (file.unparsed or "")
    assert not list_script_views(file)
    (found,) = scan_code([(EVAL, [file])], parse_in_process)
    assert [one.reason for one in found.unread] == [file.unparsed]


def test_what_stands_between_two_scripts_of_one_line_is_read() -> None:
    handler = '<img src=x onerror="eval(location.hash)">'
    page = f"<script>\na(); </script>{handler}<script>b();\n</script>\n"
    assert "eval(location.hash)" in read_page_scripts(page).text.split("\n")[1]
