"""Rules that give way do so where the stronger rule speaks, and what is left still counts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.findings.evaluation import find_worst_outcome
from jurat.findings.relations import apply_relations
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.rules.rule import Maturity, Modality, Relations, Severity
from tests.support.values import a_context, a_file, a_fix, a_location, a_rule, a_verdict

PY = a_file("src/a.py")
LIB = a_file("lib/b.py")


def by_rule(*verdicts: RuleVerdict, files: tuple = (PY,)) -> dict[str, RuleVerdict]:
    return {item.rule.id: item for item in apply_relations(verdicts, a_context(*files))}


def test_an_overridden_rule_gives_way() -> None:
    weak = a_verdict(a_rule("weak"), locations=(a_location("src/a.py"),))
    strong = a_verdict(a_rule("strong", relations=Relations(overrides=("weak",))), Verdict.ALLOW)
    found = by_rule(weak, strong)
    assert found["weak"].gap is NotAssessedReason.OVERRIDDEN
    assert found["weak"].reasoning == "strong takes its place here."
    assert find_worst_outcome(found.values()) is Verdict.ALLOW


def test_a_refined_rule_gives_way_to_the_finer_one() -> None:
    fine = a_verdict(a_rule("fine", relations=Relations(refines=("coarse",))))
    assert by_rule(a_verdict(a_rule("coarse")), fine)["coarse"].gap is NotAssessedReason.OVERRIDDEN


def test_a_rule_is_overridden_only_where_the_other_speaks() -> None:
    weak = a_verdict(
        a_rule("weak"),
        locations=(a_location("src/a.py"), a_location("lib/b.py")),
        remediations=(a_fix("src/a.py"), a_fix("lib/b.py")),
    )
    strong = a_rule("strong", paths=("src/**",), relations=Relations(overrides=("weak",)))
    found = by_rule(weak, a_verdict(strong, Verdict.ALLOW), files=(PY, LIB))
    assert found["weak"].verdict is Verdict.DENY
    assert [place.file_path for place in found["weak"].locations] == ["lib/b.py"]
    assert [fix.file_path for fix in found["weak"].remediations] == ["lib/b.py"]


def test_a_rule_that_was_not_assessed_takes_no_ones_place() -> None:
    strong = a_rule("strong", relations=Relations(overrides=("weak",)))
    unassessed = a_verdict(strong, Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED)
    assert by_rule(a_verdict(a_rule("weak")), unassessed)["weak"].verdict is Verdict.DENY


def test_an_experimental_rule_never_takes_the_place_of_one_that_counts() -> None:
    strong = a_rule(
        "strong", maturity=Maturity.EXPERIMENTAL, relations=Relations(overrides=("weak",))
    )
    found = by_rule(a_verdict(a_rule("weak")), a_verdict(strong, Verdict.ALLOW))
    assert found["weak"].verdict is Verdict.DENY
    observing = a_verdict(a_rule("weak", maturity=Maturity.EXPERIMENTAL))
    assert (
        by_rule(observing, a_verdict(strong, Verdict.ALLOW))["weak"].gap
        is NotAssessedReason.OVERRIDDEN
    )


def test_two_rules_that_override_each_other_both_stand() -> None:
    one = a_verdict(a_rule("one", relations=Relations(overrides=("two",))))
    two = a_verdict(a_rule("two", relations=Relations(overrides=("one",))))
    assert all(item.verdict is Verdict.DENY for item in by_rule(one, two).values())


def test_of_two_rules_in_conflict_the_more_severe_counts_and_the_loser_is_reported() -> None:
    grave = a_verdict(a_rule("grave", severity=Severity.CRITICAL), Verdict.ALLOW)
    light = a_verdict(a_rule("light", relations=Relations(conflicts_with=("grave",))))
    loser = by_rule(light, grave)["light"]
    assert loser.gap is NotAssessedReason.CONFLICT
    assert loser.reasoning == "It conflicts with grave, which counts for more."
    assert loser.note.startswith("It had said DENY:")


def test_equal_severity_is_decided_by_modality_then_by_the_narrower_scope() -> None:
    wide = a_rule("a-wide", scope=("finance",), relations=Relations(conflicts_with=("z-narrow",)))
    narrow = a_rule("z-narrow", scope=("finance/payments",))
    found = by_rule(a_verdict(wide), a_verdict(narrow))
    assert (found["a-wide"].gap, found["z-narrow"].verdict) == (
        NotAssessedReason.CONFLICT,
        Verdict.DENY,
    )


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (Modality.INFO, Modality.MAY),
        (Modality.MAY, Modality.SHOULD),
        (Modality.SHOULD, Modality.MUST),
        (Modality.SHOULD, Modality.MUST_NOT),
    ],
)
def test_of_two_modalities_the_one_that_binds_more_counts(
    weaker: Modality, stronger: Modality
) -> None:
    weak = a_rule("a", modality=weaker, relations=Relations(conflicts_with=("b",)))
    found = by_rule(a_verdict(weak), a_verdict(a_rule("b", modality=stronger)))
    assert (found["a"].gap, found["b"].verdict) == (NotAssessedReason.CONFLICT, Verdict.DENY)


def test_to_demand_and_to_forbid_bind_alike_and_any_scope_is_narrower_than_none() -> None:
    anywhere = a_rule("a", modality=Modality.MUST, relations=Relations(conflicts_with=("b",)))
    within = a_rule("b", modality=Modality.MUST_NOT, scope=("finance",))
    assert by_rule(a_verdict(anywhere), a_verdict(within))["a"].gap is NotAssessedReason.CONFLICT


def test_who_lost_a_conflict_makes_no_other_give_way() -> None:
    first = a_rule("first", severity=Severity.CRITICAL)
    second = a_rule("second", relations=Relations(conflicts_with=("first", "third")))
    third = a_rule("third", severity=Severity.MEDIUM)
    found = by_rule(a_verdict(first), a_verdict(second), a_verdict(third))
    assert found["second"].gap is NotAssessedReason.CONFLICT
    assert found["third"].verdict is Verdict.DENY


def test_a_dependant_of_a_denied_prerequisite_is_not_judged() -> None:
    needed = a_verdict(a_rule("needed"))
    middle = a_verdict(a_rule("middle", relations=Relations(depends_on=("needed",))), Verdict.ALLOW)
    last = a_verdict(a_rule("last", relations=Relations(depends_on=("middle",))))
    found = by_rule(needed, middle, last)
    assert found["needed"].verdict is Verdict.DENY
    assert {found["middle"].gap, found["last"].gap} == {NotAssessedReason.PREREQUISITE}


def test_of_a_circle_of_prerequisites_all_stand() -> None:
    one = a_verdict(a_rule("one", relations=Relations(depends_on=("two",))))
    two = a_verdict(a_rule("two", relations=Relations(depends_on=("one",))))
    assert all(item.verdict is Verdict.DENY for item in by_rule(one, two).values())


IDS = ("r0", "r1", "r2", "r3")
targets = st.lists(st.sampled_from(IDS), max_size=2).map(tuple)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([Verdict.ALLOW, Verdict.DENY, Verdict.NEEDS_CONFIRMATION]),
            st.sampled_from(list(Severity)),
            st.builds(
                Relations,
                overrides=targets,
                conflicts_with=targets,
                depends_on=targets,
            ),
        ),
        min_size=4,
        max_size=4,
    ),
    st.randoms(),
)
def test_the_outcome_does_not_depend_on_order(
    drawn: list[tuple[Verdict, Severity, Relations]], random: Random
) -> None:
    verdicts = [
        a_verdict(a_rule(rule_id, severity=severity, relations=relations), verdict)
        for rule_id, (verdict, severity, relations) in zip(IDS, drawn, strict=True)
    ]
    shuffled = list(verdicts)
    random.shuffle(shuffled)
    outcome = {item.rule.id: item.verdict for item in apply_relations(verdicts, a_context(PY))}
    again = {item.rule.id: item.verdict for item in apply_relations(shuffled, a_context(PY))}
    assert outcome == again
