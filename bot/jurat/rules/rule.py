"""The rule as an organisation writes it down. Field for field what a rule file may hold."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    model_validator,
)

from jurat.facts.context import SubjectKind
from jurat.rules.constraints import Constraint, Language, Precondition, find_language
from jurat.rules.flows import FlowVocabulary, ValueConstraint
from jurat.rules.level import Enforcement, Level
from jurat.rules.merit import Merit
from jurat.rules.trial import RuleTrial
from jurat.rules.validation import StrictModel
from jurat.source.languages import LANGUAGES
from jurat.source.paths import match_glob

_RULE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)


_WEAKNESS = re.compile(r"\bCWE-[0-9]+\b")

_TRUST = {"maturity", "pin", "family"}
_WORDS = {"tags", "rationale", "examples", "references", "fix", "message", "also_known_as"}
_OF_CONSTRAINTS = {"__all__": {"message", "consequence"}}
_TWIN = re.compile(r"[a-z][a-z0-9_-]*:[A-Za-z0-9@][A-Za-z0-9@/._-]*", re.ASCII)


class RuleInput(StrEnum):
    """What a rule can rest on beside the file that it is judged by."""

    DESCRIPTION = "description"
    CHANGE = "change"
    PULL_REQUEST = "pull_request"
    DEPENDENCIES = "dependencies"


_READ: Mapping[RuleInput, re.Pattern[str]] = MappingProxyType(
    {
        RuleInput.DESCRIPTION: re.compile(
            r"\b(?:descri(?:bed|bes|ption)|pull requests?|merge requests?|titles?|authors?"
            r"|commit messages?|announce[ds]?|explain(?:s|ed)?|stated reasons?)\b",
            re.IGNORECASE,
        ),
        RuleInput.CHANGE: re.compile(
            r"\b(?:chang(?:e|es) (?:as a whole|must|should|comes?|has|have|needs?|bring)|tests?"
            r"|tested|document(?:ed|s|ation)?|changelog|migrations?|accompan\w+|elsewhere"
            r"|everywhere|across|consisten\w+|duplicat\w+|unused|callers?|called by"
            r"|other (?:files?|places?|modules?|versions?)|each other|same (?:change|name|commit)"
            r"|pull requests?|repository|code ?base|release)\b",
            re.IGNORECASE,
        ),
        RuleInput.PULL_REQUEST: re.compile(
            r"\b(?:pull[ _]requests?|merge requests?|titles?|authors?|labels?|label+ed|drafts?"
            r"|branch(?:es)?|forks?|forked)\b",
            re.IGNORECASE,
        ),
        RuleInput.DEPENDENCIES: re.compile(
            r"\b(?:dependenc(?:y|ies)|lock(?:ed)? (?:files?|versions?)|lockfiles?|packages?"
            r"|registr(?:y|ies)|librar(?:y|ies)|third[- ]party|supply chain)\b",
            re.IGNORECASE,
        ),
    }
)
"""Words by which a rule says that it rests on more than one file. Taken too wide costs a question
that is asked again; too narrow, one that is not."""


class RuleKind(StrEnum):
    """How a rule is decided."""

    NORMATIVE = "normative"
    COMPUTATIONAL = "computational"
    PROCEDURAL = "procedural"
    DEFINITIONAL = "definitional"
    PRINCIPLE = "principle"


class Modality(StrEnum):
    """How strongly a rule binds. Compare by `rank`, 0 for INFO to 3 for MUST and MUST_NOT."""

    MUST = "MUST"
    MUST_NOT = "MUST_NOT"
    SHOULD = "SHOULD"
    MAY = "MAY"
    INFO = "INFO"

    @property
    def binding(self) -> bool:
        """Whether breaking the rule is a violation rather than advice not taken."""
        return self in (Modality.MUST, Modality.MUST_NOT)

    @property
    def rank(self) -> int:
        """0 for INFO to 3 for MUST and MUST_NOT, which bind alike."""
        return 3 if self.binding else [Modality.INFO, Modality.MAY, Modality.SHOULD].index(self)


class Severity(StrEnum):
    """How much is at stake. Compare by `rank`, 0 for LOW to 3 for CRITICAL."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    CRITICAL = "CRITICAL"

    @property
    def rank(self) -> int:
        """0 for LOW to 3 for CRITICAL."""
        return ("LOW", "MEDIUM", "HIGH", "CRITICAL").index(self)


class Maturity(StrEnum):
    """How far a rule is trusted. An experimental rule observes and never blocks."""

    EXPERIMENTAL = "experimental"
    STABLE = "stable"
    PROVEN = "proven"


class Effective(StrictModel):
    """The days on which a rule is in force, both included; None is open-ended."""

    model_config = ConfigDict(populate_by_name=True)

    since: dt.date | None = Field(default=None, alias="from")
    until: dt.date | None = None

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.since and self.until and self.since > self.until:
            problem = "from must not be later than until"
            raise ValueError(problem)
        return self


class Example(StrictModel):
    """A subject that a rule must pass or catch: code of one language, or facts.

    `path` is the file the code stands in, if the rule looks at paths; `base` what stood there
    before the change, nothing if it is left out; `fixed` is what the rule's fix must make of the
    code.
    """

    code: str | None = None
    language: Language | None = None
    path: str | None = None
    facts: Mapping[str, Any] | None = None
    base: str | None = None
    fixed: str | None = None

    @model_validator(mode="after")
    def _check_code_or_facts(self) -> Self:
        if (self.code is None) == (self.facts is None):
            problem = "needs either code or facts, and not both"
            raise ValueError(problem)
        if self.code is None and (
            self.language or self.path or self.base is not None or self.fixed is not None
        ):
            problem = "language, path, base and fixed belong to code, not to facts"
            raise ValueError(problem)
        return self


def _detect_example_form(value: object) -> str:
    return "code" if isinstance(value, str) else "example"


ExampleEntry = Annotated[
    Annotated[Example, Tag("example")] | Annotated[str, Tag("code")],
    Discriminator(_detect_example_form),
]
"""An Example, or just its code."""


class Examples(StrictModel):
    """Subjects that the rule passes, and subjects that it catches. The test suite runs both."""

    valid: tuple[ExampleEntry, ...] = ()
    invalid: tuple[ExampleEntry, ...] = ()


class Authority(StrictModel):
    """Where a rule's force comes from (rules/authority.yml explains the classes)."""

    source_class: str = "unknown"
    weight: int | None = Field(default=None, ge=0, le=100)
    jurisdiction: str | None = None
    domain: str | None = None
    scope_class: str | None = None
    topics: tuple[str, ...] = ()
    superseded: bool = False


class Relations(StrictModel):
    """Ids of other rules that this one relates to."""

    overrides: tuple[str, ...] = ()
    refines: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    derives_from: tuple[str, ...] = ()

    def targets(self) -> Iterator[tuple[str, str]]:
        """Each (relation name, target id)."""
        for name in Relations.model_fields:
            for target in getattr(self, name):
                yield name, target


def _check_rule_id(text: str) -> str:
    if not _RULE_ID.fullmatch(text):
        problem = (
            "must be 1 to 128 letters, digits, '.', '_' or '-', and start with a letter or digit"
        )
        raise ValueError(problem)
    return text


def _check_twin(text: str) -> str:
    if not _TWIN.fullmatch(text):
        problem = "must be tool:id, such as bandit:B602"
        raise ValueError(problem)
    return text


def _check_language_glob(text: str) -> str:
    if not any(character in text for character in "*?[{!"):
        return find_language(text)
    if not any(match_glob(text.removeprefix("!"), language) for language in LANGUAGES):
        problem = f"{text!r} fits no language that has a grammar"
        raise ValueError(problem)
    return text


class Rule(StrictModel):
    """One thing that must hold.

    `statement` is the norm, `message` what is wrong if it is broken (see rules/messages.py).
    `languages` and `paths` are globs; one that starts with "!" excludes. `preconditions` and
    `exceptions` in words are for the model that judges. `fix` says in words what to do; fixes that
    can be applied stand with the pattern that finds the fault. `origin` is the file and line that
    the rule was read from; it is no part of the rule's revision, and neither is what the rule may
    do, its `enforcement`, which depends on who has it in force. `family` names those rules that are
    about one sink or one kind of fault, `everywhere` has it judge files, too, that nobody writes by
    hand, such as generated ones, `also_known_as` what other tools call the same, as
    `tool:id`. `reads` names what the rule rests on beside the one file that it is judged by; left
    out, it goes by the rule's words. `merit` is what a shipped rule has earned; nobody else's rule
    has one.
    """

    model_config = ConfigDict(ignored_types=(cached_property,))

    id: Annotated[str, AfterValidator(_check_rule_id)]
    statement: str = Field(min_length=1)
    message: str | None = None
    kind: RuleKind
    modality: Modality
    severity: Severity
    scope: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    languages: tuple[Annotated[str, AfterValidator(_check_language_glob)], ...] = ()
    subject_kinds: tuple[SubjectKind, ...] = ()
    tags: tuple[str, ...] = ()
    effective: Effective = Effective()
    maturity: Maturity = Maturity.STABLE
    pin: bool = False
    constraints: tuple[Constraint, ...] = ()
    preconditions: tuple[Precondition, ...] = ()
    exceptions: tuple[str, ...] = ()
    rationale: str = ""
    examples: Examples = Examples()
    references: tuple[str, ...] = ()
    authority: Authority | None = None
    relations: Relations = Relations()
    fix: str | None = None
    family: str = ""
    everywhere: bool = False
    reads: tuple[RuleInput, ...] | None = None
    also_known_as: tuple[Annotated[str, AfterValidator(_check_twin)], ...] = ()
    origin: str = Field(default="", exclude=True)
    _enforcement: Enforcement | None = PrivateAttr(default=None)
    _merit: Merit | None = PrivateAttr(default=None)
    _trial: RuleTrial | None = PrivateAttr(default=None)

    @cached_property
    def revision(self) -> str:
        """SHA-256 of everything the rule says: two rules with one revision are judged alike.

        How far the rule is trusted is no part of it: a promotion asks nothing of a model again.
        """
        return self._digest(_TRUST)

    @cached_property
    def substance(self) -> str:
        """SHA-256 of what the rule demands and how it is decided, without the words beside that.

        Evidence for and against a rule belongs to its substance: another example or a better reason
        leaves it alone, another pattern makes it another rule.
        """
        return self._digest(_TRUST | _WORDS)

    def _digest(self, left_out: set[str]) -> str:
        exclude: dict[str, Any] = dict.fromkeys(left_out, True)
        if "message" in left_out:
            exclude["constraints"] = _OF_CONSTRAINTS
        # Without defaults: a release that adds a field must not make a new rule of every old one.
        said = self.model_dump_json(exclude_defaults=True, exclude=exclude)
        # What the words of a flow mean belongs to what the rule demands.
        meant = [item.questions for item in self.constraints if isinstance(item, ValueConstraint)]
        passing = [one.passing for each in meant for one in each.values() if one.passing]
        words = [found for each in meant for one in each.values() if any(found := one.words)]
        more = f"{meant!r}{passing or ''}{words or ''}" if meant else ""
        return sha256((said + more).encode()).hexdigest()

    @cached_property
    def inputs(self) -> frozenset[RuleInput]:
        """What a judge must be shown beside one file of the change, to judge it by this rule."""
        if self.reads is not None:
            return frozenset(self.reads)
        # What may keep or break it: its reasons and examples tell of the world around.
        words = " ".join((self.statement, *self.exceptions, *map(str, self.preconditions)))
        found = {kind for kind, pattern in _READ.items() if pattern.search(words)}
        if any("pull_request." in str(item) for item in self.constraints):
            found.add(RuleInput.PULL_REQUEST)
        return frozenset(found)

    @property
    def enforcement(self) -> Enforcement:
        """What the rule may do here; by itself alone if no configuration has been applied."""
        return self._enforcement or Enforcement(get_default_level(self))

    def with_enforcement(self, enforcement: Enforcement) -> Self:
        """The same rule as somebody has it in force."""
        rule = self.model_copy()
        rule._enforcement = enforcement
        return rule

    @property
    def merit(self) -> Merit | None:
        """What the rule has earned, None for one that was not shipped: its file decides."""
        return self._merit

    def with_merit(self, merit: Merit) -> Self:
        """The same rule, with what its record says of it."""
        rule = self.model_copy()
        rule._merit = merit
        return rule

    @property
    def trial(self) -> RuleTrial | None:
        """How the judge of this review did on twins of the rule's examples, None if untried."""
        return self._trial

    def with_trial(self, trial: RuleTrial) -> Self:
        """The same rule, with how the judge of this review did on it."""
        rule = self.model_copy()
        rule._trial = trial
        return rule

    def is_off_at(self, path: str | None) -> bool:
        """Whether nobody looks for the rule in a file, or at the change as a whole."""
        found = self._enforcement
        return found is not None and found.get_level(path) is Level.OFF

    @property
    def weaknesses(self) -> tuple[str, ...]:
        """The weaknesses that the rule's references name, such as `CWE-89`."""
        named = (name for text in self.references for name in _WEAKNESS.findall(text))
        return tuple(dict.fromkeys(named))

    @property
    def is_required(self) -> bool:
        """Whether the owner requires it here: nothing that a repository says takes its place."""
        return self.enforcement.least is not None

    @property
    def shadow(self) -> bool:
        """Whether the rule only observes, wherever it looks."""
        return self.enforcement.strictest.rank <= Level.OBSERVE.rank

    @property
    def blocking(self) -> bool:
        """Whether the rule blocks somewhere: unassessed, it must not end in a pass."""
        return self.enforcement.strictest is Level.BLOCK


def get_default_level(rule: Rule, line: Severity | None = Severity.HIGH) -> Level:
    """The level of a rule of which nobody says anything.

    One that binds blocks from the severity `line` on, unless it came with Jurat and was measured to
    be wrong too often, or its judge was tried on it and failed; None is a line that nothing
    reaches.
    """
    if rule.maturity is Maturity.EXPERIMENTAL:
        return Level.OBSERVE
    return Level.BLOCK if is_grave(rule, line) and is_trusted(rule) else Level.WARN


def is_grave(rule: Rule, line: Severity | None = Severity.HIGH) -> bool:
    """Whether a rule is of those that block from the severity `line` on."""
    return rule.modality.binding and line is not None and rule.severity.rank >= line.rank


def is_trusted(rule: Rule) -> bool:
    """Whether nothing that is known of a rule keeps it from blocking."""
    has_merit = rule.merit is None or rule.merit.may_block
    return has_merit and (rule.trial is None or not rule.trial.is_failed)


class Pack(StrictModel):
    """What a rule file says of itself."""

    name: str
    description: str = ""
    tags: tuple[str, ...] = ()


class RuleFile(StrictModel):
    """A rule file as it stands on disk."""

    version: Literal[1] = 1
    pack: Pack | None = None
    vocabulary: FlowVocabulary | None = None
    rules: tuple[Rule, ...] = ()


Table = tuple[Mapping[str, str], ...]
"""A lookup table: its rows, each by column."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What the owner of a repository requires there. `owner` is the repository that says so.

    `least` has the least that each required rule does, by its id. `hidden` are globs of files that
    the repository leaves out: they are left out for all other rules. `waivable` is whether people
    may set aside what a required rule finds. `notes` say what is required, and what of the
    repository's own does not count.
    """

    owner: str
    least: Mapping[str, Enforcement]
    hidden: tuple[str, ...] = ()
    waivable: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """All rules in force, by id, in the order of their files.

    `tables` holds lookup tables by the rule's id and the name that the rule gives. `floor` is None
    if the owner requires nothing. `unseen` is the repository of the owner's that may require
    something and cannot be seen, empty if there is none such.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    packs: tuple[Pack, ...] = ()
    tables: Mapping[tuple[str, str], Table] = field(default_factory=dict)
    floor: Floor | None = None
    unseen: str = ""

    def __len__(self) -> int:
        return len(self.rules)
