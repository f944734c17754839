"""No text ends the process that parses it, and ordinary text is parsed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.errors import RuleError
from jurat.rules.loader import load_ruleset
from jurat.source.parsing import ParseFailure, parse_in_process
from jurat.source.syntax import TooDeeplyNestedError, check_nesting, is_parsable, parse
from tests.support.production import python

ROOT = Path(__file__).parents[2]

HOSTILE = {
    "keys": ("yaml", "\n".join(" " * depth + "a:" for depth in range(1_500))),
    "keys by tabs": ("yaml", "\n".join("\t" * depth + "a:" for depth in range(1_500))),
    "items": ("yaml", "- " * 1_500),
    "questions": ("yaml", "? " * 1_500),
    "mixed": ("yaml", "a:\n" + "\n".join(" " * depth + "- ? b:" for depth in range(0, 4_500, 3))),
    "quotes": ("markdown", ">" * 1_500),
    "spaced quotes": ("markdown", "> " * 1_500 + "a"),
    "list items": ("markdown", "- " * 1_500),
    "numbered items": ("markdown", "1. " * 1_500),
    "indented items": ("markdown", "".join("  " * depth + "- a\n" for depth in range(1_500))),
    "lazy lines": ("markdown", "".join(" " * 2 * depth + "- a\nb\n" for depth in range(1_500))),
    "templates": ("kotlin", '"${' * 1_500),
    "raw templates": ("kotlin", '"""${' * 1_500),
    "commented templates": ("kotlin", '"${/*}*/' * 1_500),
}


def length(data: tuple[str, str]) -> int:
    return len(parse(data[1], data[0]).root().text())


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_that_its_grammar_would_not_survive_is_refused(name: str) -> None:
    language, text = HOSTILE[name]
    with pytest.raises(TooDeeplyNestedError):
        check_nesting(text, language)
    (found,) = parse_in_process(length, [(language, text)])
    assert found == ParseFailure("it is nested too deeply to be parsed safely")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("yaml", "\n".join("  " * depth + "a:" for depth in range(60)) + " 1\n"),
        ("yaml", "text: |\n" + "  " + " " * 400 + "far to the right\n  - a\n" * 50),
        ("yaml", "- a: 1\n  b: [2, 3]\n" * 2_000),
        ("yaml", "-" * 400),
        ("markdown", "".join("  " * depth + "- a\n" for depth in range(40))),
        ("markdown", "- " * 3 + "a\n\n" + "> quoted\n" * 500 + "-" * 500),
        ("kotlin", 'val a = "${b}"\n' * 300),
        ("python", "[" * 1_500),
    ],
)
def test_ordinary_text_is_not(language: str, text: str) -> None:
    check_nesting(text, language)


def test_the_shipped_rules_are_ordinary() -> None:
    for path in (ROOT / "rules").rglob("*.yml"):
        assert is_parsable(path.read_text(encoding="utf-8"), "yaml"), path


pieces = st.sampled_from(["- ", "? ", "a: ", "a:\n", "\n", " ", "  ", "\t", "> ", ">", "1. ", "b"])


@given(st.lists(st.tuples(pieces, st.integers(1, 90)), max_size=40), st.booleans())
def test_what_the_check_lets_pass_a_grammar_survives(
    parts: list[tuple[str, int]], markdown: bool
) -> None:
    # Where this is wrong the process ends, and with it the whole run of the tests.
    text = "".join(piece * count for piece, count in parts)
    parse_in_process(length, [("markdown" if markdown else "yaml", text)])


def test_the_command_line_reports_such_a_file_as_unread_and_lives(tmp_path: Path) -> None:
    language, text = HOSTILE["items"]
    lines = (text + "secret: 1").split("\n")
    added = "".join(f"+{line}\n" for line in lines)
    diff = f"--- /dev/null\n+++ b/deep.{language}\n@@ -0,0 +1,{len(lines)} @@\n{added}"
    (tmp_path / "change.diff").write_text(diff)
    (tmp_path / "rules.yml").write_text(
        "version: 1\nrules:\n  - id: no.secrets\n    statement: No secrets.\n"
        "    kind: computational\n    modality: MUST_NOT\n    severity: HIGH\n"
        "    constraints:\n      - {type: pattern, language: yaml, pattern: 'secret: $A'}\n"
    )
    command = [python(), "-m", "jurat", "review", "--diff", "change.diff"]
    ended = subprocess.run(
        [*command, "--rules", "rules.yml", "--pack", "none"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "bot"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3, ended.stderr
    assert "1 blocking rule undecided" in ended.stdout
    assert "parsed safely" in " ".join(ended.stdout.split())
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("language", "pattern"),
    [("yaml", "- " * 300), ("kotlin", '"${' * 402), ("swift", "/*" * 700), ("lua", "a" * 1_001)],
)
def test_a_rule_whose_pattern_would_end_or_hold_up_the_process_is_refused(
    language: str, pattern: str
) -> None:
    constraint = {"type": "pattern", "language": language, "pattern": pattern}
    rule = {
        "id": "deep",
        "statement": "No.",
        "kind": "computational",
        "modality": "MUST_NOT",
        "severity": "LOW",
        "constraints": [constraint],
    }
    with pytest.raises(RuleError, match=r"nested too deeply|longer than 1,000 characters"):
        load_ruleset({"deep.yml": json.dumps({"version": 1, "rules": [rule]})})
