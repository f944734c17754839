"""Whatever strangers, rules and models write, GitHub shows it: it notifies, links, draws nothing.

Each writer is given harmless words in every slot, then hostile ones: what GitHub makes of both has
the same elements, and nothing speaks that did not with harmless words.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from jurat.app.apply_fixes import render_message
from jurat.engine.fix_verifier import FixedFile
from jurat.errors import FileError
from jurat.findings.backtest import (
    Aftermath,
    Backtest,
    ReplayedChange,
    ReplayedFinding,
    RuleBacktest,
    SuggestedLevel,
)
from jurat.findings.evaluation import Basis, Conclusion, Coverage, Evaluation, Override
from jurat.findings.finding import (
    Cause,
    Fix,
    FixCheck,
    SuppressionState,
    SuppressionStatus,
    Waiver,
    WaiverKind,
)
from jurat.findings.verdict import DecidedBy, RuleVerdict, UnreadFile, Verdict
from jurat.rating.changes import MovedClause, MovedRegulation
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import RiskClass
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import scan_worktree
from jurat.rating.scale import ClauseVerdict
from jurat.rating.signals.evidence import SignalEvidence
from jurat.reports.backtest_check import build_backtest_check
from jurat.reports.check_run import CheckRun, build_config_error_check, build_failed_check
from jurat.reports.comment import (
    CommentAnchor,
    parse_marker,
    render_comment,
    with_state,
    with_waiver,
)
from jurat.reports.commit_check import Exclusion, PullRequestCheck, combine_checks
from jurat.reports.promotions import describe_promotions
from jurat.reports.pull_request import plan_check_run
from jurat.reports.rating_report import render_markdown, render_moves
from jurat.reports.rule_change import (
    ReplayedReview,
    RuleChange,
    build_broken_check,
    build_given_up_check,
    build_loaded_check,
    build_unread_check,
)
from jurat.reports.rule_docs import render_rule
from jurat.reports.summary import render_summary, render_title
from jurat.rules.config import Config, ReviewConfig
from jurat.rules.level import Enforcement, Level
from jurat.rules.rule import Example, Examples, Maturity, Rule, RuleKind
from jurat.rules.ruleset_diff import ChangeDirection, RuleSetChange
from jurat.rules.selection import OmittedRule
from jurat.source.suppressions import Suppression
from tests.support.gfm import Shown, show_markdown, show_plain
from tests.support.hostile_text import CORPUS, hostile_texts
from tests.support.rating import ALL_APPLY, a_source, worktree_of
from tests.support.values import a_fix, a_location, a_rule, a_verdict

Texts = Callable[[str], str]
"""The text of a slot, by its name."""
Written = list[Shown]

_DAY = dt.date(2026, 11, 22)
_NOON = dt.datetime(2026, 11, 22, 12, tzinfo=dt.UTC)


def a_foreign_rule(text: Texts, rule_id: str = "house.rule", **fields: object) -> Rule:
    """A rule in which everything that may be prose is."""
    return a_rule(
        rule_id,
        # What a message says already is left out: no other text holds this one.
        statement=f"{_to_utf8(text('rule statement'))} always",
        rationale=_to_utf8(text("rule rationale")),
        exceptions=(_to_utf8(text("rule exception")),),
        fix=_to_utf8(text("rule fix")),
        **fields,
    )


def _to_utf8(text: str) -> str:
    """As a file can hold it once it is read: not empty, and without half a surrogate."""
    return text.encode("utf-8", "replace").decode() or "x"


def a_foreign_verdict(
    text: Texts, verdict: Verdict = Verdict.DENY, **fields: object
) -> RuleVerdict:
    """A verdict of a model's on a path and lines that a stranger chose."""
    place = a_location(text("path"), 3, snippet=_to_utf8(text("code")))
    values: dict[str, object] = {
        "decided_by": DecidedBy.BATCH,
        "model_id": text("model"),
        "issue": text("issue"),
        "reasoning": text("reasoning"),
        "note": text("note"),
        "fix_suggestion": text("fix suggestion"),
        "locations": (place,),
    }
    rule = fields.pop("rule", None) or a_foreign_rule(text)
    return a_verdict(rule, verdict, **{**values, **fields})  # type: ignore[arg-type]


def a_waiver(text: Texts, kind: WaiverKind = WaiverKind.DISMISSED) -> Waiver:
    until = _DAY if kind is WaiverKind.SUPPRESSED else None
    return Waiver(kind, text("login"), text("reason"), at=_NOON, until=until, own=True)


def a_foreign_fix(text: Texts, problem: str = "") -> Fix:
    fixed = a_fix(text("path"), 3, new=_to_utf8(text("fixed code")))
    verification = FixCheck(rules=1, parsed=True, problem=problem)
    return replace(
        fixed, original=_to_utf8(text("code")), auto_applicable=False, verification=verification
    )


def write_comments(text: Texts) -> Written:
    """The comment on a finding: with a suggestion, with a fix by hand, and once it is settled."""
    verdict = a_foreign_verdict(text)
    (finding,) = verdict.findings
    assert finding.location
    cause = Cause(2, safeguard=True, since="abc1234")
    moved = replace(finding, location=replace(finding.location, cause=cause))
    place = CommentAnchor(3, 3, suggestible=True)
    bodies = [
        render_comment(moved, verdict, CommentAnchor(9, 9, suggestible=False)),
        render_comment(replace(finding, fix=a_foreign_fix(text)), verdict, place),
        render_comment(
            replace(finding, fix=a_foreign_fix(text, text("problem") or "x")), verdict, None
        ),
    ]
    marker = parse_marker(bodies[0])
    assert marker
    bodies += [with_waiver(bodies[0], marker, a_waiver(text, kind)) for kind in WaiverKind]
    bodies.append(with_state(bodies[1], marker, "fixed", "abc1234"))
    return [show_markdown(body) for body in bodies]


def an_evaluation(text: Texts) -> Evaluation:
    """A review in which everything foreign that a check may show has its place."""
    normative = {"kind": RuleKind.NORMATIVE}
    waived = [
        a_foreign_verdict(text, rule=a_foreign_rule(text, f"house.{kind}"), waivers=(waiver,))
        for kind in WaiverKind
        for waiver in [a_waiver(text, kind)]
    ]
    off = a_foreign_rule(text, "house.off").with_enforcement(
        Enforcement(Level.OBSERVE, text("level reason"))
    )
    return Evaluation(
        "e1",
        Verdict.DENY,
        (
            a_foreign_verdict(text),
            a_foreign_verdict(text, Verdict.NEEDS_CONFIRMATION, rule=a_foreign_rule(text, "b")),
            a_foreign_verdict(text, rule=off),
            a_foreign_verdict(text, rule=a_foreign_rule(text, "c", maturity=Maturity.EXPERIMENTAL)),
            *waived,
            a_foreign_verdict(text, Verdict.ALLOW, rule=a_foreign_rule(text, "d")),
            a_foreign_verdict(
                text, Verdict.NOT_ASSESSED, rule=a_foreign_rule(text, "e", **normative)
            ),
        ),
        Coverage(3, (UnreadFile(text("path"), text("unread reason")),), 9),
        omitted=(OmittedRule(a_foreign_rule(text, "f"), text("omitted reason")),),
        notes=(text("evaluation note") or "x",),
        suppressions=(
            SuppressionStatus(
                Suppression(text("path"), 3, 4, text("suppressed rule")),
                SuppressionState.UNKNOWN_RULE,
                text("remark") or "x",
            ),
        ),
        conclusion=Conclusion.FAILURE,
        basis=Basis("0" * 64, "abc1234", "1.0"),
        override=Override(text("login"), text("reason"), _NOON, _DAY, own=True),
    )


def show_check(check: CheckRun) -> Written:
    """Everything of a check that people read."""
    plain = [check.title, *(f"{item.title}\n{item.message}" for item in check.annotations)]
    return [show_markdown(check.summary), *map(show_plain, plain)]


def write_checks(text: Texts) -> Written:
    """The check of a review, and its annotations."""
    evaluation = an_evaluation(text)
    observing = [item.rule for item in evaluation.findings if item.shadow]
    promotions = describe_promotions(observing, {}, ReviewConfig())
    summary = render_summary(evaluation, evaluation.findings, promotions)
    check = plan_check_run(evaluation, Config())
    return [*show_check(check), show_markdown(summary), show_plain(render_title(evaluation))]


def write_failures(text: Texts) -> Written:
    """The checks of reviews that could not be made."""
    error = FileError(text("path"), 3, text("key"), text("problem"))
    error.others = (FileError(text("path"), 0, "", text("problem")),)
    reason = text("failure")
    checks = [
        build_config_error_check(error),
        build_failed_check(reason),
        build_broken_check(error),
        build_unread_check(error),
        build_given_up_check(reason),
    ]
    return [shown for check in checks for shown in show_check(check)]


def write_rule_changes(text: Texts) -> Written:
    """The check of a change of rules."""
    changes = tuple(
        RuleSetChange(text("subject"), what, direction, text("before"), text("after"))
        for what, direction in zip(("rule", "setting", text("what")), ChangeDirection, strict=False)
    )
    trials = (
        ReplayedReview(1, "", (), (text("rule id"),)),
        ReplayedReview(2, "https://github.com/acme/shop/pull/2", (text("rule id"),), ()),
    )
    change = RuleChange(changes, trials, {"reviewed by an earlier release": 1}, (text("rule id"),))
    long = replace(change, differences=changes * 20)
    return [shown for item in (change, long) for shown in show_check(build_loaded_check(item))]


def write_commit_checks(text: Texts) -> Written:
    """The check of a commit that several pull requests share."""
    said = CheckRun(Conclusion.FAILURE, text("title") or "x", "A summary.")
    combined = combine_checks(
        [
            PullRequestCheck(1, text("branch"), said),
            PullRequestCheck(2, text("branch"), said, Exclusion(text("login"), text("reason"))),
        ]
    )
    assert combined
    return [show_markdown(combined.check.summary)]


def write_looks_back(text: Texts) -> Written:
    """The check of what was merged before Jurat came."""
    firings = [
        ReplayedFinding(
            text("rule"), text("path"), 3, "", text("message"), blocks=True, aftermath=a
        )
        for a in Aftermath
    ]
    change = ReplayedChange("#1", text("title"), Conclusion.FAILURE, tuple(firings))
    level = SuggestedLevel.OBSERVE
    examples = tuple(("#1", firing) for firing in firings)
    rule = RuleBacktest("house.rule", 3, 1, 1, 1, level, "few were mended", examples)
    check = build_backtest_check(Backtest((change,), (rule,)), text("branch"), {"is too large": 1})
    return show_check(check)


def write_rules(text: Texts) -> Written:
    """A rule as `/jurat explain` shows it."""
    examples = Examples(
        invalid=(
            _to_utf8(text("example")),
            Example(facts={_to_utf8(text("fact")): _to_utf8(text("fact"))}),
        ),
        valid=(Example(code=_to_utf8(text("example")), language="python"),),
    )
    rule = a_foreign_rule(
        text,
        examples=examples,
        references=(f"see {_to_utf8(text('reference'))}",),
        paths=(_to_utf8(text("glob")),),
        origin=_to_utf8(text("path")),
    )
    return [show_markdown(render_rule(rule))]


@cache
def rate_nothing() -> Rating:
    """A rating by one regulation."""
    packs = load_regulations(ALL_APPLY)
    worktree = worktree_of({"agent.py": "x = 1\n"})
    seen = RepositoryScan(worktree, *scan_worktree(worktree))
    return rate_scan(seen, packs[:1], list_named_rules(), classifying=packs, on=ALL_APPLY)


def write_ratings(text: Texts) -> Written:
    """What a change moves in a rating, and the whole document."""
    (before,) = rate_nothing().regulations
    evidence = SignalEvidence(text("path"), 3, text("code"))
    found = [
        replace(
            clause,
            verdict=verdict,
            note=text("note"),
            rules=tuple(replace(rule, evidence=(evidence,)) for rule in clause.rules),
        )
        for clause, verdict in zip(before.clauses, ClauseVerdict, strict=False)
    ]
    after = replace(before, clauses=tuple(found))
    unread = ((text("path"), text("unread reason")),)
    rating = Rating(RiskClass.HIGH, text("risk"), ALL_APPLY, (after,), unread)
    moved = tuple(map(MovedClause, before.clauses, found))
    ends = (a_source(text("name")), a_source(text("name"), page="https://github.com/acme/shop"))
    moves = render_moves([MovedRegulation(before.regulation, 1.0, 2.0, moved)], rating)
    linked = render_moves([MovedRegulation(before.regulation, 1.0, 2.0, moved)], rating, ends)
    whole = render_markdown(rating, ends[0], "0" * 64)
    return [show_markdown(moves), _without_links(show_markdown(linked)), show_markdown(whole)]


def _without_links(page: Shown) -> Shown:
    """The page without the names of files in permalinks: all lead to the same commit."""
    skeleton = tuple(
        re.sub(r"(/blob/[0-9a-f]{40}/)[^\s\"]*", r"\1", item) for item in page.skeleton
    )
    return Shown(skeleton, page.spoken)


def write_messages(text: Texts) -> Written:
    """The message of the commit that applies fixes."""
    fixed = FixedFile(text("path"), "text", (a_foreign_fix(text),), 1, "")
    message = render_message([fixed], "0" * 40, "Mona <1+mona@users.noreply.github.com>")
    # What looks like a trailer is one: our own two, of the head and of a person's address.
    _, row, trailers = message.split("\n\n")
    assert row.startswith("- ")
    assert len(row.splitlines()) == 1
    assert len(trailers.splitlines()) == 2
    return [show_plain(row)]


WRITERS: Mapping[str, Callable[[Texts], Written]] = MappingProxyType(
    {
        "comments": write_comments,
        "checks": write_checks,
        "failures": write_failures,
        "rule changes": write_rule_changes,
        "commit checks": write_commit_checks,
        "looks back": write_looks_back,
        "rules": write_rules,
        "ratings": write_ratings,
        "commit messages": write_messages,
    }
)


@cache
def find_slots(writer: Callable[[Texts], Written]) -> tuple[tuple[str, ...], Written]:
    """The slots of a writer, and what it shows if every one holds a plain word."""
    asked: dict[str, None] = {}

    def note(slot: str) -> str:
        asked[slot] = None
        return f"plain {slot}"  # each its own: some are left out if they repeat another

    shown = writer(note)
    return tuple(asked), shown


def find_speech(name: str, texts: Texts) -> list[str]:
    """What a writer says with these texts that it does not say with plain ones."""
    writer = WRITERS[name]
    _, quiet = find_slots(writer)
    found = []
    for number, (loud, plain) in enumerate(zip(writer(texts), quiet, strict=True)):
        if loud.skeleton != plain.skeleton:
            found.append(f"{name} {number}: other elements: {loud.skeleton}")
        found += [f"{name} {number}: {item}" for item in sorted(loud.spoken - plain.spoken)]
    return found


def test_a_reference_links_its_own_address_alone_and_no_conversation() -> None:
    address, conversation = "https://cwe.mitre.org/327", "https://github.com/acme/shop/issues/1"
    told = [*CORPUS, address, f"CWE: {address}", f"@octocat #1: {address}", f"see: {conversation}"]
    linked = []
    for text in told:
        verdict = a_verdict(a_rule(references=(_to_utf8(text),)), locations=(a_location(),))
        shown = show_markdown(render_comment(verdict.findings[0], verdict, None))
        linked += [item for item in shown.skeleton if item.startswith("<a ")]
        assert not shown.spoken, text
    assert linked == ['<a href="https://evil.example">', *[f'<a href="{address}">'] * 3]


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_of_the_corpus_speaks(name: str) -> None:
    slots, _ = find_slots(WRITERS[name])
    assert slots
    for first in range(len(CORPUS)):
        # Each in every slot in turn, and no two the same: what repeats another text is left out.
        texts = {slot: CORPUS[(first + at) % len(CORPUS)] for at, slot in enumerate(slots)}
        assert not find_speech(name, texts.__getitem__), texts


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data())
def test_no_heap_of_markup_speaks(name: str, data: st.DataObject) -> None:
    slots, _ = find_slots(WRITERS[name])
    texts = {slot: f"{data.draw(hostile_texts, label=slot)} {slot}" for slot in slots}
    assert not find_speech(name, texts.__getitem__)
