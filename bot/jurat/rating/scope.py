"""Whether a clause applies to what was seen, and why not."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.rating.held import RepositoryScan
from jurat.rating.pack import Clause, Operator, RiskClass, ScopeCondition
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.recon_table import load_recon_table

SPEAKING = (Role.CODE, Role.PROMPT)
"""Roles of files that may hold a prohibited practice."""


def explain_out_of_scope(clause: Clause, risk: RiskClass, seen: RepositoryScan) -> str:
    """Why a clause does not apply, empty if it does.

    A prohibition says nothing of a worktree that holds nothing which could break it: if nobody
    looked, nothing was kept.
    """
    scope = clause.in_scope_when
    decided_by_code = clause.negative and not clause.is_external
    if decided_by_code and not (seen.inventory.list_files(*SPEAKING) or seen.inventory.unseen):
        return "There is no code and no prompt to look at."
    if risk not in scope.risk and not _is_bound_without_ai(scope, risk, seen):
        if risk is RiskClass.NOT_AI:
            return "Not an AI system."
        wanted = " or ".join(item.value for item in scope.risk)
        return f"Applies to {wanted} risk; this is {risk.value} risk."
    if scope.any_signal and all(
        seen.signals[name].strength < scope.at_least for name in scope.any_signal
    ):
        return f"Nothing here shows {_describe_signals(scope.any_signal)}."
    return ""


def _is_bound_without_ai(scope: ScopeCondition, risk: RiskClass, seen: RepositoryScan) -> bool:
    """Whether what is no AI system does what a clause is about all the same."""
    return (
        risk is RiskClass.NOT_AI
        and bool(scope.without_ai)
        and all(seen.signals[name].strength >= scope.at_least for name in scope.without_ai)
    )


def _describe_signals(names: Sequence[str]) -> str:
    """What any of these signals would have told: a sentence for one, for several a list."""
    if len(names) == 1:
        sentences = {source.name: source.tells for source in load_recon_table().signals}
        tells = sentences[names[0]]
        return f"that {tells[0].lower()}{tells[1:].removesuffix('.')}"
    *rest, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(rest)} or {last}"


def explain_unbound(clause: Clause, operators: frozenset[Operator]) -> str:
    """Why a clause does not concern these operators, empty if it does or none is asked about."""
    if not operators or operators & frozenset(clause.binds):
        return ""
    bound = " and ".join(f"the {item.value}" for item in clause.binds)
    return f"Binds {bound or 'nobody'}."
