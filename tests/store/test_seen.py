"""Whatever comes after what, each finding of a pull request is in exactly one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, UnreadFile, Verdict
from jurat.review_interfaces import Inputs, Review
from jurat.rules.config import Config
from jurat.rules.rule import RuleSet
from jurat.source.diff import Diff
from jurat.store.rule_history import TrackedFinding, update_tracked
from tests.support.values import a_context, a_location, a_rule, a_verdict

RULES = {rule.id: rule for rule in (a_rule("one"), a_rule("two"))}
PATHS = ("a.py", "b.py")
CODE = ("md5(a)", "md5(b)")
Found = dict[str, list[tuple[str, str]] | None]

_places = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(CODE)), max_size=4)
_reviews = st.tuples(
    st.dictionaries(st.sampled_from(sorted(RULES)), st.one_of(st.none(), _places)),
    st.lists(st.sampled_from(PATHS), max_size=1),
)
"""What each rule found and where, None if it was not decided; and the files that were not read."""


def reviewed(found: Found, unread: Sequence[str]) -> Review:
    verdicts = tuple(_verdict(rule_id, places) for rule_id, places in found.items())
    coverage = Coverage(2, tuple(UnreadFile(path, "too large") for path in unread))
    evaluation = Evaluation("e", Verdict.ALLOW, verdicts, coverage)
    material = Inputs(Diff(), RuleSet(RULES), Config(), repository="a/b", number=1)
    return Review(material, a_context(), evaluation)


def _verdict(rule_id: str, places: list[tuple[str, str]] | None) -> RuleVerdict:
    rule = RULES[rule_id]
    if places is None:
        return a_verdict(rule, Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED)
    locations = tuple(a_location(path, snippet=code) for path, code in places)
    return a_verdict(rule, Verdict.DENY if places else Verdict.ALLOW, locations=locations)


@given(st.lists(_reviews, max_size=6))
def test_every_finding_is_in_exactly_one_state(drawn: list[tuple[Found, list[str]]]) -> None:
    seen: tuple[TrackedFinding, ...] = ()
    for found, unread in drawn:
        review = reviewed(found, unread)
        before, seen = {item.fingerprint: item for item in seen}, update_tracked(seen, review)
        after = {item.fingerprint: item for item in seen}
        assert len(after) == len(seen)
        now = {finding.id for finding in review.evaluation.findings}
        assert all(after[key].open for key in now)
        assert after.keys() <= before.keys() | now
        for key in before.keys() - now:
            looked_for = found.get(before[key].rule_id, []) is not None
            looked_for &= before[key].path not in unread
            if not looked_for:
                assert after[key] == before[key]
            elif key in after:
                assert not after[key].open


@given(_reviews)
def test_the_same_review_again_changes_nothing(drawn: tuple[Found, list[str]]) -> None:
    review = reviewed(*drawn)
    once = update_tracked((), review)
    assert update_tracked(once, review) == once


def test_what_lies_beyond_the_places_that_are_listed_is_not_gone() -> None:
    before = update_tracked((), reviewed({"one": [("a.py", "md5(a)")]}, ()))
    review = reviewed({"one": [("b.py", "md5(b)")]}, ())
    (verdict,) = review.evaluation.rule_verdicts
    cut = replace(review.evaluation, rule_verdicts=(replace(verdict, unlisted_count=1),))
    after = update_tracked(before, replace(review, evaluation=cut))
    assert [(item.path, item.open) for item in after] == [("b.py", True), ("a.py", True)]
