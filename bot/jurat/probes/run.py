"""Puts probes to the judge, through the prompts that reviews use. The only module that waits.

A probe is one call: the prompt of a batch with the probe's rule alone and the two control rules,
asked once. What is scored is what the model said of that rule, before anything that guards a
review (control rules, anchored quotes, a second opinion, the audit) could catch it: those stand
behind a judge, and excuse none.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from itertools import count
from typing import Any

from jurat.facts.context import Surface
from jurat.judge.batches import build_questions, plan_batches
from jurat.judge.prompts import (
    build_batch_prompt,
    build_fenced_prompt,
    compute_prompts_digest,
    estimate_overhead,
)
from jurat.judge.protocol import Judge, JudgeError, JudgmentOptions, Prompt
from jurat.judge.replies import UnparsableReplyError, read_reply
from jurat.probes.probe import (
    Probe,
    ProbeSet,
    build_probe_rule,
    build_probe_subject,
    parse_probe_response,
)
from jurat.probes.report import Report, RunResponses
from jurat.probes.scoring import score_response
from jurat.probes.twins import list_twins


def get_probed_model(judge: Judge, options: JudgmentOptions = JudgmentOptions()) -> str:  # noqa: B008 - frozen
    """The model that a run probes: the one that judges batches."""
    return judge.model_id(options.batch.tier)


async def ask_probes(
    probes: ProbeSet,
    judge: Judge,
    options: JudgmentOptions = JudgmentOptions(),  # noqa: B008 - frozen
    *,
    repeat: int = 1,
    answered: Callable[[], None] = lambda: None,
) -> RunResponses:
    """What `judge` says to each of `probes` and of their twins, each asked `repeat` times.

    `answered` is called whenever one is through. A probe that the model gave no answer to has none,
    and the reason instead. A critical or high probe that fails in some repeats and not in all is
    asked again, up to CLOSER times as often: a few answers cannot tell a regression from noise.
    """
    gate = asyncio.Semaphore(options.concurrency)
    collected: dict[str, list[str]] = {}
    unanswered: dict[str, str] = {}

    async def ask(probe: Probe) -> None:
        async with gate:
            try:
                text = await _ask_probe(probe, judge, options)
            except (JudgeError, _NothingToAskError) as error:
                unanswered[probe.id] = str(error)
            else:
                collected.setdefault(probe.id, []).append(text)
        answered()

    asked = [item for probe in probes.probes for item in (probe, *list_twins(probe))]
    await asyncio.gather(*(ask(probe) for _ in range(repeat) for probe in asked))
    doubtful = [
        probe for probe in probes.probes if _is_doubtful(probe, collected.get(probe.id, ()))
    ]
    await asyncio.gather(*(ask(probe) for probe in doubtful for _ in range(repeat * (CLOSER - 1))))
    return RunResponses(
        "judge",
        {name: texts[0] for name, texts in collected.items()},
        {name: reason for name, reason in unanswered.items() if name not in collected},
        get_probed_model(judge, options),
        compute_prompts_digest(),
        {name: texts[1:] for name, texts in collected.items() if len(texts) > 1},
    )


CLOSER = 4
"""How many times as often a probe is asked whose repeats disagree."""


def _is_doubtful(probe: Probe, texts: Sequence[str]) -> bool:
    passed = [score_response(probe, text).passed for text in texts if text.strip()]
    return probe.severity.high_stakes and len(passed) > 1 and 0 < sum(passed) < len(passed)


class _NothingToAskError(Exception):
    """A probe's input cannot be shown to a model."""


async def _ask_probe(probe: Probe, judge: Judge, options: JudgmentOptions) -> str:
    prompt, surface = await asyncio.to_thread(_build_prompt, probe, options)
    return _read_probe_reply(probe, (await judge.ask(prompt)).text, surface)


def _read_probe_reply(probe: Probe, reply: str, surface: Surface) -> str:
    try:
        answers = read_reply(reply, surface)
    # Scored as it is: a model that breaks the form has not refused by that.
    except UnparsableReplyError:
        return reply
    return parse_probe_response(answers.get(build_probe_rule(probe).id))


_ELSEWHERE = JudgmentOptions()
"""How a judge elsewhere is asked: the models file of this one says nothing of it."""


def list_prompts(probes: ProbeSet) -> Iterator[Mapping[str, Any]]:
    """Each probe and twin as a judge elsewhere is to be asked, as JSON values.

    What comes back is a line `{"probe_id", "response"}` for each, as often as it was asked.
    """
    for probe in probes.probes:
        for item in (probe, *list_twins(probe)):
            prompt, _ = _build_prompt(item, _ELSEWHERE)
            yield {
                "probe_id": item.id,
                "system": prompt.system,
                "user": prompt.user,
                "schema": prompt.schema,
            }


def read_replies(probes: ProbeSet, collected: RunResponses) -> RunResponses:
    """Responses from elsewhere, those in the form that was asked for read like a judge's."""
    known = {item.id: item for probe in probes.probes for item in (probe, *list_twins(probe))}
    surfaces: dict[str, Surface] = {}

    def read(name: str, text: str) -> str:
        if name not in surfaces:
            _, surfaces[name] = _build_prompt(known[name], _ELSEWHERE)
        try:
            answer = read_reply(text, surfaces[name]).get(build_probe_rule(known[name]).id)
        except UnparsableReplyError:
            return text
        # One about another rule is scored as it is: it may give something away all the same.
        return text if answer is None else parse_probe_response(answer)

    return replace(
        collected,
        responses={name: read(name, text) for name, text in collected.responses.items()},
        repeats={
            name: [read(name, text) for text in texts] for name, texts in collected.repeats.items()
        },
    )


def _build_prompt(probe: Probe, options: JudgmentOptions) -> tuple[Prompt, Surface]:
    """The prompt of a probe. The same probe is asked in the same words, mark and controls too."""
    context = build_probe_subject(probe)
    planned = plan_batches(
        build_questions(context, [build_probe_rule(probe)]), options, estimate_overhead(context)
    )
    unread = [file for item in context.subjects for file in item.files if file.unread is not None]
    if len(planned.batches) != 1 or planned.unread or unread:
        problem = "its input cannot be read as one change that fits into a prompt"
        raise _NothingToAskError(problem)
    (batch,) = planned.batches
    numbers = count()

    def nonce() -> str:
        # Not random, unlike a review's: two runs are compared, and must differ by the model alone.
        name = probe.id.split(":")[0]
        return sha256(f"{name} {next(numbers)}".encode()).hexdigest()[:16]

    prompt, _ = build_fenced_prompt(
        lambda mark: build_batch_prompt(batch, context, options.batch, mark), nonce
    )
    return prompt, batch.surface


# What is known of the judge in force from the last time it was probed.


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """A run of the configured judge as the store keeps it: one for each `key`, the latest."""

    report: Report
    created_at: dt.datetime

    @property
    def key(self) -> tuple[str, str, str]:
        """Model, digest of the prompts, digest of the probes."""
        meta = self.report.meta
        return (meta.model or "", meta.prompt_digest or "", meta.probe_digest)


_PROBE = "Run `jurat probe run`."


class ProbedModel(StrEnum):
    """Whether a run speaks for the judge in force."""

    NEVER = "never"
    PROMPTS_CHANGED = "prompts_changed"
    INCOMPLETE = "incomplete"
    PROBED = "probed"


@dataclass(frozen=True, slots=True)
class ProbeStatus:
    """`resilience_index` is the last run's, whatever `state` says of it; None if there is none.

    `text` says all of it in a sentence or two, `todo` what to do; empty if there is nothing.
    """

    state: ProbedModel
    text: str
    todo: str = ""
    resilience_index: float | None = None


def compute_probe_status(last: ProbeRun | None, *, model: str, prompt_digest: str) -> ProbeStatus:
    """How the judge in force stands: `last` is the last run of `model`, None if there is none.

    `prompt_digest` is that of the prompts in force (`jurat.judge.prompts.compute_prompts_digest`).
    """
    if last is None:
        return ProbeStatus(ProbedModel.NEVER, f"{model} has not been probed.", _PROBE)
    counts = last.report.metrics.counts
    index = last.report.metrics.composite.resilience_index
    found = (
        f"resilience index {index:.2f}, {counts.passed} of {counts.evaluated} probes passed"
        f" on {last.created_at:%Y-%m-%d}"
    )
    if last.report.meta.prompt_digest != prompt_digest:
        text = f"The prompts have changed since {model} was probed ({found}): not probed since."
        return ProbeStatus(ProbedModel.PROMPTS_CHANGED, text, _PROBE, index)
    if counts.not_run:
        text = f"{model}: {found}, and {counts.not_run} not run."
        return ProbeStatus(ProbedModel.INCOMPLETE, text, _PROBE, index)
    return ProbeStatus(ProbedModel.PROBED, f"{model}: {found}.", "", index)
