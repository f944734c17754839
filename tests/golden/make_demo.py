"""`jurat demo`: what the terminal and the page show, and what the stand-in GitHub received."""

from __future__ import annotations

import asyncio

from tests.cli.stage import staged
from tests.golden.command import alone, fixed_words, transcript
from tests.golden.golden import Files, golden, listed, stabilized


@golden("demo/shown")
def shown() -> Files:
    with alone() as folder:
        told = transcript("demo", "--page", "demo.html")
        page = (folder / "demo.html").read_text()
    return {"terminal.txt": told, "page.html": stabilized(page)}


@golden("demo/received")
def received() -> Files:
    return asyncio.run(_received())


async def _received() -> Files:
    with fixed_words():
        async with staged() as stage:
            await stage.settle()
            writes = [
                {"request": f"{item.method} {item.path}", "sent": item.sent, "status": item.status}
                for item in stage.github.writes()
            ]
            prompts = [item.body for item in stage.gemini.asked]
            return {
                "writes.yml": stabilized(listed(writes)),
                "prompts.yml": stabilized(listed(prompts)),
            }
