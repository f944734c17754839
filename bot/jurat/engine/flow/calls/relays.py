"""What one function leaves where another one takes it up: on a channel, in a queue, with a request.

The other is called by nobody here. What it takes is what this file was seen to leave there; of what
others leave nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache

from ast_grep_py import SgNode

from jurat.engine.flow.calls.definitions import Definitions
from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.lowering import CHANNEL
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Expression,
    Name,
    Parameter,
)
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.questions import MOST_NAMES
from jurat.engine.flow.values.taints import REMOTE
from jurat.engine.flow.values.value import (
    NOTHING,
    Closure,
    Env,
    Given,
    Value,
    extend_name,
    iter_taints,
)
from jurat.engine.flow.words import split_words

_CARRIER = re.compile(
    r"(?:<(?:req|request|res|response|ctx|context|c|reply)>|flask\.g|(?:[\w./-]*\.)?(?:HttpServletRequest|HttpSession|Request|Response|Context))"
    r"(?:\.(?:locals|state|res\.locals|request\.state))?"
)
"""What is handed from one function to the next while a request is answered."""

_APPLICATION = re.compile(
    r"(?:<(?:app|application)>|<(?:req|request|ctx|context)>\.app|(?:flask|quart)\.current_app"
    r"|(?:[\w./-]*\.)?(?:Application|FastAPI|Starlette|Flask|Quart|Sanic|express|Koa)(?:\(\))?)"
    r"(?:\.(?:state|locals|context|ctx|extensions))?"
)
"""What all functions of a server share, and keep their objects in."""

_SESSION = re.compile(
    r"<session>|(?:flask|quart)\.session|(?:[\w.]*\.)?HttpSession|.*\bgetSession\(\)"
    r"|(?:<(?:req|request|ctx|context|c)>|(?:[\w./-]*\.)?(?:Request|Context))\.session"
)
"""What is kept of one visitor from request to request."""

_KEEPERS = split_words("Set set setAttribute WithValue Locals")
_READERS = split_words(
    "Get get getAttribute Value Locals MustGet GetString GetInt64 GetStringSlice pop"
)
"""Methods of such an object that keep something by a key, and read it."""

_POSTERS = re.compile(
    r"(?:(?:^|\.|<)\w*[Qq]ueue>?(?:\(\))?\.(?:add|addJob|publish|send|enqueue|put|put_nowait|offer)"
    r"|(?i:(?:kafka|rabbit|jms|amqp|stream|nats|sqs)\w*)>?(?:\(\))?\.(?:send|convertAndSend|publish)"
    r"|\.(?:publishEvent|basicPublish|NewTask|sendToQueue))$"
)
"""Puts what it is given last into a queue."""

_JOB = re.compile(
    r"(?:(?:^|\.)(?:Job|QueueJob)|<job>)\.data$|asynq\.Task\.Payload\(\)$"
    r"|(?:^|\.)(?:queue|asyncio|multiprocessing)\.\w*Queue(?:\(\))?\.get(?:_nowait)?\(\)$"
    r"|(?:Blocking|Concurrent)\w*(?:Queue|Deque)(?:\(\))?\.(?:take|poll|remove)\(\)$"
)
"""What a worker reads of what was put into a queue."""

_LISTENERS = split_words(
    """
    KafkaListener RabbitListener JmsListener SqsListener StreamListener EventListener
    TransactionalEventListener Incoming PulsarListener RabbitHandler KafkaHandler
    MessagePattern EventPattern
    """
)
"""Marks of functions that are called with what was put into a queue."""

_SETTERS_AROUND = ("System.setProperty", "os.Setenv", "os.putenv")
_GETTERS_AROUND = ("System.getProperty", "os.Getenv")
_AROUND = "around "
"""What a program tells its surroundings, by a key, and reads there."""

_STORE = re.compile(r"AsyncLocalStorage(?:\(\))?$")
"""The name of what has one object for all that a request leads to."""

_QUEUE = "queue"
_KEPT = "session."
_PROMISE = "<promise "
"""Begins the place where a promise is kept: the name of the function that keeps it as well."""

_DELAYED = split_words("delay send s si signature kiq defer schedule submit apply_async")
"""Methods of a function that have a worker call it with what they are given."""


@lru_cache(maxsize=MOST_NAMES)
def _is_carrier(name: str) -> bool:
    return _CARRIER.fullmatch(name) is not None


@lru_cache(maxsize=MOST_NAMES)
def _is_application(name: str) -> bool:
    return _APPLICATION.fullmatch(name) is not None


@lru_cache(maxsize=MOST_NAMES)
def _is_job(name: str) -> bool:
    return _JOB.search(name) is not None


@lru_cache(maxsize=MOST_NAMES)
def _is_poster(name: str) -> bool:
    return _POSTERS.search(name) is not None


@lru_cache(maxsize=MOST_NAMES)
def _is_session(name: str) -> bool:
    return _SESSION.fullmatch(name) is not None


_GATHERERS = frozenset({"slices.Collect", "slices.Sorted"})
"""What makes a list of what one of Go's functions goes through."""


class Relays(Definitions):
    """What is left and taken up within one file."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        super().__init__(matcher, language)
        self.left: dict[str, Value] = {}
        """What was left, by place."""
        self.taken: dict[str, list[Closure]] = {}
        """Who looked for it, by place: once more is left there they are looked at again."""
        self.takings = 0
        """How often somebody looked for something."""
        self.late: list[Closure] = []
        self._seen: list[tuple[Closure, Mapping[str, Value]]] = []
        self.listeners: dict[str, list[Closure]] = {}
        self.entered: Closure | None = None
        self._entered: set[int] = set()
        self.is_last = False

    def leave(self, place: str, value: Value) -> None:
        """Note what is left at a place."""
        before = self.left.get(place)
        now = value if before is None else join_values(before, value)
        self.left[place] = now
        known = {taint.key for taint in iter_taints(before or NOTHING)}
        if any(taint.key not in known for taint in iter_taints(now)):
            self.late += self.taken.pop(place, ())

    def take(self, place: str) -> Value | None:
        """What was left at a place, None if nobody was seen to leave anything.

        Before all functions were looked at nobody knows, and it is nothing yet.
        """
        self.takings += 1
        left = self.left.get(place)
        if self.is_last or self.entered is None:
            return left
        self.taken.setdefault(place, []).append(self.entered)
        if left is None:
            # Whoever leaves something there later has these looked at again: most never do.
            if not place.startswith((_KEPT, _AROUND)):
                self.late.append(self.entered)
            return NOTHING if place == _QUEUE else None
        return left

    def note_called_back(self, name: str, given: Given) -> None:
        """Note what a callee calls of what it is given, and with what."""
        # One that was looked at before is looked at again, now that its parameters are known.
        news = self.called_back.note_call(name, given)
        self.late += [one for one in news if id(one.function) in self._entered]

    def enter(self, closure: Closure) -> None:
        """Look at a function as somebody outside may call it."""
        self._entered.add(id(closure.function))
        if closure.instance is not None:
            self._seen.append((closure, dict(closure.instance.fields)))
        self.entered, self.entry = closure, closure.function
        super().enter(closure)

    def find_late(self) -> list[Closure]:
        """The functions that looked at a place, or into their object, before all was there, each
        once.
        """
        self.is_last = True
        self.late += [
            closure for closure, held in self._seen
            if closure.instance is not None and _is_filled(held, closure.instance.fields)
        ]  # fmt: skip
        return list({id(one): one for one in self.late}.values())

    def run_promise(self, expression: Call, run: Callable[[Given], object]) -> Value:
        """What a promise was kept with: `run` calls its function with what keeps it.

        That which is kept at once is of this call alone; what is kept later is of all of them.
        """
        place = f"{_PROMISE}{id(expression)}>"
        before = self.left.pop(place, None)
        run([(Argument(expression.callee), Value(name=place))])
        kept = self.left.get(place)
        if before is not None:
            self.leave(place, before)
        return (self.take(place) if kept is None else kept) or NOTHING

    def go_through(self, node: SgNode, closure: Closure) -> Value:
        """What Go's `func(yield func(a) bool)` hands of each element."""
        called = Call(node, Name(node, "range"), ())
        return self.run_promise(called, lambda given: self.read_property(node, closure, given))

    def leave_with(self, of: Value, part: str, value: Value) -> None:
        """Note a part that is set of what goes along with a request, or that a server keeps."""
        if _is_carrier(of.name):
            self.leave(f".{part}", value)
        elif value.instance is not None and _is_application(of.name):
            self.leave(f"app.{part}", value)
        elif _is_session(of.name):
            self.leave(f"{_KEPT}{part}", value)

    def take_from(self, of: Value, part: str) -> Value | None:
        """A part of what goes along with a request, or of what a server keeps, if this file sets
        it; or of a job.
        """
        name = extend_name(of.name, f".{part}")
        if _is_application(of.name):
            return self.take(f"app.{part}")
        if _is_session(of.name):
            return self._take_kept(part)
        if _is_job(name):
            return self.take(_QUEUE)
        if not _is_carrier(of.name) or self.matcher.find_source(name):
            return None
        return self.take(f".{part}")

    def build_parameter(self, closure: Closure, parameter: Parameter) -> Value:
        """What a caller that nobody knows hands over; to a listener what was left for it."""
        value = super().build_parameter(closure, parameter)
        marks = closure.function.annotations
        if not any(mark.rpartition(".")[2] in _LISTENERS for mark in marks):
            return value
        left = self.take(_QUEUE)
        return value if left is None else left._replace(name=value.name)

    def relay(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value | None:
        """A call that leaves something for another function, or takes it; None for any other."""
        callee, values = expression.callee, [value for _, value in given]
        if called.name.startswith(_PROMISE):
            # What is gone through by key and value says the value last.
            self.leave(called.name, env.drop_cleared(values[-1]) if values else NOTHING)
            return NOTHING
        if not isinstance(callee, Attribute):
            return None
        word = callee.name
        if called.name in _GATHERERS and values and values[0].closure is not None:
            each = self.go_through(expression.node, values[0].closure)
            return Value(items={0: each}, box=object(), partial=True)
        if receiver.name == CHANNEL and values:
            self.leave(CHANNEL, values[0])
            return None
        if receiver.closure is not None and word in _DELAYED:
            return self.apply_later(expression, receiver.closure, given, env)
        if word in ("on", "addListener", "once", "emit") and len(values) > 1:
            return self._tell_listeners(expression, word, given, env)
        if called.name and _is_poster(called.name) and values:
            posted = [one for one in values[:3] if one.constant is UNKNOWN or one is values[-1]]
            self.leave(_QUEUE, env.drop_cleared(posted[0] if posted else values[-1]))
            return None
        if _is_job(extend_name(called.name, "()")):
            return self.take(_QUEUE)
        return self._keep_by_key(called.name, word, receiver, values, env)

    def _keep_by_key(
        self, name: str, word: str, receiver: Value, values: Sequence[Value], env: Env
    ) -> Value | None:
        if word == "WithValue" and name == "context.WithValue" and len(values) > 2:
            self.leave(f":{_describe_key(values[1])}", env.drop_cleared(values[2]))
            return None
        if name.endswith(_SETTERS_AROUND) and len(values) > 1:
            self.leave(f"{_AROUND}{values[0].constant}", env.drop_cleared(values[1]))
            return None
        if name.endswith(_GETTERS_AROUND) and values:
            return self.take(f"{_AROUND}{values[0].constant}")
        if _STORE.search(receiver.name):
            if word in ("run", "enterWith") and values:
                self.leave(receiver.name, env.drop_cleared(values[0]))
            return self.take(receiver.name) if word == "getStore" else None
        if _is_session(receiver.name):
            return self._keep_in_session(word, values, env)
        if not _is_carrier(receiver.name) and not receiver.name.endswith(".Context()"):
            return None
        if word in _KEEPERS and len(values) > 1:
            self.leave(f":{_describe_key(values[0])}", env.drop_cleared(values[1]))
            return None
        if word in _READERS and len(values) == 1 and not self.matcher.find_source(f"{name}()"):
            return self.take(f":{_describe_key(values[0])}")
        return None

    def _keep_in_session(self, word: str, values: Sequence[Value], env: Env) -> Value | None:
        key = values[0].constant if values else UNKNOWN
        if not isinstance(key, str):
            return None
        if word in _KEEPERS and len(values) > 1:
            self.leave(f"{_KEPT}{key}", env.drop_cleared(values[1]))
            return None
        return self._take_kept(key) if word in _READERS else None

    def _take_kept(self, key: str) -> Value | None:
        """What a session has under a key, if somebody outside may have sent it.

        What else was put there is there for some visitors alone.
        """
        left = self.take(f"{_KEPT}{key}")
        sent = left is not None and any(one.strength == REMOTE for one in iter_taints(left))
        return left._replace(constant=UNKNOWN) if left is not None and sent else None

    def _tell_listeners(self, expression: Call, word: str, given: Given, env: Env) -> Value | None:
        event = given[0][1].constant
        if not isinstance(event, str):
            return None
        if word != "emit":
            closures = [one.closure for _, one in given[1:] if one.closure is not None]
            self.listeners.setdefault(event, []).extend(closures)
            return None
        for closure in self.listeners.get(event, ()):
            self.apply_later(expression, closure, given[1:], env)
        return None

    def apply_later(
        self, expression: Call, closure: Closure, given: Given, env: Env
    ) -> Value | None:
        """Have a function called with what it is handed now."""
        raise NotImplementedError


def _describe_key(key: Value) -> str:
    """A key by its value, or by what it is called: `tenantKey{}` is one."""
    return key.name if key.constant is UNKNOWN else repr(key.constant)


def spread_arguments(given: Given) -> Given:
    """What `apply_async(args=[…], kwargs={…})` hands on; anything else is handed on as it is."""
    words = {one.keyword: value for one, value in given}
    first = words.get("args") or (given[0][1] if given and given[0][0].keyword is None else None)
    node: Expression | None = given[0][0].value if given else None
    if first is None or not first.is_list or first.items is None or node is None:
        return given
    handed = [(Argument(node), one) for one in first.items.values()]
    named = words.get("kwargs") or NOTHING
    return [
        *handed,
        *((Argument(node, str(key)), one) for key, one in (named.items or {}).items()),
    ]


def _is_filled(before: Mapping[str, Value], now: Mapping[str, Value]) -> bool:
    """Whether an object holds something since that somebody outside has sent."""
    return any(
        value is not before.get(name) and not _list_sent(value) <= _list_sent(before.get(name))
        for name, value in now.items()
    )


def _list_sent(value: Value | None) -> set[Hashable]:
    """The origins outside of what is in a value, in its parts, or in a field of their objects."""
    if value is None:
        return set()
    parts = [value, *(value.items or {}).values()]
    fields = (
        field for one in parts if one.instance is not None for field in one.instance.fields.values()
    )
    held = (taint for one in (*parts, *fields) for taint in iter_taints(one))
    return {taint.key for taint in held if taint.strength == REMOTE}
