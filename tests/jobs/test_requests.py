from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.jobs.queue import Job, JobRequest
from jurat.jobs.requests import (
    CheckRequest,
    CommandLine,
    CommandRequest,
    MergeGroupRequest,
    Request,
    ReviewRequest,
    UnknownJobError,
    parse_job,
    to_job,
)

WHERE: dict[str, Any] = {
    "repository": "octo/hello",
    "repository_id": 1,
    "installation_id": 2,
}
REVIEW = ReviewRequest(**WHERE, number=12, cause="pull_request.opened")


def _leased(new: JobRequest) -> Job:
    payload = json.loads(json.dumps(new.payload))
    return Job(1, new.key, new.kind, payload, attempts=1, lease=1, delivery=new.delivery)


@settings(deadline=None)
@given(
    st.one_of(
        st.builds(ReviewRequest),
        st.builds(CommandRequest),
        st.builds(CheckRequest),
        st.builds(MergeGroupRequest),
    )
)
def test_a_request_comes_out_of_its_job_as_it_went_in(request: Request) -> None:
    assert parse_job(_leased(to_job(request, "guid"))) == request


def _command(comment: int) -> CommandRequest:
    return CommandRequest(
        **WHERE,
        number=12,
        place="issue_comment",
        comment_id=comment,
        author="octocat",
        author_id=1,
        commands=(CommandLine(name="recheck"),),
    )


def _check(**fields: Any) -> CheckRequest:
    return CheckRequest(**WHERE, head_sha="a" * 40, sender="octocat", sender_id=1, **fields)


def test_the_jobs_of_a_pull_request_are_serial() -> None:
    requests = (REVIEW, _command(1), _check(numbers=(12,), button="confirm"))

    assert {to_job(request).key for request in requests} == {"1#12"}


def test_what_names_no_pull_request_is_serial_by_commit() -> None:
    group = MergeGroupRequest(**WHERE, head_sha="b" * 40, head_ref="h", base_sha="c", base_ref="m")

    assert to_job(_check()).key == f"1@{'a' * 40}"
    assert to_job(group).key == f"1@{'b' * 40}"


def test_two_reviews_are_one_job_but_two_commands_or_buttons_are_two() -> None:
    def place(request: Request) -> tuple[str, str, str]:
        job = to_job(request)
        return job.key, job.kind, job.variant

    pushed = REVIEW.model_copy(update={"cause": "pull_request.synchronize"})
    confirm, recheck = (_check(numbers=(12,), button=name) for name in ("confirm", "recheck"))
    another = confirm.model_copy(update={"sender": "hubot"})

    assert place(REVIEW) == place(pushed)
    assert place(_command(1)) != place(_command(2))
    assert place(confirm) != place(recheck)
    assert place(confirm) != place(another)


@pytest.mark.parametrize(
    "more",
    [
        {"again": True},
        {"cause": "pull_request.edited"},
        {"cause": "pull_request.ready_for_review"},
    ],
)
def test_a_review_that_is_wanted_anew_is_not_lost_to_one_that_is_not(more: dict[str, Any]) -> None:
    anew = REVIEW.model_copy(update=more)

    assert anew.is_repeated
    assert to_job(anew).variant != to_job(REVIEW).variant


@pytest.mark.parametrize(
    ("kind", "payload"), [("dance", {}), ("review", {}), ("review", {"number": "twelve"})]
)
def test_a_job_of_another_release_is_an_error_for_good(kind: str, payload: dict[str, Any]) -> None:
    job = Job(7, "octo/hello#12", kind, payload, attempts=1, lease=1)

    with pytest.raises(UnknownJobError, match="Job 7") as caught:
        parse_job(job)

    assert not caught.value.retryable


def test_a_key_that_a_later_release_adds_is_ignored() -> None:
    job = to_job(REVIEW)

    assert parse_job(_leased(JobRequest(job.key, job.kind, {**job.payload, "new": 1}))) == REVIEW
