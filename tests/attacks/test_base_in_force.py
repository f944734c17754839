"""The rules that judge are those of the base branch as it stands, and not as it stood once."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from jurat.app.wiring import App
from jurat.review_interfaces import Stage
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import BASE, BROKEN, RULES, Town

CONFIGURATION = ".github/jurat.yml"
CLEAN = BROKEN.replace("md5", "sha512")
NO_SHA512 = """  - id: house.no-sha512
    statement: Digests are short.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: hashlib.sha512($$$A)}
"""


async def test_who_mends_the_base_asks_for_the_review_again(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {CONFIGURATION: "version: 1\nrule: [policy]\n"})
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).title == "The configuration is broken"
    actions.push(town.repository, "main", {CONFIGURATION: BASE[CONFIGURATION]})
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion != "failure"


@attack(
    "a fork's author",
    tries="open a pull request before a rule is made, and merge by the rules of that day",
    gets="a failure: a push that changes rules has the open pull requests judged again",
)
async def test_a_stricter_rule_reaches_open_pull_requests(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion != "failure"
    tip = actions.push(town.repository, "main", {"policy/house.yml": RULES + NO_SHA512})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    last = await app.store.last_review("acme/shop", pull.number)
    assert last is not None
    assert last.base_sha == tip


async def test_the_organisations_rules_reach_open_pull_requests(town: Town, app: App) -> None:
    owners = town.github.create_repository(
        "acme/.github", {name: text for name, text in BASE.items() if name != "digest.py"}
    )
    actions.push(town.repository, "main", {CONFIGURATION: None})
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion != "failure"
    actions.push(owners, "main", {"policy/house.yml": RULES + NO_SHA512})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="keep the pass of before the owner required a rule, with a configuration of its own",
    gets="the failure by that rule, as soon as the owner's file requires it",
)
async def test_the_owner_comes_to_require_a_rule(town: Town, app: App) -> None:
    owners = town.github.create_repository("acme/.github", {CONFIGURATION: "packs: []\n"})
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion != "failure"
    required = "packs: []\nrules: [law]\nrequired: {rules: [house.no-sha512]}\n"
    law = {"law/house.yml": f"version: 1\nrules:\n{NO_SHA512}"}
    actions.push(owners, "main", {CONFIGURATION: required, **law})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a repository's admin",
    tries="wear the App out by pushes that change no rule",
    gets="nothing: no job, or one that finds the rules to be the same",
)
@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "Words\n"},
        {".github/workflows/ci.yml": "on: push\n"},
        {"policy/house.yml": f"# The house's rules.\n{RULES}"},
    ],
    ids=["words", "workflow", "comment"],
)
async def test_a_push_that_changes_no_rule(town: Town, app: App, files: dict[str, str]) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    checks = len(town.checks(pull))
    for _ in range(3):
        actions.push(town.repository, "main", files)
        await town.settle(app)
        files = {name: f"{text}# and more\n" for name, text in files.items()}
    assert len(town.checks(pull)) == checks


@attack(
    "a repository's admin",
    tries="have a hundred pushes of new rules judged one by one",
    gets="one review by the rules that the last of them put in force, computed and then judged",
)
async def test_many_pushes_are_one_review(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    before = len(town.checks(pull))
    for number in range(5):
        rules = RULES + NO_SHA512.replace("no-sha512", f"no-sha512-{number}")
        actions.push(town.repository, "main", {"policy/house.yml": rules})
    await town.settle(app)
    # What is computed is shown at once, and then what a model says beside it.
    assert len(town.checks(pull)) == before + 2
    assert "no-sha512-4" in (town.check(pull).summary or "")


@attack(
    "a fork's author",
    tries="hide a breach of a new rule behind many open pull requests that a model has to judge",
    gets="its failure before the model is asked about any: what can be computed comes first",
)
async def test_what_can_be_computed_comes_before_the_model(town: Town, app: App) -> None:
    pulls = []
    for number in range(4):
        # The last one alone breaks what the new rule says.
        text = CLEAN if number == 0 else BASE["digest.py"]
        actions.push(town.repository, f"fix-{number}", {"digest.py": f"{text}# {number}\n"})
        pulls.append(actions.open_pull_request(town.repository, head=f"fix-{number}"))
    await town.settle(app)
    assert "failure" not in {town.check(pull).conclusion for pull in pulls}
    changed = RULES.replace("of customers", "of anybody") + NO_SHA512
    actions.push(town.repository, "main", {"policy/house.yml": changed})
    await town.github.flush()
    seen: list[list[str | None]] = []

    async def watch(stage: Stage, work: Awaitable[object]) -> object:
        asked = len(town.gemini.asked)
        answer = await work
        if len(town.gemini.asked) > asked:
            seen.append([town.check(pull).conclusion for pull in pulls])
        return answer

    object.__setattr__(app.services, "watch", watch)
    await app.worker.run_due()
    # Every pass of before is taken back, and the breach is shown, before the first question.
    assert seen[0] == ["failure", None, None, None]
    assert len(seen) == 4
    assert [town.check(pull).conclusion for pull in pulls] == ["failure", *["success"] * 3]


@attack(
    "a repository's admin",
    tries="delete the base branch, so that no rules are in force",
    gets="no conclusion: the review waits for the branch, and is given up without a pass",
)
async def test_the_base_branch_is_gone(town: Town, app: App) -> None:
    actions.push(town.repository, "release", {"notes.md": "Release\n"})
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    pull = actions.open_pull_request(town.repository, head="fix", base="release")
    actions.delete_branch(town.repository, "release")
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull) if run.conclusion == "success"] == []
    (job,) = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    assert job.state == "queued"


@attack(
    "a repository's admin",
    tries="make a tag that is called as the base branch is, onto a commit with softer rules",
    gets="the failure: the branch is asked for by its whole name",
)
async def test_a_tag_is_called_as_the_base_branch_is(town: Town, app: App) -> None:
    soft = actions.push(town.repository, "soft", {CONFIGURATION: "packs: []\n"})
    town.repository.git.set_ref("refs/tags/main", soft)
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
