"""docs/quality.md, written from the kept figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    gate = cases["gate"]
    yield "\n## In short\n"
    yield "| | of | stopped | share |\n|---|---|---|---|"
    merged = sum(row["changes"] for row in histories["projects"].values())
    stopped = sum(row["stopped"] for row in histories["projects"].values())
    yield f"| changes that were merged | {merged:,} | {stopped} | {_share(stopped, merged)} |"
    yield (
        f"| faults that a reviewer would stop, HIGH and CRITICAL | {gate['faults']} |"
        f" {gate['stopped']} | {_share(gate['stopped'], gate['faults'])} |"
    )
    yield (
        f"| changes that look like one and are none | {gate['good']} | {gate['good_stopped']} |"
        f" {_share(gate['good_stopped'], gate['good'])} |"
    )
    yield (
        "\nIf a rule blocked only once its lower bound has earned it that,"
        f" {gate['by_right']} of the {gate['faults']} faults would be stopped: most rules have"
        " fired too seldom in the code that was read. So an unmeasured rule blocks by its severity,"
        " and what was measured takes that away from it."
    )
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
    for rule, row in merits.items():
        own = " | ".join(str(row[name]) for name in ("true", "arguable", "false", "unread"))
        counted = f"{row['right']} of {row['counted']}"
        yield (
            f"| {rule} | {own} | {row['family'] or '-'} | {counted} | {row['bound']:.2f} |"
            f" {'yes' if row['blocks'] else 'no'} |"
        )


def _render_flows(flows: Mapping[str, Any]) -> Iterator[str]:
    if not flows:
        return
    yield "\n## Values followed through real code\n"
    projects, rules = flows["projects"], flows["rules"]
    files, lines, findings = (
        sum(row[name] for row in projects.values()) for name in ("files", "lines", "findings")
    )
    right = sum(row["true"] + row["arguable"] for row in rules.values())
    yield (
        f"All findings of the rules that follow values in {files:,} files of nine projects"
        f" outside of the fifty above, tests left out, on {flows['on']}:"
        f" {1000 * findings / lines:.3f} a thousand lines, each of which blocked. Each was read by"
        f" a developer of the engine: {right} of {findings} are true or arguable"
        f" ({_share(right, findings)}), the goal being 80%.\n"
    )
    yield "| project | files | lines | findings |\n|---|---|---|---|"
    for project, row in projects.items():
        yield f"| {project} | {row['files']:,} | {row['lines']:,} | {row['findings']} |"
    yield from _render_labels(rules)
    again = flows["again"]
    yield (
        "\nWhat was false there has been mended since by ideas that rules share, with this code in"
        f" view, so that it is no longer fresh: read anew, {again['before_right']} of"
        f" {again['before']} findings were right before that, {again['after_right']} of"
        f" {again['after']} after it ({_share(again['after_right'], again['after'])})."
    )
    yield from _render_fresh_flows(flows["fresh"])
    yield from _render_rounds(flows.get("rounds", ()))


def _render_labels(rules: Mapping[str, Any]) -> Iterator[str]:
    yield "\n| rule | true | arguable | false |\n|---|---|---|---|"
    for rule, row in rules.items():
        yield f"| {rule} | {row['true']} | {row['arguable']} | {row['false']} |"


def _render_fresh_flows(fresh: Mapping[str, Any]) -> Iterator[str]:
    """What the same rules say of code that nobody had looked at while they were mended."""
    projects, rules = fresh["projects"], fresh["rules"]
    files, before, after = (
        sum(row[name] for row in projects.values()) for name in ("files", "before", "findings")
    )
    right = sum(row["true"] + row["arguable"] for row in rules.values())
    yield (
        f"\nIn {files:,} files of nine other projects, which nobody had looked at, {before}"
        f" findings were made before those mends, {fresh['before_right']} of them right"
        f" ({_share(fresh['before_right'], before)}), and {after} after them, {right} of them right"
        f" ({_share(right, after)}): a mend reaches less far in code that nobody has seen. By"
        " rule, after them:"
    )
    yield from _render_labels(rules)
    yield "\n| project | commit | files | lines | before | after |\n|---|---|---|---|---|---|"
    for project, row in projects.items():
        yield (
            f"| {project} | {row['commit']} | {row['files']:,} | {row['lines']:,} |"
            f" {row['before']} | {row['findings']} |"
        )
    yield (
        "\nThe false ones are seven views that were taken for redirects (a model is no address),"
        " five pages whose text another function made of a message, six statements of a builder or"
        " of numbers, five addresses with nothing but a query, and others of one or two. Most have"
        " been mended since, with this code in view: 20 findings are left, the same 10 of them"
        " right (50%)."
    )


def _render_rounds(rounds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Time and again: what is said of code that nobody had looked at, mended after each."""
    if not rounds:
        return
    yield (
        "\nThen rounds of web applications in Python, JavaScript, TypeScript, Go and Java,"
        " each of projects that nobody had looked at, and each mended from before the next. The"
        " share of what was right at first sight is the figure that counts:\n"
    )
    yield "| round | projects | files | lines | findings | right | share |"
    yield "|---|---|---|---|---|---|---|"
    for number, row in enumerate(rounds, 1):
        names = ", ".join(f"{name} at {commit}" for name, commit in row["projects"].items())
        share = _share(row["right"], row["findings"])
        yield (
            f"| {number} | {names} | {row['files']:,} | {row['lines']:,} | {row['findings']} |"
            f" {row['right']} | {share} |"
        )
    for row in rounds:
        yield f"\n{row['said']}"


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
        " one after the other on a quiet machine, took semgrep 1.185 76.2 seconds of processor time"
        " and jurat 9.2, an eighth (55.0 and 9.1 by the clock): the goal of a tenth is not met. "
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
    " [rating.md](rating.md#measured); what it says of packages that many use, in"
    " [rating-figures.md](rating-figures.md)."
)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
