"""Counts the model calls and tokens of whole reviews: the demo's change, one file, 68 files.

python -m tests.benchmarks.bench_prompts

The stand-in counts tokens as Jurat estimates them, at 3 bytes each, which is more than Gemini
counts of source code. Every changed line is part of a prompt, or the review says what was not read.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.benchmarks.synthetic import changed, repository
from tests.standins.gemini.standin import StandInGemini

DEMO = Path(__file__).parents[2] / "fixtures/demo"
OWN_RULES = DEMO / "base/policy/privacy.yml"

CHANGES = (("1 file of 40 lines", 1, 40), ("68 files of 40 lines", 68, 40))


def demo_checkout(folder: Path) -> str:
    """The demo's pull request as a checkout; its base."""
    shutil.copytree(DEMO / "base", folder)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=b@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    shutil.copytree(DEMO / "head", folder, dirs_exist_ok=True)
    subprocess.run([*git, "add", "-A"], cwd=folder, check=True)
    return "HEAD"


def lock_file(packages: int, seed: int) -> str:
    """A package-lock.json, of about 335 bytes a package."""
    dice = random.Random(seed)
    entries: dict[str, Any] = {"": {"name": "shop", "version": "1.0.0"}}
    for index in range(packages):
        name = f"pkg-{index}"
        version = f"{dice.randrange(9)}.{dice.randrange(20)}.{dice.randrange(30)}"
        entries[f"node_modules/{name}"] = {
            "version": version,
            "resolved": f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz",
            "integrity": f"sha512-{''.join(dice.choices(string.ascii_letters, k=86))}==",
            "license": "MIT",
            "engines": {"node": ">=14"},
        }
    document = {"name": "shop", "lockfileVersion": 3, "packages": entries}
    return json.dumps(document, indent=2) + "\n"


def locked(folder: Path, packages: int, *, beside: bool) -> str:
    """A checkout in which every package of a lock file is upgraded, `beside` a line of code."""
    repository(folder, 2, 40, old_lines=60)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=b@example.com"]
    lock, code = folder / "package-lock.json", folder / "app.py"
    for seed in (1, 2):
        lock.write_text(lock_file(packages, seed))
        code.write_text("x = 1\n" if seed == 1 or not beside else "x = 1\ny = 2\n")
        for command in (["add", "-A"], ["commit", "-qm", "lock"]):
            subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    return "HEAD~1"


def isolated(checkout: Path, base: str, target: Path) -> Path:
    """A copy of a checkout in which one file alone differs from `base`, as it is now."""
    alone = checkout.with_name(f"{checkout.name}-alone")
    shutil.copytree(checkout, alone)
    command = ["git", "checkout", "--quiet", "--force", base]
    subprocess.run(command, cwd=alone, check=True, capture_output=True)
    shutil.copy(target, alone / target.relative_to(checkout))
    return alone


async def reviewed(gemini: StandInGemini, folder: Path, base: str, *more: str) -> Any:
    """What the command prints of a review of everything since `base`, answers kept beside it."""
    given = {
        "GEMINI_API_KEY": gemini.api_key,
        "GOOGLE_GEMINI_BASE_URL": gemini.base_url,
        "XDG_CACHE_HOME": f"{folder}.cache",
    }
    arguments = ("review", "--repo", str(folder), "--base", base, "--format", "json", *more)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "jurat",
        *arguments,
        env={**os.environ, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    out, _ = await process.communicate()
    return json.loads(out)


def count(said: Any) -> tuple[int, int]:
    """The calls and the tokens that a review has sent."""
    uses = said["model_usage"]
    return sum(use["calls"] for use in uses), sum(use["input_tokens"] for use in uses)


async def measure(gemini: StandInGemini, folder: Path) -> AsyncIterator[tuple[str, Any]]:
    """The reviews of the table in docs/models.md, one after the other."""
    own = ("--rules", str(OWN_RULES))
    for name, files, lines in CHANGES:
        checkout = folder / f"{files}x{lines}"
        base = repository(checkout, files, lines, old_lines=60)
        yield name, await reviewed(gemini, checkout, base, *own)
    # Pushed to the last of them, which is on record from here on.
    target = checkout / changed(checkout, base)[0]
    target.write_text(f"{target.read_text()}\n")
    yield "one line pushed to that", await reviewed(gemini, checkout, base, *own)
    alone = isolated(checkout, base, target)
    yield "the file of that push alone", await reviewed(gemini, alone, "HEAD", *own)
    for beside, name in ((False, "a lock file of 700 kB"), (True, "that beside a line of code")):
        checkout = folder / name
        base = locked(checkout, 2_100, beside=beside)
        yield name, await reviewed(gemini, checkout, base, *own)


async def main() -> None:
    print("Prompts:")
    print(f"  {'change':<28}{'calls':>7}{'tokens':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        async with StandInGemini() as gemini:
            folder = Path(temporary)
            said = await reviewed(gemini, folder / "demo", demo_checkout(folder / "demo"))
            print("  {:<28}{:>7}{:>10,}".format("the demo's change", *count(said)))
            async for name, said in measure(gemini, folder):
                coverage = said["coverage"]
                read = f"{coverage['files_read']} of {coverage['files']} files read"
                print("  {:<28}{:>7}{:>10,}   {}".format(name, *count(said), read))


if __name__ == "__main__":
    asyncio.run(main())
