"""What a file is to RECON, by where it stands: code is evidence, its tests' data is not."""

from __future__ import annotations

import re
from enum import StrEnum

from bot.rating.recon.embedded import form_of
from bot.rating.recon.shapes import SHAPES
from bot.subjects.conventions import SOURCE_LANGUAGES, is_generated, is_test
from bot.subjects.languages import language_of


class Role(StrEnum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    PROMPT = "prompt"
    DOCUMENT = "document"
    SETTINGS = "settings"
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
    r"(?:^|/)(?:__fixtures__|__mocks__|__snapshots__|_?examples?|benchmarks?|cassettes|cookbooks?"
    r"|demos?|fixtures|goldens?|mocks|samples?|snapshots|stubs|test[-_]?data|tutorials?)/",
    re.IGNORECASE,
)
_ASSISTANTS = re.compile(
    r"(?:^|/)(?:\.(?:agents?|claude|codex|cursor|gemini|windsurf)/|\.github/(?:instructions|prompts)/"
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
    r"(?:^|/)(?:prompts?|system[-_]prompts?|agents?/prompts?)/.*\.(?:md|txt|ya?ml|j2|jinja2?|tmpl|mustache"
    r"|hbs|json)$|\.prompt(?:y|\.\w+)?$|(?:^|[/_-])(?:system[-_]?)?prompts?\.(?:md|txt|ya?ml|j2|jinja2?)$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt)$"
    r"|(?:^|/)(?:LICEN[CS]E|README|SECURITY|PRIVACY|NOTICE|CHANGELOG|CODEOWNERS)$",
    re.IGNORECASE,
)
_PROGRAMS = SOURCE_LANGUAGES - {"nix"}
_UNREADABLE = re.compile(
    r"\.(?:clj[cs]?|erl|f9[05]|fsx?|jl|mm?|mojo|mli?|p[lm]|r|rmd|sas|vb)$",
    re.IGNORECASE,
)
"""Programs in languages that have no grammar here, most of them used for models and statistics."""
_SETTINGS = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|properties|env|tf|hcl|json|nix)$|(?:^|/)(?:Dockerfile|Makefile|\.env[^/]*)$",
    re.IGNORECASE,
)


def role_of(path: str) -> Role:
    """What the file at a path, relative and with "/", is for."""
    if _EXAMPLES.search(path) or _ASSISTANTS.search(path):
        return Role.EXAMPLE
    if is_test(path):
        return Role.TEST
    if _PROMPT.search(path):
        return Role.PROMPT
    if _DOCUMENT.search(path):
        return Role.DOCUMENT
    if language_of(path) in _PROGRAMS or form_of(path) or _UNREADABLE.search(path):
        return Role.CODE
    return Role.SETTINGS if _SETTINGS.search(path) else Role.OTHER


def reading_of(path: str) -> str | None:
    """What the code in a file is read as: a key of SHAPES or a form of `embedded`, else None."""
    language = language_of(path)
    return form_of(path) or (language if language in SHAPES else None)


def is_foreign(path: str) -> bool:
    """Whether a file was written by somebody else, or by a program, as its path tells."""
    return _VENDORED.search(path) is not None or is_generated(path)


def says_generated(head: str) -> bool:
    """Whether the first lines of a text say that a program wrote it."""
    return _GENERATED_MARK.search(head) is not None
