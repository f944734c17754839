"""What many evaluations at once take of the API: latency, and memory.

    python -m tests.benchmarks.bench_evaluations [--at-once 200]

All are sent in the same moment to one `serve --no-worker` on SQLite, each on a connection of its
own, and judged by the pack `engineering` without a model. Every second one is the same as another.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from tests.benchmarks.bench_acknowledgement import processor_seconds, serving
from tests.benchmarks.bench_hostile_load import read_memory
from tests.standins.github import new_private_key
from tests.support.rules import BROKEN

TOKEN = "a token for the benchmark alone"
PORT = 8797


async def ask_all(at_once: int) -> list[float]:
    """The seconds that each of so many evaluations took. Raises if one was not served."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = f"http://127.0.0.1:{PORT}/api/v1/evaluate"

    async def ask(session: ClientSession, number: int) -> float:
        content = BROKEN if number % 2 else f"{BROKEN}# {number}\n"
        begun = time.perf_counter()
        async with session.post(
            url, json={"files": [{"path": "digest.py", "content": content}]}
        ) as answer:
            if answer.status != 200:
                raise RuntimeError(f"{answer.status}: {await answer.text()}")
            await answer.read()
        return time.perf_counter() - begun

    async with ClientSession(
        connector=TCPConnector(limit=0), headers=headers, timeout=ClientTimeout(600)
    ) as session:
        return await asyncio.gather(*(ask(session, number) for number in range(at_once)))


def main() -> None:
    """Print the figures of a first and of a second round."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_evaluations")
    parser.add_argument("--at-once", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jurat-bench-") as folder:
        environment = {
            **os.environ,
            "APP_ID": "77",
            "PRIVATE_KEY": new_private_key(),
            "WEBHOOK_SECRET": "a secret for the benchmark alone",
            "JURAT_API_TOKEN": TOKEN,
            "DATABASE_URL": f"sqlite:///{Path(folder, 'jurat.sqlite3')}",
            "PORT": str(PORT),
            "LOG_LEVEL": "fatal",
        }
        command = [str(Path(sys.executable).with_name("jurat")), "serve", "--no-worker"]
        with serving(command, environment, PORT) as process:
            print(f"memory before: {read_memory(process):.0f} MB")
            for round_ in ("first", "second"):
                begun, spent = time.perf_counter(), processor_seconds(process) or 0.0
                took = sorted(asyncio.run(ask_all(asked.at_once)))
                whole = time.perf_counter() - begun
                spent = (processor_seconds(process) or 0.0) - spent
                print(
                    f"{round_} {len(took)}: all in {whole:.1f} s, median"
                    f" {statistics.median(took):.2f} s, p95 {took[int(0.95 * len(took))]:.2f} s,"
                    f" slowest {took[-1]:.2f} s; {spent:.1f} s of processor;"
                    f" memory {read_memory(process):.0f} MB"
                )


if __name__ == "__main__":
    main()
