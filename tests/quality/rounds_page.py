"""docs/quality-rounds.md, written from the kept figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROUNDS_PAGE = Path(__file__).parents[2] / "docs" / "quality-rounds.md"

_HEAD = """# What blocks in real code, read by hand

Made by `make quality` from `fixtures/quality/`, not by hand.

Rules about values, and from the fifteenth round on all rules, were run over applications that
nobody had looked at, and what blocks was read and labelled: true (to be mended), arguable (some
reviewers would want it) or false. Each round was mended from before the next. What counts is the
share that was right at first sight: the aim is 80%, and no round has met it.
[quality.md](quality.md) has the other figures.
"""


def render_rounds_page(flows: Mapping[str, Any]) -> str:
    """The page as Markdown, the newest round first."""
    parts = (
        _HEAD.rstrip(),
        *_render_overview(flows["rounds"]),
        *_render_rounds(flows["rounds"]),
        *_render_flows(flows),
    )
    return "".join(f"{line}\n" for line in parts)


def _render_overview(rounds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "\n| round | applications | findings read | right | share |\n|---|---|---|---|---|"
    for number, row in reversed(list(enumerate(rounds, 1))):
        share = _share(row["right"], row["findings"])
        yield (
            f"| [{number}](#round-{number}-{row['right']}-of-{row['findings']}-right-"
            f"{share.replace('.', '').replace('%', '')}) | {len(row['projects'])} |"
            f" {row['findings']} | {row['right']} | {share} |"
        )


def _render_rounds(rounds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, row in reversed(list(enumerate(rounds, 1))):
        share = _share(row["right"], row["findings"])
        yield f"\n## Round {number}: {row['right']} of {row['findings']} right ({share})\n"
        yield row["said"]
        names = ", ".join(f"{name} at {commit}" for name, commit in row["projects"].items())
        yield f"\n{row['files']:,} files, {row['lines']:,} lines: {names}."


def _render_flows(flows: Mapping[str, Any]) -> Iterator[str]:
    yield "\n## Before the rounds\n"
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


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
