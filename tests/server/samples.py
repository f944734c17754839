"""Payloads as GitHub sends them, cut down to what a test is about."""

from __future__ import annotations

from typing import Any

from tests.support.server import APP_ID

HEAD = "a" * 40
OTHER = "b" * 40


def envelope(**fields: Any) -> dict[str, Any]:
    return {
        "repository": {
            "id": 1001,
            "name": "hello",
            "full_name": "octo/hello",
            "owner": {"login": "octo", "id": 1, "type": "Organization"},
        },
        "installation": {"id": 77, "node_id": "x"},
        "sender": {"login": "octocat", "id": 583231, "type": "User"},
        **fields,
    }


def pull_request(action: str = "opened", number: int = 12, **pull: Any) -> dict[str, Any]:
    return envelope(
        action=action,
        number=number,
        pull_request={
            "number": number,
            "state": "open",
            "draft": False,
            "merged": False,
            "user": {"login": "octocat", "id": 583231, "type": "User"},
            "updated_at": "2026-03-02T08:59:58Z",
            "head": {"sha": HEAD, "ref": "topic"},
            "base": {"sha": OTHER, "ref": "main"},
            **pull,
        },
    )


def comment(body: str = "/recheck", **fields: Any) -> dict[str, Any]:
    return {
        "id": 5001,
        "body": body,
        "user": {"login": "octocat", "id": 583231, "type": "User"},
        "created_at": "2026-03-02T08:59:58Z",
        "updated_at": "2026-03-02T08:59:58Z",
        **fields,
    }


def issue_comment(body: str = "/recheck", action: str = "created", **fields: Any) -> dict[str, Any]:
    return envelope(
        action=action,
        issue={"number": 12, "state": "open", "pull_request": {"url": "https://example.com"}},
        comment=comment(body, **fields),
    )


def review_comment(body: str = "/recheck", action: str = "created") -> dict[str, Any]:
    return {**pull_request(action), "comment": comment(body)}


def check_run(action: str = "rerequested", **fields: Any) -> dict[str, Any]:
    return envelope(
        action=action,
        check_run={
            "id": 9001,
            "head_sha": HEAD,
            "name": "jurat",
            "external_id": f"1001#12@{HEAD}",
            "app": {"id": APP_ID, "slug": "jurat"},
            "pull_requests": [],
            **fields,
        },
    )


def button(identifier: str = "confirm", **fields: Any) -> dict[str, Any]:
    return {
        **check_run("requested_action", **fields),
        "requested_action": {"identifier": identifier},
    }


def check_suite(action: str = "rerequested", **fields: Any) -> dict[str, Any]:
    return envelope(
        action=action,
        check_suite={
            "id": 8001,
            "head_sha": HEAD,
            "app": {"id": APP_ID, "slug": "jurat"},
            "pull_requests": [
                {"number": 12, "base": {"repo": {"id": 1001}}},
                {"number": 3, "base": {"repo": {"id": 2002}}},
            ],
            **fields,
        },
    )


def merge_group(action: str = "checks_requested") -> dict[str, Any]:
    return envelope(
        action=action,
        merge_group={
            "head_sha": HEAD,
            "head_ref": f"refs/heads/gh-readonly-queue/main/pr-12-{OTHER}",
            "base_sha": OTHER,
            "base_ref": "refs/heads/main",
        },
    )


def installation(action: str = "created") -> dict[str, Any]:
    return {
        "action": action,
        "installation": {"id": 77, "account": {"login": "octo", "id": 1, "type": "Organization"}},
        "sender": {"login": "octocat", "id": 583231, "type": "User"},
    }
