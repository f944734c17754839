"""Globs of one meaning everywhere; tests and generated files, told by their paths."""

from __future__ import annotations

import re
from functools import lru_cache

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

# DOTGLOB: `.github/**` and what lies in it must not escape a rule about `**`.
_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB


@lru_cache(maxsize=16_384)
def _compile_glob(pattern: str) -> glob.WcMatcher[str]:
    return glob.compile(pattern, flags=_FLAGS)


def match_glob(pattern: str, path: str) -> bool:
    """Whether a path, relative and with "/", is one that the pattern means."""
    return _compile_glob(pattern).match(path)
