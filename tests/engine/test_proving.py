"""A fix is offered only if it was applied in memory, and held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.engine.fix_verifier import MOST_TRIED, FixedFile, verify_fixes, verify_together
from jurat.engine.fixes import apply_to_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Fix, FixCheck
from jurat.findings.verdict import RuleVerdict
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from tests.support.code import added, changed, code, decided, rule_text, rules
from tests.support.values import a_location, a_verdict, with_findings

MD5 = "{type: pattern, language: python, pattern: hashlib.md5($X)%s}"


def md5(fix: str, rule_id: str = "py.no-md5", **keys: str) -> str:
    constraint = MD5 % f", fix: {json.dumps(fix)}"
    return rule_text(f"constraints: [{constraint}]", id=rule_id, modality="MUST_NOT", **keys)


NO_SHA1 = rule_text(
    "constraints: [{type: regex, pattern: sha1}]", id="house.no-sha1", modality="MUST_NOT"
)
GOOD, TO_SHA1, BROKEN = "hashlib.sha256($X)", "hashlib.sha1($X)", "hashlib.sha256($X"
SOURCE = "import hashlib\n\nprint(hashlib.md5(a))\n"


def proven(rule_set: RuleSet, context: EvaluationContext) -> tuple[RuleVerdict, ...]:
    found = decided(rule_set, context).verdicts
    return verify_fixes(context, tuple(rule_set.rules.values()), rule_set, found)


def together(
    context: EvaluationContext,
    rule_set: RuleSet,
    verdicts: Sequence[RuleVerdict],
    parse_map: ParseMap = parse_in_process,
) -> tuple[FixedFile, ...]:
    fixes = [(item, fix) for item in verdicts for fix in item.remediations]
    return verify_together(context, tuple(rule_set.rules.values()), rule_set, fixes, parse_map)


def proofs(verdicts: Sequence[RuleVerdict]) -> list[FixCheck | None]:
    return [fix.verification for item in verdicts for fix in item.remediations]


def a_model_says(file: FileChange, line: int, new: str, **fields: Any) -> RuleVerdict:
    """A verdict with a fix for one line, as a model gives it."""
    old = (file.head or "").split("\n")[line - 1]
    fix = Fix("replace", file.path, line, line, old, new)
    place = a_location(file.path, line, snippet=old)
    return a_verdict(locations=(place,), remediations=(replace(fix, **fields),), decided_by="batch")


class TestOneFix:
    def test_holds_where_the_finding_goes_and_nothing_comes(self) -> None:
        rule_set = rules(md5(GOOD) + NO_SHA1)
        assert proofs(proven(rule_set, code(added(SOURCE)))) == [FixCheck(rules=2, parsed=True)]

    def test_that_does_not_parse_is_advice(self) -> None:
        (proof,) = proofs(proven(rules(md5(BROKEN)), code(added(SOURCE))))
        assert proof == FixCheck(problem="the file would no longer parse")

    def test_in_a_file_that_never_parsed_may_leave_it_as_it_was(self) -> None:
        source = "def f(:\n" + SOURCE
        (proof,) = proofs(proven(rules(md5(GOOD)), code(added(source))))
        assert proof is not None
        assert not proof.problem

    def test_that_breaks_another_rule_is_advice(self) -> None:
        (proof,) = proofs(proven(rules(md5(TO_SHA1) + NO_SHA1), code(added(SOURCE))))
        assert proof is not None
        assert proof.problem == "it would break house.no-sha1"

    def test_that_leaves_the_finding_is_advice(self) -> None:
        (proof,) = proofs(proven(rules(md5("hashlib.md5(b + $X)")), code(added(SOURCE))))
        assert proof is not None
        assert proof.problem == "the finding would still stand"

    def test_that_makes_a_function_too_complex_is_advice(self) -> None:
        lengths = "field_path: 'change.functions[*].length'"
        bound = f"{{type: numeric, {lengths}, operator: '<=', threshold: 3}}"
        rule_set = rules(
            md5("hashlib.sha256(\n    $X\n)")
            + rule_text(f"constraints: [{bound}]", id="house.short")
        )
        source = "def f(a):\n    x = 1\n    return hashlib.md5(a)\n"
        (proof,) = proofs(proven(rule_set, code(added(source))))
        assert proof is not None
        assert proof.problem == "it would break house.short"

    def test_is_not_tried_where_only_the_diff_is_at_hand(self) -> None:
        file = changed("import hashlib\n", SOURCE, whole=False)
        (proof,) = proofs(proven(rules(md5(GOOD)), code(file)))
        assert proof is not None
        assert proof.problem == "the whole file is not at hand"

    def test_is_not_written_over_bytes_that_are_no_text(self) -> None:
        (proof,) = proofs(proven(rules(md5(GOOD)), code(added("# \ufffd\n" + SOURCE))))
        assert proof is not None
        assert "not all UTF-8" in proof.problem

    def test_that_keeps_one_of_two_findings_of_its_line_is_advice(self) -> None:
        file = added("f(hashlib.md5(a), hashlib.md5(b))\n")
        rule_set = rules(md5(GOOD))
        (found,) = decided(rule_set, code(file)).verdicts
        (fix,) = found.remediations
        half = replace(fix, replacement="f(hashlib.sha256(a), hashlib.md5(b))")
        verdict = with_findings(found, found.locations, [half])
        (proof,) = proofs(verify_fixes(code(file), [verdict.rule], rule_set, [verdict]))
        assert proof is not None
        assert proof.problem == "the finding would still stand"


class TestAModelsFix:
    def test_is_tried_against_the_computed_rules(self) -> None:
        file, rule_set = added(SOURCE), rules(NO_SHA1)
        in_force = tuple(rule_set.rules.values())
        good = a_model_says(file, 3, "print(hashlib.sha256(a))")
        bad = a_model_says(file, 3, "print(hashlib.sha1(a))")
        assert proofs(verify_fixes(code(file), in_force, rule_set, [good])) == [
            FixCheck(1, parsed=True)
        ]
        (proof,) = proofs(verify_fixes(code(file), in_force, rule_set, [bad]))
        assert proof is not None
        assert proof.problem == "it would break house.no-sha1"

    @pytest.mark.parametrize("new", ["print(hashlib.md5(a))", "print(("])
    def test_that_changes_nothing_or_breaks_the_file_is_advice(self, new: str) -> None:
        file = added(SOURCE)
        (proof,) = proofs(verify_fixes(code(file), (), RuleSet(), [a_model_says(file, 3, new)]))
        assert proof is not None
        assert proof.problem in ("it changes nothing", "the file would no longer parse")

    def test_of_a_contract_is_tried_as_a_contract(self) -> None:
        file = changed("1. Scope\nOld.\n", "1. Scope\nPay within 90 days.\n", "deal.md")
        rule_set = rules(
            rule_text(
                "constraints: [{type: regex, pattern: forever}]", subject_kinds="[clause_set]"
            )
        )
        context = EvaluationContext((Subject(SubjectKind.CLAUSE_SET, (file,)),))
        verdict = a_model_says(file, 2, "Pay forever.", type="text_rewrite")
        (proof,) = proofs(
            verify_fixes(context, tuple(rule_set.rules.values()), rule_set, [verdict])
        )
        assert proof is not None
        assert proof.problem == "it would break test.rule"


class TestBounds:
    def test_only_so_many_fixes_are_tried(self) -> None:
        source = "".join(f"hashlib.md5(a{number})\n\n" for number in range(MOST_TRIED + 2))
        found = proofs(proven(rules(md5(GOOD)), code(added(source))))
        assert [bool(proof and proof.problem) for proof in found] == (
            [False] * MOST_TRIED + [True] * 2
        )

    def test_a_parser_that_dies_leaves_advice(self) -> None:
        rule_set, context = rules(md5(GOOD)), code(added(SOURCE))
        found = decided(rule_set, context).verdicts
        (proof,) = proofs(
            verify_fixes(
                context,
                [],
                rule_set,
                found,
                lambda _, items: [ParseFailure("it died")] * len(items),
            )
        )
        assert proof == FixCheck(problem="it died")

    def test_it_runs_in_a_pool(self) -> None:
        rule_set, context = rules(md5(GOOD)), code(added(SOURCE))
        found = decided(rule_set, context).verdicts
        with ParserPool(1) as pool:
            verdicts = verify_fixes(context, tuple(rule_set.rules.values()), rule_set, found, pool)
            (fixed,) = together(context, rule_set, verdicts, pool)
        assert proofs(verdicts) == [FixCheck(1, parsed=True)]
        assert fixed.text == SOURCE.replace("md5", "sha256")


class TestTogether:
    def test_all_fixes_of_a_file_are_applied_at_once(self) -> None:
        rule_set = rules(md5(GOOD))
        source = SOURCE + "x = 1\nprint(hashlib.md5(b))\n"
        context = code(added(source), added("y = 1\n", "b.py"))
        (fixed,) = together(context, rule_set, proven(rule_set, context))
        assert (fixed.path, fixed.text, fixed.problem) == (
            "app.py",
            source.replace("md5", "sha256"),
            "",
        )
        assert len(fixed.fixes) == 2

    def test_fixes_that_break_a_rule_only_together_are_not_applied(self) -> None:
        bound = "{type: numeric, field_path: change.lines_added, operator: '<=', threshold: 5}"
        two_lines = "hashlib.sha256(\n    $X)"
        rule_set = rules(md5(two_lines) + rule_text(f"constraints: [{bound}]", id="house.small"))
        context = code(added("hashlib.md5(a)\n\n\nhashlib.md5(b)\n"))
        verdicts = proven(rule_set, context)
        assert all(proof and not proof.problem for proof in proofs(verdicts))
        (fixed,) = together(context, rule_set, verdicts)
        assert fixed.problem == "it would break house.small"

    def test_what_needs_a_look_is_left_to_people(self) -> None:
        file = added(SOURCE)
        verdict = a_model_says(file, 3, "print(hashlib.sha256(a))")
        verdicts = verify_fixes(code(file), (), RuleSet(), [verdict])
        assert together(code(file), RuleSet(), verdicts) == ()


LINES = st.lists(st.sampled_from(["a", "b", "", "c\r", "  d"]), min_size=1, max_size=8)


@given(LINES, LINES, st.data())
def test_a_fixed_file_is_a_change_like_any_other(
    base: list[str], head: list[str], data: st.DataObject
) -> None:
    before, after = "\n".join(base), "\n".join(head) + data.draw(st.sampled_from(["", "\n"]))
    if before == after or not after:
        return
    file = changed(before, after, "notes.txt")
    lines = after.split("\n")
    number = data.draw(st.integers(1, len(lines) - (not lines[-1])))
    new = data.draw(st.sampled_from(["x", "x\ny", lines[number - 1]]))
    fix = Fix("replace", file.path, number, number, lines[number - 1], new)
    fixed = apply_to_file(file, [fix])
    (hunk,) = fixed.hunks
    assert (
        "".join(line.text + "\n" * line.newline for line in hunk.lines if line.kind != "removed")
        == fixed.head
    )
    assert [line.new for line in hunk.lines if line.new] == list(range(1, hunk.new_length + 1))
    if file.base is not None:
        old = [line.text for line in hunk.lines if line.kind != "added"]
        assert old == [text for text in file.base.removesuffix("\n").split("\n") if file.base]
