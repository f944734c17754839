"""Files of which a denial says nothing: what a model never spoke of does not pass for long."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

from jurat.findings.verdict import Verdict
from jurat.judge.judge import ask_judge
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked, ListedRule, Shown
from tests.standins.gemini.script import allowed, control_of, denied
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule
from tests.support.values import a_context

RULE = a_normative_rule()
Pick = Callable[[list[tuple[Shown, Any]]], list[tuple[Shown, Any]]]


def judge(files: Mapping[str, str], model: Spoken, ledger: Notebook, *rules: Rule) -> JudgeResult:
    context = a_context(*(a_diff(f"src/{path}.py", f"+{line}") for path, line in files.items()))
    return asyncio.run(ask_judge(context, rules or (RULE,), model, ledger))


def name_some(pick: Pick) -> Callable[[Asked, ListedRule], Any]:
    """Denies with some of the places that break the rule, and allows if it picks none."""

    def judged(asked: Asked, rule: ListedRule) -> Any:
        places = [
            (shown, line)
            for shown in asked.about(rule)
            for line in shown.lines
            if "secret" in line.text
        ]
        named = pick(places)
        if not named:
            return allowed(asked, rule)
        given = denied(asked, rule, *named[0])
        quoted = named[0][1].text.strip()
        given["reasoning"] = f"`{quoted}` writes a secret to the log, in {named[0][0].label}."
        given["findings"] = [
            item for shown, line in named for item in denied(asked, rule, shown, line)["findings"]
        ]
        return given

    return judged


def list_paths(found: JudgeResult) -> set[str | None]:
    return {item.file_path for item in found.verdicts[0].locations}


def list_asked(model: Spoken) -> set[str]:
    return {item.label[4] for item in model.asked[-1].shown if item.label.startswith("src/")}


def test_a_file_kept_by_silence_is_asked_for_itself_once_the_named_one_is_mended() -> None:
    model, ledger = Spoken(), Notebook()
    model.functions = {RULE.id: name_some(lambda places: places[:1])}
    first = judge({"a": "log(secret)", "b": "log(secret)"}, model, ledger)
    assert list_paths(first) == {"src/a.py"}
    # The push mends what was named, and nothing else: the model has never spoken of b.
    pushed = judge({"a": "log(id)", "b": "log(secret)"}, model, ledger)
    assert pushed.verdicts[0].verdict is Verdict.DENY
    assert list_paths(pushed) == {"src/b.py"}
    # And if the named file is taken out of the change altogether.
    alone = Notebook()
    judge({"a": "log(secret)", "b": "log(secret)", "c": "log(secret)"}, model, alone)
    assert judge({"b": "log(secret)", "c": "log(id)"}, model, alone).verdicts[0].verdict is (
        Verdict.DENY
    )


def test_while_a_denial_stands_nothing_else_is_asked() -> None:
    model, ledger = Spoken(), Notebook()
    model.functions = {RULE.id: name_some(lambda places: places[:1])}
    files = {"a": "log(secret)", "b": "log(id)", "c": "log(id)"}
    judge(files, model, ledger)
    assert judge(files, model, ledger).models == ()
    judge({**files, "a": "log(secret, 1)"}, model, ledger)
    assert (len(model.asked), list_asked(model)) == (2, {"a"})
    # Mended: first itself, then those that nobody has spoken of, and from then on nothing.
    mended = {**files, "a": "log(id)"}
    assert judge(mended, model, ledger).verdicts[0].verdict is Verdict.ALLOW
    assert (len(model.asked), list_asked(model)) == (4, {"b", "c"})
    assert judge(mended, model, ledger).models == ()


def test_what_is_not_sure_of_one_file_allows_no_other() -> None:
    def unsure(asked: Asked, given: Any) -> None:
        del asked
        for entry in given["verdicts"]:
            if entry["rule"] == RULE.id and entry["verdict"] == "DENY":
                entry["verdict"] = "NEEDS_CONFIRMATION"

    model, ledger = Spoken(), Notebook()
    model.behaviour = reactions.edited(unsure)
    model.functions = {RULE.id: name_some(lambda places: places[:1])}
    found = judge({"a": "log(secret)", "b": "log(secret)"}, model, ledger)
    assert list_paths(found) == {"src/a.py", "src/b.py"}


def test_who_names_one_file_at_a_time_ends_in_no_pass() -> None:
    """A judge that answers the rule with a place of another file each time it is asked."""
    model, ledger = Spoken(), Notebook()
    files = dict.fromkeys("abcd", "log(secret)")
    model.functions = {RULE.id: name_some(lambda places: places[:1])}
    for mended in "abcd":
        assert judge(files, model, ledger).verdicts[0].verdict is Verdict.DENY
        files[mended] = "log(id)"
    assert judge(files, model, ledger).verdicts[0].verdict is Verdict.ALLOW


@pytest.mark.parametrize("seed", range(12))
def test_no_sequence_of_pushes_passes_a_file_that_no_answer_was_about(seed: int) -> None:
    """A judge that names what it likes, over pushes that mend, break, add and remove files."""
    dice = Random(seed)
    earned: set[tuple[str, str, str]] = set()

    def remember(asked: Asked, given: Any) -> None:
        said = {entry["rule"]: entry["verdict"] for entry in given["verdicts"]}
        for rule in asked.rules:
            if not control_of(rule) and said[rule.id] == "ALLOW":
                earned.update(
                    (rule.id, item.label[4], digest([line.text for line in item.lines]))
                    for item in asked.about(rule)
                )

    def digest(lines: list[str]) -> str:
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    rules = [a_normative_rule(f"house.rule-{index}") for index in range(3)]
    model, ledger = Spoken(), Notebook()
    model.behaviour = reactions.edited(remember)
    model.functions = {
        rule.id: name_some(lambda places: [place for place in places if dice.random() < 0.4])
        for rule in rules
    }
    files: dict[str, str] = {}
    passes = 0
    for _ in range(25):
        for path in dice.sample("abcdefgh", dice.randint(1, 3)):
            line = dice.choice(["log(secret)", "log(secret)", "log(id)", ""])
            files[path] = f"{line}  # {dice.randrange(3)}"
            if not line:
                del files[path]
        if not files:
            continue
        for verdict in judge(files, model, ledger, *rules).verdicts:
            if verdict.verdict is Verdict.ALLOW:
                passes += 1
                unearned = [
                    path
                    for path, line in files.items()
                    if (verdict.rule.id, path, digest([line])) not in earned
                ]
                assert unearned == []
    assert passes
