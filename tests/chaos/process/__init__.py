"""One process of the App, at a pace for tests: pauses are short, and leases run out soon.

    python -m tests.chaos.process serve|receive|work|missed [GRACE]
    python -m tests.chaos.process fork

`serve` takes events and runs jobs, `receive` takes events alone, `work` runs jobs alone; each says
so on one line when it is ready, and ends on SIGTERM, after GRACE seconds at the latest. `missed`
finds what failed to arrive. `fork` plays a role for each line of its input, in a process of its own
(see `fork_each`). Environment variables make its life harder or shorter:

    CHAOS_SPEED       how many seconds of the product's pauses pass in one, 0 for a pace of its own
    CHAOS_AHEAD       how many seconds the machine's clock is ahead
    CHAOS_FULL_DISK   no file grows any more
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import resource
import sys
import traceback
from collections.abc import Mapping
from dataclasses import replace

from jurat.app import wiring
from jurat.app.lifecycle import run_until_stopped, serve_http
from jurat.app.redelivery import POLL
from jurat.app.wiring import App, build_app, wait_for_stop
from jurat.jobs.worker import RetryPolicy, WorkerOptions
from jurat.logs import configure_logs
from jurat.settings import Settings

PACE = WorkerOptions(
    concurrency=4,
    lease=dt.timedelta(seconds=8),
    poll=0.2,
    grace=10.0,
    retries=RetryPolicy(max_attempts=40, first=0.2, longest=2.0, look=1.0),
)
SWEEP_EVERY = dt.timedelta(seconds=5)
SPEED = float(os.environ.get("CHAOS_SPEED", "0"))
PATIENCE = 1.0
"""Seconds for which an answer of the model is waited for."""
AHEAD = dt.timedelta(seconds=float(os.environ.get("CHAOS_AHEAD", "0")))


async def hasty(seconds: float) -> None:
    """Sleep, fifty times as fast."""
    await asyncio.sleep(seconds / (SPEED or 50))


async def main(role: str, grace: float = PACE.grace) -> None:
    """Play one of the roles, as the environment says."""
    settings = Settings.from_environment(os.environ).for_server()
    configure_logs(settings.logs)
    pace, sweep_every = replace(PACE, grace=grace), SWEEP_EVERY
    if settings.model is not None:
        # Who hangs is given up soon: a file may not say so little.
        impatient = settings.model.file.model_copy(update={"timeout": PATIENCE})
        settings = replace(settings, model=replace(settings.model, file=impatient))
    if SPEED:
        as_shipped = RetryPolicy()
        pace = replace(
            pace,
            retries=RetryPolicy(
                as_shipped.max_attempts,
                as_shipped.first / SPEED,
                as_shipped.longest / SPEED,
                as_shipped.look / SPEED,
            ),
        )
        sweep_every = POLL / SPEED
    if AHEAD:
        wiring._get_now = lambda: dt.datetime.now(dt.UTC) + AHEAD
    async with build_app(
        settings,
        write_interval=0.0,
        pace=pace,
        sleep=hasty,
        sweep_every=sweep_every,
    ) as app:
        if "CHAOS_FULL_DISK" in os.environ:
            # What is there stays; Python ignores the signal, so that a write fails with an error.
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        if role == "missed":
            await _missed(app)
        elif role == "work":
            print("working", flush=True)
            await run_until_stopped(app)
        else:
            async with serve_http(settings, app) as url:
                print(url, flush=True)
                await (run_until_stopped(app) if role == "serve" else wait_for_stop())


async def _missed(app: App) -> None:
    found = await app.replay.redeliver_missed()
    jobs = sum(replayed.jobs for replayed in found.deliveries)
    print(jobs + len(found.pull_requests), flush=True)


def fork_each() -> None:
    """Play a role for each line of the input, `[role, environment]`, one after the other.

    Who is to be killed need not load the App first. Its number is said on a line; it begins when
    the next line is read, so that whoever kills it is ready, and its exit code is said at its end.
    """
    for line in sys.stdin:
        role, environment = json.loads(line)
        reading, writing = os.pipe()
        number = os.fork()
        if not number:
            os.read(reading, 1)
            _play(role, environment)
        print(number, flush=True)
        sys.stdin.readline()
        os.write(writing, b"!")
        _, status = os.waitpid(number, 0)
        os.close(reading)
        os.close(writing)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _play(role: str, environment: Mapping[str, str]) -> None:
    os.environ.update(environment)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout):
        os.dup2(silence, stream.fileno())
    try:
        asyncio.run(main(role))
    except BaseException:  # noqa: BLE001 - a fork must never go on as what it was forked from
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
