"""Times workers on PostgreSQL: reviews a second with 1, 2 and 4 of them, and the cost of idling.

    python -m tests.benchmarks.bench_workers [--reviews N] [--latency SECONDS] [--idle SECONDS]

Every worker is a process of its own, and runs four jobs at once. GitHub is the stand-in, in this
process and on this machine, and takes as long for each answer as --latency says: a review waits
most of its time. The pause between two writes is left out; with it, one installation gets a write a
second, whatever the number of workers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

from jurat.store.maintenance import upgrade_schema
from tests.chaos.run import APP_ID, BASE, BROKEN, SECRET, Process
from tests.standins.github import PullRequest, Repository, StandIn, actions, new_private_key
from tests.support.postgres import created_database, running_server

WORKERS = (1, 2, 4)
WARM_UP = 8
QUIET = 3.0
"""Seconds after its first sweep in which a worker, and PostgreSQL's statistics, come to rest."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=60)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds GitHub takes to answer")
    parser.add_argument("--idle", type=float, default=10.0, help="seconds to watch an idle one")
    given = parser.parse_args()
    with running_server() as server:
        for count in WORKERS:
            with created_database(server) as url:
                rate = asyncio.run(_throughput(url, count, given.reviews, given.latency))
            print(f"{count} workers: {rate:6.1f} reviews a second")
        with created_database(server) as url:
            asyncio.run(upgrade_schema(url))
            asyncio.run(_idle(url, given.idle))


async def _throughput(url: str, workers: int, reviews: int, latency: float) -> float:
    """Reviews a second, from the first event to the last conclusion."""
    async with _github(url) as (github, environment):
        github.latency = latency
        repository = github.create_repository("acme/shop", BASE)
        processes = [Process(role, environment) for role in ("receive", *["work"] * workers)]
        try:
            for process in processes:
                await process.start()
            github.webhook_url = processes[0].said + "/api/github/webhooks"
            await _reviewed(github, [_opened(repository, f"warm-{n}") for n in range(WARM_UP)])
            pulls = [_opened(repository, f"change-{n}") for n in range(reviews)]
            started = time.perf_counter()
            await _reviewed(github, pulls)
            return reviews / (time.perf_counter() - started)
        finally:
            for process in processes:
                if process.running is not None:
                    await process.end(signal.SIGTERM)


def _opened(repository: Repository, branch: str) -> PullRequest:
    actions.push(repository, branch, {"digest.py": f"# {branch}\n{BROKEN}"})
    return actions.open_pull_request(repository, head=branch)


async def _reviewed(github: StandIn, pulls: Sequence[PullRequest]) -> None:
    """Deliver what happened, and wait until the head of each has its check."""
    await github.flush()
    heads = {pull.head_sha for pull in pulls}
    runs = pulls[0].repository.check_runs
    while heads - {run.head_sha for run in runs.values() if run.conclusion}:
        github.outbox.clear()
        await asyncio.sleep(0.01)


async def _idle(url: str, seconds: float) -> None:
    """What `jurat worker` with nothing to do takes of the processor, memory and database."""
    async with _github(url) as (_, environment):
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "jurat", "worker"), env={**os.environ, **environment}
        )
        try:
            await asyncio.to_thread(_until_swept, url)
            await asyncio.sleep(QUIET)
            with _transactions(url) as transactions:
                before, cpu = transactions(), _cpu(worker.pid)
                await asyncio.sleep(seconds)
                spent, done = _cpu(worker.pid) - cpu, transactions() - before
            megabytes = _megabytes(worker.pid)
        finally:
            worker.send_signal(signal.SIGTERM)
            await worker.wait()
    print(
        f"idle worker: {100 * spent / seconds:.2f}% of a core, {megabytes:.0f} MB, "
        f"{done / seconds:.1f} transactions a second"
    )


def _cpu(pid: int) -> float:
    """Seconds of processor time; fields 14 and 15 of proc_pid_stat(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _until_swept(url: str) -> None:
    """Wait until a worker has started, and done what every start asks for."""
    done = text("SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        while not connection.scalar(done):
            time.sleep(0.5)
    engine.dispose()


@contextmanager
def _transactions(url: str) -> Iterator[Callable[[], int]]:
    """Counts those that the database has ended, by anyone."""
    count = "SELECT xact_commit + xact_rollback FROM pg_stat_database"
    query = text(f"{count} WHERE datname = current_database()")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.scalar(query)
        time.sleep(1)  # what it took to connect is counted a moment later
        yield lambda: int(connection.scalar(query) or 0)
    engine.dispose()


@asynccontextmanager
async def _github(url: str) -> AsyncIterator[tuple[StandIn, dict[str, str]]]:
    """The stand-in, and the settings of a process that talks to it."""
    key = new_private_key()
    async with StandIn(
        app_id=APP_ID, private_key=key, webhook_secret=SECRET, rate_limit=10**6
    ) as github:
        environment = {
            "APP_ID": str(APP_ID),
            "PRIVATE_KEY": key,
            "WEBHOOK_SECRET": SECRET,
            "GITHUB_API_URL": github.api_url,
            "DATABASE_URL": url,
            "LOG_LEVEL": "fatal",
            "PORT": "0",
        }
        yield github, environment


if __name__ == "__main__":
    main()
