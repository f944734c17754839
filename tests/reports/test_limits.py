"""What is too long is cut in the limit's own unit, never inside a character, and says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.errors import RuleError
from jurat.reports.check_run import (
    CONFIRM_BUTTON,
    FIX_BUTTON,
    RECHECK_BUTTON,
    RETRY_BUTTON,
    CheckAction,
    annotate_errors,
    build_config_error_check,
)
from jurat.reports.limits import (
    ANNOTATION_TEXT,
    BUTTON_DESCRIPTION,
    BUTTON_IDENTIFIER,
    BUTTON_LABEL,
    CHECK_TEXT,
    Limit,
    Unit,
    fit,
)

BYTES = Unit.BYTES
units = st.sampled_from([Unit.CHARACTERS, BYTES])


@given(st.text(), st.integers(0, 40), units, st.sampled_from(["…", "\n\n_cut_"]))
def test_what_comes_back_keeps_to_the_limit(text: str, size: int, unit: Unit, ending: str) -> None:
    limit = Limit(size, unit)
    fitted = fit(text, limit, ending)
    assert limit.fits(fitted)
    if limit.fits(text):
        assert fitted == text
    elif limit.fits(ending):
        assert fitted.endswith(ending)
        assert text.startswith(fitted.removesuffix(ending))


@pytest.mark.parametrize(
    ("text", "limit", "fitted"),
    [
        ("abcdef", Limit(6), "abcdef"),
        ("abcdef", Limit(5), "abcd…"),
        ("語語語", Limit(9, BYTES), "語語語"),
        ("語語語", Limit(8, BYTES), "語…"),
        ("語語語", Limit(2), "語…"),
        ("ab\ncdef", Limit(6), "ab…"),
        ("ab\ncdef", Limit(3), "ab…"),
        ("abcdef", Limit(0), ""),
        ("語語", Limit(2, BYTES), ""),
        ("abc\udc80def", Limit(8, BYTES), "abc…"),
    ],
)
def test_a_cut_is_made_in_the_limits_unit(text: str, limit: Limit, fitted: str) -> None:
    assert fit(text, limit) == fitted


@pytest.mark.parametrize(
    "character",
    [
        "e\N{COMBINING ACUTE ACCENT}\N{COMBINING DIAERESIS}",
        "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
        "\N{WAVING HAND SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-5}",
        "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}",
        "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}",
        "\N{WAVING BLACK FLAG}\N{TAG LATIN SMALL LETTER G}\N{CANCEL TAG}",
    ],
)
@pytest.mark.parametrize("unit", [Unit.CHARACTERS, BYTES])
def test_a_cut_is_never_inside_what_is_shown_as_one(character: str, unit: Unit) -> None:
    text = character * 5
    ending = Limit(0, unit).measure("…")
    for size in range(ending, Limit(0, unit).measure(text)):
        kept = fit(text, Limit(size, unit)).removesuffix("…")
        assert kept == character * (len(kept) // len(character))


def test_heaped_marks_do_not_make_all_of_a_text_vanish() -> None:
    assert len(fit("e" + "\N{COMBINING ACUTE ACCENT}" * 100, Limit(90))) == 90


def test_a_text_of_several_lines_is_cut_between_them() -> None:
    """Half of a code span would make markup, and mentions, of what it holds."""
    fitted = fit("first\n`@everybody is fine`\nlast", Limit(24), "\n_cut_")
    assert fitted == "first\n_cut_"


@pytest.mark.parametrize("button", [CONFIRM_BUTTON, FIX_BUTTON, RECHECK_BUTTON, RETRY_BUTTON])
def test_github_takes_every_button(button: CheckAction) -> None:
    assert BUTTON_LABEL.fits(button.label)
    assert BUTTON_DESCRIPTION.fits(button.description)
    assert BUTTON_IDENTIFIER.fits(button.identifier)


def test_a_broken_configuration_with_many_errors_is_shown_as_far_as_it_fits() -> None:
    error = RuleError("jurat.yml", 1, "k", "語" * 200)
    error.others = tuple(RuleError("jurat.yml", n, "k", "語" * 30_000) for n in range(2, 400))
    check = build_config_error_check(error)
    assert CHECK_TEXT.fits(check.summary)
    assert check.summary.endswith("_And so on._")
    assert all(ANNOTATION_TEXT.fits(note.message) for note in annotate_errors(error))
