from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.errors import ConfigurationError, IncompleteError, JuratError, UsageError
from jurat.github.errors import AbsentError, GitHubUnavailableError, RateLimitedError
from jurat.jobs.worker import (
    GiveUp,
    Retry,
    RetryPolicy,
    compute_backoff,
    decide_retry,
    describe_error,
)

POLICY = RetryPolicy(max_attempts=3, first=4.0, longest=60.0)


@settings(deadline=None)
@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_a_pause_is_at_least_half_of_the_doubled_one_and_bounded(
    attempts: int, draw: float
) -> None:
    whole = min(60.0, 4.0 * 2.0 ** min(attempts - 1, 30))

    assert whole / 2 <= compute_backoff(attempts, POLICY, draw) <= whole


@pytest.mark.parametrize(
    "error",
    [
        IncompleteError("The model did not answer."),
        GitHubUnavailableError("GitHub did not answer."),
        TimeoutError(),
        KeyError("a bug"),
    ],
)
def test_what_may_pass_is_tried_again_a_bounded_number_of_times(error: Exception) -> None:
    assert isinstance(decide_retry(error, 1, POLICY, 0.5), Retry)
    assert isinstance(decide_retry(error, 2, POLICY, 0.5), Retry)

    end = decide_retry(error, 3, POLICY, 0.5)

    assert isinstance(end, GiveUp)
    assert end.reason.startswith("Given up after 3 attempts. ")


@pytest.mark.parametrize(
    "error",
    [
        UsageError("PORT is 'x'."),
        ConfigurationError(".github/jurat.yml", 3, "packs", "unknown pack"),
        AbsentError("The file is not there."),
    ],
)
def test_what_only_a_person_can_mend_is_given_up_at_once(error: JuratError) -> None:
    assert decide_retry(error, 1, POLICY, 0.5) == GiveUp(str(error))


def test_a_pause_that_github_asks_for_is_kept() -> None:
    limited = RateLimitedError("Slow down.", retry_after=123.0)

    outcome = decide_retry(limited, 1, POLICY, 0.5)

    assert isinstance(outcome, Retry)
    assert outcome.delay.total_seconds() == 123.0


def test_a_reason_is_one_short_line() -> None:
    reason = describe_error(ValueError("first\nsecond " + "x" * 1000))

    assert reason.startswith("ValueError: first second x")
    assert len(reason) == 500
