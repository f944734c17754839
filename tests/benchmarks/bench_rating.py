"""Rates two versions of a synthetic repository as a pull request does.

python -m tests.benchmarks.bench_rating [--quick]
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from hashlib import sha1

from jurat.rating.changes import compare_ratings
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.file_signs import Memory
from jurat.rating.signals.worktree import FileEntry, Worktree, build_worktree
from tests.support.rating import ALL_APPLY

FILES = 2_000
CHANGED = 20
AIM = 10.0
"""Seconds of computing for both versions: "a few"."""

FUNCTION = '''
@tool
def step_{n}(customer: str, amount: float) -> dict:
    """Do step {n} for a customer."""
    if amount > {n}:
        log.info("step", step={n}, customer=customer, amount=amount)
        total = amount * 1.0{n}
    else:
        total = client.responses.create(model="m", input=f"{{customer}} {n}").output_text
    return {{"customer": customer, "total": total, "rows": [row for row in range({n})]}}

'''


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of every size")
    scale = 10 if parser.parse_args().quick else 1
    count, changed = FILES // scale, CHANGED // scale
    base = {f"app/part_{n % 40}/module_{n}.py": source(n) for n in range(count)}
    head = base | {path: source(count + n) for n, path in enumerate(list(base)[:changed])}
    size = sum(len(text) for text in base.values()) / 1_000_000
    print(
        f"Two versions of {count:,} Python files ({size:.1f} MB each), {changed} of them changed:"
    )
    reads: Counter[str] = Counter()
    before = peak()
    started, begun = time.perf_counter(), time.process_time()
    memory: Memory = {}
    ratings = [rated(worktree(files, reads), memory) for files in (base, head)]
    moved = compare_ratings(*ratings)
    seconds = time.perf_counter() - started
    computing = time.process_time() - begun
    twice = sum(number > 1 for number in reads.values())
    print(
        f"  {seconds:.2f} s in one process, {computing:.2f} s of it computing;"
        f" {peak():.0f} MB at the peak, {before:.0f} before."
    )
    print(f"  {sum(reads.values()):,} contents read, {twice} of them twice.")
    print(f"  {len(moved)} regulations, {len(ratings[1].clauses)} clauses.")
    if computing > AIM / scale or twice:
        print(f"  Missed: {AIM / scale:.0f} s, and nothing read twice.")


def source(number: int) -> str:
    """A module of about 120 lines that is like no other."""
    functions = "".join(FUNCTION.format(n=number * 10 + n) for n in range(10))
    return f'"""Module {number}."""\nimport structlog\n\nlog = structlog.get_logger()\n{functions}'


def worktree(files: dict[str, str], reads: Counter[str]) -> Worktree:
    """Files by their git ids, as GitHub lists them; `reads` counts how often each was read."""
    contents = {blob(data): data for data in (text.encode() for text in files.values())}

    def read(entry: FileEntry) -> bytes:
        reads[entry.digest] += 1
        return contents[entry.digest]

    entries = [FileEntry(path, len(text), blob(text.encode())) for path, text in files.items()]
    return build_worktree(entries, read)


def blob(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def rated(tree: Worktree, memory: Memory) -> Rating:
    packs = load_regulations(ALL_APPLY)
    seen = RepositoryScan(tree, *scan_worktree(tree, memory=memory))
    return rate_scan(seen, packs, list_named_rules(), classifying=packs, on=ALL_APPLY)


def peak() -> float:
    """Peak memory of this process in MB (Linux counts in KB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000


if __name__ == "__main__":
    main()
