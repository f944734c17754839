"""What a rule can have computed: constraints over facts, and over the code that is added."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Protocol, Self, cast

import re2
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from jurat.rules.flows import ONE_OR_LIST, FlowConstraint, SettingConstraint
from jurat.rules.validation import StrictModel, suggest
from jurat.source.languages import LANGUAGES

Operator = Literal["<", "<=", "==", "!=", ">=", ">"]

_SEGMENT = r"[^.\[\]]+(?:\[(?:[0-9]+|\*)\])*"
_FIELD_PATH = re.compile(rf"{_SEGMENT}(?:\.{_SEGMENT})*")


def _check_field_path(path: str) -> str:
    if not _FIELD_PATH.fullmatch(path):
        problem = f"{path!r} is no field path: write it as change.functions[*].complexity"
        raise ValueError(problem)
    return path


FieldPath = Annotated[str, AfterValidator(_check_field_path)]
"""Keys joined with ".", list items as [0] and all of them as [*]: `change.functions[*].length`."""


_ALIASES = {
    "c++": "cpp", "c#": "csharp", "cs": "csharp", "ex": "elixir", "golang": "go", "hs": "haskell",
    "js": "javascript", "jsx": "javascript", "kt": "kotlin", "md": "markdown", "py": "python",
    "rb": "ruby", "rs": "rust", "sh": "bash", "sol": "solidity", "terraform": "hcl",
    "ts": "typescript", "yml": "yaml",
}  # fmt: skip


def find_language(name: str) -> str:
    """ast-grep's name for a language that people call `name`. Raises ValueError if unknown."""
    known = _ALIASES.get(name.lower(), name.lower())
    if known not in LANGUAGES:
        problem = f"unknown language {name!r}; {suggest(sorted(LANGUAGES), name.lower())}"
        raise ValueError(problem)
    return known


Language = Annotated[str, AfterValidator(find_language)]
"""A language that has a grammar. Common aliases ("js", "TypeScript") are understood."""


def to_moment(value: object) -> dt.date | dt.datetime | None:
    """A date or a time in ISO 8601, or None for anything else."""
    if isinstance(value, dt.date):
        return value
    if not isinstance(value, str):
        return None
    try:
        return dt.date.fromisoformat(value)
    except ValueError:
        pass
    try:
        return dt.datetime.fromisoformat(value)
    except ValueError:
        return None


def _check_size(number: Decimal) -> Decimal:
    if abs(number.adjusted()) > 60:
        problem = "has more than 60 digits before or after the point"
        raise ValueError(problem)
    return number


def _check_reference(value: object) -> object:
    moment = to_moment(value)
    if moment is not None:
        return moment
    if not isinstance(value, str) or value[:1].isdigit():
        problem = "must be a date such as 2027-01-31 or 2027-01-31T18:00:00+01:00, or a field path"
        raise ValueError(problem)
    return _check_field_path(value)


class _SpokenConstraint(StrictModel):
    """Whatever finds something. `message` says what is wrong there, ahead of the rule's own."""

    message: str | None = None


class NumericConstraint(_SpokenConstraint):
    """Every number found at `field_path` compares with `threshold`, which is in `unit`.

    With `baseline: base` it is a ratchet: a number that does not hold passes all the same if it
    stood so in the base already, and is no worse now.
    """

    type: Literal["numeric"]
    field_path: FieldPath
    operator: Operator
    threshold: Annotated[Decimal, AfterValidator(_check_size)]
    unit: str | None = None
    baseline: Literal["base"] | None = None


class DateConstraint(_SpokenConstraint):
    """Every date found at `field_path` compares with `reference_date`, a date or a field path.

    If either side is a date without a time, the calendar dates compare, a time's being the one
    in its own zone. Two times compare as instants, or as clock times if neither has a zone.
    """

    type: Literal["date"]
    field_path: FieldPath
    operator: Operator
    reference_date: Annotated[dt.datetime | dt.date | str, BeforeValidator(_check_reference)]


class EnumConstraint(_SpokenConstraint):
    """Every value found at `field_path` is one of `allowed_values`, of the same type."""

    type: Literal["enum"]
    field_path: FieldPath
    allowed_values: tuple[str | bool | int | Decimal, ...] = Field(min_length=1)


class LookupComparison(StrictModel):
    """How a fact compares with the value found in the table."""

    field_path: FieldPath
    operator: Operator


class LookupConstraint(_SpokenConstraint):
    """The value at `field_path` has a row in a table, and `compare` holds for the row's result.

    `lookup_table` is a CSV or YAML file, named from the folder of the rule file. Without `compare`
    a value without a row fails; with it, the table does not say, which is indeterminate.
    """

    type: Literal["lookup"]
    field_path: FieldPath
    lookup_table: str
    key_column: str
    result_column: str | None = None
    compare: LookupComparison | None = None

    @model_validator(mode="after")
    def _check_comparison(self) -> Self:
        if self.compare is not None and self.result_column is None:
            problem = "compare needs a result_column to compare with"
            raise ValueError(problem)
        return self


_NAME_WORD = r"(?:[\w$*-]+(?:\(\))?)"
_QUALIFIED_NAME = re.compile(rf"(?:@|\.{{1,2}}/)?(?:{_NAME_WORD}/)*{_NAME_WORD}(?:\.{_NAME_WORD})*")
_PATH_NAME = re.compile(rf"(?:[\w.-]+/)+{_NAME_WORD}(?:\.{_NAME_WORD})*")


def _check_qualified_name(name: str) -> str:
    if not _QUALIFIED_NAME.fullmatch(name) and not _PATH_NAME.fullmatch(name):
        problem = f"{name!r} is no name: write it as subprocess.run, os/exec.Command or eval"
        raise ValueError(problem)
    return name


QualifiedName = Annotated[str, AfterValidator(_check_qualified_name)]
"""A full name as `source.names` gives it, with `*` for one part of it and `**` for any."""


class PatternConstraint(_SpokenConstraint):
    """Code that must not appear in added lines, in ast-grep's rule language.

    `language` names the grammars that the pattern is written for. `rule` is an ast-grep rule
    object, `pattern` its short form; `fix` a template with $METAVARIABLES, `""` to delete.
    `names` are utilities that match what means one of some names in the file (`source.names`).
    `auto_applicable` says that applying the fix is all that needs doing. `consequence` says in a
    sentence what the program does differently then: such a fix is advice, whatever else is said.

    With `removed` it is code that must not go: found is what the change took away while what it
    guarded stays. `instead` is a regular expression (RE2) for a line that may take its place: in
    the same function, route or router, where it runs. With `disguised` it is only found if what it
    matches reads otherwise than it is written (`source.disguises`). With `peers`, a rule for what
    stands beside it, it is only found as an exception: at least two of these for each that is
    found. Beside each other is what has one parent, and the same `$PEER` if both bind it.
    """

    type: Literal["pattern"]
    language: Annotated[
        tuple[Language, ...],
        ONE_OR_LIST,
        Field(min_length=1),
    ]
    rule: Mapping[str, Any] | None = None
    pattern: str | None = None
    constraints: Mapping[str, Any] = Field(default_factory=dict)
    utils: Mapping[str, Any] = Field(default_factory=dict)
    names: Mapping[str, Annotated[tuple[QualifiedName, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    transform: Mapping[str, Any] = Field(default_factory=dict)
    fix: str | None = None
    auto_applicable: bool = True
    consequence: Annotated[str, Field(min_length=1)] | None = None
    removed: bool = False
    instead: Annotated[str, Field(min_length=1)] | None = None
    disguised: bool = False
    peers: Mapping[str, Any] | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """The grammars the pattern is written for."""
        return self.language

    @property
    def is_fixed_by_itself(self) -> bool:
        """Whether its fix needs nobody's look."""
        return self.auto_applicable and self.consequence is None

    @model_validator(mode="after")
    def _check_consequence(self) -> Self:
        if self.consequence is not None and self.fix is None:
            raise ValueError("consequence is one of a fix: give the fix, too")
        return self

    @model_validator(mode="after")
    def _check_removed(self) -> Self:
        if self.removed and self.fix is not None:
            raise ValueError("what was removed has no fix: it is put back")
        if self.instead is not None and not self.removed:
            raise ValueError("instead belongs to removed: true")
        if self.removed and self.peers is not None:
            raise ValueError("what was removed has no peers")
        return self

    @model_validator(mode="after")
    def _check_one_matcher(self) -> Self:
        if (self.rule is None) == (self.pattern is None):
            problem = "needs either pattern (code) or rule (an ast-grep rule), and not both"
            raise ValueError(problem)
        return self


class RegexConstraint(_SpokenConstraint):
    """Text that must not appear in an added line, in RE2's syntax.

    With `unless` what it matches does not count if that matches in it. With `followed_by` it counts
    only if that stands behind it, there or in the added lines below.
    In files of the globs `whole_key_in` it counts only if it begins all of a private key, whose
    letters do not begin as one of `known_keys`.
    """

    type: Literal["regex"]
    pattern: str = Field(min_length=1)
    unless: str = ""
    followed_by: str = ""
    whole_key_in: tuple[str, ...] = ()
    known_keys: tuple[str, ...] = ()


class OrderConstraint(_SpokenConstraint):
    """The steps at `field_path` happen in the order of `steps`: none before all that precede it.

    Steps are text, or mappings with a `name`, `step`, `action` or `id`. Those that the rule does
    not name may stand anywhere; a step of the rule that has not happened yet breaks nothing.
    """

    type: Literal["order"]
    field_path: FieldPath = "steps"
    steps: tuple[str, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _check_distinct(self) -> Self:
        if len(set(self.steps)) != len(self.steps):
            problem = "steps must name each step once"
            raise ValueError(problem)
        return self


FactConstraint = NumericConstraint | DateConstraint | EnumConstraint | LookupConstraint
CodeConstraint = PatternConstraint | RegexConstraint | FlowConstraint | SettingConstraint

Constraint = Annotated[
    FactConstraint | CodeConstraint | OrderConstraint, Field(discriminator="type")
]


def _detect_precondition_form(value: object) -> str:
    return "text" if isinstance(value, str) else "constraint"


Precondition = Annotated[
    Annotated[Constraint, Tag("constraint")] | Annotated[str, Tag("text")],
    Discriminator(_detect_precondition_form),
]


# Regular expressions by RE2, whose library ships no types. They take linear time: a rule's author
# and a change's must not be able to stop the server between them. https://github.com/google/re2

_MAX_MEMORY = 8 << 20
"""RE2's own default bound on a compiled expression, in bytes."""


class LinearRegex(Protocol):
    """A compiled expression over UTF-8 bytes. Its matches are as the standard library's.

    `groupindex` has the numbers of its named groups, `pattern` what it was compiled from.
    """

    groupindex: Mapping[bytes, int]
    pattern: bytes

    def search(self, text: bytes, /) -> re.Match[bytes] | None:
        """The first match."""

    def finditer(self, text: bytes, /) -> Iterator[re.Match[bytes]]:
        """All matches that do not overlap, in order."""


def compile_regex(pattern: str) -> LinearRegex:
    """The expression that `pattern` writes. Raises re2.error."""
    options = re2.Options()
    # RE2 writes to stderr otherwise, which is the command's.
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    return cast("LinearRegex", re2.compile(pattern.encode(), options))


def lint_regex(pattern: str, everything: str) -> str | None:
    """Why nothing may be looked for by `pattern`; None if it is fine.

    RE2 refuses it, or it matches the empty text and so `everything`, which is a noun phrase.
    """
    try:
        matches_all = compile_regex(pattern).search(b"") is not None
    except re2.error as error:
        cause = error.args[0] if error.args else error
        detail = cause.decode(errors="replace") if isinstance(cause, bytes) else cause
        return f"not a regular expression for RE2: {detail}"
    return f"matches the empty text, and so {everything}" if matches_all else None
