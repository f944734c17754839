"""What RECON looks for: the signals and their probes, read strictly from rules/recon.yml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, Self

import bracex
from pydantic import Field, model_validator

from jurat.errors import RuleError
from jurat.rating.signals.file_roles import Role
from jurat.rating.texts.account_table import ACCOUNTS
from jurat.resources import get_bundled_path
from jurat.rules.compiled_files import READING_ROOMS, recall_or_make
from jurat.rules.constraints import LinearRegex, compile_regex, lint_regex
from jurat.rules.lint import lint_glob
from jurat.rules.validation import StrictModel, raise_errors, validate_document
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import parse_yaml

ROOMS = (*READING_ROOMS, "rating")
"""Whose code reads the files by which is rated."""

EXPRESSIONS = ("prompts", "texts", "documents", "settings")
NAMES = ("calls", "defines", "names", "keys")
_KINDS = ("imports", *NAMES, *EXPRESSIONS, "meets", "files", "accounts", "behaviours")

_WEIGHING = (
    r"\b(?:rate|score|rank|grade|mark|assess|evaluate|judge|screen|shortlist|classify|predict|estimate"
    r"|determine|decide|recommend|approve|deny|reject|grant|refuse)\b[^.?!]{0,40}\b(?:%s)\b",
    r"\b(?:should|would|will|is|are) (?:we |I |you )?(?:\w+ )?(?:the|this|that|these|an?) "
    r"[^.?!]{0,40}\b(?:%s)\b[^.!?]{0,80}\?",
    r"\bwhether (?:to )?(?:\w+ )?(?:the|this|that|these|an?) [^.?!]{0,40}\b(?:%s)\b",
)
"""Expressions for a prompt that weighs somebody, by an order or in a question."""


ProbeKey = tuple[str, int]
"""A probe: its signal, and its number there, from 0."""


class SignalPattern(StrictModel):
    """Things of which each shows the same. Its signal gains `weight` once, however many hold.

    `imports` are modules, and stand for all inside them. `calls` are dotted ends of what is called
    or used as a decorator; `*.` before one is for the reader, as anything may stand there.
    `defines` are names of functions and classes, `names` any identifiers, `keys` whole short
    strings such as a column's name. In these four `*` stands for any number of words, {a,b} is a
    choice, and neither case nor underscores count. `prompts` are expressions over what a model is
    told, `documents` over lines of documents, `settings` over lines of configuration; a blank
    stands for any run of white space, and case does not count. `meets` are groups of expressions
    that must all hold of one text, in any order: first the deed, which the text must not deny, then
    to whom, and to what end.
    `files` are globs.
    `accounts` are what documents, and pages and texts that people are shown, give an account of.
    `behaviours` are things that functions are seen to do, whatever they are called.
    `weighs` is an expression for whom or what a prompt weighs, and stands for such prompts.
    `within` are the roles of files in which imports, calls, names and globs count.
    `names_alone` is for what counts only in languages whose functions are not looked into, as a
    behaviour tells it better in the others.
    """

    weight: float = Field(gt=0, le=1)
    imports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    meets: tuple[tuple[str, ...], ...] = ()
    documents: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    behaviours: tuple[str, ...] = ()
    names_alone: bool = False
    within: tuple[Role, ...] = (Role.CODE,)

    @model_validator(mode="before")
    @classmethod
    def _expand_weighed(cls, given: object) -> object:
        weighed = given.get("weighs") if isinstance(given, dict) else None
        if not isinstance(given, dict) or not isinstance(weighed, str) or not weighed:
            return given
        rest = {key: value for key, value in given.items() if key != "weighs"}
        weighing = [one.replace("%s", weighed) for one in _WEIGHING]
        return {**rest, "prompts": [*rest.get("prompts", ()), *weighing]}

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        if not any(getattr(self, kind) for kind in _KINDS):
            raise ValueError("looks for nothing: give it imports, calls, prompts or files")
        return self


class SignalSource(StrictModel):
    """One signal: what it tells, and by what.

    `proven_by` says what supports it: that code uses a library or says a text (`use`), a behaviour
    alone (`behaviour`), or what a document holds (`document`).
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    tells: str = Field(min_length=1)
    proven_by: Literal["use", "behaviour", "document", "practice"] = "use"
    probes: tuple[SignalPattern, ...]


class ReconTable(StrictModel):
    """All that RECON looks for.

    `library_scopes` are the scopes under which libraries are published, without their `@`: a folder
    of a program that is called so is not what an import from `@scope/` means.
    """

    signals: tuple[SignalSource, ...]
    library_scopes: frozenset[str] = frozenset()


def parse_table(path: str, text: str) -> ReconTable:
    """The table in a file. Raises the first RuleError, at its line, the others in `further`."""
    document = parse_yaml(text, path, RuleError)
    table = validate_document(ReconTable, document, path, RuleError)
    raise_errors(
        RuleError(path, document.line(where), format_key_path(where), problem)
        for where, problem in _find_problems(table)
    )
    return table


@cache
def load_recon_table() -> ReconTable:
    """What the shipped rules/recon.yml says."""
    path, text = "jurat:recon.yml", get_bundled_path("rules", "recon.yml").read_text("utf-8")
    # Each probe is tried when it is read: 200 ms, and 4 to recall it.
    return recall_or_make("recon", {path: text}, lambda: parse_table(path, text), ROOMS)


def compile_expression(pattern: str) -> LinearRegex:
    """The expression that a pattern of the table means. Raises re2.error."""
    return compile_regex(to_regex(pattern))


def to_regex(pattern: str) -> str:
    """The expression that a pattern of the table means, as it is written for RE2."""
    return "(?i)" + pattern.replace(" ", r"\s+")


def _find_problems(table: ReconTable) -> Iterator[tuple[KeyPath, str]]:
    if not table.signals:
        yield ("signals",), "must not be empty"
    seen: set[str] = set()
    for i, source in enumerate(table.signals):
        if source.name in seen:
            yield ("signals", i, "name"), f"the signal {source.name!r} stands twice"
        seen.add(source.name)
        if not source.probes:
            yield ("signals", i, "probes"), "must not be empty"
        for j, probe in enumerate(source.probes):
            for where, problem in _find_probe_problems(probe):
                yield ("signals", i, "probes", j, *where), problem


def _find_probe_problems(probe: SignalPattern) -> Iterator[tuple[KeyPath, str]]:
    for kind in EXPRESSIONS:
        for k, pattern in enumerate(getattr(probe, kind)):
            if problem := lint_regex(to_regex(pattern), "everything"):
                yield (kind, k), problem
    for k, group in enumerate(probe.meets):
        for pattern in group:
            if problem := lint_regex(to_regex(pattern), "everything"):
                yield ("meets", k), problem
    for kind in NAMES:
        for k, name in enumerate(getattr(probe, kind)):
            if not all(part.strip("*_") for part in name.removeprefix("*.").split(".")):
                yield (kind, k), f"{name!r} names everything"
    unknown = ((k, name) for k, name in enumerate(probe.accounts) if name not in ACCOUNTS)
    for k, name in unknown:
        yield ("accounts", k), f"there is no account {name!r}"
    for k, glob in enumerate(probe.files):
        if problem := lint_glob(glob):
            yield ("files", k), problem


# Names compared by their words: `requestApproval`, `request_approval` and `RequestApproval`.

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART = re.compile(r"[^A-Za-z0-9*]+")
_TAIL = re.compile(r"[\w$@]+(?:(?:\.|::|->|\?\.|!!?\.|&\.)[\w$@]+)*$")
_GENERICS = re.compile(r"<[^<>]*>")
_BETWEEN = re.compile(r"\.|::|->|\?\.|!!?\.|&\.")
_LONGEST = 300
"""Characters of a callee that are looked at: a chain of calls can be pages long."""


@lru_cache(maxsize=65_536)
def split_name(name: str) -> str:
    """A name's words in lower case, joined with "_"."""
    return _APART.sub("_", _HUMP.sub("_", name)).strip("_").lower()


@lru_cache(maxsize=65_536)
def split_callee(callee: str) -> tuple[str, ...]:
    """The names in the dotted end of what is called, outermost first, each as `split_name` has it.

    Of `a.b(x).c.d` that is `c` and `d`: what a call gave back has no name.
    """
    bare = _GENERICS.sub("", callee[-_LONGEST:]).rstrip("!? \n")
    tail = _TAIL.search(bare)
    return tuple(split_name(part) for part in _BETWEEN.split(tail[0])) if tail else ()


@cache
def build_name_pattern(wanted: str) -> str:
    """An expression for what `split_name` gives. `*` is any number of words, {a,b} a choice."""
    return f"(?:{'|'.join(map(_build_part_pattern, bracex.expand(wanted)))})"


@cache
def list_literals(wanted: str) -> tuple[str, ...]:
    """Of each choice in a wanted name the longest run of letters without a blank or a star.

    A name that `build_name_pattern` fits has one of them in it, once its "_" are taken out.
    """
    return tuple(
        max("".join(_split_parts(one)).split("*"), key=len) for one in bracex.expand(wanted)
    )


def _build_part_pattern(wanted: str) -> str:
    pattern, word_before = "", False
    for part in _split_parts(wanted):
        if part == "*":
            pattern += "(?:_[a-z0-9]+)*" if word_before else "(?:[a-z0-9]+_)*"
        else:
            starred = pattern.endswith("*")
            pattern += ("_" if word_before and starred else "_?" if word_before else "") + part
            word_before = True
    return pattern


def _split_parts(wanted: str) -> list[str]:
    return split_name(wanted.replace("*", "_*_")).split("_")
