"""The index says exactly what the naive predicates say."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.rule import Effective, Modality, Rule, RuleSet, Severity
from jurat.rules.selection import (
    PathTest,
    SelectionCriteria,
    applicable,
    explain_inapplicable,
    index_of,
    is_plain,
    keys_of,
    shapes_of,
)
from jurat.source.diff import FileChange, FileStatus
from jurat.source.paths import matches
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


@given(GLOBS, PATHS)
@example("**/*.py", ".py")
@example("**/*.py", "src/a.py\n")
@example("src/**", "src")
@example("**/src/**", "src/a")
@example("**/*", "a")
@example("{src,b}/**/*.{py,ts}", "src/a/x.py")
@settings(max_examples=1_000, deadline=None)
def test_a_glob_s_shapes_mean_what_the_glob_means(glob: str, path: str) -> None:
    meaning = [shape for shape in shapes_of(glob) if shape.test(path)]
    assert bool(meaning) == matches(glob, path)
    assert all(shape.key in set(keys_of(path)) for shape in meaning)


@pytest.mark.parametrize(
    ("glob", "kind"),
    [
        ("src/app.py", "path"),
        ("**/Dockerfile", "name"),
        ("**/*.py", "extension"),
        ("**/*_test.go", "extension"),
        ("src/**", "below"),
        ("src/**/*.py", "below"),
        ("src/app/*_api.py", "below"),
        ("**/migrations/**", "folder"),
        ("*.toml", "extension"),
        ("**", "any"),
        ("**/a*b/?", "any"),
    ],
)
def test_common_globs_have_a_key(glob: str, kind: str) -> None:
    (shape,) = shapes_of(glob)
    assert shape.key.kind == kind


def test_braces_are_taken_apart_up_to_a_bound() -> None:
    assert [shape.key.text for shape in shapes_of("{web,api}/**")] == ["web", "api"]
    assert [shape.key.kind for shape in shapes_of("a{1..1000}/b")] == ["any"]


def test_plain_paths_are_those_that_git_writes() -> None:
    assert is_plain("src/.github/a b.py")
    for path in ("", "/a", "a/", "a//b", "./a", "a/../b"):
        assert not is_plain(path)


@given(st.lists(GLOBS | GLOBS.map("!{}".format), max_size=3), PATHS)
@settings(max_examples=300, deadline=None)
def test_a_rule_s_globs_include_and_exclude(globs: list[str], path: str) -> None:
    test = PathTest.of(globs)
    including = [glob for glob in globs if not glob.startswith("!")]
    excluding = [glob[1:] for glob in globs if glob.startswith("!")]
    meant = not test.keys.isdisjoint(keys_of(path)) and test.means(path)
    assert meant == (
        not any(matches(glob, path) for glob in excluding)
        and (not including or any(matches(glob, path) for glob in including))
    )


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
@settings(max_examples=300, deadline=None)
def test_the_index_agrees_with_the_predicate_rule_by_rule(
    given_rules: list[Rule], context: EvaluationContext, criteria: SelectionCriteria, today: dt.date
) -> None:
    index = index_of(RuleSet({rule.id: rule for rule in given_rules}))
    found = index.those(applicable(index, context, criteria, today))
    assert found == tuple(
        rule for rule in given_rules if explain_inapplicable(rule, context, criteria, today) is None
    )


def test_many_rules_are_kept_as_positions_and_as_members_alike() -> None:
    made = [
        a_rule(f"r{n}", tags=("rare",) if n % 200 == 7 else ("common",), paths=(f"svc{n % 90}/**",))
        for n in range(1_000)
    ]
    corpus = RuleSet({rule.id: rule for rule in made})
    files = tuple(FileChange(f"svc{n}/a.py", FileStatus.MODIFIED) for n in (3, 7, 41))
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files),))
    index = index_of(corpus)
    for tags in ("rare", "common"):
        criteria = SelectionCriteria(tags=frozenset({tags}))
        found = index.those(applicable(index, context, criteria, dt.date(2026, 1, 1)))
        naive = [
            rule
            for rule in made
            if explain_inapplicable(rule, context, criteria, dt.date(2026, 1, 1)) is None
        ]
        assert list(found) == naive
        assert naive


def test_a_file_asks_only_the_globs_that_it_can_meet() -> None:
    shapes = ("svc{}/**", "**/part_{}.py", "**/folder{}/**", "svc{}/*/x?.go", "a/b{}.py")
    made = [a_rule(f"r{n}", paths=(shapes[n % 5].format(n),)) for n in range(2_000)]
    index = index_of(RuleSet({rule.id: rule for rule in made}))
    assert len(index.with_files.groups) == 2_000
    for path in ("svc5/x.go", "svc8/part_11.py", "folder12/deep/y.sql", "a/b14.py", "z/z.py"):
        assert len(index.with_files.near(path)) <= 2


def test_a_corpus_is_indexed_once() -> None:
    corpus = RuleSet({"a": a_rule("a")})
    assert index_of(corpus) is index_of(corpus)
    assert index_of(RuleSet({"a": a_rule("a")})) is not index_of(corpus)
