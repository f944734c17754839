"""What of the libraries' single calls blocks, and what is known not to."""

from __future__ import annotations

from collections import Counter

from jurat.rules.loader import load_ruleset, read_pack
from tests.quality.library_calls import is_blocked, read_calls


def test_calls_block_as_they_did() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    calls = list(read_calls())
    changed = [one for one in calls if is_blocked(one, rule_set) != one.blocks]
    assert changed == [], 'take away the "- " of what blocks now; what does not any more is lost'
    kept = Counter(one.language for one in calls if one.blocks)
    all_ = Counter(one.language for one in calls)
    assert all(kept[language] > 0.85 * all_[language] for language in all_)
