"""What a door has gathered before a review, alike for a checkout, GitHub and the REST API."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.corpus.configuration import Configuration
from bot.corpus.rule import Corpus
from bot.selection.selection import Criteria
from bot.subjects.change import Change
from bot.subjects.context import Facts, Mode
from bot.subjects.kinds import SubjectKind


@dataclass(frozen=True, slots=True)
class Material:
    """The change as read, and what it is judged by.

    `configuration` and `corpus` come from the base version, so that a change cannot change its own
    judge. `intent` is the author's own words: data, never orders. `kind` is what facts without a
    file are judged as, None for what the rules that read them say. The SHAs are None where the
    change is not, or not yet, a commit. `criteria` narrows the rules, None by what the
    configuration says. `merging` is a merge queue's group, which holds pull requests that were
    reviewed one by one; `queued` is the last of them, where that is known.
    """

    change: Change
    corpus: Corpus
    configuration: Configuration
    intent: str = ""
    repository: str | None = None
    base_sha: str | None = None
    head_sha: str | None = None
    facts: Facts = field(default_factory=dict)
    scope: str | None = None
    mode: Mode = Mode.PREFLIGHT
    kind: SubjectKind | None = None
    number: int | None = None
    asked_by: str = "local"
    criteria: Criteria | None = None
    merging: bool = False
    queued: int | None = None
