"""Shows 500 random changes to each hostile judge, and to an honest one; prints a row for each.

python -m tests.benchmarks.bench_hostile_judges [CHANGES]
"""

from __future__ import annotations

import sys

from jurat.findings.verdict import Verdict
from tests.support.hostile_judges import CAREFUL_LIAR, FILES, HONEST, HOSTILE, run_reviews


def main() -> None:
    changes = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print("| judge | changes | unearned ALLOW | unearned DENY | not assessed | right |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, build in {**HONEST, **HOSTILE, "lies in fitting words": CAREFUL_LIAR}.items():
        found = run_reviews(build, -(-changes // FILES))
        unearned = [item.verdict for case, item in found if case.is_unearned(item)]
        silent = sum(item.verdict is Verdict.NOT_ASSESSED for _, item in found)
        right = sum(case.is_right(item) for case, item in found)
        numbers = (len(found), unearned.count(Verdict.ALLOW), unearned.count(Verdict.DENY))
        print("|", " | ".join(map(str, (name, *numbers, silent, right))), "|", flush=True)


if __name__ == "__main__":
    main()
