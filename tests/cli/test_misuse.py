"""What people type by mistake: one line each that says what is wrong and what to do, and code 2.

The lines stand here in full, as they are part of the product. What is refused in a rule file stands
in fixtures/golden/rules/errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import DIFF, RULES, Run

FILES: Mapping[str, str | bytes] = {
    "change.diff": DIFF,
    "rules.yml": RULES,
    "text.txt": "hello\n",
    "nothing.diff": "",
    "broken.json": '{"a": \n',
    "list.json": "[1]",
    "not-a-number.json": '{"a": NaN}',
    "bytes.yml": b"\xff\xfe\x00",
    "blank.yml": "",
    "no-rule.yml": "version: 1\nrules: []\n",
    "models.yml": "models:\n  gemini: fast\n",
    "old-baseline.json": '{"version": 99, "findings": []}',
    "empty/.keep": "",
}

MISUSES: Mapping[str, str] = {
    # A command that is not there, or is called as another tool's would be.
    "revue": "jurat: No such command 'revue'. `jurat --help` shows what it takes.",
    "scan .": "jurat: No such command 'scan'. `jurat --help` shows what it takes.",
    "review .": (
        "jurat: Got unexpected extra argument(s) (.). `jurat review --help` shows what it takes."
    ),
    "review --jsn": "jurat: No such option: --jsn. `jurat review --help` shows what it takes.",
    "review --format xml": (
        "jurat: Invalid value for '--format': 'xml' is not one of 'text', 'json', 'sarif', "
        "'github'. `jurat review --help` shows what it takes."
    ),
    "rules explain nowhere.rule": (
        "jurat: No rule is called 'nowhere.rule'. `jurat rules list` shows them all."
    ),
    "rules backtest --last -3": (
        "jurat: Invalid value for '--last': Input should be greater than or equal to 1. "
        "`jurat rules backtest --help` shows what it takes."
    ),
    "rules docs --site": (
        "jurat: Option '--site' requires an argument. `jurat --help` shows what it takes."
    ),
    "rules schema everything": (
        "jurat: Invalid value for 'name': 'everything' is not one of 'rules', 'config'. "
        "`jurat rules schema --help` shows what it takes."
    ),
    "lsp --port 80": "jurat: No such option: --port. `jurat lsp --help` shows what it takes.",
    "forget": "jurat: Missing argument 'OWNER/NAME'. `jurat forget --help` shows what it takes.",
    "forget acme": (
        "jurat: Nothing is kept of a repository called 'acme'. Give its name as it is now, "
        "such as acme/shop, or GitHub's number of it."
    ),
    # What is to be reviewed.
    "review": (
        "jurat: not a git repository (or any of the parent directories): .git. Run it inside "
        "a checkout, or name one with --repo."
    ),
    "review --repo nowhere": "jurat: nowhere is not a folder. Name a checkout with --repo.",
    "review --repo text.txt": "jurat: text.txt is not a folder. Name a checkout with --repo.",
    "review --repo shop --base nowhere": (
        "jurat: 'nowhere' names no commit in shop. Fetch it first, or name another branch, "
        "tag or commit."
    ),
    "review --repo shop --head nowhere": (
        "jurat: 'nowhere' names no commit in shop. Fetch it first, or name another branch, "
        "tag or commit."
    ),
    "review --repo shop --all --base main": (
        "jurat: --all goes without --base: all of it is reviewed."
    ),
    "review --diff nowhere.diff": (
        "jurat: --diff: nowhere.diff cannot be read: No such file or directory. See `jurat "
        "review --help` for what --diff takes."
    ),
    "review --diff empty": (
        "jurat: --diff: empty cannot be read: Is a directory. See `jurat review --help` for "
        "what --diff takes."
    ),
    "review --diff text.txt": (
        "jurat: This is no unified diff: no line in it begins a file. Give what `git diff "
        "--no-color`, `git format-patch` or `diff -u` prints."
    ),
    "review --diff nothing.diff": (
        "jurat: --diff: nothing.diff holds no change. Did the command that was to print it "
        "fail? With `set -o pipefail` a shell says so."
    ),
    "review --diff change.diff --base main": (
        "jurat: --diff goes without --repo, --base, --head, --all: it is the change."
    ),
    "review --facts broken.json": "broken.json:2: is not valid JSON: Expecting value",
    "review --facts list.json": (
        "list.json:1: must hold a mapping of names to values. Such as "
        '{"monthly_overtime_hours": 52}.'
    ),
    "review --facts not-a-number.json": (
        "not-a-number.json: cannot be facts: NaN is not a number that a rule can use"
    ),
    "review --facts nowhere.json": (
        "jurat: --facts: nowhere.json cannot be read: No such file or directory. See `jurat "
        "review --help` for what --facts takes."
    ),
    # By which rules.
    "review --diff change.diff --rules nowhere.yml": (
        "nowhere.yml: there is no such file or folder. Name a rule file, or a folder of them."
    ),
    "review --diff change.diff --rules empty": "empty: the folder holds no rule file (.yml)",
    "review --diff change.diff --rules text.txt": (
        "text.txt: is no rule file: the name of one ends in .yml or .yaml"
    ),
    "review --diff change.diff --rules bytes.yml": (
        "bytes.yml:1: is not UTF-8 text; save it as UTF-8"
    ),
    "review --diff change.diff --rules blank.yml": (
        "blank.yml: is empty; a rule file has the key rules"
    ),
    "review --diff change.diff --rules no-rule.yml": (
        "no-rule.yml:2: rules: holds no rule; see `jurat rules new`"
    ),
    "review --diff change.diff --pack nowhere": (
        "jurat: There is no pack 'nowhere'; known are engineering"
    ),
    "review --diff change.diff --pack none --pack engineering": (
        "jurat: --pack none goes with no other --pack."
    ),
    # How it is reported.
    "review --diff change.diff --output report.xml": (
        "jurat: --output report.xml: its name does not say its format. End it with .txt, "
        ".json, .sarif."
    ),
    "review --diff change.diff --output nowhere/report.json": (
        "jurat: --output nowhere/report.json: there is no folder to write such a file into."
    ),
    "review --diff change.diff --fix --diff-fixes": (
        "jurat: --fix goes without --diff-fixes: it applies what that one prints."
    ),
    "review --diff change.diff --quiet --verbose": (
        "jurat: --quiet goes without --verbose: a report is short or long."
    ),
    "review --diff change.diff --baseline nowhere.json": (
        "nowhere.json: there is no such file. Write one with `jurat review --write-baseline FILE`."
    ),
    "review --diff change.diff --baseline old-baseline.json": (
        "old-baseline.json: is no baseline of this version. Write one with `jurat review "
        "--write-baseline FILE`."
    ),
    "review --diff change.diff --baseline broken.json": (
        "broken.json:2: is not valid JSON: Expecting value. Write one with `jurat review "
        "--write-baseline FILE`."
    ),
    # Ratings, probes and audits.
    "rate nowhere": "jurat: There is no folder nowhere. Name the checkout to rate.",
    "rate shop --on yesterday": (
        "jurat: Invalid value for '--on': 'yesterday' does not match the formats '%Y-%m-%d'. "
        "`jurat rate --help` shows what it takes."
    ),
    "rate shop --role king": (
        "jurat: Invalid value for '--role': 'king' is not one of 'provider', 'deployer', "
        "'importer', 'distributor', 'controller', 'processor'. `jurat rate --help` shows what"
        " it takes."
    ),
    "probe compare nowhere.json list.json": (
        "nowhere.json: cannot be read: No such file or directory"
    ),
    "probe import text.txt": "text.txt:1: is not valid JSON: Expecting value",
    "audit --response nowhere.txt": (
        "jurat: --response: nowhere.txt cannot be read: No such file or directory. See `jurat "
        "audit --help` for what --response takes."
    ),
    "init --repo empty": (
        "jurat: not a git repository (or any of the parent directories): .git. Run it inside "
        "a checkout, or name one with --repo."
    ),
    # The environment.
    "JURAT_MODELS=nowhere.yml review --diff change.diff": (
        "jurat: JURAT_MODELS is 'nowhere.yml', which cannot be read. Set it to a YAML file as"
        " docs/models.md describes, or leave it unset."
    ),
    "JURAT_MODELS=models.yml review --diff change.diff": (
        "models.yml:2: models.gemini: unknown key; known are embedding, flash, pro"
    ),
    "DATABASE_URL=mysql://localhost/jurat doctor": (
        "jurat: DATABASE_URL is of no kind that Jurat knows. Set it to "
        "sqlite:///jurat.sqlite3 or postgresql://user:password@host/name."
    ),
    "APP_ID=my-app doctor": (
        "jurat: APP_ID is 'my-app'. Set it to the App ID that the App's settings page shows, "
        "a number; `jurat serve` without an App opens a page that registers one."
    ),
    "doctor": (
        "jurat: APP_ID is not set. Set it to the App ID that the App's settings page shows, a"
        " number; `jurat serve` without an App opens a page that registers one."
    ),
    "serve --port 99999": (
        "jurat: Invalid value for '--port': Input should be less than or equal to 65535. "
        "`jurat serve --help` shows what it takes."
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    Checkout(tmp_path / "shop").commit()
    return tmp_path


@pytest.mark.parametrize(("typed", "said"), MISUSES.items(), ids=list(MISUSES))
def test_is_said_in_one_line_with_a_remedy(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, typed: str, said: str
) -> None:
    words = typed.split()
    while "=" in words[0]:
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    ran = run(*words)
    assert (ran.code, ran.out) == (ExitCode.USAGE, "")
    assert ran.err.replace(f"{folder}/", "") == f"{said}\n"
