"""`jurat rules`: check, test, list, explain, docs and rank."""

from __future__ import annotations

import json

import yaml

from tests.golden.command import alone, put, transcript
from tests.golden.golden import Files, golden
from tests.golden.material import FIXTURES, NORMATIVE, RULES
from tests.support.code import rule_text

_KEYS = (
    "serverity: HIGH",
    "zzz: 1",
    "tags: hr",
    "subject_kinds: [evnt]",
    "languages: [pyton]",
    "paths: ['/src/**']",
    "paths: ['src/[a']",
    "effective: {from: 2027-02-01, until: 2027-01-01}",
    "authority: {weight: 101}",
    "relations: {overrides: [nobody]}",
    "relations: {refines: [test.rule]}",
    "examples: {valid: [{facts: {a: 1}, code: x}]}",
    "preconditions: [{type: regex, pattern: x}]",
    "pin: maybe",
)
_CONSTRAINTS = (
    "{type: numerc}",
    "{field_path: a}",
    "3",
    '{type: numeric, field_path: a, operator: "=", threshold: 1}',
    '{type: numeric, field_path: a, operator: "<", threshold: "NaN"}',
    '{type: numeric, field_path: "a..b", operator: "<", threshold: 1}',
    '{type: date, field_path: a, operator: "<", reference_date: 2027-13-01}',
    "{type: enum, field_path: a, allowed_values: []}",
    "{type: regex, pattern: '('}",
    "{type: pattern, language: python, pattern: 'f('}",
    "{type: pattern, language: pythn, pattern: f()}",
    "{type: pattern, language: python, rule: {kind: no_such_kind}}",
    "{type: lookup, field_path: a, lookup_table: t/x.csv, key_column: k, result_column: v}",
)
_FILES = (
    "",
    "[]",
    "version: 1",
    "version: 2\nrules: []",
    "version: 1\nrules: []",
    "rules: [{id: a}]",
    "rules: [",
    "a: 1\na: 2",
    "version: 1\nrules: 7",
)


@golden("rules/errors")
def errors() -> Files:
    """What is said of broken rule files."""
    texts = [
        *(f"rules:\n{rule_text(key)}" for key in _KEYS),
        *(f"rules:\n{rule_text(f'constraints: [{text}]')}" for text in _CONSTRAINTS),
        *_FILES,
    ]
    with alone():
        parts = []
        for text in texts:
            put({"r.yml": text})
            parts.append(f"{text}\n{transcript('rules', 'check', 'r.yml')}")
        put({"several/a.yml": "rules: 3", "several/b.yml": texts[0]})
        parts.append(transcript("rules", "check", "several"))
        parts.append(transcript("rules", "check", "nowhere.yml"))
        return {"check.txt": "\n".join(parts)}


@golden("rules/shipped")
def shipped() -> Files:
    """The shipped rules as the command shows them."""
    with alone():
        return {
            "check.txt": transcript("rules", "check"),
            "test.txt": transcript("rules", "test"),
            "list.txt": transcript("rules", "list"),
            "docs.txt": transcript("rules", "docs"),
        }


@golden("rules/own")
def own() -> Files:
    """A file of one's own: every kind of rule, explained."""
    ids = [rule["id"] for rule in yaml.safe_load(RULES + NORMATIVE)["rules"]]
    with alone():
        put({"house.yml": RULES + NORMATIVE, "bad.yml": _broken_examples()})
        told = [
            transcript("rules", "explain", name, "--rules", "house.yml", "--path", "lib/a.py")
            for name in (*ids, "py.no-md6")
        ]
        return {
            "check.txt": transcript("rules", "check", "house.yml"),
            "list.txt": transcript("rules", "list", "house.yml"),
            "list.json.txt": transcript("rules", "list", "house.yml", "--format", "json"),
            "explain.txt": "\n".join(told),
            "explain.json.txt": transcript(
                *("rules", "explain", "py.no-md5", "--rules", "house.yml"),
                *("--path", "a.py", "--path", "a.go", "--format", "json"),
            ),
            "explain-shipped.txt": transcript("rules", "explain", "py.weak-hash"),
            "test.txt": transcript("rules", "test", "bad.yml"),
            "docs.txt": transcript("rules", "docs", "house.yml"),
        }


def _broken_examples() -> str:
    return "rules:\n" + rule_text(
        "constraints: [{type: pattern, language: python, pattern: f($A)}]",
        "examples: {valid: ['f(1)'], invalid: ['g(1)', 'f(2)']}",
        modality="MUST_NOT",
    )


@golden("rules/rank")
def rank() -> Files:
    """The ranking of fixtures/authority, case by case."""
    cases = yaml.safe_load((FIXTURES / "authority" / "golden.yml").read_text())
    text = []
    with alone():
        for case in cases:
            given = json.dumps(case["candidates"])
            text.append(
                f"## {case['name']}\n"
                + transcript(
                    "rules", "rank", "--query", case["query"], "--candidates", "-", given=given
                )
            )
        asked = ("rules", "rank", "--query", cases[0]["query"], "--candidates", "-")
        first = json.dumps(cases[0]["candidates"])
        return {
            "rank.txt": "\n".join(text),
            "rank.json.txt": transcript(*asked, "--format", "json", given=first),
            "broken.txt": transcript(*asked, given="[{}]"),
        }
