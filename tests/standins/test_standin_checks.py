from __future__ import annotations

from typing import Any

import pytest

from tests.standins.github import PullRequest, Repository, StandIn, actions
from tests.support.github import Client

HERE = "/repos/acme/payments"
RUNS = f"{HERE}/check-runs"

OUTPUT = {"title": "Two findings", "summary": "See below."}


@pytest.fixture
def pull(github: StandIn) -> PullRequest:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    pull = actions.open_pull_request(repository, head="fix", by="ann")
    github.outbox.clear()
    return pull


def annotation(**more: Any) -> dict[str, Any]:
    return {
        "path": "a.py",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "failure",
        "message": "No.",
    } | more


async def start(client: Client, pull: PullRequest, **more: Any) -> Any:
    body = {"name": "jurat", "head_sha": pull.head_sha, "status": "in_progress"} | more
    return await client.post(RUNS, body)


async def test_a_run_starts_at_once_and_is_concluded(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    run = await start(client, pull, external_id="1")
    assert (run["status"], run["conclusion"], run["external_id"]) == ("in_progress", None, "1")
    assert [one["number"] for one in run["pull_requests"]] == [1]
    action = {"label": "Confirm", "description": "Let it pass", "identifier": "confirm"}
    done = await client.patch(
        f"{RUNS}/{run['id']}",
        {"conclusion": "failure", "output": OUTPUT, "actions": [action]},
    )
    assert (done["status"], done["conclusion"]) == ("completed", "failure")
    assert done["completed_at"] is not None
    assert done["output"]["title"] == "Two findings"
    assert await client.get(f"{RUNS}/{run['id']}") == done
    listed = await client.get(f"{HERE}/commits/fix/check-runs")
    assert listed == {"total_count": 1, "check_runs": [done]}
    suites = await client.get(f"{HERE}/commits/{pull.head_sha}/check-suites")
    (suite,) = suites["check_suites"]
    assert (suite["status"], suite["conclusion"]) == ("completed", "failure")
    assert suite["head_branch"] == "fix"
    assert await client.get(f"{HERE}/check-suites/{suite['id']}") == suite
    named = [(event.name, event.action) for event in github.outbox]
    assert named == [
        ("check_run", "created"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
    ]


async def test_annotations_are_appended_by_each_update(pull: PullRequest, client: Client) -> None:
    run = await start(client, pull)
    path = f"{RUNS}/{run['id']}"
    for size in (50, 50, 3):
        output = OUTPUT | {"annotations": [annotation(start_line=1)] * size}
        await client.patch(path, {"output": output})
    assert (await client.get(path))["output"]["annotations_count"] == 103
    _, first, headers = await client.ask("GET", f"{path}/annotations?per_page=100")
    assert len(first) == 100
    assert 'rel="next"' in headers["Link"]
    assert len(await client.get(f"{path}/annotations?per_page=100&page=2")) == 3


@pytest.mark.parametrize(
    "body",
    [
        {"output": OUTPUT | {"annotations": [annotation()] * 51}},
        {"output": {"summary": "no title"}},
        {"output": {"title": "no summary"}},
        {"output": OUTPUT | {"summary": "x" * 65_536}},
        {"output": OUTPUT | {"text": "x" * 65_536}},
        {"output": OUTPUT | {"annotations": [annotation(message="ü" * 32_769)]}},
        {"output": OUTPUT | {"annotations": [annotation(raw_details="x" * 65_537)]}},
        {"output": OUTPUT | {"annotations": [annotation(title="x" * 256)]}},
        {"output": OUTPUT | {"annotations": [annotation(end_line=2, start_column=1)]}},
        {"output": OUTPUT | {"annotations": [annotation(start_line=2)]}},
        {"output": OUTPUT | {"annotations": [annotation(annotation_level="error")]}},
        {"output": OUTPUT | {"annotations": [annotation(path=None)]}},
        {"conclusion": "stale"},
        {"status": "done"},
        {"status": "completed"},
        {"actions": [{"label": "a", "description": "b", "identifier": "c"}] * 4},
        {"actions": [{"label": "a" * 21, "description": "b", "identifier": "c"}]},
        {"actions": [{"label": "a", "description": "b" * 41, "identifier": "c"}]},
        {"actions": [{"label": "a", "description": "b", "identifier": "c" * 21}]},
        {"actions": [{"label": "a", "description": "b"}]},
        {"completed_at": "yesterday", "conclusion": "success"},
    ],
)
async def test_what_github_refuses_is_refused_and_changes_nothing(
    pull: PullRequest, client: Client, body: dict[str, Any]
) -> None:
    run = await start(client, pull)
    path = f"{RUNS}/{run['id']}"
    assert (await client.refused("PATCH", path, body))[0] == 422
    assert await client.get(path) == run
    created = {"name": "other", "head_sha": pull.head_sha} | body
    assert (await client.refused("POST", RUNS, created))[0] == 422
    assert len(pull.repository.check_runs) == 1


async def test_everything_at_its_limit_is_taken(pull: PullRequest, client: Client) -> None:
    action = {"label": "a" * 20, "description": "b" * 40, "identifier": "c" * 20}
    notes = [annotation(message="x" * 65_536, title="x" * 255, start_column=1, end_column=9)] * 50
    full = "x" * 65_535
    output = {"title": "t", "summary": full, "text": full, "annotations": notes}
    run = await start(client, pull, output=output, actions=[action] * 3, conclusion="neutral")
    assert run["status"] == "completed"


@pytest.mark.parametrize(
    "body",
    [
        {"name": "jurat"},
        {"head_sha": "0" * 40},
        {"name": "jurat", "head_sha": "0" * 40},
        {"name": "jurat", "head_sha": "main"},
    ],
)
async def test_a_run_needs_a_name_and_a_commit_that_is_there(
    pull: PullRequest, client: Client, body: dict[str, Any]
) -> None:
    assert (await client.refused("POST", RUNS, body))[0] == 422


async def test_a_completed_run_is_not_reopened_but_may_be_reworded(
    pull: PullRequest, client: Client
) -> None:
    run = await start(client, pull, conclusion="failure")
    path = f"{RUNS}/{run['id']}"
    assert (await client.refused("PATCH", path, {"status": "in_progress"}))[0] == 422
    changed = await client.patch(path, {"conclusion": "success", "output": OUTPUT})
    assert changed["conclusion"] == "success"


async def test_of_runs_with_one_name_the_newest_counts(pull: PullRequest, client: Client) -> None:
    old = await start(client, pull, conclusion="failure")
    new = await start(client, pull, conclusion="success")
    await start(client, pull, name="jurat / rules")
    path = f"{HERE}/commits/{pull.head_sha}/check-runs"
    latest = await client.get(f"{path}?check_name=jurat")
    assert [one["id"] for one in latest["check_runs"]] == [new["id"]]
    every = await client.get(f"{path}?check_name=jurat&filter=all")
    assert [one["id"] for one in every["check_runs"]] == [new["id"], old["id"]]
    waiting = await client.get(f"{path}?status=in_progress")
    assert [one["name"] for one in waiting["check_runs"]] == ["jurat / rules"]
    suite = new["check_suite"]["id"]
    of_suite = await client.get(f"{HERE}/check-suites/{suite}/check-runs")
    assert of_suite["total_count"] == 2


async def test_the_runs_of_other_apps_are_seen_and_not_touched(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    other = actions.report_check(pull.repository, pull.head_sha, "build", "success")
    mine = await start(client, pull)
    path = f"{HERE}/commits/fix/check-runs"
    assert (await client.get(path))["total_count"] == 2
    own = await client.get(f"{path}?app_id={github.world.app.id}")
    assert [one["id"] for one in own["check_runs"]] == [mine["id"]]
    refused = await client.refused("PATCH", f"{RUNS}/{other.id}", {"conclusion": "failure"})
    assert refused[0] == 403
    arrived = [event for event in github.outbox if event.name == "check_run"]
    slugs = [event.payload["check_run"]["app"]["slug"] for event in arrived]
    assert slugs == ["other-ci", "other-ci", "jurat"]


async def test_buttons_and_reruns_arrive_as_events(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    action = {"label": "Confirm", "description": "Let it pass", "identifier": "confirm"}
    shown = await start(client, pull, conclusion="action_required", actions=[action])
    run = pull.repository.check_runs[shown["id"]]
    github.outbox.clear()
    actions.click(run, "confirm", by="ann")
    actions.rerequest_run(run, by="ann")
    actions.rerequest_suite(run.suite, by="ann")
    await client.post(f"{RUNS}/{run.id}/rerequest")
    await client.post(f"{HERE}/check-suites/{run.suite.id}/rerequest")
    named = [(event.name, event.action) for event in github.outbox]
    rerun, whole = ("check_run", "rerequested"), ("check_suite", "rerequested")
    assert named == [("check_run", "requested_action"), rerun, whole, rerun, whole]
    clicked = github.outbox[0].payload
    assert clicked["requested_action"] == {"identifier": "confirm"}
    assert clicked["sender"]["login"] == "ann"
    assert run.conclusion == "action_required"
    with pytest.raises(ValueError, match="shows no button 'other'"):
        actions.click(run, "other", by="ann")


async def test_a_check_on_a_fork_names_no_pull_request(github: StandIn, client: Client) -> None:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    fork = actions.fork(repository, "mallory")
    head = actions.push(fork, "evil", {"a.py": "2\n"}, by="mallory")
    pull = actions.open_pull_request(repository, head="mallory:evil", by="mallory")
    run = await start(client, pull, external_id="1")
    assert (run["head_sha"], run["pull_requests"]) == (head, [])
    listed = await client.get(f"{HERE}/commits/{head}/pulls")
    assert [one["number"] for one in listed] == [1]


def test_repositories_are_told_apart_by_name(github: StandIn) -> None:
    one: Repository = github.create_repository("acme/one")
    assert github.world.repository("ACME/ONE") is one
