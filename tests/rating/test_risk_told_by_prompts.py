"""A model that is asked about people in a field of Annex III makes a system of high risk."""

from __future__ import annotations

import pytest

from tests.support.rating import rate_document

ASKING = """
from flask import Flask, request
from openai import OpenAI

app = Flask(__name__)


@app.post("/x")
def go():
    return OpenAI().chat.completions.create(
        model="gpt-4o", messages=[{{"role": "user", "content": {asked!r} + request.json["x"]}}]
    ).choices[0].message.content
"""


def classify_asking(asked: str) -> str:
    return str(rate_document({"app.py": ASKING.format(asked=asked)})["risk_classification"])


@pytest.mark.parametrize(
    "asked",
    [
        "Estimate how long the employee will stay with us.",
        "Will this employee leave within a year?",
        "Predict which students will drop out.",
        "Say whether the pupil may move up a year.",
        "Should the insurance application go through?",
        "Decide if the borrower gets another year.",
        "Is the person entitled to housing assistance?",
        "Judge the truth of what the refugee says.",
    ],
)
def test_people_who_are_weighed_make_high_risk(asked: str) -> None:
    assert classify_asking(asked) == "high"


@pytest.mark.parametrize(
    "asked",
    [
        "Help the student with the homework.",
        "The employee handbook is attached. Answer from it.",
        "Write a greeting for a new employee.",
        "Is this product review positive or negative?",
        "Rate the quality of this translation.",
        "Explain how a mortgage works.",
    ],
)
def test_people_who_are_only_named_do_not(asked: str) -> None:
    assert classify_asking(asked) != "high"
