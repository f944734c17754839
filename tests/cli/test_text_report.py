"""The report that a person reads."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.verdict import Verdict
from jurat.reports.formats import Detail, ReviewReport
from jurat.reports.text import build_console, print_report
from jurat.source.diff import FileChange
from jurat.source.visible_text import to_visible_text
from tests.support.evaluations import denied, everything, failed, the_file
from tests.support.values import a_file, a_fix, a_location, a_rule, a_verdict, with_findings


def text_of(evaluation: Evaluation, *files: FileChange, detail: Detail = Detail.NORMAL) -> str:
    stream = io.StringIO()
    report = ReviewReport(evaluation, {file.path: file for file in files}, detail=detail)
    print_report(build_console(stream), report)
    return stream.getvalue()


class TestText:
    def test_reads_from_the_verdict_to_what_is_open(self) -> None:
        assert text_of(everything(), the_file()) == EXPECTED

    def test_is_plain_within_80_columns(self) -> None:
        text = text_of(everything(), the_file())
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 80
        assert all(line == line.rstrip() for line in text.splitlines())

    def test_foreign_text_is_neither_markup_nor_an_escape_sequence(self) -> None:
        issue = "\x1b[2Jgone [bold]loud[/bold] \u202e:smile:"
        verdict = with_findings(replace(denied(), issue=issue))
        text = text_of(Evaluation("ev", Verdict.DENY, (verdict,), Coverage(1)))
        assert "U+001B[2Jgone [bold]loud[/bold] U+202E:smile:" in text
        assert "\x1b" not in text

    @pytest.mark.parametrize(("count", "is_cut"), [(8, False), (9, True), (50, True)])
    def test_rules_that_one_reason_left_undecided_are_counted_if_they_are_many(
        self, count: int, is_cut: bool
    ) -> None:
        """One file that cannot be parsed leaves all rules about its language undecided."""
        names = [f"py.rule-{number}" for number in range(count)]
        verdicts = tuple(
            a_verdict(a_rule(name), Verdict.NOT_ASSESSED, reasoning="Not read: a.py.")
            for name in names
        )
        evaluation = Evaluation("ev", Verdict.NEEDS_CONFIRMATION, verdicts, Coverage(1))
        text, whole = text_of(evaluation), text_of(evaluation, detail=Detail.FULL)
        said = f"py.rule-0, py.rule-1, py.rule-2 and {count - 3} more: Not read: a.py."
        assert f"Not assessed: {count} rules" in text
        assert (said in text, "; --verbose names each" in text) == (is_cut, is_cut)
        assert all(name in whole for name in names)
        assert said not in whole

    def test_a_fix_is_shown_in_whole_and_code_is_cut(self) -> None:
        long = "x = " + "1" * 200
        file = replace(the_file(), hunks=(), head=f"{long}\n")
        place = (a_location("app.py", 1),)
        shown = text_of(
            Evaluation("ev", Verdict.DENY, (a_verdict(locations=place),), Coverage(1)), file
        )
        assert "111…" in shown
        fix = replace(a_fix("app.py", 1, new=long + "2"), original=long)
        fixed = text_of(
            Evaluation(
                "ev",
                Verdict.DENY,
                (a_verdict(locations=place, remediations=(fix,)),),
                Coverage(1),
            ),
            file,
        )
        assert f"+{long}2\n" in fixed

    def test_a_long_finding_says_how_much_is_not_shown(self) -> None:
        verdict = a_verdict(locations=(a_location("app.py", 1, 30),))
        file = a_file("app.py", added=30)
        text = text_of(Evaluation("ev", Verdict.DENY, (verdict,), Coverage(1)), file)
        assert "     6 │ line 6\n       │ … 24 more lines\n" in text

    def test_a_rule_is_explained_once(self) -> None:
        places = (a_location("app.py", 1), a_location("app.py", 3))
        verdict = with_findings(denied(), places)
        text = text_of(Evaluation("ev", Verdict.DENY, (verdict,), Coverage(1)), the_file())
        assert text.count("MD5 is broken.") == 2
        assert text.count("MD5 collisions are cheap.") == 1

    def test_findings_of_experimental_rules_alone_are_called_so(self) -> None:
        shadow = everything().rule_verdicts[2:4]
        text = text_of(Evaluation("ev", Verdict.NEEDS_CONFIRMATION, shadow, Coverage(1)))
        assert text.startswith(
            " NEEDS CONFIRMATION  Only rules that observe found anything; 1 rule passed.\n"
        )

    def test_a_judge_that_failed_stands_in_the_headline(self) -> None:
        assert "1 blocking rule undecided" in text_of(failed()).splitlines()[0]

    def test_colours_a_terminal_or_by_force_and_not_under_no_color(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        def is_coloured(stream: io.StringIO) -> bool:
            print_report(build_console(stream), ReviewReport(everything(), {}))
            return "\x1b[1;37;41m DENY \x1b[0m" in stream.getvalue()

        monkeypatch.setenv("TERM", "xterm-256color")
        assert is_coloured(Terminal())
        assert not is_coloured(io.StringIO())
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert is_coloured(io.StringIO())
        monkeypatch.setenv("NO_COLOR", "1")
        assert not is_coloured(Terminal())
        assert not is_coloured(io.StringIO())


@given(st.text())
def test_visible_text_controls_nothing(text: str) -> None:
    shown = to_visible_text(text)
    assert all(mark.isprintable() or mark in "\n\t" for mark in shown)


EXPECTED = """\
 DENY  1 rule blocks; 1 rule gives advice; 1 blocking rule undecided. 2
findings, 1 with a safe fix.
A note.

app.py:3:5  HIGH, blocks  py.no-md5
       MD5 is broken.
       The rule: Digests are made with a strong hash.
       MD5 collisions are cheap.
     3 │-    return md5(data)  # [red]fast[/red]
       │+    return sha256(data)
       Checked: parses, 1 rule re-run.

The change as a whole  HIGH, advice  tests.touched
       Code changed and no test did.
       The rule: A change of code comes with a change of tests.

Not read: 1 file
  big.js: It has 9 MB.

Not assessed: 2 rules
  acme.judged: No model is configured.
  acme.cut: Beyond max_rules (20).

Shadow: 1 finding of rules that only observe
  app.py:4 acme.new: MD5 is broken.

Read 1 of 2 files; 5 of 7 rules in force apply, 4 decided without a model; 1
model call, 120 tokens.
"""
