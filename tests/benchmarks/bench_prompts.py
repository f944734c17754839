"""Counts the model calls and tokens of whole reviews: the demo's change, one file, 68 files.

python -m tests.benchmarks.bench_prompts

The stand-in counts tokens as Jurat estimates them, at 3 bytes each, which is more than Gemini
counts of source code. Every changed line is part of a prompt, or the review says what was not read.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.synthetic import repository
from tests.standins.gemini.standin import StandInGemini

DEMO = Path(__file__).parents[2] / "fixtures/demo"
OWN_RULES = DEMO / "base/policy/privacy.yml"

ONE_FILE, MANY_FILES = 12_000, 168_000
"""Tokens that another well-known review bot spends on one file, and on 68; a fifth is the aim."""

CHANGES = (
    ("1 file, 40 lines", 1, 40, ONE_FILE // 5),
    ("68 files, 40 lines each", 68, 40, MANY_FILES // 5),
    ("68 files, 60 lines each", 68, 60, MANY_FILES // 5),
)


def demo_checkout(folder: Path) -> str:
    """The demo's pull request as a checkout; its base."""
    shutil.copytree(DEMO / "base", folder)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=b@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    shutil.copytree(DEMO / "head", folder, dirs_exist_ok=True)
    subprocess.run([*git, "add", "-A"], cwd=folder, check=True)
    return "HEAD"


async def reviewed(gemini: StandInGemini, folder: Path, base: str, *more: str) -> Any:
    """What the command prints of a review of everything since `base`."""
    given = {"GEMINI_API_KEY": gemini.api_key, "GOOGLE_GEMINI_BASE_URL": gemini.base_url}
    arguments = ("review", "--repo", str(folder), "--base", base, "--format", "json", *more)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "jurat.cli.main",
        *arguments,
        env={**os.environ, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    out, _ = await process.communicate()
    return json.loads(out)


def row(name: str, said: Any, aim: int | None) -> str:
    uses = said["model_usage"]
    calls = sum(use["calls"] for use in uses)
    sent = sum(use["input_tokens"] for use in uses)
    coverage = said["coverage"]
    judged = sum(item["decided_by"] in ("batch", "single") for item in said["rule_verdicts"])
    beside = "" if aim is None else f"{'  aim' if sent <= aim else '  missed'} {aim:,}"
    return (
        f"  {name:<26}{judged:>6}{calls:>7}{sent:>10,}"
        f"   {coverage['files_read']} of {coverage['files']} files read{beside}"
    )


async def main() -> None:
    print("Prompts:")
    print(f"  {'change':<26}{'rules':>6}{'calls':>7}{'tokens':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        async with StandInGemini() as gemini:
            folder = Path(temporary) / "demo"
            said = await reviewed(gemini, folder, demo_checkout(folder))
            print(row("the demo's change", said, None))
            for name, files, lines, aim in CHANGES:
                folder = Path(temporary) / f"{files}x{lines}"
                base = repository(folder, files, lines, old_lines=60)
                said = await reviewed(gemini, folder, base, "--rules", str(OWN_RULES))
                print(row(name, said, aim))


if __name__ == "__main__":
    asyncio.run(main())
