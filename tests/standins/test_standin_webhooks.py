from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.standins.github import ManualClock, Repository, StandIn, actions
from tests.support.github import SECRET, Client
from tests.support.schema import event_problems

HERE = "/repos/acme/payments"


@dataclass
class Receiver:
    """The App's end: keeps what arrives, and answers as it is told."""

    status: int = 202
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.Response:
        self.seen.append((dict(request.headers), await request.read()))
        return web.Response(status=self.status, text="thanks")


@pytest.fixture
async def receiver(github: StandIn) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    application = web.Application()
    application.router.add_post("/hook", receiver.handle)
    async with TestServer(application) as server:
        github.webhook_url = str(server.make_url("/hook"))
        yield receiver


@pytest.fixture
def repository(github: StandIn) -> Repository:
    return github.create_repository("acme/payments", {"a.py": "1\n"})


def names(github: StandIn) -> list[tuple[str, str | None]]:
    return [(event.name, event.action) for event in github.outbox]


async def test_a_delivery_is_signed_over_its_bytes_and_has_githubs_headers(
    github: StandIn, receiver: Receiver
) -> None:
    github.ping()
    (delivery,) = await github.flush()
    assert (delivery.status_code, delivery.ok, delivery.response) == (202, True, "thanks")
    ((headers, body),) = receiver.seen
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert headers["X-GitHub-Event"] == "ping"
    assert headers["X-GitHub-Delivery"] == delivery.event.guid
    assert headers["X-GitHub-Hook-ID"] == "90000001"
    assert headers["X-GitHub-Hook-Installation-Target-Type"] == "integration"
    assert headers["User-Agent"].startswith("GitHub-Hookshot/")
    assert headers["Content-Type"] == "application/json"


async def test_a_redelivery_keeps_its_guid_and_a_repetition_does_not(
    github: StandIn, repository: Repository, receiver: Receiver, app_client: Client
) -> None:
    actions.push(repository, "fix", {"a.py": "2\n"})
    github.outbox[1:] = []
    (first,) = await github.flush()
    again = await github.deliver(first.event)
    other = await github.deliver(github.repeated(first.event))
    await app_client.post(f"/app/hook/deliveries/{first.id}/attempts")
    (asked,) = await github.flush()
    assert [one.redelivery for one in (first, again, other, asked)] == [False, True, False, True]
    guids = [headers["X-GitHub-Delivery"] for headers, _ in receiver.seen]
    assert guids[0] == guids[1] == guids[3] != guids[2]
    assert len({body for _, body in receiver.seen}) == 1
    listed = await app_client.get("/app/hook/deliveries?per_page=2")
    assert [one["id"] for one in listed] == [asked.id, other.id]
    assert listed[0]["repository_id"] == repository.id
    whole = await app_client.get(f"/app/hook/deliveries/{first.id}")
    assert whole["request"]["payload"]["after"] == repository.head("fix")
    assert (await app_client.refused("GET", "/app/hook/deliveries/1"))[0] == 404
    assert (await app_client.refused("POST", "/app/hook/deliveries/1/attempts"))[0] == 404


async def test_failed_deliveries_are_kept_and_found(
    github: StandIn, receiver: Receiver, app_client: Client
) -> None:
    receiver.status = 503
    github.ping()
    await github.flush()
    github.webhook_url = "http://127.0.0.1:9/nobody"
    github.ping()
    (unreachable,) = await github.flush()
    assert (unreachable.status_code, unreachable.ok) == (0, False)
    failed = await app_client.get("/app/hook/deliveries?status=failure")
    assert [one["status_code"] for one in failed] == [0, 503]
    assert await app_client.get("/app/hook/deliveries?status=success") == []
    config = await app_client.get("/app/hook/config")
    assert config["url"] == "http://127.0.0.1:9/nobody"


async def test_without_a_listener_nothing_is_delivered(github: StandIn) -> None:
    github.ping()
    with pytest.raises(RuntimeError, match="webhook_url"):
        await github.flush()


def test_a_push_asks_for_a_suite_and_synchronizes_its_pull_requests(
    github: StandIn, repository: Repository
) -> None:
    first = actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    pull = actions.open_pull_request(repository, head="fix", body="Because", by="ann")
    github.outbox.clear()
    second = actions.push(repository, "fix", {"b.py": "3\n"}, by="bob")
    suite = ("check_suite", "requested")
    assert names(github) == [("push", None), suite, ("pull_request", "synchronize")]
    push, _, synchronize = (event.payload for event in github.outbox)
    assert (push["before"], push["after"], push["forced"]) == (first, second, False)
    assert push["head_commit"]["added"] == ["b.py"]
    assert (synchronize["before"], synchronize["after"]) == (first, second)
    assert synchronize["pull_request"]["head"]["sha"] == second == pull.head_sha
    assert synchronize["sender"]["login"] == "bob"
    assert synchronize["installation"]["id"] == github.installed_on("acme").id
    assert synchronize["organization"]["login"] == "acme"
    github.outbox.clear()
    actions.push_commit(repository, "fix", first, by="ann")
    assert github.outbox[0].payload["forced"] is True
    assert pull.head_sha == first
    actions.push_commit(repository, "fix", first, by="ann")
    # The suite of the first commit is there already, and nothing moved the second time.
    assert names(github) == [("push", None), ("pull_request", "synchronize")]


def test_a_pull_request_lives(github: StandIn, repository: Repository) -> None:
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    actions.create_branch(repository, "release")
    github.outbox.clear()
    pull = actions.open_pull_request(repository, head="fix", draft=True, by="ann")
    actions.mark_ready(pull, by="ann")
    actions.convert_to_draft(pull, by="ann")
    actions.edit_pull_request(pull, title="New", body="Text", base="release", by="ann")
    actions.close(pull, by="ann")
    actions.reopen(pull, by="ann")
    actions.push(repository, "fix", {"a.py": "3\n"}, by="ann")
    merged = actions.merge(pull, by="bob")
    steps = [event.action for event in github.outbox if event.name == "pull_request"]
    assert steps == [
        "opened",
        "ready_for_review",
        "converted_to_draft",
        "edited",
        "closed",
        "reopened",
        "synchronize",
        "closed",
    ]
    edited = github.outbox[3].payload
    assert edited["changes"]["title"] == {"from": "Change"}
    assert edited["changes"]["base"]["ref"] == {"from": "main"}
    last = github.outbox[-1].payload["pull_request"]
    assert (last["merged"], last["merge_commit_sha"]) == (True, merged)
    assert last["merged_by"]["login"] == "bob"
    assert last["changed_files"] == 1
    assert repository.head("release") == merged
    assert repository.read("a.py", "release") == b"3\n"


def test_a_deleted_branch_closes_its_pull_request(github: StandIn, repository: Repository) -> None:
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    pull = actions.open_pull_request(repository, head="fix", by="ann")
    github.outbox.clear()
    actions.delete_branch(repository, "fix", by="ann")
    assert names(github) == [("push", None), ("pull_request", "closed")]
    assert github.outbox[0].payload["deleted"] is True
    assert pull.state == "closed"
    with pytest.raises(ValueError, match="'fix' is gone"):
        actions.reopen(pull, by="ann")


async def test_a_fork_reports_to_the_repository_it_came_from(
    github: StandIn, repository: Repository, client: Client
) -> None:
    fork = actions.fork(repository, "mallory")
    actions.push(fork, "evil", {"a.py": "2\n"}, by="mallory")
    assert github.outbox == []
    pull = actions.open_pull_request(repository, head="mallory:evil", by="mallory")
    head = actions.push(fork, "evil", {"a.py": "3\n"}, by="mallory")
    assert names(github) == [("pull_request", "opened"), ("pull_request", "synchronize")]
    shown = await client.get(f"{HERE}/pulls/1")
    assert shown["head"]["label"] == "mallory:evil"
    assert shown["head"]["repo"]["fork"] is True
    assert shown["head"]["sha"] == head
    kept = await client.get(f"{HERE}/git/ref/pull/1/head")
    assert kept["object"]["sha"] == head
    compared = await client.get(f"{HERE}/compare/main...mallory:evil")
    assert [file["filename"] for file in compared["files"]] == ["a.py"]
    listed = await client.get(f"{HERE}/pulls?head=mallory:evil")
    assert [one["number"] for one in listed] == [pull.number]
    assert (await client.refused("GET", "/repos/mallory/payments"))[0] == 404


def test_the_merge_queue_combines_pull_requests(github: StandIn, repository: Repository) -> None:
    pulls = []
    for number in (1, 2):
        actions.push(repository, f"fix-{number}", {f"f{number}.py": "x\n"}, by="ann")
        pulls.append(actions.open_pull_request(repository, head=f"fix-{number}", by="ann"))
    github.outbox.clear()
    head = actions.enqueue(repository, pulls)
    assert names(github)[-1] == ("merge_group", "checks_requested")
    group = github.outbox[-1].payload["merge_group"]
    base = repository.head()
    assert (group["base_sha"], group["head_sha"]) == (base, head)
    assert group["head_ref"] == f"refs/heads/gh-readonly-queue/main/pr-2-{base}"
    changed = [file.path for file in repository.diffs.files(base, head)]
    assert changed == ["f1.py", "f2.py"]
    actions.push(repository, "main", {"f1.py": "other\n"})
    with pytest.raises(actions.ConflictError, match=r"f1\.py was changed on both sides"):
        actions.merge(pulls[0])


def test_an_installation_is_announced_with_its_repositories(
    github: StandIn, repository: Repository
) -> None:
    other = github.create_repository("umbrella/one", installed=False)
    github.create_repository("umbrella/two", installed=False)
    one = github.install("umbrella", [other])
    (event,) = github.outbox
    assert event.payload["installation"]["repository_selection"] == "selected"
    assert [each["full_name"] for each in event.payload["repositories"]] == ["umbrella/one"]
    assert github.world.covered(one) == [other]


def test_what_the_app_did_not_subscribe_to_does_not_come(app_key: str, clock: ManualClock) -> None:
    github = StandIn(
        app_id=1, private_key=app_key, webhook_secret="s", clock=clock, events=["pull_request"]
    )
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    head = actions.push(repository, "fix", {"a.py": "2\n"})
    pull = actions.open_pull_request(repository, head="fix")
    actions.comment(pull, "hello", by="ann")
    actions.report_check(repository, head, "build", "success")
    unwatched = github.create_repository("other/thing", {"a.py": "1\n"}, installed=False)
    actions.push(unwatched, "fix", {"a.py": "2\n"})
    actions.open_pull_request(unwatched, head="fix")
    assert names(github) == [("check_suite", "requested"), ("pull_request", "opened")]
    assert [event_problems(event) for event in github.outbox] == [[], []]
    github.close()


def test_events_are_the_same_in_every_run(app_key: str, clock: ManualClock) -> None:
    def story() -> list[tuple[str, str | None, str]]:
        github = StandIn(app_id=1, private_key=app_key, webhook_secret="s", clock=clock)
        repository = github.create_repository("acme/payments", {"a.py": "1\n"})
        actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
        actions.open_pull_request(repository, head="fix", by="ann")
        told = [(event.guid, event.action, str(event.payload)) for event in github.outbox]
        github.close()
        return [(guid, action, text.replace(github.base_url, "")) for guid, action, text in told]

    assert story() == story()
