"""What reviewers complain of most in such bots, numbered as in the list: it is not so here.

Webhooks go in, and what stands on the pull request afterwards is looked at.
"""

from __future__ import annotations

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from tests.standins.gemini.reactions import refused
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict, denied
from tests.standins.github import DiffLimits, PullRequest, actions
from tests.standins.github.faults import Fault, always
from tests.support.gemini import denying
from tests.support.town import BROKEN, RULES, Town

NAMED = "import logging\n\nlogging.info(customer.name)\n"
CLEAN = BROKEN.replace("md5", "sha512")
SMALL_FILES = """
  - id: house.small-files
    statement: A file grows by at most ten lines.
    kind: computational
    modality: MUST
    severity: HIGH
    constraints:
      - {type: numeric, field_path: "change.files[*].lines_added", operator: "<=", threshold: 10}
"""
SHADOW = """
  - id: house.no-prints
    statement: Nothing is printed.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    maturity: experimental
    constraints:
      - {type: pattern, language: python, pattern: print($$$A)}
"""


def rule_ids(pull: PullRequest) -> list[str]:
    markers = [parse_marker(comment.body) for comment in pull.review_comments]
    return [marker.rule_id for marker in markers if marker]


def in_force(town: Town, *rules: str) -> None:
    """Put rules beside those of the town, on the base branch."""
    actions.push(town.repository, "main", {"policy/house.yml": RULES + "".join(rules)})


async def test_1_the_same_comment_on_every_push(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"digest.py": BROKEN, "log.py": NAMED})
    await town.settle(app)
    first = [(comment.id, comment.body) for comment in pull.review_comments]
    assert len(first) == 2
    # A push of something else, the same lines moved down, a rebase by force, a renamed file.
    actions.push(town.repository, "fix", {"other.py": "x = 1\n"})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": f"# New.\n\n{BROKEN}"})
    await town.settle(app)
    base = actions.push(town.repository, "main", {"README.md": "Moved on.\n"})
    files = {"digest.py": BROKEN, "log.py": NAMED}
    actions.push(town.repository, "fix", dict(files), onto=base)
    await town.settle(app)
    assert [(comment.id, comment.body) for comment in pull.review_comments] == first
    actions.push(town.repository, "fix", {"log.py": None, "src/log.py": NAMED})
    await town.settle(app)
    assert [comment.id for comment in pull.review_comments] == [number for number, _ in first]
    assert town.check(pull).title == "2 rules block"


async def test_2_dismissed_findings_argued_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.reply(pull.review_comments[0], "/jurat dismiss It names a file.", by="wendy")
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": f"# New.\n\n{BROKEN}"})
    await town.settle(app)
    actions.push(town.repository, "other", {"digest.py": f"{BROKEN}\n"})
    other = actions.open_pull_request(town.repository, head="other")
    await town.settle(app)
    assert (rule_ids(pull), rule_ids(other)) == (["py.no-md5"], [])
    day = f"{app.services.clock():%Y-%m-%d}"
    for judged in (pull, other):
        check = town.check(judged)
        assert check.conclusion == "success"
        assert "<summary>Set aside: 1 finding does not count</summary>" in (check.summary or "")
        assert f"dismissed by `wendy` on {day}: It names a file." in (check.summary or "")


async def test_3_one_bad_line_loses_the_whole_review(town: Town, app: App) -> None:
    in_force(town, SMALL_FILES)
    filler = "".join(f"x{number} = {number}\n" for number in range(20))
    pull = town.open({"digest.py": BROKEN, "long.py": filler})
    await town.settle(app)
    assert rule_ids(pull) == ["py.no-md5"]
    assert "`long.py`" in (town.check(pull).summary or "")
    assert town.check(pull).title == "2 rules block"


def invents(asked: Asked, rule: ListedRule) -> Verdict:
    """Quotes a line that does not stand there."""
    shown = asked.about(rule)[0]
    verdict = denied(asked, rule, shown, shown.lines[0])
    for finding in verdict["findings"]:
        finding["quote"] = "logging.info(password)"
    return verdict


async def test_4_wrong_or_invented_lines(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", invents)
    pull = town.open({"log.py": NAMED})
    await town.settle(app)
    assert pull.review_comments == []
    check = town.check(pull)
    assert (check.conclusion, check.title) == (
        "action_required",
        "1 blocking rule undecided",
    )
    assert "logging.info(password)" not in (check.summary or "")


async def test_5_noise(town: Town, app: App) -> None:
    """120 findings over 60 files: a budget of comments, the rest in the summary, few writes."""
    in_force(town, SHADOW)
    twice = "import hashlib\n\na = hashlib.md5(x)\n\n\nprint(a)\nb = hashlib.md5(y)\n"
    pull = town.open({f"src/f{number}.py": twice for number in range(60)})
    await town.settle(app)
    assert len(pull.review_comments) == 20
    assert len(pull.reviews) == 1
    check = town.check(pull)
    assert "…and 70 more findings." in (check.summary or "")
    assert len(check.annotations) == 100
    assert "Shadow: 60 findings of rules that only observe" in (check.summary or "")
    assert "house.no-prints" not in rule_ids(pull)
    assert len([item for item in town.github.writes() if "access_tokens" not in item.path]) == 4


async def test_6_a_failed_model_shown_as_success(town: Town, app: App) -> None:
    town.gemini.always(refused())
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert rule_ids(pull) == ["py.no-md5"]
    assert "Not assessed: 1 rule" in (check.summary or "")
    actions.push(town.repository, "fix", {"digest.py": CLEAN})
    await town.settle(app)
    assert town.check(pull).conclusion == "action_required"


async def test_7_different_answers_on_the_same_commit(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"log.py": NAMED})
    await town.settle(app)
    asked, told = len(town.gemini.asked), pull.review_comments[0].body
    town.gemini.judges("house.no-names-in-logs", denying("nothing at all"))
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    assert len(town.gemini.asked) == asked
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert [comment.body for comment in pull.review_comments] == [told]


async def test_8_merge_queues_that_stall_and_checks_that_hang(town: Town) -> None:
    async with town.running() as app:
        pull = town.open({"digest.py": CLEAN})
        await town.settle(app)
        group = actions.enqueue(town.repository, [pull])
        await town.settle(app)
        old = actions.push(town.repository, "fix", {"digest.py": f"{CLEAN}\n"})
        await town.github.flush()
    # The process stopped with a job in hand, and a newer push came meanwhile.
    actions.push(town.repository, "fix", {"digest.py": BROKEN})
    async with town.running() as app:
        await town.settle(app)
        await app.worker.run_due()
    runs = town.repository.check_runs.values()
    assert [run.status for run in runs] == ["completed"] * len(runs)
    assert [run.conclusion for run in runs if run.head_sha == group] == ["success"]
    assert all(run.conclusion == "cancelled" for run in runs if run.head_sha == old)
    assert town.check(pull).conclusion == "failure"


async def test_9_large_changes_cut_silently(town: Town, app: App) -> None:
    """A blocking rule does not pass on a file that was not read."""
    huge = "x = 1  # hashlib.md5\n" * 60_000
    pull = town.open({"digest.py": CLEAN, "huge.py": huge})
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "action_required"
    summary = check.summary or ""
    assert "Read 1 of 2 files" in summary
    assert "Not read: 1 file" in summary
    assert "Passed:" not in summary
    assert "`py.no-md5`" in summary
    assert "`house.no-names-in-logs`" in summary


async def test_9_no_rule_passes_on_a_script_that_github_withholds(town: Town, app: App) -> None:
    """What language it is written in would stand in its first line."""
    town.github.world.limits = DiffLimits(files=0, file_lines=2)
    # As of a file that is too large for the API. A 404 would be asked again: it is no refusal.
    withheld = Fault(403, "This API returns blobs up to 100 MB in size.")
    town.github.faults.append(always(withheld, "GET", "/contents/bin/tool"))
    script = "#!/usr/bin/python3\nimport hashlib\n\nhashlib.md5(x)\n"
    pull = town.open({"digest.py": CLEAN, "bin/tool": script})
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, check.title) == ("action_required", "Needs confirmation")
    summary = check.summary or ""
    assert "Read 1 of 2 files" in summary
    assert "Passed:" not in summary
    assert "- `py.no-md5`: Not read, so nothing can be said of it: bin/tool" in summary


async def test_10_a_pull_request_that_weakens_its_own_judge(town: Town, app: App) -> None:
    """By rules, by configuration, and by a suppression: none governs it, and each is told."""
    suppressed = f"{BROKEN.rstrip()}  # jurat: ignore py.no-md5 until 2999-01-31 -- ours\n"
    weaker = {
        ".github/jurat.yml": "version: 1\npacks: []\nrules: [policy]\nignore: ['**/*.py']\n",
        "policy/house.yml": RULES.replace("severity: HIGH", "severity: LOW", 1),
    }
    pull = town.open({"digest.py": suppressed, **weaker})
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, rule_ids(pull)) == ("failure", ["py.no-md5"])
    assert "Suppressions to look at: 1" in (check.summary or "")
    (own,) = town.named("jurat / rules", pull)
    assert own.conclusion == "neutral"
    assert "| ▼ looser | `py.no-md5` severity | HIGH | LOW |" in (own.summary or "")
    assert "| ▼ looser | `ignore` |" in (own.summary or "")


async def test_11_commands_from_anyone(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    command = "/jurat dismiss It names a file."
    told = []
    for who in ("rita", "stranger", "wendy"):
        answer = actions.reply(pull.review_comments[0], command, by=who)
        await town.settle(app)
        told.append([reaction.content for reaction in answer.reactions])
        expected = "success" if who == "wendy" else "failure"
        assert town.check(pull).conclusion == expected
    assert told == [["eyes", "confused"], ["eyes", "confused"], ["eyes", "+1"]]
    refusal = "Only people with write permission can ask for that."
    assert [refusal in item.body for item in pull.review_comments].count(True) == 2
    asked = [item.path for item in town.github.exchanges if "/permission" in item.path]
    assert len(asked) == 3


async def test_12_suppressions_without_a_trace(town: Town, app: App) -> None:
    """One holds and is listed; the expired, the unknown and the unused are reported."""

    text = """import hashlib

held = hashlib.md5({0})  # jurat: ignore py.no-md5 until 2999-01-31 -- a checksum
late = hashlib.md5({0}, 1)  # jurat: ignore py.no-md5 until 2020-01-01 -- a checksum
typo = {0}  # jurat: ignore py.no-md6 until 2999-01-31 -- a checksum
spare = {0}  # jurat: ignore py.no-md5 until 2999-01-31 -- a checksum
"""
    actions.push(town.repository, "main", {"digest.py": text.format("old")})
    pull = town.open({"digest.py": text.format("new")})
    await town.settle(app)
    check = town.check(pull)
    assert (check.conclusion, len(rule_ids(pull))) == ("failure", 1)
    summary = check.summary or ""
    held = "suppressed in `digest.py:3` until 2999-01-31: a checksum"
    assert f"`digest.py:3` `py.no-md5`: {held}" in summary
    assert "Suppressions to look at: 3" in summary
    for line in (
        "`digest.py:4` `py.no-md5`: It ended on 2020-01-01",
        "`digest.py:5` `py.no-md6`: No rule of that name is in force.",
        "`digest.py:6` `py.no-md5`: The rule reports nothing on this line",
    ):
        assert line in summary
