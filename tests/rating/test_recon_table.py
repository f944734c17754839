"""rules/recon.yml is read strictly: what could never be found, or always, is an error."""

from __future__ import annotations

import pytest

from jurat.errors import RuleError
from jurat.rating.signals.recon_table import load_recon_table, parse_table


def table(probe: str, name: str = "thing") -> str:
    return f"signals:\n  - name: {name}\n    tells: A thing.\n    probes:\n      - {probe}\n"


def test_the_shipped_table_is_sound_and_every_signal_can_reach_far() -> None:
    for source in load_recon_table().signals:
        assert sum(probe.weight for probe in source.probes) >= 0.8, source.name


@pytest.mark.parametrize(
    ("probe", "line", "problem"),
    [
        ("{weight: 1}", 5, "looks for nothing"),
        ("{weight: 2, names: [a]}", 5, "at most 1"),
        ("{weight: 0, names: [a]}", 5, "more than 0"),
        ("{names: [a]}", 5, "is required"),
        ("{weight: 1, name: [a]}", 5, "unknown key; did you mean 'names'"),
        ("{weight: 1, prompts: ['a(']}", 5, r"not a regular expression for RE2: missing \)"),
        ("{weight: 1, documents: ['a*']}", 5, "matches the empty text, and so everything"),
        ("{weight: 1, names: ['*']}", 5, "names everything"),
        ("{weight: 1, calls: ['log.*']}", 5, "names everything"),
        ("{weight: 1, files: ['/x']}", 5, "must neither start"),
        ("{weight: 1, names: [a], within: [house]}", 5, "must be one of"),
    ],
)
def test_an_error_is_told_at_its_line(probe: str, line: int, problem: str) -> None:
    with pytest.raises(RuleError, match=problem) as caught:
        parse_table("recon.yml", table(probe))
    assert (caught.value.path, caught.value.line) == ("recon.yml", line)


@pytest.mark.parametrize(
    "text", ["signals: []", "", table("").replace("- \n", "").rstrip() + " []"]
)
def test_an_empty_table_is_an_error(text: str) -> None:
    with pytest.raises(RuleError):
        parse_table("recon.yml", text)


def test_a_signal_that_stands_twice_is_an_error() -> None:
    twice = table("{weight: 1, names: [a]}") + table("{weight: 1, names: [b]}").partition("\n")[2]
    with pytest.raises(RuleError, match="'thing' stands twice"):
        parse_table("recon.yml", twice)
