from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from jurat.facts.context import EvaluationContext, SubjectKind
from jurat.rules.rule import Modality, Severity
from jurat.rules.selection import Selection, SelectionCriteria, select_applicable
from jurat.source.diff import FileChange, FileStatus
from tests.support.code import added, code, facts, rule_text, rules

EVERYTHING = SelectionCriteria()
TODAY = dt.date(2027, 6, 1)
PYTHON = code(added("x = 1\n", "src/app.py"))


def chosen(
    *lines: str,
    context: EvaluationContext = PYTHON,
    criteria: SelectionCriteria = EVERYTHING,
    **keys: str,
) -> str | None:
    """Why one rule does not apply, None if it does."""
    rule_set = rules(rule_text(*lines, **{"kind": "normative", **keys}))
    selection = select_applicable(context, rule_set, criteria, TODAY)
    assert len(selection.rules) + len(selection.inapplicable) == 1
    return selection.inapplicable[0].reason if selection.inapplicable else None


class TestReasons:
    def test_a_rule_that_says_nothing_applies_to_everything(self) -> None:
        assert chosen() is None
        assert chosen(context=facts()) is None

    @pytest.mark.parametrize(
        ("effective", "reason"),
        [
            ("{from: 2027-06-01}", None),
            ("{until: 2027-06-01}", None),
            ("{from: 2027-06-02}", "not in force before 2027-06-02"),
            ("{until: 2027-05-31}", "2027-05-31"),
        ],
    )
    def test_it_is_in_force_on_its_days_both_included(
        self, effective: str, reason: str | None
    ) -> None:
        found = chosen(f"effective: {effective}")
        assert found is None if reason is None else reason in str(found)

    def test_severity_modality_and_tags_narrow(self) -> None:
        assert chosen(severity="LOW") is not None
        assert chosen(severity="LOW", criteria=SelectionCriteria(severity_min=Severity.LOW)) is None
        musts = SelectionCriteria(modalities=frozenset({Modality.MUST}))
        assert chosen(criteria=musts) is None
        assert chosen(criteria=musts, modality="SHOULD") is not None
        tagged = SelectionCriteria(tags=frozenset({"tls", "gdpr"}))
        assert chosen("tags: [tls, x]", criteria=tagged) is None
        assert chosen("tags: [x]", criteria=tagged) is not None

    @pytest.mark.parametrize(
        ("rule_scope", "scope", "applies"),
        [
            ("[hr]", None, True),
            ("[hr]", "hr", True),
            ("[hr]", "hr/overtime", True),
            ("[hr/overtime]", "hr", True),
            ("[hr/overtime]", "hr/leave", False),
            ("[hr]", "hrx", False),
            ("[finance, hr]", "hr", True),
            ("[acme/widgets]", "hr", True),
            ("[acme]", "hr", True),
            ("[acme/gadgets]", "hr", False),
            ("[]", "hr", True),
        ],
    )
    def test_scopes_meet_by_segments_and_the_repository_is_one(
        self, rule_scope: str, scope: str | None, applies: bool
    ) -> None:
        context = replace(PYTHON, scope=scope, repository="acme/widgets")
        assert (chosen(f"scope: {rule_scope}", context=context) is None) is applies

    @pytest.mark.parametrize(
        ("globs", "applies"),
        [
            ("paths: [src/**]", True),
            ("paths: [lib/**]", False),
            ("paths: ['!src/**']", False),
            ("paths: ['**', '!**/gen/**']", True),
            ("paths: ['{lib,src}/*.py']", True),
            ("languages: [python]", True),
            ("languages: [go]", False),
            ("languages: ['py*']", True),
            ("languages: ['!python']", False),
            ("languages: ['!go']", True),
            ("{paths: [src/**], languages: [go]}", False),
        ],
    )
    def test_paths_and_languages_name_files(self, globs: str, applies: bool) -> None:
        lines = globs.strip("{}").split(", l") if globs.startswith("{") else [globs]
        lines = [line if line.startswith(("paths", "l")) else f"l{line}" for line in lines]
        assert (chosen(*lines) is None) is applies

    def test_a_pattern_says_its_languages(self) -> None:
        pattern = "constraints: [{type: pattern, language: go, pattern: f()}]"
        assert chosen(pattern, kind="computational") is not None
        assert chosen(pattern, kind="computational", context=code(added("f()\n", "a.go"))) is None

    def test_an_unread_file_fits_as_well(self) -> None:
        unread = FileChange("src/big.py", FileStatus.MODIFIED, language="python", unread="too big")
        assert chosen("languages: [python]", context=code(unread)) is None

    def test_facts_alone_fit_rules_over_facts_that_name_no_files(self) -> None:
        assert chosen("paths: [src/**]", context=facts()) is not None
        assert chosen("paths: ['!tests/**']", context=facts()) is None
        regex = "constraints: [{type: regex, pattern: bad}]"
        assert chosen(regex, kind="computational", context=facts()) is not None

    def test_subject_kinds_narrow(self) -> None:
        assert chosen("subject_kinds: [event]") is not None
        assert chosen("subject_kinds: [event]", context=facts(SubjectKind.EVENT)) is None

    def test_every_rule_left_out_has_a_reason(self) -> None:
        rule_set = rules(
            rule_text(id="a", kind="normative", severity="LOW")
            + rule_text("languages: [go]", id="b", kind="normative")
            + rule_text(id="c", kind="normative")
        )
        selection = select_applicable(PYTHON, rule_set, SelectionCriteria(), TODAY)
        assert [rule.id for rule in selection.rules] == ["c"]
        assert {item.rule.id: bool(item.reason) for item in selection.inapplicable} == {
            "a": True,
            "b": True,
        }


class TestBound:
    def select(self, max_rules: int, *texts: str) -> Selection:
        return select_applicable(
            PYTHON, rules("".join(texts)), SelectionCriteria(max_rules=max_rules), TODAY
        )

    def test_rules_that_need_no_model_always_run(self) -> None:
        texts = [
            rule_text("constraints: [{type: regex, pattern: bad}]", id=f"c{n}", modality="SHOULD")
            for n in range(5)
        ]
        assert len(self.select(1, *texts).rules) == 5

    def test_the_rest_is_omitted_and_said(self) -> None:
        texts = [rule_text(id=f"n{n}", kind="normative", modality="SHOULD") for n in range(4)]
        selection = self.select(3, *texts)
        assert len(selection.rules) == 3
        assert len(selection.omitted) == 1
        assert all("max_rules" in item.reason for item in selection.omitted)

    def test_binding_rules_of_high_severity_are_never_cut(self) -> None:
        texts = [rule_text(id=f"n{n}", kind="normative") for n in range(4)]
        texts.append(rule_text(id="last", kind="normative", modality="SHOULD", severity="CRITICAL"))
        selection = self.select(2, *texts)
        assert [rule.id for rule in selection.rules] == ["n0", "n1", "n2", "n3"]
        assert [item.rule.id for item in selection.omitted] == ["last"]
