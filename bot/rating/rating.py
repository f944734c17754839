"""The deterministic rating: named rules over what RECON found, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.rating.evidence import Inventory, Signals
from bot.rating.named_rules import NamedRule
from bot.rating.ordinals import (
    PARTIAL,
    ClauseVerdict,
    ordinal_of,
    raw_score,
    verdict_of,
)
from bot.rating.packs import Classification, Clause, RegulationPack, RiskClass
from bot.rating.ratings import ClauseRating, Rating, RegulationRating, RuleScore
from bot.rating.recon.roles import Role
from bot.rating.recon.worktree import Worktree
from bot.rating.risk import classify

NOT_FROM_CODE = "This cannot be told from code: a person who knows the deployment must say."

_SPEAKING = (Role.CODE, Role.PROMPT)
"""Roles of files that may hold a prohibited practice."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What RECON saw of one worktree, which the named rules read."""

    worktree: Worktree
    signals: Signals
    inventory: Inventory


def rate(
    seen: Seen,
    packs: Sequence[RegulationPack],
    rules: Mapping[str, NamedRule],
    *,
    classifying: Sequence[RegulationPack],
    risk: RiskClass | None = None,
) -> Rating:
    """Rate what was seen by `packs`, without a model.

    `rules` are the named rules. The class of risk comes from the triggers of `classifying`, which
    should be all packs: it does not depend on the ones that are rated. `risk` overrides it.
    """
    found, reason = classify(seen.signals, classifying, risk)
    return Rating(
        found,
        reason,
        tuple(
            RegulationRating(
                pack.regulation,
                tuple(_rate_clause(clause, found, seen, rules) for clause in pack.clauses),
            )
            for pack in packs
        ),
        (
            *((file.path, file.unread or "") for file in seen.inventory.unread),
            *seen.inventory.unseen,
        ),
    )


def partial(rating: ClauseRating, note: str) -> ClauseRating:
    """The same clause held to be partial, and why."""
    return replace(
        rating,
        verdict=ClauseVerdict.PARTIAL,
        ordinal=PARTIAL,
        note=f"{rating.note} {note}".strip(),
    )


def _rate_clause(
    clause: Clause, risk: RiskClass, seen: Seen, rules: Mapping[str, NamedRule]
) -> ClauseRating:
    if problem := _out_of_scope(clause, risk, seen):
        return ClauseRating(
            clause,
            ClauseVerdict.NOT_APPLICABLE,
            in_scope=False,
            rules=_unscored(clause),
            note=problem,
        )
    scores: list[RuleScore] = []
    failed: list[str] = []
    for weighed in clause.checker.deterministic:
        try:
            score = rules[weighed.rule](seen.signals, seen.inventory, seen.worktree)
            scores.append(RuleScore(weighed.rule, weighed.weight, score.value, score.evidence))
        except Exception as error:  # noqa: BLE001 - any failure makes the clause an error, and is told
            failed.append(f"{weighed.rule} ({type(error).__name__})")
            scores.append(RuleScore(weighed.rule, weighed.weight, None))
    if clause.classification is Classification.EXTERNAL:
        return ClauseRating(clause, ClauseVerdict.EXTERNAL, rules=tuple(scores), note=NOT_FROM_CODE)
    if failed:
        note = f"Not rated: {', '.join(failed)} failed. Please report it."
        return ClauseRating(clause, ClauseVerdict.ERROR, rules=tuple(scores), note=note)
    raw = raw_score((item.weight, item.score) for item in scores if item.score is not None)
    ordinal = ordinal_of(raw, negative=clause.negative)
    rated = ClauseRating(clause, verdict_of(ordinal), ordinal, raw, rules=tuple(scores))
    return _prohibition(rated, seen.inventory) if clause.negative else rated


def _prohibition(rated: ClauseRating, inventory: Inventory) -> ClauseRating:
    """A prohibition is kept only by what was read, and what was found is for a person to see."""
    if rated.verdict is not ClauseVerdict.PASS:
        return rated
    unread = [file.path for file in inventory.unread if file.role in _SPEAKING]
    unread += [path for path, _ in inventory.unseen]
    if unread:
        more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
        return partial(rated, f"Not all was read: {', '.join(unread[:3])}{more}.")
    if rated.evidence:
        return replace(rated, note="Something was found that is too little to fail: please look.")
    return rated


def _out_of_scope(clause: Clause, risk: RiskClass, seen: Seen) -> str:
    """Why a clause does not apply, empty where it does.

    A prohibition says nothing of a worktree that holds nothing which could break it: where nobody
    looked, nothing was kept.
    """
    scope = clause.in_scope_when
    told_by_code = clause.negative and clause.classification is not Classification.EXTERNAL
    if told_by_code and not (seen.inventory.of(*_SPEAKING) or seen.inventory.unseen):
        return "There is no code and no prompt to look at."
    if risk not in scope.risk:
        if risk is RiskClass.NOT_AI:
            return "Not an AI system."
        wanted = " or ".join(item.value for item in scope.risk)
        return f"Applies to {wanted} risk; this is {risk.value} risk."
    if scope.any_signal and all(
        seen.signals[name].strength < scope.at_least for name in scope.any_signal
    ):
        wanted = " or ".join(name.replace("_", " ") for name in scope.any_signal)
        return f"Nothing here shows {wanted}."
    return ""


def _unscored(clause: Clause) -> tuple[RuleScore, ...]:
    return tuple(RuleScore(item.rule, item.weight, None) for item in clause.checker.deterministic)
