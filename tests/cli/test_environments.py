"""The command as a process, in environments that are not a developer's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import DIFF, RULES, written
from tests.support.production import python

ROOT = Path(__file__).parents[2]

ENVIRONMENTS = {
    "nothing": {},
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
    "optimised": {"PYTHONOPTIMIZE": "2"},
    "C locale": {"LC_ALL": "C"},
    "ASCII alone": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "no home": {"HOME": "/nowhere/at/all"},
    "a home that takes nothing": {"HOME": "/proc"},
    "a home that may not be written": {"HOME": "locked"},
}
COMMANDS = [
    "--version",
    "--help",
    "review --diff a.diff",
    "review --diff a.diff --format sarif",
    "rules check rules.yml",
    "rules test rules.yml",
    "rules list",
    "rules docs",
    "rules explain py.weak-hash",
    "rules rank --query x --candidates candidates.json",
    "audit --response reason.txt",
    "rate . --format json",
    "probe run --responder none.diff --format json",
    "db upgrade",
    "demo",
]
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")


@pytest.fixture(params=ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """All that the process finds in its environment."""
    home = tmp_path / "locked"
    home.mkdir(mode=0o500)
    asked: dict[str, str] = request.param
    where = str(home) if asked.get("HOME") == "locked" else asked.get("HOME", str(tmp_path))
    return {"PATH": os.environ["PATH"], **asked, "HOME": where, "PYTHONPATH": str(ROOT / "bot")}


def jurat(
    arguments: list[str], environment: dict[str, str], cwd: Path, stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [python(), "-m", "jurat", *arguments],
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def test_a_checkout_is_reviewed(
    environment: dict[str, str], checkout: Checkout, tmp_path: Path
) -> None:
    written(tmp_path / "rules.yml", RULES)
    checkout.write({"größe.py": "import hashlib\n"})
    checkout.commit()
    checkout.write({"größe.py": 'import hashlib\nprint(hashlib.md5(b"ä"))\n'})
    arguments = ["review", "--pack", "none", "--rules", str(tmp_path / "rules.yml")]
    done = jurat(arguments, environment, checkout.folder)
    assert (done.returncode, done.stderr) == (ExitCode.FINDINGS, b"")
    assert b"acme.no-md5" in done.stdout


@full
def test_a_full_output_is_one_error(environment: dict[str, str], tmp_path: Path) -> None:
    written(tmp_path / "a.diff", DIFF)
    with Path("/dev/full").open("w") as disk:
        done = jurat(["review", "--diff", "a.diff"], environment, tmp_path, disk.fileno())
    assert done.returncode == ExitCode.INCOMPLETE
    assert done.stderr == (
        b"jurat: standard output could not be written: No space left on device.\n"
    )


@full
@pytest.mark.parametrize(
    ("unbuffered", "arguments"),
    # Without a buffer one write fails earlier, which is the same for all that are written alike.
    [*(("", command) for command in COMMANDS), *(("1", command) for command in COMMANDS[::4])],
)
def test_a_full_output_is_one_error_of_each_command(
    arguments: str, unbuffered: str, tmp_path: Path
) -> None:
    written(tmp_path / "none.diff", "")
    written(tmp_path / "a.diff", DIFF)
    written(tmp_path / "rules.yml", RULES)
    written(tmp_path / "reason.txt", "It is so.")
    written(
        tmp_path / "candidates.json",
        '[{"id": "a", "score": 1, "text": "x", "references": [], '
        '"authority": {"source_class": "binding_law", "domain": "data_protection"}}]',
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT / "bot"),
        "PYTHONUNBUFFERED": unbuffered,
    }
    with Path("/dev/full").open("w") as disk:
        done = jurat(arguments.split(), environment, tmp_path, disk.fileno())
    assert done.returncode == ExitCode.INCOMPLETE
    said = done.stderr.decode().splitlines()
    assert said.count("jurat: standard output could not be written: No space left on device.") == 1
    # What else there is to say is another matter: of these, that no probe has a response.
    assert len(said) == (2 if "probe" in arguments else 1)


@full
@pytest.mark.parametrize(
    ("arguments", "code"), [("nonsense", ExitCode.USAGE), ("--version", ExitCode.PASSED)]
)
def test_full_errors_change_no_exit_code(arguments: str, code: ExitCode, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "bot")}
    with Path("/dev/full").open("w") as disk:
        done = subprocess.run(
            [python(), "-m", "jurat", arguments],
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=disk,
            check=False,
        )
    assert done.returncode == code
