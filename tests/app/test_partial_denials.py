"""A denial that names some files, and what becomes of the others if somebody sets it aside."""

from __future__ import annotations

from typing import Any

import pytest

from jurat.app.wiring import App
from tests.standins.gemini.reactions import careful, edited
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import allowed, denied
from tests.standins.github import PullRequest, actions
from tests.support.talk import finding_of, said
from tests.support.town import Town

RULE = "house.no-names-in-logs"
FILES = {f"src/{name}.py": f"log.info(customer_{name}.surname)\n" for name in "ab"}


def name_first(asked: Asked, rule: ListedRule) -> Any:
    """Denies with one place, of the first file that has one, and never speaks of the others."""
    for shown in asked.about(rule):
        for line in shown.lines:
            if "surname" in line.text:
                reasoning = f"`{line.text}` writes a customer's surname to the log."
                return {**denied(asked, rule, shown, line), "reasoning": reasoning}
    return allowed(asked, rule)


async def review(town: Town, app: App, configuration: str = "") -> PullRequest:
    if configuration:
        base = f"version: 1\npacks: []\nrules: [policy]\n{configuration}"
        actions.push(town.repository, "main", {".github/jurat.yml": base})
    town.gemini.judges(RULE, name_first)
    pull = town.open(FILES)
    await town.settle(app)
    return pull


async def test_a_dismissal_lets_no_file_pass_that_nobody_spoke_of(town: Town, app: App) -> None:
    pull = await review(town, app)
    assert [item.anchor.path for item in pull.review_comments] == ["src/a.py"]
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A test's.")
    assert town.check(pull).conclusion == "failure"
    assert {item.anchor.path for item in pull.review_comments} == {"src/a.py", "src/b.py"}


@pytest.mark.parametrize("level", ["warn", "off", "observe"])
async def test_a_file_that_may_not_block_stands_for_none_that_may(
    town: Town, app: App, level: str
) -> None:
    levels = f"levels:\n  - {{rules: [{RULE}], paths: [src/a.py], level: {level}}}\n"
    pull = await review(town, app, levels)
    assert "src/b.py" in town.check(pull).summary
    assert town.check(pull).conclusion == "failure"


async def test_what_the_model_never_speaks_of_is_not_assessed(town: Town, app: App) -> None:
    def say_nothing_of_b(asked: Asked, given: Any) -> Any:
        mine = next((rule for rule in asked.rules if rule.id == RULE), None)
        if mine is not None and not any(item.label == "src/a.py" for item in asked.shown):
            return {"verdicts": [item for item in given["verdicts"] if item["rule"] != RULE]}
        return None

    town.gemini.always(edited(say_nothing_of_b))
    pull = await review(town, app)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A test's.")
    assert town.check(pull).conclusion == "action_required"
    town.gemini.always(careful)


async def test_a_push_asks_about_the_file_that_it_changed_alone(town: Town, app: App) -> None:
    pull = await review(town, app)
    # What was found stands while what it quotes does, whatever the model says now.
    town.gemini.judges(RULE, allowed)
    actions.push(town.repository, "fix", {"src/a.py": FILES["src/a.py"] + "x = 1\n"})
    await town.settle(app)
    labels = {item.label for item in town.gemini.asked[-1].shown}
    assert (labels & {*FILES}, "facts: pull request" in labels) == ({"src/a.py"}, False)
    assert town.check(pull).conclusion == "failure"


async def test_who_reads_the_pull_request_is_shown_it(town: Town, app: App) -> None:
    rule = f"  - id: {RULE}\n    statement: A fork logs no names.\n    modality: MUST_NOT\n"
    rule += "    kind: normative\n    severity: HIGH\n"
    actions.push(town.repository, "main", {"policy/house.yml": f"version: 1\nrules:\n{rule}"})
    await review(town, app)
    assert "facts: pull request" in {item.label for item in town.gemini.asked[-1].shown}
