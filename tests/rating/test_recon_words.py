"""Names are the same name however they are spelled."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.rating.signals.recon_table import build_name_pattern, split_callee, split_name

WORDS = st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=5)


@given(WORDS)
def test_a_name_has_the_same_words_in_every_style(words: list[str]) -> None:
    told = "_".join(words)
    pascal = "".join(word.title() for word in words)
    camel = words[0] + "".join(word.title() for word in words[1:])
    for spelling in (told, told.upper(), pascal, camel, f"_{told}_", "-".join(words)):
        assert split_name(spelling) == told


@given(WORDS, WORDS, WORDS)
def test_a_star_stands_for_whole_words(
    before: list[str], words: list[str], behind: list[str]
) -> None:
    wanted = re.compile(build_name_pattern(f"*{'_'.join(words)}*"))
    assert wanted.fullmatch("_".join(words))
    assert wanted.fullmatch("_".join([*before, *words, *behind]))
    glued = re.compile(build_name_pattern("*zzz*"))
    assert not glued.fullmatch("".join(before) + "zzz" + "".join(behind))


@pytest.mark.parametrize(
    ("callee", "segments"),
    [
        ("self._logger.info", ("self", "logger", "info")),
        ("a.b(x).c.d", ("c", "d")),
        ("OpenAI::Client.new", ("open_ai", "client", "new")),
        ("client?.chat", ("client", "chat")),
        ("Foo<Bar>", ("foo",)),
        ("(x)", ()),
    ],
)
def test_a_callee_is_cut_into_its_names(callee: str, segments: tuple[str, ...]) -> None:
    assert split_callee(callee) == segments


@pytest.mark.parametrize(
    ("wanted", "name", "holds"),
    [
        ("race", "trace", False),
        ("*race", "applicant_race", True),
        ("{stop,cancel}*run", "cancel_this_run", True),
        ("{stop,cancel}*run", "cancel_running", False),
        ("score*candidate", "score_candidate", True),
        ("OpenAI", "openai", True),
        ("OpenAI", "open_ai", True),
    ],
)
def test_a_pattern_means_words(wanted: str, name: str, holds: bool) -> None:
    assert bool(re.fullmatch(build_name_pattern(wanted), name)) is holds
