"""Commits, comparisons and the files of a diff."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

from tests.standins.github.clock import timestamp
from tests.standins.github.diffs import FileDiff
from tests.standins.github.git import EMPTY_TREE, CommitObject, Person
from tests.standins.github.payloads.accounts import user
from tests.standins.github.payloads.repositories import api_url, html_url
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World

_UNSIGNED = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}
# https://docs.github.com/authentication/managing-commit-signature-verification
_SIGNED = {"verified": True, "reason": "valid", "signature": "-----", "payload": "tree"}


def text(path: str) -> str:
    """A path as JSON can hold it; bytes that are not UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def quoted(path: str) -> str:
    """A path inside a URL."""
    return quote(path.encode("utf-8", "surrogateescape"))


def commit(world: World, repository: Repository, sha: str) -> Json:
    """A commit in a list: no files, no numbers."""
    api, found = api_url(world, repository), repository.git.read_commit(sha)
    author = _account(world, found.author)
    signed = sha in repository.signed
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "commit": {
            "author": _stamp(found),
            "committer": _stamp(found),
            "message": found.message.rstrip("\n"),
            "tree": {"sha": found.tree, "url": f"{api}/git/trees/{found.tree}"},
            "url": f"{api}/git/commits/{sha}",
            "comment_count": 0,
            "verification": _UNSIGNED | (_SIGNED if signed else {}),
        },
        "url": f"{api}/commits/{sha}",
        "html_url": f"{html_url(world, repository)}/commit/{sha}",
        "comments_url": f"{api}/commits/{sha}/comments",
        "author": author,
        "committer": user(world, world.account("web-flow")) if signed else author,
        "parents": _parents(world, repository, found),
    }


def full_commit(world: World, repository: Repository, sha: str) -> Json:
    """A commit with its diff against its first parent; the first 300 files."""
    parents = repository.git.read_commit(sha).parents
    files = repository.diffs.files(parents[0] if parents else EMPTY_TREE, sha)
    added = sum(file.change.additions or 0 for file in files)
    removed = sum(file.change.deletions or 0 for file in files)
    return commit(world, repository, sha) | {
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
        "files": [diff_entry(world, repository, sha, file) for file in files[:300]],
    }


def git_commit(world: World, repository: Repository, sha: str) -> Json:
    """A commit as the Git database API gives it."""
    api, found = api_url(world, repository), repository.git.read_commit(sha)
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": f"{api}/git/commits/{sha}",
        "html_url": f"{html_url(world, repository)}/commit/{sha}",
        "author": _stamp(found),
        "committer": _stamp(found),
        "tree": {"sha": found.tree, "url": f"{api}/git/trees/{found.tree}"},
        "message": found.message.rstrip("\n"),
        "parents": _parents(world, repository, found),
        "verification": dict(_UNSIGNED),
    }


def simple_commit(repository: Repository, sha: str) -> Json:
    """A commit as it stands inside check suites and merge groups."""
    found = repository.git.read_commit(sha)
    person = {"name": found.author.name, "email": found.author.email}
    return {
        "id": sha,
        "tree_id": found.tree,
        "message": found.message.rstrip("\n"),
        "timestamp": _moment(found),
        "author": person,
        "committer": dict(person),
    }


def pushed_commit(world: World, repository: Repository, sha: str) -> Json:
    """A commit as it stands inside a push event."""
    return simple_commit(repository, sha) | {
        "distinct": True,
        "url": f"{html_url(world, repository)}/commit/{sha}",
        **_touched(repository, sha),
    }


def comparison(
    world: World, repository: Repository, base: str, head: str, commits: list[str]
) -> Json:
    """A three-dot comparison. `commits` is the page asked for; files stand on the first page."""
    git, api, html = repository.git, api_url(world, repository), html_url(world, repository)
    root = git.merge_base(base, head) or base
    ahead, behind = len(git.log(base, head)), len(git.log(head, base))
    status = {
        (True, True): "diverged",
        (True, False): "ahead",
        (False, True): "behind",
        (False, False): "identical",
    }[(ahead > 0, behind > 0)]
    files = repository.diffs.files(root, head)[: world.limits.files]
    return {
        "url": f"{api}/compare/{base}...{head}",
        "html_url": f"{html}/compare/{base}...{head}",
        "permalink_url": f"{html}/compare/{base[:12]}...{head[:12]}",
        "diff_url": f"{html}/compare/{base}...{head}.diff",
        "patch_url": f"{html}/compare/{base}...{head}.patch",
        "base_commit": commit(world, repository, base),
        "merge_base_commit": commit(world, repository, root),
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [commit(world, repository, sha) for sha in commits],
        "files": [diff_entry(world, repository, head, file) for file in files],
    }


def diff_entry(world: World, repository: Repository, sha: str, file: FileDiff) -> Json:
    """A changed file. `patch` is absent for binary, unchanged and too large ones."""
    api, html, path = api_url(world, repository), html_url(world, repository), quoted(file.path)
    added, removed = file.change.additions or 0, file.change.deletions or 0
    gone = file.change.status == "D"
    entry = {
        "sha": file.change.old_sha if gone else file.change.new_sha,
        "filename": text(file.path),
        "status": file.status,
        "additions": added,
        "deletions": removed,
        "changes": added + removed,
        "blob_url": f"{html}/blob/{sha}/{path}",
        "raw_url": f"{html}/raw/{sha}/{path}",
        "contents_url": f"{api}/contents/{path}?ref={sha}",
    }
    if file.change.status in "RC":
        entry["previous_filename"] = text(file.change.old_path)
    if file.patch and not file.too_large(world.limits):
        # The API leaves out the newline that ends the last line.
        entry["patch"] = file.patch.removesuffix(b"\n").decode("utf-8", "replace")
    return entry


def _touched(repository: Repository, sha: str) -> Json:
    parents = repository.git.read_commit(sha).parents
    changes = repository.git.changed_paths(parents[0] if parents else EMPTY_TREE, sha)
    named = {"added": "A", "removed": "D", "modified": "MRTC"}
    return {
        key: [text(change.path) for change in changes if change.status in letters]
        for key, letters in named.items()
    }


def _parents(world: World, repository: Repository, found: CommitObject) -> list[Json]:
    api, html = api_url(world, repository), html_url(world, repository)
    return [
        {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{html}/commit/{sha}"}
        for sha in found.parents
    ]


def _account(world: World, person: Person) -> Json | None:
    """The account whose private e-mail address wrote the commit, if any."""
    known = world.accounts.get(person.email.removesuffix("@users.noreply.github.com").lower())
    return user(world, known) if known else None


def _moment(found: CommitObject) -> str:
    return timestamp(datetime.fromtimestamp(found.when, UTC))


def _stamp(found: CommitObject) -> Json:
    return {"name": found.author.name, "email": found.author.email, "date": _moment(found)}
