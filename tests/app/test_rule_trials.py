"""A judge that was tried on a rule and failed does not block by it, over the webhook."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.rules.loader import load_ruleset
from jurat.rules.trial import RuleTrial
from tests.support.gemini import denying
from tests.support.town import BASE, BROKEN, Town

NAMES = "house.no-names-in-logs"
CHANGE = {"digest.py": BROKEN.replace("md5", "sha512") + 'log.info("seen %s", customer.name)\n'}
RULE = load_ruleset({"policy/house.yml": BASE["policy/house.yml"]}).rules[NAMES]


@pytest.mark.parametrize(
    ("caught", "model", "conclusion"),
    [
        (5, "gemini-3-flash-preview", "failure"),
        (3, "gemini-3-flash-preview", "neutral"),
        (3, "gemini-3.1-pro-preview", "failure"),
    ],
)
async def test_reviews_go_by_the_trial_of_their_own_judge(
    town: Town, app: App, caught: int, model: str, conclusion: str
) -> None:
    await app.store.save_trials({RULE.revision: RuleTrial(NAMES, 5, caught, 5, model=model)})
    town.gemini.functions[NAMES] = denying("customer.name")
    pull = town.open(CHANGE)
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == conclusion
    said = f"It only advises: of twins of its examples {model} caught 3 of 5 that break it"
    shown = f"{check.summary} {check.text} {[item.body for item in pull.review_comments]}"
    assert (said in shown) is (conclusion == "neutral")
