"""What code says where: imports, calls, definitions, names and texts, read from its syntax tree.

A comment is none of these, and a docstring no text. A sieve lets through the few names and strings
that may matter, so that only these are looked at more closely.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from ast_grep_py import Config, Rule, SgNode

from jurat.rating.signals.mention_grammars import SHAPES, MentionGrammar
from jurat.rating.signals.recon_table import split_callee, split_name
from jurat.rules.constraints import compile_regex
from jurat.source.syntax import parse


class Kind(Enum):
    """What is said."""

    # There is one of each: by itself it is found faster than by its name.
    __hash__ = object.__hash__

    IMPORT = "imports"
    CALL = "calls"
    DEFINITION = "defines"
    NAME = "names"
    KEY = "keys"
    TEXT = "prompts"
    SHOWN = "texts"


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that code says.

    `text` is what is named: a module as written, a callee's segments joined with ".", or one name,
    both as `split_name` has them; of a text, the text. Every text is SHOWN, what a model or a user
    is told is TEXT besides. `line` is 1-based. `first` and `last` bound
    the function around it, decorators left out, or are 0 outside of any.
    """

    kind: Kind
    text: str
    line: int
    first: int = 0
    last: int = 0


Sieve = Callable[[Kind, str], bool]
"""Whether what is said of a kind, as in `Mention.text`, may matter. Imports are not sieved."""


_MODULE = re.compile(r"[\w@./:\\{}*$-]+")
_QUOTED = re.compile(r"[\"'<]([^\"'<>\n]+)[\"'>]")
_KEYWORDS = re.compile(
    r"^\s*(?:import|from|using|use|extern crate|global|static|export|require|type)\b\s*"
)
_CONTEXT = re.compile(
    r"prompt|instruct|system|persona|template|message|backstory|goal|content|role|task|question"
    r"|few_?shot|agent|chat|complet|generat|ask|invoke|llm|query|judge|reply|respon",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"^\W*\w{0,2}\W*(?:you are|you're|act as|your (?:task|job|role|goal) is)\b", re.IGNORECASE
)
_MODEL_NAMES = (
    r"openai|anthropic|ollama|litellm|langchain\w*|mistralai|cohere|groq|vllm|transformers"
    r"|diffusers|genai|ai-sdk|generateText|streamText|generate_content|chat\.completions"
    r"|messages\.create|llama_index|pydantic_ai|crewai|autogen\w*|replicate|bedrock|invoke_model"
    r"|@google/generative-ai|vertexai|huggingface_hub|strands|agno|dspy"
)
_MAY_SPEAK = compile_regex(f"(?i){_MODEL_NAMES}")
_SPEAKS = re.compile(rf"\b(?:{_MODEL_NAMES})\b", re.IGNORECASE)
"""What says that a file talks to a model: any sentence in it may be what the model is told."""
_PIECES = re.compile(r"[\"']\s*[+\\]?\s*[rfbuRFBU]{0,2}[\"']")
_BLANKS = 2
"""Blanks in a string below which it tells nobody what to do."""
_KEY = 60
"""Characters of a string beyond which it is no key."""
_DEEPEST = 200
"""Nodes around a node in which its function is looked for: nobody nests code so deeply."""
_LEVELS = 8
"""Nodes around a string in which a name for it is looked for."""


def find_mentions(
    text: str,
    language: str,
    sieve: Sieve,
    choose_names: Callable[[Collection[str]], Iterable[str]] | None = None,
    *,
    strings: bool = True,
    phrases: bool = True,
) -> Iterator[Mention]:
    """What a text says, in the order of the text. `language` is one of `SHAPES`.

    `choose_names` gives those of the text's words that the sieve may let through as names: of most
    languages other words are then not looked at. Without `strings` none of those is; without
    `phrases` only those that may be keys, or that stand beside each other.
    """
    shape = SHAPES[language]
    kinds = shape.imports | frozenset(shape.calls)
    kinds |= shape.strings if strings else frozenset()
    aliases: dict[str, str] = {}
    imported = 0
    likely = _MAY_SPEAK.search(text.encode("utf-8", "replace")) is not None
    speaks = likely and _SPEAKS.search(text) is not None
    if choose_names is not None and language in PLAIN_NAMES:
        query = _build_query(kinds, shape.names, choose_names(_list_words(text, language)))
    else:
        query = _build_kinds_query(kinds | shape.names)
    for node in parse(text, language).root().find_all(query):
        kind = node.kind()
        if kind in shape.imports:
            imported = node.range().end.index
            yield from _find_imports(node, language, aliases)
        elif kind in shape.names:
            if node.range().start.index < imported:
                continue  # a part of a module's name, or imported and used elsewhere if at all
            if sieve(Kind.NAME, name := split_name(node.text())) or sieve(Kind.DEFINITION, name):
                yield from _find_name_mentions(node, name, shape)
        elif kind in shape.calls:
            yield from _find_call_mentions(node, shape, aliases, sieve)
        else:
            yield from _find_string_mentions(node, shape, sieve, speaks=speaks, phrases=phrases)


@cache
def _build_kinds_query(kinds: frozenset[str]) -> Config:
    return {"rule": {"any": [{"kind": kind} for kind in sorted(kinds)]}}


def _build_query(kinds: frozenset[str], names: frozenset[str], words: Iterable[str]) -> Config:
    """All that is looked at if of names only some words are: the parser is quicker to pass over."""
    rules: list[Rule] = [{"kind": kind} for kind in sorted(kinds)]
    if wanted := "|".join(sorted({re.escape(word) for word in words})):
        # One expression for all kinds: to compile it takes longer than to look.
        named: list[Rule] = [{"kind": kind} for kind in sorted(names)]
        rules.append({"any": named, "regex": f"^#?(?:{wanted})$"})
    return {"rule": {"any": rules}}


PLAIN_NAMES = frozenset(("python", "javascript", "typescript", "tsx"))
"""Languages whose names hold nothing but letters, digits, "_", "$", and "-" in markup."""
_WORD = re.compile(r"[\w$]+")
_RUN = re.compile(r"[\w$\\{}-]+")
_LETTERS = b"_$"
_BLANKED = {
    kept: bytes(
        byte if byte in kept or chr(byte).isalnum() else ord(" ") for byte in range(128)
    ) + b" " * 128
    for kept in (_LETTERS, _LETTERS + rb"\{}-")
}  # fmt: skip
"""What ASCII becomes if all but letters, digits and a few signs is blank."""


def _list_words(text: str, language: str) -> set[str]:
    """Every word of a text that may be a name in one of PLAIN_NAMES."""
    is_script = language != "python"
    if text.isascii():
        # As `_RUN` has it, in a tenth of the time.
        kept = _LETTERS + rb"\{}-" if is_script else _LETTERS
        runs = set(text.encode().translate(_BLANKED[kept]).decode().split())
        if not is_script:
            return runs
    else:
        runs = set(_RUN.findall(text))
    words = set(_WORD.findall(" ".join(runs)))
    if is_script:
        words.update(run for run in runs if "-" in run[:-1] or "\\" in run[:-1])
    return words


def _get_line(node: SgNode) -> int:
    return node.range().start.line + 1


def _find_imports(node: SgNode, language: str, aliases: dict[str, str]) -> Iterator[Mention]:
    line = _get_line(node)
    if language == "python":
        for module, alias in _iter_python_modules(node):
            aliases[alias] = module
            yield Mention(Kind.IMPORT, module, line)
        return
    source = node.field("source")
    if source is not None:
        module = source.text().strip("\"'`")
        aliases.update((alias, name) for name, alias in _iter_script_names(node))
        yield Mention(Kind.IMPORT, module, line)
        return
    if node.kind() == "export_statement":
        return
    written = node.text()
    quoted = _QUOTED.search(written)
    if quoted:
        yield Mention(Kind.IMPORT, quoted[1], line)
        return
    # Until nothing more goes: `export type` and `extern crate` are two keywords in a row.
    while (bare := _KEYWORDS.sub("", written)) != written:
        written = bare
    module_written = _MODULE.match(written.rpartition("= ")[2])
    if module_written:
        module = module_written[0].partition("{")[0].rstrip(".:*\\")
        yield Mention(Kind.IMPORT, module, line)


def _iter_python_modules(node: SgNode) -> Iterator[tuple[str, str]]:
    """Each module or name that is imported, and what it is called from there on."""
    source = node.field("module_name")
    if source is not None and source.kind() == "relative_import":
        return
    prefix = "" if source is None else source.text() + "."
    if source is not None:
        yield source.text(), ""
    for name in node.field_children("name"):
        if name.kind() == "aliased_import":
            whole, alias = name.field("name"), name.field("alias")
            if whole is not None and alias is not None:
                yield prefix + whole.text(), alias.text()
        else:
            module = prefix + name.text()
            yield module, name.text() if prefix else module.partition(".")[0]


def _iter_script_names(node: SgNode) -> Iterator[tuple[str, str]]:
    """The names in an ECMAScript import that are called something else from there on."""
    for specifier in node.find_all({"rule": {"kind": "import_specifier"}}):
        name, alias = specifier.field("name"), specifier.field("alias")
        if name is not None and alias is not None:
            yield name.text(), alias.text()


def _find_call_mentions(
    node: SgNode, shape: MentionGrammar, aliases: Mapping[str, str], sieve: Sieve
) -> Iterator[Mention]:
    field = shape.calls[node.kind()]
    head = node.field(field) if field else next(filter(SgNode.is_named, node.children()), None)
    if head is None:
        return
    if head.kind() in shape.calls and node.kind() == "decorator":
        return  # a decorator with arguments, whose call is found as such
    callee = head.text()
    if field in ("name", "method"):
        whole, start = node.text(), node.range().start.index
        callee = whole[: head.range().end.index - start].lstrip("@[")
    first, dot, rest = callee.partition(".")
    said = ".".join(split_callee(aliases.get(first, first) + dot + rest))
    if callee.startswith("_") and not dot:
        said = f"_{said}"  # a helper of the project's own, not what it is named after
    if callee in shape.loaders:
        module = _QUOTED.search(node.text()[len(callee) : len(callee) + 200])
        if module:
            yield Mention(Kind.IMPORT, module[1], _get_line(node))
    elif said and sieve(Kind.CALL, said):
        line = head.range().end.line + 1
        yield Mention(Kind.CALL, said, line, *_find_function_around(node, shape))


def _find_name_mentions(node: SgNode, name: str, shape: MentionGrammar) -> Iterator[Mention]:
    line = _get_line(node)
    parent = node.parent()
    around = _find_function_around(node, shape)
    if parent is not None and parent.kind() in shape.definitions:
        named = parent.field("name")
        if named is None or named.range() == node.range():
            yield Mention(Kind.DEFINITION, name, line, *around)
    yield Mention(Kind.NAME, name, line, *around)


def _find_string_mentions(
    node: SgNode, shape: MentionGrammar, sieve: Sieve, *, speaks: bool, phrases: bool
) -> Iterator[Mention]:
    written = node.text()
    is_key = len(written) < _KEY and sieve(Kind.KEY, split_name(written))
    if not (is_key or phrases or node.kind() == "concatenated_string"):
        return
    blanks = written.count(" ")
    if not is_key and not blanks and ":" not in written and "-" not in written:
        return
    parent = node.parent()
    if parent is None or parent.kind() in ("expression_statement", "concatenated_string"):
        return  # a docstring, or a part of what is looked at as a whole
    if is_key:
        around = _find_function_around(node, shape)
        yield Mention(Kind.KEY, split_name(written), _get_line(node), *around)
        return
    if sieve(Kind.SHOWN, written):
        yield Mention(Kind.SHOWN, written, _get_line(node), *_find_function_around(node, shape))
    if (
        blanks >= _BLANKS
        and node.kind() != "jsx_text"
        and (speaks or _ADDRESS.match(written) or _is_message(node, shape))
    ):
        message = written
        if node.kind() == "concatenated_string":
            message = _PIECES.sub(lambda gap: "\n" * gap[0].count("\n"), written)
        if sieve(Kind.TEXT, message):
            yield Mention(Kind.TEXT, message, _get_line(node), *_find_function_around(node, shape))


def _is_message(node: SgNode, shape: MentionGrammar) -> bool:
    """Whether what a string is bound or passed to says that a model, or a user, is told it."""
    around = node.parent()
    for _ in range(_LEVELS):
        if around is None:
            return False
        kind = around.kind()
        if kind in shape.labels:
            label = next((c.text() for c in around.children() if c.is_named()), "")
            if _CONTEXT.search(label[:100]):
                return True
        elif kind in shape.calls:
            head = next((c.text() for c in around.children() if c.is_named()), "")
            if _CONTEXT.search(head[-60:]):
                return True
        elif kind in shape.definitions:
            named = around.field("name")
            return named is not None and _CONTEXT.search(named.text()) is not None
        around = around.parent()
    return False


def _find_function_around(node: SgNode, shape: MentionGrammar) -> tuple[int, int]:
    """The lines of the innermost function that a node stands in, or that it decorates."""
    around = node.parent()
    for _ in range(_DEEPEST):
        if around is None:
            break
        kind = around.kind()
        if kind == "decorated_definition":
            inner = around.field("definition")
            if inner is not None and inner.kind() == "function_definition":
                return _get_span(inner)
        if kind in shape.definitions and ("function" in kind or "method" in kind):
            return _get_span(around)
        around = around.parent()
    return 0, 0


def _get_span(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.line + 1, span.end.line + 1
