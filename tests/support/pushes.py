"""Pushes of one pull request, reviewed one after the other by a judge who is not sure."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from hashlib import sha256
from random import Random
from typing import Any

from jurat.findings.convergence import AssessedPush, describe_push
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import Finding
from jurat.findings.waivers import Decision, DecisionKind
from jurat.review import review
from jurat.review_interfaces import Inputs, Review, Services
from jurat.rules.config import Config
from jurat.rules.rule import Rule, RuleSet
from jurat.source.diff import Diff
from jurat.source.parsing import parse_in_process
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict, allowed, denied
from tests.support.code import changed
from tests.support.gemini import Notebook, Spoken, a_normative_rule

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
Push = Mapping[str, tuple[str, str]]
"""The text of each changed file in the base and in the head, by path."""

STATEMENTS = (
    "Log lines hold no secrets.",
    "Errors say what to do next.",
    "Names say what a thing is.",
    "A loop ends.",
    "Numbers that mean something have a name.",
    "Nothing that was opened is left open.",
)


def make_rules() -> tuple[Rule, ...]:
    """Rules that only a model can judge, and that block."""
    return tuple(
        a_normative_rule(f"house.rule-{number}", statement=statement)
        for number, statement in enumerate(STATEMENTS)
    )


@dataclass
class UnsureJudge:
    """Finds most of what there is, and now and then what there is not.

    A line breaks a rule by its digest, one of `one_in`. Of these it overlooks a share `missed`; and
    a share `made_up` of its answers denies a line that breaks nothing.
    """

    dice: Random
    one_in: int = 150
    missed: float = 0.1
    made_up: float = 0.03

    def __call__(self, asked: Asked, rule: ListedRule) -> Verdict:
        lines = [
            (shown, line)
            for shown in asked.about(rule)
            for line in shown.lines
            if line.added and len(line.text.strip()) > 12
        ]
        found = [
            item
            for item in lines
            if self.is_broken(rule.id, item[1].text) and self.dice.random() >= self.missed
        ]
        if lines and self.dice.random() < self.made_up:
            found.append(self.dice.choice(lines))
        if not found:
            return allowed(asked, rule)
        given = denied(asked, rule, *found[0])
        given["reasoning"] = f"`{found[0][1].text.strip()}` breaks it in {found[0][0].label}."
        given["findings"] = [
            item for place in found[:9] for item in denied(asked, rule, *place)["findings"]
        ]
        return given

    def is_broken(self, rule_id: str, text: str) -> bool:
        """Whether a line breaks a rule, whoever looks."""
        digest = sha256(f"{rule_id} {text.strip()}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % self.one_in == 0


@dataclass
class PullRequestMemory:
    """The records of one pull request."""

    answers: Notebook = field(default_factory=Notebook)
    made: list[Decision] = field(default_factory=list)
    pushes: list[AssessedPush] = field(default_factory=list)

    def get_answers(self, _repository: str | int | None) -> Any:
        return self.answers

    async def track_records(self, *_of: Any) -> Mapping[str, Any]:
        return {}

    async def decisions(self, _of: Any, code_prints: Sequence[str]) -> Sequence[Decision]:
        return [item for item in self.made if item.code_print in code_prints]

    async def list_pushes(self, *_of: Any) -> Sequence[AssessedPush]:
        return self.pushes[::-1]

    async def count_tokens(self, *_of: Any) -> int:
        return 0

    async def keep_calls(self, *_of: Any) -> None:
        pass

    async def save(self, _review: Review) -> None:
        pass

    async def mark_published(self, finished: Review) -> None:
        kept = describe_push(finished.evaluation, finished.context)
        self.pushes.append(AssessedPush.from_json(kept.to_json()))

    def dismiss(self, finding: Finding) -> None:
        """Have somebody set a finding aside."""
        self.made.append(
            Decision(
                DecisionKind.DISMISSED,
                "acme/shop",
                1,
                "0" * 40,
                "",
                finding.id,
                finding.code_id,
                finding.path,
                finding.rule.id,
                finding.rule.revision,
                finding.outcome,
                "wendy",
                "It is a test's.",
                NOW,
            )
        )


class OneChange:
    """A source that has one change, and a publisher that shows nothing."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs

    async def fetch(self) -> Inputs:
        return self.inputs

    async def publish(self, _review: Review) -> None:
        pass


def review_push(
    push: Push, memory: PullRequestMemory, judge: Any, rules: Sequence[Rule], number: int
) -> Evaluation:
    """The evaluation of one push, which is kept."""
    files = tuple(changed(base, head, path) for path, (base, head) in push.items() if base != head)
    model = Spoken()
    model.functions = {rule.id: judge for rule in rules}
    inputs = Inputs(
        Diff(files),
        RuleSet({rule.id: rule for rule in rules}),
        Config(),
        repository="acme/shop",
        number=1,
        base_sha="0" * 40,
        head_sha=f"{number:040}",
    )
    services = Services(model, memory, parse_in_process, lambda: NOW)
    hands = OneChange(inputs)
    return asyncio.run(review(hands, hands, services)).evaluation


@dataclass
class Convergence:
    """What came of some histories. `held` are new findings on lines that a push held before.

    `returned` are dismissed findings that count again on the very lines they were dismissed on,
    `excused` findings that nobody dismissed and that carry a dismissal all the same.
    """

    histories: int = 0
    pushes: int = 0
    findings: int = 0
    held: int = 0
    late: int = 0
    blocking: int = 0
    returned: int = 0
    excused: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class DismissedPlace:
    """Where a dismissed finding stands in a push, by the lines of its text."""

    rule_id: str
    path: str
    code: str
    line: int

    def follow(self, before: Push, after: Push) -> DismissedPlace | None:
        """The place in a later push, None if it is gone."""
        if self.path not in after:
            # Changed back to what the base has: a later push may change it again.
            return None
        old, new = (
            ["".join(text.split()) for text in push[self.path][1].split("\n")]
            for push in (before, after)
        )
        if old == new:
            return self
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            if block.a < self.line <= block.a + block.size:
                return replace(self, line=block.b + self.line - block.a)
        moved = [number for number, text in enumerate(new, 1) if text == old[self.line - 1]]
        return replace(self, line=moved[0]) if len(moved) == 1 else None

    def is_place_of(self, finding: Finding) -> bool:
        """Whether a finding is the one that was dismissed."""
        same = (finding.rule.id, finding.path, finding.code) == (self.rule_id, self.path, self.code)
        return same and finding.location is not None and finding.location.start_line == self.line


def replay(
    pushes: Sequence[Push], judge: Any, rules: Sequence[Rule], dice: Random, said: Convergence
) -> None:
    """Review the pushes of one history; a third of what is found is dismissed."""
    memory = PullRequestMemory()
    known: set[str] = set()
    dismissed: list[DismissedPlace] = []
    before: set[tuple[str, str]] = set()
    said.histories += 1
    for number, push in enumerate(pushes):
        if number:
            there = (place.follow(pushes[number - 1], push) for place in dismissed)
            dismissed = [place for place in there if place is not None]
        evaluation = review_push(push, memory, judge, rules, number)
        said.pushes += 1
        said.calls += sum(use.calls for use in evaluation.models)
        lines = {
            (path, line.strip()) for path, (_, head) in push.items() for line in head.split("\n")
        }
        for finding in evaluation.findings:
            decided = any(place.is_place_of(finding) for place in dismissed)
            said.blocking += finding.late and finding.blocks
            said.returned += decided and finding.waiver is None
            said.excused += not decided and finding.waiver is not None
            if finding.id in known:
                continue
            known.add(finding.id)
            said.findings += 1
            said.late += finding.late
            texts = finding.evidence.split("\n")
            said.held += all((finding.path or "", text.strip()) in before for text in texts)
            if dice.random() < 1 / 3 and finding.waiver is None:
                memory.dismiss(finding)
                start = finding.location.start_line if finding.location else None
                dismissed.append(
                    DismissedPlace(finding.rule.id, finding.path or "", finding.code, start or 0)
                )
        before |= lines
