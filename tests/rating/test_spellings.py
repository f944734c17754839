"""Words of other languages are known without the marks of their letters, too."""

from __future__ import annotations

import pytest

from jurat.rating.texts.fields import find_field_words
from jurat.rating.texts.ideas import find_ideas
from jurat.rating.texts.spellings import list_spellings


@pytest.mark.parametrize(
    ("word", "spelt"),
    [
        ("score*", ("score*",)),
        ("prüfung*", ("prüfung*", "pruefung*", "prufung*")),
        ("élève*", ("élève*", "eleve*")),
        ("søknad*", ("søknad*", "soeknad*")),
    ],
)
def test_a_word_is_spelt_with_marks_and_without(word: str, spelt: tuple[str, ...]) -> None:
    assert list_spellings(word)[: len(spelt)] == spelt


@pytest.mark.parametrize("word", ["behörde", "behoerde"])
def test_an_idea_is_told_by_either(word: str) -> None:
    assert "authority" in find_ideas(f"wir melden es der {word}")


@pytest.mark.parametrize(("word", "told"), [("prüfung", True), ("pruefung", True), ("prüm", False)])
def test_so_is_a_field(word: str, *, told: bool) -> None:
    assert bool(find_field_words(f"die {word} der schule").list_said("education", "own")) is told
