"""Which grammar a file is written in, by its name or its first line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_EXTENSIONS = {
    "bash": "bash bats ksh sh zsh",
    "c": "c h",
    "cpp": "cc cpp cu cxx c++ hh hpp hxx h++ ino ipp tpp",
    "csharp": "cs csx",
    "css": "css",
    "dart": "dart",
    "elixir": "ex exs",
    "go": "go",
    "haskell": "hs",
    "hcl": "hcl tf tfvars",
    "html": "htm html xhtml",
    "java": "java",
    "javascript": "cjs es6 js jsm jsx mjs",
    "json": "json",
    "kotlin": "kt ktm kts",
    "lua": "lua",
    "markdown": "markdown md",
    "nix": "nix",
    "php": "php phtml",
    "python": "bzl py py3 pyi pyw wsgi",
    "ruby": "gemspec podspec rake rb ru",
    "rust": "rs",
    "scala": "sbt sc scala",
    "solidity": "sol",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "cts mts ts",
    "yaml": "yaml yml",
}

_NAMES = {
    "bash": ".bash_aliases .bash_logout .bash_profile .bashrc .envrc .profile .zshrc PKGBUILD",
    "python": "BUILD BUILD.bazel SConscript SConstruct WORKSPACE wscript",
    "ruby": ".irbrc Brewfile Capfile Gemfile Guardfile Podfile Rakefile Vagrantfile",
    "yaml": ".clang-format .clang-tidy CITATION.cff",
}

_INTERPRETERS = {
    "bash": "ash bash dash ksh sh zsh",
    "elixir": "elixir",
    "haskell": "runghc runhaskell stack",
    "javascript": "bun deno node nodejs",
    "lua": "lua luajit",
    "php": "php",
    "python": "pypy python uv",
    "ruby": "jruby ruby",
    "scala": "scala",
    "swift": "swift",
    "typescript": "ts-node tsx",
}

_LOCK_FILES = frozenset(
    {
        "Cargo.lock",
        "Gemfile.lock",
        "Pipfile.lock",
        "composer.lock",
        "flake.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "packages.lock.json",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "yarn.lock",
    }
)
"""Written by package managers, often megabytes long: nothing in them is worth a grammar."""


_WITHOUT_GRAMMAR = (
    "asp aspx clj cljs coffee cshtml ejs erb fs ftl gohtml groovy haml hbs jade jsp"
    " jspf jspx pl pm pug pxd pyx r razor tag templ twig vb vm"
)
"""Ends the names of programs, and of pages with programs in them, that no grammar here reads."""


_TEMPLATES = "ejs erb gohtml handlebars hbs j2 jinja jinja2 jsp jspf jspx njk tag tmpl twig"
"""Ends the names of pages with programs in them, of which the lines are looked at."""

_PAGES = "htm html xhtml"

_PAGE_ENDINGS = frozenset(f"{_TEMPLATES} {_PAGES} mustache".split())

_COMPUTING = re.compile(r"\{\{|\{%|<%|\$\{|\s(?:th:|v-)\w+\s*=|\s[\[(]\w+[\])]\s*=", re.IGNORECASE)
"""What in a page says that it computes something outside of its scripts."""

_LINES_ALONE = (
    "its scripts are read, and what it puts into the page unescaped is looked for line by line"
)


def is_page(path: str) -> bool:
    """Whether a file of that name is a page, or a template of one."""
    return path.rpartition(".")[2].lower() in _PAGE_ENDINGS


def explain_ungrammared(path: str, text: str | None = None) -> str:
    """Why no rule about code has read all of a file that holds a program; empty if it may have.

    `text` is its content, if that is at hand: not every page and template computes something.
    """
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    ending = extension.lower() if dot else ""
    if ending in _TEMPLATES.split():
        is_program = ending in _WITHOUT_GRAMMAR.split() or _is_computing(text)
        return f"no grammar here reads `.{extension}`, {_LINES_ALONE}" if is_program else ""
    if ending in _PAGES.split():
        said = f"{_LINES_ALONE}, what else it computes is not read"
        return said if _is_computing(text) else ""
    is_program = ending in _WITHOUT_GRAMMAR.split()
    return f"no grammar here reads `.{extension}`" if is_program else ""


def _is_computing(text: str | None) -> bool:
    return text is not None and _COMPUTING.search(text) is not None


def _invert(table: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(
        {word: language for language, words in table.items() for word in words.split()}
    )


_BY_EXTENSION = _invert(_EXTENSIONS)
_BY_NAME = _invert(_NAMES)
_BY_INTERPRETER = _invert(_INTERPRETERS)

LANGUAGES = frozenset(_EXTENSIONS)
"""Every language that has a grammar, by ast-grep's names."""

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([a-z-]+)")
_LONGEST_SHEBANG = 256
"""Characters of a first line that are looked at: Linux reads no more of it either."""


UNSEEN: tuple[str | None, ...] = (None, *sorted(_INTERPRETERS))
"""What a file may be written in whose name does not tell and whose first line nobody has seen."""


def is_language_named(path: str) -> bool:
    """Whether the name of a file decides its language, so that its first line is not looked at."""
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return name in _LOCK_FILES or name in _BY_NAME or bool(dot and stem)


def detect_language(path: str, first_line: str = "") -> str | None:
    """ast-grep's name for the language of the file at `path`, None if it has no grammar for it.

    The name decides; `first_line` is looked at for an interpreter if the name has no extension.
    A package manager's lock file has no language.
    """
    name = path.rpartition("/")[2]
    if name in _LOCK_FILES:
        return None
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    # A name that begins with its only dot, as `.bashrc`, has no extension.
    if dot and stem:
        return _BY_EXTENSION.get(extension) or _BY_EXTENSION.get(extension.lower())
    shebang = _SHEBANG.match(first_line[:_LONGEST_SHEBANG])
    return _BY_INTERPRETER.get(shebang[1]) if shebang else None
