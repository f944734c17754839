from __future__ import annotations

import datetime as dt
import sqlite3
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, func, make_url, select
from sqlalchemy.exc import IntegrityError

from jurat.facts.context import EvaluationContext, Subject, SubjectKind, Surface
from jurat.findings.evaluation import Conclusion, Coverage, Evaluation
from jurat.findings.finding import Location, Waiver, WaiverKind
from jurat.findings.identity import digest_subject
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import DecidedBy, RuleVerdict, UnreadFile, Verdict
from jurat.findings.waivers import DecisionKind
from jurat.reports.answer import EvaluationAnswer
from jurat.rules.rule import Maturity
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.store.database import Database, Instant, to_storable
from jurat.store.evaluations import Store
from jurat.store.rows import About, PastReview, build_verdict_rows
from jurat.store.tables import audit_log, evaluations, ledger, reviews
from tests.support.evaluations import a_decision, save_published
from tests.support.postgres import on_both_databases
from tests.support.server import START, FakeTime
from tests.support.values import a_rule, a_verdict


def _verdict(number: int = 1, **fields: Any) -> RuleVerdict:
    values: dict[str, Any] = {"rule": a_rule(f"team.rule-{number}"), "verdict": Verdict.ALLOW}
    return a_verdict(**{**values, **fields})


def _evaluation(*verdicts: RuleVerdict, **fields: Any) -> Evaluation:
    given: dict[str, Any] = {
        "evaluation_id": "e-1",
        "overall": Verdict.ALLOW,
        "rule_verdicts": verdicts,
        "coverage": Coverage(files=1),
        "conclusion": Conclusion.SUCCESS,
    }
    return Evaluation(**{**given, **fields})


ABOUT = About(
    asked_by="github:octocat",
    subject_digest="0" * 64,
    repository="octo/hello",
    number=7,
    head_sha="a" * 40,
)


async def _rows(database: Database, table: Table) -> list[dict[str, Any]]:
    async with database.reading() as connection:
        return [dict(row._mapping) for row in await connection.execute(select(table))]


@on_both_databases
async def test_a_review_is_read_back_as_it_was_saved(store: Store) -> None:
    saved = _evaluation(_verdict(), overall=Verdict.DENY)
    await save_published(store, saved, ABOUT)

    found = await store.last_review("octo/hello", 7)

    assert found is not None
    assert found == await store.review("e-1")
    assert (found.evaluation_id, found.overall, found.conclusion) == (
        "e-1",
        Verdict.DENY,
        Conclusion.SUCCESS,
    )
    assert (found.repository, found.number, found.head_sha) == ("octo/hello", 7, "a" * 40)
    assert found.answer == EvaluationAnswer.build(saved)
    assert found.created_at == START
    assert await store.last_review("octo/hello", 8) is None
    assert await store.review("e-2") is None


@on_both_databases
async def test_past_reviews_are_the_last_of_each_other_pull_request(
    store: Store, time: FakeTime
) -> None:
    saved = [(1, "a"), (2, "b"), (1, "c"), (3, "d"), (None, "e"), (4, "f")]
    for place, (number, head) in enumerate(saved):
        time.advance(60)
        about = replace(ABOUT, number=number, head_sha=head * 40, base_sha="0" * 40)
        await save_published(store, _evaluation(_verdict(), evaluation_id=f"e-{place}"), about)
    await save_published(
        store,
        _evaluation(_verdict(), evaluation_id="elsewhere"),
        replace(ABOUT, repository="octo/other"),
    )

    found = await store.past_reviews("octo/hello", limit=2, besides=4)

    assert found == (
        PastReview(3, "d" * 40, "0" * 40),
        PastReview(1, "c" * 40, "0" * 40),
    )


@on_both_databases
async def test_the_last_review_is_the_latest(store: Store, time: FakeTime) -> None:
    for name in ("first", "second", "third"):
        time.advance(1)
        await save_published(store, _evaluation(evaluation_id=name), ABOUT)

    found = await store.last_review("octo/hello", 7)

    assert found is not None
    assert found.evaluation_id == "third"


@on_both_databases
async def test_every_verdict_is_a_row_of_its_own(store: Store, database: Database) -> None:
    place = Location(Surface.CODE, "a.py", 3, 4, {"snippet": "eval(x)"})
    shadow = a_rule("team.rule-2", maturity=Maturity.EXPERIMENTAL)
    await store.save(
        _evaluation(
            _verdict(1, verdict=Verdict.DENY, locations=(place,), latency_ms=1.5),
            _verdict(2, rule=shadow, verdict=Verdict.NEEDS_CONFIRMATION, would_block=True),
        ),
        ABOUT,
    )

    first, second = await _rows(database, evaluations)

    assert first["verdict"] == "DENY"
    assert first["evidence"] == [
        {"file_path": "a.py", "start_line": 3, "end_line": 4, "snippet": "eval(x)"}
    ]
    assert first["revision"] == a_rule("team.rule-1").revision
    assert first["latency_ms"] == 1.5
    assert (first["repository_id"], first["number"], first["head_sha"]) == (
        -1,
        7,
        "a" * 40,
    )
    assert (second["verdict"], second["would_block"], second["maturity"]) == (
        "NEEDS_CONFIRMATION",
        True,
        "experimental",
    )
    assert {row["mode"] for row in (first, second)} == {"preflight"}
    assert {row["surface"] for row in (first, second)} == {"code"}


@on_both_databases
async def test_a_review_leaves_a_line_in_the_audit_log(store: Store, database: Database) -> None:
    models = (ModelUsage("gemini-flash", calls=1, input_tokens=10, output_tokens=2),)
    await store.save(_evaluation(_verdict(1), _verdict(2), models=models), ABOUT)

    (line,) = await _rows(database, audit_log)

    assert (line["at"], line["asked_by"], line["evaluation_id"]) == (
        START,
        "github:octocat",
        "e-1",
    )
    assert line["subject_digest"] == "0" * 64
    assert line["rules"] == {f"team.rule-{n}": a_rule(f"team.rule-{n}").revision for n in (1, 2)}
    assert line["models"] == ["gemini-flash"]
    assert line["result"] == {
        "overall": "ALLOW",
        "conclusion": "success",
        "verdicts": {"team.rule-1": "ALLOW", "team.rule-2": "ALLOW"},
        "waived": [],
        "tokens": 12,
        "sent": [],
    }


@on_both_databases
async def test_saving_a_review_again_updates_its_rows_and_the_audit_log_keeps_both(
    store: Store, database: Database, time: FakeTime
) -> None:
    failed = _verdict(verdict=Verdict.NOT_ASSESSED)
    await save_published(store, _evaluation(failed, overall=Verdict.NEEDS_CONFIRMATION), ABOUT)
    time.advance(60)
    await store.save(_evaluation(_verdict(), _verdict(2)), ABOUT)

    (row,) = await _rows(database, reviews)
    assert (row["overall"], row["created_at"]) == ("ALLOW", time.now())
    assert row["published_at"] is None  # what was shown is not what it says now
    rows = await _rows(database, evaluations)
    assert [(item["rule_id"], item["verdict"], item["counted"]) for item in rows] == [
        ("team.rule-1", "ALLOW", False),
        ("team.rule-2", "ALLOW", False),
    ]
    lines = await _rows(database, audit_log)
    assert [line["result"]["overall"] for line in lines] == ["NEEDS_CONFIRMATION", "ALLOW"]


async def test_only_what_was_shown_is_the_last_review(store: Store, time: FakeTime) -> None:
    await save_published(store, _evaluation(evaluation_id="shown"), ABOUT)
    time.advance(1)
    await store.save(_evaluation(evaluation_id="failed"), replace(ABOUT, head_sha="b" * 40))

    shown = await store.last_review("octo/hello", 7)
    latest = await store.last_review("octo/hello", 7, published=False)

    assert (shown and shown.evaluation_id, shown and shown.published) == ("shown", True)
    assert (latest and latest.evaluation_id, latest and latest.published) == ("failed", False)
    assert [item.head_sha for item in await store.past_reviews("octo/hello", limit=9, besides=1)]


@pytest.mark.parametrize("number", [7, None])
async def test_of_a_head_the_review_that_was_shown_last_counts(
    store: Store, database: Database, number: int | None
) -> None:
    about = replace(ABOUT, number=number)
    for name in ("first", "second"):
        await save_published(store, _evaluation(_verdict(), evaluation_id=name), about)
    other = replace(about, head_sha="b" * 40)
    await save_published(store, _evaluation(_verdict(), evaluation_id="other"), other)
    await store.save(_evaluation(_verdict(), evaluation_id="failed"), about)

    rows = await _rows(database, evaluations)
    counted = {row["evaluation_id"] for row in rows if row["counted"]}
    assert counted == {"second", "other"}


async def test_what_a_check_says_already_was_shown_if_it_says_the_same(
    store: Store, database: Database
) -> None:
    await store.save(_evaluation(_verdict()), ABOUT)
    head = ("octo/hello", 7, "a" * 40)

    await store.mark_last_published(*head, Conclusion.FAILURE)  # of a broken configuration
    assert await store.last_review("octo/hello", 7) is None
    await store.mark_last_published(*head, Conclusion.SUCCESS)
    assert await store.last_review("octo/hello", 7) is not None
    await store.mark_published("no such evaluation")


@on_both_databases
async def test_a_review_is_saved_whole_or_not_at_all(store: Store, database: Database) -> None:
    twice = _evaluation(_verdict(1), _verdict(1))  # breaks the table's primary key

    with pytest.raises(IntegrityError):
        await store.save(twice, ABOUT)

    for table in (reviews, evaluations, audit_log):
        assert await _rows(database, table) == []


@on_both_databases
async def test_coverage_and_models_are_kept(store: Store, database: Database) -> None:
    coverage = Coverage(files=2, unread=(UnreadFile("b.bin", "binary"),), rules_in_force=20)
    models = (ModelUsage("gemini-flash", 1, 100, 20, 350.0),)
    await store.save(_evaluation(coverage=coverage, models=models, total_latency_ms=9.5), ABOUT)

    (row,) = await _rows(database, reviews)
    found = await store.review("e-1")

    assert found is not None
    assert row["answer"] == found.answer.to_json()
    assert row["answer"]["coverage"] == {
        "files": 2,
        "files_read": 1,
        "unread": [{"path": "b.bin", "reason": "binary"}],
        "unwritten": [],
        "private": [],
        "ungrammared": [],
        "rules_in_force": 20,
    }
    (used,) = found.answer.model_usage
    assert (used.model_id, used.calls, used.input_tokens, used.output_tokens, used.latency_ms) == (
        "gemini-flash",
        1,
        100,
        20,
        350.0,
    )
    assert row["latency_ms"] == 9.5


@on_both_databases
async def test_what_no_database_can_store_is_replaced(store: Store, database: Database) -> None:
    place = Location(Surface.CODE, "caf\udce9.py", 1, 1, {"snippet": "a\x00b"})
    await store.save(
        _evaluation(_verdict(verdict=Verdict.DENY, locations=(place,))),
        replace(ABOUT, asked_by="a\x00b\ud800"),
    )

    (row,) = await _rows(database, evaluations)
    (line,) = await _rows(database, audit_log)

    found = await store.review("e-1")

    assert found is not None
    (kept,) = found.answer.violations[0].locations
    assert (kept.file_path, kept.snippet) == ("caf\ufffd.py", "a\ufffdb")
    assert row["evidence"][0]["file_path"] == "caf\ufffd.py"
    assert row["evidence"][0]["snippet"] == "a\ufffdb"
    assert line["asked_by"] == "a\ufffdb\ufffd"


@on_both_databases
async def test_the_ledger_recalls_what_it_was_told_first(store: Store) -> None:
    await store.ledger.remember({"one": '{"verdict": "ALLOW"}', "two": "2"})
    await store.ledger.remember({"one": "another", "three": "3"})
    await store.ledger.remember({})

    assert await store.ledger.recall(["one", "two", "three", "four"]) == {
        "one": '{"verdict": "ALLOW"}',
        "two": "2",
        "three": "3",
    }
    assert await store.ledger.recall([]) == {}


@on_both_databases
async def test_the_ledger_takes_more_keys_than_a_query_does(
    store: Store, database: Database
) -> None:
    entries = {f"key-{number}": str(number) for number in range(1_234)}
    await store.ledger.remember(entries)

    assert await store.ledger.recall([*entries, "unknown"]) == entries
    async with database.reading() as connection:
        count = await connection.scalar(select(func.count()).select_from(ledger))
    assert count == 1_234


@on_both_databases
async def test_an_entry_can_be_written_anew(store: Store) -> None:
    await store.ledger.remember({"one": "1", "two": "2"})
    await store.ledger.remember({"one": "another", "three": "3"}, anew=True)
    assert await store.ledger.recall(["one", "two", "three"]) == {
        "one": "another",
        "two": "2",
        "three": "3",
    }


@on_both_databases
async def test_a_question_is_claimed_by_one_until_it_is_released_or_the_claim_lapses(
    store: Store, database: Database, time: FakeTime
) -> None:
    other = Store(database, time.now).ledger
    assert await store.ledger.claim(["one", "two"]) == {"one", "two"}
    assert await other.claim(["two", "three"]) == {"three"}
    await other.release(["one", "two"])
    assert await other.claim(["two"]) == frozenset()
    await store.ledger.release(["two"])
    assert await other.claim(["two"]) == {"two"}
    time.advance(20)
    assert await store.ledger.claim(["one"]) == {"one"}  # prolonged by its holder
    time.advance(20)
    assert await other.claim(["one"]) == frozenset()
    time.advance(20)
    assert await other.claim(["one"]) == {"one"}
    assert await other.claim([]) == frozenset()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["flash", "pro", None]),
            st.sampled_from(list(DecidedBy)),
        ),
        max_size=12,
    ),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)
def test_tokens_of_the_rows_add_up_to_the_tokens_of_the_calls(
    given_by: list[tuple[str | None, DecidedBy]], sent: int, received: int
) -> None:
    verdicts = [
        _verdict(number, model_id=model, decided_by=path)
        for number, (model, path) in enumerate(given_by)
    ]
    evaluation = _evaluation(*verdicts, models=(ModelUsage("flash", 1, sent, received),))

    rows = build_verdict_rows(evaluation, ABOUT, START)

    asked = {DecidedBy.BATCH, DecidedBy.SINGLE, DecidedBy.CONFIRMATION}
    shared = [model == "flash" and path in asked for model, path in given_by]
    for column, total in (("input_tokens", sent), ("output_tokens", received)):
        tokens = [row[column] for row in rows]
        assert sum(tokens) == (total if any(shared) else 0)
        assert all(count == 0 for count, has in zip(tokens, shared, strict=True) if not has)
        among = [count for count, has in zip(tokens, shared, strict=True) if has]
        assert not among or max(among) - min(among) <= 1


_ZONES = st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))


@settings(deadline=None)
@given(st.datetimes(timezones=_ZONES))
def test_a_time_is_the_same_after_it_was_stored(moment: dt.datetime) -> None:
    kind = Instant()
    for name in ("sqlite", "postgresql"):
        dialect = make_url(f"{name}://").get_dialect()()
        try:
            stored = kind.process_bind_param(moment, dialect)
        except OverflowError:  # within a day of year 1 or 9999
            continue
        assert kind.process_result_value(stored, dialect) == moment


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        Instant().process_bind_param(dt.datetime(2026, 1, 1), make_url("sqlite://").get_dialect()())  # noqa: DTZ001


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(deadline=None)
@given(_JSON)
def test_storable_json_has_nothing_left_that_cannot_be_stored(value: Any) -> None:
    clean = to_storable(value)

    assert "\x00" not in repr(clean)
    assert to_storable(clean) == clean
    repr(clean).encode()


def _context(text: str = "x = 1", **fields: Any) -> EvaluationContext:
    hunk = Hunk(0, 0, 1, 1, "", (Line("added", None, 1, text),))
    file = FileChange("a.py", FileStatus.ADDED, hunks=(hunk,), **fields)
    return EvaluationContext((Subject(SubjectKind.CODE_DIFF, (file,), {"b": 1, "a": 2}),))


def test_equal_subjects_have_one_digest_and_others_another() -> None:
    same = EvaluationContext(
        (replace(_context().subjects[0], facts={"a": 2, "b": 1}),), intent="in other words"
    )
    others = [
        _context("x = 2"),
        _context(old_path="b.py"),
        _context(unread="too large"),
        EvaluationContext((replace(_context().subjects[0], facts={"a": 2}),)),
        EvaluationContext((replace(_context().subjects[0], kind=SubjectKind.DOCUMENT),)),
        EvaluationContext(()),
    ]

    assert digest_subject(same) == digest_subject(_context())
    assert (
        len({digest_subject(_context()), *(digest_subject(other) for other in others)})
        == len(others) + 1
    )


def test_a_subject_that_is_not_unicode_has_a_digest() -> None:
    assert len(digest_subject(_context("caf\udce9"))) == 64


async def test_the_file_holds_digests_and_evidence_but_no_diff(
    store: Store, database: Database, database_url: str
) -> None:
    context = _context("an_unquoted_line_of_the_change()")
    await store.save(
        _evaluation(_verdict()), replace(ABOUT, subject_digest=digest_subject(context))
    )
    await database.close()

    connection = sqlite3.connect(database_url.removeprefix("sqlite:///"))
    dump = "\n".join(connection.iterdump())
    connection.close()

    assert digest_subject(context) in dump
    assert "an_unquoted_line_of_the_change" not in dump


@on_both_databases
async def test_decisions_are_found_by_repository_and_code_print(store: Store) -> None:
    mine = a_decision()
    whole = a_decision("2" * 16, path=None, kind=DecisionKind.CONFIRMED)
    await store.decide([mine, whole], "0" * 64)
    await store.decide([a_decision(repository="octo/other")], "0" * 64)

    many = [f"{number:016x}" for number in range(1_200)]
    mine, whole = (replace(item, repository_id=-1) for item in (mine, whole))
    assert await store.decisions("octo/hello", ["1" * 16, *many]) == (mine,)
    assert await store.decisions("octo/hello", ["2" * 16, "1" * 16]) == (mine, whole)
    assert await store.decisions("octo/hello", []) == ()


@on_both_databases
async def test_a_decision_is_kept_once_with_one_line_in_the_audit_log(
    store: Store, database: Database
) -> None:
    assert await store.decide([a_decision(), a_decision("2" * 16)], "0" * 64) == 2
    assert await store.decide([a_decision(why="Again.")], "0" * 64) == 0
    assert await store.decide([], "0" * 64) == 0

    (line,) = await _rows(database, audit_log)
    assert (line["at"], line["asked_by"], line["action"]) == (START, "github:wendy", "dismiss")
    assert (line["evaluation_id"], line["rules"]) == ("e-1", {"team.rule-1": "r1"})
    assert line["result"]["findings"] == {"1" * 16: "DENY", "2" * 16: "DENY"}


@on_both_databases
async def test_a_waived_verdict_is_marked_in_its_row(store: Store, database: Database) -> None:
    waiver = Waiver(WaiverKind.DISMISSED, "wendy", "A fixture.")
    denied = _verdict(2, verdict=Verdict.DENY, waivers=(waiver,))
    await store.save(_evaluation(_verdict(1), denied), ABOUT)

    rows = await _rows(database, evaluations)
    assert [(row["verdict"], row["waived"]) for row in rows] == [("ALLOW", False), ("DENY", True)]
    (line,) = await _rows(database, audit_log)
    assert line["result"]["waived"] == ["team.rule-2"]
