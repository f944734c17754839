"""`jurat rules new`, `schema`, `check --format` and what `test` says of an example that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from jurat.errors import ExitCode, FileError
from jurat.resources import get_bundled_path
from jurat.rules.schemas import DESCRIPTIONS, SchemaName, build_schema
from jurat.source.strict_yaml import parse_yaml
from tests.support.command import RULES, Run, written

BROKEN = """\
version: 1
rules:
  - id: acme.one
    statement: One.
    kind: computational
    modality: MUSTN'T
    severity: HIGH
    colour: red
"""


class TestNew:
    @pytest.mark.parametrize(
        ("language", "code", "matcher"),
        [
            ("python", "hashlib.md5(data)", 'pattern: "hashlib.md5($A)"'),
            ("py", "run(cmd, shell=True)", 'pattern: "run($A, shell=True)"'),
            ("ts", "spawn(cmd, {shell: true})", 'pattern: "spawn($A, {shell: true})"'),
            ("java", "stmt.executeQuery(q)", 'pattern: "stmt.executeQuery($A)"'),
            ("go", "md5.Sum(data)", 'regex: "^md5\\\\.Sum$"'),
            ("ruby", "system(cmd)", 'pattern: "system($A)"'),
            ("python", "assert ready", 'pattern: "assert ready"'),
        ],
    )
    def test_proposes_a_pattern_that_was_tried(
        self, run: Run, tmp_path: Path, language: str, code: str, matcher: str
    ) -> None:
        path = tmp_path / "rule.yml"
        ran = run("rules", "new", "acme.new", code, "--language", language, "--output", path)
        assert ran.code == ExitCode.PASSED, ran.err
        assert matcher in path.read_text()
        assert run("rules", "check", path).code == ExitCode.PASSED
        assert run("rules", "test", path).code == ExitCode.PASSED

    def test_refuses_a_pattern_that_catches_what_is_fine(self, run: Run) -> None:
        ran = run("rules", "new", "acme.new", "f(x)", "--valid", "f(1)")
        assert (ran.code, ran.out) == (ExitCode.USAGE, "")
        assert "'f(1)' is caught" in ran.err
        assert (
            run("rules", "new", "acme.new", "f(x)", "--valid", "f(1)", "--pattern", "f(x)").code
            == 0
        )

    def test_overwrites_nothing(self, run: Run, tmp_path: Path) -> None:
        path = written(tmp_path / "rule.yml", "mine")
        ran = run("rules", "new", "acme.new", "f(x)", "--output", path)
        assert ran.code == ExitCode.USAGE
        assert path.read_text() == "mine"


class TestCheck:
    @pytest.fixture
    def broken(self, tmp_path: Path) -> Path:
        return written(tmp_path / "broken.yml", BROKEN)

    def test_json_has_line_and_column(self, run: Run, broken: Path) -> None:
        ran = run("rules", "check", broken, "--format", "json")
        assert ran.code == ExitCode.USAGE
        errors = json.loads(ran.out)["errors"]
        assert [(row["line"], row["column"], row["key"]) for row in errors] == [
            (6, 5, "rules[0].modality"),
            (8, 5, "rules[0].colour"),
        ]

    def test_github_annotates_the_place(self, run: Run, broken: Path) -> None:
        out = run("rules", "check", broken, "--format", "github").out
        first = out.splitlines()[0]
        assert first.startswith(f"::error file={broken},line=6,col=5,title=Cannot be loaded::")

    def test_sarif_has_a_result_for_each(self, run: Run, broken: Path) -> None:
        (log,) = json.loads(run("rules", "check", broken, "--format", "sarif").out)["runs"]
        regions = [one["locations"][0]["physicalLocation"]["region"] for one in log["results"]]
        assert regions == [{"startLine": 6, "startColumn": 5}, {"startLine": 8, "startColumn": 5}]

    def test_says_what_was_loaded(self, run: Run, rules: Path) -> None:
        ran = run("rules", "check", rules, "--format", "json")
        assert ran.code == ExitCode.PASSED
        assert json.loads(ran.out) == {"loaded": "2 rules in 1 file can be loaded.", "errors": []}

    @pytest.mark.parametrize("length", [2, 3])
    def test_refuses_rules_that_override_each_other(
        self, run: Run, tmp_path: Path, length: int
    ) -> None:
        rules = "".join(
            f"  - {{id: r{number}, statement: S., kind: normative, modality: MUST, severity: LOW,"
            f" relations: {{overrides: [r{(number + 1) % length}]}}}}\n"
            for number in range(length)
        )
        ran = run("rules", "check", written(tmp_path / "r.yml", f"version: 1\nrules:\n{rules}"))
        assert ran.code == ExitCode.USAGE
        assert "'r1' overrides this rule in turn, so neither would hold" in ran.err


def test_a_failed_example_is_named_by_its_line_with_its_text(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path / "r.yml", RULES.replace('"hashlib.sha256(data)"', '"hashlib.md5(x)"'))
    ran = run("rules", "test", path)
    assert ran.code == ExitCode.FINDINGS
    line = path.read_text().splitlines().index('      valid: ["hashlib.md5(x)"]') + 1
    assert f"{path}:{line}: acme.no-md5: valid[0] is caught: " in ran.err
    assert "\n| hashlib.md5(x)\n" in ran.err


class TestSchema:
    def parse(self, path: Path) -> Any:
        # Dates are text to Jurat; a fraction is a Decimal, which JSON's own reader has not.
        data = parse_yaml(path.read_text("utf-8"), str(path), FileError).data
        return json.loads(json.dumps(data, default=float))

    def test_takes_every_shipped_rule_file(self) -> None:
        validator = jsonschema.Draft202012Validator(build_schema(SchemaName.RULES))
        root = get_bundled_path("rules")
        files = [one for one in root.glob("*/**/*.yml") if "regulations" not in one.parts]
        assert len(files) > 10
        for file in files:
            validator.validate(self.parse(file))

    def test_takes_the_configuration_of_the_docs_and_refuses_another(self) -> None:
        validator = jsonschema.Draft202012Validator(build_schema(SchemaName.CONFIG))
        page = Path("docs/configuration.md").read_text("utf-8")
        blocks = [part.split("```")[0] for part in page.split("```yaml\n")[1:]]
        for block in blocks:
            validator.validate(parse_yaml(block, "a block", FileError).data)
        for wrong in ({"pack": []}, {"review": {"drafts": "often"}}, {"levels": {"a": "loud"}}):
            assert not validator.is_valid(wrong)

    @pytest.mark.parametrize("name", SchemaName)
    def test_describes_every_key_and_no_other(self, name: SchemaName) -> None:
        schema = build_schema(name)
        for key, value in schema["properties"].items():
            assert value["description"], key
        for model, definition in schema["$defs"].items():
            keys = definition.get("properties", {})
            assert {key for key in keys if not keys[key].get("description")} == set(), model
            assert set(DESCRIPTIONS.get(model, {})) <= set(keys), model

    def test_is_printed(self, run: Run) -> None:
        assert json.loads(run("rules", "schema").out) == build_schema(SchemaName.RULES)
        assert json.loads(run("rules", "schema", "config").out) == build_schema(SchemaName.CONFIG)
