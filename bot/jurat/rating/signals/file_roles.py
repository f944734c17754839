"""What a file is to RECON, and the code inside of notebooks and components."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.rating.signals.mention_grammars import SHAPES
from jurat.source.languages import detect_language
from jurat.source.paths import SOURCE_LANGUAGES, is_generated, is_test
from jurat.source.syntax import parse

NOTEBOOK = "notebook"
COMPONENT = "component"

_FORMS = {"ipynb": NOTEBOOK, "svelte": COMPONENT, "vue": COMPONENT}
_OPENING = re.compile(r"<script\b[^>]{0,500}>", re.IGNORECASE)
_CLOSING = re.compile(r"</script\b", re.IGNORECASE)
_MAGIC = re.compile(r"\s*[%!]")


class Code(NamedTuple):
    """Code taken out of a file. `lines` says of each of its lines at which of the file it stands.

    All 1-based.
    """

    text: str
    language: str
    lines: Sequence[int]


class NotebookError(ValueError):
    """A text that is no notebook, or one in a language that has no grammar here."""


def detect_form(path: str) -> str | None:
    """NOTEBOOK or COMPONENT if code stands inside a file of that name, else None."""
    return _FORMS.get(path.rpartition(".")[2].lower())


def extract_code(text: str, form: str) -> Code:
    """The code in a file of a form. Raises NotebookError."""
    return _extract_cells(text) if form == NOTEBOOK else _extract_scripts(text)


def _extract_scripts(text: str) -> Code:
    """The scripts where they stand, everything around them blank; one that nothing ends is one."""
    pieces, end = [], 0
    while opening := _OPENING.search(text, end):
        closing = _CLOSING.search(text, opening.end())
        last = closing.start() if closing else len(text)
        # Blanked, not cut out: a line of the script keeps its number in the file.
        pieces += [_blank_lines(text[end : opening.end()]), text[opening.end() : last]]
        end = last
    pieces.append(_blank_lines(text[end:]))
    return Code("".join(pieces), "typescript", range(1, text.count("\n") + 2))


def _blank_lines(text: str) -> str:
    return "\n" * text.count("\n")


def _extract_cells(text: str) -> Code:
    """The code cells of a notebook one after the other, an empty line behind each.

    https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    # By the grammar, not by json.loads: that one does not tell where a string stands.
    notebook = _read_fields(next(iter(_list_named_children(parse(text, "json").root())), None))
    cells = notebook.get("cells")
    if cells is None:
        raise NotebookError("no notebook")
    language = _detect_language(notebook.get("metadata"))
    written: list[tuple[str, int]] = []
    for cell in map(_read_fields, _list_named_children(cells)):
        source = cell.get("source")
        if source is not None and cell["cell_type"].text() == '"code"':
            written += [*_iter_source_lines(source), ("", source.range().end.line + 1)]
    # `%pip` and `!ls` are the notebook's, and no Python: one of them would hide the cell behind it.
    code = "\n".join(f"# {line}" if _MAGIC.match(line) else line for line, _ in written)
    return Code(code, language, [at for _, at in written])


def _iter_source_lines(node: SgNode) -> Iterator[tuple[str, int]]:
    """The lines of one cell, written as one string or as a list of them."""
    for part in (node,) if node.kind() == "string" else _list_named_children(node):
        at = part.range().start.line + 1
        yield from ((line, at) for line in json.loads(part.text()).splitlines())


def _detect_language(metadata: SgNode | None) -> str:
    fields = _read_fields(metadata)
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        if value := _read_fields(fields.get(key)).get(name):
            language = str(json.loads(value.text())).lower()
            if language not in SHAPES:
                raise NotebookError(f"no grammar for {language}")
            return language
    return "python"


def _read_fields(node: SgNode | None) -> dict[str, SgNode]:
    """The values of a JSON object by their keys; none of anything else."""
    if node is None or node.kind() != "object":
        return {}
    pairs = ((pair.field("key"), pair.field("value")) for pair in _list_named_children(node))
    return {json.loads(key.text()): value for key, value in pairs if key and value}


def _list_named_children(node: SgNode) -> list[SgNode]:
    return [child for child in node.children() if child.is_named()]


# What a file is to RECON, by where it stands: code is evidence, its tests' data is not.


class Role(StrEnum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    PROMPT = "prompt"
    DOCUMENT = "document"
    SETTINGS = "settings"
    PAGE = "page"
    """What people are shown: pages, and templates of them."""
    EXAMPLE = "example"
    """Examples, fixtures, demonstrations: they show what others do, and count for nothing but the
    few probes that look for them by name."""
    OTHER = "other"
    """Data, pictures, what a program wrote: never read."""

    @property
    def is_read(self) -> bool:
        """Whether what stands in such a file may be evidence."""
        return self not in (Role.EXAMPLE, Role.OTHER)


_EXAMPLES = re.compile(
    r"(?:^|/)(?:__fixtures__|__mocks__|__snapshots__|_?examples?|benchmarks?|cassettes|cookbooks?|doctests?"
    r"|demos?|fixtures|goldens?|mocks|samples?|snapshots|stubs|(?:test|eval|benchmark)[-_]?(?:data|results?)|tutorials?)/",
    re.IGNORECASE,
)
_MEASURING = re.compile(
    r"(?:^|/)(?:evals|experiments?)/.*\.\w+$"
    r"|(?:^|/)(?:[^/]*[_-])?benchmark(?:[_-][^/]*)?\.(?:py|[cm]?[jt]sx?)$",
    re.IGNORECASE,
)
"""A program that asks the product to see how good it is: a test of it, and no part."""
_SHOWING = re.compile(r"(?:^|/)docs?/.*\.ipynb$", re.IGNORECASE)
"""A notebook among the documents shows how something is used."""
_ASSISTANTS = re.compile(
    r"(?:^|/)(?:\.(?:agents?|claude|codex|cursor|gemini|windsurf)/|\.github/(?:instructions"
    r"|prompts)/"
    r"|(?:AGENTS|CLAUDE|GEMINI|SKILL|copilot-instructions)\.md$|\.cursorrules$)"
)
"""What those who write the code have their assistants told: no page and no prompt of the system."""
_VENDORED = re.compile(
    r"(?:^|/)(?:\.git|\.hg|\.tox|\.nox|\.venv|venv|env|__pycache__|node_modules|bower_components"
    r"|site-packages|_?vendor(?:ed)?|third[-_]?party|external|extern|Pods|\.yarn|target"
    r"|\.eggs|[^/]+\.egg-info|[^/]+\.dist-info|\.next|\.nuxt|\.terraform)/"
)
_GENERATED_MARK = re.compile(
    r"(?:@generated|code generated .{0,80}do not edit|auto-?generated(?: file| code| by| from)"
    r"|do not edit(?: this file)? (?:by hand|directly|manually))",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"(?:^|/)(?:prompts?|system[-_]prompts?|agents?/prompts?)/.*\.(?:md|txt|ya?ml|j2|jinja2?|tmpl"
    r"|mustache"
    r"|hbs|json)$|\.prompt(?:y|\.\w+)?$|(?:^|[/_-])(?:system[-_]?)?prompts?\.(?:md|txt|ya?ml|j2"
    r"|jinja2?)$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt)$"
    r"|(?:^|/)(?:LICEN[CS]E|README|SECURITY|PRIVACY|NOTICE|CHANGELOG|CODEOWNERS)$",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"\.(?:html?|xhtml|jinja|njk|ejs|hbs|handlebars|mustache|pug|jade|twig|liquid|erb|haml|slim"
    r"|cshtml"
    r"|razor|jsp|ftl|heex|eex|astro|gohtml|mako)$|\.html?\.(?:j2|jinja2?|tmpl|tpl|erb)$"
    r"|(?:^|/)(?:templates|views)/.*\.(?:jinja2|tmpl|tpl)$",
    re.IGNORECASE,
)
_MADE_FROM = re.compile(
    r"\.(?:md|rst|txt|toml|ya?ml|json|[jt]sx?|py)\.(?:j2|jinja2?|tmpl|tpl|ejs|hbs|mustache)$",
    re.IGNORECASE,
)
"""Of what becomes a file of another project nobody here is shown anything."""
_WRITTEN_DOCS = re.compile(r"(?:^|/)(?:docs?|coverage|htmlcov|javadoc|site|_build)/", re.IGNORECASE)
"""Pages about a program, most of them made from its sources."""
_PROGRAMS = SOURCE_LANGUAGES - {"nix"}
_UNREADABLE = re.compile(
    r"\.(?:clj[cs]?|erl|f9[05]|fsx?|jl|mm?|mojo|mli?|p[lm]|r|rmd|sas|vb)$",
    re.IGNORECASE,
)
"""Programs in languages that have no grammar here, most of them used for models and statistics."""
_SETTINGS = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|properties|env|tf|hcl|json|nix|csv|tsv|sql|prisma)$|(?:^|/)(?:Dockerfile|Makefile"
    r"|Procfile|crontab[^/]*|logrotate\.d/[^/]+|\.env[^/]*)$|\.(?:cron|crontab|timer)$",
    re.IGNORECASE,
)


_DIARY = re.compile(
    r"(?:^|/)(?:HISTORY|CHANGE(?:S|LOG)|RELEASES?|RELEASE[-_]NOTES|NEWS|changelog(?:[-_.][\w.-]+)?)(?:\.\w+)?$|/_posts/|(?:^|/)blog/"
    r"|(?:^|/)(?:changelog|changes|news|releases?|release[-_]notes)(?:\.d)?/"
    r"|(?:^|/)[^/]*advisor(?:y|ies)[^/]*$",
    re.IGNORECASE,
)
"""What was changed, announced or mended once: it says nothing of how the system is run."""


def is_diary(path: str) -> bool:
    """Whether a page tells what was changed or announced once, and not how the product is."""
    return _DIARY.search(path) is not None


def detect_role(path: str) -> Role:
    """What the file at a path, relative and with "/", is for."""
    if _EXAMPLES.search(path) or _ASSISTANTS.search(path) or _SHOWING.search(path):
        return Role.EXAMPLE
    if is_test(path):
        return Role.TEST
    if _PROMPT.search(path):
        return Role.PROMPT
    if _DOCUMENT.search(path):
        return Role.DOCUMENT
    if detect_language(path) in _PROGRAMS or detect_form(path) or _UNREADABLE.search(path):
        return Role.TEST if _MEASURING.search(path) else Role.CODE
    if _PAGE.search(path):
        unseen = _WRITTEN_DOCS.search(path) or _MADE_FROM.search(path)
        return Role.OTHER if unseen else Role.PAGE
    return Role.SETTINGS if _SETTINGS.search(path) else Role.OTHER


def detect_grammar(path: str) -> str | None:
    """What the code in a file is read as: a key of SHAPES or a form of `embedded`, else None."""
    language = detect_language(path)
    return detect_form(path) or (language if language in SHAPES else None)


def is_foreign(path: str) -> bool:
    """Whether a file was written by somebody else, or by a program, as its path tells."""
    return _VENDORED.search(path) is not None or is_generated(path)


def has_generated_marker(head: str) -> bool:
    """Whether the first lines of a text say that a program wrote it."""
    return _GENERATED_MARK.search(head) is not None
