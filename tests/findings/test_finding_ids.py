"""The id of a finding: rule, path and code, whatever is decided of it and whatever stands by it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Finding
from jurat.findings.verdict import RuleVerdict, Verdict, require_confirmation
from jurat.findings.waivers import Decision, DecisionKind, WaiverScope, apply_waivers
from jurat.rules.rule import RuleSet
from tests.support.values import a_context, a_file, a_fix, a_location, a_rule, a_verdict

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HERE = WaiverScope(number=7, head_sha="a" * 40)

Found = Mapping[str, list[str]]
"""The code of each finding of a rule, by path."""

some_code = st.lists(st.sampled_from(["md5(a)", "md5( a )", "md5(b)", ""]), min_size=1, max_size=4)
found = st.dictionaries(st.sampled_from(["a.py", "b.py", "c.py"]), some_code, max_size=3)
kinds = st.sampled_from([Verdict.DENY, Verdict.NEEDS_CONFIRMATION])
verdicts = st.lists(st.tuples(kinds, found), min_size=1, max_size=3).map(
    lambda items: [verdict(f"r{n}", kind, codes) for n, (kind, codes) in enumerate(items)]
)


def verdict(rule_id: str, kind: Verdict, codes: Found) -> RuleVerdict:
    places = [
        a_location(path, line, snippet=code)
        for path, snippets in codes.items()
        for line, code in enumerate(snippets, 1)
    ]
    return a_verdict(a_rule(rule_id), kind, locations=places)


def evaluation_of(items: list[RuleVerdict]) -> Evaluation:
    return Evaluation("e", Verdict.DENY, tuple(items), Coverage(1))


def ids(evaluation: Evaluation) -> set[tuple[str, str, str | None, str]]:
    return {(item.id, item.code_id, item.path, item.rule.id) for item in evaluation.findings}


def decision(finding: Finding, kind: DecisionKind) -> Decision:
    return Decision(
        kind=kind,
        repository="acme/shop",
        number=7,
        head_sha="a" * 40,
        evaluation_id="e",
        fingerprint=finding.id,
        code_print=finding.code_id,
        path=finding.path,
        rule_id=finding.rule.id,
        revision="r",
        verdict=finding.outcome,
        by="wendy",
        why="It is a fixture.",
        at=NOON,
    )


def test_ids_are_those_that_comments_and_decisions_hold() -> None:
    """Written down as they were first published: another value would lose every decision."""
    places = (
        a_location("app.py", 2, snippet="md5(a)"),
        a_location("app.py", 5, snippet=" md5( a )"),
        a_location("lib.py", 2, snippet="md5(a)"),
    )
    made = a_verdict(locations=places).findings
    assert [(item.id, item.code_id) for item in made] == [
        ("0ac8d8393677cea4", "aa2a1283e806e7f2"),
        ("0d1b9052ff73c1fd", "21840a29388ad204"),
        ("ac434ed439ba0284", "aa2a1283e806e7f2"),
    ]
    (whole,) = a_verdict(a_rule("change.small")).findings
    assert (whole.id, whole.code_id) == ("f3aa15ae5c472479", "a5006bf969e23e91")


@given(verdicts, st.sampled_from(DecisionKind), st.data())
def test_deciding_about_any_findings_changes_the_id_of_none(
    items: list[RuleVerdict], kind: DecisionKind, data: st.DataObject
) -> None:
    before = evaluation_of(items)
    chosen = data.draw(st.lists(st.sampled_from(before.findings), unique_by=lambda item: item.id))
    after = apply_waivers(
        before,
        a_context(a_file()),
        rule_set=RuleSet({item.rule.id: item.rule for item in items}),
        decisions=[decision(item, kind) for item in chosen],
        scope=HERE,
        today=NOON.date(),
    )
    assert [item.id for item in after.findings] == [item.id for item in before.findings]
    assert [replace(item, waiver=None) for item in after.findings] == list(before.findings)
    # A confirmation waives no denial; a restoration and an override waive nothing.
    confirms = kind is DecisionKind.CONFIRMED
    expected = {
        item.id
        for item in chosen
        if kind is DecisionKind.DISMISSED
        or (confirms and item.outcome is Verdict.NEEDS_CONFIRMATION)
    }
    assert {item.id for item in after.findings if item.waiver is not None} == expected


@given(verdicts)
def test_what_is_left_to_a_person_keeps_the_ids_of_its_findings(items: list[RuleVerdict]) -> None:
    asked = [require_confirmation(item) for item in items]
    assert ids(evaluation_of(asked)) == ids(evaluation_of(items))
    assert all(
        finding.outcome is item.verdict is Verdict.NEEDS_CONFIRMATION
        for item in asked
        for finding in item.findings
    )


@given(found, st.lists(kinds, min_size=1, max_size=3), st.randoms())
def test_no_id_depends_on_the_order_of_files_or_verdicts(
    codes: Found, outcomes: list[Verdict], random: Random
) -> None:
    def verdicts_of(codes: Found) -> list[RuleVerdict]:
        return [verdict(f"r{n}", kind, codes) for n, kind in enumerate(outcomes)]

    paths = list(codes)
    random.shuffle(paths)
    others = verdicts_of({path: codes[path] for path in paths})
    random.shuffle(others)
    assert ids(evaluation_of(others)) == ids(evaluation_of(verdicts_of(codes)))


@given(verdicts)
def test_ids_are_unique_within_a_review(items: list[RuleVerdict]) -> None:
    every = [finding.id for item in items for finding in item.findings]
    assert len(set(every)) == len(every)


def test_an_allow_that_is_left_to_a_person_is_a_finding_about_the_whole() -> None:
    passed = a_verdict(verdict=Verdict.ALLOW, issue="", reasoning="Nothing logs a secret.")
    assert passed.findings == ()
    asked = require_confirmation(passed, "A file was not shown to the model.")
    (finding,) = asked.findings
    assert (finding.location, finding.outcome) == (None, Verdict.NEEDS_CONFIRMATION)
    assert finding.message == asked.reasoning == "A file was not shown to the model."
    assert finding.id == a_verdict().findings[0].id


def test_a_fix_that_replaces_the_lines_of_no_finding_is_kept_beside_them() -> None:
    fixes = (a_fix("app.py", 2), a_fix("app.py", 9))
    given = a_verdict(locations=(a_location("app.py", 2),), remediations=fixes)
    assert [item.fix for item in given.findings] == [fixes[0]]
    assert given.other_fixes == fixes[1:]
    assert given.remediations == fixes
