"""Files and archives.

https://docs.github.com/rest/repos/contents
"""

from __future__ import annotations

from tests.standins.github.git import TreeEntry
from tests.standins.github.payloads import contents
from tests.standins.github.refusals import RefusalError, failed, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable

RAW_LIMIT = 100_000_000
"""Bytes above which the contents API does not serve a file at all."""

LISTING_LIMIT = 1_000
"""Entries of a directory that are listed."""

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}/contents{path*}", "contents:read")
def get_contents(call: Call) -> Answer:
    """A file, a directory's listing, a link or a submodule."""
    repository, path = call.repository, call.params["path"].strip("/")
    ref = call.query.get("ref") or repository.default_branch
    commit = repository.git.resolve(ref)
    if commit is None:
        raise RefusalError(404, f"No commit found for the ref {ref}")
    found = _entry(call, commit, path)
    if found is None:
        raise not_found()
    if found.type == "tree":
        inside = repository.git.list_tree(f"{commit}:{path}")[:LISTING_LIMIT]
        listed = [_below(path, item) for item in inside]
        return Answer(200, [contents.entry(call.world, repository, ref, item) for item in listed])
    data = None
    if found.type == "blob":
        blob = repository.git.object(found.sha)
        data = blob.data if blob else None
        if len(data or b"") > RAW_LIMIT:
            raise _too_large()
    if call.media == "raw" and data is not None:
        return Answer(200, data, {"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    return Answer(200, contents.content(call.world, repository, ref, found, data))


@routes.add("GET", "/repos/{owner}/{repo}/tarball{ref*}", "contents:read")
def get_tarball(call: Call) -> Answer:
    """Leads to the archive, by an address that needs no token and is good for five minutes."""
    repository = call.repository
    ref = call.params["ref"].strip("/") or repository.default_branch
    commit = repository.git.resolve(ref)
    if commit is None:
        raise not_found()
    location = call.github.archive_url(repository, commit)
    return Answer(302, None, {"Location": location})


@routes.add("GET", "/_codeload/{owner}/{repo}/legacy.tar.gz/{commit}")
def download_tarball(call: Call) -> Answer:
    """The archive itself. Everything in it lies below `owner-repo-<short commit>/`."""
    found = call.world.repository(f"{call.params['owner']}/{call.params['repo']}")
    commit = call.params["commit"]
    if found is None or not call.github.check_archive_token(
        found, commit, call.query.get("token", "")
    ):
        raise not_found()
    prefix = f"{found.owner.login}-{found.name}-{commit[:7]}"
    return Answer(
        200,
        found.git.archive(commit, f"{prefix}/"),
        {
            "Content-Type": "application/x-gzip",
            "Content-Disposition": f"attachment; filename={prefix}.tar.gz",
        },
    )


def _entry(call: Call, commit: str, path: str) -> TreeEntry | None:
    git = call.repository.git
    if not path:
        return TreeEntry("040000", "tree", git.read_commit(commit).tree, None, "")
    parent, _, name = path.rpartition("/")
    folder = git.object(f"{commit}:{parent}")
    if folder is None or folder.type != "tree":
        return None
    for item in git.list_tree(folder.sha):
        if item.path == name:
            return _below(parent, item)
    return None


def _below(folder: str, item: TreeEntry) -> TreeEntry:
    path = f"{folder}/{item.path}" if folder else item.path
    return TreeEntry(item.mode, item.type, item.sha, item.size, path)


def _too_large() -> RefusalError:
    refusal = failed("Blob", "data", "too_large")
    refusal.status = 403
    refusal.message = (
        "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch "
        "via the API, but you can always clone the repository via Git to obtain it."
    )
    return refusal
