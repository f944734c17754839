"""What is read of a request and passed on arrives, by 1,015 ways; what is fit does not."""

from __future__ import annotations

from collections import Counter

from jurat.rules.loader import load_ruleset, read_pack
from tests.quality.read_values import is_found, read_values


def test_values_arrive_as_they_did() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    values = list(read_values())
    changed = [one for one in values if is_found(one, rule_set) is not one.is_found]
    assert changed == [], 'put "- " before what comes out wrong, take it away if it does no more'
    assert all(count > 40 for count in Counter(one.language for one in values).values()), values
