"""What is worked out of a rule is kept with that object alone."""

from __future__ import annotations

from jurat.rules.kept_answers import keep_answers
from jurat.rules.level import Enforcement, Level, PathLevel
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.matching import describe_files, has_file_conditions


def test_each_object_is_asked_once() -> None:
    """An equal one is another object, and is asked for itself."""
    asked: list[tuple[str, ...]] = []

    @keep_answers
    def count(one: tuple[str, ...]) -> int:
        asked.append(one)
        return len(one)

    first, equal = tuple("ab"), tuple("ab")
    assert [count(first), count(first), count(equal)] == [2, 2, 2]
    assert len(asked) == 2


def test_a_rule_in_force_in_another_way_is_asked_anew() -> None:
    """A level that switches a rule off somewhere makes it one that must be asked for each file."""
    off_there = Enforcement(Level.WARN, by_path=(PathLevel(("docs/**",), Level.OFF),))
    for rule in load_ruleset(read_pack("engineering")).rules.values():
        assert describe_files(rule) is not None
        narrowed = rule.with_enforcement(off_there)
        assert describe_files(narrowed) is None
        assert has_file_conditions(narrowed)
