"""Puts probes to the judge, through the prompts that reviews use. The only module that waits.

A probe is one call: the prompt of a batch with the probe's rule alone and the two control rules,
asked once. What is scored is what the model said of that rule, before anything that guards a
review (control rules, anchored quotes, a second opinion, the audit) could catch it: those stand
behind a judge, and excuse none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import sha256
from itertools import count

from bot.judgment.options import JudgmentOptions
from bot.judgment.planning import plan
from bot.judgment.prompts import batch_prompt, fenced, overhead, prompts_digest
from bot.judgment.protocol import Judge, JudgeError, Prompt
from bot.judgment.questions import questions_of
from bot.judgment.replies import UnparsableReplyError, read_reply
from bot.probes.probe import Probe, ProbeSet
from bot.probes.report import Heard
from bot.probes.scenario import context_of, response_of, rule_of
from bot.subjects.kinds import Surface


def probed_model(judge: Judge, options: JudgmentOptions = JudgmentOptions()) -> str:  # noqa: B008 - frozen
    """The model that a run probes: the one that judges batches."""
    return judge.model_id(options.batch.tier)


async def ask_judge(
    probes: ProbeSet,
    judge: Judge,
    options: JudgmentOptions = JudgmentOptions(),  # noqa: B008 - frozen
    *,
    answered: Callable[[], None] = lambda: None,
) -> Heard:
    """What `judge` says to each of `probes`; `answered` is called whenever one is through.

    A probe that the model gave no answer to has none, and the reason instead.
    """
    gate = asyncio.Semaphore(options.concurrency)
    responses: dict[str, str] = {}
    unanswered: dict[str, str] = {}

    async def ask(probe: Probe) -> None:
        async with gate:
            try:
                responses[probe.id] = await _response(probe, judge, options)
            except (JudgeError, _NothingToAskError) as error:
                unanswered[probe.id] = str(error)
        answered()

    await asyncio.gather(*(ask(probe) for probe in probes.probes))
    return Heard("judge", responses, unanswered, probed_model(judge, options), prompts_digest())


class _NothingToAskError(Exception):
    """A probe's input cannot be shown to a model."""


async def _response(probe: Probe, judge: Judge, options: JudgmentOptions) -> str:
    rule = rule_of(probe)
    prompt, surface = await asyncio.to_thread(_prompt, probe, options)
    reply = await judge.ask(prompt)
    try:
        answers = read_reply(reply.text, surface)
    except UnparsableReplyError:
        return reply.text
    return response_of(answers.get(rule.id))


def _prompt(probe: Probe, options: JudgmentOptions) -> tuple[Prompt, Surface]:
    """The prompt of a probe. The same probe is asked in the same words, mark and controls too."""
    context = context_of(probe)
    planned = plan(questions_of(context, [rule_of(probe)]), options, overhead(context))
    unread = [file for item in context.subjects for file in item.files if file.unread is not None]
    if len(planned.batches) != 1 or planned.unread or unread:
        problem = "its input cannot be read as one change that fits into a prompt"
        raise _NothingToAskError(problem)
    (batch,) = planned.batches
    numbers = count()

    def nonce() -> str:
        return sha256(f"{probe.id} {next(numbers)}".encode()).hexdigest()[:16]

    prompt, _ = fenced(lambda mark: batch_prompt(batch, context, options.batch, mark), nonce)
    return prompt, batch.surface
