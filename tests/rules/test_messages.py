"""What a rule says of one place: its templates, what they may capture, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jurat.errors import RuleError
from jurat.facts.context import SubjectKind
from jurat.findings.finding import Finding
from jurat.reports.markdown import escape_markdown
from jurat.rules.loader import load_ruleset
from jurat.rules.messages import MOST_CAPTURED, Plain, fill_first, fill_message
from tests.support.code import added, code, decided, facts, rule_text, rules

RUN = (
    "constraints:",
    "  - type: pattern",
    "    language: python",
    "    rule: {any: [{pattern: run($COMMAND)}, {pattern: run()}]}",
)


def found(head: str, *lines: str) -> list[Finding]:
    (verdict,) = decided(rules(rule_text(*lines)), code(added(head))).verdicts
    return list(verdict.findings)


def fill(template: str, **captured: str) -> str | None:
    return fill_message(template, captured.get)


class TestFilling:
    @pytest.mark.parametrize(
        ("template", "captured", "said"),
        [
            ("$CALL gets a shell.", {"CALL": "run"}, "`run` gets a shell."),
            ("`yaml.$LOAD` reads it.", {"LOAD": "load_all"}, "`yaml.load_all` reads it."),
            ("$$CALL and $5 are prose.", {}, "$CALL and $5 are prose."),
            ("$$$ARGS are given.", {"ARGS": "a, b"}, "`a, b` are given."),
            ("$value of $n.", {"value": "f", "n": Plain("31")}, "`f` of 31."),
            ("$A.", {"A": "a\n    b\tc"}, "`a b c`."),
            ("$A.", {"A": "x` is fine. `y"}, "``x` is fine. `y``."),
            ("`f($A)`.", {"A": "`q`"}, "``f(`q`)``."),
            ("$A.", {"A": "a\u202eb"}, "`aU+202Eb`."),
        ],
    )
    def test_what_was_captured_stands_as_code(
        self, template: str, captured: Mapping[str, str], said: str
    ) -> None:
        assert fill(template, **captured) == said

    @pytest.mark.parametrize("captured", [{}, {"A": ""}, {"A": " \n "}])
    def test_a_message_without_its_capture_is_not_said(self, captured: Mapping[str, str]) -> None:
        assert fill("$A is bad.", **captured) is None
        assert fill("`f($A)` is bad.", **captured) is None
        assert fill_first(("$A is bad.", "That is bad."), captured.get) == "That is bad."

    def test_a_capture_is_cut(self) -> None:
        said = fill("$A is bad.", A="x" * 10_000)
        assert said == f"`{'x' * (MOST_CAPTURED - 1)}…` is bad."

    @given(st.text(alphabet=st.sampled_from("`a*<>@#[]() \n\\~|$&!-") | st.characters()))
    def test_no_capture_gets_out_of_its_code_in_markdown(self, captured: str) -> None:
        said = fill("Before $A after.", A=captured)
        if said is None:
            return
        (inline,) = MarkdownIt().parseInline(escape_markdown(said))
        assert [(token.type, token.content) for token in inline.children or ()][::2] == [
            ("text", "Before "),
            ("text", " after."),
        ]
        assert (inline.children or ())[1].type == "code_inline"


def errors_of(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(RuleError) as caught:
        load_ruleset({"r.yml": f"rules:\n{rule_text(*lines)}"})
    return [(error.line, error.problem) for error in (caught.value, *caught.value.others)]


class TestLoading:
    @pytest.mark.parametrize(
        ("message", "problem"),
        [
            (
                "$COMAND is run.",
                "$COMAND is not captured by this constraint; captured: $COMMAND;"
                " write $$ for a dollar sign",
            ),
            ("`run is bad.", "opens code with ` and does not close it"),
            ("' '", "must not be empty; without it, one is made of the statement"),
            ("x" * 301, "is longer than 300 characters: say it in a sentence"),
        ],
    )
    def test_a_message_that_cannot_be_said_is_an_error_on_its_line(
        self, message: str, problem: str
    ) -> None:
        text = message if message.startswith("'") else f'"{message}"'
        ((line, said),) = errors_of(*RUN, f"    message: {text}")
        assert said == problem
        written = f"rules:\n{rule_text(*RUN, f'    message: {text}')}".splitlines()
        assert "message:" in written[line - 1]

    def test_what_stands_under_not_or_in_utils_is_never_captured(self) -> None:
        ((_, said), (_, other)) = errors_of(
            "constraints:",
            "  - type: pattern",
            "    language: python",
            "    utils: {q: {pattern: q($INNER)}}",
            "    rule: {kind: call, not: {pattern: run($A)}, has: {matches: q}}",
            '    message: "$A and $INNER."',
        )
        assert said.startswith("$A is not captured by this constraint; captured: nothing;")
        assert other.startswith("$INNER is not captured")

    def test_the_rules_own_message_must_fit_each_constraint_that_has_none(self) -> None:
        lines = (
            'message: "$token is open."',
            "constraints:",
            "  - {type: regex, pattern: 'key_(?P<token>[0-9]+)'}",
            "  - {type: regex, pattern: 'sec_[0-9]+'%s}",
        )
        ((_, said),) = errors_of(*lines[:-1], lines[-1] % "")
        assert said.startswith("$token is not captured by constraints[1], which has no message")
        rules(rule_text(*lines[:-1], lines[-1] % ", message: A secret is open."))

    @pytest.mark.parametrize(
        ("constraint", "known"),
        [
            ("{type: numeric, field_path: n, operator: '<', threshold: 1}", "$threshold"),
            ("{type: enum, field_path: n, allowed_values: [a]}", "$expected, $name, $value"),
        ],
    )
    def test_what_a_constraint_over_facts_captures_is_said(
        self, constraint: str, known: str
    ) -> None:
        ((_, said),) = errors_of('message: "It was $base."', f"constraints: [{constraint}]")
        assert known in said
        rules(rule_text('message: "$name is $value."', f"constraints: [{constraint}]"))

    def test_a_precondition_has_nothing_to_say(self) -> None:
        ((_, said),) = errors_of(
            "preconditions: [{type: enum, field_path: n, allowed_values: [a], message: Bad.}]",
            "constraints: [{type: enum, field_path: n, allowed_values: [a]}]",
        )
        assert said == "a precondition finds nothing, so it has nothing to say"

    def test_a_rule_that_a_model_judges_has_none(self) -> None:
        text = rule_text("message: Bad.", kind="normative")
        with pytest.raises(RuleError, match="a rule of kind normative has none: a model says"):
            load_ruleset({"r.yml": f"rules:\n{text}"})

    def test_another_message_makes_no_other_rule(self) -> None:
        texts = (
            rule_text(f"message: {said}", *RUN, f"    message: {said}")
            for said in ("Bad.", "Worse.")
        )
        one, two = (rules(text).rules["test.rule"] for text in texts)
        assert one.substance == two.substance
        assert one.revision != two.revision


class TestSaying:
    def test_every_place_has_its_own_message(self) -> None:
        one, two, three = found(
            "run(a)\nrun(b)\nrun()\n",
            'message: "Something is run."',
            *RUN,
            '    message: "$COMMAND is run."',
        )
        assert [one.message, two.message] == ["`a` is run.", "`b` is run."]
        assert three.message == "Something is run."

    def test_without_a_message_one_is_made_of_the_statement_and_is_no_all_clear(self) -> None:
        (only,) = found("run()\n", *RUN)
        assert only.message == "The rule is broken here: A statement."

    def test_two_things_on_one_line_are_both_said(self) -> None:
        (only,) = found(
            "key_1 sec_2\n",
            "constraints:",
            "  - {type: regex, pattern: 'key_(?P<n>[0-9])', message: Key $n is open.}",
            "  - {type: regex, pattern: 'sec_(?P<n>[0-9])', message: Secret $n is open.}",
        )
        assert only.message == "Key `1` is open. Secret `2` is open."

    def test_a_function_says_what_it_was(self) -> None:
        rule_set = rules(
            rule_text(
                'message: "$name has $value branches."',
                "constraints:",
                "  - type: numeric",
                '    field_path: "change.functions[*].complexity"',
                '    operator: "<="',
                "    threshold: 15",
                "    baseline: base",
                '    message: "$name has $value branches, up from $base: more than $threshold."',
            )
        )
        old = {"path": "a.py", "complexity": 21}
        functions = [
            {"name": "f", "path": "a.py", "complexity": 31, "base": old},
            {"name": "g", "path": "a.py", "complexity": 16, "base": None},
        ]
        context = facts(SubjectKind.CODE_DIFF, change={"functions": functions})
        (verdict,) = decided(rule_set, context).verdicts
        assert [item.message for item in verdict.findings] == [
            "`f` has 31 branches, up from 21: more than 15.",
            "`g` has 16 branches.",
        ]

    def test_a_value_of_the_facts_is_code_and_a_number_is_not(self) -> None:
        rule_set = rules(
            rule_text(
                'message: "It is $value; the rule asks for $expected."',
                "constraints:",
                "  - {type: enum, field_path: form, allowed_values: [letter, pdf]}",
                "  - {type: numeric, field_path: days, operator: '>=', threshold: 30, unit: days}",
            )
        )
        (verdict,) = decided(rule_set, facts(form="a *fax*", days=14)).verdicts
        assert [item.message for item in verdict.findings] == [
            "It is `a *fax*`; the rule asks for one of letter, pdf.",
            "It is 14; the rule asks for at least 30 days.",
        ]
