"""Times rule selection, and says how many of the right rules it finds.

    python -m tests.benchmarks.bench_selection [--rules N]... [--runs N]

The metadata stage is timed on a change of 50 files, for a query that few rules meet, for one that
most of them meet, and with a glob of its own in every rule. The whole selection ranks what is
left by relevance and authority. Recall is counted on fixtures/labelled_changes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.rule import Effective, Modality, Rule, RuleKind, RuleSet, Severity
from jurat.rules.selection import (
    SelectionCriteria,
    filter_by_metadata,
    select_applicable,
)
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.source.languages import detect_language
from tests.rules import golden, labelled

SIZES = (1_000, 10_000, 100_000)
FILES = 50
TODAY = dt.date(2026, 11, 1)


@dataclass(frozen=True, slots=True)
class Query:
    """A change, and what narrows the rules besides it."""

    name: str
    context: EvaluationContext
    criteria: SelectionCriteria


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, action="append", help="sizes of the corpus")
    parser.add_argument("--runs", type=int, default=15, help="runs a figure; the median counts")
    given = parser.parse_args()
    print(f"Metadata stage, a change of {FILES} files (ms; median and worst of {given.runs}):")
    print("    rules  query       fitting   median    worst    first, with the index of globs")
    for size in given.rules or SIZES:
        print_metadata(size, given.runs)
    print("\nWhole selection, 20 rules kept of those that most of the rules meet (ms):")
    print("    rules   ranked   median    worst   first time, with the index of words")
    for size in given.rules or SIZES:
        print_whole(size, given.runs)
    print()
    print_recall()
    print()
    golden.print_figures()


def print_metadata(size: int, runs: int) -> None:
    for query in (selective(), broad(), distinct()):
        rules = rule_set(size) if query.name != "distinct" else own_globs(size)

        def stage(query: Query = query, rules: RuleSet = rules) -> Sequence[Rule]:
            return filter_by_metadata(query.context, rules, query.criteria, TODAY)[0]

        first = seconds(stage) * 1000
        median, worst = timed(stage, runs)
        print(
            f"{size:9,}  {query.name:9}  {len(stage()):8,} {median:8.2f} {worst:8.2f} {first:8.0f}"
        )


def print_whole(size: int, runs: int) -> None:
    rules, query = rule_set(size), broad()

    def whole() -> object:
        return select_applicable(query.context, rules, query.criteria, TODAY)

    first = seconds(whole)
    median, worst = timed(whole, runs)
    ranked = len(select_applicable(query.context, rules, query.criteria, TODAY).omitted) + 20
    print(f"{size:9,} {ranked:8,} {median:8.1f} {worst:8.1f}   {first:.2f} s")


def print_recall() -> None:
    changes = labelled.changes()
    count = len(labelled.rule_set())
    print(f"Recall of the right rules, {len(changes)} labelled changes, {count} rules:")
    for name, rank in (
        ("relevance (BM25)", labelled.by_relevance),
        ("and authority", labelled.by_authority),
    ):
        found = labelled.recall([rank(change) for change in changes])
        at_10, at_20 = found.at_10 / found.labels, found.at_20 / found.labels
        print(f"  {name:18} at 10 {at_10:.3f}   at 20 {at_20:.3f}   of {found.labels} labels")


def selective() -> Query:
    """Few rules meet it: one area, HIGH and above, one tag."""
    context = EvaluationContext(change().subjects, change().intent, scope="unit-7/area-3")
    return Query(
        "selective",
        context,
        SelectionCriteria(severity_min=Severity.HIGH, tags=frozenset({"tag-3"})),
    )


def broad() -> Query:
    """Most rules about code meet it."""
    return Query("broad", change(), SelectionCriteria(severity_min=Severity.LOW))


def distinct() -> Query:
    """Every rule has a glob of its own (see `own_globs`)."""
    return Query("distinct", change(), SelectionCriteria(severity_min=Severity.LOW))


def own_globs(size: int) -> RuleSet:
    """The same rules, no two with the same glob, in equal parts of every shape."""
    shapes = (
        "services/service-{}/**",
        "services/*/src/part_{}.py",
        "**/*_{}.sql",
        "**/module-{}/**",
        "services/service-{}/**/*.{{py,ts}}",
        "**/part_{}.{{py,go}}",
    )
    return RuleSet(
        {
            rule.id: rule.model_copy(update={"paths": (shapes[number % 6].format(number // 6),)})
            for number, rule in enumerate(rule_set(size).rules.values())
        }
    )


def change() -> EvaluationContext:
    """50 files in several services and languages, ten added lines in each."""
    endings = ("py", "ts", "go", "java", "sql")
    files = []
    for number in range(FILES):
        path = f"services/service-{number * 7}/src/part_{number}.{endings[number % 5]}"
        lines = tuple(
            Line("added", None, at, f"client_{at} = connect(address_{number}, timeout={at})")
            for at in range(1, 11)
        )
        files.append(
            FileChange(
                path,
                FileStatus.MODIFIED,
                language=detect_language(path),
                hunks=(Hunk(0, 0, 1, 10, "", lines),),
            )
        )
    intent = "Connect the payment service\n\nRetries failed charges and stores the card."
    return EvaluationContext((Subject(SubjectKind.CODE_DIFF, tuple(files)),), intent)


def rule_set(size: int) -> RuleSet:
    """Rules with the words of the labelled ones, of every shape of glob, and few that may block."""
    texts = islice(cycle(labelled.rule_set().rules.values()), size)
    rules = (_rule(number, text) for number, text in enumerate(texts))
    return RuleSet({rule.id: rule for rule in rules})


def _rule(number: int, text: Rule) -> Rule:
    modalities = (Modality.SHOULD, Modality.MAY, Modality.INFO)
    effective = Effective()
    if number % 11 == 0:
        effective = Effective(since=dt.date(2020 + number % 8, 1, 1))
    elif number % 13 == 0:
        effective = Effective(until=dt.date(2025 + number % 9, 1, 1))
    return Rule(
        id=f"{text.id}-{number}",
        statement=f"{text.statement} ({number})",
        kind=RuleKind.NORMATIVE,
        modality=modalities[number % 3] if number % 10_000 else Modality.MUST,
        severity=list(Severity)[number % 4],
        scope=(f"unit-{number % 20}/area-{number % 50}",) if number % 3 else (),
        paths=_paths(number),
        languages=("python",) if number % 17 == 0 else (),
        subject_kinds=(SubjectKind.EVENT,) if number % 9 == 0 else (),
        tags=(*text.tags, f"tag-{number % 40}"),
        effective=effective,
        references=text.references,
    )


def _paths(number: int) -> tuple[str, ...]:
    """Most rules name no path; the others have globs of every shape, many of them their own."""
    shapes: tuple[tuple[str, ...], ...] = (
        ("**/*.{py,ts}",),
        (f"services/service-{number % 3_000}/**",),
        (f"services/service-{number % 3_000}/**/*.go", "!**/generated/**"),
        ("**/Dockerfile", f"**/module-{number % 500}/**"),
        (f"services/*/src/part_{number % 200}.py",),
        (f"**/*_{number % 700}.sql",),
        ("src/**", "services/**", "!services/legacy-*/**"),
    )
    return shapes[number % 7] if number % 5 in (0, 1) else ()


def timed(work: Callable[[], object], runs: int) -> tuple[float, float]:
    """The median and the worst of several runs, in milliseconds."""
    taken = [seconds(work) * 1000 for _ in range(runs)]
    return statistics.median(taken), max(taken)


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
