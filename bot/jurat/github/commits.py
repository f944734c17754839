"""A commit on a branch, made of whole files through the Git database.

https://docs.github.com/en/rest/git
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from jurat.github.client import GitHub
from jurat.github.errors import GitHubError, NotFoundError, RejectedError
from jurat.github.models import GitObjectPayload, GitTreeEntryPayload, GitTreePayload

_OBJECTS = "/repos/{+repository}/git/"


class BranchRefusedError(GitHubError):
    """The branch takes no commit from us: it moved, it is protected, or it is gone."""


class GitCommit(BaseModel):
    """A commit as the Git database holds it."""

    sha: str
    message: str
    tree: GitObjectPayload
    parents: tuple[GitObjectPayload, ...]


class _Ref(BaseModel):
    ref: str


async def read_commit(github: GitHub, repository: str, sha: str) -> GitCommit:
    """The commit of that name."""
    values = {"repository": repository, "sha": sha}
    return await github.read(GitCommit, _OBJECTS + "commits/{sha}", values)


async def commit_files(
    github: GitHub,
    repository: str,
    branch: str,
    *,
    parent: str,
    files: Mapping[str, str],
    message: str,
) -> str:
    """Put `files` (new text by path, each there already) on `branch` in one commit; its SHA.

    Raises BranchRefusedError if the branch does not stand at `parent` any more or takes no
    commits, and AccessRefusedError if the App may not write. Nothing of it shows on the branch
    until the last step.
    """
    before = await read_commit(github, repository, parent)
    modes = await _read_modes(github, repository, before.tree.sha, files)
    entries = [
        {"path": path, "mode": modes[path], "type": "blob", "content": text}
        for path, text in files.items()
    ]
    # Objects first, the branch last: what no branch points at is nothing to anybody.
    tree = await _create_object(
        github, repository, "trees", {"base_tree": before.tree.sha, "tree": entries}
    )
    commit = await _create_object(
        github,
        repository,
        "commits",
        {"message": message, "tree": tree, "parents": [parent]},
    )
    try:
        await github.write(
            "PATCH",
            _Ref,
            _OBJECTS + "refs/heads/{+branch}",
            {"repository": repository, "branch": branch},
            # Without force GitHub takes fast-forwards alone: a push that came in between is not
            # overwritten.
            {"sha": commit, "force": False},
        )
    except (RejectedError, NotFoundError) as error:
        raise BranchRefusedError(error.message, status=error.status) from None
    return commit


async def _create_object(
    github: GitHub, repository: str, kind: str, data: Mapping[str, Any]
) -> str:
    values = {"repository": repository}
    return (await github.write("POST", GitObjectPayload, f"{_OBJECTS}{kind}", values, data)).sha


async def _read_modes(
    github: GitHub, repository: str, root: str, files: Mapping[str, str]
) -> Mapping[str, str]:
    """The mode of each file, so that what was executable still is. Reads each folder once."""
    folders: dict[str, Mapping[str, GitTreeEntryPayload]] = {}

    async def folder(path: str) -> Mapping[str, GitTreeEntryPayload]:
        if path not in folders:
            above, _, name = path.rpartition("/")
            sha = (await folder(above))[name].sha if path else root
            url, values = _OBJECTS + "trees/{sha}", {"repository": repository, "sha": sha}
            found = await github.read(GitTreePayload, url, values)
            folders[path] = {entry.path: entry for entry in found.tree}
        return folders[path]

    modes = {}
    for path in files:
        above, _, name = path.rpartition("/")
        try:
            modes[path] = (await folder(above))[name].mode
        except KeyError:
            raise BranchRefusedError(f"{path} does not stand on the branch.") from None
    return modes
