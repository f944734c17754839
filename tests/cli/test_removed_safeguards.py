"""A removed safeguard says since when it was there, if the checkout's history tells."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.support.checkout import Checkout

BASE = "import hashlib\n\nKEY = hashlib.md5(\n    URL,\n    {}\n)\n"
SAFE = BASE.format("usedforsecurity=False,")
UNSAFE = SAFE.replace("    usedforsecurity=False,\n", "")


def test_the_commit_that_brought_it_is_named(tmp_path: Path, run: Run) -> None:
    checkout = Checkout(tmp_path / "shop")
    checkout.write({"key.py": BASE.format("b=1,")})
    checkout.commit("begin")
    checkout.write({"key.py": SAFE})
    since = checkout.commit("guard it")
    checkout.write({"key.py": f"import os\n{SAFE}"})
    checkout.commit("something else")
    checkout.write({"key.py": f"import os\n{UNSAFE}"})
    done = run("review", "--repo", str(checkout.folder))
    said = " ".join(done.out.split())
    assert f"This removed what kept `py.weak-hash` true here, there since {since[:7]}." in said


def test_where_history_is_cut_off_nothing_is_claimed(tmp_path: Path, run: Run) -> None:
    checkout = Checkout(tmp_path / "shop")
    checkout.write({"key.py": SAFE})
    checkout.commit("guard it")
    checkout.write({"other.py": "x = 1\n"})
    checkout.commit("something else")
    shallow = tmp_path / "shallow"
    checkout.git("clone", "-q", "--depth", "1", f"file://{checkout.folder}", str(shallow))
    (shallow / "key.py").write_text(UNSAFE)
    done = run("review", "--repo", str(shallow))
    said = " ".join(done.out.split())
    assert "This removed what kept `py.weak-hash` true here." in said


def test_what_moved_between_files_of_a_checkout_is_no_news(tmp_path: Path, run: Run) -> None:
    broken = "import hashlib\n\n\ndef name(data):\n    return hashlib.md5(data).hexdigest()\n"
    checkout = Checkout(tmp_path / "shop")
    checkout.write({"old.py": f"{broken}\n\ndef other():\n    return 1\n"})
    checkout.commit("begin")
    checkout.write({"old.py": "def other():\n    return 1\n", "new.py": broken})
    assert "py.weak-hash" not in run("review", "--repo", str(checkout.folder)).out
