"""`jurat rate` as a person runs it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from jurat.cli import rate as local_rating
from jurat.rating.changes import compute_document_digest
from jurat.rating.named_rules import list_named_rules
from tests.standins.gemini.standin import StandInGemini
from tests.support.command import Run, written
from tests.support.gemini import gemini
from tests.support.production import python

__all__ = ["gemini"]

REPOS = Path(__file__).parents[2] / "fixtures" / "repos"
STOCK = REPOS / "stock_agent"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """A checkout with an agent, and a folder for its configuration."""
    folder = tmp_path / "agent"
    (folder / ".github").mkdir(parents=True)
    written(folder / "agent.py", (STOCK / "app.py").read_text())
    return folder


def test_the_text_says_the_scores_the_risk_and_what_to_do(run: Run) -> None:
    ran = run("rate", STOCK, "--regulation", "eu-ai-act")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Risk: limited risk. People interact with it (Article 50(1)), as in ")
    assert "nothing found Art. 5(1)(a)  No subliminal, manipulative or deceptive" in ran.out
    assert "Nothing found in 2 of 2 files of code and prompts." in ran.out
    assert "fail          Art. 50(1)" in ran.out
    assert "To do: Say at the start of each conversation" in ran.out
    assert "NIST" not in ran.out


def test_the_json_stands_alone_and_carries_its_digest(run: Run) -> None:
    ran = run("rate", STOCK, "--format", "json")
    document = json.loads(ran.out)
    assert compute_document_digest(document) == document["sha256"]
    assert [item["id"] for item in document["regulations"]] == ["eu-ai-act", "gdpr", "nist-ai-rmf"]
    assert document["regulations"][1]["score"] is None
    again = run("rate", STOCK, "--format", "json")
    assert again.out == ran.out


def test_markdown_and_html_are_documents(run: Run) -> None:
    markdown = run("rate", STOCK, "--format", "md").out
    assert markdown.startswith("# Regulation rating\n")
    assert "| Art. 50(1) People are told that they deal with an AI | fail | 0 |" in markdown
    page = run("rate", STOCK, "--format", "html").out
    assert page.startswith("<!doctype html>")
    assert "<title>Rating of stock_agent</title>" in page


def test_an_unknown_regulation_is_named(run: Run) -> None:
    ran = run("rate", STOCK, "--regulation", "eu-ai-akt")
    assert ran.code == 2
    assert ran.err == ("jurat: There is no regulation 'eu-ai-akt'; did you mean 'eu-ai-act'?\n")


def test_a_folder_that_is_not_there_is_named(run: Run) -> None:
    ran = run("rate", "nowhere")
    assert ran.code == 2
    assert "nowhere" in ran.err


def test_the_folders_own_configuration_counts(run: Run, agent: Path) -> None:
    written(
        agent / ".github" / "jurat.yml", "rating: {regulations: [nist-ai-rmf], fail_below: 3.5}\n"
    )
    ran = run("rate", agent)
    assert ran.code == 1
    assert "EU AI Act" not in ran.out
    assert ran.err == "jurat: NIST AI RMF scores 0.00, below 3.5.\n"


def test_the_class_of_risk_can_be_set(run: Run, agent: Path) -> None:
    written(agent / ".github" / "jurat.yml", "rating: {risk: high, on: 2028-12-01}\n")
    ran = run("rate", agent, "--regulation", "eu-ai-act")
    assert ran.out.startswith("Risk: high risk. Set in the configuration; the code would give ")
    assert "fail          Art. 12(1)" in ran.out


def test_a_broken_configuration_says_where(run: Run, agent: Path) -> None:
    path = written(agent / ".github" / "jurat.yml", "version: 1\nrating:\n  regulations: [gdrp]\n")
    ran = run("rate", agent)
    assert ran.code == 2
    assert ran.err == (
        f"{path}:3: rating.regulations[0]: unknown regulation 'gdrp'; did you mean 'gdpr'?\n"
    )


def test_a_reader_that_went_away_is_no_error() -> None:
    line = f"{python()} -m jurat rate {REPOS / 'careful_agent'} --format html"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line} | true"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_clause_that_could_not_be_rated_ends_as_incomplete(
    run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = {
        name: rule for name, rule in list_named_rules().items() if name != "manipulative_prompts"
    }
    monkeypatch.setattr(local_rating, "list_named_rules", lambda: rules)
    ran = run("rate", agent, "--regulation", "eu-ai-act")
    assert ran.code == 3
    assert "error         Art. 5(1)(a)" in ran.out
    assert "1 clauses" not in ran.err
    assert ran.err == (
        "jurat: 1 clause could not be rated:"
        " Not rated: manipulative_prompts (KeyError) failed. Please report it.\n"
    )


async def test_a_configured_model_is_asked_about_every_clause_in_scope(
    gemini: StandInGemini, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(agent / "logs.py", "import structlog\n\nlog = structlog.get_logger()\n")
    written(
        agent / ".github" / "jurat.yml",
        "rating: {risk: high, on: 2028-12-01, regulations: [eu-ai-act]}\n",
    )
    monkeypatch.setenv("GEMINI_API_KEY", gemini.api_key)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", gemini.base_url)
    started = await asyncio.create_subprocess_exec(
        *(python(), "-m", "jurat", "rate", agent),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await started.communicate()
    assert started.returncode == 0
    told, noted = out.decode(), err.decode()
    heard = told.count("A model agrees") + told.count("A model disagrees")
    (line,) = noted.splitlines()
    texts = [f"{asked.system}\0{asked.user}".encode() for asked in gemini.asked]
    size = sum(len(text) - 1 for text in texts)
    assert line.startswith(f"jurat: sent {len(texts)} prompts, {size:,} bytes, to ")
    digests = "\n".join(sorted(sha256(text).hexdigest() for text in texts))
    assert line.endswith(sha256(digests.encode()).hexdigest())
    assert len(gemini.asked) >= heard > told.count("nothing found ")
    assert "No model is configured" not in told
