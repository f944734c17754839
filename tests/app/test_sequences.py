"""Whatever happens to a pull request, and in whatever order, it is told the truth once.

A state machine draws sequences of what people and GitHub do. After each of them the whole App, run
between the stand-ins, must have left: no comment twice, no check open, no write to a head that had
moved on, and every finding in exactly one state.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import count
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from jurat.app.command_context import ReviewedFinding, read_review
from jurat.app.wiring import App
from jurat.findings.finding import WaiverKind
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.reports.check_run import APPLY_FIXES, CONFIRM
from jurat.reports.comment import CommentMarker, parse_marker
from jurat.store.listings import list_recent_decisions
from tests.standins.gemini.reactions import Reaction, Reply, careful
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.script import Entry, Script
from tests.standins.gemini.standin import StandInGemini
from tests.standins.github import Event, PullRequest, StandIn, actions
from tests.standins.github.recorder import Exchange
from tests.standins.github.standin import PERMISSIONS
from tests.support.github import APP_ID, SECRET
from tests.support.town import BASE, Town, settings_for

EXAMPLES = int(os.environ.get("JURAT_SEQUENCES", "25"))
"""Sequences that are drawn: `make sequences` draws 300."""

STEPS = 8

TEXTS = {
    "clean": "x = 1\n",
    "one": "import hashlib\n\na = hashlib.md5(x)\n",
    "moved": "import hashlib\n\n# More.\n\n\na = hashlib.md5(x)\n",
    "two": "import hashlib\n\na = hashlib.md5(x)\n\n\nb = hashlib.md5(y)\n",
    "alike": "import hashlib\n\na = hashlib.md5(x)\n\n\nb = hashlib.md5(x)\n",
    "named": "import logging\n\nlogging.info(customer)\n",
    "both": "import hashlib\n\na = hashlib.md5(customer)\n",
}
QUESTION = "Must it be?"
DENIED, UNSURE = "hashlib.md5(", "customer"
ASKS = {
    "house.no-names-in-logs": (
        Entry(
            pattern=UNSURE,
            verdict="NEEDS_CONFIRMATION",
            reasoning="$quote may hold a name.",
            issue="A customer is named.",
        ),
    )
}
PATHS = ("a.py", "lib/b.py")


class Watch(list[Exchange]):
    """The stand-in's record of requests, which looks at each write in the moment it was made."""

    def __init__(self) -> None:
        super().__init__()
        self.pull: PullRequest | None = None
        self.stale: list[str] = []

    def append(self, exchange: Exchange, /) -> None:
        super().append(exchange)
        sent = exchange.sent
        if self.pull is None or not exchange.is_write or not isinstance(sent, dict):
            return
        head = sent.get("commit_id") or sent.get("head_sha")
        if exchange.method == "PATCH" and "/check-runs/" in exchange.path:
            number = int(exchange.path.rpartition("/")[2])
            head = self.pull.repository.check_runs[number].head_sha
            if sent.get("conclusion") == "cancelled":
                return
        if head is not None and head != self.pull.head_sha:
            self.stale.append(f"{exchange.method} {exchange.path} for {head}")


class Sequences(RuleBasedStateMachine):
    """One pull request in a repository of its own; the App and the stand-ins serve all of them."""

    town: ClassVar[Town]
    app: ClassVar[App]
    watch: ClassVar[Watch]
    run: ClassVar[Callable[[Awaitable[Any]], Any]]
    repositories: ClassVar[Iterator[int]]

    pull: PullRequest

    @initialize(text=st.sampled_from(sorted(TEXTS)))
    def opened(self, text: str) -> None:
        github = self.town.github
        self.repository = github.create_repository(f"acme/r{next(self.repositories)}", BASE)
        github.set_permission(self.repository, "wendy", "write")
        github.set_permission(self.repository, "rita", "read")
        self.files = {"a.py": TEXTS[text]}
        actions.push(self.repository, "fix", dict(self.files))
        self.pull = actions.open_pull_request(self.repository, head="fix")
        self.watch.pull = self.pull
        self.events: list[Event] = []
        self.waiting: list[str] = []
        self.replies = self.dismissals = 0
        github.deliveries.clear()

    def pushed(self, files: dict[str, str | None], *, onto: str = "") -> None:
        self.files = {
            path: text for path, text in {**self.files, **files}.items() if text is not None
        }
        actions.push(self.repository, "fix", dict(files), onto=onto)

    @rule(path=st.sampled_from(PATHS), text=st.sampled_from(sorted(TEXTS)))
    def push(self, path: str, text: str) -> None:
        self.pushed({path: TEXTS[text]})

    @rule()
    def rebase(self) -> None:
        """The base moves, and the branch is pushed by force onto its tip."""
        base = actions.push(self.repository, "main", {"README.md": f"{len(self.watch)}\n"})
        self.pushed(dict(self.files), onto=base)

    @rule(data=st.data())
    def push_back(self, data: st.DataObject) -> None:
        """The branch is pushed by force to where it stood before."""
        heads = sorted({run.head_sha for run in self.runs()})
        if heads:
            sha = data.draw(st.sampled_from(heads))
            actions.push_commit(self.repository, "fix", sha)
            self.files = self.head()

    @rule(path=st.sampled_from(PATHS))
    def rename(self, path: str) -> None:
        text = self.files.get(path)
        if text is not None:
            self.pushed({path: None, f"new/{path}": text})

    @rule(body=st.sampled_from(["/recheck", "Looks good.", "> /recheck", "/jurat help"]))
    def comment(self, body: str) -> None:
        actions.comment(self.pull, body, by="wendy")

    @rule()
    def reply(self) -> None:
        if self.pull.review_comments:
            actions.reply(self.pull.review_comments[0], QUESTION, by="wendy")
            self.replies += 1

    @rule(by=st.sampled_from(["wendy", "wendy", "rita"]), thread=st.booleans(), data=st.data())
    def dismiss(self, by: str, thread: bool, data: st.DataObject) -> None:
        """In the finding's own thread, or by its name in the conversation."""
        self.settle()
        shown = [item for item in self.pull.review_comments if parse_marker(item.body)]
        if not shown:
            return
        comment = data.draw(st.sampled_from(shown))
        marker = parse_marker(comment.body)
        assert marker is not None
        self.dismissals += by == "wendy"
        if thread:
            actions.reply(comment, "/jurat dismiss It is a checksum.", by=by)
        else:
            actions.comment(self.pull, f"/jurat dismiss {marker.fingerprint[:8]} Old.", by=by)

    @rule(by=st.sampled_from(["wendy", "rita"]), button=st.booleans())
    def confirm(self, by: str, button: bool) -> None:
        self.settle()
        if not button:
            actions.comment(self.pull, "/jurat confirm Only names.", by=by)
        else:
            self.press(CONFIRM, by)

    @rule(suite=st.booleans())
    def rerequest(self, suite: bool) -> None:
        runs = self.runs()
        if runs and suite:
            actions.rerequest_suite(runs[-1].suite, by="wendy")
        elif runs:
            actions.rerequest_run(runs[-1], by="wendy")

    @rule(by=st.sampled_from(["wendy", "wendy", "rita"]))
    def apply_fixes(self, by: str) -> None:
        self.press(APPLY_FIXES, by)

    def press(self, button: str, by: str) -> None:
        """Press a button of the newest check, if it has that one."""
        runs = self.runs()
        if runs and any(item["identifier"] == button for item in runs[-1].actions):
            actions.click(runs[-1], button, by=by)

    @rule(same_guid=st.booleans(), data=st.data())
    def redelivery(self, same_guid: bool, data: st.DataObject) -> None:
        if self.events:
            event = data.draw(st.sampled_from(self.events))
            outbox = self.town.github.outbox
            outbox.append(event if same_guid else self.town.github.repeated(event))

    @precondition(lambda self: self.pull.state == "open")
    @rule()
    def close(self) -> None:
        actions.close(self.pull)

    @precondition(lambda self: self.pull.state == "open")
    @rule()
    def merge(self) -> None:
        actions.merge(self.pull, by="wendy")

    @precondition(lambda self: self.pull.state == "closed" and self.pull.merged_at is None)
    @rule()
    def reopen(self) -> None:
        actions.reopen(self.pull)

    @rule(path=st.sampled_from(PATHS), text=st.sampled_from(sorted(TEXTS)))
    def push_during_the_review(self, path: str, text: str) -> None:
        """Something new to judge, and a push while the model thinks about it."""
        self.pushed({"c.py": f"x = {len(self.watch)}\n"})
        waiting = self.waiting

        def pushing(asked: Asked, reply: Reply) -> Reaction:
            if waiting and waiting is self.waiting:
                waiting.clear()
                self.pushed({path: TEXTS[text]})
            return careful(asked, reply)

        waiting.append(path)
        self.town.gemini.behave(pushing)

    @rule()
    def settle(self) -> None:
        """Every event is delivered and every job is run; then everything must be in order."""
        self.events = [*self.events, *self.town.github.outbox][-10:]
        self.run(self.town.settle(self.app))
        self.waiting = []
        self.check_order()

    def teardown(self) -> None:
        if hasattr(self, "pull"):
            self.settle()

    @invariant()
    def nothing_was_written_to_a_head_that_had_moved_on(self) -> None:
        assert self.watch.stale == []

    def check_order(self) -> None:
        runs, markers = self.runs(), self.markers()
        assert all(run.status == "completed" for run in runs), "a check hangs"
        counts = Counter(marker.fingerprint for marker in markers)
        assert max(counts.values(), default=1) == 1, "a finding was posted twice"
        replies = [comment.body for comment in self.pull.review_comments].count(QUESTION)
        assert replies == self.replies, "a person's reply is gone"
        for comment in self.pull.review_comments:
            if (marker := parse_marker(comment.body)) is not None:
                counts_still = comment.body.count("✖ **Blocks**") + comment.body.count("⚠ **Needs")
                assert counts_still == (marker.state == "open"), "a comment belies its state"
        decisions = self.decisions()
        assert {decision.by for decision in decisions} <= {"wendy"}, "anybody may decide"
        dismissed = [item for item in decisions if item.kind is DecisionKind.DISMISSED]
        assert len(dismissed) <= self.dismissals, "a dismissal was carried out twice"
        if self.pull.state == "open":
            self.check_findings(decisions)

    def check_findings(self, decisions: Sequence[Decision]) -> None:
        """Each is what its line, and what people decided about it, make it; so is the check."""
        stored = self.run(self.app.store.last_review(self.repository.full_name, self.pull.number))
        assert stored is not None, "the pull request was not reviewed"
        assert stored.head_sha == self.pull.head_sha, "the head was not reviewed"
        findings = read_review(stored).findings
        text = "".join(self.head().values())
        found = Counter(finding.verdict for finding in findings)
        expected = {
            Verdict.DENY: text.count(DENIED),
            Verdict.NEEDS_CONFIRMATION: text.count(UNSURE),
        }
        assert found == Counter(expected), "a finding was lost, or made up"
        for finding in findings:
            assert finding.waived in _waivers(finding, self.pull.head_sha, decisions)
        states = Counter(marker.state for marker in self.markers())
        counting = Counter(finding.verdict for finding in findings if finding.waived is None)
        waived = len(findings) - counting.total()
        assert states["open"] == counting.total(), "a finding is in no state, or in the wrong one"
        assert states["waived"] <= waived, "a finding that counts is said not to"
        newest = [run for run in self.runs() if run.head_sha == self.pull.head_sha]
        asks = counting[Verdict.NEEDS_CONFIRMATION] > 0
        passing = "action_required" if asks else "success"
        assert newest[-1].conclusion == ("failure" if counting[Verdict.DENY] else passing)

    def decisions(self) -> list[Decision]:
        mine = self.repository.full_name
        latest = list_recent_decisions(self.app.database, repository=mine, limit=100_000)
        return [decision for _, decision in reversed(self.run(latest))]

    def head(self) -> dict[str, str]:
        """The files of the head but those of the base, as git has them."""
        git = self.repository.git
        entries = git.list_tree(self.pull.head_sha, recursive=True)
        paths = [item.path for item in entries if item.type == "blob" and item.path not in BASE]
        return {path: (git.read(self.pull.head_sha, path) or b"").decode() for path in paths}

    def runs(self) -> list[Any]:
        return list(self.repository.check_runs.values())

    def markers(self) -> list[CommentMarker]:
        found = (parse_marker(comment.body) for comment in self.pull.review_comments)
        return [marker for marker in found if marker is not None]


def _waivers(
    finding: ReviewedFinding, head_sha: str, decisions: Sequence[Decision]
) -> set[WaiverKind | None]:
    """What may be said of a finding: one thing, but where code was dismissed in another file.

    That holds if the file was renamed, and not if the same code stands in two.
    """
    about = [item for item in decisions if item.code_print == finding.code_print]
    exact = [item for item in about if item.fingerprint == finding.fingerprint]
    if any(item.kind is DecisionKind.DISMISSED for item in exact):
        return {WaiverKind.DISMISSED}
    here = (DecisionKind.CONFIRMED, head_sha)
    confirmed = any((item.kind, item.head_sha) == here for item in exact)
    otherwise = WaiverKind.CONFIRMED if confirmed else None
    elsewhere = any(item.kind is DecisionKind.DISMISSED for item in about)
    return {otherwise, WaiverKind.DISMISSED} if elsewhere else {otherwise}


async def _opened(stack: AsyncExitStack, app_key: str, database_url: str) -> tuple[Town, App]:
    github = await stack.enter_async_context(
        StandIn(
            app_id=APP_ID,
            private_key=app_key,
            webhook_secret=SECRET,
            permissions=PERMISSIONS | {"contents": "write"},
            rate_limit=10**9,
        )
    )
    gemini = await stack.enter_async_context(StandInGemini(Script(rules=ASKS)))
    settings = settings_for(github, gemini, app_key, database_url)
    repository = github.create_repository("acme/shop", BASE)
    town = Town(github, gemini, repository, settings)
    return town, await stack.enter_async_context(town.running())


def test_any_sequence_of_events_leaves_everything_in_order(
    app_key: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        town, app = runner.run(_opened(stack, app_key, database_url))
        try:
            watch = Watch()
            town.github.exchanges = watch
            for name, value in {
                "town": town,
                "app": app,
                "watch": watch,
                "run": runner.run,
                "repositories": count(),
            }.items():
                monkeypatch.setattr(Sequences, name, value, raising=False)
            run_state_machine_as_test(
                Sequences,
                settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS),
            )
        finally:
            runner.run(stack.aclose())
