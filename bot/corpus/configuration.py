"""The repository's configuration, `.github/bylaw.yml`, as read from the base commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from bot.corpus.rule import Severity
from bot.corpus.validation import StrictModel
from bot.subjects.kinds import SubjectKind


class ReviewOptions(StrictModel):
    """How a pull request is reviewed.

    `maturity` says whether what the record says of a rule governs its shadow here, or is only
    proposed (see `corpus.maturity`).
    """

    max_rules: int = Field(default=20, ge=1, le=100)
    severity_min: Severity = Severity.MEDIUM
    max_comments: int = Field(default=20, ge=0, le=100)
    drafts: bool = False
    needs_confirmation: Literal["action_required", "neutral"] = "action_required"
    unassessed: Literal["action_required", "neutral"] = "action_required"
    maturity: Literal["automatic", "propose"] = "automatic"


class CommandOptions(StrictModel):
    """Who may give commands in comments."""

    permission: Literal["read", "triage", "write", "maintain", "admin"] = "write"


class RatingOptions(StrictModel):
    """Which regulations are rated, and the score (0 to 4) below which the check fails.

    The check fails where one of them scores less. `risk` sets the class of risk by hand.
    """

    regulations: tuple[str, ...] = ()
    fail_below: float | None = Field(default=None, ge=0, le=4)
    risk: Literal["not_ai", "minimal", "limited", "high"] | None = None


class Configuration(StrictModel):
    """What is in force for one repository. The defaults are a repository without the file.

    `packs` names shipped packs, `rules` files or folders of the repository, `ignore` globs of paths
    that are not reviewed, `surfaces` maps path globs to a subject kind. `retain` says what is kept
    of a change and its facts: a digest and the quoted evidence, or all of it. `extends` names a
    file that this one builds on (see `corpus.extending`); it is None once that was followed.
    """

    extends: str | None = Field(default=None, alias="_extends")
    version: Literal[1] = 1
    packs: tuple[str, ...] = ("engineering",)
    rules: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    surfaces: Mapping[str, SubjectKind] = Field(default_factory=dict)
    review: ReviewOptions = ReviewOptions()
    commands: CommandOptions = CommandOptions()
    rating: RatingOptions = RatingOptions()
    retain: Literal["digest", "full"] = "digest"
