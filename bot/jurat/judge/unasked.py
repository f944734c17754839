"""What there is to say of rules that a model would judge and nobody has asked one about.

Apart from what asks: most reviews on a command line have no model, and load none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import (
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    build_not_assessed,
)
from jurat.rules.rule import Rule

NO_MODEL = (
    "No model is configured: set GEMINI_API_KEY, name another in JURAT_MODELS, or have the"
    " configuration say `judge: none`."
)
NO_JUDGE_ASKED = "The configuration asks no model: `judge: none`."
ASKED_LATER = "The model is asked later: what can be computed comes first."
NOT_IN_FORCE = "Not in force here: only a model can decide it, and the configuration asks none."


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """Stage 4's result: one verdict for each rule given, in the order given.

    `models` says what was asked of whom so far, by the record, `unread` what could not be shown to
    a model and was not known as unread before.
    """

    verdicts: tuple[RuleVerdict, ...]
    models: tuple[ModelUsage, ...] = ()
    unread: tuple[UnreadFile, ...] = ()

    def amend(self, later: JudgeResult) -> JudgeResult:
        """The result with what came of asking for some of its rules again."""
        again = {verdict.rule.id: verdict for verdict in later.verdicts}
        return JudgeResult(
            tuple(again.get(verdict.rule.id, verdict) for verdict in self.verdicts),
            later.models or self.models,
            (*self.unread, *later.unread),
        )


def leave_without_model(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of `rules` if no model is configured."""
    gap = NotAssessedReason.NO_MODEL
    return JudgeResult(tuple(build_not_assessed(rule, NO_MODEL, gap) for rule in rules))


def leave_unjudged(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of `rules` in a repository that wants no model asked, and asks none.

    A rule that only a model can decide is not in force there. One that could have been computed,
    had its facts been known, or that the owner requires, is left open.
    """
    return JudgeResult(
        tuple(
            build_not_assessed(rule, NO_JUDGE_ASKED, NotAssessedReason.NO_MODEL)
            if rule.constraints or rule.is_required
            else build_not_assessed(rule, NOT_IN_FORCE, NotAssessedReason.NOT_IN_FORCE)
            for rule in rules
        )
    )


def leave_for_later(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of `rules` before a model was asked about them: nothing yet."""
    later = NotAssessedReason.POSTPONED
    return JudgeResult(tuple(build_not_assessed(rule, ASKED_LATER, later) for rule in rules))


def leave_partial(rules: Sequence[Rule]) -> JudgeResult:
    """What there is to say of rules whose findings are set aside, and whose rest nobody judged."""
    reason = "What was found is set aside, and the model gave no answer about the other files."
    gap = NotAssessedReason.MODEL_FAILED
    return JudgeResult(tuple(build_not_assessed(rule, reason, gap) for rule in rules))
