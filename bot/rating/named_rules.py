"""The named rules that packs weigh: functions over what RECON found, registered by name.

A rule reads signals and the inventory, and only where those do not do a file of the worktree. It
may raise: its clause is then `error`, never a score. Modules of `bot.rating.rules` hold the rules;
importing that package registers them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from bot.rating.evidence import Inventory, Signals
from bot.rating.recon.worktree import Worktree
from bot.rating.scores import Score

NamedRule = Callable[[Signals, Inventory, Worktree], Score]
"""How far one thing shows in a worktree."""

_RULES: dict[str, NamedRule] = {}


def named_rule(name: str) -> Callable[[NamedRule], NamedRule]:
    """Register a function as the rule of that name. Raises ValueError where the name is taken."""

    def register(rule: NamedRule) -> NamedRule:
        if name in _RULES:
            raise ValueError(f"there is a rule {name!r} already")
        _RULES[name] = rule
        return rule

    return register


def registered() -> Mapping[str, NamedRule]:
    """The rules that were registered so far, by name."""
    return MappingProxyType(_RULES)
