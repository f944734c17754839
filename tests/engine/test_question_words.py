"""What a function's name asks about a value: by words, in any spelling."""

from __future__ import annotations

import pytest

from jurat.engine.flow.values.questions import Words

WORDS = Words(
    ["uuid", "object_id"],
    ["valid", "email"],
    [("not", ""), ("unsafe", "safe"), ("invalid", "valid"), ("blocked", "allowed")],
    ["role", "user", "logged_in"],
)


@pytest.mark.parametrize(
    ("name", "asks", "turned"),
    [
        ("checks.is_unsafe", "checks.is_safe", True),
        ("checks.isUnsafeUrl", "checks.isSafeUrl", True),
        ("IsInvalid", "IsValid", True),
        ("invalid_path", "valid_path", True),
        ("?.isNotBlank", "?.isBlank", True),
        ("is_not_blocked", "is_allowed", False),
        ("is_unblocked", "is_unblocked", False),
        ("invalidate", "invalidate", False),
        ("notify", "notify", False),
        ("annotate", "annotate", False),
        ("not.is_safe", "not.is_safe", False),
        ("", "", False),
    ],
)
def test_a_word_turns_a_question_round(name: str, asks: str, turned: bool) -> None:
    assert WORDS.turn(name) == (asks, turned)


def test_a_format_is_the_whole_of_a_question_and_a_kind_its_end() -> None:
    asked = ["isUUIDv4", "is_valid_uuid", "isObjectId", "is_uuid_list", "uuid"]
    assert [name for name in asked if WORDS.is_format(name)] == asked[:3]
    asked = ["isEmail", "is_work_email_address", "IsValid", "is_emailed", "email"]
    assert [name for name in asked if WORDS.is_kind(name)] == asked[:3]


def test_what_is_believed_is_told_by_the_end_of_its_name() -> None:
    names = [
        "role",
        "userId",
        "current_user",
        "isLoggedIn",
        "user_agent",
        "returnTo",
        "role_filter",
    ]
    assert [name for name in names if WORDS.is_trusted(name)] == names[:4]


def test_without_words_nothing_is_known() -> None:
    none = Words([], [], [])
    assert not none.is_format("is_uuid")
    assert not none.is_kind("is_valid")
    assert not none.is_trusted("role")
    assert none.turn("is_unsafe") == ("is_unsafe", False)
