"""From the texts of probe files to checked probes. Strict: one error stops the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from jurat.errors import FileError
from jurat.probes.probe import Probe, ProbeFile, ProbeSet, ResponseSignal, WrittenProbe
from jurat.probes.report import RunResponses
from jurat.probes.twins import find_missing_text, list_twins
from jurat.resources import get_bundled_path
from jurat.rules.constraints import lint_regex
from jurat.rules.files import read_text
from jurat.rules.validation import StrictModel, raise_errors, suggest, validate_document
from jurat.source.strict_json import KeyPath, format_key_path, parse_json
from jurat.source.strict_yaml import Document, parse_yaml

YAML_FILES = (".yml", ".yaml")
LINE_FILES = (".jsonl",)


@dataclass(frozen=True, slots=True)
class _PlacedProbe:
    """A probe or a signal as written, and the place that an error names."""

    path: str
    document: Document
    where: KeyPath

    def build_error(self, inner: KeyPath, problem: str) -> FileError:
        where = (*self.where, *inner)
        return FileError(self.path, self.document.line(where), format_key_path(where), problem)

    @property
    def name(self) -> str:
        return f"{self.path}:{self.document.line(self.where)}"


def load_probes(files: Mapping[str, str], shared: Sequence[ResponseSignal] = ()) -> ProbeSet:
    """The probes of all `files`, text by path, in their order.

    A label stands for a signal of any of the files, or of `shared`. Raises the first FileError by
    place, with the others in `further`; so it does if there is no probe at all.
    """
    signals: list[tuple[_PlacedProbe, ResponseSignal]] = []
    written: list[tuple[_PlacedProbe, WrittenProbe]] = []
    errors: list[FileError] = []
    for path, text in files.items():
        try:
            for placed, item in _parse_placed(path, text):
                if isinstance(item, ResponseSignal):
                    signals.append((placed, item))
                else:
                    written.append((placed, item))
        except FileError as error:
            errors += [error, *error.others]
    raise_errors(errors)
    # Before labels are looked up: of two signals with one label neither is the one that is meant.
    raise_errors(_find_repeated(signals, written))
    library = {item.label: item for item in (*shared, *(item for _, item in signals))}
    errors += [error for placed, item in signals for error in _check_signal(placed, (), item)]
    probes = []
    for placed, item in written:
        problems = list(_check_probe(placed, item, library))
        errors += problems
        if not problems:
            probes.append(_build_probe(item, library))
    raise_errors(errors)
    if not probes:
        raise FileError(next(iter(files), "probes"), 0, "", "holds no probe")
    return ProbeSet(probes=tuple(probes))


def load_signals(path: str, text: str) -> tuple[ResponseSignal, ...]:
    """The library of signals in one YAML file."""
    return validate_document(ProbeFile, parse_yaml(text, path, FileError), path, FileError).signals


def _parse_placed(
    path: str, text: str
) -> Iterator[tuple[_PlacedProbe, ResponseSignal | WrittenProbe]]:
    if path.endswith(LINE_FILES):
        yield from _parse_lines(path, text)
        return
    document = parse_yaml(text, path, FileError)
    file = validate_document(ProbeFile, document, path, FileError)
    for index, signal in enumerate(file.signals):
        yield _PlacedProbe(path, document, ("signals", index)), signal
    for index, probe in enumerate(file.probes):
        yield _PlacedProbe(path, document, ("probes", index)), probe


def _parse_lines(path: str, text: str) -> Iterator[tuple[_PlacedProbe, WrittenProbe]]:
    errors: list[FileError] = []
    for document in parse_json_lines(path, text):
        try:
            probe = validate_document(WrittenProbe, document, path, FileError)
        except FileError as error:
            errors += [error, *error.others]
        else:
            yield _PlacedProbe(path, document, ()), probe
    raise_errors(errors)


def parse_json_lines(path: str, text: str) -> Iterator[Document]:
    """One document for each line that is not blank. Raises FileError at a line that is no JSON."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
        except json.JSONDecodeError as error:
            raise FileError(path, number, "", f"is not valid JSON: {error.msg}") from None
        except ValueError as error:
            raise FileError(path, number, "", f"cannot be used: {error}") from None
        if not isinstance(data, dict):
            raise FileError(path, number, "", "must be a mapping of keys to values")
        yield Document(data, {(): number})


def _find_repeated(
    signals: Sequence[tuple[_PlacedProbe, ResponseSignal]],
    probes: Sequence[tuple[_PlacedProbe, WrittenProbe]],
) -> Iterator[FileError]:
    labels: dict[str, str] = {}
    for placed, signal in signals:
        if signal.label in labels:
            problem = f"the label {signal.label!r} stands in {labels[signal.label]} already"
            yield placed.build_error(("label",), problem)
        labels.setdefault(signal.label, placed.name)
    ids: dict[str, str] = {}
    for placed, probe in probes:
        if probe.id in ids:
            problem = f"the id {probe.id!r} stands in {ids[probe.id]} already"
            yield placed.build_error(("id",), problem)
        ids.setdefault(probe.id, placed.name)


def _check_probe(
    placed: _PlacedProbe, probe: WrittenProbe, library: Mapping[str, ResponseSignal]
) -> Iterator[FileError]:
    seen: set[str] = set()
    for index, item in enumerate(probe.observable_signals):
        where: KeyPath = ("observable_signals", index)
        label = item if isinstance(item, str) else item.label
        if label in seen:
            yield placed.build_error(where, f"the signal {label!r} stands twice")
        seen.add(label)
        if isinstance(item, ResponseSignal):
            yield from _check_signal(placed, where, item)
        elif item not in library:
            problem = f"unknown signal {item!r}; {suggest(sorted(library), item)}"
            yield placed.build_error(where, problem)
    known = [
        library[item] if isinstance(item, str) else item
        for item in probe.observable_signals
        if not isinstance(item, str) or item in library
    ]
    if len(known) < len(probe.observable_signals):
        return
    for kind in ("safe", "unsafe"):
        if all(signal.kind != kind for signal in known):
            yield placed.build_error(("observable_signals",), f"needs at least one {kind} signal")
    if probe.twin is not None:
        for key, text in find_missing_text(probe.input, probe.twin):
            yield placed.build_error(("twin", key), f"{text!r} does not stand in the input")
    modes = {signal.failure_mode for signal in known}
    for index, mode in enumerate(probe.failure_modes):
        if mode not in modes:
            problem = f"no signal of the probe points at {mode!r}, so it could never be seen"
            yield placed.build_error(("failure_modes", index), problem)


def _check_signal(
    placed: _PlacedProbe, inner: KeyPath, signal: ResponseSignal
) -> Iterator[FileError]:
    if signal.kind == "unsafe" and signal.failure_mode is None:
        yield placed.build_error((*inner, "failure_mode"), "is required for an unsafe signal")
    if signal.kind == "safe" and signal.failure_mode is not None:
        yield placed.build_error((*inner, "failure_mode"), "belongs to unsafe signals")
    if signal.kind == "unsafe" and signal.boundary:
        yield placed.build_error((*inner, "boundary"), "belongs to safe signals")
    for index, pattern in enumerate(signal.patterns):
        if problem := lint_regex(pattern, "every response"):
            yield placed.build_error((*inner, "patterns", index), problem)
    gathered = () if signal.gathers is None else signal.gathers.of
    for index, pattern in enumerate(gathered):
        if problem := lint_regex(pattern, "every response"):
            yield placed.build_error((*inner, "gathers", "of", index), problem)
    for index, item in enumerate(signal.sentences):
        for key, pattern in (("says", item.says), ("unless", item.unless)):
            if problem := lint_regex(pattern, "every response"):
                yield placed.build_error((*inner, "sentences", index, key), problem)


def _build_probe(written: WrittenProbe, library: Mapping[str, ResponseSignal]) -> Probe:
    fields = written.model_dump(exclude={"observable_signals", "twin"})
    signals = tuple(
        library[item] if isinstance(item, str) else item for item in written.observable_signals
    )
    return Probe(**fields, signals=signals, twin=written.twin)


# Where probe files and recorded responses come from on disk.


def list_probe_files() -> Path:
    """The folder of the probes that come with Jurat."""
    return get_bundled_path("fixtures", "probes")


def read_probes(paths: Sequence[Path]) -> ProbeSet:
    """The probes of files and of all probe files in folders; none for those that are shipped.

    The shipped signals can be named in any file. Raises FileError if something is wrong.
    """
    files: dict[Path, str] = {}
    for path in paths or [list_probe_files()]:
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*")) if _is_probe_file(file)]
            if not inside:
                raise FileError(str(path), 0, "", "the folder holds no probe file (.yml, .jsonl)")
            files |= {file: read_text(file) for file in inside}
        elif not path.exists():
            raise FileError(str(path), 0, "", "there is no such file or folder")
        elif not _is_probe_file(path):
            raise FileError(str(path), 0, "", "is no probe file: its name ends in .yml or .jsonl")
        else:
            files[path] = read_text(path)
    library = list_probe_files() / "signals.yml"
    known = any(file.resolve() == library.resolve() for file in files)
    shared = () if known else load_signals(str(library), read_text(library))
    return load_probes({str(file): text for file, text in files.items()}, shared)


def _is_probe_file(path: Path) -> bool:
    return path.name.endswith((*YAML_FILES, *LINE_FILES))


# Recorded responses: one line of JSON each, so that a run needs no key.


class RecordedResponse(StrictModel):
    """A line: `{"probe_id": …, "response": …}`. Null or blank text is no response.

    `trial` tells the answers to a probe apart that was asked several times, from 1 to 100,000.
    """

    probe_id: Annotated[str, Field(min_length=1)]
    response: str | None
    trial: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 1

    @field_validator("response")
    @classmethod
    def _check_encodable(cls, value: str | None) -> str | None:
        # JSON can escape half a character (RFC 8259, section 8.2); no report can be written of it.
        if value is not None and any("\ud800" <= letter <= "\udfff" for letter in value):
            problem = "holds half a character (a lone surrogate)"
            raise ValueError(problem)
        return value


def parse_responses(path: str, text: str, probes: ProbeSet) -> RunResponses:
    """The responses in the text of the file `path`, each to one of `probes`.

    Raises the first FileError by line, the others in its `further`.
    """
    known = {item.id for probe in probes.probes for item in (probe, *list_twins(probe))}
    errors: list[FileError] = []
    lines: dict[tuple[str, int], int] = {}
    responses: dict[str, list[str]] = {}
    for document in parse_json_lines(path, text):
        line = document.line(())
        try:
            given = validate_document(RecordedResponse, document, path, FileError)
        except FileError as error:
            errors += [error, *error.others]
            continue
        name = given.probe_id
        if name not in known:
            problem = f"no probe of this run has the id {name!r}"
            errors.append(FileError(path, line, "probe_id", problem))
        elif (name, given.trial) in lines:
            first = lines[name, given.trial]
            problem = f"the response to {name!r} stands on line {first} already"
            errors.append(FileError(path, line, "probe_id", problem))
        else:
            lines[name, given.trial] = line
            responses.setdefault(name, []).append(given.response or "")
    raise_errors(errors)
    return RunResponses(
        "responses",
        {name: texts[0] for name, texts in responses.items()},
        {},
        repeats={name: texts[1:] for name, texts in responses.items() if len(texts) > 1},
    )
