"""The report a person reads: the verdict, then each finding where it stands, then what is open.

Everything that comes from a change or a model is shown as text: it is never markup, and a control
character in it is written out. Without a terminal the report has no escape sequence and 80 columns.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TextIO

from rich.console import Console
from rich.text import Text

from jurat.findings.evaluation import Conclusion, Evaluation, is_blocking_unassessed
from jurat.findings.finding import Finding, Fix, Verdict
from jurat.findings.verdict import RuleVerdict
from jurat.reports.comment import describe_caution, describe_fix_check
from jurat.reports.counts import pluralize
from jurat.reports.formats import Detail, ReviewReport
from jurat.reports.set_aside import describe_waiver, filter_problem_suppressions
from jurat.reports.summary import (
    describe_coverage,
    describe_finding,
    describe_level,
    describe_norm,
    format_location,
)
from jurat.rules.level import Level
from jurat.source.diff import FileChange
from jurat.source.visible_text import to_terminal_line, to_terminal_text

_WIDTH = 80
_WIDEST = 110
"""Columns without a terminal, and at most on one: longer lines are hard to read."""

_SHOWN_LINES = 6
"""Lines of code shown of one finding; the count of the rest is said."""

_MOST_NAMED = 8
"""Rules that one reason left undecided, all of which are named: a file that cannot be parsed leaves
fifty."""
_FEW_NAMED = 3
"""Those that are named of more."""
_MOST_WHOLE = 100
"""Findings up to which each is shown with its code; more are grouped by their rules."""

_SHOWN_PLACES = 5
"""Places named of one rule then."""

_GUTTER = 7
"""Columns before the bar that stands left of code."""

_BADGES = {
    Conclusion.FAILURE: ("DENY", "bold white on red"),
    Conclusion.ACTION_REQUIRED: ("NEEDS CONFIRMATION", "bold black on yellow"),
    Conclusion.NEUTRAL: ("NEUTRAL", "bold white on blue"),
    Conclusion.SUCCESS: ("ALLOW", "bold white on green"),
}
_LOUDNESS = {Verdict.DENY: "bold red", Verdict.NEEDS_CONFIRMATION: "bold yellow"}


@dataclass(frozen=True, slots=True)
class _TextBlock:
    """Text below `indent` columns. Code is one line: cut at the edge, or whole to be copied."""

    text: Text
    indent: int = 0
    fit: Literal["wrap", "cut", "whole"] = "wrap"


def build_console(stream: TextIO) -> Console:
    """A console that colours on a terminal, or if FORCE_COLOR is set, and never under NO_COLOR."""
    # https://no-color.org, https://force-color.org; else a pipe must hold no escape sequences.
    forced = bool(os.environ.get("FORCE_COLOR"))
    plain = bool(os.environ.get("NO_COLOR")) or not (stream.isatty() or forced)
    console = Console(
        file=stream,
        force_terminal=stream.isatty() or forced,
        color_system=None if plain else "auto" if stream.isatty() else "standard",
        width=None if stream.isatty() else _WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.width = min(console.width, _WIDEST)
    return console


def write_report(report: ReviewReport, stream: TextIO) -> None:
    """Print a review for a person, as wide and as colourful as the stream allows."""
    print_report(build_console(stream), report)


def print_report(console: Console, report: ReviewReport) -> None:
    """Print the whole report, with the code that the findings stand in."""
    for part in _render_report(report, "|" if console.options.ascii_only else "│"):
        if part.fit == "wrap":
            for line in part.text.wrap(console, console.width - part.indent):
                line.rstrip()
                console.print(Text(" " * part.indent).append_text(line), soft_wrap=True)
            continue
        # Code is cut, never wrapped: a wrapped line would read as two.
        if part.fit == "cut":
            part.text.truncate(console.width, overflow="ellipsis")
        console.print(part.text, soft_wrap=True)


def _render_report(report: ReviewReport, bar: str) -> Iterator[_TextBlock]:
    evaluation = report.evaluation
    unwaived = [finding for finding in evaluation.findings if finding.waiver is None]
    counting = [finding for finding in unwaived if not finding.shadow]
    observed = [finding for finding in unwaived if finding.shadow]
    yield _render_headline(evaluation, counting)
    for note in evaluation.notes:
        yield _render_prose(note)
    yield _BLANK
    if len(counting) > _MOST_WHOLE and report.detail is not Detail.FULL:
        yield from _render_by_rule(report, counting)
    else:
        yield from _render_each(report, counting, bar)
    yield from _render_unread(evaluation)
    if report.detail is not Detail.BRIEF:
        yield from _render_set_aside(evaluation)
        yield from _render_left_alone(evaluation)
    yield from _render_unassessed(evaluation, report.detail)
    if report.detail is Detail.BRIEF:
        return
    yield from _render_observed(observed)
    if report.detail is Detail.FULL:
        yield from _render_verdicts(evaluation)
    yield _render_prose(describe_coverage(evaluation), "dim")
    if report.rules_from:
        yield _render_prose(report.rules_from, "dim")


def _render_headline(evaluation: Evaluation, counting: Sequence[Finding]) -> _TextBlock:
    word, style = _BADGES[evaluation.conclusion]
    blocking, unsure = len(evaluation.blocking), len(evaluation.awaiting)
    advising = len(evaluation.advising)
    failed = sum(is_blocking_unassessed(item) for item in evaluation.rule_verdicts)
    said = []
    if blocking:
        said.append(f"{pluralize(blocking, 'rule')} {'blocks' if blocking == 1 else 'block'}")
    if unsure:
        said.append(
            f"{pluralize(unsure, 'rule')} {'needs' if unsure == 1 else 'need'} confirmation"
        )
    if advising:
        said.append(f"{pluralize(advising, 'rule')} {'gives' if advising == 1 else 'give'} advice")
    if failed:
        said.append(f"{pluralize(failed, 'blocking rule')} undecided")
    if not said:
        if evaluation.broken:
            said.append("only rules that observe found anything")
        passed = len(evaluation.list_unwaived(Verdict.ALLOW))
        said.append(f"{pluralize(passed, 'rule')} passed" if passed else "no rule was decided")
        if passed and evaluation.unsettled:
            said.append(f"{pluralize(len(evaluation.unsettled), 'rule')} undecided")
    fixable = sum(
        fix is not None and fix.auto_applicable and fix.is_verified
        for fix in (finding.fix for finding in counting)
    )
    sentence = "; ".join(said)
    text = Text.assemble((f" {word} ", style), f" {sentence[0].upper()}{sentence[1:]}.")
    if counting:
        fixes = f", {fixable} with a safe fix" if fixable else ""
        further = sum(item.unlisted_count for item in evaluation.rule_verdicts if not item.shadow)
        text.append(f" {pluralize(len(counting) + further, 'finding')}{fixes}.")
        if further:
            text.append(f" The last {further:,} are not listed.")
    return _TextBlock(text)


def _render_each(
    report: ReviewReport, findings: Sequence[Finding], bar: str
) -> Iterator[_TextBlock]:
    """Each finding with its code: the file with the worst first, each file from the top."""
    verdicts = report.evaluation.by_rule
    explained: set[str] = set()
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.path or "", []).append(finding)
    for group in groups.values():
        for finding in sorted(group, key=lambda item: _get_first_line(item) or 0):
            yield from _render_finding(finding, verdicts[finding.rule.id], report, bar, explained)
            yield _BLANK


def _render_by_rule(report: ReviewReport, findings: Sequence[Finding]) -> Iterator[_TextBlock]:
    """Each rule once, with how many places it has and the first of them."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.rule.id, []).append(finding)
    for group in groups.values():
        first = group[0]
        places = pluralize(len(group), "place")
        files = pluralize(len({finding.path for finding in group}), "file")
        yield _render_finding_heading(first, f"{places} in {files}")
        verdict = report.evaluation.by_rule[first.rule.id]
        for text in (describe_finding(first), *_explain_finding(first, verdict)):
            yield _render_prose(text, indent=_GUTTER)
        for finding in group[:_SHOWN_PLACES]:
            place = Text(_format_place(report, finding), style="bold")
            yield _TextBlock(Text(" " * _GUTTER).append_text(place), fit="whole")
        if (more := len(group) - _SHOWN_PLACES) > 0:
            yield _render_prose(f"… and {pluralize(more, 'more place')}", "dim", _GUTTER)
        yield _BLANK
    yield _render_prose("`--verbose` shows each place, `--output FILE.json` keeps them.", "dim")
    yield _BLANK


def _format_place(report: ReviewReport, finding: Finding) -> str:
    """`path:line:column`, as far as it is known; editors and terminals make a link of it."""
    if finding.path is None:
        return "The change as a whole" if report.evaluation.coverage.files else "The facts"
    path = to_terminal_line(finding.path)
    line = _get_first_line(finding)
    if line is None:
        return path
    column = find_column(finding, report.files.get(finding.path))
    return f"{path}:{line}:{column}" if column else f"{path}:{line}"


def find_column(finding: Finding, file: FileChange | None) -> int | None:
    """The column, from 1, where the finding's code begins in its first line; None if unknown.

    That of the line's first visible character if the code itself is not in that line.
    """
    line = _get_first_line(finding)
    texts = _list_lines(file, line, line) if line else []
    if not texts:
        return None
    _, text = texts[0]
    snippet = str(finding.location.fields.get("snippet", "")) if finding.location else ""
    at = text.find(snippet.partition("\n")[0].strip())
    return max(at, len(text) - len(text.lstrip())) + 1


def _get_first_line(finding: Finding) -> int | None:
    return finding.location.start_line if finding.location else None


def _render_finding_heading(finding: Finding, place: str) -> _TextBlock:
    rule = finding.rule
    loudness = _LOUDNESS[finding.outcome] if finding.level is Level.BLOCK else ""
    heading = Text.assemble(
        (f"{place}  ", "bold"),
        (str(rule.severity), loudness),
        f", {_describe_effect(finding)}",
        ("  " + rule.id, "cyan"),
    )
    return _TextBlock(heading, fit="whole")


def _render_finding(
    finding: Finding, verdict: RuleVerdict, report: ReviewReport, bar: str, explained: set[str]
) -> Iterator[_TextBlock]:
    """A finding; its rule is explained the first time alone, and then stands in `explained`."""
    rule = finding.rule
    yield _render_finding_heading(finding, _format_place(report, finding))
    yield _render_prose(describe_finding(finding), indent=_GUTTER)
    known = rule.id in explained
    explained.add(rule.id)
    if not known:
        for text in (*_explain_finding(finding, verdict), describe_level(finding)):
            if text:
                yield _render_prose(text, "dim", _GUTTER)
    fix = finding.fix
    if fix and fix.start_line:
        yield from _render_fix(fix, bar, describe=not known)
        return
    yield from _render_code(finding, report.files.get(finding.path or ""), bar)
    if verdict.fix_suggestion:
        yield _render_prose(f"To fix it: {verdict.fix_suggestion}", "green", _GUTTER)


def _describe_effect(finding: Finding) -> str:
    """What the finding does, in a word or two."""
    if finding.blocks:
        return "blocks"
    return "to confirm" if finding.awaits_confirmation else "advice"


def _explain_finding(finding: Finding, verdict: RuleVerdict) -> Iterator[str]:
    """The rule that is broken, and why there is one; of a model's verdict, what made it one."""
    if norm := describe_norm(finding):
        yield norm
    why = verdict.rule.rationale if verdict.is_computed else verdict.reasoning
    if why and why != finding.message:
        yield why


def _render_code(finding: Finding, file: FileChange | None, bar: str) -> Iterator[_TextBlock]:
    """The lines that the finding is about; what the verdict quotes if they are not at hand."""
    place = finding.location
    if place is None or place.start_line is None:
        return
    last = max(place.end_line or place.start_line, place.start_line)
    lines = _list_lines(file, place.start_line, min(last, place.start_line + _SHOWN_LINES - 1))
    if not lines and (quoted := place.fields.get("snippet")):
        texts = to_terminal_text(str(quoted)).splitlines()[:_SHOWN_LINES]
        lines = list(enumerate(texts, place.start_line))
    for number, text in lines:
        yield _render_row(str(number), f"{bar} ", text, "")
    if lines and (more := last - lines[-1][0]) > 0:
        yield _render_row("", f"{bar} ", f"… {pluralize(more, 'more line')}", "dim")


def _list_lines(file: FileChange | None, first: int, last: int) -> list[tuple[int, str]]:
    """Lines of the head version, as far as they are at hand."""
    if file is None or file.unread is not None:
        return []
    return [
        (number, text)
        for piece in file.list_fragments("head")
        for number, text in enumerate(piece.text.split("\n"), piece.first_line)
        if first <= number <= last
    ]


def _render_fix(fix: Fix, bar: str, *, describe: bool) -> Iterator[_TextBlock]:
    """A fix as a small diff, in whole: it is there to be copied."""
    for number, text in enumerate(fix.original.split("\n"), fix.start_line or 1):
        yield _render_row(str(number), f"{bar}-", text, "red", "whole")
    deletes = fix.type == "delete" and not fix.replacement
    for text in () if deletes else fix.replacement.split("\n"):
        yield _render_row("", f"{bar}+", text, "green", "whole")
    if describe and fix.description:
        yield _render_prose(fix.description, "dim", _GUTTER)
    if fix.verification is not None and fix.verification.problem:
        yield _render_prose(f"Advice only: {fix.verification.problem}.", "dim", _GUTTER)
    elif tried := describe_fix_check(fix):
        yield _render_prose(tried, "dim", _GUTTER)
    if caution := describe_caution(fix):
        yield _render_prose(caution, "dim", _GUTTER)


def _render_row(
    number: str, bar: str, code: str, style: str, fit: Literal["cut", "whole"] = "cut"
) -> _TextBlock:
    """A line of code behind its number."""
    gutter = (f"{number:>{_GUTTER - 1}} {bar}", style or "dim")
    # A carriage return at a line's end is part of the line and no part of what a person reads.
    # Made visible first: a terminal obeys what a change's author has put into a line.
    visible = to_terminal_text(code.removesuffix("\r")).expandtabs(4)
    return _TextBlock(Text.assemble(gutter, (visible, style)), fit=fit)


def _render_unread(evaluation: Evaluation) -> Iterator[_TextBlock]:
    """The files that nobody could read."""
    if unread := evaluation.coverage.unread:
        yield _render_heading(f"Not read: {pluralize(len(unread), 'file')}")
        yield from (_render_item(file.path, file.reason) for file in unread)
        yield _BLANK


def _render_left_alone(evaluation: Evaluation) -> Iterator[_TextBlock]:
    """The files that rules about code did not judge, and those that no model saw."""
    if left := evaluation.coverage.unwritten:
        yield _render_heading(
            f"Left alone by rules about code: {pluralize(len(left), 'file')} that nobody writes by"
            " hand"
        )
        yield from (_render_item(file.path, file.reason) for file in left)
        yield _BLANK
    if others := evaluation.coverage.ungrammared:
        yield _render_heading(f"Not all read by rules about code: {pluralize(len(others), 'file')}")
        yield from (_render_item(file.path, file.reason) for file in others)
        yield _BLANK
    if private := evaluation.coverage.private:
        yield _render_heading(f"Shown to no model: {pluralize(len(private), 'private file')}")
        yield from (_render_item(path, "`review.private` names it") for path in private)
        yield _BLANK


def _render_unassessed(evaluation: Evaluation, detail: Detail) -> Iterator[_TextBlock]:
    """The rules that nobody decided, and why; of many with one reason the first few."""
    if skipped := _group_unassessed(evaluation):
        rules = pluralize(sum(map(len, skipped.values())), "rule")
        most = max(map(len, skipped.values()))
        is_cut = detail is not Detail.FULL and most > _MOST_NAMED
        yield _render_heading(f"Not assessed: {rules}{'; --verbose names each' if is_cut else ''}")
        for reason, ids in skipped.items():
            named = ids[:_FEW_NAMED] if is_cut and len(ids) > _MOST_NAMED else ids
            more = f" and {len(ids) - len(named)} more" if len(named) < len(ids) else ""
            yield _render_item(f"{', '.join(named)}{more}", reason)
        yield _BLANK


def _render_observed(observed: Sequence[Finding]) -> Iterator[_TextBlock]:
    """What rules that observe saw."""
    if not observed:
        return
    found = pluralize(len(observed), "finding")
    yield _render_heading(f"Shadow: {found} of rules that only observe")
    for finding in observed:
        yield _render_item(
            f"{format_location(finding)} {finding.rule.id}", describe_finding(finding)
        )
    yield _BLANK


def _render_verdicts(evaluation: Evaluation) -> Iterator[_TextBlock]:
    """Each rule that was selected, and what was decided of it by whom."""
    yield _render_heading("Verdicts")
    for item in evaluation.rule_verdicts:
        yield _render_item(item.rule.id, f"{item.verdict}, {item.decided_by}")
    yield _BLANK


def _render_set_aside(evaluation: Evaluation) -> Iterator[_TextBlock]:
    """What was found and does not count, and the suppressions that somebody should look at."""
    waived = [(finding, finding.waiver) for finding in evaluation.findings if finding.waiver]
    if waived:
        yield _render_heading(f"Set aside: {pluralize(len(waived), 'finding')}, none counts")
        for finding, waiver in waived:
            yield _render_item(
                f"{format_location(finding)} {finding.rule.id}", describe_waiver(waiver)
            )
        yield _BLANK
    if notable := filter_problem_suppressions(evaluation):
        yield _render_heading(f"Suppressions to look at: {len(notable):,}")
        for item in notable:
            place = f"{item.suppression.path}:{item.suppression.line}"
            yield _render_item(f"{place} {item.suppression.name}", item.remark)
        yield _BLANK


def _group_unassessed(evaluation: Evaluation) -> Mapping[str, list[str]]:
    """The ids of the rules that were not decided, by reason: one that many share is said once."""
    by_reason: dict[str, list[str]] = {}
    for item in evaluation.list_unwaived(Verdict.NOT_ASSESSED):
        by_reason.setdefault(item.reasoning, []).append(item.rule.id)
    for omitted in evaluation.omitted:
        by_reason.setdefault(omitted.reason, []).append(omitted.rule.id)
    return by_reason


def _render_heading(text: str, style: str = "bold") -> _TextBlock:
    return _TextBlock(Text(to_terminal_line(text), style=style), fit="whole")


def _render_prose(text: str, style: str = "", indent: int = 0) -> _TextBlock:
    return _TextBlock(Text(to_terminal_line(text), style=style), indent)


def _render_item(name: str, text: str) -> _TextBlock:
    return _TextBlock(
        Text.assemble((to_terminal_line(name), "cyan"), f": {to_terminal_line(text)}"), indent=2
    )


_BLANK = _TextBlock(Text())
