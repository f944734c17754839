"""The stand-in satisfies real clients: gidgethub, which Jurat uses, and git."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import aiohttp
import gidgethub
import pytest
from gidgethub.aiohttp import GitHubAPI
from gidgethub.apps import get_installation_access_token
from gidgethub.sansio import Event, accept_format

from tests.standins.github import StandIn, actions
from tests.standins.github.deliveries import encode, signed_headers
from tests.support.github import APP_ID, SECRET


@pytest.fixture
async def gidget(github: StandIn, session: aiohttp.ClientSession, app_key: str) -> GitHubAPI:
    anonymous = GitHubAPI(session, "jurat-tests", base_url=github.api_url)
    issued = await get_installation_access_token(
        anonymous,
        installation_id=str(github.installed_on("acme").id),
        app_id=str(APP_ID),
        private_key=app_key,
    )
    expires = datetime.fromisoformat(issued["expires_at"])
    assert abs((expires - datetime.now(UTC)).total_seconds() - 3_600) < 60
    return GitHubAPI(
        session, "jurat-tests", oauth_token=issued["token"], base_url=github.api_url, cache={}
    )


async def test_gidgethub_reads_pages_writes_and_understands_refusals(
    github: StandIn, gidget: GitHubAPI
) -> None:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {f"f{number}.py": "x\n" for number in range(120)}, by="ann")
    pull = actions.open_pull_request(repository, head="fix", by="ann")
    here = "/repos/{owner}/{repo}"
    names = {"owner": "acme", "repo": "payments"}

    files = [one["filename"] async for one in gidget.getiter(f"{here}/pulls/1/files", names)]
    assert len(files) == 120
    diff = await gidget.getitem(
        f"{here}/pulls/1", names, accept=accept_format(version="v3", media="diff")
    )
    assert diff.count("diff --git") == 120

    run = await gidget.post(
        f"{here}/check-runs", names, data={"name": "jurat", "head_sha": pull.head_sha}
    )
    done = await gidget.patch(
        f"{here}/check-runs/{run['id']}", names, data={"conclusion": "success"}
    )
    assert done["status"] == "completed"

    review = {"event": "COMMENT", "body": "x", "comments": [{"path": "no", "line": 1, "body": "y"}]}
    with pytest.raises(gidgethub.BadRequest) as refused:
        await gidget.post(f"{here}/pulls/1/reviews", names, data=review)
    assert refused.value.status_code == 422
    with pytest.raises(gidgethub.ValidationError, match="body"):
        await gidget.post(f"{here}/issues/1/comments", names, data={"body": "x" * 70_000})

    assert gidget.rate_limit is not None
    before = gidget.rate_limit.remaining
    assert await gidget.getitem(here, names) == await gidget.getitem(here, names)
    assert gidget.rate_limit.remaining == before - 2
    assert github.exchanges[-1].status == 304
    assert gidget.rate_limit.reset_datetime.timestamp() > time.time()


async def test_gidgethub_accepts_a_signed_delivery(github: StandIn) -> None:
    event = github.ping()
    data = encode(event)
    headers = signed_headers(event, data, secret=SECRET, hook_id=1, app_id=APP_ID)
    lowered = {name.lower(): value for name, value in headers.items()}
    received = Event.from_http(lowered, data, secret=SECRET)
    assert (received.event, received.delivery_id) == ("ping", event.guid)
    assert received.data == event.payload
