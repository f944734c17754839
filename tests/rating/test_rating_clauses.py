"""Verdicts of clauses, their roll-up, and what never enters a mean."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from jurat.rating.changes import build_document, compute_document_digest, to_canonical_json
from jurat.rating.pack import Classification, Clause, RegulationPack, RiskClass, ScopeCondition
from jurat.rating.rate import rate_scan
from jurat.rating.rating import ClauseRating, Rating, SupportedVerdict, to_partial
from jurat.rating.scale import ClauseVerdict
from jurat.rating.signals.evidence import (
    Inventory,
    InventoryFile,
    NamedRule,
    Score,
    Signal,
    SignalEvidence,
    Signals,
)
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.worktree import Worktree
from jurat.reports.rating_words import describe_figures, describe_verdict
from tests.support.rating import A_FILE, ALL_APPLY, PLACE, clause_of, pack_of, scoring, seen_of

RULES: dict[str, NamedRule] = {
    "full": scoring(1.0),
    "half": scoring(0.5),
    "tenth": scoring(0.1),
    "none": scoring(0.0),
}


def broken(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    raise KeyError("no such signal")


RULES["broken"] = broken

AI = {"ai": 1.0, "chat": 0.0, "hiring": 0.0}


def rated(
    *packs: RegulationPack,
    strengths: dict[str, float] = AI,
    files: tuple[InventoryFile, ...] = (A_FILE,),
    risk: RiskClass | None = None,
) -> Rating:
    return rate_scan(
        seen_of(strengths, files), packs, RULES, classifying=packs, on=ALL_APPLY, risk=risk
    )


def one(clause: Clause, files: tuple[InventoryFile, ...] = (A_FILE,)) -> ClauseRating:
    return rated(pack_of(clause), files=files).clauses[0]


def test_a_clause_has_its_raw_score_ordinal_and_verdict() -> None:
    found = one(clause_of({"full": 0.5, "none": 0.5}))
    assert (found.raw, found.ordinal, found.verdict) == (0.5, 2, ClauseVerdict.PARTIAL)
    assert found.evidence == (("full", PLACE),)


@pytest.mark.parametrize(
    ("rule", "ordinal", "verdict"),
    [("none", 4, "pass"), ("full", 0, "fail"), ("half", 2, "partial")],
)
def test_any_evidence_counts_against_a_prohibition(rule: str, ordinal: int, verdict: str) -> None:
    found = one(clause_of({rule: 1.0}, negative=True))
    assert (found.ordinal, found.verdict.value) == (ordinal, verdict)


def test_a_little_evidence_against_a_prohibition_is_left_to_a_person() -> None:
    found = one(clause_of({"tenth": 1.0}, negative=True))
    assert found.verdict is ClauseVerdict.PASS
    assert found.evidence == (("tenth", PLACE),)
    assert "please look" in found.note


@pytest.mark.parametrize("negative", [False, True])
def test_a_rule_that_raises_makes_its_clause_an_error_out_of_every_mean(*, negative: bool) -> None:
    pack = pack_of(
        clause_of({"broken": 0.1, "full": 0.9}, name="1", negative=negative),
        clause_of({"half": 1.0}, name="2"),
    )
    rating = rated(pack)
    error = rating.clauses[0]
    assert (error.verdict, error.ordinal, error.raw) == (ClauseVerdict.ERROR, None, None)
    assert "broken (KeyError)" in error.note
    assert rating.regulations[0].score == rating.overall == 2


def test_a_rule_that_is_not_there_is_an_error_too() -> None:
    assert one(clause_of({"gone": 1.0}, negative=True)).verdict is ClauseVerdict.ERROR


def held(clause: Clause, strength: float) -> ClauseRating:
    """The clause rated in a system of minimal risk, with so much that is supported."""
    found = replace(A_SIGNAL, strength=strength, evidence=(replace(PLACE, kind="behaviours"),))
    signals = Signals(
        {**seen_of(AI).signals.by_name, "rate_limiting": found}, {"rate_limiting": found}
    )
    seen = replace(seen_of(AI), signals=signals)
    pack = pack_of(clause)
    return rate_scan(seen, [pack], HELD_RULES, classifying=[pack], on=ALL_APPLY).clauses[0]


A_SIGNAL = Signal("rate_limiting", 0.0)
HELD_RULES: dict[str, NamedRule] = {
    "shown": lambda signals, _inventory, _worktree: Score(
        signals["rate_limiting"].strength, signals["rate_limiting"].evidence
    ),
    "broken": broken,
}
HIGH_ALONE = ScopeCondition(risk=(RiskClass.HIGH,))


@pytest.mark.parametrize(("strength", "said"), [(1.0, "pass"), (0.5, "partial"), (0.3, "n/a")])
def test_what_is_there_unasked_is_told_and_never_scored(strength: float, said: str) -> None:
    found = held(clause_of({"shown": 1.0}, scope=HIGH_ALONE), strength)
    assert (found.verdict, found.supported_ordinal) == (ClauseVerdict.NOT_APPLICABLE, None)
    assert not found.is_supported
    assert describe_verdict(found) == (said if said == "n/a" else f"{said}, not required")


def test_nothing_is_told_of_a_rule_that_fails_where_nobody_asks() -> None:
    found = held(clause_of({"broken": 1.0}, scope=HIGH_ALONE), 1.0)
    assert found.supported_verdict is SupportedVerdict.NOT_APPLICABLE


@pytest.mark.parametrize(("strength", "said"), [(1.0, "partial"), (0.1, "external")])
def test_a_practice_that_code_shows_is_told_if_a_person_must_judge_it(
    strength: float, said: str
) -> None:
    clause = clause_of({"shown": 1.0}, negative=True, classification=Classification.EXTERNAL)
    found = held(clause, strength)
    assert (found.verdict, found.supported_ordinal) == (ClauseVerdict.EXTERNAL, None)
    assert found.supported_verdict.value == said


def test_an_external_clause_is_for_a_person_whatever_was_found() -> None:
    found = one(clause_of({"full": 1.0}, classification=Classification.EXTERNAL))
    assert (found.verdict, found.ordinal) == (ClauseVerdict.EXTERNAL, None)
    assert found.evidence


def test_what_applies_to_another_risk_is_not_applicable() -> None:
    found = one(clause_of({"full": 1.0}, scope=ScopeCondition(risk=(RiskClass.HIGH,))))
    assert (found.verdict, found.in_scope, found.ordinal) == (
        ClauseVerdict.NOT_APPLICABLE,
        False,
        None,
    )
    assert found.note == "Applies to high risk; this is minimal risk."


def test_a_clause_may_ask_for_a_signal() -> None:
    scope = ScopeCondition(any_signal=("user_interaction",), at_least=0.4)
    pack = pack_of(clause_of({"full": 1.0}, scope=scope))
    silent, spoken = (
        rated(pack, strengths={**AI, "user_interaction": strength}).clauses[0]
        for strength in (0.3, 0.4)
    )
    assert silent.verdict is ClauseVerdict.NOT_APPLICABLE
    assert silent.note == "Nothing here shows that people talk to it, or see what it says."
    assert spoken.verdict is ClauseVerdict.PASS


def test_one_of_several_signals_brings_a_clause_into_scope() -> None:
    scope = ScopeCondition(any_signal=("credit", "law_enforcement", "health"), at_least=0.4)
    strengths = {**AI, "credit": 0.0, "law_enforcement": 0.0, "health": 0.0}
    found = rated(pack_of(clause_of({"full": 1.0}, scope=scope)), strengths=strengths).clauses[0]
    assert found.note == "Nothing here shows credit, law enforcement or health."


def test_a_prohibition_is_not_shown_as_passed_by_what_was_not_found() -> None:
    unread = InventoryFile("bot/huge.py", Role.CODE, "python", 2_000_000, unread="too large")
    found = one(clause_of({"none": 1.0}, negative=True), (A_FILE, unread))
    assert (found.verdict, found.ordinal) == (ClauseVerdict.PASS, 4)  # the arithmetic's
    assert (found.supported_verdict, found.supported_ordinal) == (
        SupportedVerdict.NOTHING_FOUND,
        None,
    )
    assert found.note == "Nothing found in 1 of 2 files of code and prompts (1 not read: listed)."


def test_a_prohibition_does_not_pass_where_a_folder_was_not_seen() -> None:
    seen = seen_of(AI)
    unseen = replace(seen, inventory=Inventory((), unseen=(("deep/", "cannot be listed"),)))
    pack = pack_of(clause_of({"none": 1.0}, negative=True))
    rating = rate_scan(unseen, [pack], RULES, classifying=[pack], on=ALL_APPLY)
    assert rating.clauses[0].supported_verdict is SupportedVerdict.NOTHING_FOUND
    assert "in 0 of 1 files" in rating.clauses[0].note
    assert rating.unread == (("deep/", "cannot be listed"),)


@pytest.mark.parametrize("role", [Role.DOCUMENT, Role.TEST, Role.EXAMPLE, Role.OTHER])
def test_a_prohibition_says_nothing_where_nothing_could_break_it(role: Role) -> None:
    found = one(clause_of({"none": 1.0}, negative=True), (replace(A_FILE, role=role),))
    assert (found.verdict, found.ordinal, found.in_scope) == (
        ClauseVerdict.NOT_APPLICABLE,
        None,
        False,
    )
    assert found.note == "There is no code and no prompt to look at."


def test_an_empty_worktree_is_not_rated() -> None:
    prohibition = clause_of({"none": 1.0}, negative=True)
    rating = rated(pack_of(prohibition), strengths={**AI, "ai": 0.0}, files=())
    assert (rating.overall, rating.regulations[0].score) == (None, None)


def test_what_code_cannot_tell_is_for_a_person_of_an_empty_worktree_too() -> None:
    clause = clause_of({"none": 1.0}, negative=True, classification=Classification.EXTERNAL)
    assert one(clause, ()).verdict is ClauseVerdict.EXTERNAL


def test_a_verdict_that_the_raw_score_did_not_decide_has_no_confidence() -> None:
    found = one(clause_of({"none": 1.0}))
    assert (found.confidence, to_partial(found, "A model disagrees.").confidence) == (1.0, None)
    assert describe_figures(to_partial(found, "A model disagrees.")) == "2 of 4, raw 0.00"


def test_each_score_is_the_mean_of_its_own_clauses() -> None:
    rating = rated(
        pack_of(clause_of({"full": 1}, name="1"), clause_of({"half": 1}, name="2"), name="a"),
        pack_of(clause_of({"none": 1}, name="1"), name="b"),
    )
    assert [item.score for item in rating.regulations] == [3.0, 0.0]
    assert rating.overall == 2.0  # each clause counts the same, not each regulation


def test_nothing_to_rate_is_no_score() -> None:
    rating = rated(pack_of(clause_of({"full": 1})), strengths={"ai": 0.0, "chat": 1, "hiring": 1})
    assert rating.risk is RiskClass.NOT_AI
    assert rating.regulations[0].score is None
    assert rating.overall is None
    assert rating.clauses[0].note == "Not an AI system."


@pytest.mark.parametrize(
    ("chat", "hiring", "risk"),
    [(0, 0, RiskClass.MINIMAL), (0.6, 0, RiskClass.LIMITED), (1, 0.6, RiskClass.HIGH)],
)
def test_the_highest_class_that_shows_counts(chat: float, hiring: float, risk: RiskClass) -> None:
    rating = rated(
        pack_of(clause_of({"full": 1})), strengths={"ai": 0.6, "chat": chat, "hiring": hiring}
    )
    assert rating.risk is risk
    assert "bot/agent.py:3" in rating.risk_reason


def test_a_class_that_the_configuration_sets_says_what_it_stands_for() -> None:
    rating = rated(pack_of(clause_of({"full": 1})), risk=RiskClass.HIGH)
    assert rating.risk is RiskClass.HIGH
    assert rating.risk_reason.startswith("Set in the configuration; the code would give minimal")


def test_a_score_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Score(1.01)


def test_the_document_is_canonical_and_carries_its_own_digest() -> None:
    document = build_document(rated(pack_of(clause_of({"full": 0.5, "none": 0.5}))))
    told = document.pop("sha256")
    assert told == sha256(to_canonical_json(document).encode()).hexdigest()
    assert compute_document_digest({**document, "sha256": told}) == told
    assert json.loads(to_canonical_json(document)) == document


def test_the_document_has_the_agreed_names() -> None:
    document = build_document(rated(pack_of(clause_of({"full": 1}))))
    assert set(document) == {
        "risk_classification",
        "risk_reason",
        "overall",
        "supported_score",
        "share_assessed",
        "on",
        "source",
        "roles",
        "scope",
        "regulations",
        "sha256",
    }
    (regulation,) = document["regulations"]
    assert set(regulation) == {
        *("id", "name", "version", "score", "supported_score", "share_assessed", "clauses")
    }
    (clause,) = regulation["clauses"]
    assert clause == {
        "id": "1",
        "article": "Art. 1",
        "title": "Clause 1",
        "verdict": "pass",
        "ordinal": 4,
        "raw": 1.0,
        "supported": True,
        "supported_verdict": "pass",
        "supported_ordinal": 4,
        "carried_by": [],
        "polarity": "positive",
        "in_scope": True,
        "applies": [{"since": "2020-01-01", "by": "Art. 99", "category": None}],
        "starts": None,
        "binds": [],
        "evidence": [
            {
                "path": PLACE.path,
                "line": PLACE.line,
                "snippet": PLACE.snippet,
                "rule": "full",
                "doubt": "",
            }
        ],
        "rules": [{"rule": "full", "weight": 1.0, "score": 1.0}],
        "note": "",
        "remediation_hint": "Record events.",
    }


def test_all_evidence_of_a_prohibition_is_listed() -> None:
    places = tuple(SignalEvidence("a.py", n, "scrape()") for n in range(1, 201))
    RULES["much"] = lambda _s, _i, _w: Score(1.0, places)
    pack = pack_of(
        clause_of({"much": 1}, name="1", negative=True), clause_of({"much": 1}, name="2")
    )
    prohibition, duty = build_document(rated(pack))["regulations"][0]["clauses"]
    assert (len(prohibition["evidence"]), len(duty["evidence"])) == (200, 50)
