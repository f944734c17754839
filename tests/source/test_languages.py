"""Languages, tests and generated files, by name."""

from __future__ import annotations

import pytest

from jurat.engine.rule_examples import build_added_file
from jurat.source.file_text import with_language
from jurat.source.languages import detect_language, explain_ungrammared
from jurat.source.paths import is_generated, is_test
from jurat.source.syntax import is_parsable


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("A.TSX", "tsx"),
        ("web/x.mts", "typescript"),
        ("x.d.ts", "typescript"),
        ("src/Main.java", "java"),
        ("Gemfile", "ruby"),
        ("infra/main.tf", "hcl"),
        (".bashrc", "bash"),
        (".github/jurat.yml", "yaml"),
        ("include/a.h", "c"),
        ("include/a.hpp", "cpp"),
        ("Makefile", None),
        (".py", None),
        ("folder.py/readme", None),
        ("package-lock.json", None),
        ("deep/pnpm-lock.yaml", None),
        ("notes.txt", None),
    ],
)
def test_the_name_tells_the_language(path: str, language: str | None) -> None:
    assert detect_language(path) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env bash", "bash"),
        ("#! /usr/bin/python3.11 -u", "python"),
        ("#!/usr/bin/env -S node --x", "javascript"),
        ("#!/usr/bin/env LANG=C ruby", "ruby"),
        ("#!/usr/bin/env perl", None),
        ("import os", None),
    ],
)
def test_a_file_without_an_extension_tells_it_in_its_first_line(
    line: str, language: str | None
) -> None:
    assert detect_language("bin/tool", line) == language
    assert detect_language("bin/tool.txt", line) is None


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "a/test_b.py",
        "b_test.py",
        "conftest.py",
        "x/server_test.go",
        "web/a.test.tsx",
        "web/a.spec.mjs",
        "web/__tests__/a.js",
        "src/test/java/A.java",
        "src/androidTest/A.kt",
        "app/OrderTest.java",
        "app/OrderTests.cs",
        "spec/models/a_spec.rb",
        "lib/a_spec.rb",
        "core/a_unittest.cc",
        "tests/data.json",
    ],
)
def test_tests_are_known_by_where_they_stand_and_what_they_are_called(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path", ["attest.py", "src/latest.go", "contest/a.js", "testing.py", "a.tests.d/x", "Test.md"]
)
def test_a_word_with_test_in_it_makes_no_test(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    "path",
    ["vendor/a/b.go", "web/dist/app.js", "a.min.js", "api/a.pb.go", "a_pb2.py", "x/node_modules/y"],
)
def test_generated_and_vendored_files_are_known(path: str) -> None:
    assert is_generated(path)
    assert not is_generated("src/app.js")
    assert not is_generated("distance/a.py")


def test_a_first_line_of_slashes_takes_no_longer_than_another() -> None:
    assert detect_language("run", "#!" + "/" * 200_000 + "\x00") is None
    assert detect_language("run", "#!" + "/" * 100 + "usr/bin/python3") == "python"


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("// @flow\nfunction f(a: ?string): void {}\n", "tsx"),
        ("/**\n * Orders.\n * @flow strict\n */\nf();\n", "tsx"),
        ("f(); // flow\n", "javascript"),
        ('const a = "@flow";\n', "javascript"),
    ],
)
def test_a_script_whose_types_flow_checks_is_read_with_them(code: str, language: str) -> None:
    file = with_language(build_added_file("a.js", None, code))
    assert file.language == language
    assert is_parsable(code, file.language or "")


def test_a_program_in_a_language_without_grammar_says_so() -> None:
    assert explain_ungrammared("shop/cart.pl") == "no grammar here reads `.pl`"
    assert "`.jsp`, its scripts are read, and what it puts" in explain_ungrammared("shop/cart.jsp")
    assert not any(map(explain_ungrammared, ("shop/cart.ts", "jsp", "notes.txt", ".jsp/a.py")))


@pytest.mark.parametrize(
    "text",
    [
        "<p>{{ a }}</p>",
        "{% if a %}",
        '<p (click)="a()">',
    ],
)
def test_a_page_that_computes_something_is_not_all_read(text: str) -> None:
    assert "what else it computes is not read" in explain_ungrammared("a.html", text)


def test_a_page_that_computes_in_scripts_alone_is_read() -> None:
    for text in ("<p>a, on = b</p>", "<script>a()</script>", '<p onclick="a()">'):
        assert explain_ungrammared("a.html", text) == ""


def test_a_template_that_computes_nothing_is_a_text() -> None:
    assert explain_ungrammared("a.conf.j2", "a = b\n") == ""
    assert "`.j2`" in explain_ungrammared("a.conf.j2", "a = {{ b }}\n")
