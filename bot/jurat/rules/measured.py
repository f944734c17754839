"""How often the shipped rules were right in code that their authors had not seen.

`rules/measured.json` has it, by rule, as `make measured` counts it from the labels in
fixtures/quality. A count is of one rule as it was measured: another pattern is another rule, which
has to be measured anew. `rules/disguised.json` has what became of each rule's own examples in
disguise.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from jurat.resources import get_bundled_path
from jurat.rules.merit import NO_CASES, NO_DISGUISES, DisguiseCounts, OutcomeCounts, judge_merit
from jurat.rules.rule import Rule

NO_TALLIES: Mapping[str, OutcomeCounts] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Measurement:
    """The firings of a rule in real code, by what a person said of them.

    `substance` is that of the rule that fired. `unread` are firings that nobody has read yet: they
    count as wrong, so that nothing is earned by not reading.
    """

    substance: str
    true: int = 0
    arguable: int = 0
    false: int = 0
    unread: int = 0

    @property
    def tally(self) -> OutcomeCounts:
        """All firings, and those that were not right."""
        wrong = self.false + self.unread
        return OutcomeCounts(self.true + self.arguable + wrong, wrong)


@cache
def read_measurements() -> Mapping[str, Measurement]:
    """What was measured, by the id of the rule."""
    rows = json.loads(get_bundled_path("rules", "measured.json").read_text("utf-8"))
    return {rule_id: Measurement(**row) for rule_id, row in rows.items()}


@cache
def read_disguises() -> Mapping[str, DisguiseCounts]:
    """What became of the shipped rules' examples in disguise, by the id of the rule."""
    rows = json.loads(get_bundled_path("rules", "disguised.json").read_text("utf-8"))
    return {rule_id: DisguiseCounts(**row) for rule_id, row in rows.items()}


def with_merits(
    rules: Mapping[str, Rule],
    decided: Mapping[str, OutcomeCounts] = NO_TALLIES,
    measurements: Mapping[str, Measurement] | None = None,
) -> dict[str, Rule]:
    """The rules, those that have a merit with that which they have earned.

    `decided` are the findings of a rule that people decided on where it is in force, and how many
    of them spoke against it. `measurements` are those that were shipped, if None.
    """
    measured = read_measurements() if measurements is None else measurements
    own: dict[str, OutcomeCounts] = {}
    families: dict[str, OutcomeCounts] = defaultdict(lambda: NO_CASES)
    for rule in rules.values():
        if rule.merit is None:
            continue
        found = measured.get(rule.id)
        fits = found is not None and found.substance == rule.substance
        tally = found.tally if found is not None and fits else NO_CASES
        own[rule.id] = tally.plus(decided.get(rule.id, NO_CASES))
        if rule.family:
            families[rule.family] = families[rule.family].plus(own[rule.id])
    disguises = read_disguises() if own else {}
    return {
        rule_id: rule.with_merit(
            judge_merit(
                own[rule_id],
                families[rule.family],
                rule.family,
                disguises.get(rule_id, NO_DISGUISES),
            )
        )
        if rule_id in own
        else rule
        for rule_id, rule in rules.items()
    }
