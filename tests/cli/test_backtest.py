"""`jurat rules backtest` on a history that says what became of each finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.checkout import Checkout
from tests.support.command import Run

MD5 = "import hashlib\n\n\ndef name(data):\n    return hashlib.md5(data).hexdigest()\n"
SHA = MD5.replace("md5", "sha256")
OTHER = "from hashlib import sha1\nimport hashlib\n\nSALT = b'x'\nKEY = hashlib.md5(SALT)\n"


@pytest.fixture
def history(checkout: Checkout) -> Checkout:
    """Four merged changes: a fault that was fixed, its fix, a fault that stands, and a gone one."""
    checkout.write({"README.md": "A shop.\n"})
    checkout.commit("begin")
    checkout.write({"mended.py": MD5})
    checkout.commit("a fault that is mended later")
    checkout.write({"mended.py": SHA, "gone.py": OTHER})
    checkout.commit("mend it, and bring another")
    (checkout.folder / "gone.py").unlink()
    checkout.write({"standing.py": MD5})
    checkout.commit("a fault that stands")
    return checkout


def replay(run: Run, history: Checkout, rules: Path, *more: str) -> dict[str, object]:
    named = ("--repo", str(history.folder), "--pack", "none", "--rules", str(rules))
    done = run("rules", "backtest", *named, "--format", "json", *more)
    assert (done.code, done.err) == (0, "")
    found: dict[str, object] = json.loads(done.out)
    return found


def test_each_rule_says_what_it_would_have_stopped_and_what_came_of_it(
    run: Run, history: Checkout, rules: Path
) -> None:
    found = replay(run, history, rules)
    assert (found["changes"], found["reviewed"], found["stopped"]) == (3, 3, 3)
    assert found["rules"] == [
        {
            "rule": "acme.no-md5",
            "firings": 3,
            "changes": 3,
            "stopped": 3,
            "fixed": 1,
            "suggested": "warn",
            "reason": "what it would have stopped was merged, and stands",
        },
        {
            "rule": "acme.small",
            "firings": 2,
            "changes": 2,
            "stopped": 2,
            "fixed": 0,
            "suggested": "observe",
            "reason": "it speaks in 67% of the changes",
        },
    ]
    after = {
        firing["path"]: firing["aftermath"]
        for change in found["replayed"]
        for firing in change["firings"]
        if firing["rule"] == "acme.no-md5"
    }
    assert after == {"mended.py": "fixed", "gone.py": "file gone", "standing.py": "stands"}


def test_what_a_model_would_judge_stops_nothing_here(run: Run, history: Checkout) -> None:
    done = run("rules", "backtest", "--repo", str(history.folder), "--format", "json")
    found = json.loads(done.out)
    blocking = [
        change
        for change in found["replayed"]
        if any(firing["blocks"] for firing in change["firings"])
    ]
    assert found["stopped"] == len(blocking) < found["changes"]
    assert not [change for change in found["replayed"] if change["undecided"]]


def test_what_is_called_generated_today_is_judged_by_nobody(
    run: Run, history: Checkout, rules: Path
) -> None:
    history.write({".gitattributes": "standing.py linguist-generated\n"})
    history.commit("say what a program writes")
    found = replay(run, history, rules)
    paths = {
        firing["path"]
        for change in found["replayed"]
        for firing in change["firings"]
        if firing["rule"] == "acme.no-md5"
    }
    assert paths == {"mended.py", "gone.py"}


def test_an_interrupted_run_goes_on_where_it_was(run: Run, history: Checkout, rules: Path) -> None:
    whole = replay(run, history, rules)
    kept = history.folder / ".git" / "jurat-backtest.jsonl"
    header, *lines = kept.read_text().splitlines(keepends=True)
    marked = lines[0].replace('"title": "', '"title": "kept: ')
    # One line whole and one cut off: what a killed process leaves.
    kept.write_text(header + marked + lines[1][:40])
    again = replay(run, history, rules)
    titles = [change["title"] for change in again["replayed"]]
    assert sum(title.startswith("kept: ") for title in titles) == 1
    assert again["rules"] == whole["rules"]


@pytest.mark.parametrize("change", ["rules", "tip", "fresh"])
def test_what_was_kept_is_not_used_for_anything_else(
    run: Run, history: Checkout, rules: Path, change: str
) -> None:
    replay(run, history, rules)
    kept = history.folder / ".git" / "jurat-backtest.jsonl"
    kept.write_text(kept.read_text().replace('"title": "', '"title": "kept: '))
    if change == "rules":
        rules.write_text(rules.read_text().replace("threshold: 1", "threshold: 2"))
    if change == "tip":
        history.commit("nothing")
    again = replay(run, history, rules, *(["--fresh"] if change == "fresh" else []))
    assert not [item for item in again["replayed"] if item["title"].startswith("kept: ")]


def test_a_bare_repository_is_replayed_too(
    run: Run, history: Checkout, rules: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    history.git("clone", "--quiet", "--bare", ".", str(bare))
    done = run("rules", "backtest", "--repo", bare, "--pack", "none", "--rules", rules)
    assert done.out.startswith("3 merged changes: 3 would have been stopped (100.0%).")


def test_the_text_ends_with_levels_to_paste(run: Run, history: Checkout, rules: Path) -> None:
    done = run("rules", "backtest", "--repo", history.folder, "--pack", "none", "--rules", rules)
    assert done.out.endswith("levels:\n  acme.no-md5: warn\n  acme.small: observe\n")
    assert "mended.py:5" in done.out


def test_a_history_of_one_commit_has_nothing_to_replay(run: Run, checkout: Checkout) -> None:
    checkout.write({"a.py": "x = 1\n"})
    checkout.commit()
    done = run("rules", "backtest", "--repo", checkout.folder)
    assert (done.code, done.out) == (2, "")
    assert done.err == "jurat: There is no merged change to replay: this is the first commit.\n"


def test_a_name_that_is_no_commit_is_an_error(run: Run, history: Checkout) -> None:
    done = run("rules", "backtest", "--repo", history.folder, "--head", "nowhere")
    assert done.code == 2
    assert "'nowhere' names no commit" in done.err
