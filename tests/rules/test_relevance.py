"""Relevance: what the query is made of, and what scores come out."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.relevance import (
    build_document,
    build_query,
    build_vector_relevance,
    describe_intent,
    rank_by_words,
)
from jurat.rules.rule import Rule, RuleKind, RuleSet
from jurat.source.diff import FileChange
from tests.support.production import python
from tests.support.values import a_context, a_file, a_rule


def a_normative_rule(rule_id: str, statement: str, **fields: object) -> Rule:
    return a_rule(rule_id, statement=statement, kind=RuleKind.NORMATIVE, **fields)


TLS = a_normative_rule("house.tls", "Certificates are verified on every connection.")
REST = a_normative_rule("house.rest", "Zwischen zwei Schichten liegt eine Ruhezeit.")
INVOICE = a_normative_rule("house.invoice", "Rechnungsnummern sind fortlaufend.", tags=("vat",))
RULES = (TLS, REST, INVOICE)
CORPUS = RuleSet({rule.id: rule for rule in RULES})


def added(path: str, *lines: str) -> FileChange:
    file = a_file(path, added=len(lines))
    (hunk,) = file.hunks
    new = tuple(line._replace(text=text) for line, text in zip(hunk.lines, lines, strict=True))
    return FileChange(path, file.status, hunks=(hunk.__class__(0, 0, 1, len(new), "", new),))


def scores(context: EvaluationContext, rules: Sequence[Rule] = RULES) -> list[float]:
    return list(rank_by_words(context, CORPUS, rules))


def best(context: EvaluationContext) -> str:
    found = scores(context)
    assert max(found) == 1
    return RULES[found.index(1)].id


@pytest.mark.parametrize(
    ("context", "rule_id"),
    [
        (a_context(intent="Skip the certificate of the old server"), "house.tls"),
        (a_context(added("planung/ruhezeiten.py", "x = 1")), "house.rest"),
        (a_context(added("a.py", "class RechnungsNummer: pass")), "house.invoice"),
        (a_context(intent="Verkürzt den Abstand der Schichtplanung"), "house.rest"),
        (a_context(intent="invoice numbers"), "house.invoice"),
        (EvaluationContext((Subject(SubjectKind.EVENT, (), {"ruhezeit": 9}),)), "house.rest"),
        (
            EvaluationContext((Subject(SubjectKind.EVENT, (), {"a": [{"b": "Zertifikat"}]}),)),
            "house.tls",
        ),
    ],
    ids=["intent", "path", "identifier", "compound", "translation", "fact name", "fact text"],
)
def test_the_rule_is_found_by_the(context: EvaluationContext, rule_id: str) -> None:
    assert best(context) == rule_id


def test_removed_and_unchanged_lines_are_no_query() -> None:
    file = added("a.py", "certificate")
    (hunk,) = file.hunks
    kept = tuple(line._replace(kind="removed", old=1, new=None) for line in hunk.lines)
    context = a_context(
        FileChange("a.py", file.status, hunks=(hunk.__class__(1, 1, 0, 0, "", kept),))
    )
    assert scores(context) == [0, 0, 0]


def test_nothing_in_common_scores_nothing() -> None:
    assert scores(a_context()) == [0, 0, 0]
    assert scores(a_context(intent="zzz qqq")) == [0, 0, 0]


def test_words_that_every_text_holds_say_nothing() -> None:
    assert scores(a_context(intent="the and is und der die das on")) == [0, 0, 0]


def test_scores_are_of_the_rules_asked_for_and_the_best_of_them_is_one() -> None:
    context = a_context(intent="certificates, and a Ruhezeit between Schichten")
    both = scores(context)
    assert max(both) == 1
    assert 0 < min(both[:2]) < 1
    assert scores(context, [RULES[both.index(min(both[:2]))]]) == [1]


def test_rules_without_a_word_are_no_fault() -> None:
    silent = a_normative_rule("a", "The.")
    rule_set = RuleSet({"a": silent})
    assert list(rank_by_words(a_context(intent="the"), rule_set, [silent])) == [0]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_gives_scores_from_0_to_1(intent: str, line: str) -> None:
    context = a_context(added("a.py", line), intent=intent)
    found = scores(context)
    assert all(0 <= score <= 1 for score in found)
    assert found == scores(context)


def test_a_huge_change_is_read_in_shares() -> None:
    noise = [f"value_{number} = {number}" for number in range(20_000)]
    context = a_context(added("big.py", *noise), added("small.py", "certificate = None"))
    assert best(context) == "house.tls"
    assert len(build_query(context)) < 110_000


def test_the_intent_holds_the_paths_and_the_query_what_is_added() -> None:
    file = added("a/b.py", "call()")
    context = EvaluationContext(
        (Subject(SubjectKind.CODE_DIFF, (file,), {"amount": Decimal(3), "of": ["x", None]}),),
        intent="Why",
    )
    assert describe_intent(context) == "Why\na/b.py"
    assert build_query(context) == "Why\na/b.py\ncall()\namount\nof\nx"


def test_a_document_holds_what_the_rule_says() -> None:
    rule = a_rule("x.y", rationale="Because.", tags=("t",), scope=("s/u",), references=("R",))
    assert build_document(rule) == f"x.y\n{rule.statement}\nBecause.\nt\ns/u\nR"


def test_vectors_are_compared_by_their_cosine() -> None:
    vectors = {TLS.revision: (0.6, 0.8), REST.revision: (-1.0, 0.0)}
    relevance = build_vector_relevance((1.0, 0.0), vectors)
    assert relevance(a_context(), CORPUS, RULES) == pytest.approx([0.6, 0, 0])


def test_bm25_is_loaded_only_where_something_is_ranked() -> None:
    code = """
import sys, datetime as dt
from jurat.rules.rule import RuleSet
from jurat.rules.selection import select_applicable
from jurat.rules.selection import SelectionCriteria
from tests.support.values import a_context, a_file, a_rule
rules = [a_rule(f"r{n}", kind="normative", modality="SHOULD") for n in range(3)]
corpus = RuleSet({rule.id: rule for rule in rules})
for bound in (3, 2):
    criteria = SelectionCriteria(max_rules=bound)
    select_applicable(a_context(a_file()), corpus, criteria, dt.date(2026, 1, 1))
    print(bound, "bm25s" in sys.modules, "numpy" in sys.modules)
"""
    done = subprocess.run([python(), "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["3 False False", "2 True True"]
