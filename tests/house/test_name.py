"""Before its release Jurat had another name; one line of the changelog alone still says it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORMER = b"by" + b"law"


def tracked() -> list[Path]:
    """Every file of the repository that git knows or would add."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout
    return [Path(os.fsdecode(name)) for name in names.split(b"\0") if name]


def lines_with_it(text: bytes) -> int:
    return sum(FORMER in line for line in text.lower().splitlines())


def test_the_former_name_is_in_no_file_but_the_changelog() -> None:
    paths = [path for path in tracked() if (ROOT / path).is_file()]
    assert len(paths) > 500
    found = [
        path.as_posix()
        for path in paths
        if FORMER in os.fsencode(path).lower() or lines_with_it((ROOT / path).read_bytes())
    ]
    assert found == ["CHANGELOG.md"]


def test_the_changelog_says_it_once() -> None:
    assert lines_with_it((ROOT / "CHANGELOG.md").read_bytes()) == 1
