"""How a judge does on a house's own rules: pairs of twins of their examples, asked as reviews ask.

Of each pair one breaks the rule and one keeps it, with names, words and layout drawn anew, so that
nobody knows it by heart. A judge that tells every pair of a rule apart may block by it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from jurat.facts.assembly import build_subjects
from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import Verdict
from jurat.judge.batches import build_questions, plan_batches
from jurat.judge.control_rules import are_controls_kept, list_misjudged_rules
from jurat.judge.judge import create_mark
from jurat.judge.prompts import build_batch_prompt, build_fenced_prompt, estimate_overhead
from jurat.judge.protocol import Judge, JudgeError, JudgmentOptions
from jurat.judge.replies import ReplyVerdict, UnparsableReplyError, read_reply
from jurat.judge.twins import Twin, make_twins
from jurat.probes.run import get_probed_model
from jurat.rules.matching import fits_file
from jurat.rules.rule import Rule
from jurat.rules.trial import RuleTrial
from jurat.source.diff import FileChange
from jurat.source.diff_parser import parse_diff
from jurat.source.parsing import parse_in_process

_ENDINGS = ("py", "js", "ts", "go", "java", "rb", "rs", "cs", "php", "yml", "sh", "tf", "sql")
_FIRST_LINE = 40


async def ask_rule_twins(
    rules: Sequence[Rule],
    judge: Judge,
    options: JudgmentOptions,
    *,
    pairs: int,
    answered: Callable[[], None] = lambda: None,
) -> tuple[RuleTrial, ...]:
    """What `judge` says of so many `pairs` of twins for each of `rules`, in their order.

    `answered` is called whenever a twin is through. A rule that no model judges, or whose examples
    make no twins, is asked nothing about.
    """
    gate = asyncio.Semaphore(options.concurrency)

    async def ask(rule: Rule, twin: Twin) -> bool:
        async with gate:
            try:
                return await _is_judged_right(rule, twin, judge, options)
            finally:
                answered()

    model = get_probed_model(judge, options)
    trials = await asyncio.gather(*(_try_rule(rule, ask, pairs) for rule in rules))
    return tuple(replace(trial, model=model) for trial in trials)


def count_twins(rules: Sequence[Rule], pairs: int) -> int:
    """How many questions `ask_rule_twins` asks."""
    return sum(2 * pairs for rule in rules if not _explain_nothing_to_ask(rule))


async def _try_rule(
    rule: Rule, ask: Callable[[Rule, Twin], Awaitable[bool]], pairs: int
) -> RuleTrial:
    if problem := _explain_nothing_to_ask(rule):
        return RuleTrial(rule.id, problem=problem)
    drawn = [_draw_pair(rule, number) for number in range(pairs)]
    twins = [twin for pair in drawn for twin in pair]
    answers = await asyncio.gather(
        *(ask(rule, twin) for twin in twins),
        return_exceptions=True,
    )
    for said in answers:
        if isinstance(said, BaseException) and not isinstance(said, JudgeError):
            raise said
    right = {id(twin): said for twin, said in zip(twins, answers, strict=True)}
    complete = [pair for pair in drawn if all(isinstance(right[id(one)], bool) for one in pair)]
    return RuleTrial(
        rule.id,
        len(complete),
        sum(right[id(twin)] is True for pair in complete for twin in pair if twin.breaks),
        sum(right[id(twin)] is True for pair in complete for twin in pair if not twin.breaks),
        next((f"no answer: {said.detail}" for said in answers if isinstance(said, JudgeError)), ""),
    )


def _explain_nothing_to_ask(rule: Rule) -> str:
    if rule.constraints:
        return "it is computed"
    if not _draw_pair(rule, 0):
        return "it has no examples of code on both sides"
    return ""


def _draw_pair(rule: Rule, number: int) -> tuple[Twin, ...]:
    # Not by chance: two runs over the same rules are to differ by the judge alone.
    dice = random.Random(f"{rule.revision} {number}")  # noqa: S311 - nothing is kept secret by it
    return make_twins(rule, [_choose_path(rule)], dice)


def _choose_path(rule: Rule) -> str:
    """A file that the rule is about, as far as an ending says so."""
    paths = [f"src/subject.{ending}" for ending in _ENDINGS]
    return next((path for path in paths if fits_file(rule, _add_file(path, ["x"]))), paths[0])


def _add_file(path: str, lines: Sequence[str]) -> FileChange:
    (file,) = parse_diff(_write_diff(path, lines)).files
    return file


def _write_diff(path: str, lines: Sequence[str]) -> bytes:
    """Lines that are added to a file of which nothing else is shown."""
    header = (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        f"@@ -{_FIRST_LINE - 1},0 +{_FIRST_LINE},{len(lines)} @@\n"
    )
    text = header + "".join(f"+{line}\n" for line in lines)
    return text.encode("utf-8", "surrogatepass")


async def _is_judged_right(rule: Rule, twin: Twin, judge: Judge, options: JudgmentOptions) -> bool:
    """Whether a review would hear the right verdict on a twin. Raises JudgeError."""
    context = _build_context(twin)
    planned = plan_batches(build_questions(context, [rule]), options, estimate_overhead(context))
    (batch,) = planned.batches
    prompt, controls = build_fenced_prompt(
        lambda mark: build_batch_prompt(batch, context, options.batch, mark), create_mark
    )
    try:
        answers = read_reply((await judge.ask(prompt)).text, batch.surface)
    except UnparsableReplyError:
        return False
    # What a review's guards throw away is no verdict, right or wrong.
    if not are_controls_kept(controls, answers) or list_misjudged_rules(controls, answers):
        return False
    answer = answers.get(rule.id)
    expected = Verdict.DENY if twin.breaks else Verdict.ALLOW
    return isinstance(answer, ReplyVerdict) and answer.verdict is expected


def _build_context(twin: Twin) -> EvaluationContext:
    diff = parse_diff(_write_diff(twin.path, twin.lines))
    return build_subjects(diff, parse_map=parse_in_process)
