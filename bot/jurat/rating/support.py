"""Which evidence supports a verdict: what runs, in its place, and is more than a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from jurat.rating.behaviours import (
    marking,
    measurement,
    metering,
    safeguards,
    security_tests,
    subject_rights,
    tracing,
    watching,
)
from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.behaviours.metering import is_of_machine
from jurat.rating.behaviours.notices import SHOWING, explain_unheard
from jurat.rating.behaviours.oversight import (
    approvals as oversight_approvals,
)
from jurat.rating.behaviours.oversight import (
    halting,
    operators,
)
from jurat.rating.behaviours.oversight import (
    overruling as oversight_overruling,
)
from jurat.rating.behaviours.oversight import (
    reasons as oversight_reasons,
)
from jurat.rating.behaviours.privacy import masking, minimising, releasing
from jurat.rating.behaviours.protected_data import is_for_credentials
from jurat.rating.behaviours.records import erasure, keeping, records, timed_deletion
from jurat.rating.behaviours.refusals import PHRASE_ALONE, is_phrase_alone, is_raised, list_refused
from jurat.rating.behaviours.served import is_of_service
from jurat.rating.behaviours.tied import UNTIED, has_values, is_put_to_model
from jurat.rating.behaviours.tracing import is_followed_always
from jurat.rating.behaviours.uses import practices
from jurat.rating.behaviours.uses.talks import list_made_turns
from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.setting_evidence import UNUSED, explain_setting
from jurat.rating.program.surroundings import is_on_the_way, is_small
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.file_roles import Role, is_diary
from jurat.rating.signals.recon_table import SignalSource, split_callee, split_name
from jurat.rating.texts.document_facts import DocumentFacts

_REGISTERING = (
    *(erasure, halting, keeping, marking, masking, measurement, metering, minimising, operators),
    *(oversight_approvals, oversight_overruling, oversight_reasons, practices, records, releasing),
    *(safeguards, security_tests, subject_rights, timed_deletion, tracing, watching),
)
"""What registers behaviours when it is imported."""

NAME_ONLY = "only a name says so"
PROMISED = "a page says so, and no code does it"
HOLLOW = "nothing stands in it that could be held against it"
IN_PASSING = (
    "a long page, or one of a large program, says it in passing, under no heading of its own"
)
OF_PART = "a page on a part of the product, or on something else, tells nothing of all of it"
TRANSCRIBED = "a turn of a talk that is written down, which nobody is told"
OF_CALLER = "who calls is looked at, and not what is handed in"
ELSEWHERE = "in a large program it is far from any call of a model"
OF_CREDENTIALS = "what is encrypted are keys of services, and no data of people"
IN_BROWSER = "a page asks who somebody is, and can refuse nobody"
OF_MACHINE = "the machine is measured, and nothing that the system does"
OPTIONAL = "in a large program it is an option, and off unless somebody turns it on"
PACKED = "it tells what a package is, and not whom it is used on"
SAID_ASIDE = "in a large program it is said where no model is asked"
REFUSED = "the code names it to refuse it"
OWN_PACKAGE = "the package imports itself"

_MANIFEST = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.cfg|package\.json|Cargo\.toml)$")
"""What tells those who look for a package what it is."""
_SPEAKS = re.compile(r"\s*(?:assistant|ai|bot|agent|model)\s*:", re.IGNORECASE)
"""How a line of a longer text begins that is somebody's turn."""
_PACKS = re.compile(r"^(?:setuptools|distutils\.core|numpy\.distutils\.core|skbuild)\.setup$")
_SECURED = "create_default_context"
"""How a connection is made safe: every request over HTTPS has it by itself."""
_OF_RUNS = frozenset(("bounded_autonomy", "resilience"))
"""Signals of how a run goes on and ends."""
_DONE_TO_VALUES = _OF_RUNS | {"input_validation"}
_DICTIONARY = 400
"""Texts that a file states outside of its functions from which on it lists words of all sorts."""
_TOLD = frozenset(("texts", "prompts"))
_SAID = frozenset((*_TOLD, "keys"))
_NAMED_TEXT = re.compile(
    r"(?:(?:export|const|let|var|static|readonly|public|private|final)\s+)*[\"']?(\w+)[\"']?"
    r"\s*(?::\s*[\w.\[\]<>| ]+)?\s*[=:]\s*(?:[\"'`]|[fr][\"'])"
)
"""A line on which a text is kept under a name."""


@dataclass(frozen=True)
class Support:
    """What is known beside the lines of evidence: conduct, and documents."""

    conduct: Conduct
    pages: Mapping[str, DocumentFacts] = field(default_factory=dict)

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        """Every behaviour that the program shows, each place once."""
        found = dict.fromkeys(
            one for tell in list_behaviours().values() for one in tell(self.conduct)
        )
        return tuple(found)

    @cached_property
    def _tested(self) -> frozenset[str]:
        return frozenset(one.function[0] for one in self.signs if one.behaviour == "asserting_test")

    @cached_property
    def _checks_of_callers(self) -> frozenset[tuple[str, int]]:
        """The lines on which it is looked at who calls."""
        return frozenset(
            (one.function[0], one.line) for one in self.signs if one.behaviour == "caller_check"
        )

    def _is_of_caller(self, source: SignalSource, evidence: SignalEvidence) -> bool:
        """Whether what is told as a check of what comes in is one of who calls."""
        where = (evidence.path, evidence.line)
        return source.name == "input_validation" and where in self._checks_of_callers

    @cached_property
    def _by_line(self) -> Mapping[tuple[str, int], tuple[tuple[Function, CallFact], ...]]:
        found: dict[tuple[str, int], list[tuple[Function, CallFact]]] = {}
        conduct = self.conduct
        for one in (*conduct.product, *conduct.tests):
            facts = conduct.facts(one)
            for call in (*facts.calls, *facts.marks):
                found.setdefault((one[0], call.line), []).append((one, call))
        return {key: tuple(value) for key, value in found.items()}

    @cached_property
    def _live_spans(self) -> Mapping[str, tuple[tuple[int, int], ...]]:
        """The lines of the functions in each file that nothing runs."""
        found: dict[str, list[tuple[int, int]]] = {}
        program = self.conduct.program
        for path, facts in program.files.items():
            for number, function in enumerate(facts.functions):
                if number and (path, number) not in program.live:
                    found.setdefault(path, []).append((function.first, function.last))
        return {path: tuple(spans) for path, spans in found.items()}

    def runs(self, path: str, line: int) -> bool:
        """Whether a line stands in what may run."""
        program = self.conduct.program
        if path not in program.files:
            return True
        if path not in program.live_files:
            return False
        dead = [span for span in self._live_spans.get(path, ()) if span[0] <= line <= span[1]]
        return not dead

    def explain_doubt(self, source: SignalSource, role: Role, evidence: SignalEvidence) -> str:
        """Why evidence supports no verdict, "" if it does."""
        kind = evidence.kind
        if kind == "behaviours" or role is Role.PAGE:
            return evidence.doubt
        if kind in _SAID and (doubt := self._explain_unsaid(source, evidence)):
            return doubt
        if source.proven_by == "practice":
            return self._explain_no_practice(source, evidence)
        if kind in ("documents", "files") and is_diary(evidence.path):
            return HOLLOW
        if kind == "documents":
            if source.proven_by != "document":
                return PROMISED
            return PACKED if _MANIFEST.search(evidence.path) else evidence.doubt
        if kind == "files":
            return evidence.doubt or self._explain_file(source, role, evidence)
        if kind == "settings" or role is Role.SETTINGS:
            return explain_setting(self.conduct, source, evidence, self._mentioned)
        if role is Role.TEST:
            return (
                "" if source.proven_by != "behaviour" and evidence.path in self._tested else UNUSED
            )
        if evidence.path not in self.conduct.program.files:
            # In a language of which only names are known, or a prompt: see `held`.
            by_name = role is Role.CODE and kind not in _SAID
            return NAME_ONLY if by_name and not is_small(self.conduct) else ""
        if source.proven_by == "behaviour":
            return NAME_ONLY
        if not self.runs(evidence.path, evidence.line):
            return UNUSED
        return self._explain_unused(source, evidence)

    def _explain_unsaid(self, source: SignalSource, evidence: SignalEvidence) -> str:
        """Why what a program says informs nobody, "" if it may."""
        is_page = SHOWING.search(evidence.path) is not None
        if source.proven_by == "document" and not (is_page or is_small(self.conduct)):
            return OF_PART
        return explain_unheard(self.conduct, source, evidence, self._list_near(evidence))

    def _explain_unused(self, source: SignalSource, evidence: SignalEvidence) -> str:
        kind, conduct = evidence.kind, self.conduct
        if source.name == "encryption" and is_for_credentials(self.conduct, evidence.path):
            return OF_CREDENTIALS
        is_page = SHOWING.search(evidence.path) is not None
        if source.name == "access_control" and is_page and not is_small(conduct):
            return IN_BROWSER
        calls = self._by_line.get((evidence.path, evidence.line), ())
        if kind == "imports":
            return self._explain_import(source, evidence)
        if kind == "calls" and evidence.said.endswith(_SECURED) and not self._is_on_the_way(calls):
            return ELSEWHERE
        if kind == "calls" and self._is_of_caller(source, evidence):
            return OF_CALLER
        if kind == "calls" and source.name in _DONE_TO_VALUES and not self._is_concerned(calls):
            return UNTIED
        if kind == "calls":
            ends = {evidence.said.rpartition(".")[2]}
            foreign = any(
                (name := conduct.name(one, call.callee))
                and (set(split_callee(name.replace("()", ""))) & ends)
                for one, call in calls
            )
            return "" if foreign else NAME_ONLY
        if kind == "names":
            given = [
                (one, call)
                for one, call in self._list_near(evidence)
                for word in call.keywords
                if split_name(word) == evidence.said and conduct.name(one, call.callee)
            ]
            if source.name in _OF_RUNS and given:
                return "" if self._is_concerned(given) else UNTIED
            return "" if given else NAME_ONLY
        if kind == "texts" and self._is_turn(evidence):
            return TRANSCRIBED
        if kind in _SAID and self._is_packed(evidence):
            return PACKED
        if kind in _SAID and (named := _NAMED_TEXT.match(evidence.snippet)):
            return "" if self._is_read(named[1], evidence.said) else UNUSED
        return NAME_ONLY if kind == "defines" else ""

    def _explain_import(self, source: SignalSource, evidence: SignalEvidence) -> str:
        if self._is_own(evidence):
            return OWN_PACKAGE
        if source.name == "monitoring" and is_of_machine(self.conduct, evidence.path):
            return OF_MACHINE
        if not self._is_used(evidence):
            return UNUSED
        served = (c for c in self._list_using(evidence) if is_of_service(self.conduct, c[0]))
        if source.name in _OF_RUNS and not self._is_concerned(served):
            return UNTIED
        follows = source.name != "tracing" or is_followed_always(self.conduct, evidence)
        return "" if follows else OPTIONAL

    def _is_concerned(self, calls: Iterable[tuple[Function, CallFact]]) -> bool:
        return any(has_values(self.conduct, one) for one, _ in calls)

    def _is_on_the_way(self, calls: Iterable[tuple[Function, CallFact]]) -> bool:
        return any(is_on_the_way(self.conduct, one) for one, _ in calls)

    def _is_packed(self, evidence: SignalEvidence) -> bool:
        """Whether a text says of a package what it is, to those who look for one."""
        return evidence.path.rpartition("/")[2] == "setup.py" and any(
            _PACKS.match(name)
            for one, call in self._list_near(evidence)
            if (name := self.conduct.name(one, call.callee))
        )

    def _is_turn(self, evidence: SignalEvidence) -> bool:
        """Whether a text is what somebody says in a talk that its author has made up."""
        facts = self.conduct.program.files[evidence.path]
        return _SPEAKS.match(evidence.snippet) is not None or any(
            first <= evidence.line <= last for first, last in list_made_turns(facts)
        )

    def _is_read(self, name: str, text: str) -> bool:
        """Whether something that runs hands on a text, or reads what keeps it under a name."""
        return name in self._mentioned or any(text in said for said in self._handed_on)

    @cached_property
    def _handed_on(self) -> frozenset[str]:
        """The texts that something that runs gives away: to a call, or to who called it."""
        conduct = self.conduct
        return frozenset(
            tag[2:]
            for one in conduct.product
            for facts in (conduct.facts(one),)
            for tags in (facts.returns, *(call.given for call in facts.calls))
            for tag in tags
            if tag[:2] == "t:"
        )

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        """The names of variables, fields and keys that something that runs reads."""
        conduct = self.conduct
        found: set[str] = set()
        for one in conduct.product:
            facts = conduct.facts(one)
            found.update(name.rpartition(".")[2] for name in facts.refers)
            found.update(word for call in facts.calls for word in call.keywords)
            stated = (
                *(facts.returns, *facts.asserts),
                *(tags for call in facts.calls for tags in (call.given, call.receiver)),
                *(guard.asks for guard in facts.guards),
                *(tags for write in facts.writes for tags in (write.value, write.base)),
                *(pair.value for pair in facts.pairs),
            )
            found.update(
                tag[2:] for tags in stated for tag in tags if tag[:2] in ("s:", "a:", "k:")
            )
        return frozenset(found)

    def _list_near(self, evidence: SignalEvidence) -> Iterable[tuple[Function, CallFact]]:
        """The calls that may spread to a line: arguments stand below the call."""
        for line in range(evidence.line, max(evidence.line - 30, 0), -1):
            yield from self._by_line.get((evidence.path, line), ())

    def _is_used(self, evidence: SignalEvidence) -> bool:
        """Whether something that runs in the file calls, marks or extends what it imports."""
        path, program = evidence.path, self.conduct.program
        bases = program.files[path].functions[0].refers if (path, 0) in program.live else ()
        return any(self._list_using(evidence)) or any(
            self._is_of_module((path, 0), name, evidence.said) for name in bases
        )

    def _list_using(self, evidence: SignalEvidence) -> Iterator[tuple[Function, CallFact]]:
        """The calls and marks of what a file imports, in what runs of it."""
        path, program = evidence.path, self.conduct.program
        for number, function in enumerate(program.files[path].functions):
            if (one := (path, number)) in program.live:
                for call in (*function.calls, *function.marks):
                    if self._is_of_module(one, call.callee, evidence.said):
                        yield one, call

    def _is_of_module(self, one: Function, name: str, module: str) -> bool:
        found, head = (
            text.removeprefix("@").replace("/", ".").split(".")[0].removesuffix("()")
            for text in (self.conduct.name(one, name), module)
        )
        return found == head

    def _explain_no_practice(self, source: SignalSource, evidence: SignalEvidence) -> str:
        if evidence.kind == "imports" and self._is_own(evidence):
            return OWN_PACKAGE
        if evidence.kind == "names" and evidence.path in self.conduct.program.files:
            return NAME_ONLY
        said = evidence.said.strip().strip("\"'").lower()
        if evidence.kind in ("keys", "prompts", "texts") and any(
            said == text or (len(said) > 8 and said in text) for text in list_refused(self.conduct)
        ):
            return REFUSED
        if evidence.kind in _SAID and is_raised(self.conduct, evidence):
            return REFUSED
        if evidence.kind in _TOLD and not is_put_to_model(self.conduct, evidence):
            return SAID_ASIDE
        if evidence.kind in _TOLD and is_phrase_alone(self.conduct, source, evidence):
            return PHRASE_ALONE
        facts = self.conduct.program.files.get(evidence.path)
        if evidence.kind == "keys" and facts and len(facts.functions[0].says) > _DICTIONARY:
            return SAID_ASIDE
        if evidence.kind == "defines" and evidence.path in self.conduct.program.files:
            function = next(
                (
                    f
                    for f in self.conduct.program.files[evidence.path].functions
                    if f.first and f.first <= evidence.line <= f.last
                ),
                None,
            )
            if function and not (
                function.calls or function.writes or function.guards or function.loops
            ):
                return "a function that does nothing"
        return ""

    def _is_own(self, evidence: SignalEvidence) -> bool:
        """Whether a module that is imported is the repository's own."""
        return self.conduct.program.find_module(evidence.path, evidence.said) is not None

    def _explain_file(self, source: SignalSource, role: Role, evidence: SignalEvidence) -> str:
        if role is Role.DOCUMENT:
            page = self.pages.get(evidence.path)
            return "" if page is not None and page.has_any_substance(source.name) else HOLLOW
        if role in (Role.CODE, Role.TEST, Role.EXAMPLE):
            return NAME_ONLY
        return (
            ""
            if source.proven_by != "behaviour" or source.name == "feedback_channel"
            else NAME_ONLY
        )
