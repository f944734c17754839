"""A model is asked in the ambiguous band alone, and its disagreement makes a clause partial."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurat.findings.verdict import Verdict
from jurat.judge.gemini import GeminiJudge
from jurat.rating.held import BY_CODE_ALONE, RepositoryScan
from jurat.rating.rate import rate_scan
from jurat.rating.rating import ClauseRating
from jurat.rating.scale import PARTIAL, ClauseVerdict
from jurat.rating.second_opinion import (
    SecondOpinion,
    add_second_opinions,
    apply_second_opinion,
    build_chunks,
)
from jurat.rating.signals.evidence import (
    Inventory,
    InventoryFile,
    Score,
    Signal,
    SignalEvidence,
    Signals,
)
from jurat.rating.signals.file_roles import Role
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import server_error
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, denying
from tests.support.rating import ALL_APPLY, clause_of, pack_of, worktree_of
from tests.support.values import a_verdict

CODE = "import agents\n\n\ndef run(tool):\n    log.info('call', tool=tool)\n    return tool()\n"
PLACE = SignalEvidence("app/agent.py", 5, "log.info('call', tool=tool)", first=4, last=6)
SEEN = RepositoryScan(
    worktree_of({"app/agent.py": CODE}),
    Signals({"ai": Signal("ai", 1.0, (PLACE,))}),
    Inventory((InventoryFile("app/agent.py", Role.CODE, "python", len(CODE)),)),
)
RULE_ID = "law.1"


async def second(raw: float, bench: SecondOpinion, *, negative: bool = False) -> ClauseRating:
    """The clause of that raw score after the bench had its say."""
    pack = pack_of(clause_of({"given": 1}, negative=negative, llm_judge=True))
    pack = pack.model_copy(
        update={"risk_triggers": pack.risk_triggers.model_copy(update={"limited": (), "high": ()})}
    )
    rules = {"given": lambda _s, _i, _w: Score(raw, (PLACE,))}
    rating = rate_scan(SEEN, [pack], rules, classifying=[pack], on=ALL_APPLY)
    return (await add_second_opinions(rating, SEEN, bench)).clauses[0]


@pytest.mark.parametrize(("raw", "verdict"), [(0.3, "fail"), (0.7, "pass")])
async def test_agreement_at_either_end_of_the_band_lets_the_verdict_stand(
    gemini: StandInGemini,
    gemini_judge: GeminiJudge,
    notebook: Notebook,
    raw: float,
    verdict: str,
) -> None:
    if verdict == "fail":
        gemini.judges(RULE_ID, denying("log.info"))
    found = await second(raw, SecondOpinion(gemini_judge, notebook))
    assert (found.verdict.value, len(gemini.asked)) == (verdict, 1)
    assert found.note.startswith("A model agrees")
    assert found.reasoning


@pytest.mark.parametrize(("raw", "verdict"), [(0.3, "fail"), (0.7, "pass")])
async def test_disagreement_at_either_end_of_the_band_makes_it_partial(
    gemini: StandInGemini,
    gemini_judge: GeminiJudge,
    notebook: Notebook,
    raw: float,
    verdict: str,
) -> None:
    if verdict == "pass":
        gemini.judges(RULE_ID, denying("log.info"))
    found = await second(raw, SecondOpinion(gemini_judge, notebook))
    assert (found.verdict, found.ordinal, found.raw) == (ClauseVerdict.PARTIAL, 2, raw)
    assert f"{verdict} by the rules" in found.note


@pytest.mark.parametrize("raw", [0.29, 0.71, 0.0, 1.0])
async def test_outside_the_band_a_model_is_asked_as_well(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook, raw: float
) -> None:
    """What is hidden lies at 0, and a stub at 0.9."""
    found = await second(raw, SecondOpinion(gemini_judge, notebook))
    assert len(gemini.asked) == 1
    assert found.note


@pytest.mark.parametrize("raw", [0.29, 0.71, 0.0, 1.0])
async def test_outside_the_band_nobody_misses_a_model(notebook: Notebook, raw: float) -> None:
    assert (await second(raw, SecondOpinion(None, notebook))).note == ""


async def test_a_private_file_is_shown_to_no_model(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    bench = SecondOpinion(gemini_judge, notebook, private=(PLACE.path,))
    found = await second(0.5, bench)
    assert gemini.asked == []
    assert found.verdict is ClauseVerdict.PARTIAL  # what the rules alone say of 0.5
    assert f"No model may see {PLACE.path}" in found.note
    assert found.note.endswith("The deterministic verdict stands.")


async def test_of_a_prohibition_an_allow_means_that_it_is_kept(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    found = await second(0.35, SecondOpinion(gemini_judge, notebook), negative=True)
    assert found.verdict is ClauseVerdict.PASS
    assert len(gemini.asked) == 1


async def test_the_model_is_shown_the_clause_and_the_function_around_the_evidence(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    await second(0.5, SecondOpinion(gemini_judge, notebook))
    (asked,) = gemini.asked
    rule = next(item for item in asked.rules if item.id == RULE_ID)
    assert "Events are recorded by themselves." in rule.statement
    shown = [line.text for file in asked.about(rule) for line in file.lines]
    assert shown == CODE.split("\n")[3:6]


async def test_the_same_question_is_asked_once(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    first = await second(0.7, SecondOpinion(gemini_judge, notebook))
    again = await second(0.7, SecondOpinion(gemini_judge, notebook))
    assert len(gemini.asked) == 1
    assert again.verdict is first.verdict


async def test_without_a_model_the_deterministic_verdict_stands_and_says_so(
    notebook: Notebook,
) -> None:
    found = await second(0.7, SecondOpinion(None, notebook))
    assert found.verdict is ClauseVerdict.PASS
    assert found.note == "No model is configured, so the deterministic verdict stands."


async def test_a_model_that_fails_changes_nothing_and_is_told(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    gemini.always(server_error())
    found = await second(0.7, SecondOpinion(gemini_judge, notebook))
    assert found.verdict is ClauseVerdict.PASS
    assert "The deterministic verdict stands." in found.note
    assert found.unanswered.startswith("The model gave no answer: ")


@pytest.mark.parametrize("note", ["unreadable", "", "unreadable Not shown: app/agent.py."])
async def test_whether_an_answer_could_be_used_is_no_matter_of_its_note(note: str) -> None:
    unused = a_verdict(verdict=Verdict.NEEDS_CONFIRMATION, note=note, unreadable=True)
    used = replace(unused, unreadable=False)
    rated = await second(0.7, SecondOpinion(None, Notebook()))
    assert "could not be used" in apply_second_opinion(rated, unused).note
    assert apply_second_opinion(rated, unused).verdict is ClauseVerdict.PASS
    assert apply_second_opinion(rated, used).verdict is ClauseVerdict.PARTIAL


# A large program: what its code alone shows of a clause stands for a part, until somebody reads it.

LONG_CODE = "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(900))
LARGE = RepositoryScan(
    worktree_of({"app/agent.py": CODE, "app/long.py": LONG_CODE}),
    SEEN.signals,
    Inventory(
        (
            InventoryFile("app/agent.py", Role.CODE, "python", len(CODE), CODE.count("\n")),
            InventoryFile("app/long.py", Role.CODE, "python", len(LONG_CODE), 3_600),
        )
    ),
)
SHOWN = "resilience"


async def rate_large(
    bench: SecondOpinion, places: tuple[SignalEvidence, ...] = (PLACE,)
) -> ClauseRating:
    """A clause of a large program of which code shows all, after the bench had its say."""
    shown = {**SEEN.signals.by_name, SHOWN: Signal(SHOWN, 1.0, places)}
    large = replace(LARGE, signals=Signals(shown, shown))
    pack = pack_of(clause_of({"given": 1}, llm_judge=True))
    pack = pack.model_copy(
        update={"risk_triggers": pack.risk_triggers.model_copy(update={"limited": (), "high": ()})}
    )
    rules = {"given": lambda s, _i, _w: Score(float(bool(s[SHOWN])), s[SHOWN].evidence)}
    rating = rate_scan(large, [pack], rules, classifying=[pack], on=ALL_APPLY)
    return (await add_second_opinions(rating, large, bench)).clauses[0]


async def test_who_read_the_lines_and_says_that_it_is_met_lifts_what_code_alone_bounds(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    alone = await rate_large(SecondOpinion(None, notebook))
    assert (alone.supported_ordinal, BY_CODE_ALONE in alone.note) == (PARTIAL, True)
    read = await rate_large(SecondOpinion(gemini_judge, notebook))
    assert (read.supported_ordinal, BY_CODE_ALONE in read.note) == (4, False)
    assert len(gemini.asked) == 1


def allow_always(asked: Asked, given: Any) -> Any:
    for entry in given["verdicts"]:
        entry["verdict"] = "ALLOW"
    return given


UNHEARD = {
    "says yes to all": reactions.edited(allow_always),
    "allows all": reactions.allowing_all,
    "lies on what is known": reactions.lying_on_controls,
    "confesses": reactions.with_fields(
        RULE_ID, verdict="ALLOW", reasoning="`log.info` violates the rule, but it is old."
    ),
    "checked nothing": reactions.with_fields(RULE_ID, verdict="ALLOW", checked=[]),
    "says nothing": reactions.without(RULE_ID),
    "is gone": server_error(),
    "is not done": reactions.cut_off,
}


@pytest.mark.parametrize("how", UNHEARD)
async def test_who_is_not_heard_lifts_nothing(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook, how: str
) -> None:
    gemini.always(UNHEARD[how])
    found = await rate_large(SecondOpinion(gemini_judge, notebook))
    assert found.supported_ordinal == PARTIAL
    assert BY_CODE_ALONE in found.note


async def test_who_disagrees_lifts_nothing(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    gemini.judges(RULE_ID, denying("log.info"))
    assert (await rate_large(SecondOpinion(gemini_judge, notebook))).supported_ordinal == PARTIAL


async def test_lines_that_were_not_shown_are_not_lifted(
    gemini: StandInGemini, gemini_judge: GeminiJudge, notebook: Notebook
) -> None:
    more = SignalEvidence("app/long.py", 9, "def f2(x):")
    gone = SignalEvidence("app/gone.py", 1, "")
    both = await rate_large(SecondOpinion(gemini_judge, notebook), (PLACE, more))
    assert both.supported_ordinal == 4
    hidden = SecondOpinion(gemini_judge, notebook, private=("app/long.py",))
    assert (await rate_large(hidden, (PLACE, more))).supported_ordinal == PARTIAL
    missing = await rate_large(SecondOpinion(gemini_judge, notebook), (PLACE, gone))
    assert missing.supported_ordinal == PARTIAL
    many = tuple(SignalEvidence("app/long.py", 4 * n + 1, "") for n in range(40))
    assert (await rate_large(SecondOpinion(gemini_judge, notebook), many)).supported_ordinal == 2


@pytest.mark.parametrize("how", ["partial", "vacuous"])
async def test_a_verdict_on_a_part_lifts_nothing(notebook: Notebook, how: str) -> None:
    alone = await rate_large(SecondOpinion(None, notebook))
    files = build_chunks(alone, LARGE.signals, LARGE.worktree)
    whole = a_verdict(verdict=Verdict.ALLOW)
    part = replace(whole, **{how: True})  # type: ignore[arg-type]
    assert apply_second_opinion(alone, whole, files).supported_ordinal == 4
    assert apply_second_opinion(alone, part, files).supported_ordinal == PARTIAL
    assert apply_second_opinion(alone, whole).supported_ordinal == PARTIAL
