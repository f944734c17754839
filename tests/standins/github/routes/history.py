"""Commits, comparisons, and the Git database.

https://docs.github.com/rest/commits and https://docs.github.com/rest/git
"""

from __future__ import annotations

from tests.standins.github.diffs import refusal
from tests.standins.github.git import EMPTY_TREE, GitObject
from tests.standins.github.payloads import commits, contents
from tests.standins.github.payloads.pulls import simple_pull
from tests.standins.github.refusals import RefusalError, failed, not_found
from tests.standins.github.repositories import Repository
from tests.standins.github.routes.calls import Answer, Call, RouteTable

TREE_LIMIT = 100_000
"""Entries of a recursive tree, above which it is cut and says so."""

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref}/pulls", "pull_requests:read")
def list_pulls_of_commit(call: Call) -> Answer:
    """The pull requests that hold a commit."""
    repository, sha = call.repository, _commit(call, call.params["ref"])
    found = [
        pull
        for pull in repository.pulls.values()
        if sha in (pull.head_sha, pull.merge_commit) or sha in pull.commits()
    ]
    return call.listed(found, lambda pull: simple_pull(call.world, pull))


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref*}", "contents:read")
def get_commit(call: Call) -> Answer:
    """A commit and its diff against the first parent."""
    repository, sha = call.repository, _commit(call, call.params["ref"])
    if call.media in ("diff", "patch"):
        parents = repository.git.read_commit(sha).parents
        return diff_answer(call, repository, parents[0] if parents else EMPTY_TREE, sha)
    if call.media == "sha":
        kind = "application/vnd.github.sha; charset=utf-8"
        return Answer(200, sha.encode(), {"Content-Type": kind})
    return Answer(200, commits.full_commit(call.world, repository, sha))


@routes.add("GET", "/repos/{owner}/{repo}/compare/{basehead*}", "contents:read")
def compare(call: Call) -> Answer:
    """A three-dot comparison; an end is a ref, or `owner:branch` of a fork."""
    base_name, dots, head_name = call.params["basehead"].partition("...")
    if not dots:
        raise not_found()
    repository = call.repository
    base, head = _end(call, base_name), _end(call, head_name)
    if call.media in ("diff", "patch"):
        root = repository.git.merge_base(base, head) or base
        return diff_answer(call, repository, root, head)
    page, headers = call.page(repository.git.log(base, head))
    shown = commits.comparison(call.world, repository, base, head, page)
    if call.query.get("page", "1") != "1":
        shown["files"] = []
    return Answer(200, shown, headers)


@routes.add("GET", "/repos/{owner}/{repo}/git/commits/{sha}", "contents:read")
def get_git_commit(call: Call) -> Answer:
    """A commit of the Git database."""
    found = _object(call, "commit")
    return Answer(200, commits.git_commit(call.world, call.repository, found.sha))


@routes.add("GET", "/repos/{owner}/{repo}/git/trees/{sha*}", "contents:read")
def get_tree(call: Call) -> Answer:
    """A tree, named by itself, a commit or a branch."""
    repository = call.repository
    name = call.params["sha"]
    commit = name if _is_object_name(name) else repository.git.resolve(name)
    found = repository.git.object(f"{commit}^{{tree}}") if commit else None
    if found is None:
        raise not_found()
    items = repository.git.list_tree(found.sha, recursive="recursive" in call.query)
    cut = len(items) > TREE_LIMIT
    return Answer(
        200,
        contents.tree(call.world, repository, found.sha, items[:TREE_LIMIT], truncated=cut),
    )


@routes.add("GET", "/repos/{owner}/{repo}/git/blobs/{sha}", "contents:read")
def get_blob(call: Call) -> Answer:
    """A blob, in base64 or raw."""
    found = _object(call, "blob")
    if call.media == "raw":
        return Answer(
            200, found.data, {"Content-Type": "application/vnd.github.raw; charset=utf-8"}
        )
    return Answer(200, contents.blob(call.world, call.repository, found))


@routes.add("GET", "/repos/{owner}/{repo}/git/ref/{ref*}", "contents:read")
def get_ref(call: Call) -> Answer:
    """One ref by its whole name, such as `heads/main`."""
    name = f"refs/{call.params['ref']}"
    sha = call.repository.git.refs(name).get(name)
    if sha is None:
        raise not_found()
    return Answer(200, contents.ref(call.world, call.repository, name, sha))


@routes.add("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref*}", "contents:read")
def list_matching_refs(call: Call) -> Answer:
    """The refs that begin with a name."""
    prefix = f"refs/{call.params['ref']}"
    found = [one for one in call.repository.git.refs("refs/").items() if one[0].startswith(prefix)]
    return call.listed(found, lambda one: contents.ref(call.world, call.repository, *one))


def diff_answer(call: Call, repository: Repository, base: str, head: str) -> Answer:
    """The diff between two commits, unless it is too large to be served."""
    patch = repository.git.patch(base, head)
    files = len(repository.git.changed_paths(base, head))
    if reason := refusal(patch, files, call.world.limits):
        refused = failed("PullRequest", "diff", "too_large")
        refused.status, refused.message = 406, reason
        raise refused
    # Real GitHub says utf-8 here whatever the bytes are.
    kind = f"application/vnd.github.{call.media}; charset=utf-8"
    return Answer(200, patch, {"Content-Type": kind})


def _is_object_name(name: str) -> bool:
    return len(name) == 40 and set(name) <= set("0123456789abcdef")


def _object(call: Call, kind: str) -> GitObject:
    """The object that the path names in full."""
    name = call.params["sha"]
    found = call.repository.git.object(name) if _is_object_name(name) else None
    if found is None or found.type != kind:
        raise not_found()
    return found


def _commit(call: Call, ref: str) -> str:
    sha = call.repository.git.resolve(ref)
    if sha is None and not call.repository.git.refs("refs/heads/"):
        raise RefusalError(409, "Git Repository is empty.")
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {ref}")
    return sha


def _end(call: Call, name: str) -> str:
    """One end of a comparison, its objects brought into the repository."""
    owner, _, branch = name.rpartition(":")
    repository = call.repository
    if owner and owner.lower() != repository.owner.login.lower():
        fork = call.world.repository(f"{owner}/{repository.name}")
        sha = fork.head(branch) if fork else None
        if fork is None or sha is None:
            raise not_found()
        repository.git.fetch(fork.git, f"refs/heads/{branch}", f"refs/forks/{owner}/{branch}")
        return sha
    found = repository.git.resolve(branch)
    if found is None:
        raise not_found()
    return found
