"""The law as of a day: when a clause applies, to what, whom it binds, and what amended it."""

from __future__ import annotations

import datetime as dt

import pytest

from jurat.errors import RuleError, UsageError
from jurat.rating.law import (
    apply_amendment,
    choose_packs,
    load_amendments,
    load_regulations,
    parse_amendment,
)
from jurat.rating.pack import Application, Operator, RegulationPack, RiskClass
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.reports.rating_words import describe_starting
from tests.rating.law_page import PAGE, render_table
from tests.support.rating import LONG_AGO, clause_of, pack_of, scoring, seen_of

TODAY = dt.date(2026, 11, 23)
SOON, LATER = dt.date(2026, 12, 2), dt.date(2027, 12, 2)
HIRING = {"ai": 1.0, "chat": 0.0, "hiring": 1.0}


def on(day: dt.date, name: str = "eu-ai-act") -> RegulationPack:
    (pack,) = choose_packs([name], day)
    return pack


def since(pack: RegulationPack, clause: str, category: str) -> dt.date:
    (found,) = (item for item in pack.clauses if item.id == clause)
    return found.choose_application({category}).since


def rated(*packs: RegulationPack, day: dt.date = TODAY, roles: tuple[Operator, ...] = ()) -> Rating:
    rules = {"good": scoring(1.0)}
    return rate_scan(seen_of(HIRING), packs, rules, classifying=packs, on=day, operators=roles)


# Figures of the shipped law, each as Article 113 has it, as enacted and as amended.


@pytest.mark.parametrize(
    ("clause", "category", "enacted", "amended"),
    [
        ("5(1)(a)", "annex-iii", "2025-02-02", "2025-02-02"),
        ("4", "annex-iii", "2025-02-02", "2025-02-02"),
        ("50(1)", "annex-iii", "2026-08-02", "2026-08-02"),
        ("9", "annex-iii", "2026-08-02", "2027-12-02"),
        ("9", "annex-i", "2027-08-02", "2028-08-02"),
        ("26(6)", "annex-iii", "2026-08-02", "2027-12-02"),
        ("73", "annex-i", "2027-08-02", "2028-08-02"),
    ],
)
def test_the_omnibus_moves_the_duties_of_high_risk_alone(
    clause: str, category: str, enacted: str, amended: str
) -> None:
    before, after = on(dt.date(2026, 7, 26)), on(dt.date(2026, 7, 27))
    assert since(before, clause, category) == dt.date.fromisoformat(enacted)
    assert since(after, clause, category) == dt.date.fromisoformat(amended)


def test_the_new_prohibitions_are_there_once_the_omnibus_is_in_force() -> None:
    before, after = on(dt.date(2026, 7, 26)), on(dt.date(2026, 7, 27))
    names = [clause.id for clause in after.clauses]
    assert {"5(1)(ba)", "5(1)(bb)"}.isdisjoint(clause.id for clause in before.clauses)
    assert names[names.index("5(1)(b)") + 1 :][:3] == ["5(1)(ba)", "5(1)(bb)", "5(1)(c)"]
    assert since(after, "5(1)(ba)", "annex-iii") == SOON
    assert before.regulation.version == "Regulation (EU) 2024/1689"
    assert after.regulation.version.endswith("amended by Regulation (EU) 2026/1744")


def test_the_law_of_a_later_day_holds_every_clause_of_today() -> None:
    for pack in load_regulations(TODAY):
        later = {clause.id for clause in on(dt.date(2040, 1, 1), pack.regulation.id).clauses}
        assert {clause.id for clause in pack.clauses} <= later


def test_every_clause_of_a_law_binds_somebody_and_a_framework_nobody() -> None:
    for pack in load_regulations(TODAY):
        voluntary = pack.regulation.id == "nist-ai-rmf"
        for clause in pack.clauses:
            assert bool(clause.binds) is not voluntary, clause.id


def test_what_could_not_be_held_against_the_law_is_said() -> None:
    for item in load_amendments():
        assert item.amendment.unchecked
    assert all(pack.regulation.unchecked for pack in load_regulations(TODAY))


def test_the_page_has_the_dates_and_sources_of_every_clause() -> None:
    assert PAGE.read_text("utf-8").endswith(render_table()), "python -m tests.rating.law_page"


# What a rating does with it.


def clause_since(*applies: Application, name: str = "1") -> RegulationPack:
    return pack_of(clause_of({"good": 1}, name=name, applies=applies))


def test_what_does_not_apply_yet_is_not_rated_and_says_from_when() -> None:
    pack = clause_since(Application(since=LATER, by="Art. 113(c)"))
    (clause,) = rated(pack).clauses
    assert (clause.verdict.value, clause.ordinal, clause.starts) == ("n/a", None, LATER)
    assert clause.note == "Applies from 2 December 2027 (Art. 113(c))."
    (clause,) = rated(pack, day=LATER).clauses
    assert (clause.verdict.value, clause.starts) == ("pass", None)
    (clause,) = rated(pack, day=LATER - dt.timedelta(days=1)).clauses
    assert clause.verdict.value == "n/a"


def test_a_category_decides_which_day_counts_and_none_means_the_earliest() -> None:
    pack = clause_since(
        Application(since=LATER, by="for products", category="annex-i"),
        Application(since=LONG_AGO, by="for uses", category="annex-iii"),
    )
    product = pack.risk_triggers.high[0].model_copy(update={"category": "annex-i"})
    triggers = pack.risk_triggers.model_copy(update={"high": (product,)})
    (clause,) = rated(pack.model_copy(update={"risk_triggers": triggers})).clauses
    assert clause.starts == LATER
    (clause,) = rated(pack).clauses  # no trigger tells a category
    assert clause.verdict.value == "pass"


def test_what_is_out_of_scope_anyway_is_announced_to_nobody() -> None:
    pack = clause_since(Application(since=SOON, by="Art. 113"))
    packs = [pack]
    rating = rate_scan(
        seen_of({**HIRING, "ai": 0.0}),
        packs,
        {},
        classifying=packs,
        on=TODAY,
        risk=RiskClass.NOT_AI,
    )
    assert rating.list_starting() == ()


def test_what_starts_within_ninety_days_is_announced_as_soon() -> None:
    rating = rated(
        clause_since(Application(since=SOON, by="a")),
        clause_since(Application(since=LATER, by="b"), name="2"),
    )
    assert list(describe_starting(rating)) == [
        "Soon, from 2 December 2026, in 9 days: Art. 1.",
        "Later, from 2 December 2027, in 374 days: Art. 2.",
    ]
    assert len(list(describe_starting(rating, within=dt.timedelta(days=90)))) == 1


def test_a_role_leaves_out_what_does_not_bind_it() -> None:
    provider, deployer = (Operator.PROVIDER,), (Operator.DEPLOYER,)
    law = pack_of(
        clause_of({"good": 1}, name="1", binds=provider),
        clause_of({"good": 1}, name="2", binds=(*provider, *deployer)),
    )
    other = pack_of(clause_of({"good": 1}, binds=(Operator.CONTROLLER,)), name="other")
    one, two, foreign = rated(law, other, roles=deployer).clauses
    assert (one.verdict.value, one.note) == ("n/a", "Binds the provider.")
    assert two.verdict.value == "pass"
    # A regulation that does not know the role says nothing of it, and is rated whole.
    assert foreign.verdict.value == "pass"


def test_an_unknown_regulation_is_named() -> None:
    with pytest.raises(UsageError, match="eu-ai-akt"):
        choose_packs(["eu-ai-akt"], TODAY)


# Amendments are read as strictly as packs.

AMENDMENT = """\
amendment:
  {id: act-2, amends: law, name: Act 2, in_force: 2026-07-27, source: https://example.org/2,
   checked: 2026-01-31}
changes:
  - clauses: ["1"]
    applies: [{since: 2027-12-02, by: Art. 2}]
"""


def parsed(text: str) -> RegulationPack:
    pack = clause_since(Application(since=LONG_AGO, by="Art. 99"))
    read = parse_amendment("act.yml", text, {"law": pack}, rules=["good"], signals=["ai"])
    return apply_amendment(pack, read)


def test_an_amendment_changes_what_it_names_and_nothing_else() -> None:
    (clause,) = parsed(AMENDMENT).clauses
    assert clause.choose_application(()).since == LATER
    assert clause.text == "Events are recorded by themselves."


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("amends: law", "amends: lore", "2: amendment.amends", "unknown regulation 'lore'"),
        ('["1"]', '["2"]', "5: changes[0].clauses[0]", "unknown clause '2'"),
        ("by: Art. 2", "by: x, category: y", "6: changes[0].applies[0].category", "'y'"),
        ("changes:", "change:", "4: change", "unknown key"),
    ],
)
def test_an_amendment_that_is_wrong_says_where(
    old: str, new: str, place: str, problem: str
) -> None:
    assert old in AMENDMENT
    with pytest.raises(RuleError) as caught:
        parsed(AMENDMENT.replace(old, new))
    assert f"act.yml:{place}" in str(caught.value)
    assert problem in str(caught.value)
