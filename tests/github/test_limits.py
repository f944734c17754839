from __future__ import annotations

import pytest

from jurat.github.errors import compute_wait

NOW = 1_000.0
SECONDARY = "You have exceeded a secondary rate limit."


@pytest.mark.parametrize(
    ("status", "headers", "message", "attempt", "seconds"),
    [
        (200, {"retry-after": "5"}, "", 1, None),
        (404, {}, "rate limit", 1, None),
        (403, {}, "Resource not accessible by integration", 1, None),
        (403, {"retry-after": "17"}, "", 1, 17.0),
        (429, {"retry-after": "17", "x-ratelimit-remaining": "0"}, "", 1, 17.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1042"}, "", 1, 42.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "900"}, "", 1, 1.0),
        (403, {"x-ratelimit-remaining": "9", "x-ratelimit-reset": "1042"}, SECONDARY, 1, 60.0),
        (403, {}, SECONDARY, 1, 60.0),
        (403, {}, SECONDARY, 2, 120.0),
        (429, {}, "", 3, 240.0),
        (429, {"retry-after": "soon"}, "", 1, 60.0),
        (429, {"retry-after": "nan"}, "", 1, 60.0),
        (429, {"retry-after": "-4"}, "", 1, 0.0),
    ],
)
def test_pause_follows_the_headers_in_githubs_order(
    status: int, headers: dict[str, str], message: str, attempt: int, seconds: float | None
) -> None:
    assert compute_wait(status, headers, message, now=NOW, attempt=attempt) == seconds
