"""What no rule about code has read all of is named, with what was read of it."""

from __future__ import annotations

import pytest

from jurat.findings.unread_code import list_unread_code
from jurat.rules.loader import load_ruleset, read_pack
from tests.support.code import added
from tests.support.notebooks import notebook

RULES = tuple(load_ruleset(read_pack("engineering")).rules.values())


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("a.rb", "a = 1\n", "no rule in force looks into code in `ruby`"),
        ("a.php", "<?php $a = 1;\n", "no rule in force looks into code in `php`"),
        ("a.R", "a <- 1\n", "no grammar here reads `.R`"),
        ("a.jsp", "<p>${a}</p>\n", "no grammar here reads `.jsp`, its scripts are read, and what"),
        ("a.html", "<p>{{ a }}</p>\n", "what else it computes is not read"),
        ("a.vue", '<p :a="b"/>\n', "its scripts are read, what its markup computes is not"),
        ("a.ipynb", notebook("!ls\n"), "its Python is read"),
    ],
)
def test_a_program_that_no_rule_reads_is_named(path: str, text: str, said: str) -> None:
    (one,) = list_unread_code([added(text, path)], RULES, ())
    assert one.path == path
    assert said in one.reason


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "a = 1\n"),
        ("a.go", "package a\n"),
        ("a.md", "# A\n"),
        ("a.html", "<p>a</p>\n"),
        ("a.html", "<script>a()</script><p onclick='b()'>\n"),
        ("a.ipynb", notebook("a = 1\n")),
    ],
)
def test_what_is_read_is_not(path: str, text: str) -> None:
    assert list_unread_code([added(text, path)], RULES, ()) == ()


def test_what_is_named_elsewhere_is_not_named_twice() -> None:
    assert list_unread_code([added("a = 1\n", "a.rb")], RULES, {"a.rb"}) == ()


def test_without_a_rule_about_code_no_language_is_named() -> None:
    assert list_unread_code([added("a = 1\n", "a.rb")], (), ()) == ()
