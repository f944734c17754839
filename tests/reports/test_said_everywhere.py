"""Whatever shows a finding says the same of it: what is wrong, what took the safeguard away, and
where it does not stand.
"""

from __future__ import annotations

import datetime as dt
import io
import re
from dataclasses import replace
from html import unescape

import pytest

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Cause, Problem, Verdict, make_findings
from jurat.findings.verdict import DecidedBy, RuleVerdict
from jurat.reports.actions import to_workflow_commands
from jurat.reports.answer import EvaluationAnswer
from jurat.reports.check_run import CheckRun, ReviewPost
from jurat.reports.formats import ReviewReport
from jurat.reports.pull_request import plan_check_run, plan_writes
from jurat.reports.sarif import WHOLE_CHANGE, to_sarif
from jurat.reports.text import write_report
from jurat.rules.config import Config
from jurat.server.dashboard import render_review
from jurat.store.rows import StoredReview
from tests.support.values import a_context, a_file, a_location, a_rule, a_verdict

WRONG = "`yaml.load` reads `text` with `yaml.Loader`."
REMOVED = "This removed what kept `py.yaml-load` true here, there since 3f2c1a0."
EDIT = "It would pass with `Loader=yaml.SafeLoader,` put back."
NORM = "YAML is read with the safe loader."
_GAPS = re.compile("\\\\|\u200b|&#8203;")
"""What keeps text from being more than that on GitHub, where nobody sees it."""

WHOLE = "The change adds code and touches no test."


def removal() -> RuleVerdict:
    rule = a_rule("py.yaml-load", statement=NORM)
    place = replace(a_location("app.py", 2), cause=Cause(3, (3,), safeguard=True, since="3f2c1a0"))
    problem = Problem(WRONG, place, EDIT.removeprefix("It would pass ").removesuffix("."))
    return replace(a_verdict(rule), findings=make_findings(rule, Verdict.DENY, [problem]))


def whole() -> RuleVerdict:
    rule = a_rule("change.tests", statement="A change of code comes with a change of tests.")
    given = a_verdict(rule, decided_by=DecidedBy.DETERMINISTIC)
    return replace(given, findings=make_findings(rule, Verdict.DENY, [Problem(WHOLE)]))


EVALUATION = Evaluation("ev", Verdict.DENY, (removal(), whole()), Coverage(1))
EDITS = plan_writes(EVALUATION, a_context(a_file()), Config(), (), "a" * 40)
(REVIEW,) = (edit for edit in EDITS if isinstance(edit, ReviewPost))
(CHECK,) = (edit for edit in EDITS if isinstance(edit, CheckRun))
ALONE = plan_check_run(EVALUATION, Config())
SARIF = to_sarif(EVALUATION, version="1")["runs"][0]
ANSWER = EvaluationAnswer.build(EVALUATION)


def text() -> str:
    stream = io.StringIO()
    write_report(ReviewReport(EVALUATION, {}), stream)
    return " ".join(stream.getvalue().split())


def dashboard() -> str:
    stored = StoredReview(ANSWER, dt.datetime(2026, 3, 3, tzinfo=dt.UTC))
    return unescape(render_review(stored, web_url="https://github.com", leave=False))


@pytest.mark.parametrize(
    "said",
    [
        "\n".join(comment.body for comment in REVIEW.comments),
        CHECK.summary,
        "\n".join(note.message for note in ALONE.annotations),
        "\n".join(result["message"]["text"] for result in SARIF["results"]),
        "\n".join(item.message for rule in ANSWER.rule_verdicts for item in rule.findings),
        to_workflow_commands(EVALUATION),
        text(),
        dashboard(),
    ],
    ids=["comment", "summary", "annotation", "sarif", "json", "actions", "text", "dashboard"],
)
def test_what_is_wrong_and_what_was_removed_is_said(said: str) -> None:
    for sentence in (WRONG, REMOVED, EDIT):
        assert sentence in _GAPS.sub("", said)


@pytest.mark.parametrize(
    "said",
    [
        REVIEW.comments[0].body,
        ALONE.annotations[0].message,
        SARIF["tool"]["driver"]["rules"][0]["fullDescription"]["text"],
        ANSWER.rule_verdicts[0].statement,
        to_workflow_commands(EVALUATION),
        text(),
        dashboard(),
    ],
    ids=["comment", "annotation", "sarif", "json", "actions", "text", "dashboard"],
)
def test_the_norm_stands_beneath(said: str) -> None:
    assert NORM in said


def test_what_is_about_the_whole_change_stands_at_the_pull_request() -> None:
    assert [comment.path for comment in REVIEW.comments] == ["app.py"]
    assert f"{WHOLE}<br>the change as a whole" in CHECK.summary
    assert [note.path for note in ALONE.annotations] == ["app.py"]
    assert f"{WHOLE}<br>the change as a whole" in ALONE.summary
    (result,) = [item for item in SARIF["results"] if item["message"]["text"] == WHOLE]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == WHOLE_CHANGE
    (command,) = [line for line in to_workflow_commands(EVALUATION).splitlines() if WHOLE in line]
    assert "file=" not in command
    assert ANSWER.rule_verdicts[1].findings[0].location is None
    assert f"The change as a whole HIGH, blocks change.tests {WHOLE}" in text()
    assert f"<p>{WHOLE}</p>" in dashboard()
