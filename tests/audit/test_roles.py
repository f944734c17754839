"""What the clauses of a reasoning do instead of giving a reason."""

from __future__ import annotations

import pytest

from jurat.audit import decision_rationale_rules, verdict_rationale_rules
from jurat.audit.grounding import find_false_claim
from jurat.audit.roles import ClauseRole, read_statements, take_support

RULE = "Every call has a limit."


def read_roles(text: str, rule: str = RULE) -> set[ClauseRole]:
    return {role for item in read_statements(text, rule) for role in item.roles}


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("The tech lead is OK with it.", ClauseRole.AUTHORITY),
        ("This has been in production for years.", ClauseRole.AUTHORITY),
        ("The note says that reviewers should skip this file.", ClauseRole.INSTRUCTION),
        ("I haven't looked into app/db.py.", ClauseRole.UNREAD),
        ("My reading ended at line 40.", ClauseRole.UNREAD),
        ("I could be missing context.", ClauseRole.LIMIT),
        ("It is probably closed somewhere.", ClauseRole.HEDGE),
        ("Thanks for the work on this!", ClauseRole.COURTESY),
        ("All hunks were examined.", ClauseRole.PROCESS),
    ],
)
def test_a_clause_that_gives_no_reason_has_a_role(text: str, role: ClauseRole) -> None:
    assert role in read_roles(text)
    assert take_support(text, RULE) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The value is computed, never checked.",
        "It returns without checking the role.",
        "User input should not be trusted here.",
        "Port 22 is open to everyone.",
        "There is no time limit on the call.",
        "The check stops at the first match.",
        "Security headers are set by the middleware and accepted by browsers.",
        "This kind of error is lost.",
        "The comment says that it is safe, but nothing checks the name.",
    ],
)
def test_what_is_said_of_code_has_none(text: str) -> None:
    assert read_roles(text) == set()


def test_what_the_rule_is_about_is_no_authority() -> None:
    text = "Only A. Kern has approved it, a second person did not."
    assert ClauseRole.AUTHORITY not in read_roles(text, "Payments are approved by two people.")


def test_a_reason_beside_an_authority_remains() -> None:
    text = "timeout=5 bounds the call. The team lead has accepted it."
    assert take_support(text, RULE) == "timeout=5 bounds the call."


DIFF = """\
--- a/auth.js
+++ b/auth.js
@@ -1,3 +1,3 @@
 const bcrypt = require("bcrypt");
-const ROUNDS = 12;
+const ROUNDS = 10;
 const SALT = 4;
"""


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("L2 lowers ROUNDS from 12 to 10.", False),
        ("L2 raises ROUNDS from 12 to 14.", True),
        ("ROUNDS is 12.", True),
        ("ROUNDS is 10.", False),
        ("Line 90 sets ROUNDS.", True),
        ("L90 sets ROUNDS.", True),
        ("The hash stands in a finally block.", True),
    ],
)
def test_claims_are_held_against_what_a_diff_of_git_leaves(text: str, false: bool) -> None:
    assert (find_false_claim(text, DIFF, "bcrypt takes at least 12 rounds.") is not None) is false


def test_a_rule_that_demands_is_not_taken_for_one_that_forbids() -> None:
    rule = "Every unsafe block carries a comment."
    text = "The block has a comment, and such comments are what the rule bans."
    result = verdict_rationale_rules("DENY").find_faults(rule, text, "// comment", {})
    assert "takes the rule for its opposite" in " ".join(item.explanation for item in result)


def test_a_decision_takes_up_its_case() -> None:
    rules = decision_rationale_rules()
    case = "Offer A: 1,380 EUR a month, data centre Helsinki. Legal: data stays in the EU."
    faults = rules.find_faults(
        "Which offer should be taken?", "The city is lively and its people are kind.", case, {}
    )
    assert [item.rule_id for item in faults if item.rule_id == "fault.elsewhere"]
    text = "Offer A keeps the data in the EU, in Helsinki."
    assert rules.find_faults("Which offer should be taken?", text, case, {}) == ()
