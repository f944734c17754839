"""What the API accepts: strict models, each with its limits and the words for what is wrong."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

from jurat.facts.context import Mode, SubjectKind
from jurat.rules.rule import Modality, Severity
from jurat.rules.validation import StrictModel
from jurat.source.parsing import SIZE_CAP
from jurat.store.analytics import Period

T = TypeVar("T")

MAX_DEPTH = 32
MAX_VALUES = 20_000
"""How deeply facts are nested, and how many keys and values they hold in all."""

Lenient = Annotated[T, Field(strict=False)]
"""What JSON can only write as something else: an enumeration as text, a tuple as a list."""


@dataclass(frozen=True, slots=True)
class StringFormat:
    """A regular expression that a text must fit from end to end, and what to say if it does not.

    The expression is shown in the OpenAPI document, so it keeps to what ECMAScript understands too.
    """

    pattern: str
    problem: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check_text, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}

    def _check_text(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(self.problem)
        return text


_PRINTABLE = StringFormat(r"[^\x00-\x1f\x7f]+", "must not hold control characters")

Word = Annotated[str, Field(min_length=1, max_length=200), _PRINTABLE]
RepositoryName = Annotated[
    str,
    Field(max_length=200),
    StringFormat("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", "must be a name such as acme/shop"),
]
RuleId = Annotated[
    str,
    Field(max_length=128),
    StringFormat("[A-Za-z0-9][A-Za-z0-9._-]*", "must be a rule's id, such as py.weak-hash"),
]
EvaluationId = Annotated[
    str, Field(max_length=64), StringFormat("[A-Za-z0-9-]+", "must be the id of an evaluation")
]


def _normalize_path(path: str) -> str:
    """The path as git writes it, which is how rules mean it: "./src//a.py" is "src/a.py"."""
    folders = path.split("/")
    if path.startswith("/") or "\\" in path or ".." in folders:
        problem = "must be relative to the repository's root, with '/' between folders and no '..'"
        raise ValueError(problem)
    if folders[-1] in ("", "."):
        raise ValueError("must be the path of a file, not of a folder")
    return "/".join(part for part in folders if part not in ("", "."))


Path = Annotated[
    str, Field(min_length=1, max_length=1_024), _PRINTABLE, AfterValidator(_normalize_path)
]


def _check_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that can be walked, shown and kept. Raises ValueError."""
    # A stack of its own: Python's ends at a thousand calls, which a small body can ask for.
    pending: list[tuple[object, int]] = [(facts, 0)]
    seen = 0
    while pending:
        value, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"must not be nested deeper than {MAX_DEPTH} levels")
        if seen > MAX_VALUES:
            raise ValueError(f"must not hold more than {MAX_VALUES:,} keys and values")
        if isinstance(value, dict):
            pending += [(item, depth + 1) for pair in value.items() for item in pair]
        elif isinstance(value, list):
            pending += [(item, depth + 1) for item in value]
        # JSON can write it and UTF-8 cannot: it would fail at the database, long after it was
        # accepted.
        elif isinstance(value, str) and _LONE_SURROGATE.search(value):
            raise ValueError("holds text that is not Unicode: half of a surrogate pair")
    return facts


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Facts = Annotated[dict[str, Any], AfterValidator(_check_facts)]


def _check_day(text: object) -> object:
    """Of the ways to write a date, the one that the OpenAPI document promises."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("must be a date such as 2027-01-31")
    return text


Day = Annotated[dt.date, BeforeValidator(_check_day), Field(strict=False)]


# What the API accepts. These models check each request, and the OpenAPI document shows them.
#
# They are strict: a number in quotes is no number, and a key that nobody knows is an error.

MAX_DIFF = 1_000_000
"""Characters of a diff. github.com shows none that is larger, and this takes about a second."""
MAX_FILES = 1_000
"""Files that are listed beside a diff."""
MAX_TEXT = 10_000
"""Characters of an intent or an action."""


class ApiRequest(StrictModel):
    """A request of whatever kind."""

    model_config = ConfigDict(strict=True, use_attribute_docstrings=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema, in which whatever may be left out may be null, as `_drop_nulls` has it."""
        schema = handler(core)
        whole = handler.resolve_ref_schema(schema)
        for name, described in whole.get("properties", {}).items():
            if name not in whole.get("required", ()) and {"type": "null"} not in described.get(
                "anyOf", ()
            ):
                about = {
                    key: described.pop(key) for key in ("default", "description") & described.keys()
                }
                whole["properties"][name] = {"anyOf": [described, {"type": "null"}], **about}
        return schema

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        """Many clients write null for what they leave out. Facts keep theirs."""
        if not isinstance(data, Mapping):
            return data
        return {
            key: value
            for key, value in data.items()
            if value is not None or key not in cls.model_fields
        }


class RuleFilterRequest(ApiRequest):
    """Which rules are asked for."""

    scope: Word | None = None
    """Rules of this scope, or of a part of it, such as `payments/refunds`."""
    severity_min: Lenient[Severity] = Severity.MEDIUM
    """Rules of at least this severity."""
    modality: Lenient[tuple[Lenient[Modality], ...]] = Field(default=(), max_length=5)
    """Rules of one of these modalities; all, if none is given."""
    tags: Lenient[tuple[Word, ...]] = Field(default=(), max_length=100)
    """Rules with at least one of these tags; all, if none is given."""
    packs: Lenient[tuple[Word, ...]] | None = Field(default=None, max_length=20)
    """The shipped packs that are in force, instead of those that the server has chosen."""
    max_rules: Annotated[int, Field(ge=1, le=100)] = 20
    """How many rules a model may be asked to judge. Rules that are computed always run."""


class SubjectOptions(RuleFilterRequest):
    """What is judged besides its content."""

    repository: RepositoryName | None = None
    """The repository, such as `acme/shop`. It joins the scope, and is a filter in analytics."""
    subject: Lenient[SubjectKind] | None = None
    """What is judged: by default files are a code diff, and facts what the rules that compute with
    them are about, or a decision."""


class FileContent(ApiRequest):
    """A file, with its content if it is to be judged."""

    path: Path
    content: str | None = Field(default=None, max_length=SIZE_CAP)
    """The whole text. A file without it is matched by its path, and counts as not read."""


def _detect_form(value: object) -> str:
    return "path" if isinstance(value, str) else "file"


FileEntry = Annotated[
    Annotated[FileContent, Tag("file")] | Annotated[Path, Tag("path")], Discriminator(_detect_form)
]
"""A path alone, or with the file's content."""


class EvaluateRequest(SubjectOptions):
    """A change, files, facts, or any combination of them."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [{"anyOf": [{"required": [name]} for name in ("diff", "files", "facts")]}]
        }
    )

    diff: str = Field(default="", max_length=MAX_DIFF)
    """A unified diff, as `git diff` prints it."""
    files: Lenient[tuple[FileEntry, ...]] = Field(default=(), max_length=MAX_FILES)
    """Files. One that the diff shows gives the diff its whole text; any other with a content is
    judged as added."""
    facts: Facts = Field(default_factory=dict)
    """Keys and values that describe the situation."""
    intent: str = Field(default="", max_length=MAX_TEXT)
    """What the change or the action is for."""
    mode: Lenient[Mode] = Mode.PREFLIGHT
    """Whether the action is about to happen, or has happened."""

    @model_validator(mode="after")
    def _check_subject(self) -> Self:
        if not self.model_fields_set & {"diff", "files", "facts"}:
            raise ValueError("needs a diff, files or facts")
        paths = [file if isinstance(file, str) else file.path for file in self.files]
        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise ValueError(f"must not name the file {twice!r} twice")
        return self


class QuickRequest(RuleFilterRequest):
    """An action that is no change of code."""

    action: str = Field(min_length=1, max_length=MAX_TEXT)
    """What somebody is about to do, in words. Rules find it in the facts under `action`."""
    facts: Facts = Field(default_factory=dict)
    """Keys and values that describe the situation."""
    mode: Lenient[Mode] = Mode.PREFLIGHT
    """Whether the action is about to happen, or has happened."""

    @model_validator(mode="after")
    def _check_one_action(self) -> Self:
        if "action" in self.facts:
            raise ValueError("must not hold an action among its facts as well")
        return self


class ApplicableRulesRequest(SubjectOptions):
    """Paths of files that somebody is about to change."""

    files: Lenient[tuple[Path, ...]] = Field(max_length=MAX_FILES)
    """The paths."""


class EvaluationKey(ApiRequest):
    """Which evaluation."""

    evaluation_id: EvaluationId
    """The `evaluation_id` of an earlier response."""


class AnalyticsFilter(ApiRequest):
    """What is counted, and by which stretch of time."""

    period: Lenient[Period] = Period.DAY
    """How much time one row covers. A week begins on Monday."""
    since: Day | None = None
    """The first day that counts, in UTC."""
    until: Day | None = None
    """The last day that counts, in UTC."""
    repository: RepositoryName | None = None
    """Evaluations of this repository alone."""
    rule: RuleId | None = None
    """Verdicts of this rule alone."""
    mode: Lenient[Mode] | None = None
    """Evaluations of this mode alone."""

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.since and self.until and self.since > self.until:
            raise ValueError("must not have a since that is later than until")
        return self


class EmptyRequest(ApiRequest):
    """A request that says everything by its path."""
