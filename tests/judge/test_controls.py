from __future__ import annotations

import pytest

from jurat.facts.context import Surface
from jurat.findings.verdict import Verdict
from jurat.judge.control_rules import are_controls_kept, draw_controls, load_control_rules
from jurat.judge.replies import ReplyVerdict, UnreadableAnswer
from tests.support.gemini import a_normative_rule

RULES = [a_normative_rule("house.one"), a_normative_rule("py.two")]


def said(verdict: Verdict) -> ReplyVerdict:
    return ReplyVerdict(verdict, 0.9, "Because.")


@pytest.mark.parametrize("surface", Surface)
def test_one_control_is_to_be_denied_and_one_allowed(surface: Surface) -> None:
    for mark in map(str, range(40)):
        controls = draw_controls(surface, RULES, [], mark)
        assert sorted(control.expected for control in controls) == [Verdict.ALLOW, Verdict.DENY]
        assert len({control.excerpt.label for control in controls}) == 2
        assert all(control.excerpt.control for control in controls)


@pytest.mark.parametrize("surface", Surface)
def test_the_text_of_a_control_is_the_one_that_its_verdict_needs(surface: Surface) -> None:
    by_statement = {item.statement: item for item in load_control_rules()[surface]}
    for mark in map(str, range(40)):
        for control in draw_controls(surface, RULES, [], mark):
            specimen = by_statement[control.statement]
            text = "\n".join(row.text for row in control.excerpt.blocks[0].rows) + "\n"
            wanted = specimen.breaks if control.expected is Verdict.DENY else specimen.keeps
            assert text == wanted


def test_draws_differ_from_mark_to_mark_and_repeat_with_it() -> None:
    drawn = {
        tuple(
            (control.id, control.expected)
            for control in draw_controls(Surface.CODE, RULES, [], str(mark))
        )
        for mark in range(60)
    }
    assert len(drawn) > 30
    assert draw_controls(Surface.CODE, RULES, [], "7") == draw_controls(
        Surface.CODE, RULES, [], "7"
    )


def test_a_control_looks_like_the_rules_beside_it_and_is_none_of_them() -> None:
    taken = [a_normative_rule(f"house.{item.topic}") for item in load_control_rules()[Surface.CODE]]
    for mark in map(str, range(40)):
        for control in draw_controls(Surface.CODE, taken, [], mark):
            assert control.id.startswith("house.")
            assert control.id not in {rule.id for rule in taken}
    for control in draw_controls(Surface.CODE, [a_normative_rule("tidy")], [], "1"):
        assert "." not in control.id


def test_a_control_never_takes_the_name_of_a_file_of_the_change() -> None:
    labels = [item.label for item in load_control_rules()[Surface.CODE]][2:]
    for mark in map(str, range(40)):
        drawn = draw_controls(Surface.CODE, RULES, labels, mark)
        assert not {control.excerpt.label for control in drawn} & set(labels)


@pytest.mark.parametrize("surface", Surface)
def test_specimens_differ_in_a_line_and_have_statements_and_labels_of_their_own(
    surface: Surface,
) -> None:
    items = load_control_rules()[surface]
    assert len(items) >= 4
    assert len({item.statement for item in items}) == len({item.label for item in items})
    for item in items:
        assert set(item.breaks.splitlines()) - set(item.keeps.splitlines())


def test_a_wrong_missing_or_unreadable_control_voids_a_reply() -> None:
    controls = draw_controls(Surface.CODE, RULES, [], "1")
    right = {control.id: said(control.expected) for control in controls}
    assert are_controls_kept(controls, right)
    for control in controls:
        others = {key: value for key, value in right.items() if key != control.id}
        assert not are_controls_kept(controls, others)
        assert not are_controls_kept(controls, {**right, control.id: UnreadableAnswer("twice")})
        for verdict in (Verdict.ALLOW, Verdict.DENY, Verdict.NEEDS_CONFIRMATION):
            answers = {**right, control.id: said(verdict)}
            assert are_controls_kept(controls, answers) == (verdict is control.expected)
