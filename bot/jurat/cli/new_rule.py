"""`jurat rules new`: a rule from a line of code that must not appear, with a first pattern."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated

import typer
from ast_grep_py import SgNode, SgRoot

from jurat.cli.options import print_note
from jurat.engine.rule_examples import run_examples
from jurat.errors import UsageError
from jurat.rules.constraints import find_language
from jurat.rules.loader import load_ruleset

_CALLS = frozenset(
    {"call", "call_expression", "method_invocation", "invocation_expression", "new_expression"}
)
_ARGUMENTS = frozenset({"argument_list", "arguments"})
_CONSTANTS = frozenset({"true", "false", "none", "null", "nil", "boolean_literal", "null_literal"})
"""Arguments that are most likely the point, and stay as they are."""

_AROUND = {
    "go": "package p\n\nfunc f() {{\n\t{}\n}}\n",
    "java": "class A {{\n  void f() {{\n    {};\n  }}\n}}\n",
}
"""What a line stands in where it is no code by itself."""

_TEMPLATE = """\
version: 1
rules:
  - id: {id}
    statement: {statement}
    message: {message}
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    maturity: experimental          # observes, never blocks; make it stable when you trust it
    languages: [{language}]
    constraints:
      - type: pattern
        language: {language}
        {matcher}
    examples:
      invalid:
        - {invalid}
      valid:{valid}
"""


def write_rule(
    name: Annotated[str, typer.Argument(metavar="ID", help="The rule's id, such as acme.no-md5.")],
    code: Annotated[str, typer.Argument(metavar="CODE", help="A line that must not appear.")],
    *,
    language: Annotated[str, typer.Option(help="The language of the line.")] = "python",
    valid: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="A line that is fine.")
    ] = None,
    statement: Annotated[
        str, typer.Option(help="What must hold, as a sentence.")
    ] = "Say in one sentence what must hold.",
    pattern: Annotated[
        str | None,
        typer.Option(help="The pattern, in ast-grep's language.", show_default="one is proposed"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there.", show_default="stdout")
    ] = None,
) -> None:
    """Write a rule from a line that must not appear: a pattern is proposed and the rule is tried.

    Write the language as its file ending or its name. Lines that are fine make the rule narrower
    than it is proposed: they are tried, and one that is caught is an error.
    """
    grammar = _find_grammar(language)
    matcher = f"pattern: {json.dumps(pattern or suggest_pattern(code, grammar))}"
    if grammar == "go" and not pattern:
        # Go reads `name(value)` as a conversion in places, which a pattern would have to guess.
        callee = re.escape(code.partition("(")[0].strip())
        function = f"{{field: function, regex: {json.dumps(f'^{callee}$')}}}"
        matcher = f"rule: {{kind: call_expression, has: {function}}}"
    around = _AROUND.get(grammar, "{}")
    text = _TEMPLATE.format(
        id=name,
        statement=json.dumps(statement),
        message=json.dumps(f"This is not used here: {code.strip()}".replace("$", "$$")),
        language=grammar,
        matcher=matcher,
        invalid=json.dumps(around.format(code)),
        valid="".join(f"\n        - {json.dumps(around.format(line))}" for line in valid or ())
        or " []",
    )
    rule_set = load_ruleset({f"{name}.yml": text})
    if failures := run_examples(rule_set):
        raise UsageError(
            f"`{matcher}` does not do it: {failures[0].text.strip()!r} {failures[0].problem}",
            hint="Give one with --pattern; see docs/rules.md.",
        )
    if output is None:
        sys.stdout.write(text)
        return
    if output.exists():
        raise UsageError(f"{output} is there already.", hint="Name a new file.")
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}.") from error
    print_note(f"{output}: the rule catches its example. Name its folder in .github/jurat.yml.")


def _find_grammar(language: str) -> str:
    try:
        return find_language(language)
    except ValueError as error:
        raise UsageError(f"--language: {error}.") from None


def suggest_pattern(code: str, language: str) -> str:
    """A pattern for the first call in the code, its arguments left open; else the code itself.

    The callee stays, and so do arguments such as true and none, with their names: they are most
    likely why the line must not appear.
    """
    call = _find_call(SgRoot(code, language).root())
    arguments = call and next((one for one in call.children() if one.kind() in _ARGUMENTS), None)
    if call is None or arguments is None:
        return code.strip()
    given = [child for child in arguments.children() if child.is_named()]
    letters = iter(ascii_uppercase)
    opened = [one.text() if _is_kept(one) else f"${next(letters, 'REST')}" for one in given]
    callee = call.text()[: arguments.range().start.index - call.range().start.index]
    return f"{callee}({', '.join(opened)})"


def _find_call(node: SgNode) -> SgNode | None:
    if node.kind() in _CALLS:
        return node
    return next(filter(None, map(_find_call, node.children())), None)


def _is_kept(node: SgNode) -> bool:
    """Whether an argument says more than that there is one: it holds such a constant."""
    return node.kind() in _CONSTANTS or any(map(_is_kept, node.children()))
