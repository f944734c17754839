"""The smallest edit under which a rule would pass: what is said of it was tried, and holds."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from jurat.engine.fix_verifier import verify_fixes
from jurat.engine.smallest_edits import MOST_CHARACTERS, MOST_FINDINGS, find_smallest_edits
from jurat.facts.context import EvaluationContext, SubjectKind
from jurat.findings.verdict import RuleVerdict
from jurat.reports.comment import render_comment
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange
from jurat.source.parsing import ParseFailure
from tests.support.code import added, changed, code, decided, facts, rule_text, rules

SHELL = rules(
    rule_text(
        "constraints:",
        "  - type: pattern",
        "    language: python",
        "    rule: {pattern: run($$$A), has: {kind: argument_list, has: {regex: '^shell=True$'}}}",
    )
)
PAIR = rules(
    rule_text(
        "constraints:",
        "  - type: pattern",
        "    language: javascript",
        "    rule: {kind: call_expression, has: {kind: arguments, has: {kind: object, has:"
        " {kind: pair, regex: '^unsafe: true$'}}}}",
    )
)
EVAL = rules(rule_text("constraints: [{type: pattern, language: python, pattern: eval($X)}]"))
OPEN = rules(rule_text("constraints: [{type: regex, pattern: 'open_to_all'}]"))
FIXED = rules(
    rule_text("constraints: [{type: pattern, language: python, pattern: bad(x=1), fix: good()}]")
)
BRANCHES = rules(
    rule_text(
        "constraints:",
        '  - {type: numeric, field_path: "change.functions[*].complexity", operator: "<=",'
        " threshold: 15, baseline: base}",
    )
)
HOURS = rules(
    rule_text(
        "constraints: [{type: numeric, field_path: hours, operator: '<', threshold: 45,"
        " unit: hours}]"
    )
)


def edits_of(rule_set: RuleSet, *files: FileChange) -> list[str]:
    context = code(*files)
    return [
        item.smallest_edit for verdict in proven(rule_set, context) for item in verdict.findings
    ]


def proven(rule_set: RuleSet, context: EvaluationContext) -> tuple[RuleVerdict, ...]:
    verdicts = decided(rule_set, context).verdicts
    tried = verify_fixes(context, tuple(rule_set.rules.values()), rule_set, verdicts)
    return find_smallest_edits(context, rule_set, tried)


@pytest.mark.parametrize(
    "call",
    [
        "run(command, shell=True)",
        "run(command, shell=True, check=True)",
        "run(shell=True, check=False)",
        "run(\n    command,\n    shell=True,\n)",
        "run(command, shell=True,)",
        "run(run(other, check=True), shell=True)",
    ],
)
def test_an_option_that_made_the_difference_is_named(call: str) -> None:
    assert edits_of(SHELL, added(f"{call}\n")) == ["without `shell=True`"]


def test_an_option_of_a_literal_is_named_as_well() -> None:
    file = added("connect(host, { keepAlive: true, unsafe: true });\n", "a.js")
    assert edits_of(PAIR, file) == ["without `unsafe: true`"]


def test_nothing_is_said_if_nothing_holds() -> None:
    assert edits_of(EVAL, added("eval(text)\n")) == [""]


def test_what_was_changed_is_named_as_it_was() -> None:
    edited = changed("a = parse(text)\nb = 1\n", "a = eval(text)\nb = 1\n")
    assert edits_of(EVAL, edited) == ["with line 1 as it was"]
    opened = changed("mode: closed\n", "mode: open_to_all\n", "a.yml")
    assert edits_of(OPEN, opened) == ["with line 1 as it was"]


def test_what_was_taken_away_is_put_back() -> None:
    guarded = rules(
        rule_text(
            "constraints:",
            "  - type: pattern",
            "    language: python",
            "    rule: {pattern: load($$$A), not: {has: {kind: argument_list, has:"
            " {kind: keyword_argument, regex: '^safe=True$'}}}}",
        )
    )
    file = changed("load(\n    text,\n    safe=True,\n)\n", "load(\n    text,\n)\n")
    assert edits_of(guarded, file) == ["with `safe=True,` put back"]


LACKING = rule_text(
    "constraints:",
    "  - type: pattern",
    "    language: python",
    "    rule: {pattern: get($$$A), not: {has: {kind: argument_list, has:"
    " {kind: keyword_argument, has: {field: name, regex: '^timeout$'}}}}}",
    "examples:",
    "  invalid: ['get(url, verify=True)']",
    "  valid: ['get(url, verify=True, timeout=10)', 'get(url, proxy=None, timeout=10)']",
)


@pytest.mark.parametrize(
    "call", ["get(url)", "get()", "get(\n    url,\n)", "get(url, proxy=None)", "get(make().url)"]
)
def test_an_element_that_is_missing_is_put_in(call: str) -> None:
    assert edits_of(rules(LACKING), added(f"{call}\n")) == ["with `timeout=10` added"]


def test_an_element_is_missing_from_the_call_whose_name_was_matched() -> None:
    named = LACKING.replace(
        "{pattern: get($$$A), not: {has: ",
        "{kind: attribute, regex: 'get$', inside: {kind: call, not: {has: ",
    ).replace("'^timeout$'}}}}}", "'^timeout$'}}}}}}")
    assert edits_of(rules(named), added("make().get(url)\n")) == ["with `timeout=10` added"]


def test_a_key_that_is_missing_is_put_in() -> None:
    literal = rule_text(
        "constraints:",
        "  - type: pattern",
        "    language: javascript",
        "    rule: {pattern: 'open($$$A)', not: {has: {kind: pair, regex: ^safe, stopBy: end}}}",
        "examples: {valid: ['open({ host: h, safe: true });'], invalid: ['open({ host: h });']}",
    )
    file = added("open({\n  host: name,\n});\n", "a.js")
    assert edits_of(rules(literal), file) == ["with `safe: true` added"]

    mapping = rule_text(
        "constraints:",
        "  - type: pattern",
        "    language: yaml",
        "    rule: {kind: block_mapping, has: {regex: '^on:'},"
        " not: {has: {regex: '^permissions:'}}}",
        "examples:",
        '  valid: ["on: push\\npermissions: read-all\\n"]',
        '  invalid: ["on: push\\n"]',
    )
    file = added("on: push\njobs:\n  test: {}\n", "a.yml")
    assert edits_of(rules(mapping), file) == ["with `permissions: read-all` added"]


def test_an_element_that_mends_nothing_is_not_named() -> None:
    without = LACKING.replace("timeout=10", "wait=10")
    assert edits_of(rules(without), added("get(url)\n")) == [""]


def test_an_element_that_unfit_code_has_too_is_no_difference() -> None:
    both = LACKING.replace(
        "get(url, verify=True)']", "get(url, verify=True)', 'put(url, timeout=10)']"
    )
    assert edits_of(rules(both), added("get(url)\n")) == [""]


def test_what_a_proven_fix_mends_needs_no_edit() -> None:
    (verdict,) = proven(FIXED, code(added("bad(x=1)\n")))
    (finding,) = verdict.findings
    assert finding.fix is not None
    assert finding.fix.is_verified
    assert not finding.smallest_edit


def test_an_edit_that_mends_another_place_is_not_said_of_this_one() -> None:
    # The second call has no option; leaving out the first one's leaves it as it is.
    both = rules(
        rule_text(
            "constraints:",
            "  - {type: pattern, language: python, rule: {any: [{pattern: run($$$A),"
            " has: {kind: argument_list, has: {regex: '^shell=True$'}}}, {pattern: eval($X)}]}}",
        )
    )
    file = added("run(command, shell=True)\neval(text)\n")
    assert edits_of(both, file) == ["without `shell=True`", ""]


def test_no_edit_is_tried_beyond_the_bounds() -> None:
    calls = "".join(f"run(c{number}, shell=True)\n" for number in range(MOST_FINDINGS + 5))
    found = edits_of(SHELL, added(calls))
    assert found == ["without `shell=True`"] * MOST_FINDINGS + [""] * 5
    large = f"run(a, shell=True)\n# {'x' * MOST_CHARACTERS}\n"
    assert edits_of(SHELL, added(large)) == [""]


def test_a_parser_that_dies_costs_the_edit_alone() -> None:
    context = code(added("run(command, shell=True)\n"))
    verdicts = decided(SHELL, context).verdicts

    def failing(_: object, items: list[object]) -> list[ParseFailure]:
        return [ParseFailure("it took too long") for _ in items]

    assert find_smallest_edits(context, SHELL, verdicts, failing) == verdicts  # type: ignore[arg-type]


def test_only_what_counts_is_tried() -> None:
    text = rule_text(
        "maturity: experimental",
        "constraints: [{type: regex, pattern: 'open_to_all'}]",
    )
    opened = changed("mode: closed\n", "mode: open_to_all\n", "a.yml")
    assert edits_of(rules(text), opened) == [""]


@pytest.mark.parametrize(
    ("function", "edit"),
    [
        ({"complexity": 31, "base": {"path": "a.py", "complexity": 21}}, "`complexity` at 21"),
        ({"complexity": 31, "base": None}, "`complexity` at 15"),
        ({"complexity": 31, "base": {"path": "a.py", "complexity": 3}}, "`complexity` at 15"),
    ],
)
def test_a_metric_says_at_what_it_passes(function: dict[str, object], edit: str) -> None:
    entry = {"name": "f", "path": "a.py", **function}
    (verdict,) = proven(BRANCHES, facts(SubjectKind.CODE_DIFF, change={"functions": [entry]}))
    assert [item.smallest_edit for item in verdict.findings] == [f"with {edit}"]


@pytest.mark.parametrize(
    ("value", "edit"),
    [
        (50, "with `hours` at 44"),
        ("50 hours", "with `hours` at 44 hours"),
        ({"value": 50, "unit": "hours"}, "with `hours` at 44 hours"),
        ("4 days", ""),
    ],
)
def test_a_value_with_a_unit_is_told_in_it_or_not_at_all(value: object, edit: str) -> None:
    (verdict,) = proven(HOURS, facts(hours=value))
    assert [item.smallest_edit for item in verdict.findings] == [edit]


def test_the_comment_tells_it_and_offers_no_button() -> None:
    (verdict,) = proven(SHELL, code(added("run(command, shell=True)\n")))
    (finding,) = verdict.findings
    body = render_comment(finding, verdict, None)
    assert "It would pass without `shell=True`.\n\n" in body
    assert "```suggestion" not in body


@pytest.mark.parametrize(
    "value", ["`](https://evil.example)", "<!-- jurat:finding -->", "``@octocat`` <b>", "*" * 300]
)
def test_what_stands_in_the_code_stays_code(value: str) -> None:
    named = rules(
        rule_text(
            "constraints:",
            "  - type: pattern",
            "    language: python",
            "    rule: {pattern: run($$$A), has: {kind: argument_list, has: {regex: '^shell='}}}",
        )
    )
    (verdict,) = proven(named, code(added(f"run(command, shell='{value}')\n")))
    (finding,) = verdict.findings
    assert len(finding.smallest_edit) < 120
    body = render_comment(finding, verdict, None)
    (said,) = [line for line in body.split("\n") if "It would pass " in line]
    (inline,) = MarkdownIt("gfm-like", {"linkify": False}).parseInline(said)
    kinds = {token.type for token in inline.children or ()}
    assert kinds <= {"text", "code_inline", "text_special"}
