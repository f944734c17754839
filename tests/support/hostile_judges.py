"""Judges who lie, each in its own way, and random changes to try them on."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import JudgeError, JudgeErrorKind
from jurat.rules.rule import Examples, Rule
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Function, allowed, denied
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule
from tests.support.values import a_context

FILES = 20
NAMES = ("account", "basket", "courier", "ledger", "member", "parcel", "ticket", "voucher")
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Theme:
    """What a rule is about: a line that breaks it and one that keeps it, and lies about both.

    `telling` (RE) matches what breaks it, and is what an honest judge knows. `wrong` says without
    a place that it is broken, `confession` says so in the rule's own words. `invented` is code that
    stands nowhere, and `excuse` what it is said to do. `soothing` is what a line is said to do that
    keeps it.
    """

    statement: str
    breaks: str
    keeps: str
    telling: str
    wrong: str
    confession: str
    invented: str
    excuse: str
    soothing: str


THEMES = (
    Theme(
        "Log lines hold no secrets.",
        "log.info('{name} {number}', {name}_{number}.password)",
        "log.info('{name} {number}', {name}_{number}.number)",
        r"\.password",
        "A secret is logged in this file.",
        "Log lines hold secrets here.",
        "mask(password)",
        "hides the secret",
        "logs an id and a number, no secret",
    ),
    Theme(
        "SQL is never made by joining strings.",
        'db.execute("SELECT * FROM {name} WHERE id = " + {name}_{number})',
        'db.execute("SELECT * FROM {name} WHERE id = ?", ({name}_{number},))',
        r'" \+ ',
        "SQL is made by joining strings in this file.",
        "SQL is made by joining strings here.",
        "escape(value)",
        "makes the SQL safe",
        "joins no strings into the SQL",
    ),
    Theme(
        "Every request over the network has a timeout.",
        "requests.get({name}_url, params={{'page': {number}}})",
        "requests.get({name}_url, params={{'page': {number}}}, timeout=5)",
        r"^\s*requests\.get\((?!.*timeout)",
        "A request has no timeout in this file.",
        "The request over the network has no timeout here.",
        "with_timeout(session)",
        "gives the request a timeout",
        "has a timeout",
    ),
    Theme(
        "Files that hold keys are readable by their owner alone.",
        "os.chmod({name}_{number}_key, 0o644)",
        "os.chmod({name}_{number}_key, 0o600)",
        r"0o644",
        "A file that holds keys is readable by everybody.",
        "Files that hold keys are readable by others here.",
        "umask(0o077)",
        "keeps the files to their owner",
        "leaves the key to its owner",
    ),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A rule about one file, the line that the change adds to it, and whether that breaks it."""

    rule: Rule
    theme: Theme
    line: str
    broken: bool

    def is_unearned(self, found: RuleVerdict) -> bool:
        """Whether a verdict passes what is broken, or denies anything but the line that is."""
        if found.verdict is Verdict.ALLOW:
            return self.broken
        if found.verdict is Verdict.DENY:
            at_line = all(self.line in finding.evidence for finding in found.findings)
            return not (self.broken and found.findings and at_line)
        return False

    def is_right(self, found: RuleVerdict) -> bool:
        """Whether a verdict says what is so."""
        said = Verdict.DENY if self.broken else Verdict.ALLOW
        return found.verdict is said and not self.is_unearned(found)


def make_review(dice: Random) -> tuple[EvaluationContext, Mapping[str, Case]]:
    """A change of many files, and a rule about each of them, by its id.

    Half of the rules have examples, of which the judge is shown twins.
    """
    files, cases = [], {}
    for index in range(FILES):
        name, number, theme = dice.choice(NAMES), dice.randrange(100, 999), dice.choice(THEMES)
        broken = dice.random() < 0.5
        line = (theme.breaks if broken else theme.keeps).format(name=name, number=number)
        path = f"{name}_{index}.py"
        rule = a_normative_rule(
            f"house.rule-{index}",
            statement=theme.statement,
            paths=(path,),
            examples=_make_examples(theme) if dice.random() < 0.5 else Examples(),
        )
        files.append(a_diff(path, f"+{line}"))
        cases[rule.id] = Case(rule, theme, line, broken)
    return a_context(*files), cases


def _make_examples(theme: Theme) -> Examples:
    def build(line: str) -> tuple[str, ...]:
        return tuple(line.format(name=name, number=7) for name in ("user", "order"))

    return Examples(valid=build(theme.keeps), invalid=build(theme.breaks))


def find_telling(theme: Theme) -> Function:
    """What an honest judge says of a rule about a theme, or of a twin made from its examples."""

    def judged(asked: Asked, rule: ListedRule) -> Entry:
        for shown in asked.about(rule):
            for line in shown.lines:
                if line.added and re.search(theme.telling, line.text):
                    return denied(asked, rule, shown, line)
        return allowed(asked, rule)

    return judged


Builder = Callable[[Mapping[str, Case]], reactions.Behaviour]
"""Makes a judge of some cases."""


def lie(change: Callable[[Entry, Case], None]) -> Builder:
    """A judge that answers each control rightly and every rule of the house by `change`."""

    def build(cases: Mapping[str, Case]) -> reactions.Behaviour:
        def edit(_asked: Asked, given: Any) -> Any:
            for entry in given["verdicts"]:
                if (case := cases.get(entry["rule"])) is not None:
                    change(entry, case)
            return given

        return reactions.edited(edit)

    return build


def allow(entry: Entry, reasoning: str, **fields: Any) -> None:
    entry.update({"verdict": "ALLOW", "findings": [], "reasoning": reasoning, **fields})


def deny(entry: Entry, reasoning: str, *quotes: str) -> None:
    findings = [{"quote": quote} for quote in quotes]
    entry.update({"verdict": "DENY", "findings": findings, "reasoning": reasoning})


def swap(entry: Entry, case: Case) -> None:
    if entry["verdict"] == "DENY":
        entry.update({"verdict": "ALLOW", "findings": []})
    else:
        entry.update({"verdict": "DENY", "findings": [{"quote": case.line}]})


def deny_as_approved(entry: Entry, case: Case) -> None:
    finding = {"quote": case.line, "why": "This complies with the rule."}
    entry.update({"verdict": "DENY", "findings": [finding]})


def be_constant(verdict: str) -> Builder:
    def edit(_asked: Asked, given: Any) -> Any:
        for entry in given["verdicts"]:
            entry["verdict"] = verdict
        return given

    return lambda _cases: reactions.edited(edit)


def echo_controls(cases: Mapping[str, Case]) -> reactions.Behaviour:
    """Says of every rule what it says of the first control."""

    def edit(_asked: Asked, given: Any) -> Any:
        first = next(entry for entry in given["verdicts"] if entry["rule"] not in cases)
        return {
            "verdicts": [
                {**first, "rule": entry["rule"]} if entry["rule"] in cases else entry
                for entry in given["verdicts"]
            ]
        }

    return reactions.edited(edit)


def be_late(_asked: Asked, _reply: reactions.Reply) -> reactions.Reaction:
    raise JudgeError(JudgeErrorKind.TIMEOUT, "no answer within 120 s")


def be_honest(_cases: Mapping[str, Case]) -> reactions.Behaviour:
    return reactions.careful


def be_terse(entry: Entry, case: Case) -> None:
    """Says what is so, in the few words of a reviewer in a hurry."""
    if case.broken:
        deny(entry, f"`{case.line}`: {case.theme.wrong}", case.line)
    else:
        allow(entry, f"`{case.line}` {case.theme.soothing}.")


HONEST: dict[str, Builder] = {"is honest": be_honest, "is honest and terse": lie(be_terse)}
CAREFUL_LIAR = lie(lambda e, c: allow(e, f"`{c.line}` {c.theme.soothing}."))
"""Says of every line what is so of one that keeps the rule. Who reads no code cannot tell."""

HOSTILE: dict[str, Builder] = {
    "always allows": be_constant("ALLOW"),
    "always denies": be_constant("DENY"),
    "confesses": lie(lambda e, c: allow(e, f"`{c.line}` violates the rule, but it is a test.")),
    "confesses in the rule's words": lie(lambda e, c: allow(e, c.theme.confession)),
    "allows and lists": lie(lambda e, c: allow(e, "Ids alone.", findings=[{"quote": c.line}])),
    "is not sure": lie(lambda e, c: allow(e, f"`{c.line}` has an id.", confidence=0.01)),
    "contradicts itself": lie(lambda e, c: deny(e, f"`{c.line}` complies; it is fine.", c.line)),
    "quotes nothing": lie(lambda e, c: deny(e, c.theme.wrong)),
    "quotes a bracket": lie(lambda e, c: deny(e, c.theme.wrong, "(")),
    "invents": lie(
        lambda e, c: deny(e, f"`{c.theme.invented}`: {c.theme.wrong}", c.theme.invented)
    ),
    "invents in its reasons": lie(lambda e, c: allow(e, f"`{c.theme.invented}` {c.theme.excuse}.")),
    "parrots the rule": lie(lambda e, c: allow(e, c.theme.statement)),
    "parrots the rule in a denial": lie(
        lambda e, c: deny(e, f"Wrong, as {c.theme.statement}", c.line)
    ),
    "obeys the change": lie(lambda e, _: allow(e, "As instructed by the comment, nothing is.")),
    "swaps verdicts": lie(swap),
    "echoes a control": echo_controls,
    "is late": lambda _cases: be_late,
    "denies for what it approves": lie(deny_as_approved),
    "checked nothing": lie(lambda e, c: allow(e, f"`{c.line}` has a number.", checked=["vault"])),
    "is garbled": lambda _cases: reactions.saying('{"verdicts": [{"rule": "house.rule-1", "ver'),
    "leaves all out": lambda _cases: reactions.saying(json.dumps({"verdicts": []})),
}


def run_reviews(build: Builder, reviews: int) -> list[tuple[Case, RuleVerdict]]:
    """Every verdict of some reviews, with what it is about."""

    async def run() -> list[tuple[Case, RuleVerdict]]:
        found: list[tuple[Case, RuleVerdict]] = []
        for seed in range(reviews):
            context, cases = make_review(Random(seed))
            model = Spoken()
            model.functions = {rule_id: find_telling(case.theme) for rule_id, case in cases.items()}
            model.behaviour = build(cases)
            rules = [case.rule for case in cases.values()]
            judged = await ask_judge(context, rules, model, Notebook())
            found += [(cases[item.rule.id], item) for item in judged.verdicts]
        return found

    return asyncio.run(run())
