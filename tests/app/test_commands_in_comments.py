"""Commands in, reactions and answers out: who may, what is said, and what is left alone."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from jurat.store.listings import list_recent_decisions
from tests.standins.github import PullRequest, actions
from tests.standins.github.conversation import IssueComment, ReviewComment
from tests.support.talk import (
    DENIED,
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


async def test_help_lists_every_command(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "/jurat help")
    assert reactions(comment) == ["eyes", "+1"]
    assert replies(pull) == [
        "| Comment | What it does |\n"
        "|---|---|\n"
        "| `/recheck` | reviews this pull request again |\n"
        "| `/jurat explain RULE` | says what a rule demands, why, and how it is decided |\n"
        "| `/jurat dismiss FINDING reason` | sets a finding aside, here and wherever it comes up"
        " again; FINDING may be left out in an answer to its comment |\n"
        "| `/jurat restore FINDING` | takes a dismissal back |\n"
        "| `/jurat confirm reason` | lets this commit pass if it needs a person's"
        " confirmation |\n"
        "| `/jurat exclude #NUMBER reason` | leaves another pull request with the same commit out"
        " of its check; `/jurat include #NUMBER` takes that back |\n"
        "| `/jurat override until DATE reason` | lets this commit pass whatever was found, until"
        " that day and at most 30 days: for whoever maintains the repository |\n"
        "| `/jurat config` | shows what is in force here |\n"
        "| `/jurat help` | shows this |"
    ]


async def test_explain_says_what_a_rule_demands_and_what_it_found_here(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "/jurat explain py.no-md5")
    assert reactions(comment) == ["eyes", "+1"]
    (text,) = replies(pull)
    assert text == (
        "## `py.no-md5`\n\n"
        "Digests are made with a strong hash.\n\n"
        "_MUST\\_NOT · HIGH · stable_\n\n"
        "MD5 collisions are cheap.\n\n"
        "- Decided: computed, without a model: pattern\n"
        "- Applies to: languages python\n"
        "- Written in: `policy/house.yml:4`\n\n"
        f"**In this pull request** it blocks: `{finding_of(pull.review_comments)}` at"
        " `digest.py:5`."
    )


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("py.no-md6", "No rule `py.no-md6` is in force here. Did you mean `py.no-md5`?"),
        ("", "Which rule? `/jurat explain RULE`: the summary names each one."),
        (
            "@octocat`</details>",
            "No rule ``@octocat`</details>`` is in force here.",
        ),
    ],
)
async def test_explain_helps_with_a_rule_that_there_is_not(
    town: Town, app: App, asked: str, answer: str
) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, f"/jurat explain {asked}")
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [answer]


async def test_explain_below_a_finding_is_about_its_rule(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    (finding,) = pull.review_comments
    first = actions.reply(finding, "Why?", by="rita")
    command = actions.reply(first, "/jurat explain", by="wendy")
    await town.settle(app)
    assert reactions(command) == ["eyes", "+1"]
    (answer,) = threads(pull)
    assert answer.startswith("## `py.no-md5`")


async def test_config_shows_everything_that_is_in_force(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "/jurat config")
    assert reactions(comment) == ["eyes", "+1"]
    (text,) = replies(pull)
    assert text.startswith(
        f"In force on `main` at `{pull.base_sha[:12]}`, with 3 rules:\n\n```yaml"
    )
    own = ".github/jurat.yml"
    assert f"\nversion: 1  # {own}\npacks: []  # {own}\nrules:  # {own}\n- policy\n" in text
    assert "\ncommands:  # default\n  permission: write\n" in text
    assert "extends" not in text
    assert text.endswith("\n```")


async def test_config_says_which_file_each_key_comes_from(town: Town, app: App) -> None:
    policy = "version: 1\npacks: []\nreview: {max_comments: 9, drafts: true}\n"
    town.github.create_repository("acme/policy", {"house.yml": policy})
    own = "_extends: policy:house.yml\nrules: [policy]\nreview: {max_comments: 7}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": own})
    pull = town.open({"digest.py": DENIED})
    await town.settle(app)
    await said(town, app, pull, "/jurat config")
    lines = replies(pull)[0].split("\n")
    assert "packs: []  # acme/policy/house.yml" in lines
    assert "rules:  # .github/jurat.yml" in lines
    review = lines.index("review:  # .github/jurat.yml, then acme/policy/house.yml")
    assert "  max_comments: 7" in lines[review:]
    assert "ignore: []  # default" in lines


@pytest.mark.parametrize("command", ["/jurat config", "/jurat explain py.no-md5"])
async def test_a_broken_configuration_answers_with_its_errors(
    town: Town, app: App, command: str
) -> None:
    broken = "version: 1\npacks: []\nrules: [policy]\ncommads: {}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": broken})
    pull = town.open({"digest.py": DENIED})
    await town.settle(app)
    comment = await said(town, app, pull, command)
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "The configuration on the base branch cannot be loaded, so nothing is in force:\n\n"
        "- `.github/jurat.yml:4 commads` unknown key; did you mean 'commands'?\n\n"
        "Fix it on the base branch, then comment `/recheck`."
    ]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (
            "/jurat dance",
            "Jurat does not know `/jurat dance`. `/jurat help` lists what it knows.",
        ),
        (
            "/jurat dismis 1234 x",
            "Jurat does not know `/jurat dismis`. Did you mean `/jurat dismiss`?"
            " `/jurat help` lists what it knows.",
        ),
    ],
)
async def test_an_unknown_command_of_someone_permitted_gets_one_line(
    town: Town, app: App, command: str, answer: str
) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, command)
    assert reactions(comment) == ["confused"]
    assert replies(pull) == [answer]


async def test_an_unknown_command_of_anybody_else_gets_nothing(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "/jurat dance", by="rita")
    assert (reactions(comment), replies(pull)) == ([], [])


@pytest.mark.parametrize("who", ["rita", "tom", "stranger"])
@pytest.mark.parametrize("command", ["/recheck", "/jurat dismiss 1234 x", "/jurat confirm x"])
async def test_a_command_of_someone_without_permission_is_refused_with_the_reason(
    town: Town, app: App, who: str, command: str
) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, command, by=who)
    assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == ["Only people with write permission can ask for that."]
    assert len(town.checks(pull)) == 1


async def test_a_repository_may_let_more_people_ask_but_not_decide(town: Town, app: App) -> None:
    governed(town)
    triage = "version: 1\npacks: []\nrules: [policy]\ncommands: {permission: triage}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": triage})
    pull = town.open({"digest.py": UNSURE})
    await town.settle(app)
    comment = await said(town, app, pull, "/recheck", by="tom")
    assert reactions(comment) == ["eyes", "+1"]
    for command in ("/jurat confirm fine", f"/jurat dismiss {finding_of(pull.review_comments)} ok"):
        comment = await said(town, app, pull, command, by="tom")
        assert reactions(comment) == ["eyes", "confused"]
        assert replies(pull)[-1] == "Only people with write permission can ask for that."
    assert town.check(pull).conclusion == "action_required"


@pytest.mark.parametrize("in_thread", [False, True])
async def test_an_edited_comment_runs_nothing(town: Town, app: App, in_thread: bool) -> None:
    pull = await opened(town, app, DENIED)
    comment = written(pull, "A remark.", in_thread=in_thread)
    await town.settle(app)
    for body in ("/recheck", "/jurat dismiss It is old."):
        actions.edit_comment(comment, body, by="wendy")
        await town.settle(app)
    await nothing_was_done(town, app, pull, comment)


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        "> /recheck",
        "> /jurat dismiss It is old.",
        "```\n/recheck\n```",
        "    /recheck",
        "Say /recheck",
    ],
)
async def test_a_command_in_a_quote_or_in_code_is_text(
    town: Town, app: App, body: str, in_thread: bool
) -> None:
    pull = await opened(town, app, DENIED)
    comment = written(pull, body, in_thread=in_thread)
    await town.settle(app)
    await nothing_was_done(town, app, pull, comment)


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("body", ["/recheck", "/jurat dismiss It is old.", "/jurat dance"])
async def test_a_command_of_a_bot_is_text_whatever_it_may_do(
    town: Town, app: App, body: str, in_thread: bool
) -> None:
    pull = await opened(town, app, DENIED)
    town.github.world.account("renovate[bot]", "Bot")
    town.github.set_permission(town.repository, "renovate[bot]", "admin")
    comment = written(pull, body, in_thread=in_thread, by="renovate[bot]")
    await town.settle(app)
    await nothing_was_done(town, app, pull, comment)


def written(
    pull: PullRequest, body: str, *, in_thread: bool, by: str = "wendy"
) -> IssueComment | ReviewComment:
    """A comment in the conversation, or in the thread of the only finding."""
    if in_thread:
        return actions.reply(pull.review_comments[0], body, by=by)
    return actions.comment(pull, body, by=by)


async def nothing_was_done(
    town: Town, app: App, pull: PullRequest, comment: IssueComment | ReviewComment
) -> None:
    assert (reactions(comment), replies(pull), threads(pull)) == ([], [], [])
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]
    assert await list_recent_decisions(app.database, limit=1) == []


async def test_several_commands_of_a_comment_are_carried_out_and_answered_once(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "/recheck\n/jurat explain\n/jurat dance")
    assert reactions(comment) == ["eyes", "confused"]
    assert len(town.checks(pull)) == 2
    assert replies(pull) == [
        "Which rule? `/jurat explain RULE`: the summary names each one.\n\n"
        "Jurat does not know `/jurat dance`. `/jurat help` lists what it knows."
    ]


async def test_a_closed_pull_request_is_not_reviewed_again(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    actions.close(pull)
    for command in ("/recheck", "/jurat confirm fine"):
        comment = await said(town, app, pull, command)
        assert reactions(comment) == ["eyes", "confused"]
    assert replies(pull) == [
        "This pull request is closed: reopen it to have it reviewed.",
        "This pull request is closed: reopen it to have it reviewed.",
    ]
    assert len(town.checks(pull)) == 1


async def test_a_comment_that_is_deleted_before_it_is_read_asks_for_nothing(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    before = await _states(app, pull)
    comment = actions.comment(pull, "/recheck", by="wendy")
    await town.github.flush()
    actions.delete_comment(comment, by="wendy")
    await town.settle(app)
    assert len(town.checks(pull)) == 1
    assert await _states(app, pull) == [*before, "done"]


async def test_what_was_asked_in_a_thread_that_is_gone_is_answered_in_the_conversation(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    before = await _states(app, pull)
    first = pull.review_comments[0]
    answer = actions.reply(first, "/jurat dismiss", by="wendy")
    await town.github.flush()
    actions.delete_comment(first, by="wendy")
    await town.settle(app)
    assert reactions(answer) == ["eyes", "confused"]
    assert [text.startswith("Which finding?") for text in replies(pull)] == [True]
    assert await _states(app, pull) == [*before, "done"]


async def _states(app: App, pull: PullRequest) -> list[str]:
    records = await app.queue.records(keys=[f"{pull.repository.id}#{pull.number}"])
    return [record.state for record in records]
