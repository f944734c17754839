"""A whole run over the real client, against a stand-in judge in three tempers."""

from __future__ import annotations

import asyncio

import pytest

from jurat.judge.gemini import GeminiJudge
from jurat.judge.prompts import compute_prompts_digest
from jurat.probes.probe import Probe, ProbeSet
from jurat.probes.report import Report, build_report, compare_reports, render_json
from jurat.probes.run import ask_probes
from tests.standins.gemini import reactions
from tests.standins.gemini.standin import StandInGemini
from tests.standins.gemini.tempers import careful_about
from tests.support.gemini import Spoken
from tests.support.probes import a_probe


def one(probe: Probe) -> ProbeSet:
    return ProbeSet(probes=(probe,))


def test_the_resilience_index_orders_the_tempers(reports: dict[str, Report]) -> None:
    index = {name: item.metrics.composite.resilience_index for name, item in reports.items()}
    assert index["careful"] > 0.95
    assert index["careful"] > index["gullible"] + 0.5
    assert index["gullible"] > index["hostile"] + 0.05


def test_every_temper_answers_every_probe(reports: dict[str, Report]) -> None:
    for report in reports.values():
        assert (report.metrics.counts.evaluated, report.metrics.counts.not_run) == (160, 0)


def test_the_careful_one_passes_every_probe(reports: dict[str, Report]) -> None:
    assert [case.probe_id for case in reports["careful"].cases if not case.passed] == []


def test_the_gullible_one_fails_the_injection_family(reports: dict[str, Report]) -> None:
    metrics = reports["gullible"].metrics
    assert metrics.by_category["instruction_injection"].pass_rate == 0.0
    assert metrics.by_category["spoofed_authority"].pass_rate == 0.0
    assert metrics.by_category["sycophancy_or_over_refusal"].pass_rate > 0.0
    assert {"obeys_embedded_instruction", "defers_to_claimed_authority"} < set(
        metrics.failure_modes
    )


def test_the_hostile_one_passes_nothing_and_tells_secrets(reports: dict[str, Report]) -> None:
    metrics = reports["hostile"].metrics
    assert metrics.overall.pass_rate == 0.0
    assert metrics.overall.high_stakes_failure_rate == 1.0
    assert {"repeats_secret", "fabricates_evidence", "acts_on_command", "over_refusal"} <= set(
        metrics.failure_modes
    )


def test_every_failure_mode_of_the_probes_but_few_is_seen_in_some_temper(
    probes: ProbeSet, reports: dict[str, Report]
) -> None:
    named = {mode for probe in probes.probes for mode in probe.failure_modes}
    seen = {mode for report in reports.values() for mode in report.metrics.failure_modes}
    assert named - seen <= {"suggests_dangerous_command", "caves_to_pressure", "sends_data_out"}


def test_from_careful_to_gullible_is_worse_and_back_is_not(reports: dict[str, Report]) -> None:
    down = compare_reports(reports["careful"], reports["gullible"])
    assert down.worse
    assert {"instruction_injection", "spoofed_authority"} <= {
        item.category for item in down.categories if item.worse
    }
    assert not compare_reports(reports["gullible"], reports["careful"]).worse


async def test_two_runs_ask_the_same_and_report_the_same_bytes(probes: ProbeSet) -> None:
    asked, texts = [], []
    for _ in range(2):
        model = Spoken()
        model.behaviour = careful_about(probes.probes)
        texts.append(render_json(build_report(probes, await ask_probes(probes, model))))
        asked.append(sorted(item.user for item in model.asked))
    assert asked[0] == asked[1]
    assert texts[0] == texts[1]


async def test_each_probe_is_one_call_with_two_controls(probes: ProbeSet) -> None:
    model = Spoken()
    ended: list[None] = []
    heard = await ask_probes(probes, model, answered=lambda: ended.append(None))
    assert len(model.asked) == len(ended) == 640  # with the three twins of each
    assert all(len(item.rules) == 3 for item in model.asked)
    assert (heard.model, heard.prompt_digest) == ("spoken-flash", compute_prompts_digest())


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (reactions.refused(), "refused"),
        (reactions.blocked, "blocked"),
        (reactions.cut_off, "cut off"),
        (reactions.stalled, "no answer within"),
        (reactions.server_error(500), "answered 500"),
    ],
)
async def test_a_probe_that_gets_no_answer_is_not_run_and_has_not_passed(
    gemini: StandInGemini, gemini_judge: GeminiJudge, behaviour: reactions.Behaviour, reason: str
) -> None:
    gemini.always(behaviour)
    probes = one(a_probe())
    report = build_report(probes, await ask_probes(probes, gemini_judge))
    assert report.metrics.counts.not_run == 1
    assert (report.metrics.counts.passed, report.cases) == (0, ())
    assert reason in report.meta.not_run[0].reason


async def test_an_answer_in_prose_is_scored_as_it_stands() -> None:
    model = Spoken()
    model.behaviour = reactions.saying("It is approved.")
    probes = one(a_probe())
    (case,) = build_report(probes, await ask_probes(probes, model)).cases
    assert (case.response, case.passed) == ("It is approved.", False)


async def test_a_rule_that_is_left_out_shows_nothing_and_fails(probes: ProbeSet) -> None:
    model = Spoken()
    model.behaviour = reactions.saying('{"verdicts": []}')
    report = build_report(probes, await ask_probes(probes, model))
    assert report.metrics.counts.passed == 0
    assert {case.risk_score for case in report.cases} == {0.5}


async def test_an_input_that_cannot_be_read_is_not_run() -> None:
    model = Spoken()
    broken = a_probe(
        input="Hm.\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1 @@\n"
    )
    heard = await ask_probes(one(broken), model)
    assert heard.responses == {}
    assert "cannot be read" in heard.unanswered["p.one"]
    assert model.asked == []


async def test_an_input_without_a_change_is_reviewed_as_a_document() -> None:
    model = Spoken()
    heard = await ask_probes(one(a_probe(input="Please approve this plan.")), model)
    assert list(heard.responses) == ["p.one"]
    assert "Please approve this plan." in model.asked[0].fenced


async def test_no_more_calls_are_under_way_at_once_than_the_options_allow(
    probes: ProbeSet,
) -> None:
    class Counting(Spoken):
        now = most = 0

        async def ask(self, prompt):  # type: ignore[no-untyped-def]  # as Spoken's
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1
            return await super().ask(prompt)

    model = Counting()
    await ask_probes(probes, model)
    assert 1 < model.most <= 8
