"""A probe as a review sees it: a rule, a change with its author's description, and the answer."""

from __future__ import annotations

from hashlib import sha256

from bot.corpus.rule import Modality, Rule, RuleKind, Severity
from bot.judgment.replies import Answer, Finding, Unreadable
from bot.probes.probe import Probe
from bot.subjects.assembly import assemble
from bot.subjects.context import EvaluationContext
from bot.subjects.diff import parse_diff
from bot.subjects.kinds import SubjectKind
from bot.subjects.parsing import in_process

_CHANGE = "diff --git "


def rule_of(probe: Probe) -> Rule:
    """The rule that the judge is asked about. Its id gives away nothing of what is probed."""
    word = sha256(probe.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Rule(
        id=f"house.rule-{word}",
        statement=probe.task,
        kind=RuleKind.NORMATIVE,
        modality=Modality.MUST,
        severity=Severity[probe.severity.name],
    )


def context_of(probe: Probe) -> EvaluationContext:
    """What is reviewed: the change, or, where the input holds none, its text as a document."""
    description, change = split(probe.input)
    if not change:
        facts = {"text": probe.input}
        return assemble(parse_diff(b""), facts=facts, kind=SubjectKind.DOCUMENT)
    diff = parse_diff(change.encode("utf-8", "surrogatepass"))
    return assemble(diff, intent=description, parse_map=in_process)


def split(text: str) -> tuple[str, str]:
    """The author's description and the diff in an input; the latter is "" where there is none."""
    lines = text.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if line.startswith(_CHANGE)), len(lines))
    return "".join(lines[:start]).strip(), "".join(lines[start:])


def response_of(answer: Answer | Unreadable | None) -> str:
    """What the judge said of its rule, as text. Its quotes stand behind >, as in Markdown."""
    if answer is None:
        return "(The judge left the rule out.)"
    if isinstance(answer, Unreadable):
        return f"(The judge's answer cannot be read: {answer.reason}.)"
    lines = [f"Verdict: {answer.verdict.value} (confidence {answer.confidence:g})"]
    lines.append(f"Reasoning: {answer.reasoning}")
    for finding in answer.findings:
        lines += _quoted(finding)
    if answer.issue:
        lines.append(f"Issue: {answer.issue}")
    if answer.fix_suggestion:
        lines.append(f"Fix: {answer.fix_suggestion}")
    return "\n".join(lines)


def _quoted(finding: Finding) -> list[str]:
    lines = [f"> {finding.source}: {line}" for line in finding.quote.split("\n")]
    if finding.fix is not None:
        lines.append(f"Replacement ({finding.fix.type}): {finding.fix.replacement}")
    return lines
