"""The index of globs spares work, and changes nothing that rule after rule would say."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.matching import ChangedFiles, PathIndex, fits_path, fits_subject
from jurat.rules.rule import Effective, Modality, Rule, RuleSet, Severity
from jurat.rules.selection import (
    SelectionCriteria,
    explain_inapplicable,
    filter_by_metadata,
)
from jurat.source.diff import FileChange, FileStatus
from tests.support.values import a_rule

SEGMENTS = st.sampled_from(["a", "xa", "src", "a.py", "xa.py", "b.test.ts", ".py", "Dockerfile"])
LITERALS = ["a", "src", "a.py", "Dockerfile", ".py", ".", ""]
PATTERNS = ["*", "**", "*.py", "*.test.ts", "*a", "?", "[ab]", "*.*", "***", "a\\*", "!a", "x*"]
BRACES = ["{a,b}", "x{a,}.{py,ts}", "{**,a}", "{1..3}"]
PIECES = st.sampled_from([*LITERALS, *PATTERNS, "**", *BRACES])
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
ODD_PATHS = st.sampled_from(["", "/a", "a/", "a//b", "./a", "../a.py", "src/./a", "a/..", "."])
USUAL = st.sampled_from(["**/{}", "{}/**", "**/*{}", "**/{}/**", "{}/**/*.py", "{}/*.py"])
GLOBS = st.lists(PIECES, min_size=1, max_size=4).map("/".join) | st.builds(
    lambda form, literal: form.replace("{}", literal), USUAL, SEGMENTS
)


@given(st.lists(GLOBS | GLOBS.map("!{}".format), max_size=3), PATHS | ODD_PATHS)
@example(["**/*.py"], ".py")
@example(["**/*.py"], "src/a.py\n")
@example(["**/src/**"], "src/a")
@example(["{src,b}/**/*.{py,ts}"], "src/a/x.py")
@example(["{a/b/c,d}/x"], "d/x")
@example(["[a/b]c"], "ac")
@example(["a\\*b/c"], "a*b/c")
@example(["a{1..100}/x"], "a77/x")
@settings(max_examples=1_000, deadline=None)
def test_globs_mean_only_paths_that_carry_one_of_their_words(globs: list[str], path: str) -> None:
    rule = a_rule("r", paths=tuple(globs))
    near = PathIndex.of([rule.paths]).find_near(path)
    assert rule.paths in near or not fits_path(rule, path)


DAYS = st.sampled_from([dt.date(2026, 1, day) for day in (1, 2, 3)])
SCOPES = st.sampled_from(["a", "a/b", "a/b/c", "b", "/a/", "", "ab"])
CONSTRAINTS: list[tuple[dict[str, Any], ...]] = [
    (),
    ({"type": "regex", "pattern": "x"},),
    ({"type": "pattern", "language": "python", "pattern": "f()"},),
    ({"type": "pattern", "language": "go", "pattern": "f()"}, {"type": "regex", "pattern": "x"}),
    ({"type": "numeric", "field_path": "n", "operator": "<", "threshold": 1},),
]


@st.composite
def rules(draw: st.DrawFn) -> list[Rule]:
    count = draw(st.integers(0, 12))
    made = []
    for number in range(count):
        since, until = sorted([draw(DAYS), draw(DAYS)])
        effective = draw(
            st.sampled_from(
                [
                    Effective(),
                    Effective(since=since),
                    Effective(until=until),
                    Effective(since=since, until=until),
                ]
            )
        )
        made.append(
            a_rule(
                f"rule-{number}",
                modality=draw(st.sampled_from(list(Modality))),
                severity=draw(st.sampled_from(list(Severity))),
                scope=tuple(draw(st.lists(SCOPES, max_size=2))),
                paths=tuple(draw(st.lists(GLOBS | GLOBS.map("!{}".format), max_size=2))),
                languages=tuple(
                    draw(st.lists(st.sampled_from(["python", "go", "!go", "p*"]), max_size=2))
                ),
                subject_kinds=tuple(
                    draw(st.lists(st.sampled_from(list(SubjectKind)[:3]), max_size=2))
                ),
                tags=tuple(draw(st.lists(st.sampled_from("xyz"), max_size=2))),
                effective=effective,
                constraints=draw(st.sampled_from(CONSTRAINTS)),
            )
        )
    return made


@st.composite
def contexts(draw: st.DrawFn) -> EvaluationContext:
    subjects = []
    for kind in draw(st.lists(st.sampled_from(list(SubjectKind)[:3]), max_size=2, unique=True)):
        paths = draw(st.lists(PATHS | ODD_PATHS, max_size=3, unique=True))
        languages = st.sampled_from([None, "python", "go"])
        files = [FileChange(path, FileStatus.ADDED, language=draw(languages)) for path in paths]
        lost = draw(st.sampled_from([(), ("bin/tool",), ("lost.py",)]))
        files += [FileChange(path, FileStatus.ADDED, unread="lost") for path in lost]
        if draw(st.integers(0, 9)) == 0:
            files.append(FileChange("(others)", FileStatus.ADDED, unread="lost", unlisted=True))
        subjects.append(Subject(kind, tuple(files)))
    scope = draw(st.none() | SCOPES)
    return EvaluationContext(tuple(subjects), scope=scope, repository=draw(st.none() | SCOPES))


CRITERIA = st.builds(
    SelectionCriteria,
    severity_min=st.sampled_from(list(Severity)),
    modalities=st.frozensets(st.sampled_from(list(Modality)), max_size=2),
    tags=st.frozensets(st.sampled_from("xyw"), max_size=2),
)


@given(rules(), contexts(), CRITERIA, DAYS)
@settings(max_examples=100, deadline=None)
def test_the_stage_agrees_with_the_predicates_rule_by_rule(
    given_rules: list[Rule], context: EvaluationContext, criteria: SelectionCriteria, today: dt.date
) -> None:
    def fits(rule: Rule) -> bool:
        return any(fits_subject(rule, subject) for subject in context.subjects)

    rule_set = RuleSet({rule.id: rule for rule in given_rules})
    fitting, omitted = filter_by_metadata(context, rule_set, criteria, today)
    reasons = [explain_inapplicable(rule, context, criteria, today, fits) for rule in given_rules]
    said = list(zip(given_rules, reasons, strict=True))
    assert fitting == [rule for rule, reason in said if reason is None]
    assert [(item.rule, item.reason) for item in omitted] == [
        (rule, reason) for rule, reason in said if reason is not None
    ]


def test_a_file_asks_only_the_globs_that_it_can_meet() -> None:
    shapes = ("svc{}/**", "**/part_{}.py", "**/folder{}/**", "svc{}/*/x?.go", "a/{{b{},c}}/y.py")
    globs = [(shapes[number % 5].format(number),) for number in range(2_000)]
    index = PathIndex.of(globs)
    for path in ("svc5/x.go", "svc8/part_11.py", "folder12/deep/y.sql", "a/b14/y.py", "z/z.py"):
        assert len({*index.find_near(path)}) <= 3


def test_an_unlisted_file_may_be_any() -> None:
    rule = a_rule("r", paths=("src/**",))
    index = PathIndex.of([rule.paths])
    others = FileChange("(others)", FileStatus.ADDED, unread="lost", unlisted=True)
    assert ChangedFiles([others], index).has_match(rule)
    assert not ChangedFiles([FileChange("a.py", FileStatus.ADDED)], index).has_match(rule)
