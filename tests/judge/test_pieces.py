"""A rule that reads nothing else is asked about each function, with what that rests on."""

from __future__ import annotations

import asyncio

from jurat.findings.verdict import Verdict
from jurat.judge.judge import ask_judge
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule, RuleInput
from jurat.source.diff import FileChange
from tests.support.code import added, changed
from tests.support.gemini import Notebook, Spoken, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule()
IMPORTS = "import json\nimport logging\n"
WRITES = "def write(user):\n    logging.info(render(user))\n"
RENDERS = "def render(user):\n    return json.dumps(user.id)\n"
COUNTS = "def count(users):\n    return len(users)\n"


class Desk:
    """One file, reviewed again and again with one ledger."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules or (RULE,)
        self.model, self.ledger = Spoken(), Notebook()

    def review(self, *parts: str) -> JudgeResult:
        return self.ask("f00dfeed00112233", added("\n\n".join(parts), "app.py"))

    def ask(self, mark: str, *files: FileChange) -> JudgeResult:
        return asyncio.run(
            ask_judge(a_context(*files), self.rules, self.model, self.ledger, nonce=lambda: mark)
        )

    def asked_lines(self) -> list[str]:
        """The lines of the file that the last prompt has, in order, but for empty ones."""
        shown = [item for item in self.model.asked[-1].shown if item.label == "app.py"]
        return [line.text for item in shown for line in item.lines if line.text]

    def added_lines(self) -> list[str]:
        """Those of them that are shown as added."""
        shown = [item for item in self.model.asked[-1].shown if item.label == "app.py"]
        return [line.text for item in shown for line in item.lines if line.text and line.added]


def test_a_push_asks_about_the_function_that_it_touched_alone() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    assert desk.asked_lines() == "".join((IMPORTS, WRITES, RENDERS, COUNTS)).split("\n")[:-1]
    grown = COUNTS.replace("len(users)", "len(users) + 1")
    desk.review(IMPORTS, WRITES, RENDERS, grown)
    assert desk.asked_lines() == grown.split("\n")[:-1]
    assert desk.review(IMPORTS, WRITES, RENDERS, grown).models == ()


def test_what_a_function_rests_on_is_shown_and_asks_again() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    renders = RENDERS.replace("user.id", "user.password")
    desk.review(IMPORTS, WRITES, renders, COUNTS)
    assert desk.asked_lines() == "".join((IMPORTS, WRITES, renders)).split("\n")[:-1]


def test_what_has_been_judged_by_itself_is_shown_as_what_was_there() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    assert desk.added_lines() == desk.asked_lines()
    writes = WRITES.replace("render(user)", "render(user), 1")
    desk.review(IMPORTS, writes, RENDERS, COUNTS)
    assert desk.asked_lines() == "".join((IMPORTS, writes, RENDERS)).split("\n")[:-1]
    assert desk.added_lines() == writes.split("\n")[:-1]


def test_a_line_that_some_rule_is_asked_about_is_added_for_all() -> None:
    other = a_normative_rule("house.one-way", reads=frozenset({RuleInput.DESCRIPTION}))
    desk = Desk(RULE, other)
    desk.review(IMPORTS, WRITES, RENDERS)
    desk.review(IMPORTS, WRITES.replace("render(user)", "render(user), 1"), RENDERS)
    assert desk.added_lines() == desk.asked_lines()


def test_a_function_that_a_denial_said_nothing_of_is_asked_about_itself() -> None:
    desk = Desk()
    broken = COUNTS.replace("users)", "users.password)", 2)
    desk.model.functions = {RULE.id: denying("logging.info(")}
    (verdict,) = desk.review(IMPORTS, WRITES, RENDERS, broken).verdicts
    assert verdict.verdict is Verdict.DENY
    # What was denied is mended. Whoever looks at the rest finds what is wrong there.
    desk.model.functions = {RULE.id: denying("users.password)")}
    (verdict,) = desk.review(IMPORTS, WRITES.replace("logging.info", "print"), broken).verdicts
    assert verdict.verdict is Verdict.DENY
    assert "    return len(users.password)" in desk.added_lines()


def test_where_hunks_begin_and_blank_lines_ask_nothing() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    moved = desk.review(f"{IMPORTS}\n\n", WRITES, COUNTS, RENDERS)
    assert moved.models == ()


def test_a_passage_of_markdown_is_shown_under_its_heading() -> None:
    lines = [
        f"## Part {number}\n\nSomething{number} about it.\n\nMore{number} on that.\n"
        for number in range(9)
    ]
    base = "\n".join(lines)
    guide = changed(base, base.replace("More5 on", "More5, and more, on"), "app.py.md")
    desk = Desk()
    desk.ask("f00dfeed00112233", guide)
    (shown,) = (item for item in desk.model.asked[-1].shown if item.label == "app.py.md")
    texts = [line.text for line in shown.lines]
    assert "Something5 about it." in texts
    assert "More5, and more, on that." in texts
    # The hunk has it, or what opens the hunk does.
    assert "## Part 5" in desk.model.asked[-1].fenced


def test_each_rule_is_asked_about_the_hunks_of_its_files_and_no_more_is_sent() -> None:
    """The page on models says so, and what it saves."""
    texts = {
        "docs/guide.md": "".join(f"## Part {n}\n\nWords on {n}.\n\n" for n in range(400)),
        "config.yml": "".join(f"key{n}: value{n}\n" for n in range(500)),
        "src/app.py": "".join(
            f"def f{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range(400)
        ),
    }
    edits = (("Words on 200.", "Words on 2."), ("value200", "30"), ("a + 200\n", "a - 200\n"))
    files = [
        changed(text, text.replace(*edit), path)
        for (path, text), edit in zip(texts.items(), edits, strict=True)
    ]
    rules = [a_normative_rule(f"house.rule-{path[:4].strip('/')}", paths=(path,)) for path in texts]
    desk = Desk(*rules)
    desk.ask("f00dfeed00112233", *files)
    (asked,) = desk.model.asked
    about = {rule.id: {item.label for item in asked.about(rule)} for rule in asked.rules}
    assert [about[rule.id] for rule in rules] == [{path} for path in texts]
    sent = [line.text for item in asked.shown if item.label in texts for line in item.lines]
    assert len(sent) < 30
    assert sum(map(len, sent)) * 50 < sum(map(len, texts.values()))


def test_the_rest_of_a_file_is_not_shown_for_its_blank_lines() -> None:
    wide = a_normative_rule("house.wide", reads=frozenset({RuleInput.CHANGE}))
    body = "def f{0}(a):\n    b = a + {0}\n    return b\n"
    base = "\n\n".join(body.format(number) for number in range(9))
    desk = Desk(RULE, wide)
    desk.ask("f00dfeed00112233", changed(base, base.replace("a + 4", "a + 40"), "app.py"))
    shown = [item for item in desk.model.asked[-1].shown if item.label == "app.py"]
    assert [any(line.text.strip() for line in item.lines) for item in shown] == [True]


def test_a_push_takes_no_more_than_a_review_of_its_file_alone() -> None:
    """By the same draw: between two draws the examples decide, which cost more or less."""
    others = [
        added(f"def part_{number}():\n    return {number}\n", f"part_{number}.py")
        for number in range(67)
    ]
    for number in range(30):
        parts = [
            f"def f{item}(x):\n{'    x += 1' * (item % 3)}\n    return x\n"
            for item in range(number % 5 + 1)
        ]
        before, after = (
            "\n".join(parts),
            "\n".join([*parts[:-1], parts[-1].replace("return x", "return x + 1")]),
        )
        desk, mark = Desk(), f"f00dfeed{number:08}"
        desk.ask(mark, added(before, "app.py"), *others)
        pushed = desk.ask(mark, added(after, "app.py"), *others)
        alone = Desk().ask(mark, added(after, "app.py"))
        assert len(pushed.models) == 1
        assert count_sent(pushed) <= count_sent(alone)


def count_sent(result: JudgeResult) -> int:
    return sum(use.input_tokens for use in result.models)


def test_a_denial_in_a_function_that_several_call_is_one_finding() -> None:
    desk = Desk()
    renders = RENDERS.replace("user.id", "user.password")
    desk.model.functions = {RULE.id: denying("password")}
    twice = WRITES.replace("write", "print")
    (verdict,) = desk.review(IMPORTS, WRITES, twice, renders).verdicts
    assert (verdict.verdict, len(verdict.findings)) == (Verdict.DENY, 1)
    # It stands while its code does, whatever is pushed beside it and whatever the model says now.
    desk.model.functions = {}
    (verdict,) = desk.review(IMPORTS, WRITES, twice, renders, COUNTS).verdicts
    assert (verdict.verdict, len(verdict.findings)) == (Verdict.DENY, 1)
    (verdict,) = desk.review(IMPORTS, WRITES, twice, RENDERS, COUNTS).verdicts
    assert verdict.verdict is Verdict.ALLOW


def test_who_reads_more_is_shown_the_file_and_no_line_of_it_twice() -> None:
    other = a_normative_rule("house.one-way", reads=frozenset({RuleInput.DESCRIPTION}))
    desk = Desk(RULE, other)
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    grown = COUNTS.replace("len(users)", "len(users) + 1")
    desk.review(IMPORTS, WRITES, RENDERS, grown)
    whole = "".join((IMPORTS, WRITES, RENDERS, grown)).split("\n")[:-1]
    assert sorted(desk.asked_lines()) == sorted(whole)
    on = {rule.id: len(rule.on) for rule in desk.model.asked[-1].rules}
    assert (on[RULE.id], on[other.id]) == (1, 2)
