"""What is needed to tell what functions do: which call models, act, answer people, or are reached.

A behaviour is something that a program does, told from its calls, conditions and texts, and never
from its own names: it holds however its functions are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

from jurat.rating.file_roles import Role
from jurat.rating.function_facts import CallFact, FunctionFacts, GuardFact, Tags
from jurat.rating.inference import (
    CHAIN,
    SENDS,
    is_absent_model,
    is_answered_with_estimate,
    is_handed_model,
    is_model_address,
    is_model_request,
    is_reckoning,
    is_spoken_to,
    is_stated_to_model,
    tell_inference,
)
from jurat.rating.program_names import Function
from jurat.rating.reach import Program
from jurat.rating.sql_statements import (
    MadeTable,
    has_cascade,
    list_made_tables,
    list_named_tables,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """A behaviour that was seen: at which line of which function, and what `carriers` make it up.

    Without any one of the carriers it is not there.
    """

    behaviour: str
    function: Function
    line: int
    carriers: frozenset[Function] = frozenset()


Behaviour = Callable[["Conduct"], Iterator[Sign]]

OWN = "x:#"
"""The tag of a value that an own function gave, whatever it is called."""

_BEHAVIOURS: dict[str, Behaviour] = {}


def register_behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    """Register a function as what tells the behaviour of that name."""

    def register(tell: Behaviour) -> Behaviour:
        _BEHAVIOURS[name] = tell
        return tell

    return register


def list_behaviours() -> Mapping[str, Behaviour]:
    """All behaviours by name."""
    return _BEHAVIOURS


_POSTED = re.compile(r"(?:^|\.)(?:post|request|fetch)$")
_PLAIN = frozenset(
    (
        *("print", "len", "str", "int", "float", "bool", "list", "dict", "set", "tuple", "range"),
        *("sorted", "min", "max", "sum", "round", "abs", "isinstance", "getattr", "hasattr"),
        *("zip", "map", "filter", "enumerate", "any", "all", "repr", "format", "join", "split"),
        *("strip", "lower", "upper", "items", "keys", "values", "get", "getLogger", "debug"),
        *("info", "warning", "error", "exception", "append", "log", "toString", "trim"),
        *("includes", "startswith", "endswith", "isoformat", "now", "utcnow", "time", "uuid4"),
        *("loads", "dumps", "stringify", "parse"),
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
_TOOL_MARKS = frozenset(("tool", "function_tool", "kernel_function", "ai_function", "tool_plain"))
_HANDLES = re.compile(
    r"(?:^|\.)(?:get|post|put|patch|delete|route|api_route|websocket|command|callback|tool|task"
    r"|function_tool|on_message|on_event|event|handler|message|slash_command|action|view|all|use|on"
    r"|add_api_route|add_url_rule|add_route|add_post|add_get|add_delete|add_command|message_handler"
    r"|subscribe|consumer|button|Button|on_click|click|add_parser|set_defaults|path|re_path|handle"
    r"|Route|add_resource|api_view|login_required|csrf_exempt|require_POST|Post|Get|Put|Patch"
    r"|Delete|createServer|addEventListener|mutation|procedure|onRequest|onCall|onSchedule|register"
    r"|resolver|serve|Worker|process|consume|add_typer|Interface|action_handler|listener|on_\w+"
    r"|callback_query_handler|run_async|http|signal|query_handler)$"
)
_ASKS_COMMANDS = re.compile(
    r"(?:argparse\.ArgumentParser|sys\.argv|process\.argv|util\.parseArgs|builtins\.input"
    r"|optparse\.OptionParser|docopt\.docopt|fire\.Fire|yargs|minimist)\b"
)
"""What a program asks for that somebody starts with a command."""
_RAW_VERB = re.compile(r"do_(GET|POST|PUT|PATCH|DELETE)$")
"""The methods by which a server of Python's own answers."""

_WRAPS = re.compile(
    r"(?:^|\.)(?:middleware|add_middleware|use|addHook|after_request|teardown_request"
    r"|UseInterceptors|useGlobalInterceptors|apply|Module|wrap_app|on_request|on_response)$"
)
"""What puts a function around all requests, or behind them: before them nothing came of one."""
_SCHEDULES = re.compile(
    r"(?:^|\.)(?:cron\.schedule|cron\.CronJob|CronJob|scheduleJob|setInterval|add_job"
    r"|scheduled_job|every|do"
    r"|crontab|Cron|Interval|periodic_task|on_after_configure|repeat_every|schedule|run_repeating"
    r"|run_daily"
    r"|createSchedule|onSchedule|upsertJobScheduler|add_periodic_task|inngest\.createFunction)"
    r"(?:\(\))?$"
)
"""What hands a function to the clock."""
_SCHEDULED_BY = frozenset(("schedule", "crontab", "cron", "interval"))
_EXPORTED_VERBS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE"))
_OF_GROUPS = frozenset(("command", "callback", "group"))
_ROUTE_KEY = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE) +/")
"""Under such a key a table of routes has who answers."""
_ROUTE_FILE = re.compile(r"(?:^|/)(?:route|\+server)\.[cm]?[jt]sx?$")
_HANDLERS = frozenset(("handler", "lambda_handler"))


_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Conduct:
    """A program, and what its functions do. Tests count as such."""

    program: Program
    roles: Mapping[str, Role] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()
    """Files that a schedule outside of the program starts."""
    among: frozenset[Function] | None = None
    """The functions of which it is asked what they show; None for all."""

    @cached_property
    def answers(self) -> dict[Callable[[Conduct], Any], Any]:
        """What was asked of the program as a whole, and is kept: see `ask_once`."""
        return {}

    @cached_property
    def cascades(self) -> bool:
        """Whether what hangs on a row goes with it, as a schema here has it."""
        return any(
            has_cascade(text)
            for facts in self.program.files.values()
            for function in facts.functions
            for text in (*function.says, *function.refers)
        )

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables that statements here name, in lower case."""
        return frozenset(
            table
            for facts in self.program.files.values()
            for function in facts.functions
            for text in function.says
            for table in list_named_tables(text)
        )

    @cached_property
    def _schema(self) -> tuple[MadeTable, ...]:
        return tuple(
            table
            for facts in self.program.files.values()
            for function in facts.functions
            for text in function.says
            for table in list_made_tables(text)
        )

    @cached_property
    def made_tables(self) -> frozenset[str]:
        """The tables that statements here make, in lower case."""
        return frozenset(table.name for table in self._schema)

    @cached_property
    def clocked_tables(self) -> frozenset[str]:
        """The tables whose rows are given the time by themselves."""
        return frozenset(table.name for table in self._schema if table.is_clocked)

    @cached_property
    def product(self) -> tuple[Function, ...]:
        """The functions that may run, in order. What a test does the system does not do."""
        return tuple(one for one in sorted(self.program.live) if not self._is_test(one[0]))

    @cached_property
    def tests(self) -> tuple[Function, ...]:
        """The functions of tests and evaluations, which a runner finds by itself."""
        return tuple(
            (path, number)
            for path in sorted(self.program.files)
            if self._is_test(path)
            for number in range(len(self.program.files[path].functions))
        )

    @cached_property
    def subjects(self) -> tuple[Function, ...]:
        """Those of `product` of which it is asked what they show."""
        return tuple(filter(self.is_subject, self.product))

    def is_subject(self, one: Function) -> bool:
        """Whether it is asked what a function shows: a behaviour may leave out any other."""
        return self.among is None or one in self.among

    def _is_test(self, path: str) -> bool:
        return self.roles.get(path) is Role.TEST

    def facts(self, one: Function) -> FunctionFacts:
        """The facts of a function."""
        return self.program.get(one)

    def iter_calls(
        self, functions: Iterable[Function] | None = None
    ) -> Iterator[tuple[Function, CallFact, str]]:
        """Every call with its function and the foreign name of what is called, "" if own."""
        if functions is None:
            yield from self._product_calls
            return
        for one in functions:
            for call in self.facts(one).calls:
                yield one, call, self.name(one, call.callee)

    @cached_property
    def _product_calls(self) -> tuple[tuple[Function, CallFact, str], ...]:
        return tuple(self.iter_calls(self.product))

    def name(self, one: Function, callee: str) -> str:
        """The foreign name of what is called, "" if it is the repository's own."""
        return self.program.find_foreign(one[0], callee)

    def targets(self, one: Function, callee: str) -> tuple[Function, ...]:
        """The own functions that a name stands for."""
        return self.program.resolve(one[0], callee)[0]

    def infers(self, one: Function, call: CallFact) -> bool:
        """Whether a call asks a model."""
        name = self.name(one, call.callee)
        asks_model = tell_inference(name)
        if asks_model is None:
            return self.is_sent_to_model(one, call)
        return asks_model or (
            bool(name)
            and (
                is_spoken_to(name, call)
                or is_stated_to_model(call)
                or is_handed_model(name, call)
                or self._is_absent_model(one, name)
            )
        )

    def _is_absent_model(self, one: Function, name: str) -> bool:
        """Whether what is called is the repository's own model, which is not in it."""
        return self.program.is_absent(one[0], name) and is_absent_model(name)

    def is_sent_to_model(self, one: Function, call: CallFact) -> bool:
        """Whether a call is a request over HTTP to where a model answers."""
        if self.name(one, call.callee).rpartition(".")[2] not in SENDS:
            return False
        if is_model_address(call.given) or is_model_request(call.given):
            return True
        return _POSTED.search(call.callee) is not None and is_answered_with_estimate(
            self.facts(one), call
        )

    @cached_property
    def inferring(self) -> frozenset[Function]:
        """Functions that ask a model themselves."""
        return frozenset(
            one for one in self.product if any(self.infers(one, c) for c in self.facts(one).calls)
        )

    @cached_property
    def tools(self) -> frozenset[Function]:
        """Functions that a model has called, by what they are marked with."""
        return frozenset(
            one
            for one in self.product
            for mark in self.facts(one).marks
            if self.name(one, mark.callee).rpartition(".")[2] in _TOOL_MARKS
        )

    @cached_property
    def deciding(self) -> frozenset[Function]:
        """Functions in which it is decided: those that ask a model, or if none does, that reckon.

        Of a program whose model stands behind somebody else's numbers, or is a formula, nobody
        knows more; what is done around the decision is the same.
        """
        return self.inferring or frozenset(
            one for one in self.product if one[1] and is_reckoning(self.facts(one))
        )

    @cached_property
    def leading(self) -> frozenset[Function]:
        """Functions from which a model is asked, those that ask among them."""
        found, edge = set(self.deciding), set(self.deciding)
        for _ in range(8):
            edge = {c for one in edge for c in self.program.callers.get(one, ()) if c[1]} - found
            found |= edge
        return frozenset(found & set(self.product))

    @cached_property
    def answering(self) -> frozenset[Function]:
        """Functions that give back what a model said, or what they reckoned themselves."""
        found = {
            one
            for one in self.deciding
            if one not in self.inferring
            or any(
                self.infers(one, call) and _is_given_back(self.facts(one), call)
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
                    and _is_given_back(self.facts(caller), call)
                    for call in self.facts(caller).calls
                )
            } - found
            found |= edge
        return frozenset(found)

    def is_answer(self, one: Function, call: CallFact) -> bool:
        """Whether a model's answer is what a call gives."""
        return self.infers(one, call) or any(
            target in self.answering for target in self.targets(one, call.callee)
        )

    @cached_property
    def beside(self) -> frozenset[Function]:
        """Functions on the path of an inference: those that lead to it, and whom they call."""
        return self.program.walk(self.leading, 3)

    def asks_model(self, one: Function, call: CallFact) -> bool:
        """Whether a call asks a model, itself or through own functions."""
        if self.infers(one, call):
            return True
        return any(target in self.leading for target in self.targets(one, call.callee))

    def expand(self, one: Function, tags: Tags, depth: int = 3) -> Tags:
        """The tags with what own functions among them return, and own variables stand for."""
        key = (one, tags, depth)
        if key not in self._expanded:
            self._expanded[key] = self._expand(one, tags, depth)
        return self._expanded[key]

    @cached_property
    def _expanded(self) -> dict[tuple[Function, Tags, int], Tags]:
        return {}

    def _expand(self, one: Function, tags: Tags, depth: int) -> Tags:
        found = set(tags)
        for tag in tags if depth else ():
            if tag[:2] != "x:":
                continue
            targets, foreign = self.program.resolve(one[0], tag[2:].removesuffix("()"))
            if foreign and foreign != tag[2:]:
                found.add(f"x:{foreign}")
            if targets and not tag.startswith("x:?."):
                # What is called by an own name says what it returns, and nothing by that name.
                found.discard(tag)
                found.add(OWN)
            for target in targets[:4]:
                if target[1] and target != one:
                    given = self.expand(target, self.facts(target).returns, depth - 1)
                    # What only its own file knows by a name or a number means another thing here.
                    found |= given if target[0] == one[0] else _drop_local(given)
        return frozenset(found)

    def list_behind(self, one: Function, tags: Tags) -> frozenset[Function]:
        """The own functions whose answers stand in the tags."""
        return frozenset(
            target
            for tag in tags
            if tag[:2] == "x:"
            for target in self.targets(one, tag[2:].removesuffix("()"))
            if target[1] and target != one
        )

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

    def list_routes(self, one: Function) -> tuple[str, ...]:
        """The texts under which a function is registered: routes, commands, events."""
        return tuple(text for text, _ in self._routes.get(one, ()))

    def list_verbs(self, one: Function) -> frozenset[str]:
        """The methods that it is registered by, in lower case."""
        return frozenset(verb for _, verb in self._routes.get(one, ()))

    @cached_property
    def _routes(self) -> Mapping[Function, tuple[tuple[str, str], ...]]:
        found: dict[Function, list[tuple[str, str]]] = {}
        for one in self.product:
            facts = self.facts(one)
            for mark in facts.marks:
                name = self._find_mark_name(one, mark)
                if _HANDLES.search(name):
                    self._note_route(found, one, mark, name)
            for call in facts.calls:
                name = self.name(one, call.callee)
                for target, verb in self._iter_handed(one, call) if _HANDLES.search(name) else ():
                    self._note_route(found, target, call, verb or name)
        for one in self.program.open_functions:
            found.setdefault(one, []).append((one[0], "call"))
        for one in self.product:
            for target, route, verb in self._iter_tabled(one):
                found.setdefault(target, []).append((route, verb))
            if verb := self._tell_platform_verb(one):
                found.setdefault(one, []).append((one[0], verb))
        return {one: tuple(routes) for one, routes in found.items()}

    def _iter_handed(self, one: Function, call: CallFact) -> Iterator[tuple[Function, str]]:
        """Who is handed to what registers, with the verb that a method of a class stands for."""
        for tag in (tag for tag in call.given if tag[:2] == "x:"):
            if tag.startswith(("x:function:", "x:local:", "x:.", "x:self:")):
                yield from ((target, "") for target in self.targets(one, tag[2:]))
            for target in self.program.list_verb_methods(one[0], tag[2:]):
                yield target, self.facts(target).name.removeprefix("on_")

    def _find_mark_name(self, one: Function, mark: CallFact) -> str:
        """What a function is marked with: a group of commands is an own function, made one."""
        name = self.name(one, mark.callee)
        return name or (mark.callee if mark.callee.rpartition(".")[2] in _OF_GROUPS else "")

    def _iter_tabled(self, one: Function) -> Iterator[tuple[Function, str, str]]:
        """Who answers by a table that a function fills, each with its route and its verb."""
        for pair in self.facts(one).pairs:
            if not _ROUTE_KEY.match(pair.key):
                continue
            verb, _, route = pair.key.partition(" ")
            for tag in pair.value:
                if tag.startswith(("x:function:", "x:local:", "x:.")):
                    for target in self.targets(one, tag[2:]):
                        yield target, route, verb.lower()

    def _tell_platform_verb(self, one: Function) -> str:
        """By what a platform calls a function that no code registers, "" if none does.

        The names are the platform's: exported verbs of a file that is a route, and its handler.
        """
        facts = self.facts(one)
        if verb := _RAW_VERB.match(facts.name):
            return verb[1].lower()
        if any(_ASKS_COMMANDS.search(name) for name in facts.refers):
            return "command"
        if facts.parent > 0 or facts.owner:
            return ""
        if facts.name in _EXPORTED_VERBS and _ROUTE_FILE.search(one[0]):
            return facts.name.lower()
        handles = facts.name.removeprefix("exports.") in _HANDLERS and facts.parameters
        return "handler" if handles else ""

    def _note_route(
        self, found: dict[Function, list[tuple[str, str]]], one: Function, call: CallFact, name: str
    ) -> None:
        verb = name.rpartition(".")[2].lower()
        texts = [tag[2:] for tag in call.given if tag[:2] == "t:"] or [""]
        verbs = [t.lower() for t in texts if t in ("POST", "PUT", "DELETE", "PATCH", "GET")] or [
            verb
        ]
        found.setdefault(one, []).extend((t, v) for t in texts for v in verbs)

    @cached_property
    def handlers(self) -> frozenset[Function]:
        """Functions that people or other programs call: routes, commands, what is started."""
        return frozenset(one for one in self._routes if one in self.program.live)

    @cached_property
    def wrappers(self) -> frozenset[Function]:
        """Functions that a framework calls around what is asked of the system, or of a model."""
        found: set[Function] = set()
        for one, call, name in self.iter_calls():
            wraps = _WRAPS.search(name) is not None
            if not (wraps or "callbacks" in call.keywords or CHAIN.search(name)):
                continue
            for tag in (tag[2:] for tag in call.given if tag[:2] == "x:"):
                found.update(self.program.list_hooks(one[0], tag))
                found.update(t for t in self.targets(one, tag) if wraps and t[1])
        found |= {
            one
            for one in self.product
            if any(_WRAPS.search(self.name(one, mark.callee)) for mark in self.facts(one).marks)
        }
        return frozenset(found & self.program.live)

    @cached_property
    def scheduled(self) -> frozenset[Function]:
        """Functions that the clock starts: registered with a schedule, or run by one outside."""
        found = {(path, 0) for path in self.timed if path in self.program.live_files}
        for one, call, name in self.iter_calls():
            if _SCHEDULES.search(name) or _SCHEDULES.search(call.callee):
                found |= {
                    target
                    for tag in call.given
                    if tag[:2] == "x:"
                    for target in self.targets(one, tag[2:])
                    if target[1]
                }
        for one in self.product:
            marks = self.facts(one).marks
            if any(_SCHEDULES.search(self.name(one, mark.callee)) for mark in marks):
                found.add(one)
        found |= set(self._list_scheduled_by_name())
        return frozenset(found & self.program.live)

    def _list_scheduled_by_name(self) -> Iterator[Function]:
        """Functions that a schedule names by their module and name, as task queues have it."""
        for one in self.product:
            facts = self.facts(one)
            if not any(pair.key in _SCHEDULED_BY for pair in facts.pairs):
                continue
            for text in facts.says:
                if "." in text and " " not in text:
                    yield from (t for t in self.program.resolve(one[0], text)[0] if t[1])

    def is_asked_by_people(self, one: Function) -> bool:
        """Whether a function is a handler, or called by one within two calls."""
        return one in self._asked

    @cached_property
    def _asked(self) -> frozenset[Function]:
        return self.program.walk(self.handlers, 2)

    def list_guards(self, one: Function, call: CallFact) -> Iterator[GuardFact]:
        """The conditions that a call stands in or behind."""
        guards = self.facts(one).guards
        return (guards[number] for number in call.guards)


def ask_once(find: Callable[[Conduct], _Answer]) -> Callable[[Conduct], _Answer]:
    """Keep what is told of a program beside it: several behaviours ask for the same."""

    @wraps(find)
    def ask(conduct: Conduct) -> _Answer:
        if find not in conduct.answers:
            conduct.answers[find] = find(conduct)
        answer: _Answer = conduct.answers[find]
        return answer

    return ask


def _is_given_back(facts: FunctionFacts, call: CallFact) -> bool:
    return not facts.returns.isdisjoint((f"x:{call.callee}", f"x:{call.callee}()"))


def _drop_local(tags: Tags) -> Tags:
    return frozenset(t for t in tags if not t.startswith(("x:function:", "x:local:", "x:self:")))


def has_text(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether a text or key among the tags fits."""
    return _has_any(tags, pattern, ("t:", "k:"))


def has_name(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether a name of a call among the tags fits."""
    return _has_any(tags, pattern, ("x:",))


_MOST_REMEMBERED = 20_000
_FOUND: dict[tuple[str, int, tuple[str, ...]], dict[Tags | str, bool]] = {}
"""What was found by each pattern, in tags and in single ones."""


def _has_any(tags: Tags, pattern: re.Pattern[str], kinds: tuple[str, ...]) -> bool:
    # Programs say the same again, and an attack asks all again. Not `lru_cache` over the pattern:
    # its hash is computed from all of it each time.
    if not tags:
        return False
    known = _FOUND.setdefault((pattern.pattern, pattern.flags, kinds), {})
    found = known.get(tags)
    if found is None:
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        found = known[tags] = any(
            tag[:2] in kinds and _fits(pattern, tag[2:], known) for tag in tags
        )
    return found


def _fits(pattern: re.Pattern[str], said: str, known: dict[Tags | str, bool]) -> bool:
    found = known.get(said)
    if found is None:
        found = known[said] = pattern.search(said) is not None
    return found
