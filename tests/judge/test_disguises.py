# ruff: noqa: RUF001 - the characters that disguise are what is tested
"""Disguised code: a rule reports it, a prompt shows it, a quote finds it, no pattern passes."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace

import pytest

from jurat.engine.check import check_rules
from jurat.findings.verdict import Verdict
from jurat.judge.excerpts import Excerpt, build_file_excerpt
from jurat.judge.quotes import find_quote
from jurat.judge.replies import QuotedFinding
from jurat.rules.constraints import RegexConstraint, compile_regex
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from jurat.source.disguises import is_disguised, mark_disguises, mark_hidden, read_plainly
from jurat.source.languages import detect_language
from tests.support.gemini import a_diff
from tests.support.values import a_context, a_rule

PACK = load_ruleset(read_pack("engineering")).rules
REPORTING = ("change.hidden-characters", "change.disguised-name", "py.misleading-encoding")
PATTERNS = {
    "python",
    "javascript",
    "typescript",
    "tsx",
    "java",
    "go",
    "csharp",
    "rust",
    "c",
    "ruby",
}

# By kind: the path, the lines, and the number of the one that is disguised.
RUNS_AS_ANOTHER = [
    ("a.py", ["ｅｖａｌ(x)"], 1),
    ("a.py", ["x = 1", "𝓮𝓿𝓪𝓵(x)"], 2),
    ("a.py", ["getattr(b, 'x').ｅval(y)"], 1),
    ("a.py", ["def ﬁnd(x):", "    return x"], 1),
    ("a.js", ["\\u0065val(x);"], 1),
    ("a.js", ["window.\\u{65}val(x);"], 1),
    ("a.ts", ["class A { \\u0065val = 1; }"], 1),
    ("a.tsx", ["const { \\u0065val } = window;"], 1),
    ("A.java", ["class A { void a() { \\u0065val(x); } }"], 1),
    ("A.cs", ["class A { void B() { \\u0065val(x); } }"], 1),
    ("A.java", ["class A { void a() { // a note \\u000a eval(x);", "} }"], 1),
    ("A.java", ["class A { /* \\uuu002a\\u002f void a() { eval(x); } /* */ }"], 1),
    ("A.java", ['class A { String a = "\\u0022 + eval(x) + \\u0022"; }'], 1),
    ("a.py", ["x = 1", "# a note\reval(x)"], 2),
    ("a.js", ["// a note\reval(x);"], 1),
    ("a.go", ["package a", "", "// a note\rfunc b() {}"], 3),
    ("a.rb", ["# a note\reval(x)"], 1),
    ("a.js", ["// a note\u2028eval(x);"], 1),
    ("a.ts", ["// a note\u2029eval(x);"], 1),
    ("A.cs", ["class A { // a note\u0085 void B() {}", "}"], 1),
    ("a.py", ["# coding: utf-7", "# +AAo-eval(x)"], 1),
    ("a.py", ["#!/usr/bin/env python", "# -*- coding: unicode_escape -*-"], 2),
    ("a.py", ["# vim: set fileencoding=rot13 :", "riny(k)"], 1),
    ("a.py", ["# coding: future_fstrings", "x = 1"], 1),
    ("a.py", ["# coding: shift_jis", "x = 1"], 1),
]
LOOKS_LIKE_ANOTHER = [
    ("a.py", ["аdmin = check(user)"], 1),
    ("a.js", ["const isАdmin = true;"], 1),
    ("a.ts", ["const ѕсоре = read();"], 1),
    ("a.tsx", ["type Usеr = { name: string };"], 1),
    ("a.go", ["package a", "", "var isАdmin = true"], 3),
    ("A.java", ["class A { boolean isАdmin; }"], 1),
    ("A.java", ["class Usеr {}"], 1),
    ("A.cs", ["class A { bool isАdmin; }"], 1),
    ("a.rs", ["fn сheck() -> bool { true }"], 1),
    ("a.c", ["int аdmin = 1;"], 1),
    ("a.rb", ["аdmin = 1"], 1),
    ("a.kt", ["val аdmin = true"], 1),
    ("a.php", ["<?php", "$аdmin = true;"], 2),
    ("a.py", ["fοrmat = 1  # an omicron"], 1),
    ("a.js", ["if (environmentǃ=production) { run(); }"], 1),
    ("a.go", ["package a", "", "var ａdmin = true"], 3),
    ("a.js", ["const user_сору = 1;"], 1),
    ("a.py", ["pɑssword = 1  # another a of Latin's own"], 1),
]
HIDES = [
    ("a.py", ["access = 'user\u202e \u2066# check\u2069 \u2066'"], 1),
    ("a.js", ["/*\u202e } \u2066if (admin)\u2069 \u2066 begin */"], 1),
    ("a.go", ["package a", "", "// \u202e note", "var x = 1"], 3),
    ("A.java", ["class A { // \u2067 note", "}"], 1),
    ("a.ts", ["const role = 'ad\u200bmin';"], 1),
    ("a.py", ["role = 'ad\u2060min'"], 1),
    ("a.rs", ["fn a() {} // ad\u200dmin"], 1),
    ("a.js", ["const \u3164 = 1;"], 1),
    ("a.py", ["admin\ufe00 = 1"], 1),
    ("a.py", ["role = 'ad\u00admin'"], 1),
    ("a.js", ["const a = '\U000e0061\U000e0062';"], 1),
    ("a.js", ["const a = '🙂\U000e0101\U000e0142';"], 1),
    ("a.py", ["role = 'x\u061cadmin'"], 1),
]


def read(path: str, lines: list[str]) -> FileChange:
    file = a_diff(path, *(f"+{line}" for line in lines))
    return replace(file, language=detect_language(path), head="\n".join(lines) + "\n")


def list_reported(file: FileChange) -> set[int | None]:
    rules = tuple(PACK[name] for name in REPORTING)
    done = check_rules(
        a_context(file), Selection(rules=rules), RuleSet(rules={rule.id: rule for rule in rules})
    )
    return {
        finding.location.start_line
        for verdict in done.verdicts
        for finding in verdict.findings
        if finding.location is not None
    }


def judge_by_pattern(file: FileChange) -> Verdict:
    rule = a_rule(
        "house.no-eval",
        constraints=[{"type": "pattern", "language": file.language, "pattern": "eval(x)"}],
    )
    selection = Selection(rules=(rule,))
    (verdict,) = check_rules(a_context(file), selection, RuleSet(rules={rule.id: rule})).verdicts
    return verdict.verdict


@pytest.mark.parametrize(("path", "lines", "at"), RUNS_AS_ANOTHER + LOOKS_LIKE_ANOTHER + HIDES)
def test_a_disguise_is_reported_shown_and_quoted(path: str, lines: list[str], at: int) -> None:
    file = read(path, lines)
    # What ends a line in some languages alone is no rule's: no pattern passes over it there.
    assert at in list_reported(file) or judge_by_pattern(file) is not Verdict.ALLOW
    shown = build_file_excerpt(file, None)
    (block,) = shown.blocks
    # No line is hidden, and none is begun.
    assert [row.line for row in block.rows] == list(range(1, len(lines) + 1))
    assert len(shown.render().split("\n")) == len(lines) + 2
    row = block.rows[at - 1]
    assert "⟦" in row.text or "decoded as" in shown.about
    assert all(mark == "\t" or mark.isprintable() for mark in row.text)
    # As it was shown, as it reads, and as it stands there.
    for quote in (row.text, read_plainly(row.text), lines[at - 1]):
        assert find_line(quote, shown) == at


def find_line(quote: str, shown: Excerpt) -> int | None:
    place = find_quote(QuotedFinding(quote, shown.label), [shown])
    return place.rows[0].line if place is not None else None


@pytest.mark.parametrize(("path", "lines", "at"), RUNS_AS_ANOTHER)
def test_no_pattern_passes_on_what_runs_as_another(path: str, lines: list[str], at: int) -> None:
    file = read(path, lines)
    assert at
    assert file.language in PATTERNS
    assert judge_by_pattern(file) in (Verdict.NOT_ASSESSED, Verdict.DENY)


@pytest.mark.parametrize(("path", "lines", "at"), LOOKS_LIKE_ANOTHER)
def test_what_only_looks_like_another_runs_as_itself(path: str, lines: list[str], at: int) -> None:
    file = read(path, lines)
    # A pattern that asks for the other name is right not to find it: it is the name that is wrong.
    assert is_disguised(next(word for word in lines[at - 1].split() if not word.isascii()))
    if path.endswith(".py"):
        assert judge_by_pattern(file) in (Verdict.ALLOW, Verdict.NOT_ASSESSED)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "größe = 1; имя = 2; 变量 = 3; naïve = 4; Δt = 5; µs = 6; α = 7"),
        ("a.py", "title = 'ＡＢＣ'  # ＡＢＣ, Usеr, 'sаme'"),
        ("a.js", "const getИмя = () => 'том';"),
        ("a.js", "const unit = '\\u0065'; // \\u0065"),
        ("a.go", "// Ｎote"),
        ("a.py", "# -*- coding: latin-1 -*-"),
        ("a.py", "# -*- coding: utf-8 -*- ＡＢＣ\r"),
        ("a.py", "flag = '👩\u200d🚀 ❤\ufe0f'"),
        ("a.py", "\x0cclass A: pass"),
    ],
)
def test_what_nobody_disguised_is_not_reported(path: str, line: str) -> None:
    assert list_reported(read(path, [line])) == set()


def test_only_the_first_two_lines_say_how_a_file_is_decoded() -> None:
    assert list_reported(read("a.py", ["x = 1", "y = 2", "# the encoding: rot13"])) == set()


def test_the_file_says_how_it_is_decoded_wherever_its_hunks_stand() -> None:
    file = replace(read("a.py", ["# +AAo-eval(x)"]), head="# coding: utf-7\n# +AAo-eval(x)\n")
    assert "decoded as utf-7" in build_file_excerpt(file, None).about


@pytest.mark.parametrize("line", ["x = 1  # \x08\x08hidden", "echo a # \x1b[8m; rm -rf /"])
def test_control_characters_are_shown_and_quoted(line: str) -> None:
    # No rule is about them: real tests and data are full of them.
    excerpt = build_file_excerpt(read("a.py", [line]), None)
    assert "⟦U+00" in excerpt.render()
    assert find_line(line, excerpt) == 1


def test_a_mark_takes_nothing_away() -> None:
    line = "if ｕser.isАdmin\u200b and x == '\\u0061':"
    shown = mark_disguises(line)
    assert shown == (
        "if ｕser⟦reads as user⟧.isАdmin⟦reads as isAdmin⟧⟦U+200B⟧ and x == '\\u0061⟦reads as a⟧':"
    )
    assert read_plainly(shown) == read_plainly(line) == "if user.isAdmin and x == 'a':"
    assert mark_disguises("x = '\\d+'  # plain") == "x = '\\d+'  # plain"


def test_the_rule_knows_every_character_that_a_prompt_spells_out() -> None:
    expressions = [
        compile_regex(item.pattern)
        for item in PACK["change.hidden-characters"].constraints
        if isinstance(item, RegexConstraint)
    ]
    missed = [
        f"U+{number:04X}"
        for number in range(sys.maxunicode + 1)
        if mark_hidden(chr(number)) != chr(number)
        # A form feed parts pages, and a lone surrogate is in no UTF-8.
        and chr(number) not in "\n\f"
        and unicodedata.category(chr(number)) != "Cs"
        # Controls stand in much data of tests, and what ends a line does so in some languages only.
        and unicodedata.category(chr(number)) not in ("Cc", "Zl", "Zp")
        # Signs around a number, which are seen.
        and not unicodedata.name(chr(number), "").startswith(("ARABIC ", "SYRIAC ", "KAITHI "))
        and not any(item.search(f"a{chr(number)}a".encode()) for item in expressions)
    ]
    assert missed == []
