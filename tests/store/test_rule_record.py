"""The evidence on rules in a real database: what comes in, and what the worker makes of it."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import func, insert, select

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.review_interfaces import Inputs, Review
from jurat.rules.config import Config
from jurat.rules.maturity import EventKind, OutcomeCounts, RuleEvent, TrackRecord
from jurat.rules.rule import Maturity, Rule, RuleSet
from jurat.source.diff import Diff
from jurat.store.database import Database
from jurat.store.evaluations import DatabaseEvaluationStore, Store
from jurat.store.promotion import auto_promote_rules
from jurat.store.repositories import keep_repository
from jurat.store.tables import findings, rule_events, rule_transitions
from tests.support.maturity import replayed
from tests.support.postgres import on_both_databases
from tests.support.server import START, FakeTime
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict

RULE = a_rule("house.rule", maturity=Maturity.EXPERIMENTAL)
HEAD = "a" * 40
SHOP, OTHER = 1, 2
EXPERIMENTAL, STABLE, PROVEN = Maturity
_numbers = itertools.count(1)


def reviewed(
    *snippets: str,
    verdict: RuleVerdict | None = None,
    path: str = "app.py",
    unread: tuple[str, ...] = (),
    rules: tuple[Rule, ...] = (RULE,),
    head: str = HEAD,
) -> Review:
    """A review of acme/shop#7 in which the rule is broken at these places."""
    places = tuple(a_location(path, n, snippet=text) for n, text in enumerate(snippets, 1))
    kind = Verdict.DENY if snippets else Verdict.ALLOW
    given = verdict or a_verdict(RULE, kind, locations=places)
    evaluation = Evaluation(
        f"e-{next(_numbers)}",
        Verdict.ALLOW,
        (given,),
        Coverage(1, tuple(UnreadFile(name, "too large") for name in unread)),
    )
    material = Inputs(
        Diff(),
        RuleSet({rule.id: rule for rule in rules}),
        Config(),
        repository="acme/shop",
        number=7,
        head_sha=head,
    )
    return Review(material, a_context(a_file(path)), evaluation)


async def saved(store: Store, time: FakeTime, *reviews: Review) -> None:
    for review in reviews:
        time.advance(60)
        records = DatabaseEvaluationStore(store)
        await records.save(review)
        await records.mark_published(review)


async def events(database: Database) -> list[str]:
    async with database.reading() as connection:
        return [row.kind for row in await connection.execute(select(rule_events).order_by("id"))]


async def waiting(database: Database) -> list[str]:
    async with database.reading() as connection:
        rows = await connection.execute(select(findings.c.standing).order_by(findings.c.path))
        return [row.standing for row in rows]


@on_both_databases
class TestAMergedPullRequest:
    async def test_had_fixed_what_was_gone_and_was_merged_over_what_stood(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)", "md5(b)"), reviewed("md5(b)"))
        await store.rules.settle("acme/shop", 7, merged_head=HEAD)
        assert sorted(await events(database)) == ["fixed", "merged_over"]
        await store.rules.settle("acme/shop", 7, merged_head=HEAD)
        assert len(await events(database)) == 2

    async def test_teaches_nothing_where_its_last_head_was_not_reviewed(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)"))
        await store.rules.settle("acme/shop", 7, merged_head="b" * 40)
        assert await events(database) == []

    async def test_teaches_nothing_where_it_was_only_closed(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)"))
        await store.rules.settle("acme/shop", 7, merged_head=None)
        assert (await events(database), await waiting(database)) == ([], [])


@on_both_databases
class TestAFinding:
    async def test_that_nobody_looked_for_is_not_gone(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        undecided = a_verdict(RULE, Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED)
        await saved(store, time, reviewed("md5(a)"), reviewed(verdict=undecided))
        assert await waiting(database) == ["open"]
        await saved(store, time, reviewed(unread=("app.py",)))
        assert await waiting(database) == ["open"]
        await saved(store, time, reviewed())
        assert await waiting(database) == ["gone"]

    async def test_whose_code_moved_to_another_file_is_still_one(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)"), reviewed("md5(a)", path="new.py"))
        assert await waiting(database) == ["open"]

    async def test_of_a_rule_that_is_gone_or_another_proves_nothing(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        other = a_rule("house.rule", statement="Something else.")
        passed = a_verdict(other, Verdict.ALLOW)
        await saved(store, time, reviewed("md5(a)"), reviewed(verdict=passed, rules=(other,)))
        assert await waiting(database) == []

    async def test_that_came_back_is_open(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)"), reviewed(), reviewed("md5(a)"))
        assert await waiting(database) == ["open"]

    async def test_is_what_a_person_last_said_of_it(
        self, store: Store, database: Database, time: FakeTime
    ) -> None:
        await saved(store, time, reviewed("md5(a)"))
        async with database.reading() as connection:
            fingerprint = await connection.scalar(select(findings.c.fingerprint))
        assert fingerprint is not None
        for kind in (EventKind.DISMISSED, EventKind.DISMISSED, EventKind.CONFIRMED):
            assert await store.rules.record_decision("acme/shop", 7, fingerprint, kind)
        assert await events(database) == ["dismissed", "confirmed"]
        await store.rules.settle("acme/shop", 7, merged_head=HEAD)
        await auto_promote_rules(database, time.now())
        standing = (await store.rules.track_records("acme/shop", RuleSet({RULE.id: RULE})))[RULE.id]
        assert standing.tally == OutcomeCounts(1, 0)

    async def test_that_no_review_has_seen_cannot_be_decided(self, store: Store) -> None:
        assert not await store.rules.record_decision("acme/shop", 7, "0" * 16, EventKind.DISMISSED)


async def happened(
    database: Database, some: Iterable[RuleEvent], *, rule: Rule = RULE
) -> list[RuleEvent]:
    given = list(some)
    rows: list[dict[str, Any]] = [
        {
            "at": event.at,
            "kind": event.kind.value,
            "rule_id": rule.id,
            "substance": rule.substance,
            "written": event.written.value,
            "repository_id": event.repository_id,
            "number": event.number,
            "fingerprint": event.fingerprint,
        }
        for event in given
    ]
    async with database.writing() as connection:
        for number, name in ((SHOP, "acme/shop"), (OTHER, "acme/other")):
            await connection.run_sync(keep_repository, number, name)
        await connection.execute(insert(rule_events), rows)
    return given


def cases(first: int, last: int, a_day: int, **fields: Any) -> list[RuleEvent]:
    """So many cases a day from day `first` on, each in a pull request of its own."""
    values: dict[str, Any] = {
        "kind": EventKind.FIXED,
        "repository_id": SHOP,
        "fingerprint": "f" * 16,
        "written": EXPERIMENTAL,
    }
    return [
        RuleEvent(
            at=START + dt.timedelta(days=day, minutes=n),
            number=day * 100 + n,
            **{**values, **fields},
        )
        for day in range(first, last)
        for n in range(a_day)
    ]


def evening(day: int) -> dt.datetime:
    return START + dt.timedelta(days=day, hours=10)


@on_both_databases
async def test_the_worker_moves_rules_day_by_day_and_its_steps_can_be_replayed(
    store: Store, database: Database
) -> None:
    year = [
        *cases(0, 100, 7),
        *cases(100, 107, 7, kind=EventKind.DISMISSED),
    ]
    known = await happened(database, year)
    days = [evening(day) for day in range(120)]
    moved = [move for at in days for move in await auto_promote_rules(database, at)]
    own = [move for move in moved if move.repository_id == SHOP]
    assert [(m.transition.at, m.transition.after) for m in own] == [
        (evening(30), STABLE),
        (evening(60), PROVEN),
        (evening(101), EXPERIMENTAL),
    ]
    assert [m.transition for m in moved if m.repository_id is None] == [m.transition for m in own]
    assert tuple(m.transition for m in own) == replayed(known, days)
    async with database.reading() as connection:
        kept = (await connection.execute(select(rule_transitions))).all()
    assert [(row.repository_id, row.at, Maturity(row.after)) for row in kept] == [
        (m.repository_id, m.transition.at, m.transition.after) for m in moved
    ]
    found = (await store.rules.track_records("acme/shop", RuleSet({RULE.id: RULE})))[RULE.id]
    assert (found.maturity, found.tally) == (EXPERIMENTAL, OutcomeCounts(35, 35))


async def test_a_look_twice_in_a_day_moves_nothing_twice(database: Database) -> None:
    await happened(database, cases(0, 31, 7))
    assert len(await auto_promote_rules(database, evening(30))) == 2
    assert await auto_promote_rules(database, evening(30)) == ()


@on_both_databases
async def test_the_record_of_a_repository_counts_before_that_of_all(
    store: Store, database: Database
) -> None:
    await happened(database, cases(0, 31, 7))
    bad = cases(0, 31, 1, repository_id=OTHER, kind=EventKind.DISMISSED)
    await happened(database, [replace(event, written=EXPERIMENTAL) for event in bad])
    await auto_promote_rules(database, evening(31))
    rule_set = RuleSet({RULE.id: RULE})
    for repository, maturity in (("acme/shop", STABLE), ("acme/other", None), ("acme/new", None)):
        found = await store.rules.track_records(repository, rule_set)
        assert found[RULE.id].maturity is maturity
    assert (await store.rules.track_records("acme/other", rule_set))[
        RULE.id
    ].tally == OutcomeCounts(31, 31)


async def test_evidence_on_another_text_says_nothing_of_a_rule(
    store: Store, database: Database
) -> None:
    await happened(database, cases(0, 31, 7), rule=a_rule("house.rule", statement="Other."))
    await auto_promote_rules(database, evening(31))
    assert await store.rules.track_records("acme/shop", RuleSet({RULE.id: RULE})) == {}


async def test_a_rule_of_which_nothing_is_known_has_no_standing(
    store: Store, database: Database
) -> None:
    assert await auto_promote_rules(database, START) == ()
    assert await store.rules.track_records(None, RuleSet({RULE.id: RULE})) == {}
    async with database.reading() as connection:
        assert await connection.scalar(select(func.count()).select_from(rule_events)) == 0


async def test_facts_without_a_repository_are_judged_by_the_record_of_all(
    store: Store, database: Database
) -> None:
    await happened(database, cases(0, 31, 7))
    await auto_promote_rules(database, evening(31))
    found = await store.rules.track_records(None, RuleSet({RULE.id: RULE}))
    assert found == {RULE.id: TrackRecord(STABLE, START, OutcomeCounts(217, 0))}
