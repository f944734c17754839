"""The environment that ships: what deploy/requirements.lock names, and nothing else.

The suite runs on the development lock, which has packages that no installation has. Whatever is
started as a process of its own therefore runs here, so that none of them hides a missing one.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "deploy" / "requirements.lock"
BUILD = ROOT / "build"
PRODUCTION = BUILD / "production"
"""The lock's packages, and the wheel once tests/install has put it there."""

_CHECKOUT = BUILD / "checkout"
"""The same packages beside the checkout, so that what was edited is what runs."""

_STAMP = "made-from"


@cache
def python() -> str:
    """An interpreter that has the locked packages and this checkout, made if it is not there."""
    with production():
        _make(_CHECKOUT, _stamp(), _link_checkout)
    return str(program(_CHECKOUT, "python"))


@contextmanager
def production() -> Iterator[Path]:
    """The environment with the locked packages, made if it is not there, for one process alone."""
    BUILD.mkdir(exist_ok=True)
    # Several processes share the suite's work: the first one makes it, and the others wait.
    with (BUILD / "production.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        _make(PRODUCTION, _stamp(), _install_lock)
        yield PRODUCTION


def program(environment: Path, name: str) -> Path:
    """A program of a virtual environment."""
    return environment / "bin" / name


def packages(environment: Path) -> Path:
    """Where a virtual environment keeps its packages."""
    base = str(environment)
    return Path(sysconfig.get_path("purelib", "venv", {"base": base, "platbase": base}))


def install(environment: Path, *arguments: str | Path) -> None:
    """Install into an environment that has no installer of its own, as it would ship.

    By uv, which takes seconds where pip takes a minute; pip knows the indexes that only its own
    settings name.
    """
    into = program(environment, "python")
    uv = [sys.executable, "-m", "uv", "pip", "install", "--system-certs", "--python", into]
    pip = [sys.executable, "-m", "pip", "--python", into, "install", "--disable-pip-version-check"]
    rest = ["--quiet", "--no-deps", *arguments]
    if subprocess.run([*uv, *rest], check=False).returncode:
        subprocess.run([*pip, *rest], check=True)


def _stamp() -> str:
    """What both environments are made from: they are good for as long as this stays the same."""
    made_from = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    return f"{made_from} {ROOT} {sys.version}"


def _make(environment: Path, stamp: str, fill: Callable[[Path], None]) -> None:
    stamped = environment / _STAMP
    if stamped.exists() and stamped.read_text() == stamp:
        return
    shutil.rmtree(environment, ignore_errors=True)
    # No pip and no setuptools, which a package could import undeclared.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    fill(environment)
    stamped.write_text(stamp)  # last: what was left half made is made again


def _install_lock(environment: Path) -> None:
    install(environment, "--require-hashes", "--requirement", LOCK)


def _link_checkout(environment: Path) -> None:
    # The checkout comes first: in the other environment there may be a wheel.
    lines = f"{ROOT / 'bot'}\n{ROOT}\n{packages(PRODUCTION)}\n"
    (packages(environment) / "checkout.pth").write_text(lines)
