"""Globs of one meaning everywhere; tests and generated files, told by their paths."""

from __future__ import annotations

import re
from functools import lru_cache

import bracex  # what wcmatch takes braces apart with
from wcmatch import glob

from jurat.source.languages import LANGUAGES

_NO_SOURCE = frozenset({"css", "hcl", "html", "json", "markdown", "yaml"})
SOURCE_LANGUAGES = LANGUAGES - _NO_SOURCE
"""Languages that programs are written in; the others describe data, pages and documents."""

_TEST_FOLDERS = (
    "__tests__",
    "cypress",
    "e2e",
    "spec",
    "specs",
    "test",
    "testdata",
    "tests",
)
_TEST_FILES = (
    r"test_[^/]*\.pyi?",
    r"[^/]*_test\.(?:py|go|rb|exs?|cc|cpp|c|dart|php|lua)",
    r"[^/]*_(?:spec\.rb|unittest\.(?:cc|cpp))",
    r"conftest\.py",
    r"[^/]*\.(?:test|spec|e2e|cy)\.[cm]?[jt]sx?",
    r"[^/]*(?:Test|Tests|TestCase|IT|Spec|Specs)\.(?:java|kts?|scala|groovy|cs|swift|php)",
    r"(?:[^/]*\.)?bats",
)
_TEST = re.compile(
    rf"(?:^|/)(?:(?:{'|'.join(_TEST_FOLDERS)})/|src/\w*[tT]est\w*/|(?:{'|'.join(_TEST_FILES)})$)"
)

_GENERATED_FOLDERS = (
    "bower_components",
    "dist",
    "generated",
    "node_modules",
    "third_party",
    "vendor",
    "__generated__",
)
_GENERATED_FILES = (
    r"[^/]*\.min\.(?:js|css)",
    r"[^/]*\.(?:pb|pb\.gw)\.go",
    r"[^/]*_pb2(?:_grpc)?\.pyi?",
    r"[^/]*\.pb\.(?:cc|h)",
    r"[^/]*\.(?:g|freezed)\.dart",
    r"[^/]*\.(?:generated|designer|g)\.(?:cs|ts|js)",
    r"[^/]*_generated\.\w+",
)
_GENERATED = re.compile(
    rf"(?:^|/)(?:(?:{'|'.join(_GENERATED_FOLDERS)})/|(?:{'|'.join(_GENERATED_FILES)})$)"
)


def is_test(path: str) -> bool:
    """Whether a file is a test, or stands with the tests."""
    return _TEST.search(path) is not None


def is_generated(path: str) -> bool:
    """Whether a file was written by a program, or by somebody else."""
    return _GENERATED.search(path) is not None


# Path globs of one meaning everywhere: `**` crosses folders, `*` does not, {a,b} is a choice.

# DOTGLOB: `.github/**` and what lies in it must not escape a rule about `**`. CASE: a rule means
# the same paths on every system.
_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.CASE

_MAX_CHOICES = 1000  # wcmatch's own limit, at which it raises


@lru_cache(maxsize=16_384)
def compile_glob(pattern: str) -> glob.WcMatcher[str]:
    """The pattern, compiled. It raises what wcmatch raises if its braces mean too many."""
    return glob.compile(pattern, flags=_FLAGS)


def match_glob(pattern: str, path: str) -> bool:
    """Whether a path, relative and with "/", is one that the pattern means."""
    # A review asks hundreds of globs about few paths, and to compile a glob costs more than all
    # else: so each choice of its braces is compiled by itself, if its words stand in the path.
    # Plain loops: as generators inside each other they take twice as long, for each rule and file.
    for choice, words in _list_choices(pattern):
        for word in words:
            if word not in path:
                break
        else:
            if compile_glob(choice).match(path):
                return True
    return False


@lru_cache(maxsize=16_384)
def _list_choices(pattern: str) -> tuple[tuple[str, list[str]], ...]:
    """What the braces of a pattern mean, each with words that stand in every path it means."""
    try:
        choices = list(
            bracex.iexpand(pattern, keep_escapes=True, limit=_MAX_CHOICES, return_empty=True)
        )
    except (bracex.ExpansionLimitException, ValueError):
        choices = [pattern]
    return tuple((choice, _list_fixed_words(choice)) for choice in choices)


def _list_fixed_words(choice: str) -> list[str]:
    return [] if any(special in choice for special in "{[\\") else re.findall(r"\w+", choice)
