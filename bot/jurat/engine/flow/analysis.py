"""The flows of one file: what arrives where it must not, and which functions were too much."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.forms.go_lowering import GoTranslation
from jurat.engine.flow.forms.java_lowering import JavaTranslation
from jurat.engine.flow.forms.javascript_lowering import JavaScriptTranslation
from jurat.engine.flow.forms.linked_files import ImportLinks, LinkedFile, LinkedPaths, group_paths
from jurat.engine.flow.forms.lowering import LinkedProgram, Translation
from jurat.engine.flow.forms.program import Routine
from jurat.engine.flow.forms.python_lowering import PythonTranslation
from jurat.engine.flow.forms.said_words import (
    ProgramParts,
    list_answerable,
    list_ending,
    read_words,
)
from jurat.engine.flow.found_flows import Flow, Flows, Omission
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

_LOWERINGS: dict[str, type[Translation]] = {
    "python": PythonTranslation,
    "javascript": JavaScriptTranslation,
    "typescript": JavaScriptTranslation,
    "tsx": JavaScriptTranslation,
    "java": JavaTranslation,
    "go": GoTranslation,
}


def translate_program(root: SgNode, language: str) -> tuple[Routine, Mapping[str, str]]:
    """A file in the small program form, and what its imports bind, by name.

    Raises KeyError for a language that has no such form.
    """
    lowering = _LOWERINGS[language]()
    return lowering.build_program(root), lowering.imported


def find_flows(
    root: SgNode,
    language: str,
    questions: Sequence[FlowQuestion],
    path: str = "",
    others: Sequence[LinkedFile] = (),
) -> Flows:
    """The flows that answer one of the questions, in the order of their sinks, all in this file.

    `others` are files of the same change that values may come from as well.
    """
    lowering = _LOWERINGS[language]()
    program = lowering.build_program(root)
    unfollowed = tuple(
        Omission("", line, line, "it is nested too deeply to be followed")
        for line in sorted(set(lowering.deep))
    )
    found = Flows((), unfollowed)
    read = read_words([ProgramParts(program)])
    answerable = list_answerable(read, questions)
    if answerable:
        # Loaded here: most programs say a question's words and can answer none, and what follows
        # values takes a fifth of a start.
        from jurat.engine.flow.following import follow_program  # noqa: PLC0415

        flows = follow_program(program, lowering, language, questions, answerable)
        found = replace(flows, unfollowed=(*unfollowed, *flows.unfollowed))
    # One that takes all steps alone leaves none for others.
    if not others or len(found.unfollowed) > len(unfollowed):
        return found
    # Before the others are read: most files have no sink, however many others they name.
    ending = list_ending(read, questions)
    if not ending:
        return found
    file = LinkedFile(path, language, root.text())
    return _add_linked(found, root, questions, ending, (file, *others))


def _add_linked(
    found: Flows,
    root: SgNode,
    questions: Sequence[FlowQuestion],
    ending: Collection[int],
    files: Sequence[LinkedFile],
) -> Flows:
    """The flows of the first of some files, and those that the others have a part in.

    Never fewer: that the change calls a function with what is harmless says nothing of others.
    """
    paths = group_paths(files)
    first = _translate(files[0], root, ImportLinks(files[0].path, files[0].language, paths))
    all_read = [first, *(_translate_other(one, paths) for one in files[1:])]
    together = read_words([one.parts for one in all_read])
    answerable = [one for one in list_answerable(together, questions) if one in ending]
    if not answerable:
        return found
    from jurat.engine.flow.following import follow_linked  # noqa: PLC0415

    known = {(one.question, _get_extent(one.node)): one for one in found.found}
    for flow in follow_linked([one.linked for one in all_read], questions, answerable):
        key = flow.question, _get_extent(flow.node)
        before = known.get(key)
        if before is None or _rank(before) < _rank(flow):
            known[key] = flow
    ordered = sorted(known.items(), key=lambda item: (item[0][1], item[0][0]))
    return replace(found, found=tuple(flow for _, flow in ordered))


class _FileProgram(NamedTuple):
    """A file in the small program form, where its imports lead, and what it says."""

    linked: LinkedProgram
    links: ImportLinks
    parts: ProgramParts


def _translate(file: LinkedFile, root: SgNode, links: ImportLinks) -> _FileProgram:
    lowering = _LOWERINGS[file.language]()
    lowering.links = links
    program = lowering.build_program(root)
    return _FileProgram(LinkedProgram(file, program, lowering), links, ProgramParts(program))


_TRANSLATED: dict[LinkedFile, _FileProgram] = {}
"""Files that others were followed through: each is in turn one of those of several others."""

_MOST_TRANSLATED = 400_000
"""Characters of these files: a program takes about as much as its tree."""


def _translate_other(file: LinkedFile, paths: Mapping[str, LinkedPaths]) -> _FileProgram:
    """A file in the small program form as another one is followed through it."""
    links = ImportLinks(file.path, file.language, paths)
    known = _TRANSLATED.get(file)
    # Its imports may lead elsewhere among other files.
    if known is not None and links.is_like(known.links):
        return known
    made = _translate(file, parse(file.text, file.language).root(), links)
    if sum(len(one.text) for one in (*_TRANSLATED, file)) > _MOST_TRANSLATED:
        _TRANSLATED.clear()
    _TRANSLATED[file] = made
    return made


def _rank(flow: Flow) -> tuple[bool, bool]:
    """How sure a flow is: first that nothing speaks against it, then that its origin is known."""
    return not flow.doubt, not flow.is_guess


def _get_extent(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.index, span.end.index
