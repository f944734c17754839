"""`jurat init`: what it sees, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from jurat.rules.config import Config
from tests.support.checkout import Checkout
from tests.support.command import Run

OPEN = "import requests\n\n\ndef load(url):\n    return requests.get(url, verify=False)\n"


@pytest.fixture
def merged(checkout: Checkout) -> Checkout:
    """Three merged changes, one of which a shipped rule stops, and what people set up."""
    checkout.write({"README.md": "A shop.\n"})
    checkout.commit("begin")
    checkout.write({"names.py": OPEN, "package.json": '{"eslintConfig": {}}'})
    checkout.commit("name things")
    checkout.write({"pyproject.toml": "[tool.ruff.lint]\n", "shop/.golangci.yml": "", "a.go": ""})
    checkout.commit("lint")
    checkout.write({".github/workflows/test.yml": "jobs: {}\n"})
    checkout.commit("test")
    return checkout


def init(run: Run, checkout: Checkout, *more: str) -> tuple[str, str]:
    done = run("init", "--repo", checkout.folder, *more)
    assert (done.code, done.err) == (0, "")
    return (checkout.folder / ".github" / "jurat.yml").read_text(), done.out


def test_it_writes_levels_that_would_have_stopped_nothing(run: Run, merged: Checkout) -> None:
    before = json.loads(
        run("rules", "backtest", "--repo", merged.folder, "--format", "json", "--fresh").out
    )
    assert before["stopped"] == 1
    text, out = init(run, merged)
    written = Config.model_validate(yaml.safe_load(text))
    assert set(written.levels) == {rule["rule"] for rule in before["rules"] if rule["stopped"]}
    assert "3 merged changes tried, 1 stopped; with 1 level written down none would be" in out
    merged.commit("begin with Jurat")
    after = json.loads(run("rules", "backtest", "--repo", merged.folder, "--format", "json").out)
    assert after["stopped"] == 0
    assert any(rule["firings"] for rule in after["rules"])  # it looked, and advises


def test_what_no_level_mends_is_said(run: Run, merged: Checkout) -> None:
    merged.write({"names.py": "import os\n", "tables.py": "A = 1\n" * 200_000})
    merged.commit("add tables")
    _, out = init(run, merged, "--last", "1")
    told = "1 stopped, by what was not assessed: `jurat rules backtest` names it\n"
    assert f"1 merged change tried, {told}" in out
    replayed = run("rules", "backtest", "--repo", merged.folder, "--last", "1").out
    assert "Not assessed, which stopped changes and no level mends:\n" in replayed
    why = "it is too large to parse: 1,200,000 characters, the limit is 1,000,000"
    assert f"\n  tables.py: {why} (1 change)\n" in replayed


def test_it_says_what_it_saw(run: Run, merged: Checkout) -> None:
    text, out = init(run, merged, "--last", "0")
    assert "go (1 file), python (1 file)" in out
    assert "ESLint, golangci-lint, Ruff" in out
    assert "Workflows:  1, none runs Jurat" in out
    assert "# Here already: ESLint, golangci-lint, Ruff." in text
    assert "GEMINI_API_KEY is not set here." in out


def test_the_first_line_names_the_schema_that_lies_beside_it(run: Run, merged: Checkout) -> None:
    text, _ = init(run, merged, "--last", "0")
    first, _, name = text.partition("\n")[0].partition("$schema=")
    assert first == "# yaml-language-server: "
    schema = json.loads((merged.folder / ".github" / name).read_text())
    assert schema == json.loads(run("rules", "schema", "config").out)


def test_what_is_there_stays_without_force(run: Run, merged: Checkout) -> None:
    path = merged.folder / ".github" / "jurat.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("version: 1\nlevels: {py.no-md5: block}\nrules: [missing]\n")
    merged.commit("by hand")
    done = run("init", "--repo", merged.folder)
    assert (done.code, done.err) == (
        2,
        "jurat: .github/jurat.yml is there already. --force writes over it.\n",
    )
    assert "missing" in path.read_text()
    # By none of what is replaced: its rules are not there any more either.
    text, _ = init(run, merged, "--force")
    assert "missing" not in text


def test_a_checkout_without_history_gets_a_configuration_without_levels(
    run: Run, checkout: Checkout
) -> None:
    checkout.write({"a.py": "x = 1\n"})
    text, out = init(run, checkout)
    assert yaml.safe_load(text)["levels"] == {}
    assert "not tried: there is no commit yet" in out
    checkout.commit("first")
    _, out = init(run, checkout, "--force")
    assert "not tried: There is no merged change to replay" in out


def test_outside_of_a_checkout_it_says_so(run: Run, tmp_path: Path) -> None:
    done = run("init", "--repo", tmp_path)
    assert done.code == 2
    assert "not a git repository" in done.err
    assert len(done.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("link", [".github", ".github/jurat.yml", ".github/jurat.schema.json"])
def test_a_link_in_a_checkout_leads_nowhere(
    run: Run, checkout: Checkout, tmp_path: Path, link: str
) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (checkout.folder / link).parent.mkdir(exist_ok=True)
    (checkout.folder / link).symlink_to(target, target_is_directory=True)
    done = run("init", "--repo", checkout.folder, "--force")
    assert (done.code, done.err) == (2, f"jurat: {link} is a link. Replace it first.\n")
    assert not list(target.iterdir())


def test_a_long_history_is_tried_for_as_long_as_somebody_waits(
    run: Run, merged: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jurat.cli.init.MAX_SECONDS", 0.0)
    text, out = init(run, merged)
    assert "not tried: none could be tried in time" in out
    assert yaml.safe_load(text)["levels"] == {}
