from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from githubkit_schemas.latest.models import AppPermissions

from jurat.github.events import SUBSCRIBED, UNASKED
from jurat.settings import DEFAULT_WEBHOOK_PATH

# https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
KEYS = {
    "name",
    "url",
    "hook_attributes",
    "redirect_url",
    "callback_urls",
    "setup_url",
    "description",
    "public",
    "default_events",
    "default_permissions",
    "request_oauth_on_install",
    "setup_on_update",
}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    text = (Path(__file__).parents[2] / "app.yml").read_text(encoding="utf-8")
    loaded = yaml.safe_load(text)
    assert isinstance(loaded, dict)
    return loaded


def test_it_has_what_github_asks_for_and_nothing_it_does_not_know(manifest: dict[str, Any]) -> None:
    required = {"name", "url", "description", "public", "hook_attributes"}

    assert required | {"default_events", "default_permissions"} <= set(manifest) <= KEYS
    assert set(manifest["hook_attributes"]) == {"url", "active"}
    assert 0 < len(manifest["name"]) <= 34
    assert manifest["public"] is False


def test_deliveries_go_where_the_server_takes_them(manifest: dict[str, Any]) -> None:
    assert manifest["hook_attributes"]["active"] is True
    assert manifest["hook_attributes"]["url"].startswith("https://")
    assert manifest["hook_attributes"]["url"].endswith(DEFAULT_WEBHOOK_PATH)


def test_it_subscribes_to_every_event_that_is_acted_on_and_to_no_other(
    manifest: dict[str, Any],
) -> None:
    events = manifest["default_events"]

    assert set(events) == SUBSCRIBED
    assert len(events) == len(set(events))
    assert not UNASKED & set(events)


def test_its_permissions_exist_and_are_no_wider_than_needed(manifest: dict[str, Any]) -> None:
    permissions = manifest["default_permissions"]

    for name, access in permissions.items():
        levels = {
            level
            for option in get_args(AppPermissions.model_fields[name].annotation)
            for level in get_args(option)
        }
        assert access in levels
    assert permissions == {
        "checks": "write",
        "contents": "read",
        "pull_requests": "write",
        "issues": "read",
        "merge_queues": "read",
        "metadata": "read",
    }


# GitHub lets an App subscribe to an event only with one of these permissions:
# https://docs.github.com/en/webhooks/webhook-events-and-payloads
GRANTS = {
    "pull_request": "pull_requests",
    "issue_comment": "issues",
    "pull_request_review_comment": "pull_requests",
    "check_run": "checks",
    "check_suite": "checks",
    "merge_group": "merge_queues",
    "push": "contents",
    "repository": "metadata",
}


def test_each_event_has_the_permission_it_is_sent_under(manifest: dict[str, Any]) -> None:
    for event in manifest["default_events"]:
        assert manifest["default_permissions"][GRANTS[event]] in ("read", "write")
