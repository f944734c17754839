"""`jurat audit`: what it prints, and the code that it exits with."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from jurat.cli.audit import audit
from jurat.errors import ExitCode, FileError, JuratError, UsageError

GOOD = (
    "The loan should be deferred because 850,000 EUR exceed the limit of policy section 4.2. An AML"
    " flag is present. The repayment cannot be confirmed, and arrears are likely."
)
CONTEXT = (
    "A loan of 850,000 EUR. Policy section 4.2 has the limit. An AML flag is present, arrears too."
)

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command as the command line does; its exit code and standard output."""
    app = typer.Typer()
    app.command()(audit)

    def running(*arguments: str | Path) -> tuple[int, str]:
        code = app([str(item) for item in arguments], standalone_mode=False)
        return int(code or 0), capsys.readouterr().out

    return running


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_text(GOOD)
    (tmp_path / "vague.txt").write_text("Further review needed.")
    (tmp_path / "context.txt").write_text(CONTEXT)
    (tmp_path / "metadata.json").write_text('{"flags_present": ["AML"]}')
    return tmp_path


@pytest.fixture
def broken_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files and others that cannot be used, in the current folder."""
    monkeypatch.chdir(files)
    Path("blank.txt").write_text(" \n")
    Path("latin.txt").write_bytes(b"one\ncaf\xe9\n")
    Path("list.json").write_text("[1]")
    Path("broken.json").write_text('{"flags_present": [')


def test_a_rationale_that_passes_exits_with_0(run: Run, files: Path) -> None:
    code, text = run(
        *("--response", files / "good.txt", "--question", "Should it be approved?"),
        *("--context", files / "context.txt", "--metadata", files / "metadata.json"),
    )
    assert code == ExitCode.PASSED
    assert text.startswith("Ruleset: decision_rationale_v1_finance\nResult: PASS (quality ")
    assert text.endswith("\n")


def test_a_flagged_rationale_exits_with_1(run: Run, files: Path) -> None:
    code, text = run("--response", files / "vague.txt")
    assert code == ExitCode.FINDINGS
    assert "Flagged because groundedness " in text


def test_json_is_the_result_field_by_field(run: Run, files: Path) -> None:
    code, text = run(
        *("--response", files / "good.txt", "--context", files / "context.txt"),
        *("--metadata", files / "metadata.json", "--format", "json"),
    )
    given = json.loads(text)
    assert code == ExitCode.PASSED
    assert list(given) == [
        "rule_set",
        "sub_scores",
        "quality",
        "flagged",
        "rule_results",
        "audit_explanation",
    ]
    assert given["sub_scores"]["groundedness"] == 0.85
    assert given["flagged"] is False
    assert list(given["rule_results"][0]) == [
        "rule_id",
        "sub_score",
        "weight",
        "matched",
        "evidence_span",
        "explanation",
    ]


def test_the_rationale_may_come_from_standard_input(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Further review needed.")))
    assert run("--response", "-")[0] == ExitCode.FINDINGS


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("decision", "decision_rationale_v1_finance"),
        ("banking", "banking_v1"),
        ("deny", "verdict_rationale_v1_deny"),
        ("allow", "verdict_rationale_v1_allow"),
    ],
)
def test_each_set_can_be_named(run: Run, files: Path, name: str, shown: str) -> None:
    assert f"Ruleset: {shown}\n" in run("--response", files / "good.txt", "--set", name)[1]


def test_the_reasoning_of_a_verdict_can_be_audited(run: Run, files: Path) -> None:
    (files / "reasoning.txt").write_text('Line 3 has "log(email)", and log lines hold no e-mail.')
    (files / "subject.diff").write_text("=== pay.py\n3+    log(email)\n")
    code, text = run(
        *("--set", "deny", "--response", files / "reasoning.txt"),
        *("--question", "Log lines hold no personal data.", "--context", files / "subject.diff"),
    )
    assert "it does not say how sure it is" in text
    assert code == ExitCode.FINDINGS
    (files / "known.yml").write_text("confidence: 0.9\n")
    code, _ = run(
        *(
            "--set",
            "deny",
            "--response",
            files / "reasoning.txt",
            "--metadata",
            files / "known.yml",
        ),
        *("--question", "Log lines hold no personal data.", "--context", files / "subject.diff"),
    )
    assert code == ExitCode.PASSED


def test_sources_can_be_narrowed_to_regulations(run: Run, files: Path) -> None:
    _, text = run(
        *("--response", files / "good.txt"),
        *("--regulation", "gdpr", "--regulation", "hipaa"),
    )
    assert "Source: HIPAA 45 CFR 164.312(b), audit controls" in text
    assert "EU AI Act" not in text


def test_what_is_unknown_can_be_taken_for_granted(run: Run, files: Path) -> None:
    assert "unknown: " in run("--response", files / "good.txt")[1]
    assert "unknown: " not in run("--response", files / "good.txt", "--assume-metadata")[1]


def test_a_file_of_rules_is_used(run: Run, files: Path) -> None:
    (files / "own.yml").write_text(
        "name: own\nrules: [{id: a, description: d, weight: 1, sub_score: s, words: [because]}]\n"
    )
    assert run("--response", files / "good.txt", "--rules", files / "own.yml")[0] == 0
    assert run("--response", files / "vague.txt", "--rules", files / "own.yml")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        (("--response", "nowhere.txt"), UsageError, "--response: nowhere.txt cannot be read: No"),
        (("--response", "blank.txt"), UsageError, "--response: blank.txt is empty."),
        (("--response", "latin.txt"), FileError, "latin.txt:2: is not UTF-8 text"),
        (("--response", "."), UsageError, "--response: . cannot be read: Is a directory"),
        (
            ("--response", "good.txt", "--context", "nowhere.txt"),
            UsageError,
            "--context: nowhere.txt cannot be read",
        ),
        (
            ("--response", "good.txt", "--metadata", "list.json"),
            FileError,
            "list.json:1: must hold a mapping",
        ),
        (
            ("--response", "good.txt", "--metadata", "broken.json"),
            FileError,
            "broken.json:1: ",
        ),
        (
            ("--response", "good.txt", "--rules", "list.json"),
            FileError,
            "list.json:1: must be a mapping",
        ),
        (
            ("--response", "good.txt", "--rules", "own.yml", "--set", "deny"),
            UsageError,
            "--rules and --set exclude each other.",
        ),
        (
            ("--response", "good.txt", "--regulation", "gpdr"),
            UsageError,
            "--regulation: unknown regulation 'gpdr'; known are eu_ai_act, ",
        ),
        (
            ("--response", "good.txt", "--regulation", "gdpr", "--set", "deny"),
            UsageError,
            "--regulation belongs to the set decision.",
        ),
    ],
)
@pytest.mark.usefixtures("broken_files")
def test_bad_input_is_one_line_and_exit_code_2(
    run: Run, arguments: tuple[str, ...], kind: type[JuratError], told: str
) -> None:
    with pytest.raises(kind) as caught:
        run(*arguments)
    assert str(caught.value).startswith(told)
    assert caught.value.exit_code == ExitCode.USAGE
