"""The deterministic rating: named rules over what RECON found, clause by clause."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from jurat.rating.held import RepositoryScan, RuleScore, rate_held
from jurat.rating.pack import Application, Clause, Operator, RegulationPack, RiskClass, format_day
from jurat.rating.rating import ClauseRating, Rating, RegulationRating, SupportedVerdict
from jurat.rating.risk import classify_risk, list_held_categories
from jurat.rating.scale import PARTIAL, ClauseVerdict, compute_raw_score, to_ordinal, to_verdict
from jurat.rating.scope import SPEAKING, explain_out_of_scope, explain_unbound
from jurat.rating.signals.evidence import Inventory, NamedRule
from jurat.rating.signals.file_roles import Role

NOT_FROM_CODE = "This cannot be told from code: a person who knows the deployment must say."
NOT_ALL_FROM_CODE = "Whether the law allows it here a person who knows the deployment must say."


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
        return list_held_categories(self.seen.signals, self.classifying)

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
    if problem := explain_unbound(clause, operators):
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
    if clause.is_external:
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


_STOP = "stop_control_present"


def _add_unrequired(
    rated: ClauseRating, system: _RatedSystem, rules: Mapping[str, NamedRule]
) -> ClauseRating:
    """The same with what is there although nobody asks for it, as Article 95 wants to encourage.

    It enters no score. So it is of what was held to be no AI system, if all of it is there: who
    decides by rules keeps records, stops and asks people just the same. A page that turns somebody
    away stops nothing, so a stop is told of what has a use alone. Of a large program nothing is
    told, as much in it looks like a control that nobody asked for.
    """
    clause = rated.clause
    if clause.negative or clause.is_external:
        return rated
    if not system.seen.inventory.is_small:
        return rated
    try:
        held = rate_held(clause, system.seen, rules)
    except Exception:  # noqa: BLE001 - nothing is asked for here, and nothing is then said
        return rated
    if held is None or held.ordinal < PARTIAL:
        return rated
    if system.risk is RiskClass.NOT_AI and not (
        to_verdict(held.ordinal) is ClauseVerdict.PASS
        and (system.categories or _STOP not in {one.rule for one in held.rules})
    ):
        return rated
    note = f"{rated.note} What it asks for is there all the same."
    return replace(rated, rules=held.rules, held=held, note=note)


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
    looked = inventory.list_files(*SPEAKING)
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
    bound = rated.held.bound if rated.held else ""
    doubts = list(dict.fromkeys(item.doubt for _, item in rated.evidence if item.doubt))
    if rated.is_supported or not doubts:
        return bound
    return f"{bound} Named, not supported: {'; '.join(doubts[:3])}.".lstrip()


def _list_unscored(clause: Clause) -> tuple[RuleScore, ...]:
    return tuple(RuleScore(item.rule, item.weight, None) for item in clause.checker.deterministic)
