"""Which normative rules a model is asked about, if there are more than it may be asked."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.standins.gemini.reactions import failure
from tests.standins.github import actions
from tests.support.town import Town

CONFIGURATION = "version: 1\npacks: []\nrules: [policy]\nreview: {max_rules: 1}\n"
TASTES = """
version: 1
rules:
  - id: house.shifts
    statement: Shifts leave time to rest.
    kind: normative
    modality: SHOULD
    severity: MEDIUM
  - id: house.certificates
    statement: Certificates are verified.
    kind: normative
    modality: SHOULD
    severity: MEDIUM
"""


def crowded(town: Town) -> None:
    actions.push(
        town.repository, "main", {".github/jurat.yml": CONFIGURATION, "policy/house.yml": TASTES}
    )


async def test_meaning_decides_between_rules_that_compete(town: Town, app: App) -> None:
    crowded(town)
    pull = town.open({"tls.py": "connect()\n"}, title="Certificates are verified again")
    await town.settle(app)
    (asked,) = town.gemini.asked
    assert "house.certificates" in asked.user
    assert "house.shifts" not in asked.user
    texts = [len(body["requests"]) for body in town.gemini.embedded]
    assert texts == [2, 1]
    assert "number 2 of 2 by relevance and authority" in town.check(pull).summary


async def test_without_embeddings_words_decide_and_the_summary_says_so(
    town: Town, app: App
) -> None:
    crowded(town)
    town.gemini.embedding_fault = failure(500, "INTERNAL", "down")
    pull = town.open({"tls.py": "connect()\n"}, title="Certificates are verified again")
    await town.settle(app)
    (asked,) = town.gemini.asked
    assert "house.certificates" in asked.user
    said = "Rules were ranked by their words, not by their meaning: the API answered 500 INTERNAL."
    assert said in town.check(pull).summary


async def test_where_nothing_competes_nothing_is_embedded(town: Town, app: App) -> None:
    town.open({"digest.py": "print(1)\n"})
    await town.settle(app)
    assert town.gemini.embedded == []
