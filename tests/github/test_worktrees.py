"""Both ends of a pull request as worktrees: every content once, and only what git itself holds."""

from __future__ import annotations

import pytest

import tests.standins.github.routes.history as tree_routes
from jurat.errors import IncompleteError
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.errors import GitHubUnavailableError
from jurat.github.past import read_base_and_head
from jurat.rating.signals.worktree import FileEntry, Worktree
from tests.standins.github import Repository, StandIn, actions
from tests.standins.github.faults import Fault, always
from tests.standins.github.git import Submodule, Symlink

MANY = {f"app/m{n}.py": f"value = {n}\n" for n in range(30)}


@pytest.fixture
def repository(github: StandIn) -> Repository:
    return github.create_repository("acme/shop", dict(MANY))


async def both(
    api: GitHub, repository: Repository, files: dict[str, object]
) -> tuple[Worktree, Worktree]:
    actions.push(repository, "fix", files)
    pull = actions.open_pull_request(repository, head="fix")
    return await read_base_and_head(
        CommitFiles(api, repository.full_name, pull.base_sha),
        CommitFiles(api, repository.full_name, pull.head_sha),
    )


def texts(tree: Worktree) -> dict[str, str]:
    code = [entry for entry in tree.entries if entry.path.endswith(".py")]
    return {entry.path: tree.read(entry).decode() for entry in code}


def downloads(github: StandIn) -> list[str]:
    wanted = ("/tarball/", "/git/blobs/")
    return [item.path for item in github.exchanges if any(part in item.path for part in wanted)]


async def test_both_ends_are_what_git_holds(api: GitHub, repository: Repository) -> None:
    base, head = await both(api, repository, {"app/m1.py": "value = 'new'\n", "b.py": "x = 1\n"})
    assert texts(base) == MANY
    assert texts(head) == MANY | {"app/m1.py": "value = 'new'\n", "b.py": "x = 1\n"}


async def test_what_both_ends_hold_is_fetched_once(
    github: StandIn, api: GitHub, repository: Repository
) -> None:
    await both(api, repository, {"app/m1.py": "value = 'new'\n"})
    tarballs, blobs = (
        [path for path in downloads(github) if part in path] for part in ("/tarball/", "/blobs/")
    )
    assert len(tarballs) == 1  # of the head; the one content that it lacks comes by itself
    assert len(blobs) == 1


async def test_an_archive_that_says_something_else_than_git_is_not_believed(
    api: GitHub, repository: Repository
) -> None:
    attributes = "app/m1.py export-ignore\napp/m2.py export-subst\n"
    secret = "# $Format:%H$\nimport face_recognition\n"
    files = {".gitattributes": attributes, "app/m2.py": secret}
    _, head = await both(api, repository, files)
    read = texts(head)
    assert read["app/m1.py"] == MANY["app/m1.py"]
    assert read["app/m2.py"] == secret


async def test_links_and_submodules_are_named_and_not_followed(
    api: GitHub, repository: Repository
) -> None:
    files = {"link.py": Symlink("/etc/passwd"), "inner": Submodule("1" * 40)}
    _, head = await both(api, repository, files)
    assert {"link.py", "inner"}.isdisjoint(entry.path for entry in head.entries)
    assert {("link.py", "a link"), ("inner", "a submodule")} <= set(head.left_out)


async def test_what_github_does_not_hand_out_cannot_be_read(
    github: StandIn, api: GitHub, repository: Repository
) -> None:
    github.faults.append(always(Fault(403, "Forbidden"), "GET", "/git/blobs/"))
    base, _ = await both(api, repository, {"app/m1.py": "value = 'new'\n"})
    entry = next(item for item in base.entries if item.path == "app/m1.py")
    assert isinstance(entry, FileEntry)
    with pytest.raises(OSError, match="does not hand it out"):
        base.read(entry)


async def test_a_passing_trouble_is_an_error_and_no_gap(
    github: StandIn, api: GitHub, repository: Repository
) -> None:
    github.faults.append(always(Fault(502), "GET", "/git/blobs/"))
    with pytest.raises(GitHubUnavailableError):
        await both(api, repository, {"app/m1.py": "value = 'new'\n"})


async def test_a_repository_that_is_listed_in_part_is_not_rated(
    api: GitHub, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_routes, "TREE_LIMIT", 10)
    with pytest.raises(IncompleteError, match="more files than GitHub lists"):
        await both(api, repository, {"app/m1.py": "value = 'new'\n"})
