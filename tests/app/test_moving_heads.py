"""Branches that are pushed by force, to and fro: what is said is always about the head."""

from __future__ import annotations

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from tests.standins.gemini.reactions import Reaction, Reply, careful
from tests.standins.gemini.reading import Asked
from tests.standins.github import ManualClock, actions
from tests.standins.github.faults import Fault, always
from tests.support.talk import finding_of, replies, said
from tests.support.town import BROKEN, RULES, Town

LOOSE = RULES.replace("severity: HIGH", "severity: LOW", 1)
CLEAN = BROKEN.replace("md5", "sha512")


async def test_what_was_fixed_and_is_pushed_back_is_open_again_and_can_be_dismissed(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    first = pull.head_sha
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    actions.push_commit(town.repository, "fix", first)
    await town.settle(app)
    (comment,) = pull.review_comments
    marker = parse_marker(comment.body)
    assert marker is not None
    assert (pull.head_sha, marker.state) == (first, "open")
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It names a file.")
    assert "is dismissed" in replies(pull)[-1]
    assert town.check(pull).conclusion == "success"


async def test_all_within_one_second_of_githubs_clock(town: Town, app: App) -> None:
    town.github.world.clock = ManualClock(town.github.world.now())
    pull = town.open({"digest.py": CLEAN})
    broken = actions.push(town.repository, "fix", {"digest.py": BROKEN})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    actions.push_commit(town.repository, "fix", broken)
    await town.settle(app)
    marker = parse_marker(pull.review_comments[0].body)
    assert marker is not None
    assert marker.state == "open"
    stored = await app.store.last_review(town.repository.full_name, pull.number)
    assert stored is not None
    assert stored.head_sha == broken == pull.head_sha


async def test_a_closing_that_arrives_after_the_reopening(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    actions.close(pull)
    (closing,) = [event for event in town.github.outbox if event.name == "pull_request"]
    town.github.outbox.clear()
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    actions.reopen(pull)
    for event in [*town.github.outbox, closing]:
        await town.github.deliver(event)
    town.github.outbox.clear()
    await app.worker.run_due()
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_one_that_is_opened_again_is_reviewed_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.close(pull)
    await town.settle(app)
    # Nobody reviews what is closed by the rules that come meanwhile.
    actions.reopen(pull)
    await town.settle(app)
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert len(pull.review_comments) == 1


async def test_a_diff_that_was_read_while_the_branch_stood_elsewhere_passes_nothing(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    first = pull.head_sha

    def away(_method: str, path: str) -> Fault | None:
        """The branch moves while the base is read."""
        if path.endswith("/contents/policy"):
            town.github.faults.clear()
            actions.push(town.repository, "fix", {"digest.py": CLEAN})
        return None

    def back(asked: Asked, reply: Reply) -> Reaction:
        """And stands where it stood before when the model has answered."""
        if pull.head_sha != first:
            actions.push_commit(town.repository, "fix", first)
        return careful(asked, reply)

    town.github.faults.append(away)
    town.gemini.behave(back)
    await town.settle(app)
    assert town.github.faults == []
    actions.push_commit(town.repository, "fix", first)
    await town.settle(app)
    assert "success" not in [run.conclusion for run in town.checks(pull)]
    assert town.check(pull).conclusion == "failure"
    assert len(pull.review_comments) == 1


async def test_another_base_has_other_rules_whatever_happens_before_they_are_asked(
    town: Town, app: App
) -> None:
    nothing = "version: 1\npacks: []\nrules: []\n"
    loose = actions.push(town.repository, "loose", {".github/jurat.yml": nothing})
    drafts = "version: 1\npacks: []\nrules: [policy]\nreview: {drafts: true}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": drafts})
    actions.push(town.repository, "fix", {"digest.py": BROKEN}, onto=loose)
    pull = actions.open_pull_request(town.repository, head="fix", base="loose")
    await town.settle(app)
    assert town.check(pull).conclusion == "neutral"
    actions.edit_pull_request(pull, base="main")
    actions.close(pull)
    actions.reopen(pull)
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_rules_are_checked_again_for_another_base(town: Town, app: App) -> None:
    """What a pull request would change of them is another thing there."""
    loose = actions.push(town.repository, "loose", {"policy/house.yml": LOOSE})
    looser = RULES.replace("severity: HIGH", "severity: LOW")
    actions.push(town.repository, "fix", {"policy/house.yml": looser}, onto=loose)
    pull = actions.open_pull_request(town.repository, head="fix", base="loose")
    await town.settle(app)
    actions.push(town.repository, "main", {"README.md": "Moved on.\n"})
    actions.edit_pull_request(pull, base="main")
    await town.settle(app)
    there, here = town.named("jurat / rules", pull)
    assert "`py.no-md5` severity" not in (there.summary or "")
    assert "`py.no-md5` severity" in (here.summary or "")


async def test_a_review_that_is_given_up_after_a_push_leaves_the_new_head_to_its_own_review(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    first = pull.head_sha

    def refuse_and_push(_method: str, path: str) -> Fault | None:
        """What GitHub refuses for good while somebody pushes."""
        if not path.endswith("/contents/policy"):
            return None
        town.github.faults.clear()
        actions.push(town.repository, "fix", {"digest.py": BROKEN + "\n"})
        return Fault(403, "Resource not accessible by integration")

    town.github.faults.append(refuse_and_push)
    await town.settle(app)
    runs = town.repository.check_runs.values()
    assert [run.conclusion for run in runs if run.head_sha == first] == ["cancelled"]
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]
    assert len(pull.review_comments) == 1


async def test_a_check_that_says_that_nothing_was_decided_is_no_review(
    town: Town, app: App
) -> None:
    refused = Fault(403, "Resource not accessible by integration")
    town.github.faults.append(always(refused, path="/contents/policy"))
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).title == "The review could not be completed"
    town.github.faults.clear()
    actions.close(pull)
    actions.reopen(pull)
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
