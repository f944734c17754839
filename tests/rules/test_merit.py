"""A shipped rule blocks once enough of its firings in real code were right, and no longer after."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from jurat.rules.config import Config
from jurat.rules.enforcement import apply_levels
from jurat.rules.level import Level
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.maturity import TrackRecord, apply_maturity
from jurat.rules.measured import Measurement, read_measurements, with_merits
from jurat.rules.merit import ENOUGH, LEAST, DisguiseCounts, Merit, OutcomeCounts, judge_merit
from jurat.rules.rule import Rule, RuleSet, get_default_level
from tests.support.values import a_rule

SHIPPED = load_ruleset(read_pack("engineering")).rules
EVAL = SHIPPED["py.eval"]
"""HIGH and MUST_NOT, in a family with js.eval."""


def measured(rule: Rule, right: int, wrong: int = 0, **other: int) -> Measurement:
    return Measurement(rule.substance, true=right, false=wrong, **other)


def stand(found: Mapping[str, Measurement], rule_id: str = "py.eval") -> Rule:
    return with_merits(SHIPPED, measurements=found)[rule_id]


def decided(cases: int, faults: int) -> Mapping[str, TrackRecord]:
    return {"py.eval": TrackRecord(decided=OutcomeCounts(cases, faults))}


@pytest.mark.parametrize(
    ("cases", "wrong", "level"),
    [
        (0, 0, Level.BLOCK),
        (1, 1, Level.BLOCK),
        (2, 1, Level.BLOCK),
        (2, 2, Level.WARN),
        (3, 2, Level.BLOCK),
        (4, 3, Level.WARN),
        (7, 3, Level.BLOCK),
        (8, 4, Level.WARN),
        (34, 34, Level.WARN),
        (34, 8, Level.WARN),
        (34, 3, Level.BLOCK),
        (35, 0, Level.BLOCK),
        (35, 3, Level.WARN),
        (52, 1, Level.WARN),
        (53, 1, Level.BLOCK),
        (1_000, 100, Level.WARN),
        (1_000, 80, Level.BLOCK),
    ],
)
def test_what_is_measured_to_be_wrong_too_often_does_not_block(
    cases: int, wrong: int, level: Level
) -> None:
    rule = stand({"py.eval": measured(EVAL, cases - wrong, wrong)})
    assert rule.enforcement.level is level


@pytest.mark.parametrize(
    ("disguises", "level"),
    [
        (DisguiseCounts(), Level.BLOCK),
        (DisguiseCounts(invalid=4, caught=3, valid=9), Level.BLOCK),
        (DisguiseCounts(invalid=4, caught=2, valid=9), Level.WARN),
        (DisguiseCounts(invalid=4, caught=4, valid=9, fooled=1), Level.WARN),
    ],
)
def test_what_a_rule_sees_through_is_a_part_of_what_it_earns(
    disguises: DisguiseCounts, level: Level
) -> None:
    always_right = OutcomeCounts(1_000, 0)
    rule = EVAL.with_merit(judge_merit(always_right, always_right, "", disguises))
    assert get_default_level(rule) is level
    assert (str(disguises) in str(rule.merit)) is (level is Level.WARN)


def test_thirty_five_is_the_least_that_can_earn_it_without_a_fault() -> None:
    assert Merit(counted=OutcomeCounts(ENOUGH, 0)).bound >= LEAST
    assert Merit(counted=OutcomeCounts(ENOUGH - 1, 0)).bound < LEAST


class TestTheFamily:
    def test_vouches_for_a_rule_that_fired_seldom(self) -> None:
        rule = stand(
            {
                "py.eval": measured(EVAL, 3),
                "js.eval": measured(SHIPPED["js.eval"], 40),
            }
        )
        assert rule.enforcement.level is Level.BLOCK
        assert str(rule.merit) == (
            "43 of 43 real firings of its family, code-evaluation, were right (at least 91%)"
        )

    def test_does_not_speak_against_a_rule(self) -> None:
        rule = stand(
            {
                "py.eval": measured(EVAL, 34),
                "js.eval": measured(SHIPPED["js.eval"], 0, 10),
            }
        )
        assert rule.enforcement.level is Level.BLOCK
        assert not (rule.merit and rule.merit.is_earned)

    def test_says_nothing_of_a_rule_with_firings_of_its_own(self) -> None:
        worse = {
            "py.eval": measured(EVAL, 30, 10),
            "js.eval": measured(SHIPPED["js.eval"], 1_000),
        }
        assert stand(worse).enforcement.level is Level.WARN
        assert stand(worse, "js.eval").enforcement.level is Level.BLOCK

    def test_of_another_name_vouches_for_nothing(self) -> None:
        rule = stand({"js.sql-string": measured(SHIPPED["js.sql-string"], 99)})
        assert not (rule.merit and rule.merit.is_earned)


class TestWhatWasMeasured:
    def test_of_a_rule_that_has_changed_counts_for_nothing(self) -> None:
        rule = stand({"py.eval": Measurement("0" * 64, false=1_000)})
        assert (rule.merit and rule.merit.counted) == OutcomeCounts()

    def test_but_not_read_counts_as_wrong(self) -> None:
        rule = stand({"py.eval": measured(EVAL, 40, unread=10)})
        assert rule.merit
        assert rule.merit.own == OutcomeCounts(50, 10)

    def test_is_of_the_rules_as_they_are_shipped(self) -> None:
        stale = {
            rule_id
            for rule_id, item in read_measurements().items()
            if SHIPPED[rule_id].substance != item.substance
        }
        assert not stale, "run `make measured`, and read what is new"

    def test_says_nothing_of_another_name_or_family(self) -> None:
        """Who renames a family measures nothing anew, and who changes a pattern does."""
        moved = EVAL.model_copy(update={"family": "another"})
        assert EVAL.model_copy(update={"also_known_as": ("bandit:B307",)}).substance == (
            moved.substance
        )


class TestWhatPeopleDecide:
    def test_takes_the_right_to_block_away(self) -> None:
        rules = RuleSet({"py.eval": stand({"py.eval": measured(EVAL, 60)})})
        assert rules.rules["py.eval"].enforcement.level is Level.BLOCK
        found = with_merits(
            rules.rules, {"py.eval": OutcomeCounts(12, 12)}, {"py.eval": measured(EVAL, 60)}
        )
        assert found["py.eval"].enforcement.level is Level.WARN

    def test_gives_it_back(self) -> None:
        weak = stand({"py.eval": measured(EVAL, 0, 10)})
        assert weak.enforcement.level is Level.WARN
        found = with_merits(
            {weak.id: weak},
            {"py.eval": OutcomeCounts(1_000, 0)},
            {"py.eval": measured(EVAL, 0, 10)},
        )
        assert found["py.eval"].enforcement.level is Level.BLOCK

    def test_is_what_the_record_says(self) -> None:
        lent = apply_maturity(RuleSet(SHIPPED), decided(1_000, 0), Config())
        assert EVAL.merit is not None
        right = OutcomeCounts(1_000, 0).plus(EVAL.merit.own)
        assert lent.rules["py.eval"].merit == Merit(right, right, "", EVAL.merit.disguises)

    def test_moves_nothing_where_moves_are_only_proposed(self) -> None:
        config = Config.model_validate({"review": {"maturity": "propose"}})
        kept = apply_maturity(RuleSet(SHIPPED), decided(1_000, 0), config)
        assert kept.rules["py.eval"].merit == EVAL.merit


class TestWhoStandsAbove:
    def test_the_owner_of_the_configuration(self) -> None:
        config = Config.model_validate({"levels": {"py.eval": "block"}})
        weak = RuleSet({"py.eval": stand({"py.eval": measured(EVAL, 0, 40)})})
        rule = apply_levels(weak, config).rules["py.eval"]
        assert (rule.enforcement.level, rule.enforcement.reason) == (
            Level.BLOCK,
            "`levels` says so of py.eval",
        )

    def test_a_line_drawn_lower_earns_no_rule_anything(self) -> None:
        config = Config.model_validate({"block_on": "LOW"})
        weak = RuleSet({"py.eval": stand({"py.eval": measured(EVAL, 0, 40)})})
        assert apply_levels(weak, config).rules["py.eval"].enforcement.level is Level.WARN

    def test_a_rule_of_an_organisation_is_taken_at_its_word(self) -> None:
        rule = a_rule("house.rule", modality="MUST", severity="HIGH", family="code-evaluation")
        assert with_merits({rule.id: rule})[rule.id].enforcement.level is Level.BLOCK

    def test_a_file_that_calls_itself_shipped_is_an_organisations(self) -> None:
        files = {
            "jurat:engineering/own.yml": "rules:\n- {id: own.rule, statement: A thing holds.,"
            " kind: normative, modality: MUST, severity: HIGH}\n"
        }
        assert load_ruleset(files).rules["own.rule"].merit is None


@pytest.mark.parametrize(
    ("own", "family", "said"),
    [
        ((0, 0), (50, 50), "not measured yet, which takes 35 real firings: none was read"),
        (
            (1, 0),
            (1, 0),
            "not measured yet, which takes 35 real firings: 1 of 1 that were read was",
        ),
        ((3, 0), (50, 0), "50 of 50 real firings of its family, x, were right (at least 92%)"),
        ((40, 0), (50, 20), "40 of 40 real firings were right (at least 91%)"),
        ((5, 5), (50, 20), "0 of 5 real firings were right, and 90% must be"),
        ((100, 5), (0, 0), "95 of 100 real firings were right, and 90% must be"),
        ((1_000, 81), (0, 0), "919 of 1,000 real firings were right (at least 90%)"),
    ],
)
def test_a_merit_says_what_it_rests_on(
    own: tuple[int, int], family: tuple[int, int], said: str
) -> None:
    assert str(judge_merit(OutcomeCounts(*own), OutcomeCounts(*family), "x")).startswith(said)
