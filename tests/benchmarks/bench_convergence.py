"""Replays the pushes of real pull requests to a judge that is not sure of itself.

python -m tests.benchmarks.bench_convergence MIRRORS [NUMBER]

MIRRORS holds bare repositories, as `NAME/repo`. The commits of a merged branch are the pushes of
its pull request, two to six of them, of at most eight files of code.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from tests.support.pushes import Convergence, Push, UnsureJudge, make_rules, replay

_ENDINGS = (".py", ".js", ".ts", ".go")
_MOST_BYTES = 60_000


def git(mirror: Path, *arguments: str) -> str:
    """What Git says of a mirror."""
    done = subprocess.run(["git", "-C", str(mirror), *arguments], capture_output=True, check=False)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def list_histories(mirror: Path, dice: Random) -> Iterator[Sequence[Push]]:
    """The histories of a repository's merged branches, in no order."""
    merges = git(mirror, "log", "--all", "--merges", "--format=%H %P").splitlines()
    dice.shuffle(merges)
    for merge in merges:
        _, first, second, *_ = *merge.split(), ""
        if not second:
            continue
        base = git(mirror, "merge-base", first, second).strip()
        heads = git(mirror, "rev-list", "--reverse", "--first-parent", f"{base}..{second}").split()
        if not base or not 2 <= len(heads) <= 6:
            continue
        pushes = [read_push(mirror, base, head) for head in heads]
        if all(pushes) and pushes[0] != pushes[-1]:
            yield pushes


def read_push(mirror: Path, base: str, head: str) -> Push:
    """The files of code that a push changes against the base; none if they are too many."""
    names = git(mirror, "diff", "--name-only", "-z", "--no-renames", base, head).split("\0")
    paths = [name for name in names if name.endswith(_ENDINGS)]
    if not 0 < len(paths) <= 8:
        return {}
    texts = {
        path: (git(mirror, "show", f"{base}:{path}"), git(mirror, "show", f"{head}:{path}"))
        for path in paths
    }
    return {} if any(len("".join(pair)) > _MOST_BYTES for pair in texts.values()) else texts


def main() -> None:
    mirrors, wanted = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 500
    dice, said, started = Random(17), Convergence(), time.process_time()
    sources = [list_histories(path / "repo", dice) for path in sorted(mirrors.iterdir())]
    dice.shuffle(sources)
    while said.histories < wanted and sources:
        for source in list(sources):
            pushes = next(source, None)
            if pushes is None:
                sources.remove(source)
            elif said.histories < wanted:
                replay(pushes, UnsureJudge(dice), make_rules(), dice, said)
        print(said, f"{time.process_time() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
