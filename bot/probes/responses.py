"""Recorded responses: one line of JSON each, so that a run needs no key."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.corpus.validation import StrictModel, raise_all, validate
from bot.errors import FileError
from bot.probes.loading import json_lines
from bot.probes.probe import ProbeSet
from bot.probes.report import Heard


class RecordedResponse(StrictModel):
    """A line: `{"probe_id": …, "response": …}`. Null or blank text is no response."""

    probe_id: Annotated[str, Field(min_length=1)]
    response: str | None


def parse_responses(path: str, text: str, probes: ProbeSet) -> Heard:
    """The responses in the text of the file `path`, each to one of `probes`.

    Raises the first FileError by line, the others in its `further`.
    """
    known = {probe.id for probe in probes.probes}
    errors: list[FileError] = []
    lines: dict[str, int] = {}
    responses: dict[str, str] = {}
    for document in json_lines(path, text):
        line = document.line(())
        try:
            given = validate(RecordedResponse, document, path, FileError)
        except FileError as error:
            errors += [error, *error.further]
            continue
        name = given.probe_id
        if name not in known:
            problem = f"no probe of this run has the id {name!r}"
            errors.append(FileError(path, line, "probe_id", problem))
        elif name in lines:
            problem = f"the response to {name!r} stands on line {lines[name]} already"
            errors.append(FileError(path, line, "probe_id", problem))
        else:
            lines[name] = line
            responses[name] = given.response or ""
    raise_all(errors)
    return Heard("responses", responses, {})
