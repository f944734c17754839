"""What functions do, told by their calls: who asks a model, answers, changes something, or logs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from jurat.rating.code.function_facts import CallFact, FunctionFacts
from jurat.rating.program.entrances import EnteredProgram
from jurat.rating.program.inference import (
    SENDS,
    can_ask,
    is_absent_model,
    is_answered_with_estimate,
    is_got,
    is_handed_model,
    is_model_address,
    is_model_request,
    is_model_server,
    is_model_start,
    is_moderation,
    is_piped,
    is_process_start,
    is_reckoning,
    is_spoken_to,
    is_stated_to_model,
    tell_inference,
)
from jurat.rating.program.known_tables import KnownTables
from jurat.rating.program.model_shapes import (
    find_fitted,
    is_asked_of_weights,
    is_of_numbers,
    is_read_from_weights,
    is_shaped_as_question,
    is_squashing,
    is_translated,
    is_weighed_to_share,
    list_fields,
)
from jurat.rating.program.program_names import Function
from jurat.rating.signals.evidence import is_of_one_thing

_POSTED = re.compile(r"(?:^|\.)(?:post|request|fetch)$")
_PLAIN = frozenset(
    (
        *("print", "len", "str", "int", "float", "bool", "list", "dict", "set", "tuple", "range"),
        *("sorted", "min", "max", "sum", "round", "abs", "isinstance", "getattr", "hasattr"),
        *("zip", "map", "filter", "enumerate", "any", "all", "repr", "format", "join", "split"),
        *("strip", "lower", "upper", "items", "keys", "values", "get", "getLogger", "debug"),
        *("info", "warning", "error", "exception", "append", "log", "toString", "trim"),
        *("includes", "startswith", "endswith", "isoformat", "now", "utcnow", "time", "uuid4"),
        *("loads", "dumps", "stringify", "parse", "echo", "secho", "del"),
    )
)
_LOGGED = re.compile(
    r"(?:^(?:logging|structlog|loguru|pino|winston|bunyan|logbook|eliot|logfire|log4js|aws_lambda"
    r"_powertools|google\.cloud\.logging|opentelemetry|@opentelemetry|langfuse|langsmith|mlflow"
    r"|sentry_sdk|tracing|wandb|@nestjs/common\.Logger|pythonjsonlogger).*|^(?:console"
    r"|fastify\(\)\.log|express\(\)\.log))\."
    r"(?:debug|info|warn|warning|error|exception|critical|fatal|log|trace|event|msg|metric|put"
    r"|log_struct|log_text|log_metrics?|start_span|start_as_current_span|startActiveSpan"
    r"|set_attributes?|setAttributes?|add_event|addEvent|capture_message|generation|span|update)$"
)
_HANDED_LOG = re.compile(r"\.(?:log|logger|_log|_logger|audit)\.(?:info|warn|warning|error|log)$")

_ROUTES = frozenset(("get", "post", "put", "patch", "delete", "all", "use", "route"))
"""By these a route is told what answers it."""
_HANDED_IN = "?"
"""How what a function was handed is called, if it is called by itself."""

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Conduct(EnteredProgram):
    """A program, and what its functions do."""

    @cached_property
    def tables(self) -> KnownTables:
        """The tables of its database."""
        return KnownTables(self.program)

    @cached_property
    def answers(self) -> dict[Callable[[Conduct], Any], Any]:
        """What was asked of the program as a whole, and is kept: see `ask_once`."""
        return {}

    def infers(self, one: Function, call: CallFact) -> bool:
        """Whether a call asks a model, or looks as if it did where none is asked by name."""
        return self.is_known_to_infer(one, call) or self._can_be_inference(one, call)

    def is_known_to_infer(self, one: Function, call: CallFact) -> bool:
        """Whether a call asks a model, by whom it is sent to or by the turns of a talk."""
        name, asks_model, may = self._tell_asked(one, call)
        if asks_model is None:
            return self._is_sent_to_model(one, call)
        return asks_model or (
            bool(name)
            and (
                is_stated_to_model(call)
                or self._is_started_model(name, call)
                or (
                    may
                    and (
                        is_spoken_to(name, call)
                        or is_piped(name, call)
                        or is_handed_model(name, call)
                        or (is_moderation(name) and not self._has_model_by_name)
                    )
                )
            )
        )

    def _is_started_model(self, name: str, call: CallFact) -> bool:
        """Whether a model's program is started, or one of the repository's that asks a model."""
        if not is_process_start(name):
            return False
        return is_model_start(call) or any(
            tag[2:].removeprefix("./") in self._model_scripts
            for tag in call.given
            if tag[:2] == "t:"
        )

    @cached_property
    def _model_scripts(self) -> frozenset[str]:
        """The files that ask a model by name, as who starts them says where they are."""
        return frozenset(
            path
            for path, facts in self.program.files.items()
            if any(
                tell_inference(self.name((path, number), call.callee))
                for number, function in enumerate(facts.functions)
                for call in function.calls
            )
        )

    def _tell_asked(self, one: Function, call: CallFact) -> tuple[str, bool | None, bool]:
        key = one[0], call.callee
        found = self.program.known.askers.get(key)
        if found is None:
            name = self.name(one, call.callee)
            found = (name, self._tell_by_name(name), can_ask(name))
            self.program.known.askers[key] = found
        return found

    def _can_be_inference(self, one: Function, call: CallFact) -> bool:
        name, _, _ = self._tell_asked(one, call)
        if not name or self._has_model_by_name:
            return False
        return (
            is_asked_of_weights(name, self._learnt)
            or (name.rpartition(".")[2] not in SENDS and is_shaped_as_question(name, call))
            or (self._has_own_numbers and is_squashing(name, self.facts(one)))
            or is_weighed_to_share(name, call, self.facts(one))
        )

    @cached_property
    def _has_own_numbers(self) -> bool:
        return any(is_of_numbers(call) for _, call, _ in self.iter_calls())

    @cached_property
    def _learnt(self) -> frozenset[str]:
        """The foreign names of what makes something of a file of weights, or of examples."""
        calls = [(name, call) for _, call, name in self.iter_calls()]
        read = {name for name, call in calls if is_read_from_weights(name, call)}
        return frozenset(read | {find_fitted(name, call) for name, call in calls} - {""})

    def _tell_by_name(self, name: str) -> bool | None:
        """Whether what has a foreign name asks a model; None if a request is sent by it."""
        asks_model = tell_inference(name)
        return asks_model or self._is_absent_model(name) if asks_model is not None else None

    def _is_absent_model(self, name: str) -> bool:
        """Whether what is called is the repository's own model, which is not in it."""
        return self.program.modules.is_absent(name) and is_absent_model(name)

    def _is_sent_to_model(self, one: Function, call: CallFact) -> bool:
        """Whether a call is a request over HTTP to where a model answers."""
        name = self.name(one, call.callee)
        if name.rpartition(".")[2] not in SENDS:
            return is_got(name) and is_model_server(call.given)
        if is_model_address(call.given) or is_model_request(call.given):
            return True
        return (
            _POSTED.search(call.callee) is not None
            and (
                is_answered_with_estimate(self.facts(one), call)
                or (is_translated(list_fields(call)) and is_given_back(self.facts(one), call))
            )
            and not self._has_named_model
        )

    @cached_property
    def _has_named_model(self) -> bool:
        """Whether a large program asks a model by name: then what else gives scores is none."""
        return not self.is_small and self._has_model_by_name

    @cached_property
    def _has_model_by_name(self) -> bool:
        return any(self._tell_by_name(name) for _, _, name in self.iter_calls() if name)

    @cached_property
    def inferring(self) -> frozenset[Function]:
        """Functions that ask a model themselves."""
        return frozenset(
            one for one in self.product if any(self.infers(one, c) for c in self.facts(one).calls)
        )

    @cached_property
    def deciding(self) -> frozenset[Function]:
        """Functions in which it is decided: those that ask a model, or if none does, that reckon.

        Of a program whose model stands behind somebody else's numbers, or is a formula, nobody
        knows more; what is done around the decision is the same. A large one reckons everywhere.
        """
        if self.inferring or not self.is_small:
            return self.inferring
        return frozenset(one for one in self.product if one[1] and is_reckoning(self.facts(one)))

    @cached_property
    def is_small(self) -> bool:
        """Whether the program is of one thing, all of its code counted: what runs, and what not."""
        return is_of_one_thing(
            self.lengths.get(path) or max((f.last for f in facts.functions), default=0)
            for path, facts in self.program.files.items()
            if not self._is_test(path)
        )

    @cached_property
    def leading(self) -> frozenset[Function]:
        """Functions from which a model is asked, those that ask among them."""
        found, edge = set(self.deciding), set(self.deciding)
        for _ in range(8):
            callers = ((c, one) for one in edge for c in self.program.callers.get(one, ()))
            edge = {c for c, one in callers if c[1] or self._is_called_there(c, one)} - found
            found |= edge
        return frozenset(found & set(self.product))

    def _is_called_there(self, one: Function, target: Function) -> bool:
        """Whether a file's own statements call a function, and do not only hand it on.

        Those of a file that is started by its name only begin what stands in its functions.
        """
        if self.program.files[one[0]].is_started:
            return False
        return any(target in self.targets(one, call.callee) for call in self.facts(one).calls)

    @cached_property
    def answering(self) -> frozenset[Function]:
        """Functions that give back what a model said, or what they reckoned themselves."""
        found = {
            one
            for one in self.deciding
            if one not in self.inferring
            or any(
                self.infers(one, call) and is_given_back(self.facts(one), call)
                for call in self.facts(one).calls
            )
        }
        edge = set(found)
        while edge:
            edge = {
                caller
                for one in edge
                for caller in self.program.callers.get(one, ())
                if any(
                    one in self.targets(caller, call.callee)
                    and is_given_back(self.facts(caller), call)
                    for call in self.facts(caller).calls
                )
            } - found
            found |= edge
        return frozenset(found)

    def is_answer(self, one: Function, call: CallFact) -> bool:
        """Whether a model's answer is what a call gives."""
        return (
            self.infers(one, call)
            or self.is_wrapped(one, call)
            or any(target in self.answering for target in self.targets(one, call.callee))
        )

    @cached_property
    def beside(self) -> frozenset[Function]:
        """Functions on the path of an inference: those that lead to it, and whom they call.

        The statements of a file hand on what else stands in it, which is on no path by that.
        """
        followed = {one for one in self.leading if one[1] or one in self.deciding}
        return self.program.walk(followed, 3) | self.leading

    def is_wrapped(self, one: Function, call: CallFact) -> bool:
        """Whether a call is one of what a function stands around, which leads to a model."""
        return call.callee == _HANDED_IN and one in self.wrapping

    @cached_property
    def wrapping(self) -> Mapping[Function, frozenset[Function]]:
        """The functions that stand around those that lead to a model, as these are marked."""
        found: defaultdict[Function, set[Function]] = defaultdict(set)
        for one in self.leading:
            made = {
                target
                for mark in self.facts(one).marks
                for target in self.targets(one, mark.callee)
                if target[1]
            }
            for _ in range(2):  # what takes settings makes what wraps
                made = {b for m in made for b in self.list_behind(m, self.facts(m).returns)}
                for wrapper in made:
                    if self.facts(wrapper).parent > 0:
                        found[wrapper].add(one)
        return {wrapper: frozenset(inner) for wrapper, inner in found.items()}

    @cached_property
    def gates(self) -> frozenset[Function]:
        """Functions that are handed to a route before the one that leads to a model."""
        found: set[Function] = set()
        for one, call, _ in self.iter_calls():
            if call.arguments > 1 and call.callee.rpartition(".")[2] in _ROUTES:
                handed = {
                    target
                    for tag in call.given
                    if tag[:2] == "x:"
                    for target in self.targets(one, tag[2:])
                    if target[1]
                }
                if len(handed) > 1 and handed & self.leading:
                    found |= handed - self.leading
        return frozenset(found & self.program.live)

    def asks_model(self, one: Function, call: CallFact) -> bool:
        """Whether a call asks a model, itself or through own functions."""
        if self.infers(one, call) or self.is_wrapped(one, call):
            return True
        return any(target in self.leading for target in self.targets(one, call.callee))

    def is_effect(self, one: Function, call: CallFact) -> bool:
        """Whether a call may change something outside of the function."""
        name = self.name(one, call.callee)
        if not name:
            targets = self.targets(one, call.callee)
            return any(t[1] and self._has_effect(t) for t in targets)
        last = name.removesuffix("()").rpartition(".")[2]
        if last == "set" and not name.startswith("builtins."):
            return True  # of a store, an event or a flag
        return last not in _PLAIN and not last[:1].isupper() and not _LOGGED.search(name)

    def _has_effect(self, one: Function) -> bool:
        facts = self.facts(one)
        return bool(facts.writes) or any(
            self.name(one, c.callee).removesuffix("()").rpartition(".")[2] not in (*_PLAIN, "")
            or self.program.resolve(one[0], c.callee)[0]
            for c in facts.calls
        )

    def is_logged(self, one: Function, call: CallFact) -> bool:
        """Whether a call writes a record for people who look later.

        A logger that was handed in is known by its levels, if nothing here has such methods.
        """
        name = self.name(one, call.callee)
        if name.startswith("?.") and _HANDED_LOG.search(name):
            return not self.targets(one, call.callee)
        return _LOGGED.search(name) is not None


def ask_once(find: Callable[[Conduct], _Answer]) -> Callable[[Conduct], _Answer]:
    """Keep what is told of a program beside it: several behaviours ask for the same."""

    @wraps(find)
    def ask(conduct: Conduct) -> _Answer:
        if find not in conduct.answers:
            conduct.answers[find] = find(conduct)
        answer: _Answer = conduct.answers[find]
        return answer

    return ask


def is_given_back(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether what a call gives is given back."""
    return not facts.returns.isdisjoint((f"x:{call.callee}", f"x:{call.callee}()"))
