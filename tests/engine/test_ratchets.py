"""Metrics are ratchets: a function is reported if it is new and over, or over and worse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.cli.rule_files import NO_CONFIGURATION, load_local_ruleset
from jurat.facts.assembly import build_subjects
from jurat.findings.finding import Finding
from jurat.rules.rule import RuleSet
from jurat.source.diff import Diff, FileChange, FileStatus
from tests.support.code import added, changed, decided, rule_text, rules


def shipped(*ids: str) -> RuleSet:
    corpus, _ = load_local_ruleset(NO_CONFIGURATION)
    return replace(corpus, rules={name: corpus.rules[name] for name in ids})


COMPLEX = shipped("change.function-too-complex")
LONG = shipped("change.function-too-long")


def found(corpus: RuleSet, *files: FileChange) -> tuple[Finding, ...]:
    verdicts = decided(corpus, build_subjects(Diff(files))).verdicts
    assert verdicts
    return tuple(finding for item in verdicts for finding in item.findings)


def function(branches: int, name: str = "route", *, body: str = "go") -> str:
    """A function of complexity `branches` + 1."""
    arms = "".join(f"    if n == {at}:\n        return {body}_{at}()\n" for at in range(branches))
    return f"def {name}(n):\n{arms}    return None\n"


class TestComplexity:
    @pytest.mark.parametrize(
        ("before", "after", "reported"),
        [(30, 20, False), (30, 30, False), (30, 31, True), (10, 20, True), (10, 12, False)],
    )
    def test_only_what_got_worse_is_reported(self, before: int, after: int, reported: bool) -> None:
        base = function(before)
        head = function(after).replace("return None", "return 0")
        assert bool(found(COMPLEX, changed(base, head))) is reported

    def test_an_annotation_or_a_comment_is_nothing(self) -> None:
        base = function(30)
        noted = base.replace("def route(n):", "def route(n: int) -> object:  # by number")
        assert found(COMPLEX, changed(base, noted)) == ()

    def test_a_new_one_over_the_threshold_is_reported(self) -> None:
        assert len(found(COMPLEX, added(function(30)))) == 1
        assert found(COMPLEX, added(function(10))) == ()

    @pytest.mark.parametrize("name", ["route", "dispatch"])
    def test_one_that_moved_to_another_file_is_old_by_whatever_name(self, name: str) -> None:
        rest = "\n\ndef other():\n    return 1\n"
        left = changed(function(30) + rest, rest, "src/a.py")
        moved = added(function(30, name), "src/b.py")
        worse = added(function(33, name), "src/b.py")
        assert found(COMPLEX, left, moved) == ()
        assert len(found(COMPLEX, left, worse)) == 1

    def test_another_one_of_the_same_name_is_new(self) -> None:
        left = replace(
            changed(function(30, "main"), "", "src/a.py"), status=FileStatus.REMOVED, head=None
        )
        other = added(function(29, "main", body="stop").replace("n ==", "n >"), "src/b.py")
        assert len(found(COMPLEX, left, other)) == 1

    def test_one_that_comes_from_where_the_rule_does_not_apply_is_new(self) -> None:
        base = function(30)
        file = changed(base, base.replace("return None", "return 0"), "src/a.py")
        old = replace(file, status=FileStatus.RENAMED, old_path="tests/a.py", functions=())
        assert len(found(COMPLEX, old)) == 1
        here = replace(file, status=FileStatus.RENAMED, old_path="src/b.py", functions=())
        assert found(COMPLEX, here) == ()

    def test_a_diff_alone_tells_as_much(self) -> None:
        base = function(30)
        calmer = changed(base, function(20), whole=False)
        assert found(COMPLEX, calmer) == ()


class TestLength:
    LINES = "".join(f"    step_{at}(n)\n" for at in range(90))

    def test_comments_descriptions_and_a_wrapped_signature_are_no_growth(self) -> None:
        base = f"def run(n):\n{self.LINES}"
        for head in (
            base.replace("    step_40(n)\n", "    # why\n    # it is so\n    step_40(n)\n"),
            base.replace("(n):\n", '(n):\n    """What it does.\n\n    And how.\n    """\n', 1),
            base.replace("(n):", "(\n    n: int,\n) -> None:", 1),
            base.replace("    step_40(n)\n", "\n\n    step_40(n)\n"),
        ):
            assert head != base
            assert found(LONG, changed(base, head)) == ()

    def test_more_code_is(self) -> None:
        base = f"def run(n):\n{self.LINES}"
        longer = base.replace("    step_40(n)\n", "    step_40(n)\n    also(n)\n")
        assert len(found(LONG, changed(base, longer))) == 1
        shorter = base.replace("    step_40(n)\n    step_41(n)\n", "    step_40(n)  # both\n")
        assert found(LONG, changed(base, shorter)) == ()


def test_a_bound_of_ones_own_may_be_a_ratchet_or_not() -> None:
    base = "def f(a, b, c):\n    return a\n"
    head = base.replace("return a", "return b")
    for keys, reported in (("", True), (", baseline: base", False)):
        path = '"change.functions[*].parameters"'
        bound = f"{{type: numeric, field_path: {path}, operator: '<=', threshold: 2{keys}}}"
        corpus = rules(rule_text(f"constraints: [{bound}]", subject_kinds="[code_diff]"))
        assert bool(found(corpus, changed(base, head))) is reported
