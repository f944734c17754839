"""The command as a person meets it: exit codes, one line an error, the report alone on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import DIFF, NORMATIVE, RULES, Run, written
from tests.support.production import python


@pytest.fixture
def refusing_model() -> Iterator[str]:
    """The address of a Gemini that refuses every request for good."""

    class Refusal(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(400)
            self.end_headers()
            self.wfile.write(b'{"error": {"code": 400, "message": "no", "status": "NO"}}')

        def log_message(self, *_: object) -> None:
            """Nothing: stderr belongs to the command."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class TestExitCodes:
    def test_0_when_nothing_is_found(self, run: Run, rules: Path, tmp_path: Path) -> None:
        diff = written(tmp_path / "a.diff", DIFF.replace("md5", "sha256"))
        ran = run("review", "--diff", diff, "--pack", "none", "--rules", rules)
        assert ran.code == ExitCode.PASSED
        assert ran.out.startswith(" ALLOW  2 rules passed.")

    def test_1_when_a_rule_denies(self, run: Run, rules: Path, tmp_path: Path) -> None:
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run("review", "--diff", diff, "--pack", "none", "--rules", rules)
        assert ran.code == ExitCode.FINDINGS
        assert ran.out.startswith(" DENY  1 rule blocks. 1 finding, 1 with a safe fix.\n")
        assert '     2 │-print(hashlib.md5(b""))\n' in ran.out
        assert '       │+print(hashlib.sha256(b""))\n' in ran.out

    def test_0_when_told_never_to_fail(self, run: Run, rules: Path, tmp_path: Path) -> None:
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run("review", "--diff", diff, "--rules", rules, "--fail-on", "never")
        assert ran.code == ExitCode.PASSED

    def test_an_experimental_rule_never_fails(self, run: Run, rules: Path, tmp_path: Path) -> None:
        rules.write_text(
            RULES.replace("severity: CRITICAL", "severity: CRITICAL\n    maturity: experimental")
        )
        diff = written(tmp_path / "a.diff", DIFF)
        common = ("review", "--diff", diff, "--pack", "none", "--rules", rules)
        ran = run(*common, "--fail-on", "confirm")
        assert ran.code == ExitCode.PASSED
        assert "Shadow: 1 finding of rules that only observe" in ran.out

    def test_2_for_a_broken_rule_file_with_one_line_an_error(
        self, run: Run, tmp_path: Path
    ) -> None:
        broken = RULES.replace("modality: MUST\n", "modality: SHALL\n").replace(
            "languages:", "langs:"
        )
        path = written(tmp_path / "broken.yml", broken)
        for arguments in (["review", "--diff", "-", "--rules", path], ["rules", "check", path]):
            ran = run(*arguments)
            assert ran.code == ExitCode.USAGE
            assert ran.out == ""
            first, second = ran.err.splitlines()
            assert first.startswith(f"{path}:6: rules[0].modality: must be one of")
            assert second.startswith(f"{path}:15: rules[1].langs: unknown key")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["review", "--diff", "nowhere.diff"],
            ["review", "--facts", "nowhere.json"],
            ["review", "--repo", "nowhere"],
            ["review"],
            ["review", "--diff", "-", "--base", "main"],
            ["review", "--diff", "-", "--pack", "nowhere"],
            ["review", "--diff", "-", "--pack", "none", "--pack", "engineering"],
            ["review", "--diff", "-", "--rules", "nowhere.yml"],
            ["rules", "check", "nowhere"],
        ],
        ids=" ".join,
    )
    def test_2_for_what_cannot_be_done_in_one_line(self, run: Run, arguments: list[str]) -> None:
        ran = run(*arguments)
        assert ran.code == ExitCode.USAGE
        assert ran.out == ""
        (line,) = ran.err.splitlines()
        assert line.startswith(("jurat: ", "nowhere"))

    @pytest.mark.parametrize(
        "arguments",
        [
            ["revue"],
            ["review", "--nonsense"],
            ["review", "--format", "xml"],
            ["review", "extra"],
            ["rate"],
            ["serve", "--port", "99999"],
        ],
        ids=" ".join,
    )
    def test_2_for_what_typer_refuses_in_one_line(self, run: Run, arguments: list[str]) -> None:
        ran = run(*arguments)
        assert ran.code == ExitCode.USAGE
        assert ran.out == ""
        (line,) = ran.err.splitlines()
        assert line.startswith("jurat: ")
        assert line.endswith(" --help` shows what it takes.")

    def test_2_and_the_help_for_a_group_without_a_command(self, run: Run) -> None:
        ran = run("rules")
        assert ran.code == ExitCode.USAGE
        assert "explain" in ran.out
        assert ran.err == ""

    def test_2_for_what_is_no_diff(self, run: Run, tmp_path: Path) -> None:
        ran = run("review", "--diff", written(tmp_path / "a.diff", "hello\n"))
        assert ran.code == ExitCode.USAGE
        assert ran.err.count("\n") == 1

    def test_3_when_a_blocking_rule_applies_to_a_file_that_was_not_read(
        self, run: Run, rules: Path, tmp_path: Path
    ) -> None:
        damaged = DIFF.replace("+1,2", "+1,9")
        ran = run(
            *("review", "--diff", written(tmp_path / "a.diff", damaged)),
            *("--pack", "none", "--rules", rules, "--format", "json"),
        )
        assert ran.code == ExitCode.INCOMPLETE
        body = json.loads(ran.out)
        assert body["overall_verdict"] == "NEEDS_CONFIRMATION"
        assert [row["path"] for row in body["coverage"]["unread"]] == ["digest.py"]
        assert {row["gap"] for row in body["not_assessed"]} == {"unread"}

    def test_3_when_no_model_is_there_for_a_blocking_rule(self, run: Run, tmp_path: Path) -> None:
        rules = written(tmp_path / "kind.yml", NORMATIVE)
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run("review", "--diff", diff, "--pack", "none", "--rules", rules)
        assert ran.code == ExitCode.INCOMPLETE
        assert "1 blocking rule undecided" in ran.out
        said = (
            "acme.kind: No model is configured: set GEMINI_API_KEY, name another in"
            " JURAT_MODELS, or have the configuration say `judge: none`."
        )
        assert said in " ".join(ran.out.split())

    def test_3_when_the_configured_model_fails_on_a_blocking_rule(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusing_model: str
    ) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", "not-a-key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", refusing_model)
        rules = written(tmp_path / "kind.yml", NORMATIVE)
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run("review", "--diff", diff, "--pack", "none", "--rules", rules)
        assert ran.code == ExitCode.INCOMPLETE
        assert "1 blocking rule undecided" in ran.out

    def test_3_for_a_defect_of_ours_without_a_traceback(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError("a defect\nof two lines")

        monkeypatch.setattr("jurat.cli.local_source.read_diff", fail)
        ran = run("review", "--diff", "-")
        assert ran.code == ExitCode.INCOMPLETE
        assert ran.err == (
            "jurat: unexpected ZeroDivisionError: a defect of two lines"
            " (set JURAT_DEBUG=1 to see where)\n"
        )
        monkeypatch.setenv("JURAT_DEBUG", "")
        ran = run("--debug", "review", "--diff", "-")
        assert ran.code == ExitCode.INCOMPLETE
        assert "Traceback" in ran.err


class TestStandardOutput:
    @pytest.mark.parametrize("form", ["json", "sarif"])
    def test_holds_the_report_alone(
        self, run: Run, checkout: Checkout, rules: Path, form: str
    ) -> None:
        checkout.write({"a.py": "import hashlib\n", ".github/jurat.yml": "packs: []\n"})
        checkout.commit()
        checkout.write({"a.py": 'import hashlib\nhashlib.md5(b"")\n'})
        checkout.write({".github/jurat.yml": "packs: [engineering]\n"})
        ran = run("review", "--repo", checkout.folder, "--rules", rules, "--format", form)
        assert ran.code == ExitCode.FINDINGS
        assert json.loads(ran.out)
        assert ran.err == (
            "jurat: .github/jurat.yml: the base's version is in force, not this change's;"
            " --rules-from head tries it.\n"
        )

    def test_of_a_diff_is_the_response_of_the_rest_api(
        self, run: Run, rules: Path, tmp_path: Path
    ) -> None:
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run("review", "--diff", diff, "--rules", rules, "--format", "json")
        body = json.loads(ran.out)
        assert body["overall_verdict"] == "DENY"
        (fix,) = [item for item in body["remediations"] if item["rule_id"] == "acme.no-md5"]
        assert (fix["file_path"], fix["start_line"]) == ("digest.py", 2)
        assert fix["replacement"] == 'print(hashlib.sha256(b""))'

    def test_is_annotations_for_github(self, run: Run, rules: Path, tmp_path: Path) -> None:
        diff = written(tmp_path / "a.diff", DIFF)
        ran = run(
            *("review", "--diff", diff, "--pack", "none"),
            *("--rules", rules, "--format", "github"),
        )
        (line,) = ran.out.splitlines()
        assert line.startswith("::error file=digest.py,line=2,endLine=2,title=acme.no-md5 ")

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ("review --diff a.diff --rules rules.yml", ExitCode.FINDINGS),
            ("review --diff a.diff --rules rules.yml --format json", ExitCode.FINDINGS),
            ("review --diff a.diff --rules rules.yml --fail-on never", ExitCode.PASSED),
            ("review --diff none.diff", ExitCode.USAGE),
            ("rules list", ExitCode.PASSED),
            ("rules docs", ExitCode.PASSED),
        ],
    )
    @pytest.mark.parametrize("closed", ["2>&1 | true", ">&- 2>&-"])
    def test_may_be_closed_early(
        self, rules: Path, tmp_path: Path, arguments: str, code: ExitCode, closed: str
    ) -> None:
        written(tmp_path / "a.diff", DIFF)
        script = f"set -o pipefail; {python()} -m jurat {arguments} {closed}"
        done = subprocess.run(
            ["bash", "-c", script], cwd=rules.parent, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (code, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
    @pytest.mark.parametrize("arguments", [["audit", "--help"], ["rules", "list"]])
    def test_that_cannot_be_written_is_an_error(self, arguments: list[str]) -> None:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [python(), "-m", "jurat", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == ExitCode.INCOMPLETE
        assert done.stderr.count("\n") == 1

    def test_that_is_ascii_alone_shows_the_codes_of_the_rest(
        self, rules: Path, tmp_path: Path
    ) -> None:
        diff = written(
            tmp_path / "a.diff", DIFF.replace("print(", "größe(").replace("b/digest", "b/ö")
        )
        done = subprocess.run(
            [python(), "-m", "jurat", "review", "--diff", diff, "--rules", rules],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == ExitCode.FINDINGS
        assert b"     2 |-gr\\xf6\\xdfe(hashlib" in done.stdout


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").out.startswith("jurat ")
