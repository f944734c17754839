"""A large change is parsed by several processes, and what is said of it is the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jurat.cli import options
from jurat.cli.options import WORTH_PROCESSES, ChangeParser
from jurat.source.parsing import ParseFailure
from tests.cli.conftest import Run
from tests.support.command import RULES, written
from tests.support.work import identify_process, shout

MANY = [f"w{number}" for number in range(WORTH_PROCESSES + 60)]


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChangeParser]:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with closing(ChangeParser(quiet=True)) as opened:
        yield opened


def test_a_large_change_leaves_this_process_and_keeps_its_order(parser: ChangeParser) -> None:
    assert os.getpid() not in parser(identify_process, MANY)
    assert parser(shout, MANY) == [word.upper() for word in MANY]


def test_a_small_change_stays(parser: ChangeParser) -> None:
    assert set(parser(identify_process, MANY[: WORTH_PROCESSES - 1])) == {os.getpid()}


def test_a_small_change_that_takes_long_leaves_this_process(
    parser: ChangeParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "WORTH_SECONDS", 0.0)
    first, *others = parser(identify_process, MANY[:8])
    assert first == os.getpid()
    assert os.getpid() not in others
    # The processes are there by now.
    assert os.getpid() not in parser(identify_process, MANY[:2])


def test_what_was_done_here_and_elsewhere_keeps_its_order(
    parser: ChangeParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "WORTH_SECONDS", 0.0)
    found = parser(shout, [*MANY[:6], "fail"])
    assert found[:-1] == [word.upper() for word in MANY[:6]]
    assert found[-1] == ParseFailure("its parser failed (ValueError)")


def test_no_process_is_started_for_the_last_files(
    parser: ChangeParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "WORTH_SECONDS", 0.0)
    assert set(parser(identify_process, MANY[:4])) == {os.getpid()}


def test_one_core_gains_nothing_from_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with closing(ChangeParser(quiet=True)) as parser:
        assert set(parser(identify_process, MANY)) == {os.getpid()}


def test_a_file_that_fails_is_lost_alone(parser: ChangeParser) -> None:
    found = parser(shout, [*MANY, "fail"])
    assert found[-1] == ParseFailure("its parser failed (ValueError)")
    assert not any(isinstance(one, ParseFailure) for one in found[:-1])


def test_the_report_is_the_same_on_one_core_and_on_two(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = (
        "--- /dev/null\n+++ b/a{0}.py\n@@ -0,0 +1,3 @@\n"
        "+import hashlib\n+def f{0}(x):\n+    return hashlib.md5(x)\n"
    )
    text = "".join(section.format(number) for number in range(WORTH_PROCESSES + 5))
    diff, rules = written(tmp_path / "a.diff", text), written(tmp_path / "rules.yml", RULES)
    outs = []
    for cores in (1, 2):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        outs.append(run("review", "--diff", str(diff), "--rules", str(rules)).out)

    assert outs[0] == outs[1]
    assert "md5" in outs[0]
