"""Whole words, numbers by value, and statements that no decimal point ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.audit.checks import (
    CONFIDENCE,
    CONFIDENCE_WORDS,
    find_passage,
    list_quotes,
    remove_quotes,
)
from jurat.audit.text import _NUMBER, Phrases, compute_stem, parse_text


@pytest.mark.parametrize(
    ("phrase", "text", "said"),
    [
        ("aml", "We streamline it.", ""),
        ("aml", "An AML-flag", "aml"),
        ("aml", "AML2 and aml_x", "aml"),
        ("aml", "AML2", ""),
        ("due to", "It is due\nto this.", "due to"),
        ("due to", "It is due. To fix it, wait.", ""),
        ("due to", "It is due.\n\nTo fix it", ""),
        ("due to", "overdue to", ""),
        ("suggest*", "This suggests it", "suggests"),
        ("suggest*", "unsuggested", ""),
        ("cash flow", "CASH-FLOW", "cash flow"),
        ("would approv*", "We would approve.", "would approve"),
        ("don't know", "I don\u2019t know", "don't know"),
        ("because", "be\u200bcause", "because"),
        ("aml", "\uff21\uff2d\uff2c", "aml"),
    ],
)
def test_phrases_are_whole_words_within_one_sentence(phrase: str, text: str, said: str) -> None:
    assert Phrases.of(phrase).find_first(parse_text(text)) == said


@pytest.mark.parametrize("phrase", ["", "*", "a*b", "!", "one. two", " "])
def test_what_is_no_phrase_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match="is no phrase"):
        Phrases.of(phrase)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The score is 0.225 and 1,000.50 EUR are due.", 1),
        ("The score is 0.225. It is low.", 2),
        ("He said (it is late.) Then he left.", 2),
        ('It says "pay now." They paid.', 2),
        ("See e.g. Art. 12 or p. 4, approx. 3 of them.", 1),
        ("Is it late? It is!", 2),
        ("Income is low; debt is high.", 2),
        ("Findings\n- one thing\n- another thing", 2),
        ("1. one thing\n2. another thing", 2),
        ("One thing.\n\nAnother thing", 2),
        ("Yes. No.", 0),
        ("個人情報です。ログに出ます。", 2),
        ("version 1.2.3 is out", 1),
    ],
)
def test_statements_are_counted(text: str, count: int) -> None:
    assert parse_text(text).statements == count


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,000.50 EUR", {"1000.5"}),
        ("850000.00", {"850000"}),
        ("0.30 and .3 and 0,30", {"0.3"}),
        ("007", {"7"}),
        ("50k, 3rd and 45h", {"50", "3", "45"}),
        ("K0_10, SHA256 and v2", set()),
        ("1.2.3 and 1.000,50", {"1.2.3", "1.000,50"}),
        ("on 2026-01-31", {"2026", "1", "31"}),
        ("1. first\n(2) second", set()),
        ("80%", {"80"}),
        ("0 and 0.0", {"0"}),
    ],
)
def test_numbers_are_known_by_their_value(text: str, numbers: set[str]) -> None:
    assert parse_text(text).numbers == numbers


@pytest.mark.parametrize(
    "forms",
    [
        ("log", "logs", "logged", "logging"),
        ("policy", "policies"),
        ("hash", "hashes", "hashed", "hashing"),
        ("write", "writes", "writing"),
        ("disable", "disabled", "disabling", "disables"),
        ("address", "addresses", "addressed"),
        ("string", "strings"),
        ("class", "classes"),
        ("pass", "passes", "passed"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({compute_stem(form) for form in forms}) == 1


def test_asian_texts_are_compared_by_pairs_of_characters() -> None:
    assert parse_text("個人情報を出力しない").stems & parse_text("個人情報は含まれない").stems >= {
        "個人",
        "情報",
    }
    assert parse_text("個人情報を出力しない").length > 3


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Confidence of 80%.", "confidence of 80%"),
        ("(confidence 0.8)", "confidence 0.8"),
        ("Confidence level: 0.85", "confidence level: 0.85"),
        (
            "My confidence in this decision is about 0.7.",
            "confidence in this decision is about 0.7",
        ),
        ("It is 80 % likely", "80 % likely"),
        ("We are 95 percent sure.", "95 percent sure"),
        ("confidence 1.0", "confidence 1.0"),
        ("The loan covers 80% of the price.", ""),
        ("a probability of default of 2%", ""),
        ("high confidence", ""),
        ("confidence 12", ""),
        ("in 2024 likely", ""),
    ],
)
def test_a_confidence_is_a_figure_with_a_word_for_it(text: str, span: str) -> None:
    match = CONFIDENCE.search(text)
    assert (match.group().lower() if match else "") == span


MATERIAL = (
    '10+    log(secret,  level=10)\n11+    secrets = load()\n12+  }\nname = "A \\"B\\" C"\n| ok'
)


@pytest.mark.parametrize(
    ("passage", "stands"),
    [
        ("log(secret", True),
        ("log(secret, level=10)", True),
        ("    log(secret,  level=10)\n    secrets = load()", True),
        ("secret", True),
        ("secre", False),
        ("ecret", False),
        ("load", True),
        ("()", False),
        ("}", True),
        (")", False),
        ("ok", True),
        ("no", False),
        ("", False),
        ("log(key)", False),
        ('A "B" C', True),
        ("log(secret)\nnowhere()", False),
    ],
)
def test_a_quote_stands_where_its_lines_stand_as_whole_words(passage: str, stands: bool) -> None:
    assert find_passage([passage], MATERIAL) == (passage if stands else "")


def test_quotes_are_found_in_every_kind_of_mark() -> None:
    text = 'a "b" `c` “d” „e“ «f» 「g」 h'
    assert list_quotes(text) == ["b", "c", "d", "e", "f", "g"]
    assert remove_quotes(text).replace('"', "").split() == ["a", "h"]


def test_a_quotation_with_quotation_marks_inside_is_found_whole() -> None:
    assert 'log("a", b)' in list_quotes('It has "log("a", b)" in it.')


@given(st.text())
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    reading = parse_text(text)
    assert reading.spaced == f" {' '.join(reading.spaced.split())} "
    assert reading.statements >= 0
    assert reading.numbers >= set()
    assert reading.stems >= set()
    assert reading.content >= set()


@given(
    st.text(st.sampled_from("0159.,a _\n-\u0663"), max_size=12)
    | st.lists(st.sampled_from(["0.8", "v1.2.3", "1,000", ".5", "a1", " "])).map("".join)
)
def test_numbers_are_those_that_no_word_and_no_other_number_goes_on_into(text: str) -> None:
    plain = re.findall(r"(?<!\w)(?<!\d[.,])(?:\d+(?:[.,]\d+)*|\.\d+)", text)
    assert _NUMBER.findall(text) == plain


@given(
    st.sampled_from(["confidence of 0.8", "80% likely", "0.7 sure", "Probability: 12 %", "none"]),
    st.text(st.characters(codec="ascii"), max_size=20),
)
def test_a_figure_for_confidence_holds_one_of_the_words_it_is_looked_for_by(
    said: str, around: str
) -> None:
    text = f"{around} {said} {around}"
    if CONFIDENCE.search(text):
        assert any(word in text.lower() for word in CONFIDENCE_WORDS)
