"""`make measured`: what the shipped rules fire on in real code, and how often they are right there.

`python -m tests.quality.firings [RULE...] [--mirrors DIR] [--new]` looks at the code bases of
fixtures/quality/code_bases.yml as they stand at one commit, and writes rules/measured.json. Without
names it measures the rules that have changed since they were last measured: seconds a project.
`--new` prints each firing that nobody has read yet, to be labelled in fixtures/quality/firings.yml.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict

from jurat.engine.code_scan import scan_code
from jurat.engine.rule_examples import build_added_file
from jurat.rules.loader import list_packs, load_ruleset, read_pack
from jurat.rules.matching import fits_file, is_about_code
from jurat.rules.measured import Measurement, read_measurements
from jurat.rules.rule import Rule, Severity
from jurat.source.diff import FileChange, FileStatus
from jurat.source.diff_parser import decode_text
from jurat.source.file_text import with_language
from jurat.source.git_attributes import ATTRIBUTES, parse_attributes
from jurat.source.languages import detect_language, is_page
from jurat.source.parsing import SIZE_CAP, parse_in_process
from jurat.source.unwritten import Unwritten
from tests.quality.figures import ROOT
from tests.quality.histories import FOLDER, Label, find_mirror, load_labels

CODE_BASES = FOLDER / "code_bases.yml"
READINGS = FOLDER / "firings.yml"
MEASURED = ROOT / "rules" / "measured.json"
_FILES_AT_ONCE = 200


class CodeBase(BaseModel):
    """A project's code as it stands at one commit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    commit: str


class Reading(BaseModel):
    """What a person who read the code says of one firing.

    `true` is a fault that a reviewer would want mended, `arguable` one that some would, `false` any
    other. `line` is one of those that the firing covers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: str
    rule: str
    path: str
    line: int
    label: Literal["true", "arguable", "false"]
    why: str


class Firing(NamedTuple):
    """A place where a rule fires."""

    project: str
    rule: str
    path: str
    first: int
    last: int


def load_code_bases() -> tuple[CodeBase, ...]:
    """The code bases that are looked at."""
    return tuple(map(CodeBase.model_validate, _load_yaml(CODE_BASES)))


def _load_yaml(path: Path) -> Any:
    # libyaml's loader, ten times as fast: the readings are thousands.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text("utf-8"), loader)


def load_readings() -> tuple[Reading, ...]:
    """All readings; the file says who read, and when."""
    return tuple(map(Reading.model_validate, _load_yaml(READINGS)["readings"]))


def list_measured_rules() -> list[Rule]:
    """The shipped rules whose firings decide something: those that block once they have earned it.

    A rule that a model judges fires differently from day to day, and is not measured here.
    """
    files = {path: text for pack in list_packs() for path, text in read_pack(pack).items()}
    return [
        rule
        for rule in load_ruleset(files).rules.values()
        if is_about_code(rule)
        and rule.modality.binding
        and rule.severity.rank >= Severity.HIGH.rank
    ]


def scan_code_base(base: CodeBase, rules: Sequence[Rule], mirrors: Path) -> list[Firing] | None:
    """Where `rules` fire in a code base, None if it is not at hand."""
    mirror = find_mirror(base.name, mirrors)
    if mirror is None:
        return None
    said = subprocess.run(
        ["git", "-C", str(mirror), "show", f"{base.commit}:{ATTRIBUTES}"],
        capture_output=True,
        check=False,
    )
    says = Unwritten(parse_attributes(decode_text(said.stdout)))
    found: list[Firing] = []
    batch: list[FileChange] = []
    for path, text in _iter_texts(mirror, base.commit, rules):
        file = with_language(build_added_file(path, detect_language(path), text))
        batch.append(replace(file, unwritten=says.explain(path, text)))
        if len(batch) == _FILES_AT_ONCE:
            found += _scan(base.name, batch, rules)
            batch = []
    return [*found, *_scan(base.name, batch, rules)]


def _scan(project: str, files: Sequence[FileChange], rules: Sequence[Rule]) -> Iterator[Firing]:
    work = [(rule, [file for file in files if fits_file(rule, file)]) for rule in rules]
    for rule, matches in zip(rules, scan_code(work, parse_in_process), strict=True):
        # What only advises, for a doubt of its own, says nothing of the right to block.
        for place in (found.location for found in matches.places if not found.location.doubt):
            first = place.start_line or 1
            yield Firing(project, rule.id, place.file_path or "", first, place.end_line or first)


def _iter_texts(mirror: Path, commit: str, rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """The text files of a commit that a rule is about, but for links and what is too large."""
    git = ["git", "-C", str(mirror)]
    tree = subprocess.run(
        [*git, "ls-tree", "-r", "-z", "-l", commit], capture_output=True, check=True
    ).stdout
    blobs = []
    for row in filter(None, tree.split(b"\0")):
        about, path = row.split(b"\t", 1)
        mode, kind, name, size = about.split()
        # A blob that the mirror has not got has no size.
        if kind == b"blob" and mode != b"120000" and size.isdigit() and int(size) <= SIZE_CAP:
            place = path.decode("utf-8", "replace")
            # Before it is read: most rules are about one language, and most files are not in it.
            unseen = FileChange(place, FileStatus.ADDED, language=detect_language(place))
            # What a script is written in, or a page holds, its text alone tells.
            untold = is_page(place) or (
                unseen.language is None and "." not in place.rpartition("/")[2]
            )
            if untold or any(fits_file(rule, unseen) for rule in rules):
                blobs.append((name, place))
    with subprocess.Popen(
        [*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both are pipes")
        for name, path in blobs:
            process.stdin.write(name + b"\n")
            process.stdin.flush()
            size = int(process.stdout.readline().split()[2])
            content = process.stdout.read(size)
            process.stdout.read(1)
            if b"\0" not in content:
                yield path, decode_text(content)
        process.stdin.close()


def find_reading(firing: Firing, readings: Iterable[Reading]) -> Reading | None:
    """What was said of a firing, by its place: another pattern may begin on another line of it."""
    return next(
        (
            item
            for item in readings
            if (item.project, item.rule, item.path) == (firing.project, firing.rule, firing.path)
            and firing.first <= item.line <= firing.last
        ),
        None,
    )


def scan_labels(
    labels: Sequence[Label], rules: Sequence[Rule], mirrors: Path
) -> tuple[list[Firing], list[Reading]] | None:
    """Where `rules` fire today in the merged changes that a person labelled, and what was said.

    None if a project is not at hand. A rule that was rewritten may not fire there any more: then
    its label says nothing of it.
    """
    firings: list[Firing] = []
    readings: list[Reading] = []
    for label in labels:
        asked = [rule for rule in rules if rule.id == label.rule]
        if not asked:
            continue
        mirror = find_mirror(label.project, mirrors)
        if mirror is None:
            return None
        said = subprocess.run(
            ["git", "-C", str(mirror), "show", f"{label.commit}:{label.path}"],
            capture_output=True,
            check=True,
        )
        text, language = decode_text(said.stdout), detect_language(label.path)
        file = with_language(build_added_file(label.path, language, text))
        # By the commit: one line may be read in several changes.
        project = f"{label.project}@{label.commit}"
        firings += [
            found
            for found in _scan(project, [file], asked)
            if found.first <= label.line <= found.last
        ]
        about = label.model_dump(exclude={"commit"})
        readings.append(Reading.model_validate({**about, "project": project}))
    return firings, readings


def count_firings(
    rules: Sequence[Rule], firings: Sequence[Firing], readings: Sequence[Reading]
) -> dict[str, Measurement]:
    """The measurement of each of `rules`."""
    counts: dict[str, Counter[str]] = {rule.id: Counter() for rule in rules}
    for firing in firings:
        reading = find_reading(firing, readings)
        counts[firing.rule][reading.label if reading else "unread"] += 1
    return {rule.id: Measurement(rule.substance, **counts[rule.id]) for rule in rules}


def list_merits() -> dict[str, dict[str, Any]]:
    """What each rule that may block has earned, by its id; for the quality board."""
    rules = {
        rule.id: {
            **dict.fromkeys(("true", "arguable", "false", "unread"), 0),
            **asdict(found.get(rule.id, Measurement(""))),
            "family": rule.merit.family,
            "right": rule.merit.counted.right,
            "counted": rule.merit.counted.cases,
            "bound": round(rule.merit.bound, 4),
            "blocks": rule.merit.may_block,
        }
        for found in [read_measurements()]
        for rule in list_measured_rules()
        if rule.merit is not None
    }
    return dict(sorted(rules.items()))


def write_measurements(found: dict[str, Measurement]) -> None:
    """Keep them, one rule a line, without those that are no longer measured."""
    rows = [
        f" {json.dumps(rule_id)}: {json.dumps(asdict(item))}"
        for rule_id, item in sorted(found.items())
    ]
    MEASURED.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def main() -> int:
    """0, or 1 if a code base is not at hand: then nothing is written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--mirrors", type=Path, default=ROOT / "build" / "histories")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    rules, kept = list_measured_rules(), dict(read_measurements())
    wanted = [
        rule
        for rule in rules
        if asked.all
        or rule.id in asked.rules
        or (not asked.rules and (rule.id not in kept or kept[rule.id].substance != rule.substance))
    ]
    # First what takes a moment: a history that is missing ends it.
    labelled = scan_labels(load_labels(), wanted, asked.mirrors)
    if labelled is None:
        print(f"A labelled history is neither in {asked.mirrors} nor can be fetched.")
        return 1
    firings: list[Firing] = []
    bases = load_code_bases() if wanted else ()
    scan = partial(scan_code_base, rules=wanted, mirrors=asked.mirrors)
    with ProcessPoolExecutor() as pool:
        for base, found in zip(bases, pool.map(scan, bases), strict=True):
            if found is None:
                print(f"{base.name} is neither in {asked.mirrors} nor can be fetched.")
                return 1
            firings += found
    # What was found in a merged change and still stands is the same finding, read once.
    standing = {(item.project, item.rule, item.path) for item in firings}
    merged = [
        item
        for item in labelled[0]
        if (item.project.partition("@")[0], item.rule, item.path) not in standing
    ]
    firings += merged
    readings = (*load_readings(), *labelled[1])
    known = {rule.id for rule in rules}
    kept = {rule_id: item for rule_id, item in kept.items() if rule_id in known}
    measured = count_firings(wanted, firings, readings)
    write_measurements({**kept, **measured})
    for rule_id, item in measured.items():
        print(f"{rule_id}: {item.true} true, {item.arguable} arguable, {item.false} false,"
              f" {item.unread} not read")  # fmt: skip
    if asked.new:
        for firing in firings:
            if find_reading(firing, readings) is None:
                print(f"{firing.project} {firing.path}:{firing.first} {firing.rule}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
