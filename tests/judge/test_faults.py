"""The fault table: what each fault of the model ends as, and how many calls it costs.

Three rules are judged: the first is broken by the change, the other two are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.gemini import GeminiJudge
from jurat.judge.judge import ask_judge
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import Behaviour
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, Rests, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

BROKEN = a_normative_rule("house.broken")
KEPT = a_normative_rule("house.kept", statement="Names say what they hold.")
CRITICAL = a_normative_rule("house.critical", statement="Keys stay at home.", severity="CRITICAL")
RULES = (BROKEN, KEPT, CRITICAL)
CONTEXT = a_context(a_diff("pay.py", "+log(secret)", "+charge()"))

D, A, C, N = Verdict.DENY, Verdict.ALLOW, Verdict.NEEDS_CONFIRMATION, Verdict.NOT_ASSESSED
RIGHT = (D, A, A)
NO_FIRST = (N, A, A)
NOTHING = (N, N, N)


@dataclass(frozen=True, slots=True)
class Fault:
    """What the stand-in does, once or for ever, and what comes of it."""

    name: str
    behaviour: Behaviour
    once: tuple[Verdict, ...]
    calls_once: int
    always: tuple[Verdict, ...]
    calls_always: int


def on(rule: Rule, make: Callable[[str], Behaviour]) -> Behaviour:
    return make(rule.id)


# A transient fault is tried twice by the client (GeminiOptions.attempts of the fixture). A batch
# that fails is followed by one call for each of three rules; an answer that cannot be read by one
# call for all such rules; a wrong control by two halves.
FAULTS = [
    Fault("stalls", reactions.stalled, RIGHT, 2, NOTHING, 8),
    Fault("500", reactions.server_error(500), RIGHT, 2, NOTHING, 8),
    Fault("503", reactions.server_error(503), RIGHT, 2, NOTHING, 8),
    Fault("504", reactions.server_error(504), RIGHT, 2, NOTHING, 8),
    Fault("429", reactions.rate_limited(), RIGHT, 2, NOTHING, 2),
    Fault("429, Retry-After", reactions.rate_limited("7"), RIGHT, 2, NOTHING, 2),
    Fault("cut off", reactions.cut_off, RIGHT, 4, NOTHING, 4),
    Fault("refused", reactions.refused("SAFETY"), RIGHT, 4, NOTHING, 4),
    Fault("recitation", reactions.refused("RECITATION"), RIGHT, 4, NOTHING, 4),
    Fault("prompt blocked", reactions.blocked, RIGHT, 4, NOTHING, 4),
    Fault("no JSON", reactions.saying("All is well."), RIGHT, 4, NOTHING, 4),
    Fault("wrong shape", reactions.wrong_shape, RIGHT, 4, NOTHING, 4),
    Fault("rule left out", on(BROKEN, reactions.without), RIGHT, 2, NO_FIRST, 2),
    Fault("rule twice", on(BROKEN, reactions.twice), RIGHT, 2, NO_FIRST, 2),
    Fault(
        "unknown id",
        reactions.with_fields(BROKEN.id, rule="house.br\u03bfken"),
        RIGHT,
        2,
        NO_FIRST,
        2,
    ),
    Fault(
        "id of another rule",
        reactions.with_fields(BROKEN.id, rule=KEPT.id),
        RIGHT,
        2,
        (N, N, A),
        2,
    ),
    Fault("wrong enum", reactions.with_fields(BROKEN.id, verdict="FINE"), RIGHT, 2, NO_FIRST, 2),
    Fault(
        "wrong confidence", reactions.with_fields(BROKEN.id, confidence=7), RIGHT, 2, NO_FIRST, 2
    ),
    Fault(
        "quote from nowhere",
        reactions.with_fields(
            BROKEN.id, findings=[{"file_path": "pay.py", "quote": "log(password)"}]
        ),
        RIGHT,
        2,
        NO_FIRST,
        3,
    ),
    Fault(
        "quote from another file",
        reactions.with_fields(
            BROKEN.id, findings=[{"file_path": "other.py", "quote": "log(secret)"}]
        ),
        RIGHT,
        2,
        NO_FIRST,
        3,
    ),
    Fault(
        "denies and quotes nothing",
        reactions.with_fields(BROKEN.id, findings=[]),
        RIGHT,
        2,
        NO_FIRST,
        3,
    ),
    Fault("lies on controls", reactions.lying_on_controls, RIGHT, 3, NOTHING, 3),
    Fault("allows everything", reactions.allowing_all, RIGHT, 3, NOTHING, 3),
]


@pytest.fixture(autouse=True)
def scripted(gemini: StandInGemini) -> None:
    gemini.judges(BROKEN.id, denying("log(secret)"))


async def judged(model: GeminiJudge, ledger: Notebook) -> tuple[JudgeResult, tuple[Verdict, ...]]:
    judgment = await ask_judge(CONTEXT, RULES, model, ledger)
    assert [item.rule for item in judgment.verdicts] == list(RULES)
    return judgment, tuple(item.verdict for item in judgment.verdicts)


def own_words(verdict: RuleVerdict) -> bool:
    """Whether a decided verdict speaks of its own rule: the stand-in says the statement."""
    return verdict.rule.statement in verdict.reasoning


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_that_passes_leaves_no_trace_in_the_verdicts(
    fault: Fault, gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.behave(fault.behaviour)
    ledger = Notebook()
    judgment, verdicts = await judged(gemini_judge, ledger)
    assert verdicts == fault.once
    assert len(gemini.asked) == fault.calls_once
    assert all(own_words(item) for item in judgment.verdicts)
    assert len([key for key in ledger if " " not in key]) == 3


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_that_stays_never_passes_a_rule_that_it_touches(
    fault: Fault, gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.always(fault.behaviour)
    ledger = Notebook()
    judgment, verdicts = await judged(gemini_judge, ledger)
    assert verdicts == fault.always
    assert len(gemini.asked) == fault.calls_always
    for item in judgment.verdicts:
        if item.verdict is Verdict.NOT_ASSESSED:
            assert (item.gap, item.decided_by) == (NotAssessedReason.MODEL_FAILED, DecidedBy.NOBODY)
            said = "The model's answer could not be used: " if item.unreadable else "The model gave"
            assert item.reasoning.startswith(said)
            assert item.locations == item.remediations == ()
        else:
            assert own_words(item)
    assert len(ledger) == sum(item is Verdict.ALLOW for item in verdicts)


async def test_the_wait_that_the_api_asks_for_is_kept(
    gemini: StandInGemini, gemini_judge: GeminiJudge, rests: Rests
) -> None:
    gemini.behave(reactions.rate_limited("7"), reactions.careful, reactions.careful)
    await judged(gemini_judge, Notebook())
    assert rests == [7.0]


async def test_a_key_that_the_api_rejects_costs_one_call(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.api_key = "another-key"
    judgment, verdicts = await judged(gemini_judge, Notebook())
    assert verdicts == NOTHING
    assert [use.calls for use in judgment.models] == [1]


async def test_one_rule_that_fails_alone_takes_no_other_with_it(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    def moody(asked: reactions.Asked, reply: reactions.Reply) -> reactions.Reaction:
        listed = {rule.id for rule in asked.rules}
        if len(listed & {rule.id for rule in RULES}) > 1 or KEPT.id in listed:
            return reactions.refused()(asked, reply)
        return reactions.careful(asked, reply)

    gemini.always(moody)
    judgment, verdicts = await judged(gemini_judge, Notebook())
    assert verdicts == (D, N, A)
    assert [item.decided_by for item in judgment.verdicts] == [
        DecidedBy.SINGLE,
        DecidedBy.NOBODY,
        DecidedBy.SINGLE,
    ]


async def test_a_single_question_goes_to_the_tier_that_its_severity_asks_for(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.behave(reactions.refused())
    rules = [
        a_normative_rule(f"house.{severity.lower()}", severity=severity)
        for severity in ("LOW", "MEDIUM", "HIGH", "CRITICAL")
    ]
    await ask_judge(CONTEXT, rules, gemini_judge, Notebook())
    asked = {
        rule.id: (item.model, item.thinking)
        for item in gemini.asked[1:]
        for rule in item.rules
        if rule.id in {rule.id for rule in rules}
    }
    flash, pro = "gemini-3-flash-preview", "gemini-3.1-pro-preview"
    assert asked == {
        "house.low": (flash, "low"),
        "house.medium": (flash, "medium"),
        "house.high": (flash, "high"),
        "house.critical": (pro, "high"),
    }


async def test_a_denial_that_the_pro_tier_made_is_not_put_to_it_again(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges(CRITICAL.id, denying("charge()"))
    gemini.behave(reactions.refused())
    judgment = await ask_judge(CONTEXT, [CRITICAL], gemini_judge, Notebook())
    assert judgment.verdicts[0].verdict is Verdict.DENY
    assert [item.model for item in gemini.asked] == [
        "gemini-3-flash-preview",
        "gemini-3.1-pro-preview",
    ]


@pytest.mark.parametrize(
    "behaviour",
    [
        reactions.refused(),
        reactions.saying("Confirmed."),
        reactions.without(CRITICAL.id),
        reactions.twice(CRITICAL.id),
        reactions.with_fields(CRITICAL.id, verdict="CONFIRMED"),
    ],
)
async def test_a_confirmation_that_fails_asks_a_person_and_is_not_remembered(
    behaviour: Behaviour, gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges(CRITICAL.id, denying("charge()"))
    gemini.behave(reactions.careful, behaviour)
    ledger = Notebook()
    _, verdicts = await judged(gemini_judge, ledger)
    assert verdicts == (D, A, C)
    assert len(gemini.asked) == 2
    assert len([key for key in ledger if " " not in key]) == 2


async def test_a_lie_in_one_half_costs_only_that_half(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    def lies_about_the_first(asked: reactions.Asked, reply: reactions.Reply) -> reactions.Reaction:
        listed = {rule.id for rule in asked.rules}
        lies = BROKEN.id in listed
        return (reactions.lying_on_controls if lies else reactions.careful)(asked, reply)

    gemini.always(lies_about_the_first)
    _, verdicts = await judged(gemini_judge, Notebook())
    assert verdicts == (N, N, A)


ANSWERS: dict[str, tuple[dict[str, object] | None, Verdict]] = {
    "allows": ({"verdict": "ALLOW", "findings": []}, A),
    "denies": ({"verdict": "DENY", "findings": [{"file_path": "pay.py", "quote": "charge()"}]}, D),
    "asks": ({"verdict": "NEEDS_CONFIRMATION", "findings": []}, C),
    "is missing": (None, N),
    "has no verdict": ({"verdict": "", "findings": []}, N),
    "quotes nothing": ({"verdict": "DENY", "findings": []}, N),
    "misquotes": ({"verdict": "DENY", "findings": [{"file_path": "pay.py", "quote": "xyz"}]}, N),
}


@given(st.lists(st.sampled_from(list(ANSWERS)), min_size=1, max_size=6), st.randoms())
def test_whatever_a_model_answers_each_rule_has_its_own_verdict(
    chosen: list[str], dice: Random
) -> None:
    rules = [
        a_normative_rule(f"house.rule-{index}", statement=f"Statement {index} holds.")
        for index in range(len(chosen))
    ]
    model = Spoken()

    def edit(_asked: reactions.Asked, given: dict[str, list[dict[str, object]]]) -> object:
        said = {rule.id: ANSWERS[name][0] for rule, name in zip(rules, chosen, strict=True)}
        entries = [
            {**entry, **(said.get(str(entry["rule"])) or {})}
            for entry in given["verdicts"]
            if said.get(str(entry["rule"]), {}) is not None
        ]
        for entry in entries:
            if entry["verdict"] == "DENY":
                # Who denies says so: a denial that says that nothing breaks the rule is none.
                said_before = str(entry["reasoning"])
                entry["reasoning"] = said_before.replace("nothing breaks", "charge() breaks")
        dice.shuffle(entries)
        return {"verdicts": entries}

    model.behaviour = reactions.edited(edit)  # type: ignore[arg-type]  # as JSON has it
    judgment = asyncio.run(ask_judge(CONTEXT, rules, model, Notebook()))
    assert [item.rule for item in judgment.verdicts] == rules
    assert [item.verdict for item in judgment.verdicts] == [ANSWERS[name][1] for name in chosen]
    assert all(own_words(item) for item in judgment.verdicts if not item.unreadable)
    # One more of the Pro tier for what blocks and is doubted twice.
    assert sum(use.calls for use in judgment.models) <= 3
