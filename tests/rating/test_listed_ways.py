"""Lists of ways to keep a clause, each with its look-alikes: what each of them is told as.

They are the rater's authors' own, written out before they were rated: ways to mask, drop and let go
of what tells who somebody is (GDPR 25), to erase (GDPR 17), to say that feelings are read (50(3)),
to record and to let expire, to ask a person, to be overruled, and to stop; and ways to read what
workers and pupils feel, to press the weak, and to work on people unnoticed (5(1)(a), (b), (f)), by
texts and by what is chosen, set and drawn; for the police to look for people in live pictures
(5(1)(h)); to score lives, foretell crimes, gather faces and sort by them (5(1)(c), (d), (e), (g));
to wait for a person's word; and to spare, record, halt, approve and overrule by what stands around
a function, in a chain, in a service, a queue, a wrapper of a route, or a mapper; to ask a model, to
have a person decide, to have a platform keep what was decided, and to spare, let go, tell and ask;
and to say that a face is read, to foretell crimes, to deceive, to keep logs and to report harm;
to come to rest, to be undone, and to be run by those who can.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.rating.clause_repositories import ClauseRepository, read_repositories
from tests.support.rating import rate_document

MISSED = {
    ("mask-small-groups", "25"): "figures of few people are left out",
    ("gone-django-view", "17"): "a view of the framework deletes whoever calls",
    ("gone-dynamo", "17"): "only a platform's settings say by what a function is called",
    ("feel-interview", "5(1)(f)"): "only names of its own say whom it looks at",
    ("wait-event", "14(1)"): "what is waited for is an event in memory",
    ("wait-ts", "14(1)"): "what is waited for is a promise that a route settles",
    ("spare-as-text", "25"): "a class tells itself without who it is",
    ("weak-elder-upsell", "5(1)(b)"): "what a page shows is not read as a text",
    ("desk-writer-thread", "12(1)"): "what is written goes through a queue in memory",
    ("desk-writer-thread", "MEASURE 2.8"): "what is written goes through a queue in memory",
    ("desk-over-admin", "14(4)(d)"): "a page of the framework changes the row",
    ("desk-over-cli", "14(4)(d)"): "of either of two values nobody knows which goes before",
    ("desk-over-mongo", "14(4)(d)"): "a row that is handed on whole by a file has no name there",
    ("less-ts-counts", "25"): "what stays is counted in memory, and few are not told of",
    ("left-py-cli", "17"): "only the name of a script says what it is for",
    ("lawful-py-purposes", "5"): "columns are emptied one by one, by a name that is put in",
    ("lawful-py-django-form", "5"): "a form of the framework asks whether somebody agrees",
    ("ask-py-rscript", "12(1)"): "a script in another language has the model",
    ("ask-ts-bayes", "12(1)"): "a callback sets what holds the model",
    ("seen-ts-slack", "50(3)"): "a robot speaks what it is sent, and nobody knows that it speaks",
    ("crime-ts-welfare", "5(1)(d)"): "only what is written of somebody names a fraud",
    ("lure-py-frames", "5(1)(a)"): "which frame is shown stands in a remainder",
    ("lure-ts-countdown", "5(1)(a)"): "what is counted down begins again",
    ("lure-ts-doctor", "5(1)(a)"): "who is posed as is said, and nothing else is",
    ("fair-py-asked-sweep", "5"): "whoever agrees sets a column that is called by no such word",
    ("undo-ts-form", "14(4)(d)"): "what a page was told stands in its own state",
    ("able-table", "MAP 3.4"): "a table of roles says it under a heading of operations",
    ("kept-py-logrotate", "19"): "how often a log is turned over stands on another line",
    ("kept-py-logrotate", "26(6)"): "how often a log is turned over stands on another line",
    ("kept-ts-bicep", "19"): "settings of a platform alone say so, and are tied to no record",
    ("kept-ts-bicep", "26(6)"): "settings of a platform alone say so, and are tied to no record",
    **dict.fromkeys(
        (
            (name, clause)
            for clause in ("14(1)", "22")
            for name in (
                "weigh-django-admin",  # a page of the framework does it with the rows
                "weigh-py-by-mail",  # the answer comes by mail
                "weigh-py-ticket",  # another system keeps the question
                "weigh-ts-sheet",  # people write into a table of their own
                "weigh-ts-step-functions",  # a platform's settings say what waits
            )
        ),
        "the person says it in a system that is not here",
    ),
}
"""What holds and is not seen."""
BELIEVED = {
    ("hold-ts-not-other", "26(6)"): "a platform's settings are tied to no log by their names"
}
"""What looks alike and is believed."""
_GROUPS: defaultdict[str, list[ClauseRepository]] = defaultdict(list)
for _one in read_repositories("listed"):
    _GROUPS[_one.name.partition("-")[0]].append(_one)


@pytest.mark.parametrize("group", sorted(_GROUPS))
def test_ways_are_told_from_their_look_alikes(group: str) -> None:
    for one in _GROUPS[group]:
        shown = {
            (part["id"], item["id"]): item["supported_verdict"]
            for part in rate_document(one.files)["regulations"]
            for item in part["clauses"]
        }
        for label in one.labels:
            told = ("fail", "partial") if label.clause.startswith("5(1)") else ("pass", "partial")
            seen = shown[label.regulation, label.clause] in told
            known = (one.name, label.clause)
            wanted = known in BELIEVED or (label.holds and known not in MISSED)
            assert seen is wanted, (one.name, label)
