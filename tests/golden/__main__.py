"""Make the golden files anew: `python -m tests.golden [FOLDER ...]`, or `make golden`.

A folder names itself and all below it: `python -m tests.golden pulls` makes every `pulls/...`.
"""

from __future__ import annotations

import sys
import time

from tests.golden.golden import MAKERS, rewrite
from tests.golden.makers import load


def main() -> int:
    """Make what was asked for, and say what changed; 2 if nothing is called that."""
    load()
    asked = sys.argv[1:]
    chosen = [
        folder
        for folder in MAKERS
        if not asked or any(f"{folder}/".startswith(f"{name.strip('/')}/") for name in asked)
    ]
    for folder in chosen:
        started = time.perf_counter()
        changed = rewrite(folder)
        print(f"{folder}: {len(changed)} changed, {time.perf_counter() - started:.1f} s")
        print("".join(f"  {path}\n" for path in changed), end="")
    return 0 if chosen else 2


sys.exit(main())
