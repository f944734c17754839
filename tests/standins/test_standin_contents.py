from __future__ import annotations

import io
import subprocess
import tarfile
from base64 import b64decode
from pathlib import Path

import pytest

from tests.standins.github import ManualClock, StandIn, actions
from tests.standins.github.git import Executable, Files, Submodule, Symlink
from tests.support.github import Client

HERE = "/repos/acme/payments"

FILES: Files = {
    "README.md": "Payments\n",
    "src/pay.py": "print('pay')\n",
    "src/deep/er.py": "x = 1\n",
    "bin/run": Executable(b"#!/bin/sh\n"),
    "link": Symlink("README.md"),
    "vendor/lib": Submodule("1234567890123456789012345678901234567890"),
    "a b#c?d%.txt": "odd\n",
    "grüße.txt": "hallo\n",
    "bytes.bin": b"\x00\xff",
}


@pytest.fixture(autouse=True)
def repository(github: StandIn) -> None:
    github.create_repository("acme/payments", FILES)


async def test_a_file_comes_as_json_and_raw(client: Client) -> None:
    shown = await client.get(f"{HERE}/contents/src/pay.py")
    assert (shown["type"], shown["encoding"]) == ("file", "base64")
    assert b64decode(shown["content"]) == b"print('pay')\n"
    assert shown["name"] == "pay.py"
    raw = await client.get(f"{HERE}/contents/bytes.bin", Accept="application/vnd.github.raw+json")
    assert raw == b"\x00\xff"


@pytest.mark.parametrize("path", ["a%20b%23c%3Fd%25.txt", "gr%C3%BC%C3%9Fe.txt"])
async def test_odd_names_are_reached_and_their_addresses_lead_back(
    client: Client, path: str
) -> None:
    shown = await client.get(f"{HERE}/contents/{path}")
    assert await client.get(shown["url"]) == shown
    assert (await client.get(shown["git_url"]))["sha"] == shown["sha"]


async def test_a_name_that_is_not_utf8_is_reached(github: StandIn, client: Client) -> None:
    repository = github.world.repository("acme/payments")
    assert repository is not None
    actions.push(repository, "main", {"caf\udce9.txt": "latin\n"})
    listed = await client.get(f"{HERE}/contents/")
    (url,) = [item["url"] for item in listed if item["name"].startswith("caf")]
    assert "caf%E9.txt" in url
    assert b64decode((await client.get(url))["content"]) == b"latin\n"


async def test_folders_links_and_submodules_say_what_they_are(client: Client) -> None:
    root = {item["path"]: item["type"] for item in await client.get(f"{HERE}/contents")}
    assert root["src"] == "dir"
    assert root["link"] == "symlink"
    inside = await client.get(f"{HERE}/contents/src/")
    assert {(item["path"], item["type"]) for item in inside} == {
        ("src/pay.py", "file"),
        ("src/deep", "dir"),
    }
    assert (await client.get(f"{HERE}/contents/link"))["target"] == "README.md"
    assert (await client.get(f"{HERE}/contents/vendor/lib"))["type"] == "submodule"


async def test_contents_are_those_of_the_ref(github: StandIn, client: Client) -> None:
    repository = github.world.repository("acme/payments")
    assert repository is not None
    first = repository.head()
    actions.push(repository, "feature/x", {"README.md": "Changed\n", "src/pay.py": None})
    for ref, expected in [("feature/x", b"Changed\n"), (first, b"Payments\n")]:
        shown = await client.get(f"{HERE}/contents/README.md?ref={ref}")
        assert b64decode(shown["content"]) == expected
    missing = [
        "contents/none.py",
        "contents/README.md/below",
        "contents/src/pay.py?ref=feature/x",
        "contents/README.md?ref=nowhere",
        "contents/README.md?ref=main%7E1",
        "contents/../../etc/passwd",
    ]
    for path in missing:
        assert (await client.refused("GET", f"{HERE}/{path}"))[0] == 404, path


async def test_a_file_above_1_mb_comes_only_raw(github: StandIn, client: Client) -> None:
    big = b"0123456789" * 100_001
    github.create_repository("acme/big", {"big.txt": big})
    shown = await client.get("/repos/acme/big/contents/big.txt")
    assert (shown["content"], shown["encoding"], shown["size"]) == ("", "none", len(big))
    raw = await client.get(
        "/repos/acme/big/contents/big.txt", Accept="application/vnd.github.v3.raw"
    )
    assert raw == big
    blob = await client.get(f"/repos/acme/big/git/blobs/{shown['sha']}")
    assert b64decode(blob["content"]) == big


async def test_a_tree_lists_everything_with_modes(client: Client) -> None:
    tree = await client.get(f"{HERE}/git/trees/main?recursive=1")
    modes = {item["path"]: item["mode"] for item in tree["tree"]}
    assert modes["bin/run"] == "100755"
    assert modes["link"] == "120000"
    assert modes["vendor/lib"] == "160000"
    assert modes["src/deep"] == "040000"
    flat = await client.get(f"{HERE}/git/trees/{tree['sha']}")
    assert "src/deep" not in {item["path"] for item in flat["tree"]}
    assert (await client.refused("GET", f"{HERE}/git/trees/{'0' * 40}"))[0] == 404


async def test_refs_and_commits_are_found_by_name_and_sha(github: StandIn, client: Client) -> None:
    repository = github.world.repository("acme/payments")
    assert repository is not None
    head = actions.push(repository, "feature/x", {"new.py": "1\n"}, "Add\n\nBecause.", by="ann")
    ref = await client.get(f"{HERE}/git/ref/heads/feature/x")
    assert (ref["ref"], ref["object"]["sha"]) == ("refs/heads/feature/x", head)
    matching = await client.get(f"{HERE}/git/matching-refs/heads/feat")
    assert [one["ref"] for one in matching] == ["refs/heads/feature/x"]
    commit = await client.get(f"{HERE}/commits/feature/x")
    assert (commit["sha"], commit["stats"]["additions"]) == (head, 1)
    assert commit["author"]["login"] == "ann"
    assert commit["commit"]["message"] == "Add\n\nBecause."
    database = await client.get(f"{HERE}/git/commits/{head}")
    assert database["tree"] == commit["commit"]["tree"]
    raw = await client.get(f"{HERE}/commits/HEAD", Accept="application/vnd.github.sha")
    assert raw.decode() == repository.head()
    assert (await client.refused("GET", f"{HERE}/git/commits/feature"))[0] == 404
    assert (await client.refused("GET", f"{HERE}/commits/nowhere"))[0] == 422


async def test_a_tarball_is_fetched_without_the_token_for_five_minutes(
    github: StandIn, client: Client, clock: ManualClock
) -> None:
    repository = github.world.repository("acme/payments")
    assert repository is not None
    head = repository.head() or ""
    status, _, headers = await client.ask("GET", f"{HERE}/tarball/{head}")
    assert status == 302
    status, data, _ = await client.ask("GET", headers["Location"], Authorization="")
    assert status == 200
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        member = archive.extractfile(f"acme-payments-{head[:7]}/src/pay.py")
        assert member is not None
        assert member.read() == b"print('pay')\n"
        assert archive.getmember(f"acme-payments-{head[:7]}/link").linkname == "README.md"
    assert (await client.ask("GET", f"{headers['Location']}0"))[0] == 404
    clock.advance(360)
    assert (await client.ask("GET", headers["Location"]))[0] == 404
    assert (await client.refused("GET", f"{HERE}/tarball/nowhere"))[0] == 404


async def test_object_names_depend_on_nothing_but_what_was_committed(
    github: StandIn, clock: ManualClock
) -> None:
    def story(name: str) -> tuple[str, ...]:
        repository = github.create_repository(name, FILES)
        actions.push(repository, "fix", {"README.md": "1\n"}, by="ann")
        sha = actions.push(repository, "fix", {"README.md": "2\n"}, by="ann")
        return repository.git.log(None, sha)

    first = story("acme/one")
    clock.advance(100_000)
    assert story("acme/two") == first


def test_git_itself_can_clone_the_repository(github: StandIn, tmp_path: Path) -> None:
    repository = github.world.repository("acme/payments")
    assert repository is not None
    subprocess.run(["git", "clone", "-q", repository.git.path, tmp_path / "copy"], check=True)
    assert (tmp_path / "copy" / "src" / "pay.py").read_text() == "print('pay')\n"
    subprocess.run(["git", "-C", repository.git.path, "fsck", "--strict"], check=True)
