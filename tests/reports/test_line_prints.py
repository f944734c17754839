"""The prints of lines are those that GitHub's own action computes."""

from __future__ import annotations

import pytest

from jurat.reports.line_prints import digest_lines

# The vectors of github/codeql-action's own tests (src/fingerprints.test.ts).
PRINTS = {
    "": ["c129715d7a2bc9a3:1"],
    " a\nb\n  \t\tc\n d": [
        "271789c17abda88f:1",
        "54703d4cd895b18:1",
        "180aee12dab6264:1",
        "a23a3dc5e078b07b:1",
    ],
    " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End": [
        "8b7cf3e952e7aeb2:1",
        "b1ae1287ec4718d9:1",
        "bff680108adb0fcc:1",
        "c6805c5e1288b612:1",
        "b86d3392aea1be30:1",
        "e6ceba753e1a442:1",
    ],
    " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n": [
        "e9496ae3ebfced30:1",
        "fb7c023a8b9ccb3f:1",
        "ce8ba1a563dcdaca:1",
        "e20e36e16fcb0cc8:1",
        "b3edc88f2938467e:1",
        "c8e28b0b4002a3a0:1",
        "c129715d7a2bc9a3:1",
    ],
}


@pytest.mark.parametrize(("text", "prints"), PRINTS.items())
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_has_githubs_print(text: str, prints: list[str], newline: str) -> None:
    lines = range(1, len(prints) + 1)
    found = digest_lines(text.replace("\n", newline), lines)
    assert [found[line] for line in lines] == prints


def test_a_print_that_comes_again_is_counted() -> None:
    found = digest_lines("x\n" * 300, [1, 2])
    assert found[1].partition(":")[0] == found[2].partition(":")[0]
    assert (found[1][-2:], found[2][-2:]) == (":1", ":2")


def test_a_line_that_is_not_there_has_none() -> None:
    assert digest_lines("one\n", [7]) == {}
