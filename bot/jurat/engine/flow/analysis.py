"""The flows of one file: what arrives where it must not, and which functions were too much."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.found_flows import Flow, Flows, Omission
from jurat.engine.flow.go_lowering import GoTranslation
from jurat.engine.flow.java_lowering import JavaTranslation
from jurat.engine.flow.javascript_lowering import JavaScriptTranslation
from jurat.engine.flow.linked_files import ImportLinks, LinkedFile, group_paths
from jurat.engine.flow.lowering import LinkedProgram, Translation
from jurat.engine.flow.program import Routine
from jurat.engine.flow.python_lowering import PythonTranslation
from jurat.engine.flow.said_words import list_answerable, list_ending
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
    answerable = list_answerable((program,), questions)
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
    ending = list_ending(program, questions)
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
    roots = [root, *(parse(one.text, one.language).root() for one in files[1:])]
    linked, paths = [], group_paths(files)
    for one, its in zip(files, roots, strict=True):
        lowering = _LOWERINGS[one.language]()
        lowering.links = ImportLinks(one.path, one.language, paths)
        linked.append(LinkedProgram(one, lowering.build_program(its), lowering))
    together = [one.program for one in linked]
    answerable = [one for one in list_answerable(together, questions) if one in ending]
    if not answerable:
        return found
    from jurat.engine.flow.following import follow_linked  # noqa: PLC0415

    known = {(one.question, _get_extent(one.node)): one for one in found.found}
    for flow in follow_linked(linked, questions, answerable):
        key = flow.question, _get_extent(flow.node)
        before = known.get(key)
        if before is None or _rank(before) < _rank(flow):
            known[key] = flow
    ordered = sorted(known.items(), key=lambda item: (item[0][1], item[0][0]))
    return replace(found, found=tuple(flow for _, flow in ordered))


def _rank(flow: Flow) -> tuple[bool, bool]:
    """How sure a flow is: first that nothing speaks against it, then that its origin is known."""
    return not flow.doubt, not flow.is_guess


def _get_extent(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.index, span.end.index
