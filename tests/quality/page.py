"""docs/quality.md, written from the kept figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"

_HEAD = """# What the shipped rules find, and what they stop

Made by `make quality` from `fixtures/quality/`, not by hand. The shipped defaults, without a model.

A gate is judged by two numbers: how often it stops a good change, and how often it lets a bad one
through. The first is measured on changes that other projects really merged, the second on labelled
changes, written by people who had not read the rules (see
[fixtures/quality](../fixtures/quality/README.md)).
"""


def render_page(figures: Mapping[str, Any]) -> str:
    """The page as Markdown."""
    return "".join(f"{line}\n" for line in (_HEAD.rstrip(), *_render_sections(figures)))


def _render_sections(figures: Mapping[str, Any]) -> Iterator[str]:
    cases, histories = figures["cases"], figures["histories"]
    yield from _render_summary(figures)
    yield from _render_merits(figures["merits"])
    yield from _render_cases(cases)
    yield from _render_pairs(figures.get("pairs", {}))
    yield from _render_fixes(figures.get("fixes", {}))
    yield from _render_public_tests(figures.get("public_tests", {}))
    yield from _render_histories(histories)
    yield from _render_flows(figures.get("flows", {}))
    yield from _render_benchmark(figures.get("benchmark", {}))
    yield from _render_tools(figures.get("tools", {}))
    yield _RATINGS


def _render_summary(figures: Mapping[str, Any]) -> Iterator[str]:
    """One line for each measurement, of the held back half if there are two."""
    gate = figures["cases"]["gate"]
    merged = _sum_up(figures["histories"]["projects"].values())
    pairs = _sum_up(figures["pairs"]["held_back"].values())
    tests = next(
        row
        for row in figures["public_tests"]["rows"]
        if (row["half"], row["corpus"]) == ("held back", "all")
    )
    fixes = _sum_up(
        row
        for row in figures["fixes"]["rows"]
        if row["half"].startswith("held back") and row["of"] == "all"
    )
    last, benchmark = figures["flows"]["rounds"][-1], figures["benchmark"]["jurat"]
    rows = (
        (
            "[changes that were merged](#changes-that-were-merged): stopped",
            merged,
            "stopped",
            "changes",
            "at most 1.5%",
        ),
        (
            "[labelled changes](#labelled-changes), HIGH and CRITICAL: faults stopped",
            gate,
            "stopped",
            "faults",
            "",
        ),
        ("good ones that look like them: stopped", gate, "good_stopped", "good", ""),
        (
            "[files with a fault](#files-with-a-fault-and-their-safe-twins), held back: found",
            pairs,
            "found",
            "pairs",
            "at least 70%",
        ),
        ("their safe twins: stopped", pairs, "false", "pairs", "at most 10%"),
        (
            "[other people's tests](#other-peoples-tests), held back: found",
            tests,
            "found",
            "faults",
            "",
        ),
        ("their good places: stopped", tests, "false", "safe", ""),
        ("[real fixes](#real-fixes), held back: found before the fix", fixes, "found", "fixes", ""),
        ("what was left after it: still told", fixes, "left", "fixes", ""),
        (
            "[real code](#what-blocks-in-real-code) at first sight: right of what blocks",
            last,
            "right",
            "findings",
            "at least 80%",
        ),
    )
    yield "\n## In short\n"
    yield "| measured | of | are | share | aim |\n|---|---|---|---|---|"
    for name, row, part, whole, aim in rows:
        share = _share(row[part], row[whole])
        yield f"| {name} | {row[whole]:,} | {row[part]:,} | {share} | {aim} |"
    yield (
        "| [OWASP's Benchmark for Python](#owasps-benchmark-for-python), odd half: true minus false"
        f" positive rate | 14 classes | | {benchmark['odd']:.2f} | at least 0.70 |"
    )
    yield (
        "\nIf a rule blocked only once its lower bound has earned it that,"
        f" {gate['by_right']} of the {gate['faults']} labelled faults would be stopped: most rules"
        " have fired too seldom in the code that was read. So an unmeasured rule blocks by its"
        " severity, and what was measured takes that away from it."
    )


def _sum_up(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """The counts of all rows together."""
    return sum((Counter(_only_counts(row)) for row in rows), Counter())


def _only_counts(row: Mapping[str, Any]) -> dict[str, int]:
    return {key: value for key, value in row.items() if isinstance(value, int)}


def _render_cases(cases: Mapping[str, Any]) -> Iterator[str]:
    yield "\n## Labelled changes\n"
    yield (
        "`said` are changes of which something was said at the fault's place, within three lines;"
        " `stopped` those whose check failed. Faults of MEDIUM and LOW severity are among them."
    )
    yield "\nWhoever writes a rule may look at the open half; the other is for measuring alone.\n"
    yield "| half | faults | stopped | share | good | stopped | share |"
    yield "|---|---|---|---|---|---|---|"
    for half, row in cases["halves"].items():
        values = (
            *(row["faults"], row["stopped"], _share(row["stopped"], row["faults"])),
            *(row["good"], row["good_stopped"], _share(row["good_stopped"], row["good"])),
        )
        yield f"| {half} | " + " | ".join(map(str, values)) + " |"
    for name, heading in (("kinds", "kind"), ("languages", "language"), ("faults", "fault")):
        yield f"\n| {heading} | faults | said | stopped | good | said | stopped |"
        yield "|---|---|---|---|---|---|---|"
        for key, row in cases[name].items():
            values = (
                *(row["faults"], row["said"], row["stopped"]),
                *(row["good"], row["good_said"], row["good_stopped"]),
            )
            yield f"| {key} | " + " | ".join(map(str, values)) + " |"


def _render_pairs(pairs: Mapping[str, Any]) -> Iterator[str]:
    if not pairs:
        return
    yield "\n## Files with a fault, and their safe twins\n"
    yield (
        "Files as applications are written, of injection, paths, requests, pages, redirects,"
        " deserialisation, XML, randomness, ciphers, hashes, tokens, cookies and TLS, each twice:"
        " with one fault, and without. Found is a blocking finding of the fault's weakness, false"
        " any blocking finding in the twin. They were written before the vocabulary was read; see"
        " [fixtures/quality](../fixtures/quality/README.md) for what the first run said.\n"
    )
    yield "| half | language | pairs | found | share | false | share |"
    yield "|---|---|---|---|---|---|---|"
    for half, rows in pairs.items():
        whole = {
            name: sum(row[name] for row in rows.values()) for name in ("pairs", "found", "false")
        }
        for language, row in (*rows.items(), ("all", whole)):
            found, false = (
                f"{row[name]} | {_share(row[name], row['pairs'])}" for name in ("found", "false")
            )
            label = half.replace("_", " ")
            yield f"| {label} | {language} | {row['pairs']} | {found} | {false} |"


def _render_fixes(fixes: Mapping[str, Any]) -> Iterator[str]:
    if not fixes:
        return
    yield "\n## Real fixes\n"
    yield (
        "Commits of web applications and their libraries that mend a weakness, as"
        " `fixtures/quality/fixes.yml` names them: found is a finding of the weakness that blocks"
        " in the file before the commit, on a way that the commit touches, left one that blocks"
        " there after it. `python -m tests.quality.fixes` counts them again.\n"
    )
    yield "| half | of | fixes | found at first | found | left at first | left |"
    yield "|---|---|---|---|---|---|---|"
    for row in fixes["rows"]:
        counts = " | ".join(str(row[name]) for name in ("first", "found", "left_first", "left"))
        yield f"| {row['half']} | {row['of']} | {row['fixes']} | {counts} |"
    yield f"\n{fixes['said']}"


def _render_public_tests(tests: Mapping[str, Any]) -> Iterator[str]:
    if not tests:
        return
    yield "\n## Other people's tests\n"
    yield (
        "The tests of semgrep's community rules (those that say they find a weakness), of CodeQL's"
        " queries and OWASP's Benchmark for Java, of the weaknesses that the rules about values are"
        " about: found are places marked as a fault where a finding blocks, false those marked as"
        " good. Half of the files is held back. `python -m tests.quality.public_tests` counts them"
        " again.\n"
    )
    counted = "faults | found at first | found | good | false at first | false"
    yield f"| half | tests of | language | {counted} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in tests["rows"]:
        names = ("faults", "first", "found", "safe", "false_first", "false")
        counts = " | ".join(str(row[name]) for name in names)
        yield f"| {row['half']} | {row['corpus']} | {row['language']} | {counts} |"
    yield f"\n{tests['said']}"


def _render_histories(histories: Mapping[str, Any]) -> Iterator[str]:
    yield "\n## Changes that were merged\n"
    yield "| project | changes | would have been stopped | share |\n|---|---|---|---|"
    for project, row in histories["projects"].items():
        share = _share(row["stopped"], row["changes"])
        yield f"| {project} | {row['changes']} | {row['stopped']} | {share} |"
    if again := histories.get("replayed_again"):
        yield (
            f"\nThe newest changes of some were replayed again, on {again['on']}, with the rules of"
            " that day:\n"
        )
        yield "| project | changes | would have been stopped | share |\n|---|---|---|---|"
        for project, row in again["projects"].items():
            share = _share(row["stopped"], row["changes"])
            yield f"| {project} | {row['changes']} | {row['stopped']} | {share} |"
    yield (
        "\nFindings by rule, and what a person who read the change says of them. The labels are in"
        " `fixtures/quality/labels.yml`.\n"
    )
    yield "| rule | findings | blocking | true | arguable | false | not read |"
    yield "|---|---|---|---|---|---|---|"
    for rule, row in histories["rules"].items():
        names = ("findings", "blocking", "true", "arguable", "false", "unlabelled")
        yield f"| {rule} | " + " | ".join(str(row[name]) for name in names) + " |"


def _render_merits(merits: Mapping[str, Any]) -> Iterator[str]:
    yield "\n## What may block\n"
    yield (
        "A MUST or MUST_NOT rule of severity HIGH or CRITICAL blocks, unless 35 firings of its own"
        " or more put the lower 95% bound of its precision in real code below 90%, or fewer were"
        " wrong so often that a rule which is right nine times in ten would hardly be. Those of its"
        " family may earn it the right, and never cost it. The firings are"
        " those in the code bases of"
        " `fixtures/quality/code_bases.yml`, each read by hand in `firings.yml`, and those in"
        " merged changes, read in `labels.yml`; right is what is true or arguable. Rules were made"
        " more exact after these were read, so the share is that of code their authors know by now."
        " `make measured` counts them anew for each rule that has changed; one without a count has"
        " changed since, found nothing, or is one whose count is not applied:"
        " [maturity.md](maturity.md#the-right-to-block) names them, and says why.\n"
    )
    yield (
        "| rule | true | arguable | false | not read | family | right, of all counted | bound |"
        " blocks |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    unfired = []
    for rule, row in merits.items():
        counts = ("true", "arguable", "false", "unread")
        if row["blocks"] and not any(row[name] for name in counts):
            unfired.append(f"`{rule}`")
            continue
        own = " | ".join(str(row[name]) for name in counts)
        counted = f"{row['right']} of {row['counted']}"
        yield (
            f"| {rule} | {own} | {row['family'] or '-'} | {counted} | {row['bound']:.2f} |"
            f" {'yes' if row['blocks'] else 'no'} |"
        )
    yield f"\nThe other {len(unfired)}, which block, have not fired there: {', '.join(unfired)}."


def _render_flows(flows: Mapping[str, Any]) -> Iterator[str]:
    if not flows:
        return
    yield "\n## What blocks in real code\n"
    last = flows["rounds"][-1]
    yield (
        "What blocks in whole applications that nobody had looked at, read by hand, as true,"
        " arguable or false. That is not how often a change is stopped, which is above: mature code"
        " has few faults to be found. [quality-rounds.md](quality-rounds.md) tells of all"
        f" {len(flows['rounds'])} rounds and of what was wrong; in the last one {last['right']} of"
        f" {last['findings']} were right, the goal being 80%.\n"
    )
    yield "| round | projects | files | read | right | share |\n|---|---|---|---|---|---|"
    for number, row in enumerate(flows["rounds"], 1):
        yield (
            f"| {number} | {len(row['projects'])} | {row['files']:,} | {row['findings']} |"
            f" {row['right']} | {_share(row['right'], row['findings'])} |"
        )


def _render_benchmark(benchmark: Mapping[str, Any]) -> Iterator[str]:
    if not benchmark:
        return
    yield "\n## OWASP's Benchmark for Python\n"
    yield (
        "True minus false positive rate of its 1,243 cases: of what blocks for Jurat, of all that"
        " is reported for the others, semgrep with its community rules for Python. The"
        " even-numbered cases were looked at while rules were written, the odd ones only counted."
        " bandit reads what its own Python can parse: under 3.11 that leaves out 461 files, whose"
        " f-strings are newer. Seconds are of a machine that did other work beside it, and semgrep"
        " ran in a run of its own; a tool without a row was not at hand then. All cases at once,"
        " one after the other on a quiet machine, took semgrep 1.185 71.2 seconds of processor time"
        " and jurat 8.0 to 8.4, between an eighth and a ninth (51.1 and 8.4 by the clock): the goal"
        " of a tenth is not met. "
        "With its helpers and the cases' variables renamed, all figures of Jurat stay as they "
        "are; ldapi was 0 then, until a search was known by its `attributes`.\n"
    )
    yield "| tool | mean, all | mean, odd half | seconds |\n|---|---|---|---|"
    for tool, row in benchmark.items():
        yield f"| {tool} | {row['mean']:.2f} | {row['odd']:.2f} | {row['seconds']} |"
    yield f"\n| category | {' | '.join(benchmark)} |"
    yield "|---|" + "---|" * len(benchmark)
    for name in next(iter(benchmark.values()))["categories"]:
        rates = (f"{row['categories'][name]:.2f}" for row in benchmark.values())
        yield f"| {name} | {' | '.join(rates)} |"


def _render_tools(tools: Mapping[str, Any]) -> Iterator[str]:
    if not tools:
        return
    yield "\n## Beside other tools\n"
    yield (
        "The same labelled changes in Python: what a tool reports in the head and not in the base,"
        " at the fault's place."
    )
    yield "\n| tool | faults | reported | good | reported | seconds |\n|---|---|---|---|---|---|"
    for tool, row in tools.items():
        values = (row["faults"], row["said"], row["good"], row["good_said"], row["seconds"])
        yield f"| {tool} | " + " | ".join(map(str, values)) + " |"


_RATINGS = (
    "\n## Ratings\n\n"
    "What `jurat rate` says of labelled repositories, by set and by clause, is in"
    " [rating-measured.md](rating-measured.md); what it says of packages that many use, in"
    " [rating-figures.md](rating-figures.md)."
)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
