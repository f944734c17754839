"""Pattern and regex constraints over the code that a change adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from jurat.engine.fixes import apply_fixes
from jurat.engine.rule_verdicts import MOST_PLACES
from jurat.facts.context import EvaluationContext, Subject, SubjectKind, Surface
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.rules.rule import RuleSet
from jurat.source.diff import FileChange, FileStatus
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseFailure
from jurat.source.syntax import parse_side
from tests.support.code import added, changed, code, decided, rule_text, rules

VERIFY = rules(
    rule_text(
        "constraints:",
        "  - type: pattern",
        "    language: python",
        "    rule:",
        '      pattern: {context: "f(verify=False)", selector: keyword_argument}',
        '      inside: {kind: argument_list, inside: {pattern: "requests.$METHOD($$$ARGS)"}}',
        "    fix: verify=True",
    )
)
CALL = rules(
    rule_text(
        "constraints:",
        "  - {type: pattern, language: [python, go], pattern: bad($$$A), fix: good($$$A)}",
    )
)
SECRET = rules(rule_text("constraints: [{type: regex, pattern: 'key_[0-9]{4}$'}]"))


def verdict(rule_set: RuleSet, *files: FileChange) -> RuleVerdict:
    (only,) = decided(rule_set, code(*files)).verdicts
    return only


def lines(found: RuleVerdict) -> list[tuple[int | None, int | None]]:
    return [(place.start_line, place.end_line) for place in found.locations]


class TestUnparsed:
    """A file that is read line by line alone, as a changelog of a megabyte is."""

    FILE = replace(added("token: key_1234\n", "values.yml"), unparsed="it is too large to parse")

    def test_an_expression_is_searched_for_all_the_same(self) -> None:
        assert lines(verdict(SECRET, self.FILE)) == [(1, 1)]

    def test_a_rule_that_would_have_to_parse_it_does_not_pass(self) -> None:
        pattern = "constraints: [{type: pattern, language: yaml, rule: {kind: block_mapping_pair}}]"
        found = verdict(rules(rule_text(pattern)), self.FILE)

        assert found.verdict is Verdict.NOT_ASSESSED
        assert "it is too large to parse" in found.reasoning

    def test_nothing_of_it_is_left_out_because_a_comment_says_so(self) -> None:
        assert list(parse_side(self.FILE, "head")) == []


class TestPattern:
    def test_a_match_in_an_added_line_is_denied_with_its_place_and_fix(self) -> None:
        head = "import requests\n\n\ndef fetch(url):\n    return requests.get(url, verify=False)\n"
        found = verdict(VERIFY, added(head, "src/client.py"))
        assert (found.verdict, found.confidence) == (Verdict.DENY, 0.95)
        assert found.decided_by is DecidedBy.PATTERN
        (place,) = found.locations
        assert (place.file_path, place.start_line, place.end_line) == ("src/client.py", 5, 5)
        assert place.fields == {"snippet": "verify=False", "function_name": "fetch"}
        (fix,) = found.remediations
        assert (fix.start_line, fix.end_line, fix.type) == (5, 5, "replace")
        assert fix.original == "    return requests.get(url, verify=False)"
        assert fix.replacement == "    return requests.get(url, verify=True)"
        assert fix.auto_applicable

    def test_no_match_allows_with_the_same_confidence(self) -> None:
        found = verdict(VERIFY, added("requests.get(url)\n"))
        assert (found.verdict, found.confidence) == (Verdict.ALLOW, 0.95)

    def test_a_match_beside_the_added_lines_is_old(self) -> None:
        base = "bad(1)\nx = 1\n"
        assert verdict(CALL, changed(base, f"{base}y = 2\n")).verdict is Verdict.ALLOW

    def test_a_match_that_one_added_line_touches_is_new(self) -> None:
        found = verdict(CALL, changed("bad(\n    1,\n)\n", "bad(\n    1,\n    2,\n)\n"))
        assert lines(found) == [(1, 4)]

    @pytest.mark.parametrize("whole", [True, False])
    def test_moved_indented_and_wrapped_code_is_no_news(self, whole: bool) -> None:
        base = "bad(1)\n" + "x = 1\n" * 2
        moved = changed(base, "x = 1\n" * 2 + "bad(1)\n", whole=whole)
        indented = changed(base, "if x:\n    bad(1)\n" + "x = 1\n" * 2, whole=whole)
        wrapped = changed(base, "bad(\n    1)\n" + "x = 1\n" * 2, whole=whole)
        for file in (moved, indented, wrapped):
            assert verdict(CALL, file).verdict is Verdict.ALLOW

    def test_one_more_of_the_same_is_news_and_only_one(self) -> None:
        base = "bad(1)\nx = 1\n"
        found = verdict(CALL, changed(base, f"{base}bad(1)\n"))
        assert lines(found) == [(3, 3)]
        two = verdict(CALL, changed(base, f"bad(1)\nbad(1)\n{base}"))
        assert len(two.locations) == 2

    @pytest.mark.parametrize("whole", [True, False])
    def test_a_call_that_left_one_file_does_not_pay_for_another_one(self, whole: bool) -> None:
        left = changed("old = bad(1)\nx = 1\n", "x = 1\n", "a.py", whole=whole)
        other = changed("y = 1\n", "new = bad(1)\ny = 1\n", "b.py", whole=whole)
        moved = changed("y = 1\n", "old = bad(1)\ny = 1\n", "b.py", whole=whole)
        assert lines(verdict(CALL, left, other)) == [(1, 1)]
        assert verdict(CALL, left, moved).verdict is Verdict.ALLOW

    def test_a_line_edited_in_place_is_no_news(self) -> None:
        edited = changed("old = bad(1)\n", "new = bad(1)\n")
        assert verdict(CALL, edited).verdict is Verdict.ALLOW

    def test_of_many_places_the_first_are_listed_and_the_rest_counted(self) -> None:
        found = verdict(CALL, added("bad(1)\n\n" * (MOST_PLACES + 7)))
        assert (len(found.locations), found.unlisted_count) == (MOST_PLACES, 7)
        assert len(found.remediations) == MOST_PLACES
        assert f"and {MOST_PLACES + 2} more" in found.reasoning

    def test_a_removed_file_and_another_language_are_not_looked_at(self) -> None:
        found = verdict(CALL, added("bad(1);\n", "a.js"), added("x = 1\n"))
        assert found.verdict is Verdict.ALLOW

    def test_several_files_come_in_order(self) -> None:
        found = verdict(CALL, added("bad(1)\n", "b.py"), added("\nbad(2)\nbad(3)\n", "a.py"))
        assert [(place.file_path, place.start_line) for place in found.locations] == [
            ("a.py", 2),
            ("a.py", 3),
            ("b.py", 1),
        ]

    def test_offsets_survive_characters_of_several_bytes(self) -> None:
        head = "s = '😀é👍'; bad('😀')  # é\n"
        (fix,) = verdict(CALL, added(head)).remediations
        assert apply_fixes(head, [fix]) == "s = '😀é👍'; good('😀')  # é\n"

    def test_windows_line_ends_are_kept(self) -> None:
        head = "def f():\r\n    bad(1)\r\n    bad(2)\r\n"
        found = verdict(CALL, added(head))
        assert apply_fixes(head, found.remediations) == head.replace("bad", "good")

    def test_fixes_on_one_line_are_one_remediation(self) -> None:
        head = "x = bad(1) + bad(2)\n"
        (fix,) = verdict(CALL, added(head)).remediations
        assert fix.replacement == "x = good(1) + good(2)"

    def test_a_line_that_could_not_be_decoded_is_not_rewritten(self) -> None:
        found = verdict(CALL, added("bad('\ufffd')\n"))
        assert found.verdict is Verdict.DENY
        assert found.remediations == ()

    def test_a_diff_alone_is_enough(self) -> None:
        base = "".join(f"x{n} = {n}\n" for n in range(30))
        before = f"class A:\n    def f(self):\n        y = 1\n        return y\n{base}"
        after = before.replace("y = 1", "y = bad(\n            1\n        )")
        file = changed(before, after, whole=False)
        assert file.head is None
        found = verdict(CALL, file)
        assert lines(found) == [(3, 5)]
        assert apply_fixes(after, found.remediations) == before.replace("y = 1", "y = good(1)")

    def test_a_diff_of_the_middle_of_a_file_has_the_files_line_numbers(self) -> None:
        base = "".join(f"    x{n} = {n}\n" for n in range(40))
        before = f"def f():\n{base}"
        after = before.replace("x20 = 20", "x20 = bad(20)")
        found = verdict(CALL, changed(before, after, whole=False))
        assert lines(found) == [(22, 22)]
        assert apply_fixes(after, found.remediations) == after.replace("bad", "good")

    def test_two_patterns_of_one_rule_report_a_place_once(self) -> None:
        twice = rules(
            rule_text(
                "constraints:",
                "  - {type: pattern, language: python, pattern: bad($A)}",
                "  - {type: pattern, language: python, pattern: bad($$$A)}",
            )
        )
        assert len(verdict(twice, added("bad(1)\n")).locations) == 1

    def test_transform_and_an_unsure_fix(self) -> None:
        rule_set = rules(
            rule_text(
                "constraints:",
                "  - type: pattern",
                "    language: python",
                "    pattern: old.$NAME($A)",
                "    transform: {UP: {convert: {source: $NAME, toCase: upperCase}}}",
                "    fix: new.$UP($A)",
                "    auto_applicable: false",
            )
        )
        (fix,) = verdict(rule_set, added("old.get(1)\n")).remediations
        assert fix.replacement == "new.GET(1)"
        assert not fix.auto_applicable


class TestUnread:
    UNREAD = FileChange("big.py", FileStatus.MODIFIED, language="python", unread="too large")

    def test_a_rule_never_passes_on_a_file_that_was_not_read(self) -> None:
        found = verdict(CALL, self.UNREAD, added("x = 1\n"))
        assert found.verdict is Verdict.NOT_ASSESSED
        assert found.gap is NotAssessedReason.UNREAD
        assert found.confidence == 0
        assert "big.py (too large)" in found.reasoning

    def test_what_is_found_elsewhere_is_still_denied(self) -> None:
        found = verdict(CALL, self.UNREAD, added("bad(1)\n"))
        assert found.verdict is Verdict.DENY
        assert "big.py (too large)" in found.reasoning

    def test_a_file_that_the_rule_is_not_about_does_not_matter(self) -> None:
        other = replace(self.UNREAD, path="big.rb", language="ruby")
        assert verdict(CALL, other, added("x = 1\n")).verdict is Verdict.ALLOW

    @pytest.mark.parametrize("path", ["bin/tool", "Makefile"])
    def test_a_script_that_nobody_could_open_may_be_of_any_scripting_language(
        self, path: str
    ) -> None:
        lost = replace(self.UNREAD, path=path, language=None)
        assert verdict(CALL, lost).verdict is Verdict.NOT_ASSESSED
        named = rules(rule_text("languages: [p*]", "constraints: [{type: regex, pattern: bad}]"))
        assert verdict(named, lost).verdict is Verdict.NOT_ASSESSED

    @pytest.mark.parametrize(
        "known", [{"path": "tool.zip"}, {"path": "uv.lock"}, {"head": "x\n"}, {"is_binary": True}]
    )
    def test_what_is_known_to_be_no_script_does_not_matter(self, known: dict[str, Any]) -> None:
        lost = replace(self.UNREAD, **{"path": "bin/tool", "language": None, **known})
        assert verdict(CALL, lost, added("x = 1\n")).verdict is Verdict.ALLOW

    def test_no_first_line_makes_a_script_of_a_compiled_language(self) -> None:
        lost = replace(self.UNREAD, path="bin/tool", language=None)
        in_rust = rules(rule_text("languages: [rust]", "constraints: [{type: regex, pattern: a}]"))
        assert verdict(in_rust, lost, added("x\n", "a.rs")).verdict is Verdict.ALLOW

    def test_a_parser_that_fails_is_as_a_file_unread(self) -> None:
        def failing(work: Callable[[Any], Any], items: Sequence[Any]) -> Sequence[Any]:
            return [ParseFailure("took longer than 2 s") for _ in items]

        (found,) = decided(CALL, code(added("bad(1)\n")), failing).verdicts
        assert found.verdict is Verdict.NOT_ASSESSED
        assert "app.py (took longer than 2 s)" in found.reasoning

    def test_regexes_know_of_unread_files_too(self) -> None:
        assert verdict(SECRET, self.UNREAD).verdict is Verdict.NOT_ASSESSED


class TestRegex:
    def test_an_added_line_that_matches_is_denied(self) -> None:
        found = verdict(SECRET, added("a\nx = key_1234\nkey_12345\n", "notes.txt"))
        assert lines(found) == [(2, 2)]
        assert found.locations[0].fields == {"snippet": "x = key_1234"}

    def test_lines_that_moved_are_no_news(self) -> None:
        base = "key_1234\na\nb\n"
        assert verdict(SECRET, changed(base, "a\nb\n  key_1234\n")).verdict is Verdict.ALLOW
        assert lines(verdict(SECRET, changed(base, "a\nb\nkey_1234\nkey_1234\n"))) == [(4, 4)]
        twice = changed("key_1234\n" * 2 + "a\nb\nc\n", "a\nb\nc\n" + "key_1234\n" * 2)
        assert verdict(SECRET, twice).verdict is Verdict.ALLOW

    def test_old_lines_are_not_searched(self) -> None:
        base = "key_1234\na\n"
        assert verdict(SECRET, changed(base, f"{base}b\n")).verdict is Verdict.ALLOW

    def test_anchors_mean_the_line_and_windows_line_ends_are_no_part_of_it(self) -> None:
        for pattern in (r"^a\d$", r"\Aa\d\z"):
            rule_set = rules(rule_text(f"constraints: [{{type: regex, pattern: '{pattern}'}}]"))
            assert lines(verdict(rule_set, added("b\r\na1\r\nxa1\r\n"))) == [(2, 2)]

    @pytest.mark.parametrize(
        ("code", "found"),
        [
            ("begin 1234\n", True),
            ("begin\n\nat last\n1234\n", True),
            ("begin\nend\n1234\n", False),
            ("begin\n" + "\n" * 12 + "1234\n", False),
            ("1234\nbegin\n", False),
        ],
        ids=["beside", "below", "behind an end", "far below", "above"],
    )
    def test_what_must_follow_stands_behind_or_right_below(self, code: str, found: bool) -> None:
        text = "constraints: [{type: regex, pattern: begin, followed_by: '^(?:[^e]*)[0-9]{4}'}]"
        assert bool(verdict(rules(rule_text(text)), added(code)).locations) is found

    def test_what_follows_must_be_added_as_well(self) -> None:
        text = "constraints: [{type: regex, pattern: begin, followed_by: '[0-9]{4}'}]"
        file = changed("a\n1234\n", "begin\na\n1234\n")
        assert verdict(rules(rule_text(text)), file).verdict is Verdict.ALLOW

    def test_a_pattern_that_would_hang_a_backtracking_engine_does_not(self) -> None:
        rule_set = rules(rule_text("constraints: [{type: regex, pattern: '(a+)+$'}]"))
        found = verdict(rule_set, added("a" * 50_000 + "!\n"))
        assert found.verdict is Verdict.ALLOW

    def test_paths_choose_the_files(self) -> None:
        rule_set = rules(
            rule_text(
                "paths: ['src/**', '!**/gen/**']", "constraints: [{type: regex, pattern: bad}]"
            )
        )
        files = [added("bad\n", path) for path in ("src/a.txt", "src/gen/b.txt", "lib/c.txt")]
        assert [place.file_path for place in verdict(rule_set, *files).locations] == ["src/a.txt"]

    def test_a_place_in_a_document_is_told_in_its_surfaces_terms(self) -> None:
        file = added("as key_1234\n", "terms.md")
        context = EvaluationContext((Subject(SubjectKind.CLAUSE_SET, (file,)),))
        (found,) = decided(SECRET, context).verdicts
        (place,) = found.locations
        assert place.surface is Surface.CONTRACT
        assert place.fields == {"span_text": "key_1234", "offset_start": 3, "offset_end": 11}
        assert (place.file_path, place.start_line) == ("terms.md", 1)


def test_a_pool_of_processes_gives_the_same() -> None:
    files = [added(f"x = {n}\nbad({n})\n", f"m{n}.py") for n in range(5)]
    with closing(ParserPool(workers=1)) as pool:
        (pooled,) = decided(CALL, code(*files), pool).verdicts
    assert pooled == verdict(CALL, *files)


def test_a_rule_that_is_worded_anew_says_its_own_words_of_the_same_pattern() -> None:
    corpus = rules(rule_text("constraints: [{type: pattern, language: python, pattern: bad()}]"))
    shipped = corpus.rules["test.rule"]
    said = []
    for message in ("One.", "Another.", "One."):
        rule = shipped.model_copy(update={"message": message})
        found = decided(RuleSet(rules={rule.id: rule}), code(added("bad()\n")))
        said += [finding.message for item in found.verdicts for finding in item.findings]
    assert said == ["One.", "Another.", "One."]
