"""One pull request that changes a contract, a ledger, an HR case, an announcement and a handbook.

Each file is judged on its own surface, by computation and by a model, and every comment stands on
the line that it is about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurat.app.wiring import App
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Function, Verdict, allowed, denied
from tests.standins.github import PullRequest, actions
from tests.standins.github.conversation import ReviewComment
from tests.support.town import Town

SURFACES = Path(__file__).parents[2] / "fixtures" / "surfaces"


def files_of(version: str) -> dict[str, str]:
    folder = SURFACES / version
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


BASE, HEAD = files_of("base"), files_of("head")

COMPUTED = {
    ("legal.late-interest", "contracts/supply.md", "(a) Interest on late payment is 12% a year."),
    ("fin.payment-cap", "ledger/2026-11.json", '    "amount": 120000.50,'),
    ("hr.overtime-cap", "hr/2026-17.yml", "monthly_overtime_hours: 52"),
    ("hr.hearing-first", "hr/2026-17.yml", "  - name: warning"),
    ("msg.no-guarantees", "announcements/winter.md", "Our new plan gives a guaranteed 8% a year."),
    ("doc.short-sections", "handbook/time.md", "## Breaks"),
}
JUDGED = {
    ("legal.no-unilateral-change", "contracts/supply.md", "at any time."),
    ("fin.cost-centre-fits", "ledger/2026-11.json", '    "cost_centre": "plant"'),
    ("hr.grounds-of-conduct", "hr/2026-17.yml", "      Too old for the night shift."),
    ("msg.no-pressure", "announcements/winter.md", "Sign today or lose your place for ever!"),
}


def quoting(text: str, fix_type: str = "", replacement: str = "", **hints: Any) -> Function:
    """Denies the line that holds `text`, quotes it, and proposes a fix."""

    def judged(asked: Asked, rule: ListedRule) -> Verdict:
        for shown in asked.about(rule):
            for line in shown.lines:
                if text in line.text:
                    verdict = denied(asked, rule, shown, line)
                    (found,) = verdict["findings"]
                    found["quote"] = text
                    found.update(hints)
                    if fix_type:
                        found["remediation"] = {"type": fix_type, "replacement": replacement}
                    return verdict
        return allowed(asked, rule)

    return judged


def judging(town: Town) -> None:
    """A model that finds something on each surface, and says falsely where it stands."""
    judges = town.gemini.judges
    judges(
        "legal.no-unilateral-change",
        quoting("at any time", "clause_revision", "with the Customer's consent", clause_ref="9.9"),
    )
    judges(
        "fin.cost-centre-fits",
        quoting(
            'items[0].cost_centre = "plant"',
            "field_change",
            "people",
            json_path="$.items[9].amount",
        ),
    )
    judges(
        "hr.grounds-of-conduct",
        quoting("Too old for the night shift.", "block", "Age is no ground.", step="nowhere"),
    )
    judges(
        "msg.no-pressure",
        quoting(
            "Sign today or lose your place for ever!",
            "text_rewrite",
            "You can join at any time.",
            file_path="ledger/2026-11.json",
        ),
    )


@pytest.fixture
async def pull(town: Town, app: App) -> PullRequest:
    actions.push(town.repository, "main", dict(BASE))
    judging(town)
    opened = town.open(dict(HEAD))
    await town.settle(app)
    return opened


def placed(comments: list[ReviewComment]) -> set[tuple[str, str, str]]:
    """The rule of each comment, with its file and the first line that it stands on."""
    found = set()
    for comment in comments:
        path, line = comment.anchor.path, comment.anchor.start_line or comment.anchor.line
        rule = comment.body.rsplit("rule=", 1)[1].split(" ")[0]
        found.add((rule, path, HEAD[path].splitlines()[line - 1]))
    return found


async def test_each_comment_stands_on_the_line_it_is_about(pull: PullRequest) -> None:
    assert placed(pull.review_comments) == COMPUTED | JUDGED


async def test_each_surface_is_asked_once_and_in_its_own_words(
    town: Town, pull: PullRequest
) -> None:
    asked = {
        next(rule.id for rule in item.rules if rule.id in BASE["policy/house.yml"]): item
        for item in town.gemini.asked
    }
    assert len(asked) == len(town.gemini.asked) == 4
    assert "a contract or a set of clauses" in asked["legal.no-unilateral-change"].system
    assert "is a transaction" in asked["fin.cost-centre-fits"].system
    assert "concerns a person" in asked["hr.grounds-of-conduct"].system
    assert "a message or an announcement" in asked["msg.no-pressure"].system


async def test_a_fix_of_whole_lines_is_a_suggestion_that_changes_nothing_else(
    pull: PullRequest,
) -> None:
    texts = dict(HEAD)
    for comment in pull.review_comments:
        if "```suggestion\n" not in comment.body:
            continue
        path, line = comment.anchor.path, comment.anchor.line
        suggestion = comment.body.split("```suggestion\n")[1].split("\n```")[0]
        lines = texts[path].splitlines()
        lines[(comment.anchor.start_line or line) - 1 : line] = [suggestion]
        texts[path] = "\n".join(lines) + "\n"
    assert texts == HEAD | {
        "contracts/supply.md": HEAD["contracts/supply.md"].replace(
            "at any time.", "with the Customer's consent."
        ),
        "ledger/2026-11.json": HEAD["ledger/2026-11.json"].replace('"plant"', '"people"', 1),
        "announcements/winter.md": HEAD["announcements/winter.md"].replace(
            "Sign today or lose your place for ever!", "You can join at any time."
        ),
    }


async def test_the_check_fails_and_every_file_counts_as_read(town: Town, pull: PullRequest) -> None:
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert "Read 5 of 5 files; 10 of 10 rules in force apply" in (check.summary or "")


SAID = {
    "legal.no-unilateral-change": {
        "surface": "contract",
        "clause_ref": "3.2",
        "span_text": "at any time",
        "offset_start": HEAD["contracts/supply.md"].index("at any time"),
        "offset_end": HEAD["contracts/supply.md"].index("at any time") + 11,
    },
    "fin.cost-centre-fits": {
        "surface": "transaction",
        "json_path": "$.items[0].cost_centre",
        "field_name": "cost_centre",
        "current_value": "plant",
    },
    "hr.grounds-of-conduct": {
        "surface": "human_action",
        "step": "warning",
        "field": "grounds",
        "context": "Too old for the night shift.",
    },
    "msg.no-pressure": {
        "surface": "message",
        "segment": "Savings plan, paragraph 2",
        "span_text": "Sign today or lose your place for ever!",
    },
}
"""What the bot says of the places that the model found; the model says otherwise."""


async def test_what_is_kept_of_a_place_is_the_bots_word(app: App, pull: PullRequest) -> None:
    kept = await app.store.last_review("acme/shop", pull.number)
    assert kept is not None
    found = {item.rule_id: item.to_json()["locations"] for item in kept.answer.violations}
    for rule, fields in SAID.items():
        (place,) = found[rule]
        assert fields.items() <= place.items()


HOSTILE = {
    "ledger/twice.json": '[{"amount": 1, "currency": "EUR", "amount": 900000}]',
    "ledger/nan.json": '[{"amount": NaN, "currency": "EUR"}]',
    "ledger/deep.json": "[" * 5_000 + "]" * 5_000,
    "hr/bomb.yml": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{key}: &{key} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, key in zip("abcdefg", "bcdefgh", strict=True)
    ),
    "hr/tag.yml": "monthly_overtime_hours: !!python/object/apply:os.system [true]\n",
    "hr/torn.yml": "monthly_overtime_hours: [52\n",
}


@pytest.mark.parametrize("path", HOSTILE)
async def test_data_that_cannot_be_read_is_named_and_never_passes(
    town: Town, app: App, path: str
) -> None:
    actions.push(town.repository, "main", dict(BASE))
    pull = town.open({path: HOSTILE[path]})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert "Not read: 1 file" in (check.summary or "")
    assert f"`{path}`: it is no" in (check.summary or "")


async def test_what_cannot_be_read_hides_nothing_that_can(town: Town, app: App) -> None:
    actions.push(town.repository, "main", dict(BASE))
    pull = town.open({**HEAD, "ledger/nan.json": HOSTILE["ledger/nan.json"]})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert placed(pull.review_comments) >= COMPUTED


async def test_a_contract_moved_out_of_its_folder_is_still_a_contract(town: Town, app: App) -> None:
    actions.push(town.repository, "main", dict(BASE))
    text = HEAD["contracts/supply.md"]
    actions.push(town.repository, "fix", {"misc/notes.md": text, "contracts/supply.md": None})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert comment.anchor.path == "misc/notes.md"
