"""What calls do to where things are kept: read, add, change or remove, where, and which fields.

A statement, a driver's method, a mapper's class, a key and a path all come to the same: a place, an
access and fields. An own function that hands a statement on, or a name of a place, is the store
itself to who calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.sql_statements import is_put_over, read_statement
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_verbs import SURE, Access, read_own_verb, tell_access
from jurat.rating.program.stores import get_last, is_gathered, list_places, list_written


class StoreCall(NamedTuple):
    """A call on a place. `given` is all that it says; `outlives` that the process may end."""

    call: CallFact
    access: Access
    places: frozenset[str]
    fields: frozenset[str]
    given: Tags
    outlives: bool


_ACCESSES = {
    "SELECT": Access.READ,
    "INSERT": Access.ADD,
    "REPLACE": Access.CHANGE,
    "MERGE": Access.CHANGE,
    "UPSERT": Access.CHANGE,
    "UPDATE": Access.CHANGE,
    "DELETE": Access.REMOVE,
    "TRUNCATE": Access.REMOVE,
}
_WORD = re.compile(r"\w+")

_KEPT_APART = re.compile(
    r"sqlite3|shutil\.\w+$|psycopg|asyncpg|sqlalchemy|pymongo|mongo|boto3|aws-sdk|redis|elasticsearch"
    r"|builtins\.open|pathlib|Path\(\)|^(?:node:)?fs\b|fs/promises|knex|prisma|better-sqlite3"
    r"|(?:^|[/.:])pg\b|kafka|csv\.|aiofiles|django|peewee|tinydb|duckdb|google.cloud|typeorm"
    r"|sequelize|mongoose|drizzle|supabase|firestore|firebase|dynamodb|aiosqlite|clickhouse"
    r"|cassandra|sqlmodel|tortoise|shelve|lmdb|pymysql|mysql|pika|amqp|nats|libsql|\.sql\b"
    r"|storage-blob|azure\.storage|KVNamespace|R2Bucket|D1Database|LMDB|Deno\.openKv|localforage"
    r"|(?:^|[./_])db(?:[./_()]|$)|(?:^|[./_])(?:database|storage|bucket|collection)(?:[./_()]|$)",
    re.IGNORECASE,
)
"""In whose names what is kept outlives the process."""


@lru_cache(maxsize=65_536)
def _is_kept_apart(name: str) -> bool:
    return _KEPT_APART.search(name) is not None


_NETWORK = re.compile(
    r"^(?:requests|httpx|axios|fetch|aiohttp|urllib\w*|got|undici|superagent|ky|(?:aio)?smtplib"
    r"|nodemailer|twilio)\b"
)
"""What is sent by these goes to somebody, and is not put by."""
_SHOWN = frozenset(("a:stdout", "a:stderr"))
"""What is written there is seen, and not kept."""
_KEYED_ADDS = frozenset(("xadd", "lpush", "rpush", "send_message", "sadd", "zadd", "enqueue"))
_APPENDS = frozenset(("a", "a+", "ab", "at", "as"))


def list_store_calls(conduct: Conduct, one: Function) -> tuple[StoreCall, ...]:
    """The calls of a function on places, in order."""
    known = _remember_calls(conduct)
    if one not in known:
        known[one] = ()  # who is asked about itself has nothing to add
        known[one] = tuple(_iter_store_calls(conduct, one))
    return known[one]


@ask_once
def _remember_calls(_: Conduct) -> dict[Function, tuple[StoreCall, ...]]:
    """The calls of each function that was asked about before."""
    return {}


def _iter_store_calls(conduct: Conduct, one: Function) -> Iterator[StoreCall]:
    facts = conduct.facts(one)
    for call in facts.calls:
        if conduct.infers(one, call):
            continue
        if call.callee == "del":
            if places := _list_shared(call.given):
                said = call.given
                yield StoreCall(call, Access.REMOVE, places, frozenset(), said, outlives=False)
            continue
        found = _read_statement(conduct, one, call)
        yield from (found,) if found is not None else _iter_method(conduct, one, call)
    for write in facts.writes:
        if write.place[:2] == "a:" and (placed := frozenset(list_written(conduct, one, write))):
            call = CallFact("", write.line, write.value, write.base, guards=write.guards)
            yield StoreCall(
                call,
                Access.CHANGE,
                placed,
                frozenset({write.place[2:]}),
                write.value,
                outlives=False,
            )
        elif write.place[:2] in ("k:", "i:") and (places := _list_shared(write.base)):
            call = CallFact("", write.line, write.value, write.base, guards=write.guards)
            fields = frozenset({write.place[2:]} - {""}) | _list_keys(write.value)
            yield StoreCall(call, Access.CHANGE, places, fields, write.value, outlives=False)


def _list_shared(base: Tags) -> frozenset[str]:
    """The variables and fields that stand for a place in what a value is put into."""
    return frozenset(f"s:{t[2:]}" if t[:2] == "s:" else f"field:{t[2:]}"
                     for t in base if t[:2] in ("s:", "a:"))  # fmt: skip


def _read_statement(conduct: Conduct, one: Function, call: CallFact) -> StoreCall | None:
    """What a statement does that a call is given, whatever is called."""
    texts = _list_texts(call.given) or _list_texts(call.receiver)
    # What else comes along is what the values were looked up by.
    taken = (call.first,) if read_statement(call.first) else texts
    stated = [found for text in taken if (found := read_statement(text))]
    if not stated or not _has_statement(conduct, one, call):
        return None
    verb = next((found.verb for found in stated if found.verb != "SELECT"), "SELECT")
    access = _ACCESSES[verb]
    if access is Access.ADD and any(map(is_put_over, texts)):
        access = Access.CHANGE
    places = {f"table:{name}" for found in stated for name in found.tables}
    if any(found.is_open for found in stated):
        named = (*texts, *_list_keys(call.given))
        places |= {f"table:{text.lower()}" for text in named if _WORD.fullmatch(text)}
    columns: frozenset[str] = frozenset().union(*(found.columns for found in stated))
    said = call.given | call.receiver
    return StoreCall(call, access, frozenset(places), columns, said, outlives=True)


@lru_cache(maxsize=65_536)
def _list_texts(tags: Tags) -> tuple[str, ...]:
    return tuple(tag[2:] for tag in tags if tag[:2] == "t:")


_EXECUTES = re.compile(
    r"^(?:execute\w*|exec|query\w*|run|raw\w*|sql|prepare|all|get|each|one|none|many|any|oneornone|manyornone"
    r"|fetch|fetchval|fetchrow|fetchone|fetchall|text|bind|batch|scalars?|first|values|read_sql\w*|\$query\w*"
    r"|\$execute\w*|unsafe|statement|select|insert|update|delete|read|write|put|save|begin|task|tx|do)$"
)
"""What a statement is handed to, or made ready by."""
_AFTERWARDS = frozenset(("fetchone", "fetchall", "fetchrow"))
"""What is called on what a statement gave, with nothing new."""


def _has_statement(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call is told a statement, and not only what came of one."""
    if read_statement(call.first):
        return True
    if get_last(call) in _AFTERWARDS or any(t[1] for t in conduct.targets(one, call.callee)):
        return False
    return _EXECUTES.match(get_last(call)) is not None


def _list_keys(tags: Tags) -> frozenset[str]:
    return frozenset(tag[2:] for tag in tags if tag[:2] == "k:" and not tag.startswith("k:$"))


def _tell_access(last: str, call: CallFact) -> Access | None:
    appends = last in ("write", "writelines") and any(
        tag[2:] in _APPENDS for tag in call.receiver if tag[:2] == "t:"
    )
    return Access.ADD if appends else tell_access(last)


def _iter_method(conduct: Conduct, one: Function, call: CallFact) -> Iterator[StoreCall]:
    """What a method of a store does, or an own function that hands on to one, or to several."""
    own = sorted(conduct.program.list_listeners(one[0], call)) or [
        target for target in conduct.targets(one, call.callee) if target[1]
    ]
    if answering := _list_answering(conduct, one, call, own):
        receiver = _expand_answer(conduct, one, call, answering)
    else:
        found = tuple(_iter_wrapped(conduct, one, call, own)) if own else ()
        yield from found
        if found or (own and not call.callee.startswith("?.")):
            return
        receiver = call.receiver
    if (read := _read_verb(conduct, one, call, receiver)) is not None:
        yield read


def _list_answering(
    conduct: Conduct, one: Function, call: CallFact, own: list[Function]
) -> frozenset[Function]:
    """The own functions of whose answer a member is called that is no own function itself."""
    member = call.callee.rpartition(".")[2]
    if "()." not in call.callee or any(conduct.facts(each).name == member for each in own):
        return frozenset()
    return conduct.list_behind(one, call.receiver)


def _expand_answer(
    conduct: Conduct, one: Function, call: CallFact, answering: frozenset[Function]
) -> Tags:
    """What a call is made on, if own functions answer it: who gives back a table is the table.

    By which words a connection was opened, which the table came from, is no place.
    """
    words = {f"t:{text}" for each in answering for text in conduct.facts(each).says}
    found = conduct.expand(one, call.receiver)
    return frozenset(t for t in found if t[:2] != "t:" or t in words or t in call.receiver)


def _read_verb(conduct: Conduct, one: Function, call: CallFact, receiver: Tags) -> StoreCall | None:
    """What a call does by its verb, to what it is made on."""
    last = get_last(call)
    access = _tell_access(last, call)
    # By its verb most of what is called is no store's, whatever it is called on.
    if "." not in call.callee or (access is None and not _can_be_own_store(conduct, call)):
        return None
    name = conduct.name(one, call.callee) or call.callee
    if _NETWORK.search(name) or is_gathered(conduct.facts(one), call) or _SHOWN & call.receiver:
        return None
    if access is None:
        return _read_own_store(conduct, one, call, name)
    receiver |= _list_opened(conduct, one, receiver)
    # What a class does to its own rows is done where they are: `cls.objects.create`.
    owner, dot, _ = call.callee.removeprefix("self:").partition(".")
    own = {f"x:local:{owner}"} if dot and call.callee.startswith("self:") else frozenset[str]()
    places = set(list_places(conduct, one, receiver | call.given | {f"x:{call.callee}"} | own))
    places |= set(_list_named_places(conduct, one, call))
    if not (places and all(place.startswith(("model:", "table:")) for place in places)):
        places = {place for place in places if not place.startswith("key:")}
        named = call.given if _TAKES_PATH.search(name) else receiver
        places |= {f"key:{t[2:]}" for t in named if t[:2] == "t:" and _is_name(t[2:])}
        if _is_name(call.first) and (access is not Access.ADD or last in _KEYED_ADDS):
            places.add(f"key:{call.first}")
    if call.first.lower() in conduct.tables.named:
        places = {f"table:{call.first.lower()}"}
    made = [other for other in conduct.facts(one).calls if f"x:{other.callee}" in call.given]
    fields = _list_keys(call.given) | set(call.keywords)
    fields |= {word for other in made if other is not call for word in other.keywords}
    outlives = (
        last in SURE
        or _is_kept_apart(name)
        or any(tag[:2] == "x:" and _is_kept_apart(tag) for tag in receiver)
        or any(place.startswith(("model:", "table:")) for place in places)
    )
    if not (outlives and any(not place.startswith("s:") for place in places)):
        # What stands for all of it, and is no handle of a store in which there are places.
        places |= {f"field:{t[2:]}" for t in receiver if t[:2] == "a:" and t[2:].lower() != last}
        places |= {t for t in receiver if t[:2] == "s:"}
    elif outlives:
        places = {place for place in places if not place.startswith("s:")}
    return StoreCall(
        call, access, frozenset(places), frozenset(fields), call.given | receiver,
        outlives=outlives,
    )  # fmt: skip


def _list_opened(conduct: Conduct, one: Function, receiver: Tags) -> Tags:
    """The words by which another file has opened the place that a call is made on."""
    return frozenset(
        said
        for tag in receiver
        if tag[:2] == "x:" and _is_place_opening(conduct.program.resolve(one[0], tag[2:])[1])
        for said in conduct.program.find_stated(one[0], tag[2:], receiver)
        if said[:2] == "t:" and _PLACE_NAME.fullmatch(said[2:])
    )


@lru_cache(maxsize=65_536)
def _is_place_opening(name: str) -> bool:
    """Whether a foreign name is of one place, and not of all that a database has.

    What is taken out of a client under a key has no name of its own.
    """
    return not name or _OPENS_PLACE.search(name) is not None


_OPENS_PLACE = re.compile(
    r"(?:[cC]ollection|[tT]able|[bB]ucket|get_?[cC]ontainer_?[cC]lient|\.model|Queue|KVNamespace)\(\)$"
)
_PLACE_NAME = re.compile(r"[A-Za-z][\w-]{2,}")
"""What a place is called, and no address, file or setting of what has it."""
_TAKES_PATH = re.compile(r"^(?:shutil|os|(?:node:)?fs(?:[./]promises)?)\.\w+$")
"""What is told where something lies, and is not called on it."""


_OF_HOUSE = re.compile(
    r"(?:^|_)(?:connection|client|pool|session|db|engine|table|index|file|config|settings?|schema"
    r"|transaction|lock|context|path)$"
)
"""What is opened or made ready, and keeps nothing of anybody."""


def _get_own_verb(call: CallFact) -> str:
    return call.callee.removesuffix("()").rpartition(".")[2]


def _can_be_own_store(conduct: Conduct, call: CallFact) -> bool:
    own = _get_own_verb(call)
    return read_own_verb(own) is not None or own.lower() in conduct.tables.named


def _read_own_store(conduct: Conduct, one: Function, call: CallFact, name: str) -> StoreCall | None:
    """What a store does that the product has written for itself, and that stands elsewhere.

    Its methods are called by what they do to what, or as the table is.
    """
    own = _get_own_verb(call)
    where = name.rpartition(".")[0]
    if not own[:1].islower() or not _OWN_STORE.search(where):
        return None
    read = read_own_verb(own)
    if own.lower() in conduct.tables.named:
        read = (Access.ADD if call.arguments else Access.READ, own.lower())
    if read is None or _OF_HOUSE.search(read[1]):
        return None
    access, thing = read
    table = next(
        (t for t in (thing, f"{thing}s", f"{thing}es") if t in conduct.tables.named), thing
    )
    said = call.given | call.receiver
    return StoreCall(
        call, access, frozenset({f"table:{table}"}), _list_keys(call.given) | {*call.keywords},
        said, outlives=True,
    )  # fmt: skip


_OWN_STORE = re.compile(
    r"(?:^|[./_])(?:db|repo|store|storage|database|repositor(?:y|ies)|ledger|journal|archive|dao|persistence)"
    r"(?:[./_()]|$)|(?:Repo|Store|Repository|Ledger|Journal|Dao)(?:\(\))?$",
)


_NAMES_PLACE = frozenset(
    (
        "TableName",
        "Bucket",
        "QueueUrl",
        "Table",
        "IndexName",
        "collection_name",
        "table_name",
        "table",
        "logGroupName",
        "index",
    )
)
_OF_TABLES = frozenset(("insert", "update", "delete", "from", "into", "select", "replace"))


def _list_named_places(conduct: Conduct, one: Function, call: CallFact) -> Iterator[str]:
    """The places that are named in a field of what a store is told, or by an object for a table."""
    for pair in conduct.facts(one).pairs:
        said = f"k:{pair.key}" in call.given or pair.key in call.keywords
        if pair.key in _NAMES_PLACE and said and pair.value <= call.given:
            yield from (f"table:{tag[2:].lower()}" for tag in pair.value if tag[:2] == "t:")
    chained = {tag[2:].rpartition(".")[2] for tag in call.receiver if tag[:2] == "x:"}
    called = {f"x:{other.callee}" for other in conduct.facts(one).calls}
    if get_last(call) in _OF_TABLES or chained & _OF_TABLES:
        for tag in call.given | call.receiver:
            if (
                tag.startswith(("x:./", "x:../", "x:@/", "x:~/", "x:."))
                and "(" not in tag
                and tag not in called
            ):
                path, _, name = tag[2:].rpartition(".")
                if name.isidentifier() and path.strip("./") and not name.startswith("db"):
                    yield f"table:{name.lower()}"


def _is_name(text: str) -> bool:
    return len(text) > 1 and not any(blank in text for blank in " \n\t")


def _iter_wrapped(
    conduct: Conduct, one: Function, call: CallFact, own: list[Function]
) -> Iterator[StoreCall]:
    """What an own function does to the places that it is given the name of, or has itself."""
    found = [
        (inner, places)
        for target in own[:2]
        if target != one and target not in conduct.leading
        for inner, places in _iter_handed_on(conduct, target, call)
    ]
    # Who puts something somewhere and looks there before is known by what it puts, and by what it
    # adds beside that.
    putting = [item for item in found if item[0].access is not Access.READ]
    beside = [item for item in putting[1:] if item[0].access is Access.ADD]
    for inner, places in (*(putting or found)[:1], *beside):
        clocks = frozenset(t for t in inner.given if t[:2] == "x:" and _CLOCK.match(t[2:]))
        yield StoreCall(
            call, inner.access, places,
            inner.fields or _list_keys(call.given) | frozenset(call.keywords),
            call.given | call.receiver | clocks, outlives=inner.outlives,
        )  # fmt: skip


_CLOCK = re.compile(r"^(?:time\.\w+|datetime\.datetime\.\w+|Date(?:\(\))?(?:\.\w+)?)(?:\(\))?$")
"""What an own function asks for the time, which its caller does not hand in."""


def _iter_handed_on(
    conduct: Conduct, target: Function, call: CallFact
) -> Iterator[tuple[StoreCall, frozenset[str]]]:
    """The calls by which an own function hands on to a store what it is given, with the places."""
    calls = list_store_calls(conduct, target)
    taken = {f"p:{name}" for name in conduct.facts(target).parameters} if calls else set()
    given = frozenset({f"key:{call.first}"} if _is_name(call.first) else ())
    for inner in calls:
        if taken & (inner.call.receiver | inner.call.given) and (given or inner.places):
            # Of several that a mapping has, the one is meant that is named.
            yield inner, given if given and given <= inner.places else given | inner.places
