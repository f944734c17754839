"""The inline comment of one finding: its text, the lines that it stands on, and its hidden marker.

An anchor is the range of lines of the head that a comment hangs on; GitHub takes none outside the
hunks. The marker tells by which finding a comment was made, so that it is found again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from jurat.findings.finding import Finding, Fix, Verdict, Waiver, WaiverKind
from jurat.findings.verdict import DecidedBy, RuleVerdict
from jurat.reports.counts import pluralize
from jurat.reports.limits import COMMENT_BODY, Limit, fit
from jurat.reports.markdown import escape_markdown, quote_code, render_details, render_fence
from jurat.reports.set_aside import render_waiver
from jurat.reports.summary import (
    ADVICE_SIGN,
    BLOCKS_SIGN,
    CONFIRM_SIGN,
    describe_cause,
    describe_lateness,
    describe_level,
    describe_smallest_edit,
    describe_way,
)
from jurat.rules.level import Level
from jurat.source.diff import FileChange, Hunk

State = Literal["open", "fixed", "waived"]

_MARKER = re.compile(
    r"^<!-- jurat:finding id=(?P<id>[0-9a-f]{16}) code=(?P<code>[0-9a-f]{16})"
    r" rule=(?P<rule>[A-Za-z0-9._-]+) state=(?P<state>open|fixed|waived) -->\s*$"
    # The last marker only: a person may quote a comment of ours above it.
    r"(?!.*^<!-- jurat:)",
    re.MULTILINE | re.DOTALL,
)
_REFERENCE = re.compile(r"(?:(?P<name>.+): )?(?P<url>https://[\w.~/#?&=%+-]+)", re.ASCII)
_CONVERSATION = re.compile(r"/(?:issues|pulls?|discussions|commit)/\w")
"""In an address: GitHub tells whoever follows what is there of each comment that links it."""

_STATUS_LINE = re.compile(r"\A> (?:✔|↻|⊘) [^\n]*\n\n")
# Signs of plain text: coloured ones are empty boxes to whoever has no font of emoji.
_BLOCKS = f"{BLOCKS_SIGN} **Blocks** ·"
_NEEDS_CONFIRMATION = f"{CONFIRM_SIGN} **Needs confirmation** ·"
_ADVICE = f"{ADVICE_SIGN} **Advice** ·"
_PAST = {
    _BLOCKS: "**Blocked** ·",
    _NEEDS_CONFIRMATION: "**Needed confirmation** ·",
    _ADVICE: "**Advised** ·",
}
"""How a comment begins while its finding counts, and once it does not."""

_HOW_TO_DISMISS = " It does not apply here? Answer with `/jurat dismiss` and the reason.</sub>"
_AND_SO_ON = "\n\n…"
_FOOTER = re.compile(r"\n<sub>Finding `[0-9a-f]+`\.</sub>\Z")


@dataclass(frozen=True, slots=True)
class CommentMarker:
    """What a comment says of itself to the bot: a line of its own, the last that the bot wrote."""

    fingerprint: str
    code_print: str
    rule_id: str
    state: State

    def __str__(self) -> str:
        return (
            f"<!-- jurat:finding id={self.fingerprint} code={self.code_print}"
            f" rule={self.rule_id} state={self.state} -->"
        )


def parse_marker(body: str) -> CommentMarker | None:
    """The marker of a comment of ours; None if it is about no finding.

    People may have written below it. A quotation of one of our comments is not one.
    """
    match = _MARKER.search(body)
    if match is None:
        return None
    state = cast("State", match["state"])
    return CommentMarker(match["id"], match["code"], match["rule"], state)


def render_comment(
    finding: Finding, verdict: RuleVerdict, anchor: CommentAnchor | None, *, suggest: bool = True
) -> str:
    """The body of the comment on one of the verdict's findings.

    Its fix is a suggestion if `anchor` and `suggest` allow it.
    """
    parts = [render_headline(finding), render_norm(finding)]
    if about := _describe_anchor(finding, anchor):
        parts.append(about)
    fix = finding.fix
    # A suggestion is one click: only what was tried, and only on exactly the lines it replaces.
    if fix and fix.is_verified and anchor and anchor.suggestible and suggest:
        parts.append(
            render_fence(fix.replacement, "suggestion") if fix.replacement else _render_deletion()
        )
        looked = (describe_fix_check(fix), escape_markdown(describe_caution(fix)))
        parts.append(" ".join(filter(None, looked)))
    elif fix:
        parts.append(f"{_explain_by_hand(fix)}\n\n{render_fix_diff(fix)}")
        parts.append(escape_markdown(describe_smallest_edit(finding)))
    else:
        parts.append(_describe_way_out(finding, verdict))
    parts.append(
        render_details("Why, and how this was decided", render_explanation(finding, verdict))
    )
    parts.append(f"<sub>Finding {quote_code(finding.short)}.{_HOW_TO_DISMISS}")
    marker = CommentMarker(finding.id, finding.code_id, finding.rule.id, "open")
    end = f"\n\n{marker}"
    # Room for the marker: cut off with the rest, the next push would post the finding again.
    ending = "\n\n_The rest was too long to show._"
    return fit("\n\n".join(filter(None, parts)), COMMENT_BODY.subtract(end), ending) + end


def _describe_way_out(finding: Finding, verdict: RuleVerdict) -> str:
    """What to do about a finding without a fix, and the smallest edit that was seen to help."""
    todo = f"To fix it: {verdict.fix_suggestion}" if verdict.fix_suggestion else ""
    edit = describe_smallest_edit(finding)
    return " ".join(escape_markdown(text) for text in (todo, edit) if text)


def render_headline(finding: Finding) -> str:
    """One line: whether it keeps the check from passing, and what is wrong."""
    word = _ADVICE
    if finding.level is Level.BLOCK:
        word = _BLOCKS if finding.outcome is Verdict.DENY else _NEEDS_CONFIRMATION
    return f"{word} {escape_markdown(finding.message)}"


def render_norm(finding: Finding) -> str:
    """One line: how grave it is, by which rule, and what that says unless it was said."""
    statement = finding.rule.statement
    named = f"**{finding.rule.severity}** · {quote_code(finding.rule.id)}"
    said = statement in finding.message
    return named if said else f"{named} · {escape_markdown(statement)}"


def render_fix_diff(fix: Fix) -> str:
    """A fix that cannot be a button, as a fenced diff."""
    removed = [f"-{line}" for line in fix.original.splitlines()]
    added = [f"+{line}" for line in fix.replacement.splitlines()]
    return render_fence("\n".join(removed + added), "diff")


def describe_fix_check(fix: Fix) -> str:
    """What a fix was put through before it was offered; empty if it did not hold."""
    if fix.verification is None or fix.verification.problem:
        return ""
    parses = "parses, " if fix.verification.parsed else ""
    return f"Checked: {parses}{pluralize(fix.verification.rules, 'rule')} re-run."


def describe_caution(fix: Fix) -> str:
    """What to think of before a fix is applied; empty if there is nothing."""
    if fix.consequence:
        return f"It changes behaviour on purpose. {fix.consequence}"
    if fix.auto_applicable:
        return ""
    return "Look before you apply it: it may change more than it should."


def _explain_by_hand(fix: Fix) -> str:
    """Why a fix is shown as advice."""
    if fix.verification is None or not fix.verification.problem:
        return "Suggested change, to be made by hand:"
    return f"Suggested change, to be made by hand ({escape_markdown(fix.verification.problem)}):"


def describe_decision(verdict: RuleVerdict) -> str:
    """How the verdict came about, in a few words."""
    if verdict.is_computed:
        return "Computed, without a model"
    if verdict.decided_by is DecidedBy.NOBODY:
        return "Not decided"
    model = quote_code(verdict.model_id) if verdict.model_id else "a model"
    remembered = ", remembered from an earlier review" * (verdict.decided_by is DecidedBy.LEDGER)
    return f"Judged by {model}{remembered}"


def with_state(
    body: str, marker: CommentMarker, state: Literal["open", "fixed"], commit: str
) -> str:
    """The same comment after its finding was fixed in, or came back with, `commit`.

    What the comment said stays below, in the past tense while it does not hold.
    """
    status = f"✔ Fixed in {commit}." if state == "fixed" else f"↻ Back again in {commit}."
    return _restate(body, marker, state, status)


def with_waiver(body: str, marker: CommentMarker, waiver: Waiver) -> str:
    """The same comment after its finding was found not to count."""
    sign = "✔" if waiver.kind is WaiverKind.CONFIRMED else "⊘"
    waiver_text = render_waiver(waiver)
    return _restate(body, marker, "waived", f"{sign} {waiver_text[0].upper()}{waiver_text[1:]}")


def _restate(body: str, marker: CommentMarker, state: State, status: str) -> str:
    body, written = _split_body(body)
    said = _STATUS_LINE.sub("", f"{body}\n").strip()
    said = _restore_text(said) if state == "open" else _strike_text(said)
    end = f"\n\n{CommentMarker(marker.fingerprint, marker.code_print, marker.rule_id, state)}"
    if written:
        end += "\n\n" + fit(written, Limit(COMMENT_BODY.size // 2), _AND_SO_ON)
    # A dismissal's reason comes on top of a body that may be as long as GitHub takes.
    room = COMMENT_BODY.subtract(end)
    line = Limit(max(room.subtract(said, "> \n\n").size, 60))
    return fit(f"> {fit(status, line)}\n\n{said}", room, _AND_SO_ON) + end


def _split_body(body: str) -> tuple[str, str]:
    """What stands above the marker, and what a person wrote below it."""
    if "\n" not in body.replace("\r\n", ""):
        body = body.replace("\r\n", "\n")  # as a browser sends what was edited there
    match = _MARKER.search(body)
    return (body[: match.start()].rstrip(), body[match.end() :].strip()) if match else (body, "")


def _strike_text(said: str) -> str:
    """The text once its finding does not count: nothing blocks, and nothing is to be dismissed."""
    for now, then in _PAST.items():
        if said.startswith(now):
            said = then + said.removeprefix(now)
    if said.endswith(_HOW_TO_DISMISS):
        said = f"{said.removesuffix(_HOW_TO_DISMISS)}</sub>"
    return said


def _restore_text(said: str) -> str:
    """The text as it was first posted."""
    for now, then in _PAST.items():
        if said.startswith(then):
            said = now + said.removeprefix(then)
    if _FOOTER.search(said):
        said = said.removesuffix("</sub>") + _HOW_TO_DISMISS
    return said


def _describe_anchor(finding: Finding, anchor: CommentAnchor | None) -> str:
    """What brought the finding about, and where it stands, if that is not where the comment is."""
    said = [
        describe_cause(finding, quote_code),
        describe_way(finding, quote_code),
        describe_lateness(finding),
    ]
    location = finding.location
    if anchor and location and location.start_line:
        last = location.end_line or location.start_line
        if anchor.end_line < location.start_line or last < anchor.start_line:
            said.append(f"It stands at line {location.start_line}.")
    return " ".join(filter(None, said))


def _render_deletion() -> str:
    # An empty suggestion block deletes the lines it stands on.
    return "```suggestion\n```"


def render_explanation(finding: Finding, verdict: RuleVerdict) -> str:
    """Why the rule is one, how it was decided, and where to read on."""
    rule = verdict.rule
    parts = [escape_markdown(rule.rationale)]
    # Of what is computed, the message says all there is; the reasoning is that of all its places.
    if not verdict.is_computed and verdict.reasoning != finding.message:
        parts.append(escape_markdown(verdict.reasoning))
    if verdict.note:
        parts.append(escape_markdown(verdict.note))
    if rule.exceptions:
        parts.append(f"The rule allows exceptions: {escape_markdown('; '.join(rule.exceptions))}")
    parts.append(
        f"{describe_decision(verdict)}; confidence {verdict.confidence:.2f}."
        f" The rule says {rule.modality.replace('_', ' ')}."
    )
    if level := describe_level(finding):
        parts.append(escape_markdown(level))
    if rule.references:
        parts.append("\n".join(f"- {_render_reference(text)}" for text in rule.references))
    return "\n\n".join(part for part in parts if part)


def _render_reference(text: str) -> str:
    """A reference; its https address, alone or behind "name: ", is a link, all else is text.

    So is the address of a conversation, in which every finding would be mentioned.
    """
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return escape_markdown(text)
    if _CONVERSATION.search(match["url"]):
        return quote_code(text)
    return (
        f"[{escape_markdown(match['name'])}]({match['url']})"
        if match["name"]
        else f"<{match['url']}>"
    )


# Where a finding is shown: decided from the diff before anything is written.
#
# GitHub refuses a whole review when one comment's line lies outside a hunk, and does not say which.


@dataclass(frozen=True, slots=True)
class CommentAnchor:
    """A range of head lines that lies inside one hunk.

    `suggestible`: it is the range of a fix that was tried and held.
    """

    start_line: int
    end_line: int
    suggestible: bool


def anchor_comment(finding: Finding, files: Mapping[str, FileChange]) -> CommentAnchor | None:
    """The range to comment on, or None if the finding is no part of the diff's head side.

    The range of a fix that held comes first, so that its suggestion replaces just those lines;
    then the finding's range; then the first added line inside it, such as for a long function; then
    the shown line that is nearest to what brought the finding about.
    """
    location = finding.location
    if location is None or location.file_path is None or location.start_line is None:
        return None
    file = files.get(location.file_path)
    if file is None or file.unread is not None:
        return None
    end_line = location.end_line or location.start_line
    fix = finding.fix
    if (
        fix
        and fix.is_verified
        and fix.start_line
        and fix.end_line
        and _is_inside(file, fix.start_line, fix.end_line)
    ):
        return CommentAnchor(fix.start_line, fix.end_line, suggestible=True)
    if _is_inside(file, location.start_line, end_line):
        return CommentAnchor(location.start_line, end_line, suggestible=False)
    # A range across two hunks is refused by GitHub; a line of it that was added is in one for sure.
    touched = sorted(line for line in file.added_lines if location.start_line <= line <= end_line)
    if touched:
        return CommentAnchor(touched[0], touched[0], suggestible=False)
    nearest = _find_nearest(file, location.cause.line) if location.cause else None
    return CommentAnchor(nearest, nearest, suggestible=False) if nearest else None


def _find_nearest(file: FileChange, line: int) -> int | None:
    """The head line nearest to another that the diff shows, such as beside lines that are gone."""
    visible = [item.new for hunk in file.hunks for item in hunk.lines if item.new is not None]
    return min(visible, key=lambda number: abs(number - line), default=None)


def _is_inside(file: FileChange, start: int, end: int) -> bool:
    return any(_is_within(hunk, start, end) for hunk in file.hunks)


def _is_within(hunk: Hunk, start: int, end: int) -> bool:
    return hunk.new_start <= start and end < hunk.new_start + hunk.new_length
