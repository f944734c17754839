"""A rule's examples are disguised, and a rule that goes by the wording alone is found out."""

from __future__ import annotations

from jurat.engine.rule_mutations import iter_mutants, score_mutants
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.measured import read_disguises
from jurat.rules.rule import RuleSet
from tests.quality.disguises import count_disguises

RULE = """\
version: 1
rules:
  - id: own.call
    statement: Nothing is fetched unchecked.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    constraints:
      - {type: pattern, language: python, %s}
    examples:
      invalid:
        - |
          import requests

          def read(path):
              return requests.get(path.url, timeout=1, verify=False)
      valid:
        - |
          import requests
          requests.get(url, timeout=1, verify=True)
        - |
          import store
          store.get(url, timeout=1, verify=False)
"""
WORDING = "pattern: 'requests.get($URL, timeout=$T, verify=False)'"
MEANING = (
    "names: {get: [requests.get]}, rule: {kind: call, matches: get, "
    "has: {field: arguments, has: {kind: keyword_argument, regex: '^verify=False$'}}}"
)
GREEDY = "rule: {kind: call, regex: verify=}"


def load_rule(said: str) -> RuleSet:
    return load_ruleset({"own.yml": RULE % said})


def test_a_rule_by_its_wording_misses_what_is_written_otherwise() -> None:
    rules = load_rule(WORDING)
    score = score_mutants(rules.rules["own.call"], rules)
    assert {one.disguise for one in score.missed} == {
        "imports by other names",
        "names imported by themselves",
        "keywords in the opposite order",
    }
    assert (score.caught, score.invalid) == (2, 5)
    assert score.fooled == ()


def test_a_rule_by_what_names_mean_misses_nothing() -> None:
    rules = load_rule(MEANING)
    score = score_mutants(rules.rules["own.call"], rules)
    assert (score.missed, score.fooled) == ((), ())
    assert score.invalid == 5
    assert score.valid > 6


def test_a_rule_that_finds_everything_is_fooled() -> None:
    rules = load_rule(GREEDY)
    score = score_mutants(rules.rules["own.call"], rules)
    assert score.missed == ()
    assert len(score.fooled) == score.valid - 1  # but for the comment


def test_a_change_that_only_deletes_is_one_of_the_disguises() -> None:
    rules = load_rule(MEANING)
    (activated,) = (
        one
        for one in iter_mutants(rules.rules["own.call"])
        if one.disguise == "lines that a deletion brings into force" and one.example == "invalid[0]"
    )
    (hunk,) = activated.file.hunks
    assert {line.kind for line in hunk.lines} == {"removed", "context"}


def test_the_shipped_rules_keep_what_they_have() -> None:
    """Two Python rules are known to go by one way of writing. `make measured` counts anew."""
    counted = count_disguises()
    assert counted == read_disguises()
    assert {name: one.fooled for name, one in counted.items() if one.fooled} == {}
    assert {name for name, one in counted.items() if one.caught < one.invalid} == {
        "py.debugger-left",
        "py.world-writable",
    }


def test_what_reads_text_is_not_asked_about_comments() -> None:
    """There its fault stood all the time, so that a deletion around it is no news."""
    rules = load_ruleset(read_pack("engineering"))
    tried = {one.disguise for one in iter_mutants(rules.rules["change.hidden-characters"])}
    assert not tried & {"lines that a deletion brings into force", "a comment that says it"}


def test_an_example_without_its_import_is_disguised_as_well() -> None:
    rule = RULE.replace("          import requests\n\n", "") % MEANING
    score = score_mutants(
        load_ruleset({"own.yml": rule}).rules["own.call"], load_ruleset({"own.yml": rule})
    )
    assert (score.missed, score.invalid) == ((), 5)
    told = {one.disguise for one in iter_mutants(load_ruleset({"own.yml": rule}).rules["own.call"])}
    assert {"imports by other names", "names imported by themselves"} <= told


def test_what_is_set_in_a_module_is_not_imported_by_itself() -> None:
    rule = RULE.replace("return requests.get(", "requests.verify = requests.get(") % MEANING
    codes = [
        one.file.head
        for one in iter_mutants(load_ruleset({"own.yml": rule}).rules["own.call"])
        if (one.example, one.disguise) == ("invalid[0]", "names imported by themselves")
    ]
    assert ["requests.verify = get_(" in (code or "") for code in codes] == [True]
