"""What strangers without the secret cost: memory, and the delay of signed deliveries.

    python -m tests.benchmarks.bench_hostile_load [--seconds 6] [--old 2f6944b] [--only NAME]

This checkout and, beside it, an older commit with the libraries of this environment, and an
aiohttp server that reads a body and does nothing with it: what that one takes is the machine's,
the library's and the measure's. Each is a process of its own (Jurat as `serve --no-worker`,
SQLite), as are the strangers and what measures. Meanwhile a signed delivery of 25 kB is sent every
100 ms. The old commit is left out if git does not have it.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.benchmarks.bench_acknowledgement import (
    BARE,
    PATH,
    SECRET,
    Connection,
    delivery,
    serving,
)
from tests.standins.github import new_private_key

ROOT = Path(__file__).parents[2]
CONNECTIONS = 64
LENGTH = 25 << 20
FORGED = (
    f"POST {PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    f"X-GitHub-Event: ping\r\nX-GitHub-Delivery: 1\r\nX-Hub-Signature-256: sha256={'0' * 64}\r\n"
).encode()


@cache
def build_bomb() -> bytes:
    """400 MB in 407 kB."""
    return gzip.compress(b"0" * (400 << 20), 9)


@dataclass(frozen=True, slots=True)
class Load:
    """How much more memory than before, in MB, and how long deliveries took, in milliseconds."""

    memory: float
    median: float
    longest: float
    lost: int


Attack = Callable[[int], Awaitable[None]]


async def leave_alone(_: int) -> None:
    """Nobody does anything."""
    await asyncio.sleep(3600)


async def send_headers_slowly(port: int) -> None:
    """Headers that never end, a line a second."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST / HTTP/1.1\r\nHost: h\r\n")
    while True:
        writer.write(b"X-A: " + b"a" * 4_000 + b"\r\n")
        await writer.drain()
        await asyncio.sleep(1)


async def send_body_slowly(port: int) -> None:
    """A body that never ends, 20 kB at a time."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(FORGED + b"Content-Length: %d\r\n\r\n" % LENGTH)
    while True:
        writer.write(b"x" * 20_000)
        await writer.drain()
        await asyncio.sleep(0.1)


async def send_large_body(port: int) -> None:
    """A body of 25 MB as fast as it is taken."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(FORGED + b"Content-Length: %d\r\n\r\n" % LENGTH)
    for _ in range(LENGTH >> 16):
        writer.write(bytes(1 << 16))
        await writer.drain()
    await asyncio.sleep(0.1)
    writer.close()


async def send_packed_body(port: int) -> None:
    """A packed body of 407 kB, 400 MB once it is unpacked."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    bomb = build_bomb()
    packed = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    writer.write(FORGED + packed + bomb)
    await writer.drain()
    await reader.read(1)
    writer.close()


ATTACKS: dict[str, tuple[int, Attack]] = {
    "nobody": (1, leave_alone),
    "64 slow headers": (CONNECTIONS, send_headers_slowly),
    "64 slow bodies": (CONNECTIONS, send_body_slowly),
    "64 of 25 MB": (CONNECTIONS, send_large_body),
    "8 packed": (8, send_packed_body),
}


async def keep_on(attack: Attack, port: int) -> None:
    """Attack again and again, whatever the server does about it."""
    while True:
        try:
            await attack(port)
        except OSError:
            await asyncio.sleep(0.05)


async def attack_together(name: str, port: int) -> None:
    """All of one attack's strangers, until the process ends."""
    count, attack = ATTACKS[name]
    await asyncio.gather(*(keep_on(attack, port) for _ in range(count)))


@contextmanager
def attacking(name: str, port: int) -> Iterator[None]:
    """The strangers in a process of their own: what keeps them busy must not delay the measure."""
    processes = multiprocessing.get_context("spawn")
    begun = processes.Event()
    strangers = processes.Process(target=_run_strangers, args=(name, port, begun), daemon=True)
    strangers.start()
    try:
        begun.wait()
        yield
    finally:
        strangers.kill()
        strangers.join()


def _run_strangers(name: str, port: int, begun: Event) -> None:
    build_bomb()
    begun.set()
    asyncio.run(attack_together(name, port))


def read_memory(process: subprocess.Popen[bytes]) -> float:
    """The resident memory of a process, in MB."""
    text = Path(f"/proc/{process.pid}/statm").read_text()
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def deliver(port: int, number: int) -> float | None:
    """Milliseconds that a signed delivery took; None if it was not taken in GitHub's 10 seconds."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(10):
            loop = asyncio.get_running_loop()
            _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
            status = await connection.ask(delivery(number))
            connection.close()
    except (OSError, TimeoutError):
        return None
    return (time.perf_counter() - started) * 1e3 if status == 202 else None


async def measure(
    process: subprocess.Popen[bytes], port: int, name: str, seconds: float, first: int
) -> Load:
    """Attack for so long, and deliver meanwhile."""
    for number in range(20):
        await deliver(port, first + number)
    before = most = read_memory(process)
    took: list[asyncio.Task[float | None]] = []
    with attacking(name, port):
        for step in range(round(seconds * 50)):
            if step % 5 == 0:
                took.append(asyncio.create_task(deliver(port, first + 100 + step)))
            await asyncio.sleep(0.02)
            most = max(most, read_memory(process))
        times = await asyncio.gather(*took)
    taken = sorted(item for item in times if item is not None) or [float("inf")]
    return Load(most - before, taken[len(taken) // 2], taken[-1], times.count(None))


def find_old(commit: str) -> list[str] | None:
    """The command of an older commit, laid out below build/; None if git does not have it."""
    folder = ROOT / "build" / commit
    if not folder.is_dir():
        packed = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, capture_output=True, check=False
        )
        if packed.returncode:
            return None
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    start = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from bot.cli.main import main; main()"
    )
    return [sys.executable, "-c", start]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--old", default="2f6944b")
    parser.add_argument("--only", choices=ATTACKS, action="append", default=[])
    options = parser.parse_args()
    serve = ["serve", "--no-worker"]
    servers = {"this checkout": [sys.executable, "-m", "jurat", *serve]}
    if (old := find_old(options.old)) is None:
        print(f"{options.old} is not here, and is left out: git has no such commit.")
    else:
        servers[options.old] = [*old, *serve]
    servers["bare aiohttp"] = [sys.executable, "-c", BARE, "", PATH]
    for port, (who, command) in enumerate(servers.items(), 22_000):
        for name in options.only or ATTACKS:
            # A server of its own for each: what one left in memory is no figure of the next.
            with tempfile.TemporaryDirectory() as folder:
                environment = {
                    **os.environ,
                    "APP_ID": "1",
                    "PRIVATE_KEY": new_private_key(),
                    "WEBHOOK_SECRET": SECRET,
                    "JURAT_API_TOKEN": SECRET,
                    "DATABASE_URL": f"sqlite:///{folder}/jurat.sqlite3",
                    "LOG_LEVEL": "fatal",
                    "HOST": "127.0.0.1",
                    "PORT": str(port),
                }
                run = [part or str(port) for part in command]
                with serving(run, environment, port) as process:
                    found = asyncio.run(measure(process, port, name, options.seconds, 1))
            print(
                f"{who:14} {name:16} memory {found.memory:+7.1f} MB   delivery p50 "
                f"{found.median:7.1f} ms   longest {found.longest:8.1f} ms   lost {found.lost}",
                flush=True,
            )


if __name__ == "__main__":
    main()
