"""Changes that were reviewed before; and both ends of a pull request as worktrees to rate.

GitHub's tree names every file by the id of its content, so that what both ends share is fetched
from one archive and known by its id. Only contents that have their id count: an archive's may not,
as `.gitattributes`, which the pull request's author decides, can change or leave them out.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha1

from jurat.errors import IncompleteError, JuratError
from jurat.github.client import DIFF, RAW, GitHub
from jurat.github.contents import MAX_SINGLY, SINGLY, CommitFiles, attach_texts, from_archive
from jurat.github.diffs import DIFF_LIMIT
from jurat.github.errors import GitHubError, NotFoundError, TooLargeError
from jurat.github.models import GitTreeEntryPayload, GitTreePayload, PullRequestPayload
from jurat.github.pull_requests import read_pull_request
from jurat.github.retries import run_concurrently
from jurat.rating.signals.file_roles import Role, detect_role, is_foreign
from jurat.rating.signals.worktree import FILE_LIMIT, FileEntry, Worktree, build_worktree
from jurat.source.diff import Diff
from jurat.source.diff_parser import parse_diff

# A change that was reviewed once, read again: its text is not kept, its commits are on GitHub.

MAX_FILES = 100
"""Files of a change that is read again: what is wanted of it is an impression, not a verdict."""


class CommitGoneError(JuratError):
    """A past change cannot be read again. `message` ends a sentence that begins with a number."""

    retryable = False


async def read_past_diff(
    github: GitHub, repository: str, number: int, base_sha: str, head_sha: str
) -> tuple[PullRequestPayload, Diff]:
    """The pull request as it is now, and its change as it was between two commits.

    Raises CommitGoneError if GitHub no longer hands it out, and GitHubError if it does not answer.
    """
    try:
        pull = await read_pull_request(github, repository, number)
        diff = await github.read_bytes(
            "/repos/{+repository}/compare/{base}...{head}",
            {"repository": repository, "base": base_sha, "head": head_sha},
            accept=DIFF,
            limit=DIFF_LIMIT,
        )
    except TooLargeError:
        raise CommitGoneError("too large") from None
    except NotFoundError:
        raise CommitGoneError("gone from GitHub") from None
    except GitHubError as error:
        if error.retryable:
            raise
        raise CommitGoneError("gone from GitHub") from None
    change = await to_thread(parse_diff, diff)
    if len(change.files) > MAX_FILES:
        raise CommitGoneError(f"of more than {MAX_FILES} files")
    return pull, await attach_texts(CommitFiles(github, repository, head_sha), change)


_TREE = "/repos/{+repository}/git/trees/{sha}{?recursive}"
_BLOB = "/repos/{+repository}/git/blobs/{sha}"
_LINK = "120000"


async def read_base_and_head(base: CommitFiles, head: CommitFiles) -> tuple[Worktree, Worktree]:
    """The worktrees of two commits. A content that GitHub does not hand out cannot be read.

    Raises IncompleteError if GitHub lists a part of a repository alone, and GitHubError.
    """
    trees = await run_concurrently(_list_entries, (base, head))
    contents: dict[str, bytes] = {}
    # The head first: its archive holds nearly all of the base as well.
    for snapshot, (entries, _) in zip((head, base), reversed(trees), strict=True):
        contents |= await _fetch_missing(snapshot, entries, contents)

    def read(entry: FileEntry) -> bytes:
        if entry.digest not in contents:
            raise OSError(0, "GitHub does not hand it out")
        return contents[entry.digest]

    made = [build_worktree(entries, read) for entries, _ in trees]
    links = [left for _, left in trees]
    ends = [
        replace(tree, left_out=(*tree.left_out, *left))
        for tree, left in zip(made, links, strict=True)
    ]
    return ends[0], ends[1]


async def _list_entries(snapshot: CommitFiles) -> tuple[list[FileEntry], list[tuple[str, str]]]:
    """The files of a commit, and what else stands there, with the reason why it is none."""
    tree = await snapshot.github.read(
        GitTreePayload,
        _TREE,
        {"repository": snapshot.repository, "sha": snapshot.commit, "recursive": "1"},
    )
    # A recursive tree ends at 100,000 entries or 7 MB: https://docs.github.com/en/rest/git/trees
    if tree.truncated:
        raise IncompleteError(
            f"{snapshot.repository} has more files than GitHub lists at once, so it is not rated."
        )
    files = [item for item in tree.tree if item.type == "blob" and item.mode != _LINK]
    others = [
        (item.path, "a link" if item.mode == _LINK else "a submodule")
        for item in tree.tree
        if item.type == "commit" or item.mode == _LINK
    ]
    return [_to_file_entry(item) for item in files], others


def _to_file_entry(item: GitTreeEntryPayload) -> FileEntry:
    return FileEntry(item.path, item.size or 0, item.sha)


async def _fetch_missing(
    snapshot: CommitFiles, entries: Sequence[FileEntry], known: Collection[str]
) -> dict[str, bytes]:
    """The contents that RECON will ask for and that are not `known`, by their ids."""
    wanted = {
        entry.digest: entry.path
        for entry in entries
        if entry.digest not in known
        and entry.size <= FILE_LIMIT
        and detect_role(entry.path) is not Role.OTHER
        and not is_foreign(entry.path)
    }
    found: dict[str, bytes] = {}
    if len(wanted) > SINGLY:
        archived = await from_archive(snapshot, set(wanted.values()), file_limit=FILE_LIMIT)
        found = await to_thread(_map_by_id, archived)
    left = [digest for digest in wanted if digest not in found][:MAX_SINGLY]
    singly = await run_concurrently(lambda digest: _fetch_blob(snapshot, digest), left)
    pairs = zip(left, singly, strict=True)
    return found | {digest: content for digest, content in pairs if content is not None}


def _map_by_id(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    return {
        # Git's own id: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects. One of another
        # content is not wanted, and falls out by that.
        sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest(): data
        for data in contents.values()
    }


async def _fetch_blob(snapshot: CommitFiles, digest: str) -> bytes | None:
    values = {"repository": snapshot.repository, "sha": digest}
    try:
        return await snapshot.github.read_bytes(_BLOB, values, accept=RAW, limit=FILE_LIMIT)
    except GitHubError as error:
        if error.retryable:
            raise
        return None
