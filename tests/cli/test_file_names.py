"""A name that comes from a change leads no writing out of the checkout, and makes no file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jurat.cli.review_output import WorkTreeFixer
from jurat.engine.fix_verifier import FixedFile
from jurat.source.parsing import parse_in_process
from tests.support.hostile_text import CORPUS, hostile_texts

HEAD, FIXED = "old\n", "new\n"
"""What lies everywhere, so that no file is spared because it holds something else."""

_PARTS = st.sampled_from(
    ["..", ".", "", "a.py", "link", "folder", ".git", ".GIT", "config", "outside", "CON", "aux.txt",
     "~", "a\\b", "\x00", "\x1b[2J", "\u202e", "x" * 300, "\udc80"]
)  # fmt: skip
paths = st.one_of(
    st.lists(_PARTS, min_size=1, max_size=6).map("/".join),
    st.lists(_PARTS, min_size=1, max_size=6).map(lambda parts: "/" + "/".join(parts)),
    st.sampled_from(CORPUS),
    hostile_texts,
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with links out of it and within it, and what stands around it."""
    around = tmp_path_factory.mktemp("around")
    root = around / "checkout"
    for name in ("outside", "folder/a.py", "checkout/a.py", "checkout/.git/config",
                 "checkout/folder/a.py", "checkout/folder/.GIT/config"):  # fmt: skip
        (around / name).parent.mkdir(parents=True, exist_ok=True)
        (around / name).write_text(HEAD)
    (root / "link").symlink_to(around)
    (root / "link.py").symlink_to(root / "a.py")
    (root / "folder" / "link").symlink_to("../.git")
    return around


def _read(around: Path) -> Iterator[tuple[str, str]]:
    for folder, _, names in os.walk(around):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                yield str(path.relative_to(around)), path.read_text()


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=paths)
@example("a.py")
@example("folder/a.py")
@example("link/outside")
@example("link.py")
@example("../outside")
@example("folder/../a.py")
@example(".git/config")
@example("folder/.GIT/config")
@example("folder/link/config")
def test_a_fix_is_written_to_a_file_of_the_checkout_alone(
    world: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    root = world / "checkout"
    before = dict(_read(world))
    wrote = WorkTreeFixer(root, parse_in_process)._write(FixedFile(path, FIXED, (), 1, ""), HEAD)
    after = dict(_read(world))
    changed = {name for name, text in after.items() if text != before.get(name)}
    for name in changed:
        (world / name).write_text(HEAD)
    assert before.keys() == after.keys()
    assert changed <= {"checkout/a.py", "checkout/folder/a.py"}
    assert wrote == bool(changed)
    note = capsys.readouterr().err
    assert note.removesuffix("\n").isprintable()
    assert wrote == (note == "")


@pytest.mark.parametrize("name", ["outside", "folder/a.py", "checkout/.git/config"])
def test_an_absolute_path_is_none_of_the_checkouts(world: Path, name: str) -> None:
    fixed = FixedFile(str(world / name), FIXED, (), 1, "")
    assert not WorkTreeFixer(world / "checkout", parse_in_process)._write(fixed, HEAD)
    assert (world / name).read_text() == HEAD


def test_a_file_that_was_deleted_meanwhile_is_not_made(world: Path) -> None:
    fixed = FixedFile("gone.py", FIXED, (), 1, "")
    assert not WorkTreeFixer(world / "checkout", parse_in_process)._write(fixed, "")
    with suppress(FileNotFoundError):
        (world / "checkout" / "gone.py").unlink()
        pytest.fail("it was made")
