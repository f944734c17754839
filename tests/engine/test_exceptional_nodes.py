"""A pattern with `peers` finds the exception among what stands beside it."""

from __future__ import annotations

import pytest

from jurat.engine.rule_examples import run_examples
from jurat.errors import RuleError
from jurat.rules.loader import load_ruleset

RULE = """
version: 1
rules:
  - id: house.guarded
    statement: A route is guarded as those beside it are.
    message: "`$NAME` is open."
    kind: computational
    modality: SHOULD
    severity: MEDIUM
    constraints:
      - type: pattern
        language: python
        utils:
          marked: {kind: decorated_definition, has: {kind: decorator, regex: ^@guard}}
        rule:
          all:
            - {kind: decorated_definition, not: {matches: marked}}
            - has: {kind: decorator, has: {pattern: $PEER.get($_)}}
            - has: {field: definition, has: {field: name, pattern: $NAME}}
        peers:
          all:
            - {matches: marked}
            - has: {kind: decorator, has: {pattern: $PEER.get($_)}}
    examples:
      EXPECTED:
        - |
CODE
"""


def write_route(name: str, *, guarded: bool, router: str = "shop", indent: str = "") -> str:
    """A route of a router, with or without its guard."""
    guard = f"{indent}@guard\n" if guarded else ""
    return f'{indent}@{router}.get("/{name}")\n{guard}{indent}def {name}(): ...\n'


GUARDED = [write_route(name, guarded=True) for name in ("a", "b", "c", "d")]
OPEN = write_route("x", guarded=False)


def is_told(code: str) -> bool:
    """Whether the rule finds something in a file."""
    lines = "".join(f"          {line}\n" for line in code.splitlines())
    text = RULE.replace("CODE\n", lines).replace("EXPECTED", "invalid")
    return not run_examples(load_ruleset({"rules.yml": text}))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("".join([*GUARDED[:2], OPEN]), True),
        ("".join([OPEN, *GUARDED[:2]]), True),
        ("".join([GUARDED[0], OPEN]), False),
        ("".join([*GUARDED[:2], OPEN, write_route("y", guarded=False)]), False),
        ("".join([*GUARDED, OPEN, write_route("y", guarded=False)]), True),
        ("".join(GUARDED), False),
        (OPEN, False),
        # Routes of another router have another custom.
        ("".join([*GUARDED[:2], write_route("x", guarded=False, router="open")]), False),
        # And so has what stands elsewhere.
        (
            "".join(GUARDED[:2]) + "class A:\n" + write_route("x", guarded=False, indent="    "),
            False,
        ),
    ],
)
def test_only_what_stands_beside_two_others_for_each_is_an_exception(code: str, told: bool) -> None:
    assert is_told(code) is told


def test_what_was_removed_has_no_peers() -> None:
    text = RULE.replace("CODE\n", "          a()\n").replace("EXPECTED", "invalid")
    with pytest.raises(RuleError, match="has no peers"):
        load_ruleset(
            {"a.yml": text.replace("        utils:", "        removed: true\n        utils:")}
        )


def test_peers_are_checked_as_a_rule_is() -> None:
    text = RULE.replace("CODE\n", "          a()\n").replace("EXPECTED", "invalid")
    with pytest.raises(RuleError, match="not a pattern for python"):
        load_ruleset(
            {
                "a.yml": text.replace(
                    "{matches: marked}\n            - has",
                    "{kind: nothing_like_it}\n            - has",
                )
            }
        )
