"""Pushes, forks and the merge queue: everything that moves a ref."""

from __future__ import annotations

from tests.standins.github.actions.announcing import announce
from tests.standins.github.actions.checks import request_suite
from tests.standins.github.git import Content, Files, GitStore, Person, Stored
from tests.standins.github.payloads import accounts, webhooks
from tests.standins.github.pulls import PullRequest
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json

_FIRST_COMMIT = 1_767_225_600
"""2026-01-01. Commits carry the time of their author's machine, here a minute apart, so that
object names depend on nothing but what was committed and in which order."""


class ConflictError(Exception):
    """Two branches changed the same file."""


def push(
    repository: Repository,
    branch: str,
    files: Files,
    message: str = "Update",
    *,
    by: str = "octocat",
    onto: str = "",
) -> str:
    """Commit `files` and push the branch; the new commit's name.

    The commit stands on `onto`: by default on the tip of the branch, or of the default branch if
    this one is new. Anything else than the tip makes it a force push.
    """
    before = repository.head(branch)
    parent = onto or before or repository.head()
    sha = write_commit(
        repository, branch, files, message, parents=[parent] if parent else [], by=by
    )
    _moved(repository, branch, before, sha, by=by)
    return sha


def push_commit(repository: Repository, branch: str, sha: str, *, by: str = "octocat") -> None:
    """Push a commit that exists already to a branch, by force if needed."""
    before = repository.head(branch)
    repository.git.set_ref(f"refs/heads/{branch}", sha)
    _moved(repository, branch, before, sha, by=by)


def create_branch(repository: Repository, branch: str, *, by: str = "octocat") -> str:
    """A new branch at the tip of the default branch."""
    sha = repository.head()
    if sha is None:
        raise ValueError(f"{repository.full_name} is empty")
    push_commit(repository, branch, sha, by=by)
    return sha


def delete_branch(repository: Repository, branch: str, *, by: str = "octocat") -> None:
    """Delete a branch. Open pull requests from it are closed."""
    before = repository.head(branch)
    if before is None:
        raise ValueError(f"{repository.full_name} has no branch {branch!r}")
    repository.git.delete_ref(f"refs/heads/{branch}")
    _announce_push(repository, f"refs/heads/{branch}", before, webhooks.NO_COMMIT, by=by)
    for pull in _pulls_from(repository, branch):
        close_pull(pull, by=by)


def fork(repository: Repository, owner: str) -> Repository:
    """A copy of all branches under another account, where the App is not installed."""
    world = repository.world
    copy = world.add_repository(world.account(owner), repository.name, private=repository.private)
    copy.fork_of = repository
    copy.default_branch = repository.default_branch
    # Commits written there later must not repeat the times of these.
    copy.commits_written = repository.commits_written
    copy.git.fetch(repository.git, "refs/heads/*", "refs/heads/*")
    return copy


def rename_repository(repository: Repository, full_name: str, *, by: str = "octocat") -> None:
    """Rename a repository, or transfer it to another owner: whose App is told, if it has one."""
    owner, _, name = full_name.partition("/")
    world, old = repository.world, repository.owner
    changes: Json = {"repository": {"name": {"from": repository.name}}}
    world.move_repository(repository, world.account(owner, "Organization"), name)
    action = "renamed"
    if repository.owner is not old:
        action = "transferred"
        changes = {"owner": {"from": accounts.owner(world, old)}}
    announce(repository, "repository", {"action": action, "changes": changes}, by=by)


def enqueue(repository: Repository, pulls: list[PullRequest], *, by: str = "octocat") -> str:
    """Put pull requests of one base into the merge queue as one group; the group's head."""
    base_ref = pulls[0].base_ref
    base = head = repository.head(base_ref) or ""
    name = f"gh-readonly-queue/{base_ref}/pr-{pulls[-1].number}-{base}"
    for pull in pulls:
        head = merge_commit(pull, head, f"refs/heads/{name}", by=by)
    _announce_push(repository, f"refs/heads/{name}", webhooks.NO_COMMIT, head, by=by)
    payload = webhooks.merge_group(
        repository, f"refs/heads/{base_ref}", base, f"refs/heads/{name}", head
    )
    announce(repository, "merge_group", payload, by=by)
    return head


def merge_commit(pull: PullRequest, base: str, ref: str, *, by: str) -> str:
    """Merge a pull request's head into `base`, file by file, and point `ref` at the merge."""
    files = _merged(pull.repository.git, onto=base, other=pull.head_sha)
    message = f"Merge pull request #{pull.number} from {pull.head_ref}\n\n{pull.title}"
    parents = [base, pull.head_sha]
    return _write(pull.repository, ref, files, message, parents=parents, by=by)


def update_branch(pull: PullRequest, *, by: str, signed: bool = True) -> str:
    """Merge the base into the pull request's branch: with GitHub's button, or else by hand.

    https://docs.github.com/pull-requests/collaborating-with-pull-requests
    """
    repository, before = pull.repository, pull.head_sha
    base = repository.head(pull.base_ref) or ""
    files = _merged(repository.git, onto=before, other=base)
    message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    ref = f"refs/heads/{pull.head_ref}"
    sha = _write(repository, ref, files, message, parents=[before, base], by=by)
    if signed:
        repository.signed.add(sha)
    _moved(repository, pull.head_ref, before, sha, by=by)
    return sha


def write_commit(
    repository: Repository,
    branch: str,
    files: Files,
    message: str,
    *,
    parents: list[str],
    by: str,
) -> str:
    """Write a commit and move the branch, without telling anybody."""
    ref = f"refs/heads/{branch}"
    return _write(repository, ref, files, message, parents=parents, by=by)


def _merged(git: GitStore, *, onto: str, other: str) -> dict[str, Content | None]:
    """What `other` changed, file by file, for a merge into `onto`."""
    root = git.merge_base(onto, other)
    if root is None:
        raise ConflictError("the branches have nothing in common")
    theirs = {change.path for change in git.changed_paths(root, onto)}
    files: dict[str, Content | None] = {}
    for change in git.changed_paths(root, other):
        if {change.path, change.old_path} & theirs:
            raise ConflictError(f"{change.path} was changed on both sides")
        if change.old_path != change.path and change.status == "R":
            files[change.old_path] = None
        gone = change.status == "D"
        files[change.path] = None if gone else Stored(change.new_mode, change.new_sha)
    return files


def land(pull: PullRequest, *, by: str) -> str:
    """Merge a pull request into its base branch and push that."""
    repository, branch = pull.repository, pull.base_ref
    before = repository.head(branch)
    if before is None:
        raise ConflictError(f"the branch {branch!r} is gone")
    sha = merge_commit(pull, before, f"refs/heads/{branch}", by=by)
    _moved(repository, branch, before, sha, by=by)
    return sha


def keep_head(pull: PullRequest) -> None:
    """Bring the head commit into the base repository and keep it as `refs/pull/N/head`."""
    ref = f"refs/pull/{pull.number}/head"
    source = pull.head_repository
    if source is None or source is pull.repository:
        pull.repository.git.set_ref(ref, pull.head_sha)
    else:
        pull.repository.git.fetch(source.git, f"refs/heads/{pull.head_ref}", ref)


def close_pull(pull: PullRequest, *, by: str) -> None:
    """Close a pull request, and say so."""
    world = pull.repository.world
    pull.base_sha = pull.repository.head(pull.base_ref) or pull.base_sha
    pull.state = "closed"
    pull.closed_at = pull.updated_at = world.now()
    announce(pull.repository, "pull_request", webhooks.pull_request(world, "closed", pull), by=by)


def _write(
    repository: Repository,
    ref: str,
    files: Files,
    message: str,
    *,
    parents: list[str],
    by: str,
) -> str:
    repository.world.account(by)
    when = _FIRST_COMMIT + 60 * repository.commits_written
    repository.commits_written += 1
    author = Person(by, f"{by}@users.noreply.github.com")
    return repository.git.commit(ref, files, message, parents=parents, author=author, when=when)


def _moved(repository: Repository, branch: str, before: str | None, after: str, *, by: str) -> None:
    """Tell everybody that a branch moved, and take open pull requests along."""
    if before == after:
        return
    world = repository.world
    was = before or webhooks.NO_COMMIT
    _announce_push(repository, f"refs/heads/{branch}", was, after, by=by)
    request_suite(repository, after, branch=branch, before=was, by=by)
    for pull in _pulls_from(repository, branch):
        pull.head_sha = after
        pull.base_sha = pull.repository.head(pull.base_ref) or pull.base_sha
        pull.updated_at = world.now()
        keep_head(pull)
        payload = webhooks.pull_request(world, "synchronize", pull)
        payload |= {"before": before, "after": after}
        announce(pull.repository, "pull_request", payload, by=by)


def _announce_push(repository: Repository, ref: str, before: str, after: str, *, by: str) -> None:
    world = repository.world
    repository.pushed_at = world.now()
    if world.installation_of(repository) is None:
        return
    payload = webhooks.push(
        world, repository, ref, before=before, after=after, pusher=world.account(by)
    )
    announce(repository, "push", payload, by=by)


def _pulls_from(repository: Repository, branch: str) -> list[PullRequest]:
    """The open pull requests whose head is this branch: here, or where this is a fork of."""
    homes = [repository, *([repository.fork_of] if repository.fork_of else [])]
    return [
        pull
        for home in homes
        for pull in home.pulls.values()
        if pull.state == "open" and pull.head_repository is repository and pull.head_ref == branch
    ]
