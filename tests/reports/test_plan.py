"""What is wanted, less what is posted: no second comment, no comment outside the diff."""

from __future__ import annotations

from dataclasses import replace

from jurat.findings.evaluation import Conclusion, aggregate, conclude
from jurat.findings.finding import FixCheck, Waiver, WaiverKind
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.reports.check_run import CheckRun, Edit, EditComment, PostedComment, ReviewPost
from jurat.reports.comment import parse_marker
from jurat.reports.pull_request import plan_writes
from jurat.rules.config import Config, ReviewConfig
from jurat.rules.rule import Maturity, Modality
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from tests.support.values import (
    a_context,
    a_file,
    a_fix,
    a_location,
    a_rule,
    a_verdict,
    with_findings,
)

HEAD = "a" * 40


def planned(
    *verdicts: RuleVerdict,
    files: tuple[FileChange, ...] = (a_file(),),
    posted: tuple[PostedComment, ...] = (),
    max_comments: int = 20,
) -> tuple[Edit, ...]:
    context = a_context(*files)
    selection = Selection(tuple(item.rule for item in verdicts))
    evaluation = aggregate(context, selection, verdicts, evaluation_id="e1")
    configuration = Config(review=ReviewConfig(max_comments=max_comments))
    conclusion = conclude(evaluation, configuration.review)
    evaluation = replace(evaluation, conclusion=conclusion)
    return plan_writes(evaluation, context, configuration, posted, HEAD)


def review_in(edits: tuple[Edit, ...]) -> ReviewPost:
    (review,) = (edit for edit in edits if isinstance(edit, ReviewPost))
    return review


def posted_from(edits: tuple[Edit, ...]) -> tuple[PostedComment, ...]:
    """What GitHub would hold after these edits were made."""
    return tuple(
        PostedComment(number, comment.path, comment.line, comment.body, HEAD)
        for number, comment in enumerate(review_in(edits).comments, start=1)
    )


def denied(*lines: int, path: str = "app.py", rule_id: str = "py.no-md5") -> RuleVerdict:
    return a_verdict(
        a_rule(rule_id),
        locations=tuple(a_location(path, line, snippet=f"md5({line})") for line in lines),
        remediations=tuple(a_fix(path, line) for line in lines),
    )


def allowed(rule_id: str = "py.no-md5") -> RuleVerdict:
    return a_verdict(a_rule(rule_id), Verdict.ALLOW)


def test_one_review_holds_all_inline_comments_and_the_check_comes_last() -> None:
    edits = planned(denied(2, 5))
    assert [type(edit) for edit in edits] == [ReviewPost, CheckRun]
    assert [(c.path, c.line) for c in review_in(edits).comments] == [("app.py", 2), ("app.py", 5)]
    check = edits[-1]
    assert isinstance(check, CheckRun)
    assert check.conclusion is Conclusion.FAILURE
    assert check.title == "1 rule blocks"


def test_a_finding_with_a_comment_gets_no_second_one() -> None:
    posted = posted_from(planned(denied(2)))
    assert [type(edit) for edit in planned(denied(2), posted=posted)] == [CheckRun]


def test_a_finding_that_moved_to_another_line_gets_no_second_comment() -> None:
    posted = posted_from(planned(denied(2)))
    moved = a_verdict(locations=(a_location(start=7, snippet="md5(2)"),))
    assert [type(edit) for edit in planned(moved, posted=posted)] == [CheckRun]


def test_a_finding_whose_file_was_renamed_gets_no_second_comment() -> None:
    posted = posted_from(planned(denied(2)))
    edits = planned(denied(2, path="new.py"), files=(a_file("new.py"),), posted=posted)
    assert [type(edit) for edit in edits] == [CheckRun]


def test_the_same_code_in_another_file_does_not_take_over_the_comment_of_one_that_was_fixed() -> (
    None
):
    files = (a_file(), a_file("new.py"))
    posted = posted_from(planned(denied(2), files=files))
    edits = planned(denied(2, path="new.py"), files=files, posted=posted)
    assert [comment.path for comment in review_in(edits).comments] == ["new.py"]
    (edited,) = [edit for edit in edits if isinstance(edit, EditComment)]
    assert edited.body.startswith("> ✔ Fixed in ")


def test_a_fix_that_did_not_hold_leaves_the_button_to_the_next() -> None:
    bad = replace(a_fix(), verification=FixCheck(problem="the file would no longer parse"))
    first = with_findings(denied(2), denied(2).locations, [bad])
    second = denied(2, rule_id="py.other")
    one, other = review_in(planned(first, second)).comments
    assert "```suggestion" not in one.body
    assert "```suggestion" in other.body


def test_a_finding_beyond_those_that_a_verdict_lists_is_not_gone() -> None:
    posted = posted_from(planned(denied(2, 5)))
    cut = replace(denied(2), unlisted_count=1)
    edits = planned(cut, posted=posted)
    assert [type(edit) for edit in edits] == [CheckRun]
    assert isinstance(edits[0], CheckRun)
    assert "…and 1 more finding." in edits[0].summary


def test_a_comment_whose_finding_is_gone_says_in_which_commit() -> None:
    posted = posted_from(planned(denied(2, 5)))
    edits = planned(denied(5), posted=posted)
    (edit,) = (edit for edit in edits if isinstance(edit, EditComment))
    assert edit.comment_id == 1
    assert edit.body.startswith("> ✔ Fixed in aaaaaaaaaaaa.")


def test_a_fixed_comment_is_edited_once() -> None:
    posted = posted_from(planned(denied(2)))
    (edit,) = (edit for edit in planned(allowed(), posted=posted) if isinstance(edit, EditComment))
    fixed = (replace(posted[0], body=edit.body),)
    assert [type(edit) for edit in planned(allowed(), posted=fixed)] == [CheckRun]


def test_a_finding_that_is_back_reopens_its_comment() -> None:
    posted = posted_from(planned(denied(2)))
    (edit,) = (edit for edit in planned(allowed(), posted=posted) if isinstance(edit, EditComment))
    back = planned(denied(2), posted=(replace(posted[0], body=edit.body),))
    (reopened,) = (edit for edit in back if isinstance(edit, EditComment))
    marker = parse_marker(reopened.body)
    assert marker is not None
    assert marker.state == "open"


def test_a_finding_that_does_not_count_is_called_so_and_not_fixed() -> None:
    posted = posted_from(planned(denied(2)))
    waiver = Waiver(WaiverKind.DISMISSED, "wendy", "A checksum.")
    waived = with_findings(denied(2), denied(2).locations, [a_fix()], [waiver])
    edits = planned(waived, posted=posted)
    (edit,) = (item for item in edits if isinstance(item, EditComment))
    marker = parse_marker(edit.body)
    assert marker is not None
    assert marker.state == "waived"
    (check,) = planned(waived)
    assert isinstance(check, CheckRun)


def test_a_finding_nobody_looked_for_is_not_called_fixed() -> None:
    posted = posted_from(planned(denied(2)))
    unassessed = a_verdict(verdict=Verdict.NOT_ASSESSED, gap=NotAssessedReason.MODEL_FAILED)
    assert [type(edit) for edit in planned(unassessed, posted=posted)] == [CheckRun]
    unread = a_file(unread="cut off")
    assert [type(edit) for edit in planned(allowed(), files=(unread,), posted=posted)] == [CheckRun]


def test_a_finding_outside_the_diff_is_an_annotation() -> None:
    edits = planned(denied(40))
    (check,) = edits
    assert isinstance(check, CheckRun)
    assert [(note.path, note.start_line) for note in check.annotations] == [("app.py", 40)]


def test_a_long_function_is_commented_on_its_first_added_line() -> None:
    verdict = a_verdict(locations=(a_location(start=2, end=300),))
    (comment,) = review_in(planned(verdict, files=(a_file(first=20),))).comments
    assert (comment.line, comment.start_line) == (20, None)


def test_a_fix_of_several_lines_is_commented_on_just_those() -> None:
    verdict = a_verdict(locations=(a_location(start=4),), remediations=(a_fix(start=3, end=5),))
    (comment,) = review_in(planned(verdict)).comments
    assert (comment.start_line, comment.line) == (3, 5)
    assert "```suggestion" in comment.body


def test_of_two_fixes_for_one_line_only_the_first_is_a_button() -> None:
    bodies = [c.body for c in review_in(planned(denied(2), denied(2, rule_id="py.z"))).comments]
    assert ["```suggestion" in body for body in bodies] == [True, False]


def test_what_exceeds_the_comment_budget_stands_in_the_summary() -> None:
    edits = planned(denied(*range(1, 8)), max_comments=3)
    assert len(review_in(edits).comments) == 3
    check = edits[-1]
    assert isinstance(check, CheckRun)
    assert all(f"app.py:{line}" in check.summary for line in range(1, 8))


def test_open_comments_count_against_the_budget() -> None:
    posted = posted_from(planned(denied(1, 2, 3), max_comments=3))
    edits = planned(denied(*range(1, 6)), posted=posted, max_comments=3)
    assert [type(edit) for edit in edits] == [CheckRun]


def test_a_shadow_finding_stands_in_the_summary_alone() -> None:
    rule = a_rule(maturity=Maturity.EXPERIMENTAL)
    (check,) = planned(a_verdict(rule, locations=(a_location(),)))
    assert isinstance(check, CheckRun)
    assert check.conclusion is Conclusion.NEUTRAL
    assert "Shadow: 1 finding of rules that only observe" in check.summary
    assert check.annotations == ()


def test_a_finding_of_the_whole_change_stands_in_the_summary() -> None:
    (check,) = planned(a_verdict())
    assert isinstance(check, CheckRun)
    assert "the change as a whole" in check.summary


def test_the_review_begins_with_what_matters() -> None:
    advice = a_verdict(
        a_rule("py.taste", modality=Modality.SHOULD), locations=(a_location("app.py", 7),)
    )
    unassessed = a_verdict(
        a_rule("py.judged", modality=Modality.SHOULD),
        Verdict.NOT_ASSESSED,
        gap=NotAssessedReason.NO_MODEL,
    )
    files = (a_file(), replace(a_file("big.js"), unread="It has 9 MB."))
    one = review_in(planned(denied(2))).body
    assert one == "**1 rule blocks this change.** The button _Apply fixes_ commits 1 checked fix."
    many = review_in(planned(denied(2, 5, 30), advice, unassessed, files=files)).body
    assert many == (
        "**1 rule blocks this change at 3 places.** 1 rule gives advice. The button _Apply fixes_"
        " commits 3 checked fixes. In the check's summary: 1 more finding without a comment,"
        " 1 rule not assessed, 1 file not read."
    )
    assert review_in(planned(advice)).body == "**Nothing blocks this change.** 1 rule gives advice."
