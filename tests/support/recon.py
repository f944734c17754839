"""Worktrees made of texts, and what RECON sees in them."""

from __future__ import annotations

from collections.abc import Mapping

from jurat.rating.held import RepositoryScan
from jurat.rating.named_rules import list_named_rules
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.evidence import Score, Signal
from jurat.rating.signals.worktree import FileEntry, Worktree, build_worktree


def a_worktree(files: Mapping[str, str]) -> Worktree:
    """A worktree that holds these texts by path."""
    data = {path: text.encode() for path, text in files.items()}
    entries = [FileEntry(path, len(content)) for path, content in data.items()]
    return build_worktree(entries, lambda entry: data[entry.path])


def look(files: Mapping[str, str]) -> RepositoryScan:
    """What RECON sees in these files."""
    worktree = a_worktree(files)
    signals, inventory = scan_worktree(worktree)
    return RepositoryScan(worktree, signals, inventory)


def signal(name: str, files: Mapping[str, str]) -> Signal:
    """One signal of these files."""
    return look(files).signals[name]


def score(rule: str, files: Mapping[str, str]) -> Score:
    """What a named rule says of these files."""
    seen = look(files)
    return list_named_rules()[rule](seen.signals, seen.inventory, seen.worktree)
