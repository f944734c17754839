"""An evaluation's id: the same for the same inputs, another as soon as one of them is."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from jurat.facts.context import EvaluationContext, Mode
from jurat.findings.evaluation import Evaluation, RatingOutcome, aggregate
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.review import evaluate
from jurat.review_interfaces import Inputs
from jurat.rules.config import CommandConfig, Config, RatingConfig, ReviewConfig
from jurat.rules.constraints import EnumConstraint
from jurat.rules.rule import Effective, Maturity, RuleSet
from jurat.rules.selection import Selection, SelectionCriteria
from jurat.source.diff import Diff
from jurat.source.suppressions import Suppression
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict

TODAY = dt.date(2026, 3, 2)
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
RULE = a_rule()
MATERIAL = Inputs(
    Diff(),
    RuleSet({RULE.id: RULE}),
    Config(),
    repository="acme/shop",
    number=7,
    base_sha="b" * 40,
    head_sha="a" * 40,
)
CONTEXT = a_context(a_file())


def id_of(
    material: Inputs = MATERIAL,
    context: EvaluationContext = CONTEXT,
    verdict: Verdict = Verdict.DENY,
    today: dt.date = TODAY,
    **given: Any,
) -> str:
    found = a_verdict(RULE, verdict, locations=(a_location(snippet="md5(a)"),))
    draft = aggregate(context, Selection((RULE,)), [found])
    given = {"rules": material.rule_set, "judged_by": "a judge", **given}
    return evaluate(material, context, draft, today=today, **given).evaluation_id


def in_force(**fields: Any) -> Inputs:
    rule = a_rule(**fields)
    return replace(MATERIAL, rule_set=RuleSet({rule.id: rule}))


def decided(**fields: Any) -> Decision:
    draft: Evaluation = aggregate(
        CONTEXT, Selection((RULE,)), [a_verdict(RULE, locations=(a_location(snippet="md5(a)"),))]
    )
    (finding,) = draft.findings
    one = Decision(
        kind=DecisionKind.DISMISSED,
        repository="acme/shop",
        number=7,
        head_sha="a" * 40,
        evaluation_id="e",
        fingerprint=finding.id,
        code_print=finding.code_id,
        path="app.py",
        rule_id=RULE.id,
        revision="r",
        verdict=Verdict.DENY,
        by="wendy",
        why="It is a fixture.",
        at=NOON,
    )
    return replace(one, **fields)


def test_it_is_a_digest_and_the_same_for_the_same_inputs() -> None:
    assert id_of() == id_of()
    assert len(id_of()) == 64


@pytest.mark.parametrize(
    "other",
    [
        id_of(verdict=Verdict.ALLOW),
        id_of(rating=RatingOutcome("### Rating")),
        id_of(today=TODAY + dt.timedelta(days=400)),
        id_of(replace(MATERIAL, asked_by="github:wendy")),
        id_of(replace(MATERIAL, configuration=Config(retain="full"))),
        id_of(replace(MATERIAL, configuration=Config(review=ReviewConfig(max_comments=3)))),
        id_of(replace(MATERIAL, configuration=Config(commands=CommandConfig(permission="read")))),
        id_of(decisions=[decided(fingerprint="0" * 16, code_print="0" * 16)]),
    ],
)
def test_what_came_out_who_asked_and_the_time_are_no_part_of_it(other: str) -> None:
    assert other == id_of()


def test_each_input_is_a_part_of_it() -> None:
    experimental = in_force(maturity=Maturity.EXPERIMENTAL).rule_set
    until = Suppression("app.py", 3, 3, RULE.id, TODAY - dt.timedelta(days=1), "old")
    others = [
        id_of(replace(MATERIAL, repository="acme/other")),
        id_of(replace(MATERIAL, number=8)),
        id_of(replace(MATERIAL, number=None, queued=7, merging=True)),
        id_of(replace(MATERIAL, base_sha="c" * 40)),
        id_of(replace(MATERIAL, head_sha="c" * 40)),
        id_of(replace(MATERIAL, configuration=Config(rating=RatingConfig(fail_below=3)))),
        id_of(replace(MATERIAL, configuration=Config(review=ReviewConfig(unassessed="neutral")))),
        id_of(replace(MATERIAL, configuration=Config(ignore=("vendor/**",)))),
        id_of(replace(MATERIAL, criteria=SelectionCriteria(tags=frozenset({"security"})))),
        id_of(in_force(statement="Another one.")),
        id_of(in_force(pin=True)),
        id_of(rules=experimental),
        id_of(rules=RuleSet(MATERIAL.rule_set.rules, tables={(RULE.id, "t"): ({"a": "b"},)})),
        id_of(context=a_context(a_file(added=3))),
        id_of(context=a_context(replace(a_file(), head="all of it"))),
        id_of(context=replace(CONTEXT, intent="It was needed.")),
        id_of(context=replace(CONTEXT, mode=Mode.POSTHOC)),
        id_of(judged_by="another judge"),
        id_of(judged_by=""),
        id_of(decisions=[decided()]),
        id_of(decisions=[decided(by="mary")]),
        id_of(suppressions=[until]),
    ]
    assert len({id_of(), *others}) == len(others) + 1


def test_a_day_is_a_part_of_it_only_once_something_begins_or_ends() -> None:
    dated = in_force(
        effective=Effective(since=TODAY + dt.timedelta(days=2), until=TODAY + dt.timedelta(days=4))
    )
    ids = [id_of(dated, today=TODAY + dt.timedelta(days=number)) for number in range(8)]
    assert [ids.index(item) for item in ids] == [0, 0, 2, 2, 2, 5, 5, 5]


def _retitled(title: str, *, labels: tuple[str, ...] = ()) -> EvaluationContext:
    (subject,) = CONTEXT.subjects
    facts = {"pull_request": {"title": title, "labels": labels}}
    return replace(CONTEXT, subjects=(replace(subject, facts=facts),), intent=title)


def _reads(path: str) -> EnumConstraint:
    return EnumConstraint(type="enum", field_path=path, allowed_values=("JIRA-1",))


def _reading(path: str) -> Inputs:
    about = a_rule("team.title", constraints=(_reads(path),))
    return replace(MATERIAL, rule_set=RuleSet({RULE.id: RULE, about.id: about}))


def test_words_that_no_rule_reads_are_no_part_of_it() -> None:
    one, other = _retitled("Fix it", labels=("bug",)), _retitled("Mend it")
    assert id_of(context=one, judged_by="") == id_of(context=other, judged_by="")
    draft = _reading("pull_request.draft")
    assert id_of(draft, one, judged_by="") == id_of(draft, other, judged_by="")


@pytest.mark.parametrize("path", ["pull_request.title", "pull_request"])
def test_words_that_a_rule_reads_are(path: str) -> None:
    one, other = _retitled("Fix it"), _retitled("Mend it")
    reading = _reading(path)
    assert id_of(reading, one, judged_by="") != id_of(reading, other, judged_by="")
    # Too many rules are ranked by what the author says.
    narrow = replace(MATERIAL, criteria=SelectionCriteria(max_rules=0))
    assert id_of(narrow, one, judged_by="") != id_of(narrow, other, judged_by="")
