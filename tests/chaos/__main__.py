"""The chaos run: `python -m tests.chaos [--seed N] [--events N] [--pulls N]`.

On SQLite with one process, then on PostgreSQL with one that takes events and three that run jobs.
Then, on each, GitHub is away for two hours. Prints what happened, and ends with 1 if something that
must hold did not, or if nothing happened.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.chaos.run import FAULT_RATE, play, sit_out
from tests.chaos.tale import Plan, Tale
from tests.support.postgres import created_database, running_server

ENGINES = {
    "sqlite": (["serve"], ["serve"]),
    "postgresql": (["receive", "work", "work", "work"], ["work"]),
}


def main() -> int:
    """Run both engines, or the one that was named; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--pulls", type=int, default=40)
    parser.add_argument("--engine", choices=list(ENGINES), action="append")
    asked = parser.parse_args()
    failed = False
    for engine in asked.engine or ENGINES:
        roles, mortal = ENGINES[engine]
        with _database(engine) as url:
            plan = Plan(asked.seed, asked.events, asked.pulls, url, roles, mortal)
            tale = asyncio.run(play(plan))
        _show(f"Chaos on {engine}", asked.seed, tale)
        failed |= bool(tale.violations)
        with _database(engine) as url:
            plan = Plan(asked.seed, 0, min(asked.pulls, 12), url, roles, ())
            tale = asyncio.run(sit_out(plan))
        _show(f"GitHub away for two hours, on {engine}", asked.seed, tale)
        failed |= bool(tale.violations)
    return int(failed)


@contextmanager
def _database(engine: str) -> Iterator[str]:
    if engine == "sqlite":
        with tempfile.TemporaryDirectory(prefix="jurat-chaos-") as folder:
            yield f"sqlite:///{Path(folder, 'jurat.sqlite3')}"
        return
    with running_server() as server, created_database(server) as url:
        yield url


def _show(what: str, seed: int, tale: Tale) -> None:
    table = Table(title=f"{what}, seed {seed}: {tale.seconds:.0f} s", title_style="bold")
    table.add_column("What happened")
    table.add_column("Times", justify="right")
    for name, count in tale.counts.items():
        table.add_row(name, f"{count:,}")
    table.add_section()
    faults, requests = tale.faults.total(), tale.counts["requests to GitHub"]
    share = faults / requests if requests else 0.0
    table.add_row(f"faults ({share:.0%} of requests, {FAULT_RATE:.0%} wanted)", f"{faults:,}")
    for name, count in sorted(tale.faults.items()):
        table.add_row(f"  {name}", f"{count:,}")
    table.add_section()
    table.add_row("violations", str(len(tale.violations)))
    console = Console()
    console.print(table)
    for violation in tale.violations:
        console.print(violation, style="red", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
