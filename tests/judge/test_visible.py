from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.source.disguises import mark_hidden


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("if admin\u202e:", "if admin⟦U+202E⟧:"),
        ("a\u200bb\u2060c\ufeff", "a⟦U+200B⟧b⟦U+2060⟧c⟦U+FEFF⟧"),
        ("tag\U000e0041", "tag⟦U+E0041⟧"),
        ("x\u2028y\x85z\r", "x⟦U+2028⟧y⟦U+0085⟧z⟦U+000D⟧"),
        ("\x1b[31mred", "⟦U+001B⟧[31mred"),
        ("o\ufe01", "o⟦U+FE01⟧"),
        ("\u3164", "⟦U+3164⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("name\ntwo", "name⟦U+000A⟧two"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert mark_hidden(text) == shown


@pytest.mark.parametrize("text", ["\tif x:", "straße", "каша", "日本語", "f(x) # ok", "«»…§"])
def test_what_can_be_seen_stays(text: str) -> None:
    assert mark_hidden(text) == text


@given(st.text())
def test_nothing_hidden_is_left_and_every_text_is_one_line(text: str) -> None:
    shown = mark_hidden(text)
    assert not [
        character
        for character in shown
        if character != "\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]
    assert len(shown.splitlines()) <= 1
    assert mark_hidden(shown) == shown
