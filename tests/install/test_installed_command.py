"""Every command of the installed Bylaw does its job, beside a model that answers or without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.probes.probe import ProbeSet
from tests.install.conftest import Command
from tests.standins.gemini.standin import StandInGemini
from tests.support_checkout import Checkout
from tests.support_command import DIFF, NORMATIVE, RULES, written
from tests.support_gemini import denying
from tests.support_probes import TEMPERS
from tests.support_production import ROOT

AGENT = ROOT / "fixtures" / "repos" / "stock_agent" / "app.py"


@pytest.fixture
def rules(bylaw: Command) -> Path:
    """A rule that is computed and one that must be judged, both broken by DIFF."""
    judged = NORMATIVE.split("rules:\n")[1]
    written(bylaw.folder / "change.diff", DIFF)
    return written(bylaw.folder / "house.yml", RULES + judged)


@pytest.fixture
def model(gemini: StandInGemini) -> dict[str, str]:
    """What tells a command of the stand-in model."""
    return {"GEMINI_API_KEY": gemini.api_key, "GOOGLE_GEMINI_BASE_URL": gemini.base_url}


async def test_the_version_is_that_of_the_checkout(bylaw: Command) -> None:
    ran = await bylaw("--version")
    assert (ran.err, ran.code) == ("", 0)
    assert ran.out == f"bylaw {_version()}\n"


def _version() -> str:
    line = (ROOT / "bot" / "__init__.py").read_text().split("__version__ = ")[1]
    return line.splitlines()[0].strip('"')


async def test_a_review_without_a_model_computes_what_can_be_computed(
    bylaw: Command, rules: Path
) -> None:
    ran = await bylaw("review", "--diff", "change.diff", "--rules", rules, "--format", "json")
    assert (ran.err, ran.code) == ("", 1)
    said = json.loads(ran.out)
    assert {rule["rule_id"] for rule in said["violations"]} == {"acme.no-md5", "py.weak-hash"}
    gaps = {rule["rule_id"]: rule["gap"] for rule in said["not_assessed"]}
    assert gaps["acme.kind"] == "no_model"


async def test_a_review_with_a_model_has_a_verdict_of_the_models(
    bylaw: Command, rules: Path, gemini: StandInGemini, model: dict[str, str]
) -> None:
    gemini.judges("acme.kind", denying("md5"))
    arguments = ("review", "--diff", "change.diff", "--rules", rules, "--format", "json")
    ran = await bylaw(*arguments, **model)
    assert (ran.err, ran.code) == ("", 1)
    models = {rule["rule_id"]: rule["model_id"] for rule in json.loads(ran.out)["violations"]}
    assert models == {
        "acme.kind": gemini.asked[0].model,
        "acme.no-md5": None,
        "py.weak-hash": None,
    }


async def test_a_checkout_is_reviewed_by_the_shipped_rules(
    bylaw: Command, checkout: Checkout
) -> None:
    checkout.write({"digest.py": "import hashlib\n"})
    checkout.commit()
    checkout.git("switch", "--quiet", "--create", "fix")
    checkout.write({"digest.py": 'import hashlib\n\nprint(hashlib.md5(b"").hexdigest())\n'})
    ran = await Command(bylaw.path, checkout.folder, bylaw.environment)("review")
    assert ran.code == 1
    assert "py.weak-hash" in ran.out


async def test_a_rating_is_a_page_and_asks_the_model_about_ambiguous_clauses(
    bylaw: Command, gemini: StandInGemini, model: dict[str, str]
) -> None:
    written(bylaw.folder / "agent.py", AGENT.read_text())
    written(bylaw.folder / "logs.py", "import structlog\n\nlog = structlog.get_logger()\n")
    (bylaw.folder / ".github").mkdir()
    configuration = "rating: {risk: high, regulations: [eu-ai-act]}\n"
    written(bylaw.folder / ".github" / "bylaw.yml", configuration)
    ran = await bylaw("rate", ".", "--format", "html", **model)
    assert (ran.err, ran.code) == ("", 0)
    assert "Art. 12" in ran.out
    assert len(gemini.asked) > 0
    assert "No model is configured" not in ran.out


async def test_the_shipped_probes_are_put_to_the_model(
    bylaw: Command, gemini: StandInGemini, model: dict[str, str], probes: ProbeSet
) -> None:
    gemini.always(TEMPERS["careful"](probes.probes))
    ran = await bylaw("probe", "run", "--format", "html", **model)
    # The extra that the lock is without: the command says so, and does what it can.
    without = 'bylaw: no geometry without scikit-learn: pip install "bylaw[probes]"\n'
    assert (ran.err, ran.code) == (without, 0)
    assert f"{len(probes.probes)} of {len(probes.probes)} probes passed" in ran.out


async def test_rules_are_checked_and_their_examples_run(bylaw: Command, rules: Path) -> None:
    for command in ("check", "test"):
        ran = await bylaw("rules", command, rules)
        assert (ran.err, ran.code) == ("", 0), ran.out
    shipped = await bylaw("rules", "test")
    assert (shipped.err, shipped.code) == ("", 0)
    listed = json.loads((await bylaw("rules", "list", "--format", "json")).out)
    assert len(listed) >= 15


async def test_the_demo_shows_a_review_with_a_rule_that_the_model_judged(bylaw: Command) -> None:
    ran = await bylaw("demo")
    assert (ran.err, ran.code) == ("", 0)
    page = (bylaw.folder / "demo.html").read_text()
    assert "Judged by" in page
    assert "gemini-" in page


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
async def test_a_database_is_upgraded(
    bylaw: Command, engine: str, request: pytest.FixtureRequest
) -> None:
    file = f"sqlite:///{bylaw.folder}/bylaw.sqlite3"
    url = file if engine == "sqlite" else request.getfixturevalue("postgres_url")
    first = await bylaw("db", "upgrade", DATABASE_URL=url)
    again = await bylaw("db", "upgrade", DATABASE_URL=url)
    assert (first.err, first.code) == (again.err, again.code) == ("", 0)
    assert first.out == again.out
