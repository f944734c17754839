"""`jurat rate` over the repositories of fixtures/repos."""

from __future__ import annotations

import re
import shutil

from tests.golden.command import alone, transcript
from tests.golden.golden import Files, golden
from tests.golden.material import FIXTURES

ALL_APPLY, IN_PART = "2028-12-01", "2026-11-23"
"""Days on which every clause applies, and on which some are announced."""

REPOSITORIES = sorted(path.name for path in (FIXTURES / "repos").iterdir() if path.is_dir())


_MADE = re.compile(r"\d+ \w+ 20\d\d(?=, \d\d:\d\d UTC|, <time>)|(?<=\"made\":\")[\d-]+")


def _rate(*arguments: str) -> str:
    """The transcript of a rating, without the day on which it was made."""
    return re.sub(
        r", \d\d:\d\d UTC", ", <time>", _MADE.sub("<day>", transcript("rate", *arguments))
    )


def _maker(name: str) -> None:
    @golden(f"ratings/{name}")
    def rated() -> Files:
        forms = ("text", "json", "md", "html", "oscal") if name == "stock_agent" else ("text", "md")
        with alone():
            shutil.copytree(FIXTURES / "repos" / name, name)
            return {
                f"{form}.txt": _rate(name, "--on", ALL_APPLY, "--format", form) for form in forms
            } | {"one.txt": _rate(name, "--on", IN_PART, "--regulation", "eu-ai-act")}


for _name in REPOSITORIES:
    _maker(_name)


@golden("ratings/refused")
def refused() -> Files:
    with alone():
        return {
            "missing.txt": transcript("rate", "nowhere"),
            "unknown.txt": transcript("rate", ".", "--regulation", "eu-ai-atc"),
        }
