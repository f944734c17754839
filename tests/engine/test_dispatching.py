from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.engine.rule_verdicts import COMPUTED, READ_FROM_PROSE
from jurat.facts.assembly import RoutedFile, build_file_subject
from jurat.facts.context import TERMS, EvaluationContext, Subject, SubjectKind, Surface
from jurat.facts.derived import build_change_facts
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange, FileStatus
from jurat.source.file_text import with_language
from tests.support.code import added, code, decided, facts, rule_text, rules

OVERTIME = '{type: numeric, field_path: overtime, operator: "<=", threshold: 45, unit: hours}'
CONTRACT = "{type: enum, field_path: contract, allowed_values: [permanent, fixed_term]}"


def one(rule_set: RuleSet, context: EvaluationContext) -> RuleVerdict | None:
    """The only rule's verdict; None if it is left to the judge."""
    dispatched = decided(rule_set, context)
    assert len(dispatched.verdicts) + len(dispatched.undecided) == len(rule_set)
    return dispatched.verdicts[0] if dispatched.verdicts else None


def kind_of(rule_set: RuleSet, context: EvaluationContext) -> Verdict | None:
    verdict = one(rule_set, context)
    return verdict.verdict if verdict else None


class TestKinds:
    def test_a_definition_and_a_principle_always_allow_without_a_model(self) -> None:
        for kind in ("definitional", "principle"):
            verdict = one(rules(rule_text(kind=kind)), facts())
            assert verdict is not None
            assert (verdict.verdict, verdict.decided_by) == (
                Verdict.ALLOW,
                DecidedBy.DETERMINISTIC,
            )

    def test_a_norm_is_left_to_the_judge(self) -> None:
        assert one(rules(rule_text(kind="normative")), facts()) is None

    def test_constraints_that_all_pass_allow(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}, {CONTRACT}]"))
        verdict = one(rule_set, facts(overtime=45, contract="permanent"))
        assert verdict is not None
        assert (verdict.verdict, verdict.confidence) == (Verdict.ALLOW, COMPUTED)
        assert "overtime is 45, as the rule asks: at most 45 hours." in verdict.reasoning

    def test_one_that_fails_denies_and_says_what_was_asked_for(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}, {CONTRACT}]", "fix: Work less."))
        verdict = one(rule_set, facts(overtime=46, contract="permanent"))
        assert verdict is not None
        assert (verdict.verdict, verdict.confidence) == (Verdict.DENY, COMPUTED)
        assert verdict.issue == "overtime is 46; the rule asks for at most 45 hours."
        assert verdict.fix_suggestion == "Work less."
        assert verdict.decided_by is DecidedBy.DETERMINISTIC

    def test_a_missing_fact_is_left_to_the_judge_unless_another_fails(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}, {CONTRACT}]"))
        assert one(rule_set, facts(overtime=45)) is None
        verdict = one(rule_set, facts(overtime=46))
        assert verdict is not None
        assert verdict.verdict is Verdict.DENY
        assert "contract is missing" in verdict.reasoning

    def test_a_rule_without_constraints_is_read_from_its_statement(self) -> None:
        rule_set = rules(rule_text(statement="Overtime must not exceed 45 hours."))
        verdict = one(rule_set, facts(overtime=46))
        assert verdict is not None
        assert (verdict.verdict, verdict.confidence) == (Verdict.DENY, READ_FROM_PROSE)
        assert kind_of(rule_set, facts(overtime=45)) is Verdict.ALLOW
        assert one(rule_set, facts(sleep=8)) is None

    def test_a_procedure_is_checked_against_the_steps_given(self) -> None:
        rule_set = rules(
            rule_text(
                "constraints: [{type: order, steps: [request, manager approval, pay]}]",
                kind="procedural",
            )
        )
        assert kind_of(rule_set, facts(steps=["request", "manager_approval", "x", "pay"])) is (
            Verdict.ALLOW
        )
        assert kind_of(rule_set, facts(steps=["request"])) is Verdict.ALLOW
        verdict = one(rule_set, facts(steps=["request", "pay", "Manager Approval"]))
        assert verdict is not None
        assert verdict.verdict is Verdict.DENY
        assert "steps[1] (pay) comes before manager approval" in verdict.issue
        (place,) = verdict.locations
        assert place.surface is Surface.HUMAN_ACTION
        assert place.fields["step"] == "pay"
        skipped = one(rule_set, facts(steps=["request", "pay"]))
        assert skipped is not None
        assert "comes without manager approval before it" in skipped.issue
        for nothing in ({}, {"steps": "request"}, {"steps": [1]}):
            assert one(rule_set, facts(**nothing)) is None

    def test_a_procedure_without_constraints_is_read_from_its_statement(self) -> None:
        rule_set = rules(rule_text(kind="procedural", statement="Approval comes before payment."))
        assert kind_of(rule_set, facts(sequence=["pay", "approve"])) is Verdict.DENY
        assert kind_of(rule_set, facts(sequence=["approve", "pay"])) is Verdict.ALLOW
        assert one(rule_set, facts()) is None


class TestPreconditions:
    CORPUS = rules(
        rule_text(
            f"constraints: [{OVERTIME}]",
            "preconditions: [{type: enum, field_path: country, allowed_values: [DE]}]",
        )
    )

    def test_a_rule_does_not_apply_where_one_fails(self) -> None:
        verdict = one(self.CORPUS, facts(country="FR", overtime=60))
        assert verdict is not None
        assert verdict.verdict is Verdict.ALLOW
        assert "does not apply" in verdict.reasoning

    def test_it_applies_where_all_pass(self) -> None:
        assert kind_of(self.CORPUS, facts(country="DE", overtime=60)) is Verdict.DENY

    def test_it_is_left_to_the_judge_where_one_cannot_be_decided(self) -> None:
        assert one(self.CORPUS, facts(overtime=60)) is None

    def test_a_norm_has_them_too(self) -> None:
        rule_set = rules(
            rule_text(
                "preconditions: [{type: enum, field_path: country, allowed_values: [DE]}]",
                kind="normative",
            )
        )
        assert kind_of(rule_set, facts(country="FR")) is Verdict.ALLOW
        assert one(rule_set, facts(country="DE")) is None

    def test_one_in_words_is_for_the_judge_before_anything_is_denied(self) -> None:
        rule_set = rules(
            rule_text(f"constraints: [{OVERTIME}]", "preconditions: [The employee is an adult.]")
        )
        assert kind_of(rule_set, facts(overtime=45)) is Verdict.ALLOW
        assert one(rule_set, facts(overtime=46)) is None


class TestSubjects:
    def test_a_rule_looks_at_subjects_of_its_kinds(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}]", "subject_kinds: [event]"))
        context = EvaluationContext(
            (
                Subject(SubjectKind.EVENT, facts={"overtime": 40}),
                Subject(SubjectKind.TRANSACTION, facts={"overtime": 50}),
            )
        )
        assert kind_of(rule_set, context) is Verdict.ALLOW

    def test_every_subject_of_its_kind_counts(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}]", "subject_kinds: [event]"))
        first, silent, last = (
            Subject(SubjectKind.EVENT, facts=values)
            for values in ({"overtime": 40}, {}, {"overtime": 50})
        )
        assert kind_of(rule_set, EvaluationContext((first, last))) is Verdict.DENY
        assert one(rule_set, EvaluationContext((first, silent))) is None

    def test_a_rule_for_all_kinds_is_decided_on_those_that_say_anything_of_it(self) -> None:
        rule_set = rules(rule_text(f"constraints: [{OVERTIME}]"))
        event = Subject(SubjectKind.EVENT, facts={"overtime": 40})
        silent = Subject(SubjectKind.EVENT)
        change = Subject(SubjectKind.CODE_DIFF, (added("x = 1\n"),), {"change": {}})
        assert kind_of(rule_set, EvaluationContext((change, event))) is Verdict.ALLOW
        assert one(rule_set, EvaluationContext((change, event, silent))) is None
        assert one(rule_set, EvaluationContext((change,))) is None


class TestPlaces:
    COMPLEXITY = rules(
        rule_text(
            "paths: ['!tests/**']",
            'constraints: [{type: numeric, field_path: "change.functions[*].complexity", '
            'operator: "<=", threshold: 1}]',
        )
    )

    def test_a_measure_of_a_function_points_at_the_function(self) -> None:
        source = (
            "def f(x):\n    return x\n\n\ndef g(x):\n    if x:\n        return 1\n    return 2\n"
        )
        file, test = added(source, "src/a.py"), added(source, "tests/a.py")
        verdict = one(self.COMPLEXITY, code(file, test, **build_change_facts([file, test])))
        assert verdict is not None
        assert verdict.issue.startswith("complexity is 2 in g (src/a.py:5)")
        (place,) = verdict.locations
        assert (place.file_path, place.start_line, place.end_line) == ("src/a.py", 5, 8)
        assert place.fields == {"function_name": "g"}

    def test_nothing_of_a_kind_is_nothing_wrong(self) -> None:
        file = added("x = 1\n")
        verdict = one(self.COMPLEXITY, code(file, **build_change_facts([file])))
        assert verdict is not None
        assert verdict.verdict is Verdict.ALLOW

    def test_nothing_passes_on_facts_of_files_that_were_not_read(self) -> None:
        file = added("def f(): pass\n")
        unread = FileChange("b.py", FileStatus.MODIFIED, language="python", unread="malformed")
        verdict = one(self.COMPLEXITY, code(file, unread, **build_change_facts([file, unread])))
        assert verdict is not None
        assert (verdict.verdict, verdict.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD)

    def test_a_script_without_an_extension_is_measured_as_what_it_is(self) -> None:
        size = 'type: numeric, field_path: "change.files[*].lines_added", operator: "<"'
        limit = f"constraints: [{{{size}, threshold: 2}}]"
        rule_set = rules(rule_text("languages: [python]", limit))
        script = with_language(added("#!/usr/bin/python3\nx = 1\n", "bin/tool"))
        assert script.language == "python"
        assert kind_of(rule_set, code(script, **build_change_facts([script]))) is Verdict.DENY

    def test_nor_on_an_empty_list_of_what_was_not_read(self) -> None:
        length = (
            '{type: numeric, field_path: "change.functions[*].length", operator: "<", threshold: 9}'
        )
        unread = FileChange("a.py", FileStatus.MODIFIED, language="python", unread="cut off")
        context = code(unread, **build_change_facts((unread,)))
        verdict = one(rules(rule_text(f"constraints: [{length}]")), context)
        assert verdict is not None
        assert (verdict.verdict, verdict.gap) == (Verdict.NOT_ASSESSED, NotAssessedReason.UNREAD)

    def test_nor_does_a_precondition_fail_on_them(self) -> None:
        rule_set = rules(
            rule_text(
                'preconditions: [{type: numeric, field_path: change.lines_added, operator: ">=", '
                "threshold: 10}]",
                "constraints: [{type: regex, pattern: bad}]",
            )
        )
        unread = FileChange("b.py", FileStatus.MODIFIED, language="python", unread="malformed")
        read = added("bad\n")
        assert kind_of(rule_set, code(read, **build_change_facts([read]))) is Verdict.ALLOW
        both = code(read, unread, **build_change_facts([read, unread]))
        assert kind_of(rule_set, both) is Verdict.NOT_ASSESSED

    @pytest.mark.parametrize("kind", list(SubjectKind))
    def test_a_place_has_only_the_fields_of_its_surface(self, kind: SubjectKind) -> None:
        rule_set = rules(rule_text(f"constraints: [{CONTRACT}]"))
        verdict = one(rule_set, facts(kind, contract="freelance"))
        assert verdict is not None
        for place in verdict.locations:
            assert place.surface is facts(kind).subjects[0].surface
            assert place.fields.keys() <= TERMS[place.surface].location_fields

    def test_a_fact_of_a_transaction_has_its_path(self) -> None:
        rule_set = rules(
            rule_text(
                'constraints: [{type: numeric, field_path: "items[*].amount", operator: "<", '
                "threshold: 10}]"
            )
        )
        file = added("items:\n  - note: a\n    amount: 12\n", "ledger/1.yml")
        subject = build_file_subject(RoutedFile(file, SubjectKind.TRANSACTION))
        verdict = one(rule_set, EvaluationContext((subject,)))
        assert verdict is not None
        (place,) = verdict.locations
        assert (place.file_path, place.start_line, place.end_line) == ("ledger/1.yml", 3, 3)
        assert place.fields == {
            "json_path": "$.items[0].amount",
            "field_name": "amount",
            "current_value": "12",
        }


def test_every_rule_comes_out_once_and_in_order() -> None:
    texts = [
        rule_text(id="a", kind="normative"),
        rule_text(f"constraints: [{OVERTIME}]", id="b"),
        rule_text("constraints: [{type: regex, pattern: bad}]", id="c"),
        rule_text(id="d", kind="principle"),
        rule_text(id="e", statement="Things are good."),
    ]
    dispatched = decided(rules("".join(texts)), code(added("bad\n"), overtime=50))
    assert [verdict.rule.id for verdict in dispatched.verdicts] == ["b", "c", "d"]
    assert [rule.id for rule in dispatched.undecided] == ["a", "e"]


def test_exceptions_are_told_to_whoever_decides() -> None:
    rule_set = rules(rule_text(f"constraints: [{OVERTIME}]", "exceptions: [Natural disasters.]"))
    verdict = one(rule_set, facts(overtime=50))
    assert verdict is not None
    assert "The rule allows exceptions: Natural disasters." in verdict.reasoning


CORPUS = rules(
    rule_text(f"constraints: [{OVERTIME}, {CONTRACT}]", id="a")
    + rule_text(id="b", statement="Overtime must not exceed 45 hours.")
    + rule_text(id="c", kind="procedural", statement="Approval comes before payment.")
    + rule_text("constraints: [{type: order, steps: [x, y]}]", id="d", kind="procedural")
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["overtime", "contract", "steps", "sequence", "approval"]), ANYTHING
    )
)
def test_no_facts_break_dispatch(values: dict[str, Any]) -> None:
    dispatched = decided(CORPUS, facts(**values))
    assert len(dispatched.verdicts) + len(dispatched.undecided) == len(CORPUS)


def test_a_dependant_of_a_rule_denied_by_computation_is_not_left_to_a_model() -> None:
    dependant = rule_text(
        "relations: {depends_on: [test.rule]}", id="test.dependant", kind="normative"
    )
    rule_set = rules(rule_text(f"constraints: [{OVERTIME}]") + dependant)
    found = decided(rule_set, facts(overtime=60))
    assert found.undecided == ()
    assert [item.verdict for item in found.verdicts] == [Verdict.DENY, Verdict.NOT_ASSESSED]
    assert found.verdicts[1].gap is NotAssessedReason.PREREQUISITE
