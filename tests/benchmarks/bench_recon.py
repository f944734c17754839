"""Rates this repository and well-known Python packages, as their source distributions are today.

    python -m tests.benchmarks.bench_recon [--keep FOLDER] [--evidence CLAUSE]... [PACKAGE]...

The packages are fetched with pip into a temporary folder, or into the one to keep; what is there
already is not fetched again. --evidence lists what a clause's rules found, such as "12(1)".
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import RegulationPack
from jurat.rating.rate import rate_scan
from jurat.rating.rating import ClauseRating, Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.scale import ClauseVerdict
from jurat.rating.signals.worktree import open_folder
from tests.support.rating import ALL_APPLY

ROOT = Path(__file__).parents[2]

FRAMEWORKS = ("langchain-core", "crewai", "autogen-core", "openai-agents", "pydantic-ai-slim")
NOT_AI = ("flask", "requests", "httpx", "django")

_SHORT = {"eu-ai-act": "AI Act", "gdpr": "GDPR", "nist-ai-rmf": "AI RMF"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--keep", type=Path, help="where the packages are, and stay")
    parser.add_argument("--evidence", action="append", default=[], metavar="CLAUSE")
    given = parser.parse_args()
    packages = given.packages or [*FRAMEWORKS, *NOT_AI]
    with tempfile.TemporaryDirectory() as temporary:
        at = given.keep or Path(temporary)
        header()
        for name, root in ((".", ROOT), *((p, fetched(p, at)) for p in packages)):
            print_row(name, root, given.evidence)


def header() -> None:
    columns = ["files", "lines", "s", *(_SHORT[pack.regulation.id] for pack in packs())]
    print(f"| package | {' | '.join(columns)} | risk | prohibitions not passed | unread |")
    print(f"|{'---|' * (len(columns) + 4)}")


def print_row(name: str, root: Path, clauses: Iterable[str]) -> None:
    began = time.perf_counter()
    worktree = open_folder(root)
    signals, inventory = scan_worktree(worktree)
    seen = RepositoryScan(worktree, signals, inventory)
    rating = rate_scan(seen, packs(), list_named_rules(), classifying=packs(), on=ALL_APPLY)
    took = time.perf_counter() - began
    scores = [
        "not rated" if item.score is None else f"{item.score:.2f}" for item in rating.regulations
    ]
    lines = sum(file.lines for file in inventory.files)
    cells = [
        name if root == ROOT else root.name,
        f"{len(inventory.files):,}",
        f"{lines:,}",
        f"{took:.1f}",
        *scores,
        rating.risk.value,
        ", ".join(not_passed(rating)) or "none",
        str(len(inventory.unread)),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    for rated in rating.clauses:
        if rated.clause.id in clauses:
            print_evidence(rated)


def print_evidence(rated: ClauseRating) -> None:
    print(f"    {rated.clause.id} {rated.verdict.value} {rated.raw}")
    for rule in rated.rules:
        print(f"        {rule.rule} {rule.score}")
        for evidence in rule.evidence[:10]:
            print(f"            {evidence.path}:{evidence.line} {evidence.snippet[:80]}")


def not_passed(rating: Rating) -> Iterator[str]:
    """The prohibitions that were found, or found out too little of to pass."""
    for rated in rating.clauses:
        if rated.clause.negative and rated.verdict in (ClauseVerdict.FAIL, ClauseVerdict.PARTIAL):
            yield f"{rated.clause.id} {rated.verdict.value}"


def packs() -> tuple[RegulationPack, ...]:
    return load_regulations(ALL_APPLY)


def fetched(package: str, at: Path) -> Path:
    """The unpacked source distribution of a package, or its wheel if it has none to build."""
    there = unpacked(package, at)
    if there is None:
        download(package, at)
        there = unpacked(package, at)
    if there is None:
        sys.exit(f"{package} could not be fetched")
    return there


def download(package: str, at: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(at)]
    for form in (["--no-binary", package], []):
        done = subprocess.run([*pip, *form, package], capture_output=True, check=False)
        if done.returncode == 0:
            break
    for archive in at.iterdir():
        if archive.name.endswith(".tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(at, filter="data")
            archive.unlink()
        elif archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as packed_wheel:
                packed_wheel.extractall(at / archive.name.rsplit("-", 3)[0])
            archive.unlink()


def unpacked(package: str, at: Path) -> Path | None:
    name = re.sub(r"[-_.]+", "[-_.]", re.escape(package).replace("\\-", "-"))
    wanted = re.compile(rf"{name}-\d[^/]*", re.IGNORECASE)
    return next((p for p in sorted(at.iterdir()) if p.is_dir() and wanted.fullmatch(p.name)), None)


if __name__ == "__main__":
    main()
