"""`python -m tests.quality.disguises`: what becomes of the shipped rules' examples in disguise.

It writes rules/disguised.json, which is a part of what a rule must earn before it blocks.
"""

from __future__ import annotations

import json

from jurat.engine.rule_mutations import score_mutants
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.merit import DisguiseCounts
from tests.quality.figures import ROOT

DISGUISED = ROOT / "rules" / "disguised.json"


def count_disguises() -> dict[str, DisguiseCounts]:
    """By the id of each rule that has an example which can be disguised."""
    rule_set = load_ruleset(read_pack("engineering"))
    scores = [score_mutants(rule, rule_set) for rule in rule_set.rules.values()]
    return {
        score.rule.id: DisguiseCounts(score.invalid, score.caught, score.valid, len(score.fooled))
        for score in scores
        if score.invalid or score.valid
    }


def main() -> None:
    """Write what was counted, one rule a line."""
    rows = [
        f" {json.dumps(rule_id)}: {json.dumps(counts._asdict())}"
        for rule_id, counts in sorted(count_disguises().items())
    ]
    DISGUISED.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
