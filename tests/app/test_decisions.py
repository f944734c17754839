"""What people decide: a dismissed finding stays away, a confirmed commit passes, both say so."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select

from jurat.app.wiring import App
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import DecisionKind
from jurat.reports.comment import parse_marker
from jurat.store.listings import list_recent_decisions
from jurat.store.rows import About
from jurat.store.tables import audit_log, rule_events
from tests.standins.gemini.reactions import refused
from tests.standins.github import PullRequest, actions
from tests.support.evaluations import save_published
from tests.support.gemini import denying
from tests.support.talk import (
    CRITICAL,
    DENIED,
    RULES,
    UNSURE,
    finding_of,
    governed,
    opened,
    reactions,
    replies,
    said,
    threads,
)
from tests.support.town import Town
from tests.support.values import a_location, a_rule, a_verdict


async def dismissed(
    town: Town, app: App, why: str = "It names a file, not a secret."
) -> PullRequest:
    pull = await opened(town, app, DENIED)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} {why}")
    return pull


async def test_a_dismissal_is_evidence_against_the_rule(town: Town, app: App) -> None:
    await dismissed(town, app)
    async with app.database.reading() as connection:
        rows = (await connection.execute(select(rule_events))).all()
    assert [(row.rule_id, row.kind) for row in rows] == [("py.no-md5", "dismissed")]


async def test_a_dismissal_lifts_a_denial_and_says_by_whom_and_why(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    name = finding_of(pull.review_comments)
    comment = await said(town, app, pull, f"/jurat dismiss {name} It names a file, not a secret.")
    assert reactions(comment) == ["eyes", "+1"]
    assert replies(pull) == [
        f"Finding `{name}` (`py.no-md5` at `digest.py:5`) is dismissed, and will not come up again"
        " in this repository. The check now says success."
    ]
    check = town.check(pull)
    assert (check.conclusion, check.title) == ("success", "2 rules passed, 1 set aside")
    day = f"{app.services.clock():%Y-%m-%d}"
    told = f"dismissed by `wendy` on {day}: It names a file, not a secret."
    assert (check.summary or "").startswith("**Nothing blocks this change.**")
    assert (
        "<summary>Set aside: 1 finding does not count</summary>\n\n"
        f"- `{name}` `digest.py:5` `py.no-md5`: {told}"
    ) in (check.summary or "")
    (body,) = [item.body for item in pull.review_comments]
    assert body.startswith(f"> ⊘ {told[0].upper()}{told[1:]}\n\n**Blocked** · ")


async def test_a_dismissal_can_be_an_answer_to_the_finding(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    (finding,) = pull.review_comments
    name = finding_of(pull.review_comments)
    command = actions.reply(finding, "/jurat dismiss dead code, gone next week", by="wendy")
    await town.settle(app)
    assert reactions(command) == ["eyes", "+1"]
    (answer,) = threads(pull)
    assert answer.startswith(f"Finding `{name}` (`py.no-md5` at `digest.py:5`) is dismissed")
    assert town.check(pull).conclusion == "success"
    assert "dead code, gone next week" in (town.check(pull).summary or "")


async def test_a_quoted_marker_of_somebody_else_names_no_finding(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    (finding,) = pull.review_comments
    fake = actions.comment_on_line(pull, "digest.py", 4, finding.body, by="rita")
    command = actions.reply(fake, "/jurat dismiss because", by="wendy")
    await town.settle(app)
    assert reactions(command) == ["eyes", "confused"]
    assert town.check(pull).conclusion == "failure"


async def test_a_dismissed_finding_does_not_come_up_again(town: Town, app: App) -> None:
    pull = await dismissed(town, app)
    actions.push(town.repository, "fix", {"digest.py": f"# A new first line.\n{DENIED}"})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    assert len([item for item in pull.review_comments if parse_marker(item.body)]) == 1
    actions.push(town.repository, "other", {"digest.py": DENIED + "\n"})
    other = actions.open_pull_request(town.repository, head="other")
    await town.settle(app)
    assert (town.check(other).conclusion, other.review_comments) == ("success", [])
    assert "dismissed by `wendy`" in (town.check(other).summary or "")


async def test_a_dismissal_follows_its_file_to_another_name(town: Town, app: App) -> None:
    pull = await dismissed(town, app)
    actions.push(town.repository, "fix", {"digest.py": None, "hashes.py": DENIED})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"


async def test_a_dismissal_speaks_for_one_finding_alone(town: Town, app: App) -> None:
    pull = await dismissed(town, app)
    actions.push(town.repository, "fix", {"digest.py": DENIED + "\nhashlib.md5(b'else')\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert len([item for item in pull.review_comments if parse_marker(item.body)]) == 2


async def test_the_code_that_was_dismissed_is_marked_fixed_once_it_is_gone(
    town: Town, app: App
) -> None:
    pull = await dismissed(town, app)
    sha = actions.push(town.repository, "fix", {"digest.py": DENIED.replace("md5", "sha512")})
    await town.settle(app)
    (body,) = [item.body for item in pull.review_comments]
    assert body.startswith(f"> ✔ Fixed in {sha[:12]}.")


async def test_a_dismissal_must_name_a_finding_and_a_reason(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    name = finding_of(pull.review_comments)
    for command in (
        "/jurat dismiss",
        "/jurat dismiss 0000 because",
        f"/jurat dismiss {name}",
        f"/jurat dismiss {name} {'because ' * 80}",
    ):
        comment = await said(town, app, pull, command)
        assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        f"Which finding? `/jurat dismiss FINDING reason`. Findings of the last review: `{name}`.",
        f"There is no finding `0000`. Findings of the last review: `{name}`.",
        f"A dismissal needs a reason: `/jurat dismiss {name} reason`.",
        "Please keep the reason below 500 characters.",
    ]
    assert town.check(pull).conclusion == "failure"


async def test_the_reason_is_shown_as_text(town: Town, app: App) -> None:
    # Escaped, as a reader sees it: what a comment hides is no part of a reason.
    reason = r"\</details> @octocat \[x](https://evil.example) \<!-- jurat:"
    pull = await dismissed(town, app, reason)
    summary = town.check(pull).summary or ""
    (body,) = [item.body for item in pull.review_comments]
    for text in (summary, body):
        assert (
            "\\</details\\> @&#8203;octocat \\[x\\]\\(https:&#8203;//evil.example\\) \\<\\!--"
            in text
        )
    assert parse_marker(body) is not None


async def test_a_critical_rules_finding_takes_a_maintainer(town: Town, app: App) -> None:
    pull = await opened(town, app, CRITICAL, "run.py")
    command = f"/jurat dismiss {finding_of(pull.review_comments)} It is a calculator."
    comment = await said(town, app, pull, command)
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "`py.no-eval` is a critical rule: only people with maintain permission can dismiss what it"
        " found."
    ]
    comment = await said(town, app, pull, command, by="mary")
    assert reactions(comment) == ["eyes", "+1"]
    assert town.check(pull).conclusion == "success"


async def test_a_dismissal_after_the_merge_holds_for_what_comes(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    actions.close(pull)
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} It is a checksum.")
    assert replies(pull) == [
        f"Finding `{name}` (`py.no-md5` at `digest.py:5`) is dismissed, and will not come up again"
        " in this repository."
    ]
    actions.push(town.repository, "other", {"digest.py": DENIED + "\n"})
    other = actions.open_pull_request(town.repository, head="other")
    await town.settle(app)
    assert town.check(other).conclusion == "success"


async def test_a_confirmation_lets_the_commit_pass_and_says_by_whom_and_why(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, UNSURE)
    assert town.check(pull).conclusion == "action_required"
    comment = await said(town, app, pull, "/jurat confirm Only names are hashed.")
    assert reactions(comment) == ["eyes", "+1"]
    assert replies(pull) == [f"Confirmed for `{pull.head_sha[:12]}`. The check now says success."]
    check = town.check(pull)
    assert check.conclusion == "success"
    assert (check.summary or "").startswith(
        "**Nothing blocks this change.**\n\n**Confirmed by `wendy`:** Only names are hashed.\n\n"
    )
    (body,) = [item.body for item in pull.review_comments]
    assert body.startswith("> ✔ Confirmed by `wendy` on ")


async def test_a_confirmation_holds_for_its_commit_alone(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    await said(town, app, pull, "/jurat confirm fine")
    actions.push(town.repository, "fix", {"digest.py": UNSURE + "\nx = 1\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "action_required"
    assert pull.review_comments[0].body.startswith("> ↻ Back again in ")


async def test_what_was_confirmed_for_one_commit_can_still_be_dismissed_for_good(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, UNSURE)
    await said(town, app, pull, "/jurat confirm fine")
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} Only names.")
    actions.push(town.repository, "fix", {"digest.py": UNSURE + "\nx = 1\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"
    assert "dismissed by `wendy`" in (town.check(pull).summary or "")


async def test_a_confirmation_needs_a_reason(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    comment = await said(town, app, pull, "/jurat confirm")
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == ["A confirmation needs a reason: `/jurat confirm reason`."]


async def test_a_confirmation_does_not_lift_a_denial(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED + "\nhashlib.sha1(b'')\n")
    comment = await said(town, app, pull, "/jurat confirm fine")
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "A confirmation does not lift what blocks: `py.no-md5`. Fix it, or dismiss each finding"
        " with `/jurat dismiss FINDING reason`."
    ]
    assert town.check(pull).conclusion == "failure"


async def test_a_confirmation_is_no_substitute_for_an_assessment(town: Town, app: App) -> None:
    governed(town, RULES.replace("SHOULD", "MUST"))
    town.gemini.always(refused())
    pull = town.open({"digest.py": DENIED.replace("md5", "sha512")})
    await town.settle(app)
    comment = await said(town, app, pull, "/jurat confirm fine")
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "Nobody has looked at `py.no-sha1` yet, so there is nothing to confirm: `/recheck`."
    ]
    assert town.check(pull).conclusion == "action_required"


async def test_nothing_to_confirm_is_said(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED.replace("md5", "sha512"))
    await said(town, app, pull, "/jurat confirm fine")
    assert replies(pull) == ["Nothing here needs a confirmation."]


async def test_a_commit_that_was_not_reviewed_cannot_be_confirmed(town: Town, app: App) -> None:
    pull = await opened(town, app, UNSURE)
    actions.convert_to_draft(pull)
    actions.push(town.repository, "fix", {"digest.py": UNSURE + "\nx = 1\n"})
    comment = await said(town, app, pull, "/jurat confirm fine")
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "The newest commit has not been reviewed yet: wait for its check, or comment `/recheck`."
    ]


async def test_a_merge_queue_takes_what_was_confirmed_and_dismissed(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED + "\nhashlib.sha1(b'')\n")
    await said(town, app, pull, f"/jurat dismiss {first_denied(pull)} It is a checksum.")
    await said(town, app, pull, "/jurat confirm fine")
    assert town.check(pull).conclusion == "success"
    sha = actions.enqueue(town.repository, [pull])
    await town.settle(app)
    (run,) = [one for one in town.repository.check_runs.values() if one.head_sha == sha]
    assert (run.conclusion, run.actions) == ("success", [])


async def test_every_decision_is_kept_in_the_audit_log_and_for_the_record_of_the_rule(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    async with app.database.reading() as connection:
        query = select(audit_log).where(audit_log.c.action != "review")
        (line,) = await connection.execute(query)
    assert (line.asked_by, line.action, list(line.rules)) == (
        "github:wendy",
        "dismiss",
        ["py.no-md5"],
    )
    ((_, decision),) = await list_recent_decisions(app.database, limit=10)
    assert line.result == {
        "repository": "acme/shop",
        "number": pull.number,
        "head_sha": pull.head_sha,
        "why": "A checksum.",
        "own": False,
        "findings": {decision.fingerprint: "DENY"},
    }
    assert (decision.kind, decision.by, decision.why, decision.path) == (
        DecisionKind.DISMISSED,
        "wendy",
        "A checksum.",
        "digest.py",
    )
    stored = await app.store.last_review("acme/shop", pull.number)
    assert stored is not None
    (denied,) = [item for item in stored.answer.rule_verdicts if item.waived]
    (waiver,) = [found.waiver for found in denied.findings]
    assert waiver is not None
    assert (denied.verdict, waiver.why) == ("DENY", "A checksum.")


async def test_a_dismissal_that_is_repeated_is_kept_once(town: Town, app: App) -> None:
    pull = await dismissed(town, app)
    comment = await said(
        town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} Again."
    )
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull)[-1] == "This finding is dismissed already, by wendy."
    assert len(await list_recent_decisions(app.database, limit=10)) == 1


async def test_a_name_that_fits_two_findings_needs_more_digits(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    place = a_location("digest.py", 5)
    denied = a_verdict(a_rule("py.no-md5"), locations=(place, place))
    twins = tuple(
        replace(found, id=name * 2)
        for found, name in zip(denied.findings, ("abcd1234", "abcd5678"), strict=True)
    )
    later = Evaluation("later", Verdict.DENY, (replace(denied, findings=twins),), Coverage())
    about = About(
        "a test",
        "0" * 64,
        "acme/shop",
        pull.number,
        pull.head_sha,
        repository_id=town.repository.id,
    )
    await save_published(app.store, later, about)
    await said(town, app, pull, "/jurat dismiss abcd It is a checksum.")
    await said(town, app, pull, "/jurat dismiss abcd1 It is a checksum.")
    assert replies(pull)[0] == "`abcd` fits 2 findings: write more of its digits."
    assert replies(pull)[1].startswith("Finding `abcd1234` (`py.no-md5` at `digest.py:5`)")


async def test_two_dismissals_of_one_comment_are_both_carried_out(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED + "\nhashlib.md5(b'else')\n")
    names = [
        found.fingerprint[:8] for item in pull.review_comments if (found := parse_marker(item.body))
    ]
    text = "\n".join(f"/jurat dismiss {name} A checksum." for name in names)
    comment = await said(town, app, pull, text)
    assert reactions(comment) == ["eyes", "+1"]
    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure", "success"]


async def test_what_a_model_denied_can_be_dismissed_too(town: Town, app: App) -> None:
    governed(town)
    town.gemini.judges("py.no-sha1", denying("sha1"))
    pull = town.open({"digest.py": UNSURE})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} It is old.")
    assert town.check(pull).conclusion == "success"


def first_denied(pull: PullRequest) -> str:
    markers = [found for item in pull.review_comments if (found := parse_marker(item.body))]
    (denied,) = [item for item in markers if item.rule_id == "py.no-md5"]
    return denied.fingerprint[:8]
