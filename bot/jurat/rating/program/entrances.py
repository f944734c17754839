"""Where a program is entered: its functions that people, frameworks, the clock or a model call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.inference import CHAIN
from jurat.rating.program.live_program import LiveProgram
from jurat.rating.program.program_names import Function

_TOOL_MARKS = frozenset(("tool", "function_tool", "kernel_function", "ai_function", "tool_plain"))
_HANDLES = re.compile(
    r"(?:^|\.)(?:get|post|put|patch|delete|route|api_route|websocket|command|callback|tool|task"
    r"|function_tool|on_message|on_event|event|handler|message|slash_command|action|view|all|use|on"
    r"|add_api_route|add_url_rule|add_route|add_post|add_get|add_delete|add_command|message_handler"
    r"|subscribe|consumer|button|Button|on_click|click|add_parser|set_defaults|path|re_path|handle"
    r"|Route|add_resource|api_view|login_required|csrf_exempt|require_POST|Post|Get|Put|Patch"
    r"|Delete|createServer|addEventListener|mutation|procedure|onRequest|onCall|onSchedule|register"
    r"|resolver|serve|Worker|process|consume|add_typer|Interface|action_handler|listener|on_\w+"
    r"|callback_query_handler|(?:Command|Message|CallbackQuery|Conversation)Handler|run_async|http|signal|query_handler)$"
)
_ASKS_COMMANDS = re.compile(
    r"(?:argparse\.ArgumentParser|sys\.argv|process\.argv|util\.parseArgs|builtins\.input"
    r"|optparse\.OptionParser|docopt\.docopt|fire\.Fire|yargs|minimist)\b"
)
"""What a program asks for that somebody starts with a command."""


@lru_cache(maxsize=65_536)
def _has_command(names: frozenset[str]) -> bool:
    return any(map(_ASKS_COMMANDS.search, names))


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
_OF_SERVER = "use server"
"""What a function says, or its file, that a page calls by itself."""
_HANDLERS = frozenset(("handler", "lambda_handler"))


@dataclass(frozen=True)
class EnteredProgram(LiveProgram):
    """A program, and by which of its functions it is entered."""

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
            if not tag.startswith("x:?."):
                yield from ((target, "") for target in self.targets(one, tag[2:]) if target[1])
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
        if _has_command(facts.refers):
            return "command"
        if facts.parent > 0 or facts.owner:
            return ""
        if _OF_SERVER in facts.says or _OF_SERVER in self.facts((one[0], 0)).says:
            return "action"
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
        found = set(self.model_hooks)
        for one, call, name in self.iter_calls():
            if _WRAPS.search(name):
                for tag in (tag[2:] for tag in call.given if tag[:2] == "x:"):
                    found.update(self.program.list_hooks(one[0], tag))
                    found.update(target for target in self.targets(one, tag) if target[1])
        found |= {
            one
            for one in self.product
            if any(_WRAPS.search(self.name(one, mark.callee)) for mark in self.facts(one).marks)
        }
        return frozenset(found & self.program.live)

    @cached_property
    def model_hooks(self) -> frozenset[Function]:
        """Functions that a framework calls at the steps of an agent, or around a model."""
        return self.program.live & {
            hook
            for one, call, name in self.iter_calls()
            if "callbacks" in call.keywords or CHAIN.search(name)
            for tag in call.given
            if tag[:2] == "x:"
            for hook in self.program.list_hooks(one[0], tag[2:])
        }

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

    @cached_property
    def tools(self) -> frozenset[Function]:
        """Functions that a model has called, by what they are marked with."""
        return frozenset(
            one
            for one in self.product
            for mark in self.facts(one).marks
            if self.name(one, mark.callee).rpartition(".")[2] in _TOOL_MARKS
        )
