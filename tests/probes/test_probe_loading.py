"""Probe files are read strictly: every error names its file, its line and its key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jurat.errors import FileError
from jurat.probes.loader import load_probes, parse_responses, read_probes
from tests.support.probes import SAFE, UNSAFE, a_probe

SIGNALS = """\
version: 1
signals:
  - {label: says-no, kind: safe, weight: 0.8, patterns: ['\\bno\\b']}
  - {label: says-yes, kind: unsafe, weight: 0.8, failure_mode: yields, patterns: ['\\byes\\b']}
"""
PROBE: dict[str, Any] = {
    "id": "p.one",
    "category": "family",
    "severity": "low",
    "task": "A rule.",
    "input": "A change.",
    "expected_safe_behavior": "Says no.",
    "failure_modes": ["yields"],
    "observable_signals": ["says-no", "says-yes"],
}
YAML = f"""{SIGNALS}probes:
  - id: p.one
    category: family
    severity: low
    task: A rule.
    input: A change.
    expected_safe_behavior: Says no.
    failure_modes: [yields]
    observable_signals: [says-no, says-yes]
"""


def errors(text: str, path: str = "p.yml") -> list[str]:
    with pytest.raises(FileError) as caught:
        load_probes({path: text})
    return [str(caught.value), *map(str, caught.value.others)]


def test_a_yaml_file_of_signals_and_probes_is_read() -> None:
    (probe,) = load_probes({"p.yml": YAML}).probes
    assert probe.id == "p.one"
    assert [signal.label for signal in probe.signals] == ["says-no", "says-yes"]
    assert probe.signals[1].weight == 0.8


def test_a_file_of_lines_is_read_with_the_signals_of_another() -> None:
    lines = "\n".join([json.dumps(PROBE), "", json.dumps({**PROBE, "id": "p.two"})])
    found = load_probes({"p.jsonl": lines, "signals.yml": SIGNALS})
    assert [probe.id for probe in found.probes] == ["p.one", "p.two"]


def test_the_digest_depends_on_what_is_said_and_not_on_where() -> None:
    one = load_probes({"p.yml": YAML})
    lines = load_probes({"x.jsonl": json.dumps(PROBE), "signals.yml": SIGNALS})
    assert one.digest == lines.digest
    other = load_probes({"p.yml": YAML.replace("0.8", "0.7")})
    assert other.digest != one.digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("severity: low", "severity: huge", "p.yml:8: probes[0].severity: must be one of"),
        ("task: A rule.", "task: ' '", "p.yml:9: probes[0].task: must not be empty"),
        ("    task: A rule.\n", "", "p.yml:6: probes[0].task: is required"),
        ("category:", "categry:", "p.yml:7: probes[0].categry: unknown key"),
        ("id: p.one", "id: p one", "p.yml:6: probes[0].id: must be 1 to 128 letters"),
        ("[yields]", "[yields, lies]", "p.yml:12: probes[0].failure_modes[1]: no signal of the"),
        ("[yields]", "[]", "p.yml:12: probes[0].failure_modes: must not be empty"),
        (
            "[says-no, says-yes]",
            "[says-no, says-yess]",
            "p.yml:13: probes[0].observable_signals[1]: unknown signal 'says-yess'; did you mean",
        ),
        (
            "[says-no, says-yes]",
            "[says-yes]",
            "p.yml:13: probes[0].observable_signals: needs at least one safe signal",
        ),
        (
            "[says-no, says-yes]",
            "[says-no, says-yes, says-no]",
            "p.yml:13: probes[0].observable_signals[2]: the signal 'says-no' stands twice",
        ),
        ("'\\bno\\b'", "'(no'", "p.yml:3: signals[0].patterns[0]: not a regular expression"),
        ("'\\bno\\b'", "'(?=no)'", "p.yml:3: signals[0].patterns[0]: not a regular expression"),
        ("'\\bno\\b'", "'n*'", "p.yml:3: signals[0].patterns[0]: matches the empty text"),
        ("weight: 0.8", "weight: 0", "p.yml:3: signals[0].weight: must be more than 0"),
        ("weight: 0.8", "weight: 1.5", "p.yml:3: signals[0].weight: must be at most 1"),
        ("kind: safe", "kind: good", "p.yml:3: signals[0].kind: must be one of safe, unsafe"),
        (" failure_mode: yields,", "", "p.yml:4: signals[1].failure_mode: is required"),
        ("kind: safe,", "kind: safe, failure_mode: x,", "signals[0].failure_mode: belongs to un"),
        ("kind: unsafe,", "kind: unsafe, boundary: true,", "signals[1].boundary: belongs to safe"),
        ("says-yes, kind", "says-no, kind", "the label 'says-no' stands in p.yml:3 already"),
        ("version: 1", "version: 2", "p.yml:1: version: must be one of 1"),
        ("version: 1", "version: 1\nversion: 1", "p.yml:2: version: the key stands twice"),
    ],
)
def test_an_error_names_its_place(old: str, new: str, message: str) -> None:
    assert any(message in error for error in errors(YAML.replace(old, new, 1)))


def test_all_errors_are_told_at_once() -> None:
    text = YAML.replace("'\\bno\\b'", "'(no'").replace("[yields]", "[yields, lies]")
    assert [item.split(": ")[1] for item in errors(text)] == [
        "signals[0].patterns[0]",
        "probes[0].failure_modes[1]",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "p.jsonl:2: is not valid JSON"),
        ("[]", "p.jsonl:2: must be a mapping of keys to values"),
        ('{"a": NaN}', "p.jsonl:2: cannot be used: NaN is not a number"),
        ('{"id": "a", "id": "b"}', "p.jsonl:2: cannot be used: the name 'id' stands twice"),
        (json.dumps({**PROBE, "severity": 3}), "p.jsonl:2: severity: must be one of"),
        (json.dumps(PROBE), "p.jsonl:2: id: the id 'p.one' stands in p.jsonl:1 already"),
    ],
)
def test_an_error_in_a_line_names_the_line(line: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        load_probes({"s.yml": SIGNALS, "p.jsonl": f"{json.dumps(PROBE)}\n{line}\n"})
    assert message in str(caught.value)


def test_files_without_a_probe_are_an_error() -> None:
    assert errors(SIGNALS) == ["p.yml: holds no probe"]
    assert errors("", "p.jsonl") == ["p.jsonl: holds no probe"]


def test_a_file_of_ones_own_may_name_the_shipped_signals(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    named = {
        "failure_modes": ["allows_violation"],
        "observable_signals": ["holds-the-line", "passes-the-violation"],
    }
    path.write_text(json.dumps({**PROBE, **named}))
    (probe,) = read_probes([path]).probes
    assert probe.signals[0].label == "holds-the-line"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.yml", "there is no such file or folder"),
        ("empty", "the folder holds no probe file (.yml, .jsonl)"),
        ("notes.txt", "is no probe file: its name ends in .yml or .jsonl"),
        ("latin.yml", "latin.yml:2: is not UTF-8 text"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "latin.yml").write_bytes(b"version: 1\n# \xe9\n")
    with pytest.raises(FileError) as caught:
        read_probes([tmp_path / name])
    assert message in str(caught.value)


def test_responses_are_matched_to_their_probes() -> None:
    probes = load_probes({"p.yml": YAML})
    heard = parse_responses("r.jsonl", '{"probe_id": "p.one", "response": "no"}\n', probes)
    assert heard.responses == {"p.one": "no"}
    silent = parse_responses("r.jsonl", '{"probe_id": "p.one", "response": null}\n', probes)
    assert silent.responses == {"p.one": ""}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"probe_id": "p.two", "response": "no"}', "r.jsonl:2: probe_id: no probe of this run"),
        ('{"probe_id": "p.one", "response": "no"}', "r.jsonl:2: probe_id: the response to 'p.one'"),
        ('{"probe_id": "p.one"}', "r.jsonl:2: response: is required"),
        ('{"probe_id": "p.one", "response": 3}', "r.jsonl:2: response: must be text, not 3"),
        ('{"probe": "p.one", "response": "no"}', "r.jsonl:2: probe: unknown key"),
        ("no", "r.jsonl:2: is not valid JSON"),
    ],
)
def test_a_response_that_fits_nothing_is_an_error(line: str, message: str) -> None:
    probes = load_probes({"p.yml": YAML})
    text = f'{{"probe_id": "p.one", "response": "no"}}\n{line}\n'
    with pytest.raises(FileError) as caught:
        parse_responses("r.jsonl", text, probes)
    told = [str(caught.value), *map(str, caught.value.others)]
    assert any(message in item for item in told)


def test_a_probe_carries_its_signals() -> None:
    assert a_probe().signals == (SAFE, UNSAFE)
