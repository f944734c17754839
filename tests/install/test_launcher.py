"""The installed command runs no code of the checkout that it stands in, whatever its path says."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.install.conftest import Command, Serve
from tests.support.command import DIFF, RULES, written
from tests.support.production import ROOT, packages, production, program
from tests.support.town import Town

DECOYS = ("jurat/__init__.py", "yaml/__init__.py", "pydantic/__init__.py", "aiohttp/__init__.py")
MODULES = ("typer.py", "re2.py", "json.py", "socket.py", "selectors.py", "multiprocessing.py")
"""Of the package, of what it depends on, and of the standard library that starts its workers."""

CONSOLE_SCRIPT = """
import sys
from jurat.cli.main import main
sys.exit(main())
"""
"""What pip makes of an entry point."""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where each decoy leaves its name when it is imported."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def decoyed(jurat: Command, marks: Path) -> Command:
    """The command in a checkout full of decoys, with a change to review and an agent to rate."""
    for name in (*DECOYS, *MODULES):
        plant(jurat.folder, name, marks)
    (jurat.folder / "below").mkdir()
    (jurat.folder / ".git").mkdir()
    (jurat.folder.parent / "link").symlink_to(jurat.folder)
    (jurat.folder / "out").symlink_to(jurat.folder.parent / "elsewhere")
    plant(jurat.folder.parent / "elsewhere", "pydantic.py", marks)
    written(jurat.folder / "change.diff", DIFF)
    written(jurat.folder / "house.yml", RULES)
    return jurat


def plant(folder: Path, name: str, marks: Path) -> None:
    """A module that leaves a mark when it is imported, and ends its process."""
    (folder / name).parent.mkdir(exist_ok=True)
    lines = f"""
        import os
        open({str(marks)!r} + "/" + {name.replace("/", ".")!r}, "w").close()
        os._exit(99)
        """
    (folder / name).write_text(textwrap.dedent(lines))


PATHS = {
    "a point": ".",
    "its name": "{folder}",
    "empty": "",
    "an empty entry": ":{nowhere}",
    "relative, with points": "../work",
    "absolute, with points": "{folder}/below/..",
    "a link to it": "{folder}/../link",
    "a link out of it": "{folder}/out",
    "after another": "{nowhere}:{folder}:.",
}


def environment(command: Command, entry: str) -> dict[str, str]:
    nowhere = command.folder.parent / "nowhere"
    return {"PYTHONPATH": entry.format(folder=command.folder, nowhere=nowhere)}


@pytest.mark.parametrize("entry", PATHS.values(), ids=PATHS)
async def test_a_review_runs_no_code_of_the_checkout(
    decoyed: Command, marks: Path, entry: str
) -> None:
    arguments = ("review", "--diff", "change.diff", "--rules", "house.yml")
    ran = await decoyed(*arguments, **environment(decoyed, entry))
    assert left(marks) == []
    assert (ran.err, ran.code) == ("", 1)
    assert "acme.no-md5" in ran.out


async def test_a_rating_runs_no_code_of_the_checkout(decoyed: Command, marks: Path) -> None:
    ran = await decoyed("rate", ".", PYTHONPATH=".")
    assert left(marks) == []
    assert ran.code == 0, ran.err


async def test_a_folder_below_is_of_the_checkout(decoyed: Command, marks: Path) -> None:
    below = replace(decoyed, folder=decoyed.folder / "below")
    ran = await below("--version", PYTHONPATH=str(decoyed.folder))
    assert left(marks) == []
    assert (ran.err, ran.code) == ("", 0)


@pytest.mark.parametrize("entry", [PATHS[name] for name in PATHS if name != "empty"])
def test_an_entry_point_would_run_it(
    decoyed: Command, installed: Path, marks: Path, entry: str
) -> None:
    script = written(decoyed.folder.parent / "script", CONSOLE_SCRIPT)
    subprocess.run(
        [program(installed, "python"), script, "review", "--diff", "change.diff"],
        cwd=decoyed.folder,
        env={**decoyed.environment, **environment(decoyed, entry)},
        check=False,
    )
    assert left(marks) != []


async def test_a_server_and_a_workers_parsers_run_no_code_of_the_checkout(
    decoyed: Command, town: Town, serve: Serve, configured: dict[str, str], marks: Path
) -> None:
    """Python starts the parsers by `python -c`, which looks in the working directory first."""
    configured["PYTHONPATH"] = "."
    pull = town.open({"digest.py": 'import hashlib\n\nprint(hashlib.md5(b"").hexdigest())\n'})
    async with serve("--no-worker") as server:
        worker = await decoyed.start("worker", **configured)
        logging = asyncio.create_task(worker.communicate())
        await town.github.flush()
        await server.comes(lambda: any(run.conclusion for run in town.checks(pull)))
        worker.terminate()
        await logging
    assert left(marks) == []
    assert (server.process.returncode, worker.returncode) == (0, 0)
    assert town.check(pull).conclusion == "failure"


@pytest.mark.parametrize("entry", ["", ".", "lib/python"])
def test_a_virtual_environment_in_the_checkout_goes_on_working(installed: Path, entry: str) -> None:
    """As here, where it stands in build/, and the checkout is this one."""
    shown = subprocess.run(
        [program(installed, "jurat"), "--version"],
        cwd=ROOT,
        env={"PYTHONPATH": entry.replace("lib/python", str(packages(installed)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (shown.stderr, shown.returncode) == ("", 0)


@pytest.fixture
def developed(tmp_path: Path) -> Path:
    """A checkout of Jurat's, with an editable install of it in a virtual environment there."""
    repository = tmp_path / "jurat"
    shutil.copytree(ROOT / "bot", repository / "bot")
    (repository / ".git").mkdir()
    environment = repository / ".venv"
    with production() as shipped:
        packages(environment).mkdir(parents=True)
        program(environment, "python").parent.mkdir()
        program(environment, "python").symlink_to(program(shipped, "python").resolve())
        shutil.copy(shipped / "pyvenv.cfg", environment)
        for path in packages(shipped).iterdir():
            if not path.name.startswith("jurat"):
                (packages(environment) / path.name).symlink_to(path)
    (packages(environment) / "editable.pth").write_text(str(repository / "bot"))
    return repository


def launched(repository: Path, folder: str, entry: str) -> subprocess.CompletedProcess[str]:
    """The launcher in a folder of the checkout that it is developed in."""
    return subprocess.run(
        [program(repository / ".venv", "python"), repository / "bot" / "launcher.py", "--version"],
        cwd=repository / folder,
        env={"PYTHONPATH": entry},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("folder", [".", ".venv", "/"])
def test_an_editable_install_runs_from_its_own_checkout(developed: Path, folder: str) -> None:
    shown = launched(developed, folder, ".")
    assert (shown.stderr, shown.returncode) == ("", 0)


def test_a_package_that_only_the_variable_names_is_not_run(developed: Path) -> None:
    shown = launched(developed, ".", "bot")
    assert shown.returncode == ExitCode.INCOMPLETE
    assert "Unset PYTHONPATH" in shown.stderr
    assert shown.stderr.count("\n") == 1


async def test_what_lies_outside_the_checkout_stays(jurat: Command, marks: Path) -> None:
    """A path of the user's own choice is the user's, sitecustomize for tracing included."""
    elsewhere = jurat.folder.parent / "outside"
    elsewhere.mkdir()
    plant(elsewhere, "pydantic.py", marks)
    written(jurat.folder / "change.diff", DIFF)
    ran = await jurat("review", "--diff", "change.diff", PYTHONPATH=f"{elsewhere}:.")
    assert (left(marks), ran.code) == (["pydantic.py"], 99)


async def test_a_working_directory_that_was_removed_is_no_obstacle(jurat: Command) -> None:
    gone = f'rmdir "$PWD" && exec {jurat.path} --version'
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", gone),
        cwd=jurat.folder,
        env={**jurat.environment, "PYTHONPATH": str(jurat.folder)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    assert (err.decode(), process.returncode) == ("", 0)


def left(marks: Path) -> list[str]:
    """The names of the decoys that were imported."""
    return sorted(path.name for path in marks.iterdir())
