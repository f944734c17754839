# ruff: noqa: E501, SIM905 -- word lists and long rows read best as they are
"""Names are plain English: functions begin with a verb, classes are nouns, and one word means one thing.

docs/glossary.md says which word is meant; this only keeps the old dictionary from coming back. A list
here is open: a good verb that is missing is a line to add.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.sources import parse_source

JURAT = Path(__file__).parents[2] / "bot" / "jurat"

VERBS = frozenset(
    """
    accept adapt add admit aggregate align allow anchor annotate append apply ask assemble assign
    attach attempt audit authorize auto await backtest beat begin bind blank build call cancel cap
    carry change check choose claim classify clean clear close cluster collect combine commit
    compare compile complete compute concatenate conclude configure confirm construct count create
    cut decide decode decompose dedent delete deliver deny derive describe detach detect diff
    digest dismiss do downgrade drain draw drop dump edit embed encode end enqueue ensure enter
    escape estimate evaluate exchange exclude execute exit expand explain extend extract fail fetch
    fill filter find fit flatten flush fold follow for forget format freeze from gather get give
    group guard hand handle hold identify include infer inline insert invert iter join judge keep
    lease leave limit lint list listen load locate look loop make map mark mask match measure meet merge
    miss narrow normalize note number open override pack pair parse pause pick place plan pluralize
    pop post prepare press print process propagate publish put quote raise rank rate react read
    rebuild recall receive recheck reconcile record redact redeliver refuse register reject release
    remember remove render repeat replace replay reply report requeue require rerank resolve
    restate restore resume retry return review round run save scan score search select send
    serialize serve set settle shift shorten show sign skip sleep slice spell split spread squeeze
    start stop stretch strike strip subtract suggest sum summarize swap take tell terminate tick to
    transact translate try unescape unquote update upgrade validate verify wait wake walk warn
    watch widen with wrap write
    """.split()
)
"""What a function may begin with; `from`, `to` and `for` convert."""

PREDICATES = frozenset({"are", "can", "fits", "has", "is", "needs"})
"""What a function begins with that answers yes or no, and so returns a bool."""

NO_NOUNS = frozenset(
    "again alone at beside by each first having of only out over same then together within without".split()
)
"""Words that a noun phrase does not begin with."""

NOUNS = frozenset(
    "anything binding changed closed ending finding listing mapping opening ping rating recording requested setting sighting string tracing".split()
)
"""Nouns that end as a participle does."""

BANNED = frozenset(
    "asking bury case corpus exhibit heard listening material obey obeying occasion outside shown standing"
    " telling told unearned".split()
)
"""Words of the dictionary that only its authors could speak."""

BANNED_VARIABLES = BANNED - {"case"}
"""The same for variables, parameters and fields: a test has cases, and so has a letter."""

EXEMPT_DECORATORS = ("property", "override", "fixture", "register_rule", "setter")
"""Properties read as nouns; others fixed the name of what is overridden or registered by name."""

EXCEPTIONS = {
    "GitHub._request": "a library's name for it",
    "_files": "the word of a command, or the command line itself",
    "_row": "the word of a command, or the command line itself",
    "analytics": "the id of an operation in the API",
    "applicable_rules": "the id of an operation in the API",
    "banking_rules": "fixed by the seeds",
    "database_options": "the word of a command, or the command line itself",
    "decision_rationale_rules": "fixed by the seeds",
    "demo": "the word of a command, or the command line itself",
    "docs": "the word of a command, or the command line itself",
    "doctor": "the word of a command, or the command line itself",
    "evaluation": "the id of an operation in the API",
    "groundlens_banking_rules": "fixed by the seeds",
    "main": "the word of a command, or the command line itself",
    "openapi": "the id of an operation in the API",
    "options": "the word of a command, or the command line itself",
    "verdict_rationale_rules": "fixed by the seeds",
    "work": "the word of a command, or the command line itself",
}
"""Functions that do not begin with a verb, and why."""

BANNED_EXCEPTIONS: dict[str, str] = {
    "CasePoint": "a field of the seeds",
    "CaseScore": "a field of the seeds",
    "WorstCase": "a field of the seeds",
    "fold_case": "the case of a letter",
}
"""Names that hold a banned word all the same, and why."""

SHARED_CLASSES = frozenset({"RuleSet"})
"""Public class names that two modules may have: audit's `RuleSet` was fixed before ours."""


def list_words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    spread = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return [word for word in spread.split("_") if word]


def iter_names(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Each class and function of a module or class by its dotted name; what is inside a function is its own."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"{inside}{node.name}", node
            yield from iter_names(node.body, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{inside}{node.name}", node
        elif isinstance(node, ast.If | ast.Try):
            yield from iter_names(node.body, inside)


def is_exempt(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether nobody here chose the name."""
    if node.name.startswith("__"):
        return True
    return any(
        ast.unparse(decorator).partition("(")[0].endswith(EXEMPT_DECORATORS)
        for decorator in node.decorator_list
    )


def has_participle(words: list[str]) -> bool:
    """Whether a name tells of something done or being done, which is neither a verb nor a noun."""
    return any(word.endswith(("ing", "ed")) and word not in NOUNS for word in words)


def is_query(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is a public method that is called by what it gives: `judge.model_id(tier)`.

    Another way to construct a class (`PathIndex.of`) and what a `with` is about
    (`database.reading()`) are called by one word of any kind, as in the standard library.
    """
    owner, _, own = name.rpartition(".")
    if not owner or own.startswith("_"):
        return False
    decorators = {ast.unparse(item).rpartition(".")[2] for item in node.decorator_list}
    if decorators & {"classmethod", "contextmanager", "asynccontextmanager"}:
        return True
    words = list_words(own)
    return words[0] not in NO_NOUNS and not has_participle(words)


def find_problem(name: str, node: ast.stmt) -> str:
    """What is wrong with the name of a class or function, "" if nothing is."""
    words = list_words(name.rpartition(".")[2])
    if banned := BANNED.intersection(words):
        return f"holds {', '.join(sorted(banned))}" if name not in BANNED_EXCEPTIONS else ""
    if isinstance(node, ast.ClassDef):
        if has_participle(words[-1:]):
            return f"ends in {words[-1]}, which is no noun"
        return ""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if is_exempt(node) or name in EXCEPTIONS:
        return ""
    if words[0] in PREDICATES:
        answers = "" if node.returns is None else ast.unparse(node.returns)
        return (
            "" if "bool" in answers or "TypeGuard" in answers else f"answers {answers or 'nothing'}"
        )
    if words[0] in VERBS or is_query(name, node):
        return ""
    return f"begins with {words[0]}, which is no verb of the list"


def iter_variables(tree: ast.Module) -> Iterator[str]:
    """Each variable, parameter and field of a module by its own name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def find_problems(source: str, module: str) -> list[str]:
    """What is wrong with the names of a module."""
    tree = ast.parse(source)
    found = [
        f"{module}.{name} {problem}"
        for name, node in iter_names(tree.body, "")
        if (problem := find_problem(name, node))
    ]
    found += [
        f"{module} has a variable {name}"
        for name in sorted({*iter_variables(tree)})
        if BANNED_VARIABLES.intersection(list_words(name)) and name not in BANNED_EXCEPTIONS
    ]
    if banned := BANNED.intersection(list_words(module.replace(".", "_"))):
        found.append(f"{module} holds {', '.join(sorted(banned))}")
    return found


def list_modules() -> list[Path]:
    """All modules but the migrations, whose names are their history."""
    return [path for path in sorted(JURAT.rglob("*.py")) if "migrations" not in path.parts]


def to_module(path: Path) -> str:
    """The dotted name of a module below the package."""
    return ".".join(path.relative_to(JURAT).with_suffix("").parts)


def test_names_are_plain_english() -> None:
    problems = [
        problem
        for path in list_modules()
        for problem in find_problems(path.read_text(encoding="utf-8"), to_module(path))
    ]
    assert problems == []


def test_no_public_class_name_twice() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in list_modules():
        for node in parse_source(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(to_module(path))
    twice = {name: found for name, found in homes.items() if len(found) > 1}
    assert set(twice) <= SHARED_CLASSES, twice


def test_exceptions_are_sorted_and_all_needed() -> None:
    names = {name for path in list_modules() for name, _ in iter_names(parse_source(path).body)}
    for table in (EXCEPTIONS, BANNED_EXCEPTIONS):
        assert list(table) == sorted(table)
        assert set(table) <= names


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def named(x): ...", "begins with named"),
        ("def verdict_of(x): ...", "begins with verdict"),
        ("class A:\n    def _told(self): ...", "A._told holds told"),
        ("async def told(): ...", "told holds told"),
        ("def find_exhibit(): ...", "holds exhibit"),
        ("class Reviewed: ...", "ends in reviewed"),
        ("class Outside: ...", "holds outside"),
        ("def is_open() -> str: ...", "answers str"),
        ("if True:\n    def shortened(): ...", "begins with shortened"),
        ("class A:\n    def concluded(self): ...", "begins with concluded"),
        ("class A:\n    def again(self): ...", "begins with again"),
        ("class A:\n    def _limits(self): ...", "begins with limits"),
        ("def find_rule(corpus): ...", "variable corpus"),
        ("class A:\n    standing: str", "variable standing"),
    ],
)
def test_lint_finds(source: str, problem: str) -> None:
    (found,) = find_problems(source, "m")
    assert problem in found


def test_lint_finds_a_module_that_is_called_by_a_banned_word() -> None:
    assert find_problems("", "app.occasion") == ["app.occasion holds occasion"]


@pytest.mark.parametrize(
    "source",
    [
        "def find_rule() -> str: ...",
        "def is_open() -> bool: ...",
        "class A:\n    @property\n    def named(self): ...\n    def __len__(self): ...",
        "def run():\n    def named(): ...",
        "class A:\n    def model_id(self, tier): ...",
        "class A:\n    @classmethod\n    def of(cls): ...",
        "class A:\n    @asynccontextmanager\n    async def reading(self): ...",
    ],
)
def test_lint_allows(source: str) -> None:
    assert find_problems(source, "m") == []
