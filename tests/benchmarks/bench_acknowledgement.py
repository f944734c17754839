"""How fast deliveries are acknowledged: Jurat beside Probot and a bare aiohttp server.

    python -m tests.benchmarks.bench_acknowledgement [--probot FOLDER] [--rounds 3]

2,000 signed deliveries of 25 kB at concurrency 32 over keep-alive, the same bytes to each server,
which is a process of its own. Jurat is `jurat serve --no-worker`: each answer stands for a delivery
that is on the disk (SQLite, WAL, synchronous FULL). Probot verifies, parses and calls an empty
handler; the bare server only reads the body: neither keeps anything. FOLDER is where
`npm install probot@14.3.2` was run.
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.standins.github import new_private_key

COUNT, SIZE, CONCURRENCY = 2_000, 25_000, 32
WARMING = 1_000
"""Deliveries before the measured ones: Node compiles what is called often."""
SECRET = "a secret for benchmarks alone"
PATH = "/api/github/webhooks"

BARE = """
import sys
from aiohttp import web

async def answer(request):
    await request.read()
    return web.json_response({"status": "read"}, status=202)

app = web.Application(client_max_size=25 << 20)
app.router.add_post(sys.argv[2], answer)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)
"""

PROBOT = """
import { run } from "probot";
await run((app) => { app.on("pull_request.opened", async () => {}); });
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Requests a second; the 50th and 99th percentile and the longest, in milliseconds.

    `cpu` is the server's processor time in milliseconds a request, None if nobody tells.
    """

    rate: float
    p50: float
    p99: float
    longest: float
    cpu: float | None = None


class Connection(asyncio.Protocol):
    """One keep-alive connection that sends a request and waits for the whole answer."""

    def __init__(self) -> None:
        self._buffer = b""
        self._answer: asyncio.Future[int] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found or self._answer is None or self._answer.done():
            return
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if len(rest) >= int(fields.get(b"content-length", b"0")):
            self._buffer = b""
            self._answer.set_result(int(head.split(b" ", 2)[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the server hung up"))

    async def ask(self, request: bytes) -> int:
        """Send a request; the status of its answer."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


def delivery(number: int) -> bytes:
    """A signed pull_request.opened of its own, as bytes on the wire."""
    repository = {"id": 1, "name": "shop", "owner": {"login": "acme", "id": 2}}
    payload = {
        "action": "opened",
        "number": number,
        "installation": {"id": 3},
        "repository": {**repository, "full_name": "acme/shop"},
        "sender": {"id": 4, "login": "octocat", "type": "User"},
        "pull_request": {
            "number": number,
            "head": {"sha": f"{number:040x}"},
            "draft": False,
            "updated_at": "2026-03-02T09:00:00Z",
            "body": "",
        },
    }
    padding = SIZE - len(json.dumps(payload))
    payload["pull_request"]["body"] = "word " * (padding // 5) + "x" * (padding % 5)
    body = json.dumps(payload).encode()
    digest = hmac.digest(SECRET.encode(), body, "sha256").hex()
    head = (
        f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"User-Agent: GitHub-Hookshot/bench\r\nX-GitHub-Event: pull_request\r\n"
        f"X-GitHub-Delivery: {uuid.uuid4()}\r\nX-Hub-Signature-256: sha256={digest}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def measure(port: int, requests: Sequence[bytes]) -> Measured:
    """Send all requests over CONCURRENCY connections, each waiting for its answer."""
    loop = asyncio.get_running_loop()
    pending = iter(requests)
    took: list[float] = []

    async def send() -> None:
        _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
        for request in pending:
            started = time.perf_counter()
            status = await connection.ask(request)
            took.append(time.perf_counter() - started)
            assert status in (200, 202), status
        connection.close()

    started = time.perf_counter()
    await asyncio.gather(*(send() for _ in range(CONCURRENCY)))
    whole = time.perf_counter() - started
    cuts = statistics.quantiles(took, n=100)
    return Measured(len(requests) / whole, cuts[49] * 1e3, cuts[98] * 1e3, max(took) * 1e3)


@contextmanager
def serving(
    command: Sequence[str], environment: dict[str, str], port: int
) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process of its own, once it listens."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            asyncio.run(_until_listening(process, port))
            yield process
        finally:
            process.terminate()


def processor_seconds(process: subprocess.Popen[bytes]) -> float | None:
    """Processor time of a process until now, where the system has /proc (proc(5), stat)."""
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(1_800):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"the server ended with {process.returncode}") from None
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise RuntimeError("the server does not listen")


def contestants(folder: Path, probot: Path | None) -> dict[str, tuple[list[str], dict[str, str]]]:
    """The servers by name: command and environment. PORT and the like are theirs to read."""
    environment = {
        **os.environ,
        "APP_ID": "1",
        "PRIVATE_KEY": new_private_key(),
        "WEBHOOK_SECRET": SECRET,
        "DATABASE_URL": f"sqlite:///{folder}/jurat.sqlite3",
        "LOG_LEVEL": "warn",
        "HOST": "127.0.0.1",
        "NODE_ENV": "production",
    }
    found = {
        "jurat": ([sys.executable, "-m", "jurat", "serve", "--no-worker"], environment),
        "bare aiohttp": ([sys.executable, "-c", BARE, "", PATH], environment),
    }
    if probot is not None and (probot / "node_modules").is_dir() and shutil.which("node"):
        script = probot / "acknowledge.mjs"
        script.write_text(PROBOT)
        found["probot"] = (["node", str(script)], {**environment, "WEBHOOK_PATH": PATH})
    return found


def kept(folder: Path) -> int:
    """Deliveries that Jurat's database holds."""
    with sqlite3.connect(folder / "jurat.sqlite3") as connection:
        (count,) = connection.execute("SELECT count(*) FROM deliveries").fetchone()
    return int(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probot", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    best: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        servers = contestants(folder, options.probot)
        sent = 0
        for round_number in range(options.rounds):
            requests = [delivery(round_number * 10_000 + number + 1) for number in range(COUNT)]
            for port, (who, (command, environment)) in enumerate(servers.items(), 21_000):
                filled = [part or str(port) for part in command]
                with serving(filled, {**environment, "PORT": str(port)}, port) as process:
                    first = 10**6 * (round_number + 1)
                    warming = [delivery(first + number) for number in range(WARMING)]
                    asyncio.run(measure(port, warming))
                    before = processor_seconds(process)
                    measured = asyncio.run(measure(port, requests))
                    after = processor_seconds(process)
                if before is not None and after is not None:
                    measured = replace(measured, cpu=(after - before) / COUNT * 1e3)
                if who == "jurat":
                    sent += COUNT
                if who not in best or measured.rate > best[who].rate:
                    best[who] = measured
        assert kept(folder) >= sent, "a delivery that was acknowledged is not in the database"
    print(f"{COUNT:,} deliveries of {SIZE / 1000:.0f} kB, {CONCURRENCY} at once; best of rounds")
    for who, measured in best.items():
        print(
            f"{who:14} {measured.rate:7,.0f}/s   p50 {measured.p50:6.1f} ms"
            f"   p99 {measured.p99:6.1f} ms   longest {measured.longest:6.1f} ms"
            + (f"   cpu {measured.cpu:5.3f} ms" if measured.cpu is not None else "")
        )


if __name__ == "__main__":
    main()
