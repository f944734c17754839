"""What a reasoning takes from the material, what it adds, and where it puts things."""

from __future__ import annotations

import pytest

from jurat.audit import verdict_rationale_rules
from jurat.audit.bearing import check_adds_words, has_no_statement, is_circular
from jurat.audit.places import find_foreign_figure, find_misplaced
from jurat.audit.roles import take_support
from jurat.audit.soundness import ASSESSING

RULE = "A queue holds at most 50 jobs."
CODE = """\
=== work/queue.go (modified, go)
@@ 11 func (q *Queue) Put(job Job) error {
11 func (q *Queue) Put(job Job) error {
12+	if q.size() >= 40 {
13+		return ErrFull
14+	}
15+	q.jobs = append(q.jobs, job)
16+	return nil
17 }
"""


@pytest.mark.parametrize(
    ("text", "adds"),
    [
        (
            "The queue appends its error to each job, by which size is put where nil had returned. "
            "Every full job holds the queue of what append jobs.",
            False,
        ),
        (
            "Put refuses with ErrFull from the fortieth entry on, so whoever calls it is told and "
            "nothing is ever dropped without a word or pushed out by a newcomer.",
            True,
        ),
        ("Put returns ErrFull.", True),
        (
            "`q.jobs = append(q.jobs, job)` appends job to jobs of queue, size, full, put, nil.",
            True,
        ),
    ],
)
def test_who_stirs_the_words_of_the_code_adds_none(text: str, adds: bool) -> None:
    assert check_adds_words(RULE, text, CODE, {}).matched is adds


def test_a_long_material_has_words_for_anything() -> None:
    text = "The queue appends its error to each job, by which size is put where nil had returned."
    long = CODE + " ".join(f"name{number}x" for number in range(200))
    assert check_adds_words(RULE, text, long, {}).matched


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        (
            "Put holds jobs as a queue holds jobs, and a queue holds jobs as a queue holds them.",
            True,
        ),
        ("Put answers ErrFull before the slice grows.", False),
        ("A queue holds jobs.", False),
    ],
)
def test_the_rule_told_of_a_name_is_the_rule_again(text: str, circles: bool) -> None:
    assert is_circular(text, RULE, CODE, ASSESSING) is circles


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("size and append in Put are not how this ought to look, see line 12.", True),
        ("append with size: looked at, can go in.", True),
        ("ErrFull is an error.", False),
        ("append grows it.", False),
        ("size() >= 40 it is.", False),
        ("Without append.", False),
    ],
)
def test_names_with_a_judgement_are_no_statement(text: str, empty: bool) -> None:
    assert has_no_statement(text, "Calls have a timeout.", CODE, ASSESSING) is empty


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("`q.size()` stands on line 17, after the append.", "q.size()` stands on line 17"),
        ("q.size() is on line 12.", ""),
        ("q.size() is on line 13, give or take.", ""),
        ("The error is returned on line 17.", ""),
        ("q.size() is called on line 900.", ""),
    ],
)
def test_a_name_stands_near_the_line_that_it_is_put_on(text: str, words: str) -> None:
    assert find_misplaced(text, CODE).lstrip("`") == words


def test_lines_of_several_files_are_not_compared() -> None:
    assert find_misplaced("q.size() is on line 17.", f"{CODE}=== b.go (modified, go)\n17 x\n") == ""


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("It stops at 37 jobs.", "37"),
        ("It stops at 40 jobs.", ""),
        ("Eighty, 80, is twice the 40 here.", ""),
        ("It answers 429 then.", ""),
        ("Since Go 1.21 this is so.", ""),
        ("See line 97.", ""),
        ("3 branches, all end.", ""),
    ],
)
def test_a_figure_for_a_bound_comes_from_what_is_shown(text: str, figure: str) -> None:
    assert find_foreign_figure(text, RULE, CODE) == figure
    assert find_foreign_figure(text, "A queue is bounded.", CODE) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Our team has had this for long.",
        "The release is due tonight.",
        "Provided that the caller is polite, it ends.",
        "It has been so since spring.",
        "As long as nobody pushes more, it holds.",
    ],
)
def test_talk_of_the_house_supports_no_allowance_but_may_a_denial(text: str) -> None:
    assert take_support(text, RULE, allowing=True) == ""
    assert take_support(text, RULE) == text


@pytest.mark.parametrize(
    ("verdict", "text", "flagged"),
    [
        # What a denial brings in, or what somebody could send, need not stand there.
        ("DENY", "If append fails the job is lost. A `defer q.Drop(job)` covers that.", False),
        ("DENY", 'Put {"jobs": "x"} and size() miscounts the jobs.', False),
        ("DENY", "No bound on Put, tie it to q.limits.", False),
        ("DENY", "A job in Flush() is never dropped.", True),
        # A pronoun is said of anything.
        ("ALLOW", "ErrFull from 40 on: neither caller nor worker keeps it.", False),
        ("ALLOW", "It could hold 50 jobs, or it could turn out not to.", True),
    ],
)
def test_claims_are_told_from_proposals(verdict: str, text: str, flagged: bool) -> None:
    known = {"confidence": 0.9}
    if verdict == "DENY":
        known |= {"quotes": ["q.jobs = append(q.jobs, job)"], "locations": ["work/queue.go:15"]}
    result = verdict_rationale_rules(verdict).evaluate(
        question=RULE, response=text, context=CODE, metadata=known
    )
    assert result.flagged is flagged, result.audit_explanation


def test_what_the_rule_says_itself_is_no_talk_of_the_house() -> None:
    rule = "Logs are kept for as long as their purpose demands."
    text = "`keep_for(purpose)` is set, nothing breaks it: logs are kept for as long as demanded."
    assert take_support(text, rule, allowing=True) == text
