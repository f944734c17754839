"""Rules about Python read the cells of notebooks, on the lines of their file."""

from __future__ import annotations

import json

import pytest

from jurat.engine.code_matches import CodeMatches
from jurat.engine.code_scan import scan_code
from jurat.engine.fix_trials import FixAttempt, TriedFix, try_fixes
from jurat.engine.fixes import apply_fixes
from jurat.facts.context import SubjectKind
from jurat.findings.finding import Fix
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule
from jurat.source.parsing import parse_in_process
from tests.support.code import added, changed
from tests.support.notebooks import find_line, notebook

RULE_SET = load_ruleset(read_pack("engineering"))
RULES = RULE_SET.rules
VIEW = "import flask\n@app.get('/')\ndef view():\n    return eval(flask.request.args['a'])\n"
EVAL, DEBUGGER, YAML = RULES["py.eval"], RULES["py.debugger-left"], RULES["py.yaml-load"]
TOKEN = RULES["secrets.token-in-code"]


def search(rule: Rule, text: str, base: str = "") -> CodeMatches:
    (matches,) = scan_code([(rule, [changed(base, text, "a.ipynb")])], parse_in_process)
    return matches


def test_what_a_cell_does_is_found_on_its_line() -> None:
    text = notebook("a = 1\n", VIEW)
    (place,) = search(EVAL, text).places
    assert place.location.start_line == find_line(text, "eval")


def test_only_what_is_new_is_found() -> None:
    before = notebook("a = 1\n", VIEW)
    after = notebook("a = 1\nb = 2\n", VIEW)
    assert not search(EVAL, after, before).places
    assert search(EVAL, after, notebook("a = 1\n")).places


@pytest.mark.parametrize("cell", ["raise ValueError\n", "import sys\nsys.exit()\n", "if 0:\n  a\n"])
def test_what_ends_one_cell_ends_no_other(cell: str) -> None:
    indented = "  " + VIEW.replace("\n", "\n  ")
    assert search(EVAL, notebook(cell, indented)).places


def test_how_json_spells_it_hides_nothing() -> None:
    text = notebook(VIEW).replace("eval", "ev\\u0061l")
    assert search(EVAL, text).places
    assert search(TOKEN, notebook('key = "live_000000000000000000000000"\n')).places


def test_secrets_in_outputs_are_secrets() -> None:
    document = json.loads(notebook("a = 1\n"))
    token = "ghp_" + "0" * 36
    document["cells"][0]["outputs"] = [{"output_type": "stream", "text": [f"{token}\n"]}]
    text = json.dumps(document, indent=1)
    (place,) = search(TOKEN, text).places
    assert place.location.start_line == find_line(text, token)


@pytest.mark.parametrize("text", [notebook(VIEW)[:-30], notebook(VIEW, language="R")])
def test_no_rule_passes_on_what_it_cannot_read(text: str) -> None:
    matches = search(EVAL, text)
    assert [one.path for one in matches.unread] == ["a.ipynb"]
    # One that reads lines does.
    assert not search(TOKEN, text).unread


def test_a_cell_whose_strings_end_elsewhere_for_the_grammar_is_no_pass() -> None:
    (matches,) = scan_code(
        [(EVAL, [added(notebook("a = (1,\n]\n", VIEW), "a.ipynb")])], parse_in_process
    )
    assert matches.unread


@pytest.mark.parametrize(
    ("rule", "cell", "fixed"),
    [
        (DEBUGGER, "a = 1\nimport pdb; pdb.set_trace()\nb = 2\n", "a = 1\nimport pdb; \nb = 2\n"),
        (DEBUGGER, "a = 1\nbreakpoint()\nb = 2\n", "a = 1\nb = 2\n"),
        (YAML, "import yaml\nyaml.load(f, Loader=yaml.Loader)", "import yaml\nyaml.safe_load(f)"),
    ],
)
def test_a_fix_is_of_the_strings_in_the_file(rule: Rule, cell: str, fixed: str) -> None:
    text = notebook(cell)
    matches = search(rule, text)
    assert apply_fixes(text, matches.remediations) == notebook(fixed)


def test_a_fix_that_leaves_no_json_is_not_offered() -> None:
    text = notebook("a = 1\nbreakpoint()")
    assert search(DEBUGGER, text).places
    assert not search(DEBUGGER, text).remediations


def test_a_fix_that_breaks_the_file_does_not_hold() -> None:
    text = notebook("breakpoint()\n")
    line = find_line(text, "breakpoint")
    broken = Fix(
        type="replace", file_path="a.ipynb", start_line=line, end_line=line,
        original=text.split("\n")[line - 1], replacement="pass",
    )  # fmt: skip
    tried = (TriedFix(DEBUGGER.id, broken, computed=True),)
    attempt = FixAttempt(added(text, "a.ipynb"), SubjectKind.CODE_DIFF, {}, RULE_SET, (tried,))
    (check,) = try_fixes(attempt)
    assert check.problem == "the file would no longer be read"
