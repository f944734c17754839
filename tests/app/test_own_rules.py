"""A pull request that changes its own judge: webhooks in, the check `jurat / rules` out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jurat.app.wiring import App
from tests.standins.github import PullRequest, actions
from tests.standins.github.checks import CheckRun
from tests.standins.github.faults import Fault, always
from tests.support.town import BASE, BROKEN, RULES, Town

CLEAN = BROKEN.replace("md5", "sha512")
WEAKER = RULES.replace("severity: HIGH\n    languages: [python]\n    con", "severity: LOW\n    con")
SHA1 = """
  - id: py.no-sha512
    statement: Digests are short.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: hashlib.sha512($$$A)}
"""


def rules_check(town: Town, pull: PullRequest) -> CheckRun:
    (check,) = town.named("jurat / rules", pull)
    return check


async def earlier(town: Town, app: App, *texts: str) -> list[PullRequest]:
    """Pull requests that were reviewed before, each with another text of the file."""
    pulls = []
    for number, text in enumerate(texts, 1):
        actions.push(town.repository, f"earlier-{number}", {"digest.py": f"# {number}\n{text}"})
        pulls.append(actions.open_pull_request(town.repository, head=f"earlier-{number}"))
        await town.settle(app)
    return pulls


async def changing(town: Town, app: App, files: dict[str, str]) -> PullRequest:
    pull = town.open(files)
    await town.settle(app)
    return pull


async def test_a_change_of_something_else_gets_no_second_check(town: Town, app: App) -> None:
    pull = await changing(town, app, {"digest.py": BROKEN, "data.yml": "a: 1\n"})
    assert town.named("jurat / rules", pull) == []
    listings = [item.path for item in town.github.exchanges if item.path.endswith("/files")]
    assert listings == []


async def test_what_cannot_be_loaded_fails_on_its_lines(town: Town, app: App) -> None:
    broken = RULES.replace("modality: MUST_NOT", "modalty: MUST_NOT", 1)
    pull = await changing(
        town, app, {"policy/house.yml": broken, ".github/jurat.yml": BASE[".github/jurat.yml"]}
    )
    check = rules_check(town, pull)
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert check.title == "2 errors in the configuration or the rules"
    assert [(note["path"], note["start_line"], note["message"]) for note in check.annotations] == [
        ("policy/house.yml", 4, "rules[0].modality: is required"),
        (
            "policy/house.yml",
            7,
            "rules[0].modalty: unknown key; did you mean 'modality'?",
        ),
    ]
    assert town.check(pull).title == "No rule applies"


async def test_a_broken_configuration_fails_on_its_line(town: Town, app: App) -> None:
    pull = await changing(town, app, {".github/jurat.yml": "version: 1\nrule: [policy]\n"})
    check = rules_check(town, pull)
    assert [(note["path"], note["start_line"]) for note in check.annotations] == [
        (".github/jurat.yml", 2)
    ]
    assert "`jurat rules check` finds the same" in (check.summary or "")


async def test_new_rules_are_tried_on_what_was_reviewed_before(town: Town, app: App) -> None:
    first, second, _ = await earlier(town, app, BROKEN, CLEAN, "import hashlib\n")
    actions.merge(second)
    await town.settle(app)
    changed = "version: 1\nrules:\n" + SHA1.lstrip("\n")
    pull = await changing(town, app, {"policy/house.yml": changed})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == (
        "neutral",
        "Would newly block 1, no longer block 1",
    )
    assert check.summary == (
        "**They would newly block 1 and no longer block 1** of the 3 pull requests reviewed last,"
        " each tried at the head that was reviewed.\n\n"
        "| | Pull request | By |\n|---|---|---|\n"
        f"| newly blocked | [#{second.number}](https://github.com/acme/shop/pull/{second.number})"
        " | `py.no-sha512` |\n"
        f"| no longer blocked | [#{first.number}](https://github.com/acme/shop/pull/{first.number})"
        " | `py.no-md5` |\n\n"
        "| | What changes in force | Before | After |\n|---|---|---|---|\n"
        "| ▼ looser | `py.no-md5` | MUST\\_NOT HIGH | none |\n"
        "| ▼ looser | `house.no-names-in-logs` | MUST\\_NOT HIGH | none |\n"
        "| ▲ stricter | `py.no-sha512` | none | MUST\\_NOT HIGH |\n\n"
        "Judged by a model, and so not tried: `house.no-names-in-logs`.\n\n"
        "This pull request itself is judged by its base's rules; these count once it is merged."
    )


async def test_a_trial_asks_no_model_and_keeps_nothing(town: Town, app: App) -> None:
    (before,) = await earlier(town, app, BROKEN)
    asked = len(town.gemini.asked)
    past = await app.store.last_review("acme/shop", before.number)
    pull = await changing(town, app, {"policy/house.yml": WEAKER})
    assert rules_check(town, pull).conclusion == "neutral"
    assert len(town.gemini.asked) == asked
    assert await app.store.last_review("acme/shop", before.number) == past
    assert len(before.review_comments) == 1


async def test_stricter_rules_alone_are_a_success(town: Town, app: App) -> None:
    await earlier(town, app, CLEAN)
    pull = await changing(town, app, {"policy/house.yml": RULES + SHA1})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == (
        "success",
        "Would newly block 1, no longer block 0",
    )


async def test_without_a_past_only_the_differences_are_shown(town: Town, app: App) -> None:
    pull = await changing(town, app, {"policy/house.yml": WEAKER})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == ("neutral", "2 changes in force")
    assert (check.summary or "").startswith("No other pull request was reviewed yet")
    assert "| ▼ looser | `py.no-md5` severity | HIGH | LOW |" in (check.summary or "")


async def test_words_alone_change_nothing_in_force(town: Town, app: App) -> None:
    words = RULES.replace("kind: normative", "kind: normative\n    rationale: They ask for it.")
    pull = await changing(town, app, {"policy/house.yml": words})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == ("success", "Nothing changes in force")


async def test_a_deleted_rule_file_is_a_loss_of_its_rules(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {"policy/more.yml": "rules:" + SHA1})
    actions.push(town.repository, "fix", {"policy/more.yml": None})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    summary = rules_check(town, pull).summary or ""
    assert "| ▼ looser | `py.no-sha512` | MUST\\_NOT HIGH | none |" in summary


async def test_what_cannot_be_read_again_is_counted(town: Town, app: App) -> None:
    first, _ = await earlier(town, app, BROKEN, CLEAN)
    past = await app.store.last_review("acme/shop", first.number)
    assert past is not None
    gone = Fault(404, "Not Found")
    town.github.faults.append(always(gone, "GET", f"/compare/{past.base_sha}...{past.head_sha}"))
    pull = await changing(town, app, {"policy/house.yml": RULES + SHA1})
    summary = rules_check(town, pull).summary or ""
    assert "of the 1 pull request reviewed last" in summary
    assert "1 more could not be tried: 1 gone from GitHub." in summary


async def test_repaired_rules_are_said_to_be(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {"policy/house.yml": "version: 1\nrules: 7\n"})
    pull = await changing(town, app, {"policy/house.yml": RULES})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == ("success", "The rules can be loaded again")
    assert town.check(pull).title == "The configuration is broken"


async def test_a_pull_request_that_is_behind_is_compared_with_where_it_began(
    town: Town, app: App
) -> None:
    actions.push(town.repository, "fix", {"policy/house.yml": RULES + SHA1})
    actions.push(town.repository, "main", {"policy/other.yml": "rules:" + SHA1.replace("512", "3")})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    summary = rules_check(town, pull).summary or ""
    assert "py.no-sha3" not in summary
    assert "| ▲ stricter | `py.no-sha512` |" in summary


@pytest.mark.parametrize("again", [False, True])
async def test_it_is_done_once_a_head_unless_it_is_asked_for(
    town: Town, app: App, again: bool
) -> None:
    pull = await changing(town, app, {"policy/house.yml": WEAKER})
    if again:
        actions.rerequest_run(rules_check(town, pull), by="wendy")
    else:
        actions.close(pull)
        actions.reopen(pull)
    await town.settle(app)
    assert len(town.named("jurat / rules", pull)) == 1 + again
    assert len(town.checks(pull)) == 1


async def test_a_trial_that_is_given_up_blocks_nothing(town: Town, app: App) -> None:
    refused = Fault(403, "Resource not accessible by integration")
    town.github.faults.append(always(refused, "GET", "/compare/"))
    pull = await changing(town, app, {"policy/house.yml": WEAKER})
    check = rules_check(town, pull)
    assert (check.conclusion, check.title) == ("neutral", "The new rules could not be tried")
    assert "Re-run this check to try again." in (check.summary or "")
    assert town.check(pull).status == "completed"


async def test_a_push_during_the_trial_takes_its_place(town: Town, app: App) -> None:
    pull = town.open({"policy/house.yml": WEAKER})
    old_head = pull.head_sha
    await town.github.flush()
    actions.push(town.repository, "fix", {"policy/house.yml": RULES + SHA1})
    await town.settle(app)
    runs = town.repository.check_runs.values()
    assert [run for run in runs if run.head_sha == old_head] == []
    assert rules_check(town, pull).status == "completed"


async def test_a_file_that_the_configuration_builds_on_is_its_own_judge_too(
    town: Town, app: App
) -> None:
    built = {
        ".github/jurat.yml": "_extends: shop:shared/common.yml\nrules: [policy]\n",
        "shared/common.yml": "packs: []\nreview: {severity_min: MEDIUM}\n",
    }
    actions.push(town.repository, "main", built)
    actions.push(town.repository, "fix", {**built, "shared/common.yml": "packs: []\nrevew: 1\n"})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    (note,) = rules_check(town, pull).annotations
    assert (note["path"], note["start_line"]) == ("shared/common.yml", 2)
    actions.push(
        town.repository,
        "fix",
        {"shared/common.yml": "packs: []\nreview: {severity_min: CRITICAL}\n"},
    )
    await town.settle(app)
    summary = rules_check(town, pull).summary or ""
    assert "| ▼ looser | `review.severity_min` | MEDIUM | CRITICAL |" in summary


MANY = "version: 1\nrules:\n" + "".join(
    f"  - {{id: a.r{number}, oops: 1}}\n" for number in range(30)
)
"""So many errors that their annotations take several updates."""


def _on_first_update(town: Town, act: Callable[[], object]) -> None:
    """Have something happen while the check is open, half of its annotations written."""
    seen: list[str] = []

    def rule(method: str, path: str) -> Fault | None:
        if method == "PATCH" and "/check-runs/" in path and not seen:
            (run,) = [
                each for each in town.repository.check_runs.values() if path.endswith(f"/{each.id}")
            ]
            if run.name == "jurat / rules":
                seen.append(path)
                act()
        return None

    town.github.faults.append(rule)


def _end_the_grace(app: App) -> None:
    """Stop the worker as a process stops whose time is up: its jobs are given back."""
    app.worker.stop()
    app.worker._drained.set()  # the seconds of grace, which no test waits for


async def test_a_worker_that_is_stopped_leaves_the_open_check_to_the_next(
    town: Town, app: App
) -> None:
    pull = town.open({"policy/house.yml": MANY})
    await town.github.flush()
    _on_first_update(town, lambda: _end_the_grace(app))
    await app.worker.run_due()
    assert rules_check(town, pull).status == "in_progress"
    async with town.running() as successor:
        await successor.worker.run_due()
    check = rules_check(town, pull)
    assert (check.status, check.conclusion) == ("completed", "failure")


async def test_a_check_that_is_open_when_the_pull_request_is_closed_is_ended_by_the_sweep(
    town: Town, app: App
) -> None:
    pull = town.open({"policy/house.yml": MANY})
    await town.github.flush()

    def close() -> None:
        actions.close(pull)
        _end_the_grace(app)

    _on_first_update(town, close)
    await app.worker.run_due()
    async with town.running() as successor:
        await town.settle(successor)
        await successor.scheduler.start()
        await successor.worker.run_due()
    check = rules_check(town, pull)
    assert (check.status, check.conclusion) == ("completed", "cancelled")
