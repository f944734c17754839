"""Disguises of a rule's examples: what is invalid must stay caught, and what is valid must pass.

A disguise writes the same program in another way. One that does not apply to an example, or that
no longer parses, is left out, so that the figures are of what was really tried.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.rule_examples import (
    build_added_file,
    decide_file,
    find_path,
    is_runnable,
    normalize_example,
)
from jurat.errors import RuleError
from jurat.findings.verdict import Verdict
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import ValueConstraint
from jurat.rules.rule import Rule, RuleSet
from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.source.embedded import has_code_inside
from jurat.source.strict_yaml import parse_yaml
from jurat.source.syntax import is_parsable, parse

_HELD = {
    "python": "held = {}",
    "javascript": "const held = {};",
    "typescript": "const held = {};",
    "tsx": "const held = {};",
    "java": "var held = {};",
    "go": "held := {}",
}
_COMMENTS = {"python": "# "} | dict.fromkeys(
    ("javascript", "typescript", "tsx", "java", "go"), "// "
)
_BLOCKS = {"python": ('"""', '"""')} | dict.fromkeys(_COMMENTS.keys() - {"python"}, ("/*", "*/"))
_ARGUMENTS = ("argument_list", "arguments")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A disguised example. `example` is such as "invalid[0]", `disguise` the name of its form."""

    example: str
    disguise: str
    file: FileChange


@dataclass(frozen=True, slots=True)
class MutationScore:
    """What became of a rule's disguised examples.

    `missed` are invalid ones that were not caught, `fooled` valid ones that were.
    """

    rule: Rule
    invalid: int
    valid: int
    missed: tuple[Mutant, ...]
    fooled: tuple[Mutant, ...]

    @property
    def caught(self) -> int:
        """The invalid ones that were caught."""
        return self.invalid - len(self.missed)


class _Cut(NamedTuple):
    """New text for a range of characters."""

    start: int
    end: int
    text: str


def score_mutants(rule: Rule, rule_set: RuleSet) -> MutationScore:
    """Try every disguise of a rule's examples."""
    found: dict[str, list[Mutant]] = {"invalid": [], "valid": []}
    wrong: dict[str, list[Mutant]] = {"invalid": [], "valid": []}
    for mutant in iter_mutants(rule):
        kind = mutant.example.partition("[")[0]
        verdict = decide_file(rule, rule_set, mutant.file)
        is_caught = verdict is not None and verdict.verdict is Verdict.DENY
        found[kind].append(mutant)
        if is_caught is not (kind == "invalid"):
            wrong[kind].append(mutant)
    return MutationScore(
        rule, len(found["invalid"]), len(found["valid"]), (*wrong["invalid"],), (*wrong["valid"],)
    )


def iter_mutants(rule: Rule) -> Iterator[Mutant]:
    """The disguises of all examples of code that a rule has."""
    if not is_runnable(rule):
        return
    reads_code = all(isinstance(c, PatternConstraint | ValueConstraint) for c in rule.constraints)
    for kind in ("invalid", "valid"):
        for index, entry in enumerate(getattr(rule.examples, kind)):
            example = normalize_example(entry)
            path, language = find_path(rule, example)
            # What is about a change is not disguised by rewriting one of its sides.
            if example.code is None or example.base is not None or language is None:
                continue
            if has_code_inside(path):
                continue
            name = f"{kind}[{index}]"
            whole = _add_imports(example.code, rule) if language == "python" else example.code
            for disguise, code in _iter_disguised(whole, language):
                yield Mutant(name, disguise, build_added_file(path, language, code))
            # To a rule that reads text, what stands in a comment stood there all the time.
            if not reads_code:
                continue
            if (activated := _build_activated(path, language, example.code)) is not None:
                yield Mutant(name, "lines that a deletion brings into force", activated)
            if (
                kind == "invalid"
                and language in _COMMENTS
                and not _is_about_comments(rule, language)
            ):
                yield from _quote(name, path, language, example.code)


def _is_about_comments(rule: Rule, language: str) -> bool:
    """Whether a comment is what a rule looks for, or a part of it."""
    return any(
        language in item.languages and "comment" in str(item.rule)
        for item in rule.constraints
        if isinstance(item, PatternConstraint)
    )


def _iter_disguised(code: str, language: str) -> Iterator[tuple[str, str]]:
    for name, disguise in _DISGUISES.items():
        changed = disguise(code, language)
        if changed and changed != code and is_parsable(changed, language):
            yield name, changed


def _quote(name: str, path: str, language: str, code: str) -> Iterator[Mutant]:
    """What is invalid, said only in a comment: that is valid."""
    mark = _COMMENTS[language]
    said = "".join(f"{mark}{line}\n" for line in code.splitlines())
    tail = "package a\n" if language == "go" else "x = 1\n" if language == "python" else ";\n"
    if is_parsable(said + tail, language):
        file = build_added_file(path, language, said + tail)
        yield Mutant(name.replace("invalid", "valid"), "a comment that says it", file)


# The disguises. Each gives the new code, or "" if it does not apply.


def _add_imports(code: str, rule: Rule) -> str:
    """The code with an import of each module of Python or of the rule that it only mentions."""
    modules = set(sys.stdlib_module_names)
    for constraint in rule.constraints:
        if isinstance(constraint, PatternConstraint):
            modules |= {
                name.partition(".")[0] for names in constraint.names.values() for name in names
            }
    root = parse(code, "python").root()
    bases, others = set[str](), set[str]()
    for one in root.find_all({"rule": {"kind": "identifier"}}):
        parent = one.parent()
        is_base = (
            parent is not None and parent.kind() == "attribute" and _is_field(parent, "object", one)
        )
        (bases if is_base else others).add(one.text())
    imports = [f"import {name}\n" for name in sorted((bases - others) & modules)]
    future = _FUTURE.match(code)
    start = future.end() if future else 0
    return code[:start] + "".join(imports) + code[start:]


def _split_imports(code: str, language: str) -> str:
    """What is taken of a module is imported by itself, under another name."""
    if language != "python":
        return ""
    root = parse(code, language).root()
    modules = {
        name.text(): statement
        for statement in root.find_all({"rule": {"kind": "import_statement"}})
        for name in statement.children()
        if name.kind() == "dotted_name" and "." not in name.text()
    }
    cuts: list[_Cut] = []
    members: dict[str, set[str]] = {}
    for one in root.find_all({"rule": {"kind": "attribute"}}):
        base, name, parent = one.field("object"), one.field("attribute"), one.parent()
        if base is None or name is None or base.text() not in modules:
            continue
        if parent is not None and _is_field(parent, "left", one):
            continue  # who sets it sets the module's own
        members.setdefault(base.text(), set()).add(name.text())
        cuts.append(_cut(one, f"{name.text()}_"))
    for module, names in members.items():
        start = modules[module].range().start.index
        clause = ", ".join(f"{name} as {name}_" for name in sorted(names))
        # With a semicolon, so that it stands wherever the module's own import does.
        cuts.append(_Cut(start, start, f"from {module} import {clause}; "))
    return _apply(code, cuts)


def _replace_imports(code: str, language: str) -> str:
    """Each module and name that is imported goes by another name."""
    if language != "python":
        return ""
    root = parse(code, language).root()
    cuts: list[_Cut] = []
    inside: list[tuple[int, int]] = []
    renamed: set[str] = set()
    for kind in ("import_statement", "import_from_statement"):
        for statement in root.find_all({"rule": {"kind": kind}}):
            names = [c for c in statement.children() if c.kind() == "dotted_name"]
            for named in names[1:] if kind == "import_from_statement" else names:
                if "." not in named.text():
                    renamed.add(named.text())
                    cuts.append(_cut(named, f"{named.text()} as {named.text()}_"))
            span = statement.range()
            inside.append((span.start.index, span.end.index))
    for one in root.find_all({"rule": {"kind": "identifier"}}):
        span = one.range()
        parent = one.parent()
        is_part = parent is not None and (
            (parent.kind() == "attribute" and _is_field(parent, "attribute", one))
            or (parent.kind() == "keyword_argument" and _is_field(parent, "name", one))
        )
        is_name = any(start <= span.start.index < end for start, end in inside)
        if one.text() in renamed and not is_part and not is_name:
            cuts.append(_cut(one, f"{one.text()}_"))
    return _apply(code, cuts)


def _split_lines(code: str, language: str) -> str:
    """Each call has a line for its arguments."""
    cuts = []
    for kind in _ARGUMENTS:
        for found in _find_kind(code, language, kind):
            if found.text().startswith("(") and len(found.children()) > 2:
                start = found.range().start.index + 1
                cuts.append(_Cut(start, start, "\n        "))
    return _apply(code, cuts)


def _extract_argument(code: str, language: str) -> str:
    """The first argument of a statement's own call is put into a variable before it."""
    if language not in _HELD:
        return ""
    for kind in _ARGUMENTS:
        for found in _find_kind(code, language, kind):
            call = found.parent()
            given = [child for child in found.children() if child.is_named()]
            if call is None or not given or _NO_VALUE.search(given[0].kind()):
                continue
            start = call.range().start.index
            line = code.rfind("\n", 0, start) + 1
            if code[line:start].strip():
                continue
            held = _HELD[language].format(given[0].text()) + "\n" + code[line:start]
            return _apply(code, [_Cut(start, start, held), _cut(given[0], "held")])
    return ""


def _swap_keywords(code: str, language: str) -> str:
    """Keywords of calls, and entries of object literals, in the opposite order."""
    kinds = {"python": ("argument_list", "keyword_argument")}
    box, kind = kinds.get(language, ("object", "pair"))
    cuts: list[_Cut] = []
    end = -1
    for found in _find_kind(code, language, box):
        parts = [child for child in found.children() if child.kind() == kind]
        if len(parts) < 2 or found.range().start.index < end:
            continue
        end = found.range().end.index
        cuts += [_cut(a, b.text()) for a, b in zip(parts, reversed(parts), strict=True)]
    return _apply(code, cuts)


def _write_in_flow_style(code: str, language: str) -> str:
    """YAML on one line, in braces and brackets."""
    if language != "yaml":
        return ""
    try:
        return json.dumps(parse_yaml(code, "example.yml", RuleError).data) + "\n"
    except (RuleError, TypeError):
        return ""


def _build_activated(path: str, language: str, code: str) -> FileChange | None:
    """A change that only deletes: the marks around code that was commented out."""
    if language not in _BLOCKS:
        return None
    first, last = _BLOCKS[language]
    if first in code or last in code:
        return None
    texts = code.rstrip("\n").split("\n")
    lines = [
        Line("removed", 1, None, first),
        *(Line("context", n + 1, n, text) for n, text in enumerate(texts, 1)),
        Line("removed", len(texts) + 2, None, last),
    ]
    hunk = Hunk(1, len(lines), 1, len(texts), "", tuple(lines))
    return FileChange(
        path=path, status=FileStatus.MODIFIED, language=language, hunks=(hunk,), head=code
    )


_DISGUISES: dict[str, Callable[[str, str], str]] = {
    "imports by other names": _replace_imports,
    "names imported by themselves": _split_imports,
    "arguments on lines of their own": _split_lines,
    "an argument in a variable": _extract_argument,
    "keywords in the opposite order": _swap_keywords,
    "YAML in flow style": _write_in_flow_style,
}
_FUTURE = re.compile(r"(?s)(?:.*\n)?from __future__ [^\n]*\n")
_NO_VALUE = re.compile(r"keyword_argument|splat|spread|comment|type|function|lambda|block|string$")


def _find_kind(code: str, language: str, kind: str) -> Sequence[SgNode]:
    try:
        return parse(code, language).root().find_all({"rule": {"kind": kind}})
    except RuntimeError:
        # The grammar has no such kind.
        return ()


def _is_field(parent: SgNode, field: str, child: SgNode) -> bool:
    found = parent.field(field)
    return found is not None and found.range().start.index == child.range().start.index


def _cut(node: SgNode, text: str) -> _Cut:
    span = node.range()
    return _Cut(span.start.index, span.end.index, text)


def _apply(code: str, cuts: Sequence[_Cut]) -> str:
    for cut in sorted(cuts, key=lambda one: (one.start, one.end), reverse=True):
        code = code[: cut.start] + cut.text + code[cut.end :]
    return code if cuts else ""
