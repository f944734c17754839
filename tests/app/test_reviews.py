"""Webhooks in, the state of the pull request out."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from tests.standins.gemini.reactions import refused
from tests.standins.github import PullRequest, actions
from tests.support.gemini import denying
from tests.support.town import BROKEN, Town


def bodies(pull: PullRequest) -> list[str]:
    return [comment.body for comment in pull.review_comments]


async def test_an_opened_pull_request_gets_a_check_and_one_review(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = town.check(pull)
    assert (check.status, check.conclusion, check.title) == (
        "completed",
        "failure",
        "1 rule blocks",
    )
    assert len(pull.reviews) == 1
    (comment,) = pull.review_comments
    assert (comment.anchor.path, comment.anchor.line) == ("digest.py", 5)
    assert "```suggestion\n    return hashlib.sha256(data).hexdigest()\n```" in comment.body


async def test_the_check_is_in_progress_while_the_review_runs(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    await town.settle(app)
    sent = [item.sent for item in town.github.writes() if item.route.endswith("/check-runs")]
    assert [body["status"] for body in sent] == ["in_progress"]


async def test_a_clean_change_passes(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN.replace("md5", "sha512")})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    assert pull.reviews == []


async def test_the_model_judges_what_cannot_be_computed(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"digest.py": "import logging\n\nlogging.info(customer.name)\n"})
    await town.settle(app)
    (comment,) = pull.review_comments
    assert comment.anchor.line == 3
    assert len(town.gemini.asked) == 1
    assert town.check(pull).conclusion == "failure"


async def test_a_failed_model_is_not_a_pass_and_computed_verdicts_stand(
    town: Town, app: App
) -> None:
    town.gemini.always(refused())
    pull = town.open({"digest.py": BROKEN.replace("md5", "sha512")})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert "house.no-names-in-logs" in (check.summary or "")
    assert "Passed: 1 rule" in (check.summary or "")


async def test_a_push_with_the_same_finding_posts_no_second_comment(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": f"# A new first line.\n{BROKEN}"})
    await town.settle(app)
    assert len(pull.review_comments) == 1
    assert town.check(pull).conclusion == "failure"


async def test_a_comment_that_a_person_wrote_into_gets_no_second_one(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    (comment,) = pull.review_comments
    edited = f"{comment.body}\n\nI look at this.".replace("\n", "\r\n")
    actions.edit_comment(comment, edited, by="wendy")
    actions.push(town.repository, "fix", {"digest.py": f"# New.\n{BROKEN}"})
    await town.settle(app)
    assert bodies(pull) == [edited]
    sha = actions.push(town.repository, "fix", {"digest.py": BROKEN.replace("md5", "sha512")})
    await town.settle(app)
    (body,) = bodies(pull)
    assert body.startswith(f"> ✔ Fixed in {sha[:12]}.")
    assert body.endswith("\n\nI look at this.")


async def test_a_fixed_finding_says_in_which_commit(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    fixed = BROKEN.replace("md5", "sha512")
    sha = actions.push(town.repository, "fix", {"digest.py": fixed})
    await town.settle(app)
    (body,) = bodies(pull)
    assert body.startswith(f"> ✔ Fixed in {sha[:12]}.")
    assert town.check(pull).conclusion == "success"


async def test_a_finding_that_comes_back_reopens_its_comment(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    for text in (BROKEN.replace("md5", "sha512"), BROKEN + "\n"):
        await town.settle(app)
        actions.push(town.repository, "fix", {"digest.py": text})
    await town.settle(app)
    (body,) = bodies(pull)
    marker = parse_marker(body)
    assert marker is not None
    assert marker.state == "open"
    assert body.startswith("> ↻ Back again in ")


async def test_a_redelivery_and_a_second_guid_review_nothing_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    (event,) = [item for item in town.github.outbox if item.name == "pull_request"]
    await town.settle(app)
    await town.github.deliver(event)
    await town.github.deliver(town.github.repeated(event))
    assert await app.worker.run_due() == 0
    assert len(town.checks(pull)) == 1


async def test_an_accepted_event_survives_a_restart(town: Town) -> None:
    async with town.running():
        pull = town.open({"digest.py": BROKEN})
        await town.github.flush()
        assert town.checks(pull) == []
    async with town.running() as restarted:
        await restarted.worker.run_due()
    assert town.check(pull).conclusion == "failure"


async def test_a_draft_is_reviewed_once_it_is_ready(town: Town, app: App) -> None:
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    pull = actions.open_pull_request(town.repository, head="fix", draft=True)
    await town.settle(app)
    assert town.checks(pull) == []
    actions.mark_ready(pull)
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_a_reviewed_draft_is_reviewed_again_once_it_is_ready(town: Town, app: App) -> None:
    """Rules may ask for `pull_request.draft`."""
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    pull = actions.open_pull_request(town.repository, head="fix", draft=True)
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    actions.mark_ready(pull)
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert len(pull.review_comments) == 1


async def test_a_closed_pull_request_is_left_alone(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    actions.close(pull)
    await town.settle(app)
    assert town.checks(pull) == []


@pytest.mark.parametrize("path", [".github/jurat.yml", "policy/house.yml"])
async def test_a_pull_request_cannot_change_its_own_judge(town: Town, app: App, path: str) -> None:
    pull = town.open({"digest.py": BROKEN, path: "version: 1\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert len(pull.review_comments) == 1


async def test_a_broken_rule_on_the_base_fails_the_check_on_its_line(town: Town, app: App) -> None:
    broken = "version: 1\nrules:\n  - id: a.b\n    statment: Typo.\n"
    actions.push(town.repository, "main", {"policy/house.yml": broken})
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert check.title == "The configuration is broken"
    lines = {(note["path"], note["start_line"]) for note in check.annotations}
    assert ("policy/house.yml", 4) in lines


async def test_recheck_by_someone_with_write_permission_reviews_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    comment = actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert len(town.checks(pull)) == 2
    assert [reaction.content for reaction in comment.reactions] == ["eyes", "+1"]
    assert len(pull.review_comments) == 1


async def test_recheck_by_someone_without_it_is_refused_with_the_reason(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    comment = actions.comment(pull, "/recheck", by="rita")
    await town.settle(app)
    assert len(town.checks(pull)) == 1
    assert [reaction.content for reaction in comment.reactions] == ["eyes", "confused"]
    assert pull.comments[-1].body.startswith("Only people with write permission can ask for that.")


async def test_a_check_can_be_run_again_from_githubs_page(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.rerequest_run(town.check(pull), by="wendy")
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert len(pull.review_comments) == 1
