"""The audit explanation: what a person reads to check a result rule by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.rationale.checklist import ChecklistRule, RuleResult, RuleSet

_LONGEST = 160
_LONGEST_SOURCE = 1_000
"""Characters of a piece of evidence, and of a rule's sources, that are shown."""


def explain(
    rule_set: RuleSet,
    sub_scores: Mapping[str, float],
    quality: float,
    results: Sequence[RuleResult],
    *,
    flagged: bool,
    floors: Mapping[str, float] | None,
) -> str:
    """The explanation of one result, as lines without a last newline.

    `floors` are the thresholds that the flag was decided by, None where a predicate of the
    caller's own decided. Evidence is shown with every character visible, on one line.
    """
    lines = [
        f"Ruleset: {visible(rule_set.name)}",
        f"Result: {'FLAGGED' if flagged else 'PASS'} (quality {quality:.4f})",
        *_reasons(sub_scores, floors, flagged=flagged),
    ]
    by_name: dict[str, list[str]] = {name: [] for name in sub_scores}
    others: list[str] = []
    for rule, result in zip(rule_set.rules, results, strict=True):
        by_name.get(rule.sub_score, others).append(_of_rule(rule, result, rule_set.provenance))
    for name, value in sub_scores.items():
        lines += ["", f"{visible(name)} {value}", *by_name[name]]
    if others:
        lines += ["", "Not counted, being of no sub-score of this set:", *others]
    return "\n".join(lines)


def _reasons(
    sub_scores: Mapping[str, float], floors: Mapping[str, float] | None, *, flagged: bool
) -> Iterator[str]:
    if floors is None:
        yield "Flagged or not by a predicate of the set's own."
        return
    if flagged:
        low = [
            f"{visible(name)} {sub_scores.get(name, 0.0)} is below {floor}"
            for name, floor in floors.items()
            if sub_scores.get(name, 0.0) < floor
        ]
        yield f"Flagged because {', '.join(low)}."
    thresholds = ", ".join(f"{visible(name)} {floor}" for name, floor in floors.items())
    yield f"Thresholds, flagged below: {thresholds or 'none'}."


def _of_rule(rule: ChecklistRule, result: RuleResult, provenance: Mapping[str, str] | None) -> str:
    """The lines of one rule, without a last newline."""
    source = rule.citation if provenance is None else provenance.get(rule.id, "")
    title, cited = _fixed(rule.id, rule.description, source)
    said = f': "{visible(result.evidence_span)}"' if result.evidence_span else ""
    mark = "+" if result.matched else "-"
    return f"  {mark} {rule.weight} {title}\n      {visible(result.explanation)}{said}{cited}"


@lru_cache(maxsize=1024)
def _fixed(rule_id: str, description: str, source: str) -> tuple[str, str]:
    """What a rule's lines say in every explanation: its title, and a line on where it is from."""
    cited = f"\n      Source: {visible(source, _LONGEST_SOURCE)}" if source else ""
    return f"[{visible(rule_id)}] {visible(description)}", cited


def visible(text: str, longest: int = _LONGEST) -> str:
    """Text of unknown origin on one line: bounded, and no character in it does anything."""
    if len(text) > longest:
        text = f"{text[:longest]}…"
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() else " " if mark.isspace() else f"U+{ord(mark):04X}"
        for mark in text
    )
