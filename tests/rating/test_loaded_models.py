"""A model that an own function loads and gives back is asked by whoever calls what it gave."""

from __future__ import annotations

import pytest

from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program

LOADED = """
import functools
import json

import joblib
import transformers


@functools.cache
def model():
    return MADE


def judge(text):
    return USED
"""


@pytest.mark.parametrize(
    ("made", "used", "asks"),
    [
        ('transformers.pipeline("text-classification")', "model()(text)", True),
        ('joblib.load("model.joblib")', "model().predict_proba([text])", True),
        ('json.loads("{}")', "model().get(text)", False),
        ('json.loads("{}")', "model()(text)", False),
        ('joblib.load("model.joblib")', "text", False),
        ('joblib.load("a.joblib") or json.loads("{}")', "model()(text)", False),
    ],
)
def test_what_a_function_gave_is_known_by_what_made_it(made: str, used: str, *, asks: bool) -> None:
    text = LOADED.replace("MADE", made).replace("USED", used)
    assert bool(Conduct(Program({"main.py": read_facts(text, "python")})).inferring) is asks
