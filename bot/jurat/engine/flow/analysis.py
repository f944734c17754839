"""The flows of one file: what arrives where it must not, and which functions were too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.found_flows import Flows, Omission
from jurat.engine.flow.go_lowering import GoTranslation
from jurat.engine.flow.java_lowering import JavaTranslation
from jurat.engine.flow.javascript_lowering import JavaScriptTranslation
from jurat.engine.flow.lowering import Translation
from jurat.engine.flow.program import Routine
from jurat.engine.flow.python_lowering import PythonTranslation
from jurat.engine.flow.said_words import list_answerable
from jurat.rules.flows import FlowQuestion

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


def find_flows(root: SgNode, language: str, questions: Sequence[FlowQuestion]) -> Flows:
    """The flows that answer one of the questions, in the order of their sinks."""
    lowering = _LOWERINGS[language]()
    program = lowering.build_program(root)
    unfollowed = tuple(
        Omission("", line, line, "it is nested too deeply to be followed")
        for line in sorted(set(lowering.deep))
    )
    answerable = list_answerable(program, questions)
    if not answerable:
        return Flows((), unfollowed)
    # Loaded here: most programs say a question's words and can answer none, and what follows
    # values takes a fifth of a start.
    from jurat.engine.flow.following import follow_program  # noqa: PLC0415

    flows = follow_program(program, lowering, language, questions, answerable)
    return replace(flows, unfollowed=(*unfollowed, *flows.unfollowed))
