"""Suppressions of the base hold, those that the change brings do not, and all are accounted for."""

from __future__ import annotations

import datetime as dt

from jurat.app.wiring import App
from tests.standins.github import PullRequest, actions
from tests.support.talk import governed
from tests.support.town import Town

LATER = dt.date(2999, 1, 31)
SAYS = f"jurat: ignore py.no-md5 until {LATER} -- a checksum, no secret"
BASE = f"import hashlib\n\n\ndef name(data):\n    # {SAYS}\n    return hashlib.md5(data)\n"


async def reviewed(town: Town, app: App, base: str, head: str) -> PullRequest:
    governed(town)
    actions.push(town.repository, "main", {"digest.py": base})
    pull = town.open({"digest.py": head})
    await town.settle(app)
    return pull


async def test_a_suppression_of_the_base_holds_and_is_listed(town: Town, app: App) -> None:
    pull = await reviewed(town, app, BASE, BASE.replace("(data)\n", "(data + b'!')\n"))
    check = town.check(pull)
    assert (check.conclusion, check.title, pull.review_comments) == (
        "success",
        "2 rules passed, 1 set aside",
        [],
    )
    summary = check.summary or ""
    assert "<summary>Set aside: 1 finding does not count</summary>" in summary
    assert (
        "`digest.py:6` `py.no-md5`: suppressed in `digest.py:5` until 2999-01-31: a checksum, no"
        " secret"
    ) in summary
    assert "Suppressions to look at" not in summary


async def test_a_suppression_that_the_change_adds_does_not_govern_it_and_is_listed(
    town: Town, app: App
) -> None:
    pull = await reviewed(town, app, "import hashlib\n", BASE)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert len(pull.review_comments) == 1
    assert (
        "<summary>Suppressions to look at: 1</summary>\n\n"
        "- `digest.py:5` `py.no-md5`: This change adds it, so it counts only once it is merged."
    ) in (check.summary or "")


async def test_expired_unknown_unused_and_unreadable_ones_are_reported(
    town: Town, app: App
) -> None:
    lines = [
        "import hashlib",
        "a = 1  # jurat: ignore py.no-md5 until 2020-01-01 -- old",
        "b = 1  # jurat: ignore py.no-md6 until 2999-01-31 -- typo",
        "c = 1  # jurat: ignore py.no-md5 until 2999-01-31 -- needless",
        "d = 1  # jurat: ignore py.no-md5 -- for ever",
        "e = 1  # jurat: ignore py.no-md5 until 2999-01-31",
        's = "# jurat: ignore py.no-md5"',
    ]
    base = "\n".join(lines) + "\n"
    pull = await reviewed(town, app, base, base.replace("= 1", "= 2"))
    assert town.check(pull).conclusion == "success"
    summary = town.check(pull).summary or ""
    listed = summary.split("<summary>Suppressions to look at: 5</summary>\n\n")[1]
    assert listed.split("\n\n</details>")[0].split("\n") == [
        "- `digest.py:2` `py.no-md5`: It ended on 2020-01-01: fix it, or extend it.",
        "- `digest.py:3` `py.no-md6`: No rule of that name is in force. Did you mean py.no-md5?",
        "- `digest.py:4` `py.no-md5`: The rule reports nothing on this line: is it still needed?",
        "- `digest.py:5` `py.no-md5`: It does not count: it has no end: write `jurat: ignore RULE"
        " until YYYY-MM-DD -- reason`.",
        "- `digest.py:6` `py.no-md5`: It does not count: it has no reason: write `jurat: ignore"
        " RULE until YYYY-MM-DD -- reason`.",
    ]


async def test_a_suppressions_words_are_shown_as_text(town: Town, app: App) -> None:
    says = SAYS.replace("a checksum", "</details> @octocat")
    base = BASE.replace(SAYS, says)
    pull = await reviewed(town, app, base, base.replace("(data)\n", "(data + b'!')\n"))
    assert "\\</details\\> @&#8203;octocat" in (town.check(pull).summary or "")


async def test_a_pull_request_cannot_widen_what_the_base_suppresses(town: Town, app: App) -> None:
    widened = BASE.replace("    return", "    print(hashlib.md5(b'password'))\n    return")
    pull = await reviewed(town, app, BASE, widened)
    assert town.check(pull).conclusion == "failure"
