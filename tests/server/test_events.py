from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.github.comment_commands import ParsedCommand
from jurat.github.events import (
    SUBSCRIBED,
    UNASKED,
    CheckRerunRequested,
    CommentCommand,
    Event,
    IgnoredEvent,
    InstallationChanged,
    MergeGroupRequested,
    Origin,
    PayloadError,
    Ping,
    PullRequestChanged,
    PullRequestClosed,
    parse_event,
)
from jurat.jobs.queue import JobRequest
from jurat.server.intake import JobCancellation, plan_jobs
from tests.server import samples
from tests.server.samples import HEAD, OTHER
from tests.support.server import APP_ID

ORIGIN = Origin("guid-1", 77, "octo", "hello", 1001)


def _parse(name: str, payload: dict[str, Any], delivery: str = "guid-1") -> Event | IgnoredEvent:
    return parse_event(name, payload, delivery=delivery, app_id=APP_ID)


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened", "ready_for_review"])
def test_a_changed_pull_request_is_to_be_reviewed(action: str) -> None:
    event = _parse("pull_request", samples.pull_request(action, draft=True))

    assert isinstance(event, PullRequestChanged)
    assert (event.origin, event.action, event.number) == (ORIGIN, action, 12)
    assert (event.head_sha, event.draft) == (HEAD, True)
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind, job.variant, job.delivery) == (
        "1001#12",
        "review",
        "anew" if action == "ready_for_review" else "",
        "guid-1",
    )
    assert job.payload == {
        "repository": "octo/hello",
        "repository_id": 1001,
        "installation_id": 77,
        "number": 12,
        "cause": f"pull_request.{action}",
        "again": False,
        "for_id": 583231,
    }


def test_another_base_and_another_title_are_each_another_change() -> None:
    edited = samples.pull_request("edited")
    other_base = {**edited, "changes": {"base": {"ref": {"from": "lax"}}}}
    other_title = {**edited, "changes": {"title": {"from": "Old"}}}

    assert isinstance(_parse("pull_request", other_base), PullRequestChanged)
    assert isinstance(_parse("pull_request", other_title), PullRequestChanged)


@pytest.mark.parametrize("merged", [True, False])
def test_a_closed_pull_request_takes_its_review_back_and_is_learnt_from(merged: bool) -> None:
    event = _parse("pull_request", samples.pull_request("closed", merged=merged))

    assert isinstance(event, PullRequestClosed)
    assert (event.number, event.head_sha, event.merged) == (12, HEAD, merged)
    *cancellations, job = plan_jobs(event)
    assert cancellations == [
        JobCancellation("1001#12", "review", "The pull request was closed."),
        JobCancellation("1001#12:rules", "rules", "The pull request was closed."),
    ]
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind) == ("1001#12", "closed")
    assert job.payload["merged_head"] == (HEAD if merged else None)


@pytest.mark.parametrize(
    ("name", "payload", "place"),
    [
        ("issue_comment", samples.issue_comment, "issue_comment"),
        ("pull_request_review_comment", samples.review_comment, "review_comment"),
    ],
)
def test_a_command_in_a_comment_is_carried_out(name: str, payload: Any, place: str) -> None:
    event = _parse(name, payload("Hm.\n\n/jurat explain py.no-md5"))

    assert isinstance(event, CommentCommand)
    assert (event.origin, event.number, event.place) == (ORIGIN, 12, place)
    assert (event.comment_id, event.author) == (5001, "octocat")
    assert event.commands == (ParsedCommand("explain", "py.no-md5"),)
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind, job.variant) == ("1001#12", "command", f"{place}:5001")
    assert job.payload["commands"] == [{"name": "explain", "arguments": "py.no-md5"}]


def test_a_command_in_a_thread_says_in_which() -> None:
    payload = samples.review_comment("/jurat dismiss why")
    payload["comment"]["in_reply_to_id"] = 4001
    event = _parse("pull_request_review_comment", payload)

    assert isinstance(event, CommentCommand)
    assert event.thread == 4001
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert job.payload["thread"] == 4001


BOT = {"login": "dependabot[bot]", "id": 1, "type": "Bot"}


@pytest.mark.parametrize(
    "payload",
    [
        samples.issue_comment(action="edited"),
        samples.issue_comment(action="deleted"),
        samples.issue_comment("It fails on /recheck."),
        samples.issue_comment("> /recheck"),
        samples.issue_comment(user=BOT),
        samples.issue_comment(user=None),
        {**samples.issue_comment(), "issue": {"number": 12, "state": "open"}},
    ],
    ids=["edited", "deleted", "prose", "quoted", "bot", "ghost", "on an issue"],
)
def test_a_comment_that_asks_for_nothing_is_ignored(payload: dict[str, Any]) -> None:
    assert isinstance(_parse("issue_comment", payload), IgnoredEvent)


def test_a_check_to_be_run_again_is_a_review_of_its_pull_request() -> None:
    event = _parse("check_run", samples.check_run())

    assert event == CheckRerunRequested(ORIGIN, HEAD, (12,), "octocat", 583231, check_run_id=9001)
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind, job.payload["again"]) == ("1001#12", "review", True)


def test_the_check_of_the_rules_is_run_again_by_itself() -> None:
    (job,) = plan_jobs(_parse("check_run", samples.check_run(name="jurat / rules")))
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind, job.payload["again"]) == ("1001#12:rules", "rules", True)


@pytest.mark.parametrize("external_id", ["", f"octo/hello#0@{HEAD}"])
def test_a_check_whose_pull_request_is_unknown_is_looked_up_by_its_head(external_id: str) -> None:
    event = _parse("check_run", samples.check_run(external_id=external_id))

    assert isinstance(event, CheckRerunRequested)
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind) == (f"1001@{HEAD}", "check")
    assert job.payload["head_sha"] == HEAD


def test_a_button_is_kept_with_who_pressed_it() -> None:
    event = _parse("check_run", samples.button("confirm"))

    assert event == CheckRerunRequested(
        ORIGIN, HEAD, (12,), "octocat", 583231, check_run_id=9001, button="confirm"
    )
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind, job.variant) == ("1001#12", "check", "9001:confirm:octocat")
    assert (job.payload["button"], job.payload["sender"]) == ("confirm", "octocat")


def test_a_suite_to_be_run_again_is_a_review_of_each_of_its_own_pull_requests() -> None:
    event = _parse("check_suite", samples.check_suite())

    assert isinstance(event, CheckRerunRequested)
    assert event.numbers == (12,)  # the other one is another repository's
    assert [job.key for job in plan_jobs(event) if isinstance(job, JobRequest)] == ["1001#12"]


@pytest.mark.parametrize("app", [{"id": APP_ID + 1}, None])
def test_checks_of_other_apps_are_ignored(app: dict[str, int] | None) -> None:
    assert isinstance(_parse("check_run", samples.check_run(app=app)), IgnoredEvent)
    assert isinstance(_parse("check_suite", samples.check_suite(app=app)), IgnoredEvent)


def test_a_merge_group_is_checked_on_its_own_head() -> None:
    event = _parse("merge_group", samples.merge_group())

    assert isinstance(event, MergeGroupRequested)
    assert (event.head_sha, event.base_sha) == (HEAD, OTHER)
    (job,) = plan_jobs(event)
    assert isinstance(job, JobRequest)
    assert (job.key, job.kind) == (f"1001@{HEAD}", "merge_group")


def test_what_asks_for_nothing_is_known_and_enqueues_nothing() -> None:
    ping = _parse("ping", {"zen": "Keep it logically awesome.", "hook_id": 1})
    installed = _parse("installation", samples.installation())

    assert ping == Ping()
    assert installed == InstallationChanged("created", 77, "octo")
    assert plan_jobs(Ping()) == plan_jobs(InstallationChanged("created", 77, "octo")) == ()


def _variants() -> list[Event | IgnoredEvent]:
    return [
        _parse("pull_request", samples.pull_request("opened")),
        _parse("pull_request", samples.pull_request("synchronize")),
        _parse("pull_request", samples.pull_request("synchronize", head={"sha": OTHER})),
        _parse("pull_request", samples.pull_request("synchronize", number=13)),
        # Pushed away and back to the same head: the same words, later.
        _parse("pull_request", samples.pull_request("synchronize", updated_at="later")),
        # And within the same second, from another head.
        _parse("pull_request", {**samples.pull_request("synchronize"), "before": OTHER}),
        _parse("pull_request", samples.pull_request("closed")),
        _parse("pull_request", samples.pull_request("closed", merged=True)),
        _parse("issue_comment", samples.issue_comment()),
        _parse("issue_comment", samples.issue_comment(id=5002)),
        _parse("pull_request_review_comment", samples.review_comment()),
        _parse("merge_group", samples.merge_group()),
    ]


def test_events_that_differ_differ_in_meaning() -> None:
    meanings = [event.dedupe_key for event in _variants() if not isinstance(event, IgnoredEvent)]

    assert len(set(meanings)) == len(meanings) == len(_variants())


def test_one_event_under_two_guids_has_one_meaning() -> None:
    def meaning(delivery: str) -> str | None:
        event = _parse("pull_request", samples.pull_request(), delivery)
        assert isinstance(event, PullRequestChanged)
        return event.dedupe_key

    assert meaning("guid-1") == meaning("guid-2")


def test_a_pull_request_may_be_reopened_twice_within_a_second() -> None:
    event = _parse("pull_request", samples.pull_request("reopened"))

    assert isinstance(event, PullRequestChanged)
    assert event.dedupe_key is None


def test_a_button_pressed_twice_is_pressed_twice() -> None:
    event = _parse("check_run", samples.button())

    assert isinstance(event, CheckRerunRequested)
    assert event.dedupe_key is None


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("star", samples.envelope(action="created")),
        ("pull_request", samples.pull_request("assigned")),
        ("check_run", samples.check_run("completed")),
        ("check_suite", samples.check_suite("requested")),
        ("merge_group", samples.merge_group("destroyed")),
        ("pull_request", {**samples.pull_request(), "installation": None}),
        ("pull_request", {}),
    ],
)
def test_everything_else_is_ignored_with_a_reason(name: str, payload: dict[str, Any]) -> None:
    event = _parse(name, payload)

    assert isinstance(event, IgnoredEvent)
    assert event.reason


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        (samples.pull_request(head={"sha": "; rm -rf /"}), "pull_request.head.sha"),
        (samples.pull_request(head={}), "pull_request.head.sha"),
        (samples.pull_request(number=0), "pull_request.number"),
        ({**samples.pull_request(), "pull_request": "12"}, "pull_request"),
        ({**samples.pull_request(), "repository": {"id": 1, "name": "a"}}, "repository.owner"),
        (
            {
                **samples.pull_request(),
                "repository": {"id": 1, "name": "../x", "owner": {"login": "octo"}},
            },
            "repository.name",
        ),
    ],
)
def test_an_event_that_lacks_what_is_needed_says_what(payload: dict[str, Any], place: str) -> None:
    with pytest.raises(PayloadError, match=rf"pull_request event cannot be read: {place}: ") as e:
        _parse("pull_request", payload)

    assert "rm -rf" not in str(e.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(st.data())
def test_no_payload_is_an_error_of_another_kind(data: st.DataObject) -> None:
    name, sample = data.draw(
        st.sampled_from(
            [
                ("pull_request", samples.pull_request()),
                ("issue_comment", samples.issue_comment()),
                ("pull_request_review_comment", samples.review_comment()),
                ("check_run", samples.button()),
                ("check_suite", samples.check_suite()),
                ("merge_group", samples.merge_group()),
                ("installation", samples.installation()),
            ]
        )
    )
    key = data.draw(st.sampled_from(sorted(sample)))
    value = sample[key]
    if isinstance(value, dict) and data.draw(st.booleans()):
        broken: Any = {**value, data.draw(st.sampled_from(sorted(value))): data.draw(_JSON)}
    else:
        broken = data.draw(_JSON)
    try:
        event = _parse(name, {**sample, key: broken})
    except PayloadError:
        return
    if not isinstance(event, IgnoredEvent):
        plan_jobs(event)


def test_every_event_that_is_read_is_subscribed_to_or_sent_unasked() -> None:
    assert {"installation", "installation_repositories", "ping"} == UNASKED
    assert {
        "pull_request",
        "issue_comment",
        "pull_request_review_comment",
        "check_run",
        "check_suite",
        "repository",
        "merge_group",
        "push",
    } == SUBSCRIBED
