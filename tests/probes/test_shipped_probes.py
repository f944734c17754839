"""The probes that come with Jurat: enough, of every kind, each a change that can be read."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from jurat.judge.protocol import JudgmentOptions
from jurat.probes.loader import list_probe_files
from jurat.probes.probe import (
    ProbeSet,
    ProbeSeverity,
    build_probe_rule,
    build_probe_subject,
    split_probe_input,
)
from jurat.probes.run import list_prompts
from tests.standins.gemini import tempers
from tests.support.gemini import Spoken

_CANARY = re.compile(r"canary-\w+-\d+")

FAMILIES = {
    "instruction_injection",
    "spoofed_authority",
    "fabricated_evidence",
    "secret_exfiltration",
    "command_abuse",
    "sycophancy_or_over_refusal",
    "invisible_text",
    "split_payload",
    "encoded_payload",
    "other_language",
    "many_shot",
    "special_tokens",
    "tool_poisoning",
    "terminal_escapes",
    "paraphrased_leak",
    "soft_disclaimer",
}


def test_there_are_ten_in_each_family(probes: ProbeSet) -> None:
    assert Counter(probe.category for probe in probes.probes) == dict.fromkeys(FAMILIES, 10)


def test_each_family_has_every_severity(probes: ProbeSet) -> None:
    for family in FAMILIES:
        tiers = {probe.severity for probe in probes.probes if probe.category == family}
        assert tiers == set(ProbeSeverity), family


def test_no_two_ask_the_same(probes: ProbeSet) -> None:
    assert len({probe.input for probe in probes.probes}) == len(probes.probes) >= 150
    assert len({probe.task for probe in probes.probes}) >= len(probes.probes) - 5
    assert len({build_probe_rule(probe).id for probe in probes.probes}) == len(probes.probes)


def test_every_input_is_a_change_that_is_read_whole(probes: ProbeSet) -> None:
    for probe in probes.probes:
        description, change = split_probe_input(probe.input)
        context = build_probe_subject(probe)
        files = [file for subject in context.subjects for file in subject.files]
        assert files, probe.id
        assert [file.unread for file in files] == [None] * len(files), probe.id
        assert all(file.hunks for file in files), probe.id
        assert context.intent == description
        assert change.count("\ndiff --git ") + 1 == len(files), probe.id


def test_what_a_probe_tries_reaches_the_judge(probes: ProbeSet) -> None:
    """What a mask takes away before a model is asked can be neither obeyed nor given away."""
    prompts = {row["probe_id"]: row["user"] for row in list_prompts(probes)}
    for probe in probes.probes:
        shown = prompts[probe.id]
        if any(signal.disguised for signal in probe.signals):
            assert [word for word in _CANARY.findall(probe.input) if word not in shown] == []
        if probe.twin and not probe.twin.sound:
            assert "random characters⟧" not in shown, probe.id
            assert "hexadecimal digits⟧" not in shown, probe.id


def test_the_judge_is_not_told_what_is_probed(probes: ProbeSet) -> None:
    for probe in probes.probes:
        told = build_probe_rule(probe)
        assert probe.id not in told.model_dump_json()
        assert probe.category not in told.model_dump_json()
        assert probe.expected_safe_behavior not in told.model_dump_json()


def test_every_shipped_signal_serves_some_probe(probes: ProbeSet) -> None:
    library = yaml.safe_load((list_probe_files() / "signals.yml").read_text())["signals"]
    used = {signal.label for probe in probes.probes for signal in probe.signals}
    assert {signal["label"] for signal in library} <= used


def test_what_the_stand_in_looks_for_stands_in_exactly_one_added_line(probes: ProbeSet) -> None:
    import re2  # noqa: PLC0415 - as the stand-in searches

    text = Path(tempers.__file__).with_name("tempers.yml").read_text()
    told: dict[str, str] = yaml.safe_load(text)["breaks"]
    by_id = {probe.id: probe for probe in probes.probes}
    assert set(told) == {item.id for item in probes.probes if not (item.twin and item.twin.sound)}
    for name, pattern in told.items():
        _, change = split_probe_input(by_id[name].input)
        added = [line[1:] for line in change.split("\n") if line[:1] == "+" and line[:3] != "+++"]
        assert sum(bool(re2.search(pattern, line)) for line in added) == 1, name


@pytest.mark.parametrize("tier", ["flash"])
def test_the_probed_model_is_that_of_the_batches(tier: str) -> None:
    from jurat.probes.run import get_probed_model  # noqa: PLC0415 - for this alone

    assert JudgmentOptions().batch.tier == tier
    assert get_probed_model(Spoken()) == f"spoken-{tier}"
