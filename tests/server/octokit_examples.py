"""Development check: the published example payloads of GitHub's events, each through the webhook.

    python -m tests.server.octokit_examples FOLDER_OF_THE_PACKAGE

`make webhook-examples` fetches the npm package @octokit/webhooks-examples and runs this. Each
example goes as it was published, and once more as an App receives it: with an installation. Ends
with 1 if one is not answered 2xx, or the log holds a warning or an error.
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from jurat.jobs.table_queue import TableQueue
from jurat.logs import configure_logs
from jurat.server.intake import Intake
from jurat.server.readiness import Readiness
from jurat.server.webhook import create_app
from jurat.settings import LogSettings, Settings
from jurat.store.database import Database
from jurat.store.maintenance import upgrade_schema
from tests.standins.github import new_private_key
from tests.support.server import START, WEBHOOK_SECRET, Hook

INSTALLATION = {"id": 1, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMQ=="}


def published(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Where it was published, the event and the payload of each example."""
    for index in sorted(folder.glob("*/index.json")):
        for event in json.loads(index.read_text(encoding="utf-8")):
            for payload in event["examples"]:
                yield index.parent.name, event["name"], payload


async def answers(folder: Path, database_url: str) -> tuple[Counter[tuple[str, ...]], list[str]]:
    """How often each answer was given, by place and form; and what was not as it should be."""
    await upgrade_schema(database_url)
    database = Database.at(database_url)
    environment = {
        "APP_ID": "1",
        "PRIVATE_KEY": new_private_key(),
        "WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    settings = Settings.from_environment(environment).for_server()
    intake = Intake(database, TableQueue(database, lambda: START), now=lambda: START)
    counted: Counter[tuple[str, ...]] = Counter()
    wrong: list[str] = []
    async with TestClient(TestServer(create_app(settings, intake, Readiness({})))) as client:
        hook = Hook(client, settings.webhook_path)
        for place, event, payload in published(folder):
            sent = {"as published": payload, "to an App": {"installation": INSTALLATION, **payload}}
            for form, body in sent.items():
                answer = await hook.deliver(event, body)
                told = await answer.json()
                counted[place, form, f"{answer.status} {told['status']}"] += 1
                if answer.status not in (200, 202):
                    action = payload.get("action", "")
                    wrong.append(f"{place} {event}.{action} {form}: {answer.status} {told}")
    await database.close()
    return counted, wrong


def main() -> int:
    log = io.StringIO()
    configure_logs(LogSettings("WARNING", "json"), log)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/jurat.sqlite3"
        counted, wrong = asyncio.run(answers(Path(sys.argv[1]), url))
    for (place, form, answer), count in sorted(counted.items()):
        print(f"{place:16} {form:14} {answer:16} {count:5}")
    wrong += log.getvalue().splitlines()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
