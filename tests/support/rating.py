"""Literal signals, clauses and packs, by which the arithmetic of a rating is tested alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from typing import Any

from jurat.rating.changes import build_document
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import (
    Application,
    Checker,
    Classification,
    Clause,
    Operator,
    Regulation,
    RegulationPack,
    RiskTriggers,
    ScopeCondition,
    ScoreMapping,
    Trigger,
    WeighedRule,
)
from jurat.rating.provenance import RatedSource
from jurat.rating.rate import rate_scan
from jurat.rating.recon import scan_worktree
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
from jurat.rating.signals.worktree import FileEntry, Worktree, build_worktree

ALL_APPLY = dt.date(2028, 12, 1)
"""A day on which every clause of the shipped packs applies."""
LONG_AGO = dt.date(2020, 1, 1)

PLACE = SignalEvidence("bot/agent.py", 3, "agent = Agent()")
A_FILE = InventoryFile("bot/agent.py", Role.CODE, "python", 60, 4)


def worktree_of(files: Mapping[str, str]) -> Worktree:
    """A worktree in memory."""
    contents = {path: text.encode() for path, text in files.items()}
    entries = [FileEntry(path, len(data)) for path, data in contents.items()]
    return build_worktree(entries, lambda entry: contents[entry.path])


NOON = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)


def a_source(
    name: str = "example", *, page: str = "", changed: Collection[str] = ()
) -> RatedSource:
    """A checkout that was rated at NOON."""
    return RatedSource(name, NOON, "5e" * 20, page, changed=frozenset(changed))


def signals_of(strengths: Mapping[str, float]) -> Signals:
    """Signals of these strengths, each with one line if there is any."""
    return Signals(
        {
            name: Signal(name, strength, (PLACE,) if strength else ())
            for name, strength in strengths.items()
        }
    )


def seen_of(
    strengths: Mapping[str, float],
    files: tuple[InventoryFile, ...] = (A_FILE,),
    worktree: Worktree | None = None,
) -> RepositoryScan:
    """What RECON would hand on of a worktree with these signals."""
    return RepositoryScan(worktree or worktree_of({}), signals_of(strengths), Inventory(files))


def scoring(value: float) -> NamedRule:
    """A rule that gives the same score whatever it sees, with one place where that is not 0."""
    return lambda _signals, _inventory, _worktree: Score(value, (PLACE,) if value else ())


def clause_of(
    weights: Mapping[str, float],
    *,
    name: str = "1",
    negative: bool = False,
    classification: Classification = Classification.CODE,
    scope: ScopeCondition | None = None,
    llm_judge: bool = False,
    applies: tuple[Application, ...] = (Application(since=LONG_AGO, by="Art. 99"),),
    binds: tuple[Operator, ...] = (),
) -> Clause:
    """A clause that weighs these rules."""
    return Clause(
        id=name,
        article=f"Art. {name}",
        title=f"Clause {name}",
        text="Events are recorded by themselves.",
        link="https://example.org/law",
        applies=applies,
        binds=binds,
        classification=classification,
        in_scope_when=scope or ScopeCondition(),
        signals_required=("ai",),
        checker=Checker(
            deterministic=tuple(WeighedRule(rule=r, weight=w) for r, w in weights.items()),
            llm_judge=llm_judge,
        ),
        score_mapping=ScoreMapping(pass_default=negative),
        remediation_hint="Record events.",
    )


def pack_of(*clauses: Clause, name: str = "law") -> RegulationPack:
    """A regulation of these clauses, by which the signal `ai` makes an AI system."""
    return RegulationPack(
        regulation=Regulation(
            id=name,
            name=name.upper(),
            version="1",
            source="https://example.org/law",
            checked=LONG_AGO,
        ),
        risk_triggers=RiskTriggers(
            ai_system=(Trigger(signals=("ai",), reason="a model is called"),),
            limited=(Trigger(signals=("chat",), reason="people talk to it"),),
            high=(Trigger(signals=("hiring",), reason="it decides who is hired"),),
        ),
        clauses=clauses,
    )


def rate_document(files: Mapping[str, str], *, on: dt.date = ALL_APPLY) -> dict[str, Any]:
    """The JSON form of a rating of these files by all packs, without a model."""
    tree = worktree_of(files)
    signals, inventory = scan_worktree(tree)
    packs = load_regulations(on)
    rating = rate_scan(
        RepositoryScan(tree, signals, inventory),
        packs,
        list_named_rules(),
        classifying=packs,
        on=on,
    )
    return build_document(rating)


def find_clause(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """One clause of a rating's JSON form."""
    [found] = [
        clause
        for regulation in document["regulations"]
        for clause in regulation["clauses"]
        if clause["id"] == name
    ]
    return dict(found)
