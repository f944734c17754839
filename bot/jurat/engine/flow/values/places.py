"""What the place of a file says of the values in it: it helps tests, or its maintainers run it."""

from __future__ import annotations

import re

_HELPERS = re.compile(
    r"(?:^|/)(?:(?:test|testing)[-_]?(?:helpers?|utils?|support|kit|servers?)|mock\w*|fakes?|stubs?"
    r"|(?:http|io|fs|db)\w*test|[a-z]+(?<!la)(?<!con)(?<!at)(?<!pro)test)/|^features/(?:support|steps|step_definitions)/"
    r"|^(?:dev|devel)[-_]?tools?/|(?:^|/)(?:\w+[-_]tests?|emulators?)/"
    r"|(?:^|/)(?:test[-_]?(?:utils?|helpers?)|testing)\.\w+$"
    r"|(?:^|/)(?:settings|config|conf|environments?)/test(?:s|ing)?\.\w+$"
)
"""A folder of what tests are run with, as `testhelpers/`, `httptest/` in Go, what stands beside
features that are told as stories, or what developers alone run, as what stands for a service on
their own machine; a file of such helpers, or of what a program is told in its tests."""

_TOOLS = re.compile(r"(?:scripts?|tools?|hack|bin|ci|contrib|\.mvn|\.github)/")
"""Begins the path of what a project's maintainers run: a folder beside its program."""


def explain_place(path: str, *, is_guess: bool) -> str:
    """The end of "It only advises: …" for where a file stands; empty if nothing speaks for it.

    What a maintainer's tool is handed is of its own command line. That is only said of a parameter,
    whose callers nobody has seen: what a tool takes from a request is somebody else's there, too.
    """
    if _HELPERS.search(path):
        return "the file stands where helpers of tests and developers do"
    if is_guess and _TOOLS.match(path):
        return "the file stands where tools of the maintainers do, and they say what it is handed"
    return ""
