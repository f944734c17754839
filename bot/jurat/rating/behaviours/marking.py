"""Behaviours by which what a machine made is marked as made by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.tag_search import has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.texts.text_kinds import is_in_doubt

_MARKS = re.compile(
    r"c2pa|trainedAlgorithmicMedia|digitalsourcetype|content[_-]?credentials|synthid"
    r"|^x?-?ai-generated",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"\b(?:made|generated|created|produced|spoken|altered|rendered)\b.{0,20}\b(?:with|by"
    r"|using)\b.{0,12}"
    r"\b(?:AI|artificial intelligence|a computer|a machine)\b"
    r"|\bAI[- _](?:generated|made|video|image|voice|audio|picture|film|clip|portrait|created)",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"(?:^|[._])(?:add_text|set_text|add_itxt|set_metadata|withMetadata|withExif|withExifMerge"
    r"|insert|dump"
    r"|setHeader|set_header|set|header|execFile|exec|spawn|run|check_call|check_output|Popen"
    r"|system|promisify"
    r"|execa|execFileSync|spawnSync|execSync|outputOptions|add_metadata|update|save|sign"
    r"|append)(?:\(\))?$"
)


@register_behaviour("marked_output")
def find_marked(conduct: Conduct) -> Iterator[Sign]:
    """A mark that programs can read is put into what was made: by a tool, as metadata."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if name and _WRITES.search(name) and has_text(call.given | call.receiver, _MARKS):
            yield Sign("marked_output", one, call.line, frozenset({one}))


@register_behaviour("labelled_output")
def find_labelled(conduct: Conduct) -> Iterator[Sign]:
    """A label that people see is put on what was made, and goes with it."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if not (name and _WRITES.search(name)):
            continue
        said = (tag[2:] for tag in conduct.expand(one, call.given, 1) if tag[:2] == "t:")
        if any(map(_is_label, said)):
            yield Sign("labelled_output", one, call.line, frozenset({one}))


def _is_label(text: str) -> bool:
    return any(not is_in_doubt(text[: found.start()]) for found in _LABELS.finditer(text))
