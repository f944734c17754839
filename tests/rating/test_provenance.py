"""What a report says of its own origin, and where its lines of evidence lead."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from jurat.cli.rated_source import read_source
from jurat.rating import provenance
from jurat.rating.provenance import digest_reading, digest_tool, find_page
from jurat.resources import get_bundled_path
from tests.support.rating import NOON, a_source


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/acme/shop.git", "https://github.com/acme/shop"),
        ("https://someone:secret@github.com/acme/shop", "https://github.com/acme/shop"),
        ("https://ghp_secret@github.example:8443/acme/shop/", "https://github.example:8443/acme/shop"),
        ("git@github.com:acme/shop.git", "https://github.com/acme/shop"),
        ("ssh://git@git.example:2222/acme/shop.git", "https://git.example/acme/shop"),
        ("git@gitlab.com:group/below/shop.git", "https://gitlab.com/group/below/shop"),
        ("/srv/git/shop.git", ""),
        ("file:///srv/git/shop.git", ""),
        ("ext::sh -c 'touch /tmp/x'", ""),
        ("javascript://github.com/%0aalert(1)/x", ""),
        ('https://github.com/acme/"><script>', ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_page_of_a_remote_holds_no_secret(remote: str, page: str) -> None:
    assert find_page(remote) == page


def test_a_line_is_linked_as_of_the_commit() -> None:
    source = a_source(page="https://github.com/acme/shop")
    assert source.link_line('a b/"#?.py', 3) == (
        f"https://github.com/acme/shop/blob/{source.commit}/a%20b/%22%23%3F.py#L3"
    )
    there = a_source(page="https://gitlab.com/acme/shop")
    assert "/acme/shop/-/blob/" in there.link_line("a.py", 1)


def test_tool_and_packs_have_digests() -> None:
    tool = digest_tool()
    assert len(tool.code) == len(tool.packs) == 64
    assert tool.code != tool.packs


def _git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose one commit was pushed, with a rated folder in it."""
    there, folder = tmp_path / "there.git", tmp_path / "shop"
    _git(tmp_path, "init", "--bare", str(there))
    _git(tmp_path, "init", str(folder))
    (folder / "bot").mkdir()
    (folder / "bot" / "a.py").write_text("x = 1\n")
    (folder / "bot" / "b.py").write_text("x = 1\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "-m", "First")
    _git(folder, "remote", "add", "origin", str(there))
    _git(folder, "push", "origin", "HEAD")
    _git(folder, "remote", "set-url", "origin", "https://me:secret@github.com/acme/shop.git")
    return folder


def test_a_checkout_gives_its_commit_and_what_differs(checkout: Path) -> None:
    (checkout / "bot" / "b.py").write_text("x = 2\n")
    (checkout / "bot" / "new.py").write_text("x = 2\n")
    source = read_source(checkout / "bot", NOON)
    assert (source.name, source.folder, source.page) == (
        *("bot", "bot/", "https://github.com/acme/shop"),
    )
    assert source.changed == {"b.py", "new.py"}
    assert source.link_line("a.py", 1).endswith(f"/blob/{source.commit}/bot/a.py#L1")
    assert source.link_line("b.py", 1) == ""


def test_a_commit_that_was_pushed_nowhere_is_no_link(checkout: Path) -> None:
    _git(checkout, "commit", "--allow-empty", "-m", "Second")
    source = read_source(checkout, NOON)
    assert len(source.commit) == 40
    assert source.page == ""
    assert source.link_line("bot/a.py", 1) == ""


def test_a_folder_without_git_has_a_name_alone(tmp_path: Path) -> None:
    source = read_source(tmp_path, NOON)
    assert (source.commit, source.page, source.changed) == ("", "", frozenset())


@pytest.mark.parametrize(
    "name", ["recon.yml", "terms.yml", "engineering/vocabulary/python.yml", "regulations/gdpr.yml"]
)
def test_what_was_read_by_other_tables_is_read_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Path(shutil.copytree(get_bundled_path("rules"), tmp_path / "rules"))
    monkeypatch.setattr(provenance, "get_bundled_path", tmp_path.joinpath)
    before = digest_reading.__wrapped__()
    with tables.joinpath(name).open("a") as table:
        table.write("# another\n")
    assert digest_reading.__wrapped__() != before
