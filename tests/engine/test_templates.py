"""What templates put into a page unescaped is told of the lines of a change."""

from __future__ import annotations

import time

import pytest

from jurat.engine.code_matches import CodeMatches
from jurat.engine.code_scan import scan_code
from jurat.engine.rule_examples import build_added_file
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.parsing import parse_in_process
from tests.support.code import added, changed, rule_text, rules

RULES = load_ruleset(read_pack("engineering")).rules
PAGE_RULES = [rule for name, rule in RULES.items() if name.startswith("page.")]


def search(rule_id: str, path: str, text: str, base: str = "") -> CodeMatches:
    (matches,) = scan_code([(RULES[rule_id], [changed(base, text, path)])], parse_in_process)
    return matches


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<p>${param.name}</p>", "param.name"),
        ("<c:if test='a'></c:if><a href=\"/a?b=${param.b}\">", "param.b"),
        ('<b>a</b> <%= request.getParameter("a") %>', 'request.getParameter("a")'),
    ],
)
def test_a_parameter_of_a_request_is_named(text: str, value: str) -> None:
    (place,) = search("page.parameter-in-jsp", "web/a.jsp", f"<p>\n{text}\n</p>\n").places
    assert place.location.start_line == 2
    assert f"`{value}`" in place.message


def test_an_excuse_in_the_line_excuses_no_other_value() -> None:
    line = "{{ a|escape|safe }} {{ post.body|safe }} {# escape bleach #}\n"
    (place,) = search("page.unescaped", "templates/a.html", line).places
    assert "`post.body`" in place.message
    assert not search("page.unescaped", "templates/a.html", "{{ a|escape|safe }}\n").places


def test_only_lines_that_are_new_are_told() -> None:
    line = "{{ post.body|safe }}\n"
    assert not search("page.unescaped", "templates/a.html", f"{line}<p>\n", line).places
    assert not search("page.unescaped", "templates/a.html", f"<p>\n  {line}", line).places


def test_it_blocks_only_if_a_request_is_seen() -> None:
    assert {rule.id for rule in PAGE_RULES if rule.modality == "MUST_NOT"} == {
        "page.request-unescaped",
        "page.parameter-in-jsp",
    }


def test_what_a_match_may_not_hold_is_asked_of_the_match() -> None:
    text = "constraints: [{type: regex, pattern: 'a[^;]*;', unless: 'b'}]"
    (rule,) = rules(rule_text(text)).rules.values()

    def is_found(line: str) -> bool:
        (matches,) = scan_code([(rule, [added(f"{line}\n", "a.txt")])], parse_in_process)
        return bool(matches.places)

    assert is_found("a;")
    assert is_found("ab; a;")
    assert is_found("b a; b")
    assert not is_found("ab;")


@pytest.mark.parametrize(
    "piece",
    ["{{", "{{ a |safe ", "{{{", "<%- a", "<%= request.getParameter(", "${param.a", "<a ", "<a b='",
     '[innerHTML]="a|', ' th:utext="${', "{% autoescape ", "{{ a|escape|safe }}",
     "{{ request.args.a", "|safe }}", "<a\n{{ request.args.a\n|safe }}"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_hostile_page_costs_no_more_than_its_length(piece: str, end: str) -> None:
    text = (piece + end) * (300_000 // len(piece + end)) + "\n"
    started = time.process_time()
    for path in ("a.html", "a.jsp", "a.ejs", "a.hbs", "a.erb"):
        file = build_added_file(path, None, text)
        scan_code([(rule, [file]) for rule in PAGE_RULES], parse_in_process)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("templates/a.html", "<p>\n{{ request.args.a\n| safe }}</p>\n", 2),
        ("views/a.ejs", "<p>\n<%-\n  req.query.a\n%></p>\n", 2),
        ("templates/a.html", '<p\n  th:utext="\n    ${param.a}">\n', 1),
        ("app/views/a.html.erb", "<%= raw(\n  params[:a]) %>\n", 1),
    ],
)
def test_an_expression_may_take_several_lines(path: str, text: str, line: int) -> None:
    (place,) = search("page.request-unescaped", path, text).places
    assert place.location.start_line == line


def test_of_an_expression_over_lines_one_added_line_is_enough() -> None:
    base = "<p>\n{{ request.args.a\n}}</p>\n"
    head = base.replace("\n}}", "\n|safe\n}}")
    (place,) = search("page.request-unescaped", "templates/a.html", head, base).places
    assert place.location.start_line == 3


def test_an_expression_over_lines_that_was_there_is_not_new() -> None:
    wrapped, flat = "{{ request.args.a\n | safe }}\n", "{{ request.args.a | safe }}\n"

    def is_found(base: str, head: str) -> bool:
        return bool(search("page.request-unescaped", "templates/a.html", head, base).places)

    assert not is_found(flat, wrapped)
    assert not is_found(f"<p\n a={wrapped}>", f"<p\n b\n a={wrapped}>")
    assert is_found(wrapped, wrapped * 2)
    assert not is_found("", "{{ request.args.a }}\n{{ post.a\n|striptags|safe }}\n")
