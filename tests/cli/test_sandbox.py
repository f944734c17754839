"""`make sandbox`: one's own branch as a pull request at the stand-in, as the README says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sandbox import MODEL, show_branch
from tests.support.checkout import Checkout

RING = """import subprocess

def ring(name):
    subprocess.run(f"ring {name}", shell=True)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    for name in MODEL:
        monkeypatch.delenv(name, raising=False)
    checkout = Checkout(tmp_path / "my shöp")
    checkout.write({"till.py": "import subprocess\n"})
    checkout.commit()
    return checkout


def test_the_branch_is_reviewed_as_a_pull_request(
    shop: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.git("checkout", "--quiet", "-b", "work")
    shop.write({"till.py": RING})
    shop.commit()
    show_branch(shop.folder, page=tmp_path / "page.html")
    shown = capsys.readouterr().out
    assert "acme/my-sh-p #1" in shown
    assert "jurat · failure" in shown
    assert "till.py:4" in shown
    assert "py.subprocess-shell" in (tmp_path / "page.html").read_text("utf-8")
    # Nothing came of it in the checkout itself.
    assert shop.git("branch", "--format=%(refname:short)").split() == ["main", "work"]


def test_a_branch_without_a_commit_of_its_own_is_no_pull_request(
    shop: Checkout, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit, match="no commit that its base has not"):
        show_branch(shop.folder, page=tmp_path / "page.html")


def test_a_page_that_cannot_be_written_is_said(shop: Checkout, tmp_path: Path) -> None:
    shop.git("checkout", "--quiet", "-b", "work")
    shop.write({"till.py": RING})
    shop.commit()
    with pytest.raises(SystemExit, match=r"--page: .* cannot be written: No such file"):
        show_branch(shop.folder, page=tmp_path / "nowhere" / "page.html")
