"""The rating in a pull request's check, between a stand-in GitHub and a stand-in Gemini."""

from __future__ import annotations

from jurat.app.wiring import App
from jurat.store.runs import Ratings
from tests.standins.github import actions
from tests.standins.github.faults import Fault, always
from tests.support.town import Town

AGENT = """\
from langchain.agents import AgentExecutor, create_react_agent
from langchain.tools import tool


@tool
def look_up(name: str) -> str:
    return store.get(name)


def run(question: str) -> str:
    agent = create_react_agent(model, [look_up])
    return AgentExecutor(agent=agent).invoke({"input": question})["output"]
"""
LOGGED = """\
import logging.handlers

import structlog
from langchain.agents import AgentExecutor, create_react_agent
from langchain.tools import tool

log = structlog.get_logger()
logging.getLogger().addHandler(logging.handlers.RotatingFileHandler("audit.log"))


@tool
def look_up(name: str) -> str:
    log.info("tool call", tool="look_up", name=name)
    return store.get(name)


def run(question: str) -> str:
    log.info("model call", model="gpt", question=question)
    agent = create_react_agent(model, [look_up])
    return AgentExecutor(agent=agent).invoke({"input": question})["output"]
"""
CONFIGURATION = (
    "version: 1\npacks: []\nrules: [policy]\nrating: {regulations: [eu-ai-act], on: 2028-12-01%s}\n"
)


def adopt(town: Town, more: str = ", risk: high") -> None:
    """Put the agent on the base branch, and the rating into its configuration."""
    files = {"agent.py": AGENT, ".github/jurat.yml": CONFIGURATION % more}
    actions.push(town.repository, "main", files)


async def test_a_check_says_what_a_change_moves_and_explains_that_alone(
    town: Town, app: App
) -> None:
    adopt(town)
    pull = town.open({"agent.py": LOGGED})
    await town.settle(app)
    check = town.check(pull)
    summary = check.summary
    assert "### Regulation rating" in summary
    assert "- EU AI Act 0.0 → 0.4; Art. 12(1) fail → pass; " in summary
    assert "<summary>EU AI Act: Art. 12(1) fail → pass</summary>" in summary
    assert "5(1)(a)" not in summary  # did not move
    assert check.conclusion == "success"


async def test_nothing_is_rated_where_the_base_does_not_ask_for_it(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {"agent.py": AGENT})
    pull = town.open({"agent.py": LOGGED, ".github/jurat.yml": CONFIGURATION % ", fail_below: 4"})
    await town.settle(app)
    assert "Regulation rating" not in town.check(pull).summary


async def test_a_score_below_the_gate_fails_the_check(town: Town, app: App) -> None:
    adopt(town, ", risk: high, fail_below: 3.9")
    pull = town.open({"agent.py": LOGGED})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert check.title == "EU AI Act is rated below 3.9"
    assert "below 3.9" in check.summary


async def test_a_rating_that_cannot_be_completed_is_said_and_passes_no_gate(
    town: Town, app: App
) -> None:
    adopt(town, ", fail_below: 1")
    pull = town.open({"agent.py": LOGGED})
    # The review lists the base's files, too; the head's are read by the rating alone.
    path = f"/git/trees/{pull.head_sha}"
    town.github.faults.append(always(Fault(404, "Not Found"), "GET", path))
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert check.title == "The rating could not be completed"
    assert "Nothing was rated" in check.summary


async def test_both_ends_are_kept_in_the_history(town: Town, app: App) -> None:
    adopt(town)
    pull = town.open({"agent.py": LOGGED})
    await town.settle(app)
    kept = await Ratings(app.database, app.services.clock).history("acme/shop", limit=10)
    assert {(item.commit, item.number) for item in kept} == {
        (pull.base_sha, None),
        (pull.head_sha, pull.number),
    }
    assert all(item.document["sha256"] for item in kept)


async def test_one_content_is_fetched_once_for_both_ends(town: Town, app: App) -> None:
    adopt(town)
    town.open({"agent.py": LOGGED})
    await town.settle(app)
    blobs = [item.path for item in town.github.exchanges if "/git/blobs/" in item.path]
    assert blobs
    assert len(blobs) == len(set(blobs))
