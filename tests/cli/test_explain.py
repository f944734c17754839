"""`jurat rules explain` and `jurat rules docs`."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.support.command import Run

LEFT_OUT = """\
version: 1
rules:
  - {id: a.first, statement: "Short names.", kind: normative, modality: SHOULD, severity: MEDIUM}
  - {id: a.second, statement: "Long names.", kind: normative, modality: SHOULD, severity: MEDIUM}
"""


def test_it_says_what_a_rule_demands_and_how_it_is_decided(run: Run, rules: Path) -> None:
    ran = run("rules", "explain", "acme.no-md5", "--rules", str(rules))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "acme.no-md5  MUST_NOT CRITICAL computational stable"
    assert lines[1] == "  Digests are made with a strong hash."
    assert "  decided    computed, without a model: pattern" in lines
    assert "  applies to languages python" in lines


def test_it_says_for_each_path_whether_the_rule_applies_and_why_not(run: Run, rules: Path) -> None:
    asked = ("--path", "app.py", "--path", "README.md", "--rules", str(rules))
    ran = run("rules", "explain", "acme.no-md5", *asked)
    assert ran.out.splitlines()[-2:] == [
        "app.py  applies",
        "README.md  does not apply: no changed file fits its paths and languages",
    ]
    found = json.loads(run("rules", "explain", "acme.no-md5", *asked, "--format", "json").out)
    assert found["rule"]["id"] == "acme.no-md5"
    assert [item["applies"] for item in found["paths"]] == [True, False]


def test_a_rule_that_max_rules_leaves_out_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/jurat.yml").write_text(
        "version: 1\npacks: []\nrules: [house.yml]\nreview: {max_rules: 1}\n"
    )
    (tmp_path / "house.yml").write_text(LEFT_OUT)
    said = [
        run("rules", "explain", rule, "--path", "a.py").out.splitlines()[-1]
        for rule in ("a.first", "a.second")
    ]
    assert sorted(said) == [
        "a.py  applies",
        "a.py  applies: not assessed: number 2 of 2 by relevance and authority, "
        "beyond max_rules (1)",
    ]


def test_a_path_that_the_configuration_ignores_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/jurat.yml").write_text(
        "version: 1\npacks: []\nrules: [house.yml]\nignore: ['vendor/**']\n"
    )
    (tmp_path / "house.yml").write_text(LEFT_OUT)
    said = run("rules", "explain", "a.first", "--path", "vendor/a.py").out.splitlines()[-1]
    assert said == "vendor/a.py  does not apply: the configuration ignores this path"


def test_a_path_that_nobody_writes_by_hand_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api/.gitattributes").write_text("*_pb2.py linguist-generated\n")
    (tmp_path / ".gitattributes").write_text("third/** linguist-vendored\n")
    paths = ("api/a_pb2.py", "third/a.py", "yarn.lock", "api/a.py")
    asked = [part for path in paths for part in ("--path", path)]
    said = run("rules", "explain", "py.yaml-load", *asked).out.splitlines()[-4:]
    reason = "does not apply: nobody writes this file by hand"
    assert said[:2] == [
        f"api/a_pb2.py  {reason}: api/.gitattributes calls it generated",
        f"third/a.py  {reason}: .gitattributes calls it vendored",
    ]
    assert said[2].startswith(f"yarn.lock  {reason}: ")
    assert said[3] == "api/a.py  applies"


@pytest.mark.parametrize("path", [f"{'d/' * 2_100}a.py", "../a.py", "/etc/a.py"])
def test_a_path_that_cannot_lie_here_is_only_a_path(run: Run, tmp_path: Path, path: str) -> None:
    ran = run("rules", "explain", "py.yaml-load", "--path", path)
    assert (ran.code, ran.out.splitlines()[-1], ran.err) == (0, f"{path}  applies", "")


def test_attributes_outside_of_the_checkout_are_not_read(run: Run, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-attributes"
    outside.write_text("*.py linguist-generated\n")
    (tmp_path / ".gitattributes").symlink_to(outside)
    assert run("rules", "explain", "py.yaml-load", "--path", "a.py").out.endswith("a.py  applies\n")


def test_an_unknown_rule_gets_a_suggestion(run: Run, rules: Path) -> None:
    ran = run("rules", "explain", "acme.no-md", "--rules", str(rules))
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err == (
        "jurat: No rule is called 'acme.no-md'; did you mean 'acme.no-md5'? "
        "`jurat rules list` shows them all.\n"
    )


def test_docs_are_one_page_with_every_rule_and_its_examples(run: Run, rules: Path) -> None:
    page = run("rules", "docs", str(rules)).out
    tokens = MarkdownIt().parse(page)
    headings = [
        after.content
        for token, after in pairwise(tokens)
        if token.tag == "h2" and token.nesting > 0
    ]
    assert headings == ["`acme.small`", "`acme.no-md5`"]
    blocks = [(token.info, token.content) for token in tokens if token.type == "fence"]
    assert blocks == [("python", "hashlib.md5(data)\n"), ("python", "hashlib.sha256(data)\n")]


def test_the_shipped_rules_have_a_page(run: Run) -> None:
    page = run("rules", "docs").out
    listed = json.loads(run("rules", "list", "--format", "json").out)
    assert all(f"## `{rule['id']}`" in page for rule in listed)
