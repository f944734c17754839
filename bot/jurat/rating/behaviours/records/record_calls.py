"""Calls that add a record of what was done to what outlives the process, and its fields."""

from __future__ import annotations

import re

from jurat.rating.behaviours.records.recording import is_logged_for_good, list_recorded
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.sql_statements import list_columns
from jurat.rating.code.tag_search import has_name
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.stores import get_last, is_change, is_gathered, list_called

RECORDS = re.compile(
    r"(?:^|[\W_])(?:logs?|trails?|audit\w*|events?|traces?|journal|ledger|history|decisions?|records?"
    r"|inferences?|runs?|calls)(?:[\W_]|$)",
    re.IGNORECASE,
)
PUT = re.compile(
    r"(?:^|\.)(?:write|writelines|writerow|dump|writeFileSync|appendFileSync|appendFile|write_text"
    r"|execute|executemany|insert|insert_one|insertOne|put_item|put_object|add|save|create|append"
    r"|publish|send|xadd|put_events|to_sql|query|prepare|run|put_record|hset|lpush|rpush|setex|upsert|values"
    r"|insertMany|insert_many|bulk_create|update_or_create|putItem|add_all|put_log_events|fetch"
    r"|putLogEvents|putRecord|putObject|upload|upload_blob|uploadData|upload_from_string)$"
)
STORE = re.compile(
    r"sqlite3|psycopg|asyncpg|sqlalchemy|pymongo|mongodb|boto3|redis|elasticsearch|builtins\.open"
    r"|pathlib|Path\(\)|^(?:node:)?fs\b|^fs/promises|knex|prisma|better-sqlite3|pg\b|kafka|csv|aiofiles"
    r"|django|peewee|tinydb|duckdb|google\.cloud|typeorm|sequelize|mongoose|drizzle|PrismaClient|mikro-orm"
    r"|supabase|firestore|dynamodb|aiosqlite|clickhouse|cassandra|sqlmodel|tortoise|aws-sdk"
    r"|storage-blob|azure\.storage"
)
INSERT = re.compile(r"\bINSERT\s+INTO\b", re.IGNORECASE)
FIELDS = re.compile(
    r"^(?:\w*_id|id|run|request|session|trace|span|correlation\w*|user|actor|operator|model"
    r"|model_?\w*|version|prompt\w*|input\w*|output\w*|score|decision|outcome|latency\w*|requestId"
    r"|runId|traceId|sessionId|userId|modelVersion|\w+Id|outcome|mark|grade|level|result|answer\w*"
    r"|verdict|proposal|proposed|applicant|features|chance|prediction|probability|tokens|response)$",
    re.IGNORECASE,
)
_LEAST_KEYS = 3
"""Fields of a record by what stands around all requests: it cannot know which of them matter."""
CHANGES = re.compile(
    r"^\s*(?:UPDATE|REPLACE|MERGE|INSERT\s+OR\s+REPLACE)\b|\bDO\s+UPDATE\b|\bON\s+DUPLICATE\s+KEY\b",
    re.IGNORECASE,
)
"""What puts the last result in the place of the one before."""
_TO_FILE = re.compile(r"appendFile|\.write(?:lines|row)?$|json\.dump|\.dump$")
_WHEN = re.compile(r"^(?:at|ts|when|day|date|time\w*|\w+_at|created\w*)$", re.IGNORECASE)
_OVERWRITES = re.compile(r"(?:^|\.)(?:writeFileSync|writeFile|write_text|write_bytes)$")
_UNDER_KEY = re.compile(r"\.(?:set|setex|hset|hmset)$")
_APART = re.compile(
    r"uuid|nanoid|now\b|time\b|Date\b|strftime|isoformat|hexdigest|randomUUID|\.next"
)
_ADDING = frozenset(("add", "create", "insert", "insert_many", "bulk_create", "add_all"))
_FETCHES = re.compile(
    r"(?:find|get|load|first|one|fetch|select|retrieve|lock)\w*(?:\(\))?$", re.IGNORECASE
)


def is_record(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call logs for good, or stores, what was done."""
    if not (call.given or call.keywords):
        return False
    if conduct.is_logged(one, call):
        varies = any(tag[:2] != "t:" for tag in call.given)
        return varies and is_logged_for_good(conduct, one, call)
    return is_stored(conduct, one, call) and _is_of_run(conduct, one, call)


def _is_of_run(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is stored is added as a record of what was done.

    The result alone, put where the thing itself is kept, tells nobody later how it came about.
    """
    tags = call.receiver | call.given
    if any(CHANGES.search(tag[2:]) for tag in tags if tag[:2] == "t:"):
        return False
    tables = [tag[2:] for tag in tags if tag[:2] == "t:" and INSERT.search(tag[2:])]
    # A sentence that came along with the answer names no place.
    places = tables or [tag[2:] for tag in tags if tag[:2] in ("t:", "a:", "x:") and " " not in tag]
    named = any(RECORDS.search(place) for place in places)
    to_file = _TO_FILE.search(conduct.name(one, call.callee)) is not None
    keys = list_keys(call)
    dated = any(map(_WHEN.search, keys)) and any(map(FIELDS.search, keys))
    return bool(named or to_file or dated or has_fields(call))


def is_recording(conduct: Conduct, one: Function) -> bool:
    """Whether a function, or one that it calls, adds a record, and not only of a failure."""
    reached = conduct.program.walk([one], 1)
    return any(
        is_record(conduct, item, call) and not is_of_failure(conduct, item, call)
        for item in reached
        if item == one or item not in conduct.leading
        for call in conduct.facts(item).calls
    )


def is_of_failure(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call is made only if something went wrong."""
    return any(guard.handler for guard in conduct.list_guards(one, call))


def is_stored(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call puts something into a store that outlives the process."""
    name = conduct.name(one, call.callee)
    if not PUT.search(name) or is_gathered(conduct.facts(one), call):
        return False
    tags = call.receiver | call.given
    if _OVERWRITES.search(name) and not _is_apart(tags):
        return False  # the last answer alone is no record of what was answered
    if _UNDER_KEY.search(name) and not has_name(call.given, _APART):
        return False  # nor is what is found again under a key, such as in a cache
    if conduct.infers(one, call):
        return False
    if any(INSERT.search(tag) for tag in tags if tag[:2] == "t:"):
        return True
    if _is_put_back(call, name):
        return False
    if get_last(call) in _ADDING and any(
        place.startswith("model:") for place in list_called(conduct, one, call)
    ):
        return True
    # What came out of a store is not put into one, unless the file is handed in to be written to.
    held = STORE.search(name) is not None or has_name(
        tags if _TO_FILE.search(name) else call.receiver, STORE
    )
    return held and any(tag[:2] in ("p:", "x:") for tag in call.given)


def _is_apart(tags: Tags) -> bool:
    """Whether each record has a place of its own, or is put behind the last."""
    return (
        has_name(tags, _APART)
        or bool(tags & {"t:a", "t:a+", "a:id", "a:key", "a:pk", "k:flag"})
        or any(tag[:2] == "p:" and tag.lower().endswith(("id", "key", "path")) for tag in tags)
    )


def _is_put_back(call: CallFact, name: str) -> bool:
    """Whether a thing is saved that was taken from where it is kept: it is changed, not added."""
    where, _, last = name.rpartition(".")
    return bool(where and last in ("save", "merge", "persist")) and any(
        tag[2:].rpartition(".")[0] == where and _FETCHES.match(tag.rpartition(".")[2])
        for tag in call.given
        if tag[:2] == "x:"
    )


def list_keys(call: CallFact) -> set[str]:
    """The fields that a call is given: keys and keywords, or the columns of a statement."""
    columns: set[str] = set()
    for text in (tag[2:] for tag in call.given | call.receiver if tag[:2] == "t:"):
        columns |= list_columns(text)
    # The keys that come along with a value are those by which it was asked for, not its columns.
    return columns or {tag[2:] for tag in call.given if tag[:2] == "k:"} | set(call.keywords)


def has_fields(call: CallFact) -> bool:
    """Whether a record says two things of an inference: which run or model, and what came of it."""
    return len({key for key in list_keys(call) if FIELDS.search(key)}) > 1


def list_recorders(conduct: Conduct) -> tuple[Function, ...]:
    """What stands around a request, or a call of a model, and writes down what came of it."""
    if not (conduct.handlers & conduct.leading or conduct.inferring):
        return ()
    return tuple(
        one
        for one in sorted(conduct.wrappers)
        if any(
            len(list_keys(call)) >= _LEAST_KEYS
            and (conduct.is_logged(item, call) or is_stored(conduct, item, call))
            for item in conduct.program.walk([one], 2)
            for call in conduct.facts(item).calls
        )
    )


def list_around(conduct: Conduct) -> frozenset[Function]:
    """The functions on the path of an inference, and those that stand around all of it."""
    around = conduct.beside | conduct.program.walk(list_recorders(conduct), 2)
    return around & frozenset(conduct.product)


def list_recorded_places(conduct: Conduct) -> frozenset[str]:
    """The places into which the path of an inference puts what tells of it."""
    return frozenset(
        place
        for one in list_around(conduct)
        for call in conduct.facts(one).calls
        if is_change(call) and not conduct.infers(one, call)
        if has_fields(call) or (one not in conduct.beside and len(list_keys(call)) >= _LEAST_KEYS)
        for place in list_called(conduct, one, call)
        if not place.startswith("s:")
    ) | frozenset(
        place
        for record in list_recorded(conduct)
        for kept in list_store_calls(conduct, record.function)
        if kept.call.line == record.line and kept.outlives
        for place in kept.places
        if place.startswith(("table:", "model:", "key:"))
    )
