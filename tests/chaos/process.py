"""One process of the App, at a pace for tests: pauses are short, and leases run out soon.

    python -m tests.chaos.process serve|receive|work|missed [GRACE]

`serve` takes events and runs jobs, `receive` takes events alone, `work` runs jobs alone; each says
so on one line when it is ready, and ends on SIGTERM, after GRACE seconds at the latest. `missed`
finds what failed to arrive.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import sys
from dataclasses import replace

from jurat.app.lifecycle import run_until_stopped, serve_http
from jurat.app.wiring import App, build_app, wait_for_stop
from jurat.jobs.worker import RetryPolicy, WorkerOptions
from jurat.logs import configure_logs
from jurat.settings import Settings

PACE = WorkerOptions(
    concurrency=4,
    lease=dt.timedelta(seconds=8),
    poll=0.2,
    grace=10.0,
    retries=RetryPolicy(max_attempts=40, first=0.2, longest=2.0),
)
SWEEP_EVERY = dt.timedelta(seconds=5)


async def hasty(seconds: float) -> None:
    """Sleep, fifty times as fast."""
    await asyncio.sleep(seconds / 50)


async def main(role: str, grace: float = PACE.grace) -> None:
    """Play one of the roles, as the environment says."""
    settings = Settings.from_environment(os.environ).for_server()
    configure_logs(settings.logs)
    async with build_app(
        settings,
        write_interval=0.0,
        pace=replace(PACE, grace=grace),
        sleep=hasty,
        sweep_every=SWEEP_EVERY,
    ) as app:
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


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(float, sys.argv[2:])))
