"""What `jurat review` reads: a checkout, a diff or facts, and the rules that judge them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from jurat.cli.checkout import (
    SHORT_SHA,
    CommitRange,
    GitCheckout,
    find_last_commit,
    read_change,
    read_commit_messages,
    resolve_range,
    resolve_whole,
)
from jurat.cli.options import print_note
from jurat.cli.rule_files import (
    CONFIGURATION_PATH,
    NO_CONFIGURATION,
    load_local_ruleset,
    read_attributes,
    read_base_config,
    read_diff,
    read_facts,
    read_worktree_config,
)
from jurat.errors import UsageError
from jurat.facts.context import Facts, SubjectKind
from jurat.rating.provenance import find_page
from jurat.reports.counts import pluralize
from jurat.review_interfaces import Inputs
from jurat.rules.rule import Rule, RuleSet
from jurat.source.diff import Diff
from jurat.source.diff_parser import parse_diff


class RulesFrom(StrEnum):
    """Which side of a change its rules and configuration are read of."""

    BASE = "base"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class ReviewArgs:
    """What the command line asks to have reviewed, and by which rules. See the options' help."""

    folder: Path | None = None
    base: str | None = None
    head: str | None = None
    diff: str | None = None
    facts: Path | None = None
    kind: SubjectKind | None = None
    intent: str | None = None
    rules: tuple[Path, ...] = ()
    packs: tuple[str, ...] | None = None
    whole: bool = False
    rules_from: RulesFrom = RulesFrom.BASE


class LocalSource:
    """A Source: a checkout, a diff, facts, or facts with one of the others.

    Once it was fetched, `rules_from` says in a sentence where the rules were taken from, and
    `commit` is the head if it is a commit.
    """

    def __init__(self, asked: ReviewArgs) -> None:
        self._arguments = asked
        self._base: str | None = None
        self._has_checkout = False
        self.rules_from = ""
        self.commit = ""

    async def fetch(self) -> Inputs:
        """Everything that is judged, and the rules and configuration of its base."""
        asked = self._arguments
        names_checkout = bool(asked.folder or asked.base or asked.head or asked.whole)
        if asked.diff is not None and names_checkout:
            raise UsageError("--diff goes without --repo, --base, --head, --all: it is the change.")
        if asked.whole and asked.base:
            raise UsageError("--all goes without --base: all of it is reviewed.")
        facts = read_facts(asked.facts) if asked.facts else {}
        if asked.diff is None and (asked.facts is None or names_checkout):
            return self._fetch_from_checkout(facts)
        return self._fetch_without_checkout(facts)

    def find_root(self) -> Path:
        """The top folder of the checkout. Raises UsageError if there is none."""
        with GitCheckout.containing(self._arguments.folder) as repository:
            return repository.root

    def find_repository(self) -> str:
        """The page of the remote of what was reviewed; "" if there is none, or no checkout."""
        if not self._has_checkout:
            return ""
        with GitCheckout.containing(self._arguments.folder) as repository:
            return find_page(repository.find_remote())

    def find_last_commit(self, path: str, lines: Sequence[int]) -> str:
        """The commit, in short, that wrote the last of some lines of the base; "" if unknown."""
        if self._base is None:
            return ""
        with GitCheckout.containing(self._arguments.folder) as repository:
            return find_last_commit(repository, self._base, path, lines)

    def _fetch_without_checkout(self, facts: Facts) -> Inputs:
        """A diff or facts without a repository, and so without a configuration."""
        asked = self._arguments
        rule_set, configuration = load_local_ruleset(
            NO_CONFIGURATION, packs=asked.packs, added=asked.rules
        )
        packs = asked.packs or configuration.packs
        self.rules_from = _describe_rules(rule_set, packs, asked, {}, "")
        return Inputs(
            change=Diff() if asked.diff is None else _parse_given_diff(asked.diff),
            rule_set=rule_set,
            configuration=configuration,
            intent=asked.intent or "",
            facts=facts,
            kind=asked.kind,
        )

    def _fetch_from_checkout(self, facts: Facts) -> Inputs:
        asked = self._arguments
        with GitCheckout.containing(asked.folder) as repository:
            between = (
                resolve_whole(repository, asked.head)
                if asked.whole
                else resolve_range(repository, asked.base, asked.head)
            )
            commit = _find_rules_commit(asked, between)
            file, own = (
                read_base_config(repository, commit)
                if commit
                else read_worktree_config(repository.root)
            )
            rule_set, configuration = load_local_ruleset(
                file, own, packs=asked.packs, added=asked.rules
            )
            change = read_change(repository, between)
            attributes = read_attributes(
                repository, between.tip if asked.whole else between.base, change
            )
            stated = (
                read_commit_messages(repository, between)
                if asked.intent is None and not asked.whole
                else asked.intent or ""
            )
        self._has_checkout, self.commit = True, between.head or ""
        place = f"commit {commit[:SHORT_SHA]}" if commit else "the work tree"
        packs = asked.packs or configuration.packs
        self.rules_from = _describe_rules(rule_set, packs, asked, own, place)
        if not change.files:
            print_note(
                "there is no file."
                if asked.whole
                else "nothing has changed since the base. --all reviews all that is there."
            )
        elif asked.whole:
            # What a model judges is a change, and of a whole repository it would cost a fortune.
            configuration = configuration.model_copy(update={"judge": "none"})
            rule_set = drop_change_rules(rule_set)
        else:
            self._base = between.base
            if asked.rules_from is RulesFrom.BASE:
                _warn_uncounted_configuration(change, own)
        return Inputs(
            change=change,
            rule_set=rule_set,
            configuration=configuration,
            intent=stated,
            base_sha=None if asked.whole else between.base,
            head_sha=between.head,
            facts=facts,
            kind=asked.kind,
            rules_sha=commit,
            attributes=attributes,
        )


def _parse_given_diff(name: str) -> Diff:
    diff = parse_diff(read_diff(name))
    if not diff.files:
        # A pipe whose first command failed is empty too, and would pass as a change without faults.
        what = "standard input" if name == "-" else name
        hint = "Did the command that was to print it fail? With `set -o pipefail` a shell says so."
        raise UsageError(f"--diff: {what} holds no change.", hint=hint)
    return diff


def _find_rules_commit(asked: ReviewArgs, between: CommitRange) -> str | None:
    """The commit whose rules and configuration judge; None for the work tree."""
    if asked.rules_from is RulesFrom.HEAD:
        return between.head
    # From the base: a change must not weaken its own judge, on a laptop either. A whole repository
    # has no base; what is committed there is in force.
    return between.tip if asked.whole else between.base


def _describe_rules(
    rule_set: RuleSet, packs: Sequence[str], asked: ReviewArgs, own: Mapping[str, str], place: str
) -> str:
    """Where the rules in force were taken from, in a sentence."""
    counts = Counter(_find_origin(rule, own, asked) for rule in rule_set.rules.values())
    parts = []
    if shipped := counts[_Origin.SHIPPED]:
        names = ", ".join(packs)
        parts.append(f"{shipped:,} of the shipped {'pack' if len(packs) == 1 else 'packs'} {names}")
    if counts[_Origin.OWN]:
        files = pluralize(len(own), "file")
        parts.append(f"{counts[_Origin.OWN]:,} of {files} that {CONFIGURATION_PATH} names")
    if counts[_Origin.ADDED]:
        names = ", ".join(map(str, asked.rules))
        parts.append(f"{counts[_Origin.ADDED]:,} of --rules {names}")
    said = "; ".join(parts) or "none"
    return f"Rules: {said}. Configuration: as in {place}." if place else f"Rules: {said}."


class _Origin(StrEnum):
    SHIPPED = "shipped"
    OWN = "own"
    ADDED = "added"


def _find_origin(rule: Rule, own: Mapping[str, str], asked: ReviewArgs) -> _Origin:
    path = rule.origin.rpartition(":")[0]
    if path in own:
        return _Origin.OWN
    added = any(Path(path).is_relative_to(os.path.normpath(one)) for one in asked.rules)
    return _Origin.ADDED if added else _Origin.SHIPPED


def drop_change_rules(rule_set: RuleSet) -> RuleSet:
    """The rules but for those that measure a change as a whole: a repository is not too large."""
    kept = {
        name: rule
        for name, rule in rule_set.rules.items()
        if not any(_is_measure_of_change(item) for item in rule.constraints)
    }
    return replace(rule_set, rules=kept)


def _is_measure_of_change(constraint: object) -> bool:
    field_path: str = getattr(constraint, "field_path", "")
    return field_path.startswith("change.") and not field_path.startswith("change.functions")


def _warn_uncounted_configuration(change: Diff, own: Mapping[str, str]) -> None:
    judging = {CONFIGURATION_PATH, *own}
    touched = [file.path for file in change.files if {file.path, file.old_path} & judging]
    if touched:
        print_note(
            f"{', '.join(touched)}: the base's version is in force, not this change's;"
            " --rules-from head tries it."
        )
