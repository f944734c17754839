"""The check run's title and summary: what a reviewer reads in ten seconds, then the folded rest."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bot.publishing.buttons import safe_fixes
from bot.publishing.findings import Finding
from bot.publishing.markdown import bounded, code_span, details, plain
from bot.publishing.waived import confirmed_lines, suppressions_section, waived_section
from bot.verdicts import Conclusion, DecidedBy, Evaluation, Verdict

SUMMARY_LIMIT = 65_535
"""Characters in a check run's summary, by GitHub's API."""

_ROWS = 50
"""Findings listed in the table; the count of the rest is said."""


def title(evaluation: Evaluation, conclusion: Conclusion) -> str:
    """One line for the list of checks."""
    broken = len(evaluation.having(Verdict.DENY))
    if broken:
        return f"{counted(broken, 'rule')} broken"
    if conclusion is Conclusion.ACTION_REQUIRED:
        return "Needs confirmation"
    if not evaluation.rule_verdicts:
        return "No rule applies"
    if conclusion is Conclusion.NEUTRAL:
        return "Nothing blocks; some findings to read"
    passed = f"{counted(len(evaluation.having(Verdict.ALLOW)), 'rule')} passed"
    waived = len(evaluation.waived)
    return f"{passed}, {waived:,} set aside" if waived else passed


def summary(
    evaluation: Evaluation,
    findings: Sequence[Finding],
    promotions: Sequence[str] = (),
    *,
    interactive: bool = True,
) -> str:
    """The check's summary in Markdown, within GitHub's limit.

    `findings` are all of them, in order of weight; those of experimental rules are folded away,
    with a line of `promotions` for each of these rules, and so are those that do not count.
    `interactive` is whether the check has buttons, and a conversation to give commands in.
    """
    standing = [finding for finding in findings if finding.waiver is None]
    counting = [finding for finding in standing if not finding.verdict.shadow]
    observed = [finding for finding in standing if finding.verdict.shadow]
    parts = [
        _verdict_line(evaluation, counting if interactive else ()),
        *confirmed_lines(findings),
        *(f"_{plain(note)}_" for note in evaluation.notes),
    ]
    if counting:
        parts.append(_table(counting))
    parts.append(coverage_line(evaluation))
    if evaluation.coverage.unread:
        rows = [
            f"- {code_span(file.path)}: {plain(file.reason)}" for file in evaluation.coverage.unread
        ]
        parts.append(_section(f"Not read: {counted(len(rows), 'file')}", rows))
    if rows := _unassessed(evaluation):
        parts.append(_section(f"Not assessed: {counted(len(rows), 'rule')}", rows))
    if observed:
        heading = f"Shadow: {counted(len(observed), 'finding')} of experimental rules, none blocks"
        told = ["\n".join(promotions)] if promotions else []
        parts.append(details(escape(heading), "\n\n".join([_table(observed), *told])))
    if (
        waived := waived_section(findings, [place_of(finding) for finding in findings])
    ) is not None:
        parts.append(waived)
    if (suppressions := suppressions_section(evaluation)) is not None:
        parts.append(suppressions)
    if passed := evaluation.having(Verdict.ALLOW):
        rows = [f"- {code_span(item.rule.id)} {plain(item.rule.statement)}" for item in passed]
        parts.append(_section(f"Passed: {counted(len(rows), 'rule')}", rows))
    if interactive:
        parts.append("Comment `/recheck` to review again, `/bylaw help` for more.")
    ending = "_The list is longer than GitHub shows; `bylaw review` prints all of it._"
    return bounded("\n\n".join(parts), SUMMARY_LIMIT, ending)


def coverage_line(evaluation: Evaluation) -> str:
    """What was read and how it was decided, in one sentence."""
    coverage = evaluation.coverage
    computed = sum(
        item.decided_by in (DecidedBy.DETERMINISTIC, DecidedBy.PATTERN)
        for item in evaluation.rule_verdicts
    )
    calls = sum(model.calls for model in evaluation.models)
    tokens = sum(model.input_tokens + model.output_tokens for model in evaluation.models)
    return (
        f"Read {coverage.files_read:,} of {counted(coverage.files, 'file')}; "
        f"{len(evaluation.rule_verdicts):,} of {counted(coverage.rules_in_force, 'rule')} in force "
        f"{'applies' if len(evaluation.rule_verdicts) == 1 else 'apply'}, "
        f"{computed:,} decided without a model; "
        f"{counted(calls, 'model call')}, {counted(tokens, 'token')}."
    )


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 rule`, `2 rules`, `6,210 tokens`; `plural` where it does not end in a mere s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def place_of(finding: Finding) -> str:
    """`path:line` of a finding, or what it is about where it has no place."""
    location = finding.location
    if location is None or location.file_path is None:
        return "the change as a whole"
    line = f":{location.start_line}" if location.start_line else ""
    return f"{location.file_path}{line}"


def _verdict_line(evaluation: Evaluation, fixable: Sequence[Finding]) -> str:
    """What was decided, and what one click of the check's button mends."""
    broken = len(evaluation.having(Verdict.DENY))
    unsure = sum(not item.shadow for item in evaluation.having(Verdict.NEEDS_CONFIRMATION))
    parts = []
    if broken:
        verb = "blocks" if broken == 1 else "block"
        parts.append(f"**{counted(broken, 'rule')} {verb} this change.**")
    if unsure:
        verb = "needs" if unsure == 1 else "need"
        parts.append(f"**{counted(unsure, 'rule')} {verb} a person's confirmation.**")
    if not parts:
        parts.append("**Nothing blocks this change.**")
    if fixes := len(safe_fixes(fixable)):
        checked = counted(fixes, "checked fix", "checked fixes")
        parts.append(f"The button _Apply fixes_ commits {checked}.")
    return " ".join(parts)


def _table(findings: Sequence[Finding]) -> str:
    # One wide column, so that a phone need not scroll sideways.
    rows = ["| | Finding |", "|---|---|"]
    for finding in findings[:_ROWS]:
        verdict = finding.verdict
        sign = "🛑" if verdict.verdict is Verdict.DENY else "⚠️"
        what = verdict.issue or verdict.reasoning
        place = code_span(place_of(finding)) if finding.path else place_of(finding)
        rule = f"{code_span(verdict.rule.id)} {verdict.rule.severity}"
        where = " · ".join((place, rule, code_span(finding.short)))
        rows.append(f"| {sign} | {_cell(plain(what))}<br>{_cell(where)} |")
    further = sum({item.verdict.rule.id: item.verdict.further for item in findings}.values())
    if rest := max(len(findings) - _ROWS, 0) + further:
        rows.append(f"\n…and {counted(rest, 'more finding')}.")
    return "\n".join(rows)


def _cell(markdown: str) -> str:
    """A bar ends a table's cell even inside a code span, unless it is escaped."""
    return markdown.replace("\\|", "|").replace("|", "\\|")


def _unassessed(evaluation: Evaluation) -> list[str]:
    skipped: list[tuple[str, str]] = [
        (item.rule.id, item.reasoning) for item in evaluation.having(Verdict.NOT_ASSESSED)
    ]
    skipped += [(item.rule.id, item.reason) for item in evaluation.omitted]
    return [f"- {code_span(rule_id)}: {plain(reason)}" for rule_id, reason in skipped]


def _section(heading: str, rows: Sequence[str]) -> str:
    return details(escape(heading), "\n".join(rows))
