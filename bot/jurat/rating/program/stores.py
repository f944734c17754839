"""Where a program keeps things: tables, models, collections, keys, files, fields of an object.

A control often does not call what it controls: one function puts a decision somewhere, and another,
at a person's call, takes it from there. That both mean the same place is told by what a place is
called in the data: a table in a statement, a class of an ORM, a key of Redis, a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags, WriteFact
from jurat.rating.code.sql_statements import has_statement, list_tables, read_statement
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_verbs import NOTES, PUTS, REMOVES

_MODEL = re.compile(
    r"Model|Base\b|Base\(|Document|declarative_base|SQLModel|Entity|Schema|\bTable\b"
)
_KEYED = re.compile(
    r"redis|(?:^|[./:])fs\b|fs/promises|pathlib|builtins\.open|shutil|os\.path|os\.\w+$|boto3|dynamodb"
    r"|mongoose"
    r"|mongodb|pymongo|MongoClient|localStorage|shelve|tinydb|firestore|etcd|consul|memcache",
    re.IGNORECASE,
)
_REPOSITORY = re.compile(
    r"(?:Repository|PrismaClient|Model|EntityManager|Collection|MongoClient)\(\)"
)
_PRISMA = "PrismaClient()."
_COMMON = frozenset(
    (
        *("request", "app", "body", "json", "client", "session", "data", "args", "params", "query"),
        *("headers", "db", "objects", "logger", "log", "console", "user", "form", "POST", "GET"),
        *(
            "state",
            "status",
            "files",
            "id",
            "pk",
            "content",
            "text",
            "model",
            "messages",
            "choices",
        ),
        *(
            "message",
            "prisma",
            "orm",
            "service",
            "config",
            "settings",
            "env",
            "environ",
            "name",
            "openai",
        ),
    )
)


_SHORT = 4
"""Letters of a word that is more often an option, or a mode of opening, than a place."""


def list_places(conduct: Conduct, one: Function, tags: Tags) -> tuple[str, ...]:
    """The places that are meant by what is said: tables, models, keys, paths, shared variables."""
    known = conduct.program.known.places
    key = (one[0], tags)
    places = known.get(key)
    if places is None:
        places = known[key] = tuple(_iter_places(conduct, one, tags))
    return places


@lru_cache(maxsize=65_536)
def _is_keyed(name: str) -> bool:
    """Whether a name is one of what keeps things under keys or paths."""
    return _KEYED.search(name) is not None


def _iter_places(conduct: Conduct, one: Function, tags: Tags) -> Iterator[str]:
    named = {tag: _find_kept(conduct, one, tag) for tag in tags if tag[:2] == "x:"}
    keyed = any(is_keyed for _, is_keyed in named.values())
    for tag in tags:
        kind, said = tag[:2], tag[2:]
        if kind == "t:" and has_statement(said):
            yield from (f"table:{name}" for name in list_tables(said))
        elif kind == "t:" and (keyed or "/" in said) and " " not in said and len(said) > _SHORT:
            yield f"key:{said}"
        elif kind == "s:":
            yield tag
        elif kind == "x:" and (model := named[tag][0]):
            yield model


def _find_kept(conduct: Conduct, one: Function, tag: str) -> tuple[str, bool]:
    """The class of stored things that a call by name leads into, and whether it keeps by keys."""
    known = conduct.program.known.kept
    key = (one[0], tag)
    found = known.get(key)
    if found is None:
        foreign = conduct.program.resolve(one[0], tag[2:])[1]
        keyed = _is_keyed(tag) or _is_keyed(foreign)
        found = known[key] = _find_model(conduct, one, tag[2:]), keyed
    return found


def _find_model(conduct: Conduct, one: Function, said: str) -> str:
    """The class of stored things that a name leads into, "" if none."""
    _, foreign = conduct.program.resolve(one[0], said)
    if _PRISMA in foreign:
        return f"model:{foreign.partition(_PRISMA)[2].partition('.')[0]}"
    where, rest = one[0], said.removeprefix("local:")
    if not said.startswith("local:"):
        inside = conduct.program.find_module(one[0], said)
        if inside is None:
            return ""
        where, rest = inside
    head = rest.partition(".")[0].removesuffix("()")
    roots = conduct.program.list_roots(where, head)
    if any(_MODEL.search(root) and not root.startswith("pydantic") for root in roots):
        return f"model:{where}:{head}"
    return ""


def list_called(conduct: Conduct, one: Function, call: CallFact) -> Iterator[str]:
    """The places that a call reads or changes."""
    tags = call.receiver | call.given
    yield from list_places(conduct, one, tags | {f"x:{call.callee}"})
    name = conduct.name(one, call.callee)
    if _REPOSITORY.search(name) or _REPOSITORY.search(call.callee):
        last = call.callee.rpartition(".")[2]
        yield from (f"field:{t[2:]}" for t in call.receiver if _is_field(t) and t[2:] != last)
        yield from (f"key:{tag[2:]}" for tag in call.receiver if tag[:2] == "t:")


def _is_field(tag: str) -> bool:
    return tag[:2] == "a:" and tag[2:] not in _COMMON


def list_written(conduct: Conduct, one: Function, write: WriteFact) -> Iterator[str]:
    """The places into which a value is written: a variable, or a part of what came from a place."""
    if write.place[:2] == "s:":
        yield write.place
    if _is_field(write.place):
        yield f"field:{write.place[2:]}"
    yield from list_places(conduct, one, write.base)
    yield from (f"field:{tag[2:]}" for tag in write.base if _is_field(tag))


def get_last(call: CallFact) -> str:
    """The last part of what is called, in lower case."""
    return call.callee.removesuffix("()").rpartition(".")[2].lower()


_GATHERS = frozenset(("append", "push", "extend", "add", "unshift"))


def is_gathered(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether a call puts something into a list that its function made, and that keeps nothing.

    Of such a list nothing is known but what the function put there itself.
    """
    last = get_last(call)
    if not call.callee.startswith("?.") or last not in _GATHERS:
        return False
    if any(tag[:2] == "s:" for tag in call.receiver):
        return False  # the file's own list is there when the function is done
    put = (other.given for other in facts.calls if other.callee == call.callee)
    return call.receiver <= frozenset({f"a:{last}"}).union(*put)


def is_change(call: CallFact) -> bool:
    """Whether a call is one by which things are put, changed or removed."""
    return get_last(call) in PUTS


def is_removal(call: CallFact) -> bool:
    """Whether a call only removes."""
    return get_last(call) in REMOVES


def is_addition(call: CallFact) -> bool:
    """Whether a call only puts something beside what is there."""
    texts = [tag[2:] for tag in call.given | call.receiver if tag[:2] == "t:"]
    stated = [text for text in texts if has_statement(text)]
    if stated:
        return all(_ADDS_ROW.match(text) for text in stated)
    return get_last(call) in NOTES


_ADDS_ROW = re.compile(
    r"\s*INSERT\b(?!.*\bON\s+(?:CONFLICT|DUPLICATE)\b)", re.IGNORECASE | re.DOTALL
)


def list_worked_on(conduct: Conduct, one: Function) -> frozenset[str]:
    """The places that a function reads or changes; who only adds to one has seen nothing of it."""
    facts = conduct.facts(one)
    found: set[str] = set()
    for call in facts.calls:
        if not is_addition(call):
            found.update(list_called(conduct, one, call))
            found.update(f"field:{name}" for name in _list_held(call))
    for write in facts.writes:
        found.update(list_written(conduct, one, write))
    return frozenset(found)


def _list_held(call: CallFact) -> frozenset[str]:
    """The fields of what a call is made on; what is called there is none."""
    called = {part for t in call.receiver if t[:2] == "x:" for part in t[2:].split(".")}
    called |= {part.removesuffix("()") for part in called} | {get_last(call)}
    held = (tag[2:] for tag in call.receiver if tag[:2] == "a:")
    return frozenset(name for name in held if name not in called and name.lower() not in called)


def _is_looked(call: CallFact) -> bool:
    """Whether a call only looks for something, by a statement."""
    texts = [tag[2:] for tag in call.given | call.receiver if tag[:2] == "t:"]
    stated = [found for text in texts if (found := read_statement(text))]
    return bool(stated) and all(found.verb == "SELECT" for found in stated)


def list_filled(conduct: Conduct, functions: Iterable[Function]) -> frozenset[str]:
    """The places that functions put something into."""
    found: set[str] = set()
    for one in functions:
        facts = conduct.facts(one)
        for write in facts.writes:
            if not write.constant:
                found.update(list_written(conduct, one, write))
        for call in facts.calls:
            if not is_change(call) or is_removal(call) or _is_looked(call):
                continue
            if not conduct.infers(one, call):
                found.update(list_called(conduct, one, call))
                found.update(f"field:{name}" for name in _list_held(call) - _COMMON)
    return frozenset(found)


def list_touched(conduct: Conduct, one: Function) -> frozenset[str]:
    """The places out of which a function takes something, or that it changes."""
    facts = conduct.facts(one)
    found: set[str] = set()
    for call in facts.calls:
        found.update(list_called(conduct, one, call))
        found.update(f"field:{tag[2:]}" for tag in call.receiver if tag[:2] == "a:")
    for write in facts.writes:
        found.update(list_written(conduct, one, write))
    return frozenset(found)


_ASKED_FROM = re.compile(
    r"(?:^|\.)(?:request|req|ctx|context\.request|session|cookies|getServerSession|currentUser"
    r"|current_user|sys\.argv|sys\.stdin|builtins\.input|event)(?:\.|\(|$)"
)


def is_given(tags: Tags) -> bool:
    """Whether a value was handed in: a parameter, or what a framework holds of the request."""
    return any(
        tag[:2] == "p:" or (tag[:2] == "x:" and _ASKED_FROM.search(tag[2:]) is not None)
        for tag in tags
    )
