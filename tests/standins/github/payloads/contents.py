"""Files, directories, trees, blobs and refs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

from tests.standins.github.git import GitObject, TreeEntry
from tests.standins.github.payloads.commits import quoted, text
from tests.standins.github.payloads.repositories import api_url, html_url
from tests.standins.github.repositories import Repository
from tests.standins.github.world import Json, World

JSON_LIMIT = 1_000_000
"""Bytes above which the contents API leaves a file's content out of the JSON.
https://docs.github.com/rest/repos/contents#get-repository-content"""

_TYPES = {"tree": "dir", "blob": "file", "commit": "submodule"}


def entry(world: World, repository: Repository, ref: str, item: TreeEntry) -> Json:
    """One line of a directory listing."""
    api, html, path = api_url(world, repository), html_url(world, repository), quoted(item.path)
    kind = "symlink" if item.mode == "120000" else _TYPES[item.type]
    page = "tree" if kind in ("dir", "submodule") else "blob"
    database = f"{api}/git/{'trees' if page == 'tree' else 'blobs'}/{item.sha}"
    own = f"{api}/contents/{path}?ref={quoted(ref)}"
    git_url = None if kind == "submodule" else database
    page_url = None if kind == "submodule" else f"{html}/{page}/{quoted(ref)}/{path}"
    raw = f"{html}/raw/{quoted(ref)}/{path}" if page == "blob" else None
    return {
        "name": text(item.path).rpartition("/")[2],
        "path": text(item.path),
        "sha": item.sha,
        "size": item.size or 0,
        "url": own,
        "html_url": page_url,
        "git_url": git_url,
        "download_url": raw,
        "type": kind,
        "_links": {"self": own, "git": git_url, "html": page_url},
    }


def content(
    world: World, repository: Repository, ref: str, item: TreeEntry, data: bytes | None
) -> Json:
    """One file, link or submodule. Above 1 MB the content stays out, as GitHub has it."""
    shown = entry(world, repository, ref, item)
    if shown["type"] == "submodule":
        return shown | {"submodule_git_url": ""}
    if shown["type"] == "symlink":
        return shown | {"target": (data or b"").decode("utf-8", "replace")}
    if len(data or b"") > JSON_LIMIT:
        return shown | {"content": "", "encoding": "none"}
    return shown | {"content": wrapped(data or b""), "encoding": "base64"}


def blob(world: World, repository: Repository, found: GitObject) -> Json:
    """A blob of the Git database, always in base64."""
    return {
        "sha": found.sha,
        "node_id": f"B_{found.sha}",
        "size": len(found.data),
        "url": f"{api_url(world, repository)}/git/blobs/{found.sha}",
        "content": wrapped(found.data),
        "encoding": "base64",
    }


def tree(
    world: World, repository: Repository, sha: str, items: Sequence[TreeEntry], *, truncated: bool
) -> Json:
    """A tree of the Git database."""
    api = api_url(world, repository)
    listed: list[Json] = []
    for item in items:
        line = {"path": text(item.path), "mode": item.mode, "type": item.type, "sha": item.sha}
        if item.type == "blob":
            listed.append(line | {"size": item.size, "url": f"{api}/git/blobs/{item.sha}"})
        elif item.type == "tree":
            listed.append(line | {"url": f"{api}/git/trees/{item.sha}"})
        else:
            listed.append(line)
    return {"sha": sha, "url": f"{api}/git/trees/{sha}", "tree": listed, "truncated": truncated}


def ref(world: World, repository: Repository, name: str, sha: str) -> Json:
    """A ref; `name` is its full name."""
    api = api_url(world, repository)
    return {
        "ref": name,
        "node_id": f"REF_{repository.id}_{quoted(name)}",
        "url": f"{api}/git/{quoted(name)}",
        "object": {"sha": sha, "type": "commit", "url": f"{api}/git/commits/{sha}"},
    }


def wrapped(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub breaks them."""
    encoded = b64encode(data).decode()
    return "".join(f"{encoded[start : start + 60]}\n" for start in range(0, len(encoded), 60))
