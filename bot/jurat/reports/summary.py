"""The check run's title and summary: what a reviewer reads in ten seconds, then the folded rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from jurat.engine.fix_verifier import list_safe_fixes
from jurat.findings.evaluation import Basis, Conclusion, Evaluation, is_blocking_unassessed
from jurat.findings.finding import Finding, Step, Verdict, WaiverKind
from jurat.findings.verdict import NotAssessedReason, RuleVerdict
from jurat.reports.counts import pluralize
from jurat.reports.limits import CHECK_TEXT, fit
from jurat.reports.markdown import escape_markdown, quote_code, render_details
from jurat.reports.set_aside import format_own, render_suppressions, render_waived
from jurat.rules.level import Level
from jurat.rules.rule import is_grave

_ROWS = 50
"""Findings listed by name; the count of the rest is said."""

BLOCKS_SIGN = "✖"
CONFIRM_SIGN = "⚠"
ADVICE_SIGN = "○"


def render_title(evaluation: Evaluation) -> str:
    """One line for the list of checks."""
    title = _render_title(evaluation)
    if evaluation.override is None:
        return title
    return f"OVERRIDDEN until {evaluation.override.until}: {title[0].lower()}{title[1:]}"


def _render_title(evaluation: Evaluation) -> str:
    if blocking := len(evaluation.blocking):
        return f"{pluralize(blocking, 'rule')} {'blocks' if blocking == 1 else 'block'}"
    if evaluation.rating and evaluation.rating.title:
        return evaluation.rating.title
    open_blocking = sum(map(is_blocking_unassessed, evaluation.rule_verdicts))
    if evaluation.conclusion is Conclusion.ACTION_REQUIRED:
        if evaluation.awaiting or not open_blocking:
            return "Needs confirmation"
        return f"{pluralize(open_blocking, 'blocking rule')} undecided"
    if not evaluation.rule_verdicts:
        return "No rule applies"
    if not evaluation.decided:
        return "No rule was decided"
    if evaluation.unsettled and not evaluation.broken:
        return f"Nothing blocks; {pluralize(len(evaluation.unsettled), 'rule')} undecided"
    if evaluation.conclusion is Conclusion.NEUTRAL:
        return "Nothing blocks; some findings to read"
    passed = f"{pluralize(len(evaluation.list_unwaived(Verdict.ALLOW)), 'rule')} passed"
    waived = len(evaluation.waived)
    return f"{passed}, {waived:,} set aside" if waived else passed


def render_summary(
    evaluation: Evaluation,
    findings: Sequence[Finding],
    promotions: Sequence[str] = (),
    *,
    interactive: bool = True,
) -> str:
    """The check's summary in Markdown, within GitHub's limit.

    `findings` are all of them, in order of weight; those of rules that only observe are folded
    away, with a line of `promotions` for each of these rules, and so are those that do not count.
    `interactive` is whether the check has buttons, and a conversation to give commands in. The
    rating's section and what the conclusion traces back to come last, and whole: what is too long
    is cut above them.
    """
    unwaived = [finding for finding in findings if finding.waiver is None]
    counting = [finding for finding in unwaived if not finding.shadow]
    observed = [finding for finding in unwaived if finding.shadow]
    parts = [
        *_describe_override(evaluation),
        _describe_outcome(evaluation, counting if interactive else ()),
        *list_confirmations(findings),
        *(f"_{escape_markdown(note)}_" for note in evaluation.notes),
        *([_render_findings(counting, evaluation)] if counting else []),
        describe_coverage(evaluation),
        *_iter_gaps(evaluation),
        *_iter_uncounted(evaluation, findings, observed, promotions),
    ]
    if interactive:
        parts.append("Comment `/recheck` to review again, `/jurat help` for more.")
    basis = f"\n\n_{describe_basis(evaluation.basis)}_" if evaluation.basis else ""
    ending = "\n\n_The list is longer than GitHub shows; `jurat review` prints all of it._"
    section = f"\n\n{evaluation.rating.section}" if evaluation.rating else ""
    section += basis
    return fit("\n\n".join(parts), CHECK_TEXT.subtract(section), ending) + section


def _describe_outcome(evaluation: Evaluation, fixable: Sequence[Finding]) -> str:
    """What blocks, what a click mends, and what is left open: the ten seconds of a reader."""
    left_open = describe_open_ends(evaluation)
    rest = f" Left open: {left_open}." if left_open else ""
    return describe_verdict(evaluation, fixable) + rest


def _iter_gaps(evaluation: Evaluation) -> Iterator[str]:
    """What was not looked at, or not decided, folded away."""
    coverage = evaluation.coverage
    for title, ending, files in (
        ("Not read", "", coverage.unread),
        ("Left alone by rules about code", " that nobody writes by hand", coverage.unwritten),
        ("Not all read by rules about code", "", coverage.ungrammared),
    ):
        if files:
            rows = [f"- {quote_code(file.path)}: {escape_markdown(file.reason)}" for file in files]
            yield _render_section(f"{title}: {pluralize(len(rows), 'file')}{ending}", rows)
    if private := evaluation.coverage.private:
        rows = [f"- {quote_code(path)}" for path in private]
        noun = pluralize(len(private), "private file")
        yield _render_section(f"Shown to no model: {noun}", rows)
    if open_rules := list_unassessed(evaluation):
        heading = f"Not assessed: {pluralize(len(open_rules), 'rule')}"
        yield _render_section(heading, _render_reasons(open_rules))
    if unasked := _list_unasked(evaluation):
        heading = f"Not asked here: {pluralize(len(unasked), 'rule')}"
        yield _render_section(heading, _render_reasons(unasked))


def _iter_uncounted(
    evaluation: Evaluation,
    findings: Sequence[Finding],
    observed: Sequence[Finding],
    promotions: Sequence[str],
) -> Iterator[str]:
    """What does not count against the change, folded away: the last of it is what passed."""
    if observed:
        heading = f"Shadow: {pluralize(len(observed), 'finding')} of rules that only observe"
        table = _render_findings(observed, evaluation)
        yield render_details(
            escape(heading), "\n\n".join([table, *(["\n".join(promotions)] if promotions else [])])
        )
    places = [format_location(finding) for finding in findings]
    for section in (render_waived(findings, places), render_suppressions(evaluation)):
        if section is not None:
            yield section
    if passed := evaluation.list_unwaived(Verdict.ALLOW):
        rows = [
            f"- {quote_code(item.rule.id)} {escape_markdown(item.rule.statement)}"
            for item in passed
        ]
        yield _render_section(f"Passed: {pluralize(len(rows), 'rule')}", rows)


def describe_basis(basis: Basis) -> str:
    """By which rules and by which Jurat this was concluded, as a sentence of Markdown."""
    # The whole digest: of two sets of rules, somebody could make a part of it equal.
    read = f" of commit {quote_code(basis.commit[:12])}" if basis.commit else ""
    return (
        f"Judged by the rules and configuration{read}, SHA-256 {quote_code(basis.digest)},"
        f" with Jurat {basis.version}."
    ) + (
        f" Whether there is a {quote_code(basis.unseen)} that requires more cannot be seen from"
        " here: Jurat is installed on chosen repositories, and not on that one."
        if basis.unseen
        else ""
    )


def describe_coverage(evaluation: Evaluation) -> str:
    """What was read and how it was decided, in one sentence."""
    coverage = evaluation.coverage
    computed = sum(item.is_computed for item in evaluation.rule_verdicts)
    calls = sum(model.calls for model in evaluation.models)
    tokens = sum(model.input_tokens + model.output_tokens for model in evaluation.models)
    applied = len(evaluation.rule_verdicts)
    return (
        f"Read {coverage.files_read:,} of {pluralize(coverage.files, 'file')}; "
        f"{applied:,} of {pluralize(coverage.rules_in_force, 'rule')} in force "
        f"{'applies' if applied == 1 else 'apply'}, "
        f"{computed:,} decided without a model; "
        f"{pluralize(calls, 'model call')}, {pluralize(tokens, 'token')}"
        f"{_describe_cost(evaluation)}."
    )


def _describe_cost(evaluation: Evaluation) -> str:
    """What it cost, of the models that have a price."""
    costs = [model.cost for model in evaluation.models if model.cost is not None]
    if not costs:
        return ""
    unpriced = " without models that have no price" if len(costs) < len(evaluation.models) else ""
    return f" for {sum(costs):,.4f}{unpriced}"


def format_location(finding: Finding) -> str:
    """`path:line` of a finding, or what it is about if it has no place."""
    location = finding.location
    if location is None or location.file_path is None:
        return "the change as a whole"
    line = f":{location.start_line}" if location.start_line else ""
    return f"{location.file_path}{line}"


def describe_finding(finding: Finding) -> str:
    """What is wrong at a place, what of the change brought it about if that is elsewhere, and the
    smallest edit that would make it right.
    """
    said = (
        finding.message,
        describe_cause(finding),
        describe_lateness(finding),
        describe_smallest_edit(finding),
    )
    return " ".join(filter(None, said))


def describe_lateness(finding: Finding) -> str:
    """That an earlier push could have been told, and what follows; "" if it is in time."""
    if not finding.late:
        return ""
    advice = ", so it only advises" if finding.judged else ""
    return f"Late: an earlier push held this, and the rule found nothing there{advice}."


def describe_smallest_edit(finding: Finding) -> str:
    """Under which edit the rule would pass; "" if none is known."""
    return f"It would pass {finding.smallest_edit}." if finding.smallest_edit else ""


def describe_norm(finding: Finding) -> str:
    """The rule that is broken; "" if the message says it already."""
    statement = finding.rule.statement
    return "" if statement in finding.message else f"The rule: {statement}"


def describe_way(finding: Finding, quote: Callable[[str], str] = "`{}`".format) -> str:
    """Where a value comes from that does harm at a finding, and the lines it passes; "" if none."""
    steps = finding.location.steps if finding.location else ()
    if not steps:
        return ""
    first, *rest = steps
    passed = [step for step in rest if (step.line, step.path) != (first.line, first.path)]
    lines = list(dict.fromkeys(_write_line(step, quote) for step in passed))
    way = f", and goes by line {', '.join(lines)}" if lines else ""
    return f"The value comes from {quote(first.text)} at line {_write_line(first, quote)}{way}."


def _write_line(step: Step, quote: Callable[[str], str]) -> str:
    return f"{step.line} of {quote(step.path)}" if step.path else str(step.line)


def describe_cause(finding: Finding, quote: Callable[[str], str] = "`{}`".format) -> str:
    """What of the change brought a finding about that it does not stand at; "" if nothing did."""
    cause = finding.location.cause if finding.location else None
    if cause is None:
        return ""
    if cause.safeguard:
        since = f", there since {cause.since}" if cause.since else ""
        return f"This removed what kept {quote(finding.rule.id)} true here{since}."
    return f"The code is old: what brought this about is the change at line {cause.line}."


def describe_level(finding: Finding) -> str:
    """Why what a grave rule found blocks, or does not, if that was measured; else ""."""
    rule = finding.rule
    enforced = rule.enforcement
    measured = rule.merit is not None and rule.merit.is_decided
    failed = rule.trial is not None and rule.trial.is_failed
    grave = (measured or failed) and is_grave(rule)
    if not grave or not enforced.reason or finding.level is not enforced.level:
        return ""
    word = {Level.BLOCK: "It blocks", Level.WARN: "It only advises"}.get(finding.level)
    return f"{word}: {enforced.reason}." if word else ""


def describe_verdict(evaluation: Evaluation, fixable: Sequence[Finding]) -> str:
    """What was decided, and what one click of the check's button mends."""
    blocking, unsure = len(evaluation.blocking), len(evaluation.awaiting)
    parts = []
    if blocking:
        verb = "blocks" if blocking == 1 else "block"
        places = sum(finding.blocks for finding in evaluation.findings)
        places += sum(item.unlisted_count for item in evaluation.blocking)
        at = f" at {pluralize(places, 'place')}" if places > blocking else ""
        parts.append(f"**{pluralize(blocking, 'rule')} {verb} this change{at}.**")
    if unsure:
        verb = "needs" if unsure == 1 else "need"
        parts.append(f"**{pluralize(unsure, 'rule')} {verb} a person's confirmation.**")
    if evaluation.rating and evaluation.rating.title:
        parts.append(f"**{escape_markdown(evaluation.rating.title)}.**")
    left_open = [item for item in evaluation.unsettled if is_blocking_unassessed(item)]
    if left_open and evaluation.conclusion.blocks:
        was = "was" if len(left_open) == 1 else "were"
        parts.append(
            f"**{pluralize(len(left_open), 'blocking rule')} {was} not decided, so this does not"
            f" pass.**{_explain_undecided(left_open)}"
        )
    if not parts:
        parts.append("**Nothing blocks this change.**")
    if advising := len(evaluation.advising):
        parts.append(
            f"{pluralize(advising, 'rule')} {'gives' if advising == 1 else 'give'} advice."
        )
    if late := sum(item.late and item.waiver is None for item in evaluation.findings):
        verb = "is" if late == 1 else "are"
        parts.append(f"{pluralize(late, 'finding')} {verb} late: an earlier push held the same.")
    parts += _describe_fixes(fixable)
    return " ".join(parts)


def _describe_fixes(fixable: Sequence[Finding]) -> list[str]:
    """What the button commits, and how many fixes held that a person should look at first."""
    safe = set(list_safe_fixes(fixable))
    counting = [item.fix for item in fixable if not item.shadow and item.waiver is None]
    looked = len({fix for fix in counting if fix and fix.is_verified} - safe)
    said = []
    if safe:
        checked = pluralize(len(safe), "checked fix", "checked fixes")
        said.append(f"The button _Apply fixes_ commits {checked}.")
    if looked:
        more = f"{looked:,} more" if safe else pluralize(looked, "checked fix", "checked fixes")
        said.append(f"{more} {'wants' if looked == 1 else 'want'} a look first.")
    return said


def describe_open_ends(evaluation: Evaluation, uncommented: int = 0) -> str:
    """What has no comment, no answer or was not read, counted in a sentence; "" if nothing."""
    counts = (
        (uncommented, "more finding", "without a comment"),
        (len(list_unassessed(evaluation)), "rule", "not assessed"),
        (len(evaluation.coverage.unread), "file", "not read"),
        (len(evaluation.coverage.ungrammared), "file", "not all read by rules about code"),
    )
    return ", ".join(f"{pluralize(count, noun)} {what}" for count, noun, what in counts if count)


def _explain_undecided(left_open: Sequence[RuleVerdict]) -> str:
    """What to do about rules that wait for a judge that nobody has configured."""
    if all(item.gap is not NotAssessedReason.NO_MODEL for item in left_open):
        return ""
    they, them = ("It waits", "it") if len(left_open) == 1 else ("They wait", "them")
    return (
        f" {they} for a model: whoever runs Jurat sets GEMINI_API_KEY or JURAT_MODELS, or the"
        f" base's configuration says `judge: none`, which puts {them} out of force."
    )


def _render_findings(findings: Sequence[Finding], evaluation: Evaluation) -> str:
    # A list, as a phone would have to scroll a table sideways.
    # Rows are the longest part: unbounded, the cut below would take coverage and what was not read.
    rows = []
    for finding in findings[:_ROWS]:
        asks = CONFIRM_SIGN if finding.awaits_confirmation else ADVICE_SIGN
        sign = BLOCKS_SIGN if finding.blocks else asks
        place = quote_code(format_location(finding)) if finding.path else format_location(finding)
        where = " · ".join((place, quote_code(finding.rule.id), quote_code(finding.short)))
        said = escape_markdown(describe_finding(finding))
        rows.append(f"- {sign} **{finding.rule.severity}** {said}<br>{where}")
    listed = {finding.rule.id for finding in findings}
    further = sum(
        item.unlisted_count for item in evaluation.rule_verdicts if item.rule.id in listed
    )
    if rest := max(len(findings) - _ROWS, 0) + further:
        rows.append(f"\n…and {pluralize(rest, 'more finding')}.")
    return "\n".join(rows)


_UNASKED = (NotAssessedReason.OVERRIDDEN, NotAssessedReason.NOT_IN_FORCE)
"""Of these nobody waits for an answer: another rule has it, or the configuration wants none."""


def list_unassessed(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    """The rules that have no answer and want one, each with the reason."""
    unassessed = evaluation.list_unwaived(Verdict.NOT_ASSESSED)
    return (
        *((item.rule.id, item.reasoning) for item in unassessed if item.gap not in _UNASKED),
        *((item.rule.id, item.reason) for item in evaluation.omitted),
    )


def _list_unasked(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    unassessed = evaluation.list_unwaived(Verdict.NOT_ASSESSED)
    return tuple((item.rule.id, item.reasoning) for item in unassessed if item.gap in _UNASKED)


def _render_reasons(rules: Sequence[tuple[str, str]]) -> list[str]:
    return [f"- {quote_code(rule_id)}: {escape_markdown(reason)}" for rule_id, reason in rules]


def _render_section(heading: str, rows: Sequence[str]) -> str:
    return render_details(escape(heading), "\n".join(rows))


def _describe_override(evaluation: Evaluation) -> list[str]:
    """Who lets this commit pass, ahead of everything else; nothing if nobody does."""
    override = evaluation.override
    if override is None:
        return []
    own = " (an author of the change)" if override.own else ""
    return [
        f"## ⚠ Overridden by {quote_code(override.by)}{own} until {override.until}\n\n"
        f"{escape_markdown(override.why)}\n\n"
        f"By its rules this commit is a **{evaluation.conclusion.replace('_', ' ')}**, and is on"
        " record as one. The override holds for this commit alone, and ends with the day in UTC."
    ]


def list_confirmations(findings: Sequence[Finding]) -> list[str]:
    """Who confirmed what this change needed a person for, one line a reason."""
    waivers = [finding.waiver for finding in findings if finding.waiver]
    lines = [
        f"**Confirmed by {quote_code(waiver.by)}{format_own(waiver)}:**"
        f" {escape_markdown(waiver.why)}"
        for waiver in waivers
        if waiver.kind is WaiverKind.CONFIRMED
    ]
    return list(dict.fromkeys(lines))
