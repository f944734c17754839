"""The life of a pull request."""

from __future__ import annotations

from tests.standins.github.actions.announcing import announce
from tests.standins.github.actions.branches import close_pull, keep_head, land
from tests.standins.github.payloads import webhooks
from tests.standins.github.payloads.pulls import label as payload_of_label
from tests.standins.github.pulls import PullRequest
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json


def open_pull_request(
    repository: Repository,
    *,
    head: str,
    base: str = "",
    title: str = "Change",
    body: str | None = None,
    by: str = "octocat",
    draft: bool = False,
) -> PullRequest:
    """Open a pull request. `head` is a branch, or `owner:branch` of a fork."""
    world = repository.world
    owner, _, branch = head.rpartition(":")
    source = repository
    if owner and owner.lower() != repository.owner.login.lower():
        fork = world.repository(f"{owner}/{repository.name}")
        if fork is None:
            raise ValueError(f"{owner} has no fork of {repository.full_name}")
        source = fork
    base = base or repository.default_branch
    head_sha, base_sha = source.head(branch), repository.head(base)
    if head_sha is None or base_sha is None:
        raise ValueError(f"{repository.full_name} has no branch {branch if base_sha else base!r}")
    repository.last_number += 1
    now = world.now()
    pull = PullRequest(
        id=world.next_id("pull"),
        number=repository.last_number,
        repository=repository,
        head_repository=source,
        head_ref=branch,
        head_sha=head_sha,
        base_ref=base,
        base_sha=base_sha,
        title=title,
        body=body,
        author=world.account(by),
        draft=draft,
        created_at=now,
        updated_at=now,
    )
    repository.pulls[pull.number] = pull
    keep_head(pull)
    _announce(pull, "opened", by=by)
    return pull


def edit_pull_request(
    pull: PullRequest,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
    by: str = "octocat",
) -> None:
    """Change the title, the description or the base branch."""
    old: Json = {}
    changes: Json = {}
    if title is not None:
        old["title"], pull.title = pull.title, title
    if body is not None:
        old["body"], pull.body = pull.body or "", body
    if base is not None:
        tip = pull.repository.head(base)
        if tip is None:
            raise ValueError(f"{pull.repository.full_name} has no branch {base!r}")
        changes["base"] = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = base, tip
    changes |= webhooks.edited(old)["changes"]
    _announce(pull, "edited", by=by, more={"changes": changes})


def close(pull: PullRequest, *, by: str = "octocat") -> None:
    """Close without merging."""
    close_pull(pull, by=by)


def reopen(pull: PullRequest, *, by: str = "octocat") -> None:
    """Open again; the head is the branch as it is now."""
    source = pull.head_repository
    tip = source.head(pull.head_ref) if source else None
    if tip is None:
        raise ValueError(f"the branch {pull.head_ref!r} is gone")
    pull.state, pull.closed_at = "open", None
    if tip != pull.head_sha:
        pull.head_sha = tip
        keep_head(pull)
    _announce(pull, "reopened", by=by)


def merge(pull: PullRequest, *, by: str = "octocat") -> str:
    """Merge into the base branch; the merge commit. Raises ConflictError."""
    pull.base_sha = pull.repository.head(pull.base_ref) or pull.base_sha
    sha = land(pull, by=by)
    world = pull.repository.world
    pull.state, pull.merge_commit = "closed", sha
    pull.merged_by = world.account(by)
    pull.merged_at = pull.closed_at = world.now()
    _announce(pull, "closed", by=by)
    return sha


def convert_to_draft(pull: PullRequest, *, by: str = "octocat") -> None:
    """Take a pull request back to draft."""
    pull.draft = True
    _announce(pull, "converted_to_draft", by=by)


def mark_ready(pull: PullRequest, *, by: str = "octocat") -> None:
    """End the draft."""
    pull.draft = False
    _announce(pull, "ready_for_review", by=by)


def label(pull: PullRequest, name: str, *, by: str = "octocat") -> None:
    """Put a label on it."""
    _relabel(pull, "labeled", name, by=by)


def unlabel(pull: PullRequest, name: str, *, by: str = "octocat") -> None:
    """Take a label off."""
    _relabel(pull, "unlabeled", name, by=by)


def _relabel(pull: PullRequest, action: str, name: str, *, by: str) -> None:
    left = [label for label in pull.labels if label != name]
    pull.labels[:] = [*left, name] if action == "labeled" else left
    _announce(pull, action, by=by, more={"label": payload_of_label(pull.repository, name)})


def _announce(pull: PullRequest, action: str, *, by: str, more: Json | None = None) -> None:
    world = pull.repository.world
    if action != "opened":
        pull.updated_at = world.now()
    payload = webhooks.pull_request(world, action, pull) | (more or {})
    announce(pull.repository, "pull_request", payload, by=by)
