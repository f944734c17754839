"""The deterministic rating: named rules over what RECON found, clause by clause."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from statistics import fmean

from jurat.rating.evidence import Inventory, NamedRule, SignalEvidence, Signals
from jurat.rating.file_roles import Role
from jurat.rating.held import HeldScore, RepositoryScan, RuleScore, rate_held
from jurat.rating.pack import (
    Application,
    Classification,
    Clause,
    Operator,
    Regulation,
    RegulationPack,
    RiskClass,
    RiskTriggers,
    Trigger,
)
from jurat.rating.recon_table import load_recon_table
from jurat.rating.scale import (
    PARTIAL,
    ClauseVerdict,
    Ordinal,
    compute_confidence,
    compute_mean,
    compute_raw_score,
    to_ordinal,
    to_verdict,
)

# Whether a rating is good enough, if the configuration asks for it.


def find_below(rating: Rating, fail_below: float | None) -> tuple[RegulationRating, ...]:
    """The regulations whose supported score is less than `fail_below`.

    One of which nothing was rated scores nothing.
    """
    if fail_below is None:
        return ()
    return tuple(
        item
        for item in rating.regulations
        if item.supported_score is not None and item.supported_score < fail_below
    )


NOT_FROM_CODE = "This cannot be told from code: a person who knows the deployment must say."
NOT_ALL_FROM_CODE = "Whether the law allows it here a person who knows the deployment must say."

_SPEAKING = (Role.CODE, Role.PROMPT)
"""Roles of files that may hold a prohibited practice."""


def rate_scan(
    seen: RepositoryScan,
    packs: Sequence[RegulationPack],
    rules: Mapping[str, NamedRule],
    *,
    classifying: Sequence[RegulationPack],
    on: dt.date,
    risk: RiskClass | None = None,
    operators: Collection[Operator] = (),
) -> Rating:
    """Rate what was seen by `packs` as they apply on a day, without a model.

    `rules` are the named rules. The class of risk comes from the triggers of `classifying`, which
    should be all packs: it does not depend on the ones that are rated. `risk` overrides it. Of a
    regulation that binds one of `operators`, only the clauses that bind one of them apply.
    """
    found, reason = classify_risk(seen.signals, classifying, risk)
    system = _RatedSystem(seen, found, classifying, on)
    return Rating(
        found,
        reason,
        on,
        tuple(_rate_pack(pack, system, _keep_bound(operators, pack), rules) for pack in packs),
        (
            *((file.path, file.unread or "") for file in seen.inventory.unread),
            *seen.inventory.unseen,
        ),
        seen.inventory.left_out,
        seen.inventory.taken_in,
        _count_read(seen.inventory),
        tuple(operators),
    )


def _count_read(inventory: Inventory) -> tuple[tuple[str, int], ...]:
    counts = Counter(file.role for file in inventory.files if file.unread is None and file.lines)
    return tuple((role.value, counts[role]) for role in Role if role.is_read and counts[role])


def to_partial(rating: ClauseRating, note: str) -> ClauseRating:
    """The same clause held to be partial, and why."""
    return replace(
        rating,
        verdict=ClauseVerdict.PARTIAL,
        ordinal=PARTIAL,
        note=f"{rating.note} {note}".strip(),
    )


@dataclass(frozen=True)
class _RatedSystem:
    """What is rated: what was seen, its class, the packs that classify it, and the day."""

    seen: RepositoryScan
    risk: RiskClass
    classifying: Sequence[RegulationPack]
    on: dt.date

    @cached_property
    def categories(self) -> frozenset[str]:
        """The categories of the uses that were seen."""
        return _list_held_categories(self.seen.signals, self.classifying)

    def choose_application(self, clause: Clause) -> Application:
        """What says from when a clause applies. Uses are looked at if it tells between them."""
        depends = any(item.category is not None for item in clause.applies)
        return clause.choose_application(self.categories if depends else ())


def _keep_bound(operators: Collection[Operator], pack: RegulationPack) -> frozenset[Operator]:
    """Those of `operators` that the regulation binds at all: of the others it says nothing."""
    known = {operator for clause in pack.clauses for operator in clause.binds}
    return frozenset(known & set(operators))


def _rate_pack(
    pack: RegulationPack,
    system: _RatedSystem,
    operators: frozenset[Operator],
    rules: Mapping[str, NamedRule],
) -> RegulationRating:
    clauses = (_rate_clause(clause, system, operators, rules) for clause in pack.clauses)
    return RegulationRating(pack.regulation, tuple(clauses))


def _rate_clause(
    clause: Clause,
    system: _RatedSystem,
    operators: frozenset[Operator],
    rules: Mapping[str, NamedRule],
) -> ClauseRating:
    seen = system.seen
    if problem := _explain_unbound(clause, operators):
        return _rate_out_of_scope(clause, problem)
    if problem := explain_out_of_scope(clause, system.risk, seen):
        return _add_unrequired(_rate_out_of_scope(clause, problem), system, rules)
    starts = system.choose_application(clause)
    if starts.since > system.on:
        note = f"Applies from {format_day(starts.since)} ({starts.by})."
        return _add_unrequired(_rate_out_of_scope(clause, note, starts.since), system, rules)
    scores: list[RuleScore] = []
    failed: list[str] = []
    for weighed in clause.checker.deterministic:
        try:
            score = rules[weighed.rule](seen.signals, seen.inventory, seen.worktree)
            scores.append(RuleScore(weighed.rule, weighed.weight, score.value, score.evidence))
        except Exception as error:  # noqa: BLE001 - any failure makes the clause an error, and is told
            failed.append(f"{weighed.rule} ({type(error).__name__})")
            scores.append(RuleScore(weighed.rule, weighed.weight, None))
    if _is_external(clause):
        return _rate_external(clause, tuple(scores), seen, rules, failed=bool(failed))
    # A rule that failed is no score of 0, nor left out of the mean: either would be a rating.
    if failed:
        note = f"Not rated: {', '.join(failed)} failed. Please report it."
        return ClauseRating(clause, ClauseVerdict.ERROR, rules=tuple(scores), note=note)
    raw = compute_raw_score((item.weight, item.score) for item in scores if item.score is not None)
    ordinal = to_ordinal(raw, negative=clause.negative)
    held = rate_held(clause, seen, rules)
    rated = ClauseRating(clause, to_verdict(ordinal), ordinal, raw, rules=tuple(scores), held=held)
    if clause.negative:
        return _describe_search(rated, seen.inventory)
    return replace(rated, note=_explain_support(rated))


def _rate_out_of_scope(clause: Clause, note: str, starts: dt.date | None = None) -> ClauseRating:
    return ClauseRating(
        clause,
        ClauseVerdict.NOT_APPLICABLE,
        in_scope=False,
        rules=_list_unscored(clause),
        note=note,
        starts=starts,
    )


def _add_unrequired(
    rated: ClauseRating, system: _RatedSystem, rules: Mapping[str, NamedRule]
) -> ClauseRating:
    """The same with what is there although nobody asks for it, as Article 95 wants to encourage.

    It enters no score. Of what is no AI system nothing is told: nobody looked at what it does. Nor
    is it of a large program, in which much looks like a control that nobody asked for.
    """
    clause = rated.clause
    if clause.negative or system.risk is RiskClass.NOT_AI or _is_external(clause):
        return rated
    if not system.seen.inventory.is_small:
        return rated
    try:
        held = rate_held(clause, system.seen, rules)
    except Exception:  # noqa: BLE001 - nothing is asked for here, and nothing is then said
        return rated
    if held is None or held.ordinal < PARTIAL:
        return rated
    note = f"{rated.note} What it asks for is there all the same."
    return replace(rated, rules=held.rules, held=held, note=note)


def _is_external(clause: Clause) -> bool:
    return clause.classification is Classification.EXTERNAL


def _rate_external(
    clause: Clause,
    scores: tuple[RuleScore, ...],
    seen: RepositoryScan,
    rules: Mapping[str, NamedRule],
    *,
    failed: bool,
) -> ClauseRating:
    """What a person must say, with the practice if code shows it: then it is partial at most."""
    rated = ClauseRating(clause, ClauseVerdict.EXTERNAL, rules=scores, note=NOT_FROM_CODE)
    held = rate_held(clause, seen, rules) if clause.negative and not failed else None
    acts = held is not None and any(
        item.kind == "behaviours" for score in held.rules for item in score.evidence
    )
    # What a library is called for tells neither who uses it nor on whom: what functions do may.
    if held is None or held.ordinal > PARTIAL or not acts:
        return rated
    note = f"The code does this. {NOT_ALL_FROM_CODE}"
    return replace(rated, held=replace(held, ordinal=PARTIAL), note=note)


def _describe_search(rated: ClauseRating, inventory: Inventory) -> ClauseRating:
    """How much was looked at for a practice: what was not found is not proven to be absent."""
    if rated.supported_verdict is not SupportedVerdict.NOTHING_FOUND:
        return rated
    looked = inventory.list_files(*_SPEAKING)
    unread = [file.path for file in looked if file.unread is not None]
    unseen = [path for path, _ in inventory.unseen]
    missing = len(unread) + len(unseen)
    total = len(looked) + len(unseen)
    more = f" ({missing} not read: listed)" if missing else ""
    found = " Something is named that shows no practice: please look." if rated.evidence else ""
    note = f"Nothing found in {total - missing:,} of {total:,} files of code and prompts{more}."
    return replace(rated, note=note + found)


def _explain_support(rated: ClauseRating) -> str:
    """What keeps a better verdict from being shown, empty if nothing does."""
    doubts = list(dict.fromkeys(item.doubt for _, item in rated.evidence if item.doubt))
    if rated.is_supported or not doubts:
        return ""
    return f"Named, not supported: {'; '.join(doubts[:3])}."


def explain_out_of_scope(clause: Clause, risk: RiskClass, seen: RepositoryScan) -> str:
    """Why a clause does not apply, empty if it does.

    A prohibition says nothing of a worktree that holds nothing which could break it: if nobody
    looked, nothing was kept.
    """
    scope = clause.in_scope_when
    decided_by_code = clause.negative and not _is_external(clause)
    if decided_by_code and not (seen.inventory.list_files(*_SPEAKING) or seen.inventory.unseen):
        return "There is no code and no prompt to look at."
    if risk not in scope.risk:
        if risk is RiskClass.NOT_AI:
            return "Not an AI system."
        wanted = " or ".join(item.value for item in scope.risk)
        return f"Applies to {wanted} risk; this is {risk.value} risk."
    if scope.any_signal and all(
        seen.signals[name].strength < scope.at_least for name in scope.any_signal
    ):
        return f"Nothing here shows {_describe_signals(scope.any_signal)}."
    return ""


def _describe_signals(names: Sequence[str]) -> str:
    """What any of these signals would have told: a sentence for one, for several a list."""
    if len(names) == 1:
        sentences = {source.name: source.tells for source in load_recon_table().signals}
        tells = sentences[names[0]]
        return f"that {tells[0].lower()}{tells[1:].removesuffix('.')}"
    *rest, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(rest)} or {last}"


def _explain_unbound(clause: Clause, operators: frozenset[Operator]) -> str:
    """Why a clause does not concern these operators, empty if it does or none is asked about."""
    if not operators or operators & frozenset(clause.binds):
        return ""
    bound = " and ".join(f"the {item.value}" for item in clause.binds)
    return f"Binds {bound or 'nobody'}."


def format_day(day: dt.date) -> str:
    """A day as a report names it: "2 December 2027", in English whatever the locale."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _list_unscored(clause: Clause) -> tuple[RuleScore, ...]:
    return tuple(RuleScore(item.rule, item.weight, None) for item in clause.checker.deterministic)


# What a rating says: every clause, each regulation's score and the overall one.


class SupportedVerdict(StrEnum):
    """What a report says of a clause: its verdict as far as it is supported."""

    PASS = "pass"  # noqa: S105 - no password
    PARTIAL = "partial"
    FAIL = "fail"
    NOTHING_FOUND = "nothing found"
    NOT_APPLICABLE = "n/a"
    EXTERNAL = "external"
    ERROR = "error"


def compute_supported(clauses: Iterable[ClauseRating]) -> float | None:
    """The mean of the supported ordinals, None over none."""
    return compute_mean(held for item in clauses if (held := item.supported_ordinal) is not None)


def compute_share(clauses: Iterable[ClauseRating]) -> float | None:
    """The part of the clauses in scope whose verdict is supported, None if none is in scope."""
    inside = [item for item in clauses if item.in_scope]
    return fmean(item.is_supported for item in inside) if inside else None


@dataclass(frozen=True, slots=True)
class ClauseRating:
    """What was found of one clause.

    `ordinal` and `raw` are None unless the verdict is pass, partial or fail. `note` says in a
    sentence what the figures do not. `starts` is the day from which the clause will apply, if it
    does not yet and nothing else keeps it from applying. `reasoning` is what a model said if it was
    asked, and `unanswered` why it gave no answer if it should have. `held` is the same arithmetic
    over such evidence alone as supports a verdict.
    """

    clause: Clause
    verdict: ClauseVerdict
    ordinal: Ordinal | None = None
    raw: float | None = None
    in_scope: bool = True
    rules: tuple[RuleScore, ...] = ()
    note: str = ""
    starts: dt.date | None = None
    reasoning: str = ""
    unanswered: str = ""
    held: HeldScore | None = None

    @property
    def confidence(self) -> float | None:
        """How sure the raw score is, in [0, 1]; None without one, and if it did not decide."""
        if self.raw is None or self.ordinal != to_ordinal(self.raw, negative=self.clause.negative):
            return None
        return compute_confidence(self.raw)

    @property
    def supported_ordinal(self) -> Ordinal | None:
        """The ordinal that evidence supports; None if there is none.

        That a practice was not found supports nothing: a prohibition has one only if it shows,
        or if a model said so.
        """
        if self.ordinal is None:
            return None
        held = self.ordinal if self.held is None else self.held.ordinal
        if not self.clause.negative:
            return min(held, self.ordinal)
        if held <= PARTIAL:
            return held
        return self.ordinal if self.reasoning and self.ordinal <= PARTIAL else None

    @property
    def is_supported(self) -> bool:
        """Whether what supports the clause gives the verdict that was given."""
        held = self.supported_ordinal
        return held is not None and to_verdict(held) is self.verdict

    @property
    def supported_verdict(self) -> SupportedVerdict:
        """What a report says: never more than is supported, and of an absence that it is one."""
        if self.ordinal is None:
            # What nobody asks for, or what a person must judge: told if it shows, and not scored.
            said = self.verdict if self.held is None else to_verdict(self.held.ordinal)
            return SupportedVerdict(said.value)
        held = self.supported_ordinal
        return (
            SupportedVerdict.NOTHING_FOUND
            if held is None
            else SupportedVerdict(to_verdict(held).value)
        )

    @property
    def is_reported(self) -> bool:
        """Whether there is more to say of the clause than that it does not apply."""
        return self.in_scope or self.supported_verdict is not SupportedVerdict.NOT_APPLICABLE

    @property
    def evidence(self) -> tuple[tuple[str, SignalEvidence], ...]:
        """All evidence with the name of the rule that gave it."""
        return tuple((item.rule, evidence) for item in self.rules for evidence in item.evidence)


@dataclass(frozen=True, slots=True)
class RegulationRating:
    """One regulation's clauses."""

    regulation: Regulation
    clauses: tuple[ClauseRating, ...]

    @property
    def score(self) -> float | None:
        """The mean of the ordinals, from 0 to 4; None if nothing was rated."""
        return compute_mean(item.ordinal for item in self.clauses if item.ordinal is not None)

    @property
    def supported_score(self) -> float | None:
        """The mean of what is supported, from 0 to 4; None if nothing is."""
        return compute_supported(self.clauses)

    @property
    def share_assessed(self) -> float | None:
        """The part of the clauses in scope whose verdict is supported; None if none is."""
        return compute_share(self.clauses)


@dataclass(frozen=True, slots=True)
class Rating:
    """A repository's rating by the law as of the day `on`.

    `unread` are files that should have been read, with the reason. `left_out` are those that were
    not looked at, `taken_in` those that the product imports and that were therefore. `read` counts
    the files of each role that were; `roles` are those that the rating was narrowed to, if any.
    """

    risk: RiskClass
    risk_reason: str
    on: dt.date
    regulations: tuple[RegulationRating, ...]
    unread: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    taken_in: tuple[str, ...] = ()
    read: tuple[tuple[str, int], ...] = ()
    roles: tuple[Operator, ...] = ()

    @property
    def clauses(self) -> tuple[ClauseRating, ...]:
        """The clauses of all regulations."""
        return tuple(clause for item in self.regulations for clause in item.clauses)

    @property
    def overall(self) -> float | None:
        """The mean over all clauses with an ordinal, each counting the same; None over none."""
        return compute_mean(item.ordinal for item in self.clauses if item.ordinal is not None)

    @property
    def supported_score(self) -> float | None:
        """The mean over all clauses of what is supported; None if nothing is."""
        return compute_supported(self.clauses)

    @property
    def share_assessed(self) -> float | None:
        """The part of all clauses in scope whose verdict is supported; None if none is."""
        return compute_share(self.clauses)

    def list_clauses(self, verdict: ClauseVerdict) -> tuple[ClauseRating, ...]:
        """The clauses of one verdict."""
        return tuple(item for item in self.clauses if item.verdict is verdict)

    def list_starting(self) -> tuple[tuple[dt.date, tuple[ClauseRating, ...]], ...]:
        """What does not apply yet and will, by the day from which it does, the next first."""
        days = sorted({item.starts for item in self.clauses if item.starts is not None})
        return tuple(
            (day, tuple(item for item in self.clauses if item.starts == day)) for day in days
        )


# Which class of risk a repository is of, and why.


def classify_risk(
    signals: Signals, packs: Iterable[RegulationPack], override: RiskClass | None = None
) -> tuple[RiskClass, str]:
    """The class that the triggers of `packs` give, or the one that the configuration sets.

    The reason names what held and, of each, one place; an override says what it stands in for.
    """
    found, reason = _derive_class(signals, [pack.risk_triggers for pack in packs])
    if override is None:
        return found, reason
    return override, f"Set in the configuration; the code would give {found.value}: {reason}"


def _derive_class(signals: Signals, triggers: Sequence[RiskTriggers]) -> tuple[RiskClass, str]:
    system = _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.ai_system)
    )
    if not system:
        return RiskClass.NOT_AI, "No AI system: the code uses no model and no agent framework."
    if high := _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.high)
    ):
        return RiskClass.HIGH, _describe_triggers(signals, high)
    if limited := _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.limited)
    ):
        return RiskClass.LIMITED, _describe_triggers(signals, limited)
    return (
        RiskClass.MINIMAL,
        f"{_describe_triggers(signals, system)} Nothing shows a use of limited or high risk.",
    )


def _list_held_categories(signals: Signals, packs: Sequence[RegulationPack]) -> frozenset[str]:
    triggers = chain.from_iterable(pack.risk_triggers.high for pack in packs)
    held = _list_held_triggers(signals, triggers)
    return frozenset(item.category for item in held if item.category is not None)


def _list_held_triggers(signals: Signals, triggers: Iterable[Trigger]) -> list[Trigger]:
    return [
        trigger
        for trigger in triggers
        if all(signals[name].strength >= trigger.at_least for name in trigger.signals)
    ]


def _describe_triggers(signals: Signals, triggers: Sequence[Trigger]) -> str:
    parts = []
    for trigger in triggers:
        evidence = next((item for name in trigger.signals for item in signals[name].evidence), None)
        parts.append(f"{trigger.reason}{_format_place(evidence)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _format_place(evidence: SignalEvidence | None) -> str:
    return "" if evidence is None else f", as in {evidence.path}:{evidence.line}"
