"""The shell completes commands and options."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.support.production import python


@pytest.mark.parametrize(
    ("words", "completed"),
    [("jurat rev", "review"), ("jurat rules che", "check"), ("jurat review --out", "--output")],
)
def test_bash_is_told_what_may_come(words: str, completed: str) -> None:
    done = subprocess.run(
        [python(), "-m", "jurat"],
        env={
            **os.environ,
            "_JURAT_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [completed]
