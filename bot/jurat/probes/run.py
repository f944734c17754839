"""Puts probes to the judge, through the prompts that reviews use. The only module that waits.

A probe is one call: the prompt of a batch with the probe's rule alone and the two control rules,
asked once. What is scored is what the model said of that rule, before anything that guards a
review (control rules, anchored quotes, a second opinion, the audit) could catch it: those stand
behind a judge, and excuse none.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import count

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


def get_probed_model(judge: Judge, options: JudgmentOptions = JudgmentOptions()) -> str:  # noqa: B008 - frozen
    """The model that a run probes: the one that judges batches."""
    return judge.model_id(options.batch.tier)


async def ask_probes(
    probes: ProbeSet,
    judge: Judge,
    options: JudgmentOptions = JudgmentOptions(),  # noqa: B008 - frozen
    *,
    answered: Callable[[], None] = lambda: None,
) -> RunResponses:
    """What `judge` says to each of `probes`; `answered` is called whenever one is through.

    A probe that the model gave no answer to has none, and the reason instead.
    """
    gate = asyncio.Semaphore(options.concurrency)
    responses: dict[str, str] = {}
    unanswered: dict[str, str] = {}

    async def ask(probe: Probe) -> None:
        async with gate:
            try:
                responses[probe.id] = await _ask_probe(probe, judge, options)
            except (JudgeError, _NothingToAskError) as error:
                unanswered[probe.id] = str(error)
        answered()

    await asyncio.gather(*(ask(probe) for probe in probes.probes))
    return RunResponses(
        "judge", responses, unanswered, get_probed_model(judge, options), compute_prompts_digest()
    )


class _NothingToAskError(Exception):
    """A probe's input cannot be shown to a model."""


async def _ask_probe(probe: Probe, judge: Judge, options: JudgmentOptions) -> str:
    rule = build_probe_rule(probe)
    prompt, surface = await asyncio.to_thread(_build_prompt, probe, options)
    reply = await judge.ask(prompt)
    try:
        answers = read_reply(reply.text, surface)
    # Scored as it is: a model that breaks the form has not refused by that.
    except UnparsableReplyError:
        return reply.text
    return parse_probe_response(answers.get(rule.id))


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
        return sha256(f"{probe.id} {next(numbers)}".encode()).hexdigest()[:16]

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
