"""What reviewers in a hurry write is a reason if it holds on to the code."""

from __future__ import annotations

import pytest

from jurat.audit import verdict_rationale_rules
from jurat.audit.soundness import is_trivial_quote

CODE = """\
=== web/login.py (modified, python)
@@ 30 def start(response, session):
30+    response.set_cookie("sid", session.id, httpOnly=True)
31+    for attempt in range(5):
32+        requests.get(session.url, timeout=5)
"""


def is_flagged(verdict: str, rule: str, text: str, quote: str = "") -> bool:
    known = {"confidence": 0.9, "rule_id": "house.rule"}
    if quote:
        known |= {"quotes": [quote], "locations": ["web/login.py:31"]}
    rules = verdict_rationale_rules(verdict)
    return rules.evaluate(question=rule, response=text, context=CODE, metadata=known).flagged


COOKIES, CALLS = "Session cookies are not readable by scripts.", "Every request has a timeout."


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (COOKIES, "httpOnly is on."),
        (CALLS, "`requests.get(session.url, timeout=5)` has a timeout."),
        ("Retries are bounded.", "Five attempts, then it falls through."),
    ],
)
def test_what_is_said_of_the_code_is_a_reason(rule: str, text: str) -> None:
    assert not is_flagged("ALLOW", rule, text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (COOKIES, "`httpOnly=False` it is not, so this passes in web/login.py."),
        (COOKIES, "httpOnly=False is set."),
        ("Retries are bounded.", "It stops after range(3) attempts."),
    ],
)
def test_a_switch_or_a_figure_of_a_call_that_the_code_contradicts_is_a_false_claim(
    rule: str, text: str
) -> None:
    assert is_flagged("ALLOW", rule, text)


def test_a_denial_may_speak_of_a_name_beside_what_it_quotes() -> None:
    text = "A dead peer hangs set_cookie() for good."
    assert not is_flagged("DENY", "Retries are bounded.", text, quote="for attempt in range(5):")


def test_a_keyword_with_a_constant_is_a_statement() -> None:
    assert not any(map(is_trivial_quote, ("while True:", "except: pass", "return None")))
    assert all(map(is_trivial_quote, ("def", "return", "else:", "if not", "(", "True")))
