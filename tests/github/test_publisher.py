"""What ends up on GitHub: the stand-in's state after the publisher is done, or was interrupted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from jurat.findings.evaluation import Conclusion
from jurat.github.auth import GitHubApp
from jurat.github.check_runs import CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.errors import (
    GitHubUnavailableError,
    OversizedWriteError,
    RejectedError,
    SupersededError,
)
from jurat.github.pull_requests import read_pull_request
from jurat.github.reviews import PullRequestPublisher
from jurat.reports.check_run import (
    Annotation,
    CheckAction,
    CheckRun,
    EditComment,
    ReviewComment,
    ReviewPost,
)
from jurat.reports.comment import CommentMarker
from tests.standins.github import ManualClock, PullRequest, Repository, StandIn, actions
from tests.standins.github.checks import CheckRun as KeptCheckRun
from tests.standins.github.faults import (
    APPLIED_BAD_GATEWAY,
    APPLIED_DROPPED,
    BAD_GATEWAY,
    DROPPED,
    Fault,
    once,
)
from tests.support.commits import MemoryRecord

SUCCESS = CheckRun(Conclusion.SUCCESS, "All rules pass", "Nothing to do.")
CODE = "".join(f"line {number}\n" for number in range(1, 101))
LOST = [BAD_GATEWAY, DROPPED]
ARRIVED = [APPLIED_BAD_GATEWAY, APPLIED_DROPPED]


@pytest.fixture
def pull(repository: Repository) -> PullRequest:
    """Adds a.py with a hundred lines, and changes one line of the README."""
    actions.push(repository, "fix", {"a.py": CODE, "README.md": "Better shop\n"})
    return actions.open_pull_request(repository, head="fix")


Start = Callable[[], Awaitable[PullRequestPublisher]]


@pytest.fixture
def start(app: GitHubApp, api: GitHub, pull: PullRequest) -> Start:
    """Makes what a job has when it starts: it knows nothing of the jobs before it."""

    record = MemoryRecord(pull.number)

    async def publisher() -> PullRequestPublisher:
        read = await read_pull_request(api, pull.repository.full_name, pull.number)
        return PullRequestPublisher(api, await app.get_identity(api), read, record)

    return publisher


@pytest.fixture
async def publisher(start: Start) -> PullRequestPublisher:
    return await start()


def finding(line: int, path: str = "a.py", start: int | None = None) -> ReviewComment:
    marker = CommentMarker(f"{line:016x}", "0" * 16, "py.no-md5", "open")
    return ReviewComment(path, line, f"Finding at {line}\n\n{marker}", start)


def notes(count: int, title: str = "rule") -> tuple[Annotation, ...]:
    return tuple(
        Annotation("a.py", line, line, "warning", f"{title} {line}", f"message {line}")
        for line in range(1, count + 1)
    )


def concluding(count: int, title: str = "rule") -> CheckRun:
    return CheckRun(Conclusion.FAILURE, "title", "summary", annotations=notes(count, title))


def only_run(repository: Repository) -> KeptCheckRun:
    (run,) = repository.check_runs.values()
    return run


def bodies(pull: PullRequest) -> list[str]:
    return [comment.body for comment in pull.review_comments]


async def test_a_check_is_in_progress_at_once(
    publisher: PullRequestPublisher, repository: Repository, pull: PullRequest
) -> None:
    await publisher.begin()
    run = only_run(repository)
    assert (run.name, run.status, run.head_sha) == ("jurat", "in_progress", pull.head_sha)
    assert run.title == "Reviewing this change"
    key = CheckKey.read(run.external_id)
    assert key == (repository.id, pull.number, pull.head_sha)


@pytest.mark.parametrize("text", [None, "", "other", "a/b#x@1", "a/b#1", "a/b#1@zz"])
def test_a_foreign_external_id_is_no_key(text: str | None) -> None:
    assert CheckKey.read(text) is None


async def test_a_restarted_review_goes_on_with_the_check_that_is_open(
    start: Start, repository: Repository
) -> None:
    await (await start()).begin()
    again = await start()
    await again.begin()
    assert not await again.is_concluded()
    await again.apply([SUCCESS])
    assert only_run(repository).conclusion == "success"
    assert await again.is_concluded()


async def test_a_review_asked_for_again_gets_a_new_check(
    start: Start, repository: Repository
) -> None:
    await (await start()).apply([concluding(0)])
    await (await start()).apply([SUCCESS])
    assert [run.conclusion for run in repository.check_runs.values()] == ["failure", "success"]


async def test_checks_of_others_are_left_alone(
    publisher: PullRequestPublisher, repository: Repository, pull: PullRequest, api: GitHub
) -> None:
    foreign = actions.report_check(repository, pull.head_sha, "jurat")
    foreign.external_id = f"acme/shop#{pull.number}@{pull.head_sha}"
    key = CheckKey(repository.id, pull.number, pull.head_sha)
    other = CheckRunWriter(
        api, "acme/shop", key, 4711, publisher._ensure_current, name="jurat / rules"
    )
    await other.begin()
    await publisher.apply([SUCCESS])
    assert foreign.status == "in_progress"
    assert [run.conclusion for run in repository.check_runs.values()] == [None, None, "success"]


async def test_a_conclusion_carries_everything(
    publisher: PullRequestPublisher, repository: Repository
) -> None:
    button = CheckAction("Recheck", "Review this again", "recheck")
    edit = CheckRun(Conclusion.ACTION_REQUIRED, "title", "summary", "text", notes(1), (button,))
    await publisher.apply([edit])
    run = only_run(repository)
    assert (run.status, run.conclusion) == ("completed", "action_required")
    assert (run.title, run.summary, run.text) == ("title", "summary", "text")
    assert [action["identifier"] for action in run.actions] == ["recheck"]
    assert [note["message"] for note in run.annotations] == ["message 1"]


@pytest.mark.parametrize("count", [0, 49, 50, 51, 120])
async def test_a_check_is_concluded_with_the_last_annotations(
    publisher: PullRequestPublisher, repository: Repository, github: StandIn, count: int
) -> None:
    await publisher.apply([concluding(count)])
    run = only_run(repository)
    assert [note["start_line"] for note in run.annotations] == list(range(1, count + 1))
    updates = [exchange for exchange in github.writes() if exchange.method == "PATCH"]
    assert len(updates) == max(1, -(-count // 50))
    assert ["conclusion" in update.sent for update in updates[:-1]] == [False] * (len(updates) - 1)
    assert updates[-1].sent["conclusion"] == "failure"


async def test_the_same_conclusion_twice_is_one(
    publisher: PullRequestPublisher, repository: Repository
) -> None:
    await publisher.apply([concluding(70)])
    await publisher.apply([concluding(70)])
    assert len(only_run(repository).annotations) == 70


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("lost", [0, 1, 2])
async def test_a_review_that_died_between_batches_is_finished_by_the_next(
    start: Start,
    github: StandIn,
    repository: Repository,
    fault: Fault,
    lost: int,
) -> None:
    arrived = iter(range(lost))
    github.faults.append(
        lambda method, _: fault if method == "PATCH" and next(arrived, None) is None else None
    )
    with pytest.raises(GitHubUnavailableError):
        await (await start()).apply([concluding(120)])
    assert only_run(repository).status == "in_progress"
    github.faults.clear()
    await (await start()).apply([concluding(120)])
    run = only_run(repository)
    assert run.status == "completed"
    assert [note["start_line"] for note in run.annotations] == list(range(1, 121))


async def test_annotations_that_do_not_hold_any_more_are_not_kept(
    start: Start, github: StandIn, repository: Repository
) -> None:
    arrived = iter(range(1))
    github.faults.append(
        lambda method, _: BAD_GATEWAY if method == "PATCH" and next(arrived, None) is None else None
    )
    with pytest.raises(GitHubUnavailableError):
        await (await start()).apply([concluding(70, "old")])
    github.faults.clear()
    await (await start()).apply([concluding(70, "new")])
    dead, alive = repository.check_runs.values()
    assert (dead.conclusion, len(dead.annotations)) == ("cancelled", 50)
    assert alive.conclusion == "failure"
    assert [note["title"] for note in alive.annotations] == [f"new {n}" for n in range(1, 71)]


@pytest.mark.parametrize("fault", [*LOST, *ARRIVED])
@pytest.mark.parametrize("number", [0, 1, 2, 3])
async def test_a_lost_answer_changes_nothing(
    publisher: PullRequestPublisher, github: StandIn, pull: PullRequest, fault: Fault, number: int
) -> None:
    """Each write in turn loses its answer: creation, review, batch and conclusion."""
    writes = iter(range(number))
    struck: list[str] = []

    def strike(method: str, path: str) -> Fault | None:
        if method == "GET" or struck or next(writes, None) is not None:
            return None
        struck.append(path)
        return fault

    github.faults.append(strike)
    await publisher.begin()
    await publisher.apply([ReviewPost("Two.", (finding(3), finding(5))), concluding(70)])
    assert len(struck) == 1
    run = only_run(pull.repository)
    assert (run.conclusion, len(run.annotations)) == ("failure", 70)
    assert bodies(pull) == [finding(3).body, finding(5).body]
    assert [review.body for review in pull.reviews] == ["Two."]


async def test_a_review_is_one_comment_event_on_the_head(
    publisher: PullRequestPublisher, pull: PullRequest
) -> None:
    refused = await publisher.apply([ReviewPost("Two.", (finding(3), finding(9, start=7)))])
    assert refused == ()
    (review,) = pull.reviews
    assert (review.state, review.body, review.commit) == ("COMMENTED", "Two.", pull.head_sha)
    anchors = [comment.anchor for comment in pull.review_comments]
    assert [(one.path, one.start_line, one.line, one.side) for one in anchors] == [
        ("a.py", None, 3, "RIGHT"),
        ("a.py", 7, 9, "RIGHT"),
    ]


@pytest.mark.parametrize("bad", [{4}, {0}, {7}, {0, 7}, {1, 4, 6}, set(range(8))])
async def test_bad_lines_do_not_lose_the_review(
    publisher: PullRequestPublisher, pull: PullRequest, repository: Repository, bad: set[int]
) -> None:
    comments = [finding(500 + at if at in bad else 10 + at) for at in range(8)]
    refused = await publisher.apply([ReviewPost("Eight.", tuple(comments)), SUCCESS])
    assert refused == tuple(comments[at] for at in sorted(bad))
    assert bodies(pull) == [comments[at].body for at in range(8) if at not in bad]
    assert [review.body for review in pull.reviews if review.body] == ["Eight."][: len(bad) < 8]
    annotated = [(note["start_line"], note["title"]) for note in only_run(repository).annotations]
    assert annotated == [(500 + at, "py.no-md5") for at in sorted(bad)]


async def test_a_hopeless_review_is_given_up_after_a_bounded_number_of_tries(
    publisher: PullRequestPublisher, github: StandIn
) -> None:
    comments = tuple(finding(1_000 + at) for at in range(100))
    refused = await publisher.apply([ReviewPost("All bad.", comments)])
    assert len(refused) == 100
    assert set(refused) == set(comments)
    assert len(github.writes()) <= 40


async def test_a_refusal_that_is_not_about_a_line_is_an_error(
    publisher: PullRequestPublisher, github: StandIn
) -> None:
    github.faults.append(once(Fault(400, "Problems parsing JSON"), "POST", "/reviews"))
    with pytest.raises(RejectedError):
        await publisher.apply([ReviewPost("One.", (finding(3),))])


async def test_own_comments_are_known_by_account_and_marker(
    publisher: PullRequestPublisher, pull: PullRequest, clock: ManualClock
) -> None:
    await publisher.apply([ReviewPost("Two.", (finding(3), finding(50)))])
    actions.comment_on_line(pull, "a.py", 4, finding(4).body, by="mallory")
    actions.reply(pull.review_comments[0], "No marker here.", by="jurat[bot]")
    reviewed = pull.head_sha
    actions.push(pull.repository, "fix", {"a.py": CODE.replace("line 50\n", "changed\n")})
    posted = await publisher.list_posted()
    assert [(one.path, one.line, one.body) for one in posted] == [
        ("a.py", 3, finding(3).body),
        ("a.py", None, finding(50).body),
    ]
    assert {one.commit for one in posted} == {reviewed}


async def test_more_than_one_page_of_comments_is_read(
    publisher: PullRequestPublisher, pull: PullRequest
) -> None:
    for _ in range(105):
        actions.comment_on_line(pull, "a.py", 4, "chat", by="alice")
    await publisher.apply([ReviewPost("One.", (finding(3),))])
    assert len(await publisher.list_posted()) == 1


async def test_a_comment_is_edited_and_one_that_is_gone_stays_gone(
    publisher: PullRequestPublisher, pull: PullRequest
) -> None:
    await publisher.apply([ReviewPost("Two.", (finding(3), finding(5)))])
    kept, gone = await publisher.list_posted()
    actions.delete_comment(pull.review_comments[1], by="alice")
    edits = [EditComment(gone.comment_id, "back?"), EditComment(kept.comment_id, "fixed")]
    assert await publisher.apply([*edits, SUCCESS]) == ()
    assert bodies(pull) == ["fixed"]


async def test_nothing_is_written_to_a_head_that_moved(
    publisher: PullRequestPublisher, github: StandIn, repository: Repository, pull: PullRequest
) -> None:
    await publisher.begin()
    before = len(github.writes())
    reviewed = pull.head_sha
    actions.push(repository, "fix", {"a.py": "new\n"})
    for edit in (ReviewPost("One.", (finding(3),)), EditComment(1, "x"), SUCCESS):
        with pytest.raises(SupersededError) as caught:
            await publisher.apply([edit])
        assert (caught.value.expected, caught.value.actual) == (reviewed, pull.head_sha)
    assert len(github.writes()) == before
    await publisher.cancel()
    run = only_run(repository)
    assert (run.head_sha, run.conclusion, run.title) == (reviewed, "cancelled", "Superseded")


async def test_a_push_between_two_writes_stops_the_second(
    publisher: PullRequestPublisher, github: StandIn, repository: Repository, pull: PullRequest
) -> None:
    def push(method: str, path: str) -> None:
        if method == "POST" and path.endswith("/reviews"):
            actions.push(repository, "fix", {"b.py": "new\n"})

    await publisher.begin()
    github.faults.append(push)
    with pytest.raises(SupersededError):
        await publisher.apply([ReviewPost("One.", (finding(3),)), SUCCESS])
    assert len(pull.reviews) == 1
    assert only_run(repository).status == "in_progress"


async def test_a_check_of_a_head_that_moved_before_is_not_begun(
    publisher: PullRequestPublisher, repository: Repository
) -> None:
    actions.push(repository, "fix", {"a.py": "new\n"})
    with pytest.raises(SupersededError):
        await publisher.begin()
    assert not repository.check_runs


async def test_cancelling_touches_only_what_is_open(start: Start, repository: Repository) -> None:
    await (await start()).cancel()
    assert not repository.check_runs
    await (await start()).begin()
    await (await start()).cancel()
    assert only_run(repository).conclusion == "cancelled"
    await (await start()).apply([SUCCESS])
    await (await start()).cancel()
    assert [run.conclusion for run in repository.check_runs.values()] == ["cancelled", "success"]


async def test_a_cancelled_check_is_no_conclusion(publisher: PullRequestPublisher) -> None:
    await publisher.begin()
    await publisher.cancel()
    assert not await publisher.is_concluded()


@pytest.mark.parametrize(
    "change",
    [
        {"summary": "x" * 65_536},
        {"text": "x" * 65_536},
        {"annotations": (replace(notes(1)[0], message="ü" * 32_769),)},
        {"annotations": (replace(notes(1)[0], title="x" * 256),)},
        {"actions": (CheckAction("a", "b", "c"),) * 4},
        {"actions": (CheckAction("x" * 21, "b", "c"),)},
        {"actions": (CheckAction("a", "x" * 41, "c"),)},
        {"actions": (CheckAction("a", "b", "x" * 21),)},
    ],
)
async def test_what_github_would_cut_is_an_error_before_it_is_sent(
    publisher: PullRequestPublisher, github: StandIn, change: dict[str, object]
) -> None:
    with pytest.raises(OversizedWriteError):
        await publisher.apply([replace(SUCCESS, **change)])
    assert github.writes() == []


async def test_the_longest_texts_that_github_takes_are_sent(
    publisher: PullRequestPublisher, repository: Repository, pull: PullRequest
) -> None:
    note = replace(notes(1)[0], message="x" * 65_536, title="x" * 255)
    longest = replace(SUCCESS, summary="x" * 65_535, text="x" * 65_535, annotations=(note,))
    comment = replace(finding(3), body="x" * 65_536)
    await publisher.apply([ReviewPost("x" * 65_536, (comment,)), longest])
    assert only_run(repository).conclusion == "success"
    assert len(pull.review_comments) == 1


@pytest.mark.parametrize(
    "edit",
    [
        ReviewPost("x" * 65_537, (finding(3),)),
        ReviewPost("One.", (replace(finding(3), body="x" * 65_537),)),
        EditComment(1, "x" * 65_537),
    ],
)
async def test_a_comment_that_is_too_long_is_an_error_before_it_is_sent(
    publisher: PullRequestPublisher, github: StandIn, edit: ReviewPost | EditComment
) -> None:
    with pytest.raises(OversizedWriteError):
        await publisher.apply([edit])
    assert github.writes() == []


async def test_a_hundred_findings_cost_few_writes(
    publisher: PullRequestPublisher, github: StandIn
) -> None:
    comments = tuple(finding(line) for line in range(1, 21))
    await publisher.begin()
    await publisher.apply([ReviewPost("Twenty.", comments), concluding(100)])
    assert len(github.writes()) == 4
