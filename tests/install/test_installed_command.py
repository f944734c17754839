"""Every command of the installed Jurat does its job, beside a model that answers or without one."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from jurat.probes.probe import ProbeSet
from tests.install.conftest import Command
from tests.standins.gemini.standin import StandInGemini
from tests.support.checkout import Checkout
from tests.support.command import DIFF, NORMATIVE, RULES, written
from tests.support.gemini import denying
from tests.support.probes import TEMPERS
from tests.support.production import ROOT

AGENT = ROOT / "fixtures" / "repos" / "stock_agent" / "app.py"


@pytest.fixture
def rules(jurat: Command) -> Path:
    """A rule that is computed and one that must be judged, both broken by DIFF."""
    judged = NORMATIVE.split("rules:\n")[1]
    written(jurat.folder / "change.diff", DIFF)
    return written(jurat.folder / "house.yml", RULES + judged)


@pytest.fixture
def model(gemini: StandInGemini) -> dict[str, str]:
    """What tells a command of the stand-in model."""
    return {"GEMINI_API_KEY": gemini.api_key, "GOOGLE_GEMINI_BASE_URL": gemini.base_url}


async def test_the_version_is_that_of_the_checkout(jurat: Command) -> None:
    ran = await jurat("--version")
    assert (ran.err, ran.code) == ("", 0)
    assert ran.out == f"jurat {_version()}\n"


def _version() -> str:
    line = (ROOT / "bot" / "jurat" / "__init__.py").read_text().split("__version__ = ")[1]
    return line.splitlines()[0].strip('"')


async def test_a_review_without_a_model_computes_what_can_be_computed(
    jurat: Command, rules: Path
) -> None:
    ran = await jurat("review", "--diff", "change.diff", "--rules", rules, "--format", "json")
    assert (ran.err, ran.code) == ("", 1)
    said = json.loads(ran.out)
    assert {rule["rule_id"] for rule in said["violations"]} == {"acme.no-md5", "py.weak-hash"}
    gaps = {rule["rule_id"]: rule["gap"] for rule in said["not_assessed"]}
    assert gaps["acme.kind"] == "no_model"


async def test_a_review_with_a_model_has_a_verdict_of_the_models(
    jurat: Command, rules: Path, gemini: StandInGemini, model: dict[str, str]
) -> None:
    gemini.judges("acme.kind", denying("md5"))
    arguments = ("review", "--diff", "change.diff", "--rules", rules, "--format", "json")
    ran = await jurat(*arguments, **model)
    assert (ran.err, ran.code) == ("", 1)
    models = {rule["rule_id"]: rule["model_id"] for rule in json.loads(ran.out)["violations"]}
    assert models == {
        "acme.kind": gemini.asked[0].model,
        "acme.no-md5": None,
        "py.weak-hash": None,
    }


async def test_a_checkout_is_reviewed_by_the_shipped_rules(
    jurat: Command, checkout: Checkout
) -> None:
    checkout.write({"client.py": "import requests\n"})
    checkout.commit()
    checkout.git("switch", "--quiet", "--create", "fix")
    checkout.write({"client.py": "import requests\n\nrequests.get(URL, verify=False)\n"})
    ran = await Command(jurat.path, checkout.folder, jurat.environment)("review")
    assert ran.code == 1
    assert "py.tls-verify-off" in ran.out


async def test_a_rating_is_a_page_and_asks_the_model_about_ambiguous_clauses(
    jurat: Command, gemini: StandInGemini, model: dict[str, str]
) -> None:
    written(jurat.folder / "agent.py", AGENT.read_text())
    written(jurat.folder / "logs.py", "import structlog\n\nlog = structlog.get_logger()\n")
    (jurat.folder / ".github").mkdir()
    configuration = "rating: {risk: high, on: 2028-12-01, regulations: [eu-ai-act]}\n"
    written(jurat.folder / ".github" / "jurat.yml", configuration)
    ran = await jurat("rate", ".", "--format", "html", **model)
    assert ran.code == 0
    assert "Art. 12" in ran.out
    assert len(gemini.asked) > 0
    # What was sent is noted in one line, and nothing else is said.
    (said,) = ran.err.splitlines()
    texts = [f"{prompt.system}\0{prompt.user}".encode() for prompt in gemini.asked]
    size = sum(len(text) - 1 for text in texts)
    assert said.startswith(f"jurat: sent {len(texts)} prompts, {size:,} bytes, to ")
    digests = "\n".join(sorted(sha256(text).hexdigest() for text in texts))
    assert said.endswith(sha256(digests.encode()).hexdigest())
    assert "No model is configured" not in ran.out


async def test_the_shipped_probes_are_put_to_the_model(
    jurat: Command, gemini: StandInGemini, model: dict[str, str], probes: ProbeSet
) -> None:
    gemini.always(TEMPERS["careful"](probes.probes))
    ran = await jurat("probe", "run", "--format", "html", **model)
    # The extra that the lock is without: the command says so, and does what it can.
    without = 'jurat: no geometry without scikit-learn: pip install "jurat[probes]"\n'
    assert (ran.err, ran.code) == (without, 0)
    assert f"{len(probes.probes)} of {len(probes.probes)} probes passed" in ran.out


async def test_rules_are_checked_and_their_examples_run(jurat: Command, rules: Path) -> None:
    for command in ("check", "test"):
        ran = await jurat("rules", command, rules)
        assert (ran.err, ran.code) == ("", 0), ran.out
    shipped = await jurat("rules", "test")
    assert (shipped.err, shipped.code) == ("", 0)
    listed = json.loads((await jurat("rules", "list", "--format", "json")).out)
    assert len(listed) >= 15


async def test_the_demo_shows_a_review_with_a_rule_that_the_model_judged(jurat: Command) -> None:
    ran = await jurat("demo")
    assert (ran.err, ran.code) == ("", 0)
    page = (jurat.folder / "demo.html").read_text()
    assert "Judged by" in page
    assert "gemini-" in page


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
async def test_a_database_is_upgraded(
    jurat: Command, engine: str, request: pytest.FixtureRequest
) -> None:
    file = f"sqlite:///{jurat.folder}/jurat.sqlite3"
    url = file if engine == "sqlite" else request.getfixturevalue("postgres_url")
    first = await jurat("db", "upgrade", DATABASE_URL=url)
    again = await jurat("db", "upgrade", DATABASE_URL=url)
    assert (first.err, first.code) == (again.err, again.code) == ("", 0)
    assert first.out == again.out
