"""Worktrees made of texts, and what RECON sees in them."""

from __future__ import annotations

from collections.abc import Mapping

from bot.rating.evidence import Signal
from bot.rating.rating import Seen
from bot.rating.recon.recon import recon
from bot.rating.recon.worktree import FileEntry, Worktree, listed
from bot.rating.rules import named_rules
from bot.rating.scores import Score


def a_worktree(files: Mapping[str, str]) -> Worktree:
    """A worktree that holds these texts by path."""
    data = {path: text.encode() for path, text in files.items()}
    entries = [FileEntry(path, len(content)) for path, content in data.items()]
    return listed(entries, lambda entry: data[entry.path])


def look(files: Mapping[str, str]) -> Seen:
    """What RECON sees in these files."""
    worktree = a_worktree(files)
    signals, inventory = recon(worktree)
    return Seen(worktree, signals, inventory)


def signal(name: str, files: Mapping[str, str]) -> Signal:
    """One signal of these files."""
    return look(files).signals[name]


def score(rule: str, files: Mapping[str, str]) -> Score:
    """What a named rule says of these files."""
    seen = look(files)
    return named_rules()[rule](seen.signals, seen.inventory, seen.worktree)
