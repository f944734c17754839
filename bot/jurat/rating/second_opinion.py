"""A model's second verdict on ambiguous clauses, over the lines around their evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from jurat.facts.context import EvaluationContext, Mode, Subject, SubjectKind
from jurat.findings.model_usage import CallPurpose
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.call_record import CallRecord
from jurat.judge.protocol import AnswerCache, Judge, JudgmentOptions
from jurat.rating.held import BY_CODE_ALONE, RepositoryScan
from jurat.rating.pack import Regulation
from jurat.rating.rating import ClauseRating, Rating, to_partial
from jurat.rating.scale import ClauseVerdict, is_ambiguous, to_ordinal
from jurat.rating.signals.evidence import SignalEvidence, Signals
from jurat.rating.signals.worktree import FileEntry, Worktree
from jurat.rules.rule import Modality, Rule, RuleKind, Severity
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.source.diff_parser import decode_text
from jurat.source.languages import detect_language
from jurat.source.paths import match_glob

PLACES_A_RULE = 6
"""Places that are shown of each rule: those of one never crowd out another's."""
PLACES_A_SIGNAL = 2
PLACES_THAT_CARRY = 24
"""Lines that carry a verdict: all of them are shown, or the verdict is not lifted."""
_WHERE_IT_ACTS = ("model_usage", "machine_learning", "tool_use", "content_generation")
"""Signals of the places at which a system does what it is for."""
_AROUND = 8
"""Lines shown before and behind a place that stands in no function, or in a long one."""
_FUNCTION_LINES = 60
"""Lines of a function that is shown in the whole."""

Span = tuple[int, int]


def build_chunks(
    rated: ClauseRating, signals: Signals, worktree: Worktree, private: Sequence[str] = ()
) -> tuple[FileChange, ...]:
    """The files that speak for or against a clause, as runs of lines that stand there.

    If a rule gave no evidence, the clause's signals still say where to look. A file that cannot
    be read any more is `unread`; one that fits a glob in `private` is that, and has no lines.
    """
    places = [
        *_list_carrying(rated),
        *(item for scored in rated.rules for item in scored.evidence[:PLACES_A_RULE]),
        *(
            item
            for name in rated.clause.signals_required
            for item in signals[name].evidence[:PLACES_A_SIGNAL]
        ),
    ]
    entries = {entry.path: entry for entry in worktree.entries}
    if not places or rated.clause.negative:
        # A practice under innocent words shows where models are asked, if anywhere.
        places += [
            item
            for name in _WHERE_IT_ACTS
            if name in signals.by_name
            for item in signals[name].evidence[:PLACES_A_RULE]
        ]
    by_path: dict[str, list[SignalEvidence]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    return tuple(
        FileChange(path, FileStatus.ADDED, language=detect_language(path), private=True)
        if any(match_glob(glob, path) for glob in private)
        else _build_file(worktree, entries[path], by_path[path])
        for path in sorted(by_path)
        if path in entries
    )


def _list_carrying(rated: ClauseRating) -> list[SignalEvidence]:
    """The lines that carry what is supported, each with the function around it if it is known."""
    if rated.held is None:
        return []
    evidence = (item for score in rated.held.rules for item in score.evidence)
    known = {(item.path, item.line): item for item in evidence}
    carrying = rated.held.carrying[:PLACES_THAT_CARRY]
    return [known.get(place) or SignalEvidence(*place, snippet="") for place in carrying]


def _build_file(
    worktree: Worktree, entry: FileEntry, places: Sequence[SignalEvidence]
) -> FileChange:
    language = detect_language(entry.path)
    try:
        text = decode_text(worktree.read(entry))
    except OSError:
        reason = "it could not be read again"
        return FileChange(entry.path, FileStatus.ADDED, language=language, unread=reason)
    lines = text.split("\n")
    hunks = tuple(
        Hunk(
            0,
            0,
            first,
            last - first + 1,
            "",
            tuple(
                Line("added", None, number, lines[number - 1]) for number in range(first, last + 1)
            ),
        )
        for first, last in _join_spans(_widen_place(place, len(lines)) for place in places)
    )
    return FileChange(entry.path, FileStatus.ADDED, language=language, hunks=hunks)


def _widen_place(place: SignalEvidence, count: int) -> Span:
    if 0 < place.first <= place.last and place.last - place.first < _FUNCTION_LINES:
        first, last = place.first, place.last
    else:
        first, last = place.line - _AROUND, place.line + _AROUND
    return min(max(first, 1), count), max(min(last, count), 1)


def _join_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


# A model's second verdict on ambiguous clauses. The only module here that waits.
#
# It goes through `jurat.judge`, and so by the same ledger, the same fence and control rules, the
# same anchoring of quotes and the same audit of reasoning as a review.

_SAID: Mapping[Verdict, ClauseVerdict] = {
    Verdict.ALLOW: ClauseVerdict.PASS,
    Verdict.NEEDS_CONFIRMATION: ClauseVerdict.PARTIAL,
    Verdict.DENY: ClauseVerdict.FAIL,
}


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Who is asked, and what remembers the answers. `model` is None if none is configured.

    It sees no file that fits a glob in `private`. What it is sent goes on `record`, within its
    budgets.
    """

    model: Judge | None
    ledger: AnswerCache
    options: JudgmentOptions = JudgmentOptions()  # noqa: RUF009 - frozen
    private: tuple[str, ...] = ()
    record: CallRecord = field(default_factory=partial(CallRecord, purpose=CallPurpose.RATING))


async def add_second_opinions(rating: Rating, seen: RepositoryScan, bench: SecondOpinion) -> Rating:
    """The rating after the bench was asked for each clause in scope that has a raw score.

    Not the ambiguous ones alone: what is hidden lies at 0, and a stub at 0.9. If it agrees the
    verdict stands; if it disagrees the clause is partial, with a note. No answer, or none that may
    be used, leaves the deterministic verdict, and the clause says so.
    """
    # Around whole questions: each opens a session of its own, with a gate of its own.
    gate = asyncio.Semaphore(bench.options.concurrency)

    async def second(clause: ClauseRating, regulation: Regulation) -> ClauseRating:
        async with gate:
            return await _ask_second(clause, regulation, seen, bench)

    judged = [
        await asyncio.gather(*(second(clause, item.regulation) for clause in item.clauses))
        for item in rating.regulations
    ]
    regulations = tuple(
        replace(item, clauses=tuple(clauses))
        for item, clauses in zip(rating.regulations, judged, strict=True)
    )
    return replace(rating, regulations=regulations)


async def _ask_second(
    rated: ClauseRating, regulation: Regulation, seen: RepositoryScan, bench: SecondOpinion
) -> ClauseRating:
    if rated.raw is None or not rated.clause.checker.llm_judge:
        return rated
    if bench.model is None:
        alone = "No model is configured, so the deterministic verdict stands."
        return _add_note(rated, alone) if is_ambiguous(rated.raw) else rated
    from jurat.judge.judge import ask_judge  # noqa: PLC0415 - most ratings ask nobody

    files = await asyncio.to_thread(build_chunks, rated, seen.signals, seen.worktree, bench.private)
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files),), mode=Mode.POSTHOC)
    rule = build_rule(rated, regulation)
    judged = await ask_judge(
        context, [rule], bench.model, bench.ledger, bench.options, record=bench.record
    )
    return apply_second_opinion(rated, judged.verdicts[0], files)


def build_rule(rated: ClauseRating, regulation: Regulation) -> Rule:
    """A clause as a rule that a model can judge: what holds if the clause is met."""
    clause = rated.clause
    words = "".join(mark if mark.isalnum() else "-" for mark in clause.id.lower())
    name = "-".join(part for part in words.split("-") if part)
    return Rule(
        id=f"{regulation.id}.{name}",
        statement=f"{clause.title}: {clause.text}",
        kind=RuleKind.NORMATIVE,
        modality=Modality.MUST,
        severity=Severity.HIGH,
        rationale=f"{regulation.name}, {clause.article}",
        references=(clause.link,),
        fix=clause.remediation_hint,
    )


def apply_second_opinion(
    rated: ClauseRating, verdict: RuleVerdict, files: Iterable[FileChange] = ()
) -> ClauseRating:
    """A clause after a model's verdict on it, for which it was shown some files."""
    if verdict.audit or verdict.unreadable:
        return _add_note(
            rated, "A model's verdict could not be used: the deterministic one stands."
        )
    if verdict.verdict is Verdict.NOT_ASSESSED:
        noted = _add_note(rated, f"{verdict.reasoning} The deterministic verdict stands.")
        failed = verdict.gap is NotAssessedReason.MODEL_FAILED
        return replace(noted, unanswered=verdict.reasoning) if failed else noted
    said = _SAID[verdict.verdict]
    explained = replace(rated, reasoning=verdict.reasoning)
    if said is rated.verdict:
        lifted = _drop_bound(explained, verdict, files)
        return _add_note(lifted, f"A model agrees ({verdict.model_id}).")
    return to_partial(
        explained,
        f"A model disagrees ({verdict.model_id}): {said.value} by its reading,"
        f" {rated.verdict.value} by the rules. {verdict.reasoning}",
    )


def _drop_bound(
    rated: ClauseRating, verdict: RuleVerdict, files: Iterable[FileChange]
) -> ClauseRating:
    """A clause of a large program as far as its code shows it, once who read that says that it is
    met: code alone supports a part, since nobody knows whether it is all.

    Whoever said so must have read each line that carries the verdict, and have judged all of it.
    """
    held = rated.held
    judged = verdict.verdict is Verdict.ALLOW and not (verdict.partial or verdict.vacuous)
    if held is None or held.bound != BY_CODE_ALONE or not judged:
        return rated
    lines = {(file.path, line.new) for file in files for hunk in file.hunks for line in hunk.lines}
    if not lines.issuperset(held.carrying):
        return rated
    ordinal = to_ordinal(held.raw)
    note = rated.note.replace(BY_CODE_ALONE, "").strip()
    return replace(rated, held=replace(held, ordinal=ordinal, bound=""), note=note)


def _add_note(rated: ClauseRating, note: str) -> ClauseRating:
    return replace(rated, note=f"{rated.note} {note}".strip())
