# ruff: noqa: RUF001 - the letters that pose as others are what is tested
"""Code that runs as something else than a grammar reads: no rule over patterns passes on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.engine.check import check_rules
from jurat.engine.disguises import has_signs_of_disguise
from jurat.engine.rule_examples import build_added_file
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from tests.support.gemini import a_diff
from tests.support.values import a_context, a_rule

_LANGUAGES = {"a.py": "python", "a.ts": "typescript", "a.js": "javascript", "A.java": "java"}


def check(path: str, *added: str, kept: tuple[str, ...] = ()) -> RuleVerdict:
    language = _LANGUAGES[path]
    rule = a_rule(
        "house.no-eval",
        constraints=[{"type": "pattern", "language": language, "pattern": "eval($X)"}],
    )
    lines = [*(f" {line}" for line in kept), *(f"+{line}" for line in added)]
    text = "\n".join((*kept, *added)) + "\n"
    file = replace(a_diff(path, *lines), language=language, head=text)
    (verdict,) = check_rules(
        a_context(file), Selection(rules=(rule,)), RuleSet(rules={rule.id: rule})
    ).verdicts
    return verdict


@pytest.mark.parametrize(
    ("path", "added"),
    [
        ("a.py", ["# a note\reval(x)"]),
        ("a.py", ["x = 1", "ｅｖａｌ(x)"]),
        ("a.py", ["𝓮𝓿𝓪𝓵(x)"]),
        ("a.py", ["getattr(builtins, 'x').ｅval(y)"]),
        ("a.py", ["# coding: utf-7", "# +AAo-eval(x)"]),
        ("a.py", ["#!/usr/bin/env python", "# -*- coding: unicode_escape -*-", "x = '\\u0027'"]),
        ("a.py", ["# vim: set fileencoding=rot13 :", "riny(k)"]),
        ("a.js", ["\\u0065val(x)"]),
        ("a.js", ["\\u{65}val(x)"]),
        ("a.ts", ["window.\\u0065val(x)"]),
        ("a.js", ["// a note\rx()"]),
        ("A.java", ["class A { void a() { // a note \\u000a eval(x);", "} }"]),
        ("A.java", ["class A { void a() { \\u0065val(x); } }"]),
        ("A.java", ["class A { /* \\uuu002a\\u002f void a() { eval(x); } /* */ }"]),
    ],
)
def test_disguised_code_passes_no_rule(path: str, added: list[str]) -> None:
    assert check(path, *added).verdict in (Verdict.NOT_ASSESSED, Verdict.DENY)


def test_a_codec_that_stood_there_before_decodes_what_is_added() -> None:
    verdict = check("a.py", "# +AAo-eval(x)", kept=("# coding: utf-7",))
    assert verdict.verdict is Verdict.NOT_ASSESSED
    assert "it is decoded as utf-7" in verdict.reasoning


@pytest.mark.parametrize(
    ("path", "added"),
    [
        ("a.py", ["name = 'ＡＢＣ'  # ＡＢＣ: 全角", "größe = 1", "变量 = 2"]),
        ("a.py", ["# -*- coding: utf-8 -*-", "x = 1"]),
        ("a.py", ["# coding: latin-1", "x = 1"]),
        ("a.py", ["x = 1\r", "y = 2\r"]),
        ("a.py", ["pattern = '\\u0065'", "path = r'\\u'"]),
        ("a.js", ["const name = '\\u0065';", "const größe = 1; // \\u0065"]),
        ("A.java", ['class A { String a = "\\u00e9"; }']),
    ],
)
def test_what_only_looks_foreign_passes(path: str, added: list[str]) -> None:
    assert check(path, *added).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("text", "is_sign"),
    [
        ("print('wait\u2026 \u201cnow\u201d \u00bd\u20ac')", False),
        ("gr\u00f6\u00dfe = 1", False),
        ("\uff45val(a)", True),
        ("a = 1  # m\u00b2", True),
    ],
)
def test_only_a_letter_that_is_read_as_another_is_worth_a_look(text: str, is_sign: bool) -> None:
    assert has_signs_of_disguise(build_added_file("a.py", "python", f"{text}\n")) is is_sign
