"""What a check run may say.

https://docs.github.com/rest/checks/runs
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.standins.github.refusals import failed, invalid
from tests.standins.github.world import Json

STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")

CONCLUSIONS = (
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "timed_out",
)

TEXT_LIMIT = 65_535
"""Bytes of an output's summary and of its text: https://github.com/github/docs/issues/35252."""

ANNOTATIONS_LIMIT = 50
"""Annotations of one request."""

MESSAGE_LIMIT = 64 * 1024
"""Bytes of an annotation's message and of its raw details."""

TITLE_LIMIT = 255
"""Characters of an annotation's title."""

ACTIONS_LIMIT = 3

_ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}

_LEVELS = ("notice", "warning", "failure")


def check_run_body(body: Json) -> None:
    """Refuse a body that GitHub would refuse."""
    status, conclusion = body.get("status"), body.get("conclusion")
    if status not in (None, *STATUSES):
        raise invalid(f"For 'properties/status', {status!r} is not a member of {STATUSES}.")
    if conclusion not in (None, *CONCLUSIONS):
        raise invalid(
            f"For 'properties/conclusion', {conclusion!r} is not a member of {CONCLUSIONS}."
        )
    if status == "completed" and conclusion is None:
        raise invalid('"conclusion" wasn\'t supplied.')
    for name in ("started_at", "completed_at"):
        _check_moment(body, name)
    if (output := body.get("output")) is not None:
        _check_output(output)
    actions = body.get("actions") or []
    _at_most(actions, ACTIONS_LIMIT)
    for action in actions:
        for name, limit in _ACTION_LIMITS.items():
            _check_text(action, name, limit)


def _check_moment(body: Json, name: str) -> None:
    given = body.get(name)
    if given is None:
        return
    try:
        moment = datetime.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise invalid(f"For 'properties/{name}', {given!r} is not a date-time.") from error
    if moment.tzinfo is None:
        raise invalid(f"For 'properties/{name}', {given!r} is not a date-time.")


def _check_output(output: Any) -> None:
    if not isinstance(output, dict):
        raise invalid(f"For 'properties/output', {str(output)[:40]!r} is not an object.")
    for name in ("title", "summary"):
        if not isinstance(output.get(name), str):
            raise invalid(f'"{name}" wasn\'t supplied.')
    for name in ("summary", "text"):
        if len((output.get(name) or "").encode()) > TEXT_LIMIT:
            problem = f"{name} exceeds a maximum bytesize of {TEXT_LIMIT}"
            raise failed("CheckRun", name, "custom", problem)
    annotations = output.get("annotations") or []
    _at_most(annotations, ANNOTATIONS_LIMIT)
    for annotation in annotations:
        _check_annotation(annotation)


def _check_annotation(given: Any) -> None:
    for name in ("path", "start_line", "end_line", "annotation_level", "message"):
        if not isinstance(given, dict) or given.get(name) is None:
            raise invalid(f'"{name}" wasn\'t supplied.')
    if given["annotation_level"] not in _LEVELS:
        raise invalid(f"{given['annotation_level']!r} is not a member of {_LEVELS}.")
    first, last = given["start_line"], given["end_line"]
    if not isinstance(first, int) or not isinstance(last, int) or not 0 < first <= last:
        raise failed("CheckRun", "annotations", "invalid", "end_line must not be before start_line")
    if first != last and (given.get("start_column") or given.get("end_column")):
        raise failed(
            "CheckRun",
            "annotations",
            "invalid",
            "start_column and end_column need start_line and end_line to be the same",
        )
    for name in ("message", "raw_details"):
        if len((given.get(name) or "").encode()) > MESSAGE_LIMIT:
            raise failed("CheckRun", name, "invalid", f"{name} is larger than 64 KB")
    if len(given.get("title") or "") > TITLE_LIMIT:
        raise failed("CheckRun", "title", "invalid", f"title is over {TITLE_LIMIT} characters")


def _check_text(given: Any, name: str, limit: int) -> None:
    text = given.get(name) if isinstance(given, dict) else None
    if not isinstance(text, str):
        raise invalid(f'"{name}" wasn\'t supplied.')
    if len(text) > limit:
        raise invalid(f"Only {limit} characters are allowed; {len(text)} were supplied.")


def _at_most(items: Any, limit: int) -> None:
    if not isinstance(items, list):
        raise invalid(f"{str(items)[:40]!r} is not an array.")
    if len(items) > limit:
        raise invalid(f"No more than {limit} items are allowed; {len(items)} were supplied.")
