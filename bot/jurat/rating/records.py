"""Behaviours on what is written down and how long it stays: logs, stores, deletion, access."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from jurat.rating.behaviour import Conduct, Sign, has_name, has_text, register_behaviour
from jurat.rating.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.program_names import Function
from jurat.rating.recording import (
    find_lasting_records,
    find_recorded_inferences,
    find_traced,
    is_logged_for_good,
    list_recorded,
)
from jurat.rating.settling import list_path
from jurat.rating.sql_statements import list_columns
from jurat.rating.store_calls import list_store_calls
from jurat.rating.store_verbs import Access
from jurat.rating.stores import get_last, is_change, is_given, list_called, list_touched
from jurat.rating.surroundings import is_small

RECORDS = re.compile(
    r"(?:^|[\W_])(?:logs?|trails?|audit\w*|events?|traces?|journal|ledger|history|decisions?|records?"
    r"|inferences?|runs?|calls)(?:[\W_]|$)",
    re.IGNORECASE,
)
_PUT = re.compile(
    r"(?:^|\.)(?:write|writelines|writerow|dump|writeFileSync|appendFileSync|appendFile|write_text"
    r"|execute|executemany|insert|insert_one|insertOne|put_item|put_object|add|save|create|append"
    r"|publish|send|xadd|put_events|to_sql|query|prepare|run|put_record|hset|lpush|rpush|setex|upsert|values"
    r"|insertMany|insert_many|bulk_create|update_or_create|putItem|add_all|put_log_events|fetch)$"
)
_STORE = re.compile(
    r"sqlite3|psycopg|asyncpg|sqlalchemy|pymongo|mongodb|boto3|redis|elasticsearch|builtins\.open"
    r"|pathlib|Path\(\)|^(?:node:)?fs\b|^fs/promises|knex|prisma|better-sqlite3|pg\b|kafka|csv|aiofiles"
    r"|django|peewee|tinydb|duckdb|google\.cloud|typeorm|sequelize|mongoose|drizzle|PrismaClient|mikro-orm"
    r"|supabase|firestore|dynamodb|aiosqlite|clickhouse|cassandra|sqlmodel|tortoise"
)
_INSERT = re.compile(r"\bINSERT\s+INTO\b", re.IGNORECASE)
_FILE_HANDLER = re.compile(
    r"(?:FileHandler|TimedRotatingFileHandler|SysLogHandler|CloudLoggingHandler|CloudWatchLogHandler"
    r"|transports\.(?:File|DailyRotateFile)|DailyRotateFile|pino\.destination|logger\.add"
    r"|WatchedFileHandler|JournalHandler|OTLP\w*Exporter|LokiHandler)$"
)
_TIMED = re.compile(r"TimedRotatingFileHandler$|DailyRotateFile$|winston-daily-rotate-file$")
_DURATION = re.compile(
    r"(?:^|\.)(?:timedelta|relativedelta|Duration|subDays|addDays|subMonths)\(?\)?$"
)
_DURATION_TEXT = re.compile(
    r"\b\d+\s*(?:days?|months?|years?|weeks?|d\b)|interval\s+'?\d+|-\d+ (?:days?|months?|years?)"
    r"|make_interval\s*\(\s*(?:days|months|years|weeks)",
    re.IGNORECASE,
)
_SECONDS = re.compile(r"^n:(?:86400(?:000)?|3600|24|2592000|15552000|31536000|604800)(?:\.0)?$")
_EXPIRY = re.compile(r"^(?:expireAfterSeconds|ex|ttl|TTL|retention_in_days|retention)$")
_REMOVE = re.compile(
    r"(?:^|\.)(?:unlink|remove|rmtree|rmdir|delete|delete_many|delete_one|deleteMany|deleteOne|destroy"
    r"|delete_object|delete_objects|unlinkSync|rmSync|rm|zremrangebyscore|delete_by_query|expire"
    r"|hdel|purge|drop|pop|del|discard|clear)$"
)
_REMOVE_TEXT = re.compile(r"\bDELETE\s+FROM\b|\bDROP\s+PARTITION\b", re.IGNORECASE)
_ERASING = re.compile(r"eras|delet|forget|gdpr|remov|purge|right-to", re.IGNORECASE)
_HANDING_OUT = re.compile(
    r"export|my-?data|/me\b|/data\b|subject|access|portab|dsar|takeout"
    r"|(?:download|copy)[\w/-]*(?:data|\bm[ey]\b)|(?:data|\bm[ey]\b)[\w/-]*(?:download|copy)",
    re.IGNORECASE,
)
_FED_BACK = re.compile(
    r"feedback|complain|appeal|report[-_]?(?:problem|issue|error)|contest|dispute|objection|thumbs"
    r"|flag|grievance|rating",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"^(?:prometheus_client|statsd|datadog|ddtrace|prom-client|opentelemetry\.metrics|newrelic"
    r"|evidently|whylogs|nannyml|aws_embedded_metrics|hot-shots|@opentelemetry/api|boto3)"
)
_MEASURE = re.compile(
    r"\.(?:inc|observe|set|labels|record|increment|gauge|histogram|timing|add|count|time|startTimer"
    r"|put_metric_data|log|run|Counter|Histogram|Gauge)$|put_metric_data$"
)
_LIBRARY = re.compile(r"^(?:logging|structlog|loguru|pino|winston|bunyan|log4js)\b")
_FIELDS = re.compile(
    r"^(?:\w*_id|id|run|request|session|trace|span|correlation\w*|user|actor|operator|model"
    r"|model_?\w*|version|prompt\w*|input\w*|output\w*|score|decision|outcome|latency\w*|requestId"
    r"|runId|traceId|sessionId|userId|modelVersion|\w+Id|outcome|mark|grade|level|result|answer\w*"
    r"|verdict|proposal|proposed|applicant|features|chance|prediction|probability|tokens|response)$",
    re.IGNORECASE,
)


@register_behaviour("logged_inference")
def find_logged(conduct: Conduct) -> Iterator[Sign]:
    """A record is written on the path of an inference: where a model is asked, or right around."""
    yield from find_recorded_inferences(conduct)
    wrapped = _list_recorders(conduct)
    for one in sorted(conduct.inferring | conduct.tools):
        facts = conduct.facts(one)
        for call in facts.calls:
            if _is_record(conduct, one, call) and not _is_of_failure(conduct, one, call):
                yield Sign("logged_inference", one, call.line, frozenset({one}))
            for target in conduct.targets(one, call.callee):
                if target[1] and target not in conduct.leading and _is_recording(conduct, target):
                    yield Sign("logged_inference", one, call.line, frozenset({target}))
        asked = next((c for c in facts.calls if conduct.infers(one, c)), None)
        around = {c for c in conduct.program.callers.get(one, ()) if c[1] and c in conduct.leading}
        recording = [caller for caller in sorted(around) if _is_recording(conduct, caller)]
        if asked is not None:
            for other in (*recording, *wrapped):
                yield Sign("logged_inference", one, asked.line, frozenset({other}))
        yield from _find_marked(conduct, one)


def _is_of_failure(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call is made only if something went wrong."""
    return any(guard.handler for guard in conduct.list_guards(one, call))


def _find_marked(conduct: Conduct, one: Function) -> Iterator[Sign]:
    """A function that asks a model is marked by one that records what it wraps."""
    facts = conduct.facts(one)
    for mark in facts.marks:
        for target in conduct.targets(one, mark.callee):
            inside = [
                (target[0], n)
                for n, f in enumerate(conduct.program.files[target[0]].functions)
                if f.parent == target[1]
            ]
            if any(_is_recording(conduct, wrapper) for wrapper in inside):
                carriers = frozenset({target, *inside})
                yield Sign("logged_inference", one, facts.first, carriers)


_LEAST_KEYS = 3
"""Fields of a record by what stands around all requests: it cannot know which of them matter."""


def _list_recorders(conduct: Conduct) -> tuple[Function, ...]:
    """What stands around a request, or a call of a model, and writes down what came of it."""
    if not (conduct.handlers & conduct.leading or conduct.inferring):
        return ()
    return tuple(
        one
        for one in sorted(conduct.wrappers)
        if any(
            len(_list_keys(call)) >= _LEAST_KEYS
            and (conduct.is_logged(item, call) or _is_stored(conduct, item, call))
            for item in conduct.program.walk([one], 2)
            for call in conduct.facts(item).calls
        )
    )


def _list_around(conduct: Conduct) -> frozenset[Function]:
    """The functions on the path of an inference, and those that stand around all of it."""
    around = conduct.beside | conduct.program.walk(_list_recorders(conduct), 2)
    return around & frozenset(conduct.product)


def _is_record(conduct: Conduct, one: Function, call: CallFact) -> bool:
    if not (call.given or call.keywords):
        return False
    if conduct.is_logged(one, call):
        varies = any(tag[:2] != "t:" for tag in call.given)
        return varies and is_logged_for_good(conduct, one, call)
    return _is_stored(conduct, one, call) and _is_of_run(conduct, one, call)


_CHANGES = re.compile(
    r"^\s*(?:UPDATE|REPLACE|MERGE|INSERT\s+OR\s+REPLACE)\b|\bDO\s+UPDATE\b|\bON\s+DUPLICATE\s+KEY\b",
    re.IGNORECASE,
)
"""What puts the last result in the place of the one before."""
_TO_FILE = re.compile(r"appendFile|\.write(?:lines|row)?$|json\.dump|\.dump$")


def _is_of_run(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is stored is added as a record of what was done.

    The result alone, put where the thing itself is kept, tells nobody later how it came about.
    """
    tags = call.receiver | call.given
    if any(_CHANGES.search(tag[2:]) for tag in tags if tag[:2] == "t:"):
        return False
    tables = [tag[2:] for tag in tags if tag[:2] == "t:" and _INSERT.search(tag[2:])]
    # A sentence that came along with the answer names no place.
    places = tables or [tag[2:] for tag in tags if tag[:2] in ("t:", "a:", "x:") and " " not in tag]
    named = any(RECORDS.search(place) for place in places)
    to_file = _TO_FILE.search(conduct.name(one, call.callee)) is not None
    keys = _list_keys(call)
    dated = any(map(_WHEN.search, keys)) and any(map(_FIELDS.search, keys))
    return bool(named or to_file or dated or _has_fields(call))


_WHEN = re.compile(r"^(?:at|ts|when|day|date|time\w*|\w+_at|created\w*)$", re.IGNORECASE)


def _is_recording(conduct: Conduct, one: Function) -> bool:
    reached = conduct.program.walk([one], 1)
    return any(
        _is_record(conduct, item, call) and not _is_of_failure(conduct, item, call)
        for item in reached
        if item == one or item not in conduct.leading
        for call in conduct.facts(item).calls
    )


_OVERWRITES = re.compile(r"(?:^|\.)(?:writeFileSync|writeFile|write_text|write_bytes)$")
_UNDER_KEY = re.compile(r"\.(?:set|setex|hset|hmset)$")
_APART = re.compile(
    r"uuid|nanoid|now\b|time\b|Date\b|strftime|isoformat|hexdigest|randomUUID|\.next"
)


def _is_apart(tags: Tags) -> bool:
    """Whether each record has a place of its own, or is put behind the last."""
    return (
        has_name(tags, _APART)
        or bool(tags & {"t:a", "t:a+", "a:id", "a:key", "a:pk", "k:flag"})
        or any(tag[:2] == "p:" and tag.lower().endswith(("id", "key", "path")) for tag in tags)
    )


def _is_stored(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call puts something into a store that outlives the process."""
    name = conduct.name(one, call.callee)
    if not _PUT.search(name):
        return False
    tags = call.receiver | call.given
    if _OVERWRITES.search(name) and not _is_apart(tags):
        return False  # the last answer alone is no record of what was answered
    if _UNDER_KEY.search(name) and not has_name(call.given, _APART):
        return False  # nor is what is found again under a key, such as in a cache
    if conduct.infers(one, call):
        return False
    if any(_INSERT.search(tag) for tag in tags if tag[:2] == "t:"):
        return True
    if _is_put_back(call, name):
        return False
    if get_last(call) in _ADDING and any(
        place.startswith("model:") for place in list_called(conduct, one, call)
    ):
        return True
    # What came out of a store is not put into one, unless the file is handed in to be written to.
    held = _STORE.search(name) is not None or has_name(
        tags if _TO_FILE.search(name) else call.receiver, _STORE
    )
    return held and any(tag[:2] in ("p:", "x:") for tag in call.given)


_ADDING = frozenset(("add", "create", "insert", "insert_many", "bulk_create", "add_all"))
_FETCHES = re.compile(
    r"(?:find|get|load|first|one|fetch|select|retrieve|lock)\w*(?:\(\))?$", re.IGNORECASE
)


def _is_put_back(call: CallFact, name: str) -> bool:
    """Whether a thing is saved that was taken from where it is kept: it is changed, not added."""
    where, _, last = name.rpartition(".")
    return bool(where and last in ("save", "merge", "persist")) and any(
        tag[2:].rpartition(".")[0] == where and _FETCHES.match(tag.rpartition(".")[2])
        for tag in call.given
        if tag[:2] == "x:"
    )


@register_behaviour("durable_record")
def find_durable(conduct: Conduct) -> Iterator[Sign]:
    """What is written down on the path of an inference outlives the process."""
    yield from find_lasting_records(conduct)
    around = _list_around(conduct)
    wide = around - conduct.beside
    for one in sorted(around):
        for call in conduct.facts(one).calls:
            named = one in wide or has_text(
                call.receiver
                | call.given
                | frozenset(f"t:{text}" for text in conduct.facts(one).says),
                RECORDS,
            )
            changed = has_text(call.given | call.receiver, _CHANGES)
            if (named or _has_fields(call)) and not changed and _is_stored(conduct, one, call):
                yield Sign("durable_record", one, call.line, frozenset({one}))
    logs = any(conduct.is_logged(one, call) for one in around for call in conduct.facts(one).calls)
    for one, call, name in conduct.iter_calls() if logs else ():
        to_file = name == "logging.basicConfig" and "filename" in call.keywords
        if to_file or _FILE_HANDLER.search(name):
            yield Sign("durable_record", one, call.line, frozenset({one}))


def _list_keys(call: CallFact) -> set[str]:
    """The fields that a call is given: keys and keywords, or the columns of a statement."""
    columns: set[str] = set()
    for text in (tag[2:] for tag in call.given | call.receiver if tag[:2] == "t:"):
        columns |= list_columns(text)
    # The keys that come along with a value are those by which it was asked for, not its columns.
    return columns or {tag[2:] for tag in call.given if tag[:2] == "k:"} | set(call.keywords)


def _has_fields(call: CallFact) -> bool:
    """Whether a record says two things of an inference: which run or model, and what came of it."""
    return len({key for key in _list_keys(call) if _FIELDS.search(key)}) > 1


@register_behaviour("timed_log_deletion")
def find_log_deletion(conduct: Conduct) -> Iterator[Sign]:
    """Logs are deleted, or rotated, after a duration that something enforces."""
    for one, call, name in conduct.iter_calls():
        rotates = _TIMED.search(name) and (
            "backupCount" in call.keywords or "maxFiles" in str(call.given) or call.arguments > 3
        )
        kept = name.endswith("logger.add") and "retention" in call.keywords
        lasts = rotates and _count_rotated(conduct, one, call) >= LEAST_DAYS
        if _EXPIRES & set(_list_keys(call)) and name.lower().endswith(
            ("createindex", "create_index")
        ):
            places = {p for k in list_store_calls(conduct, one) for p in k.places}
            places |= set(list_touched(conduct, one))
            lasts = _count_expiry(conduct, one) >= LEAST_DAYS and (
                bool(places & list_recorded_places(conduct)) or any(map(RECORDS.search, places))
            )
        lasts = lasts or (name.endswith("LogGroup") and has_attribute(call.given, _LONG_KEPT))
        if lasts or (kept and has_text(call.given, _DURATION_TEXT)):
            yield Sign("timed_log_deletion", one, call.line, frozenset({one}))
    recorded = list_recorded_places(conduct)
    for one, line, tags, carriers in _iter_timed(conduct):
        days = count_days(tags, conduct.facts(one))
        if days is not None and days < LEAST_DAYS:
            continue  # the law wants six months
        places = {place for item in carriers for place in list_touched(conduct, item)}
        places |= {p for item in carriers for k in list_store_calls(conduct, item)
                   if k.access is Access.REMOVE for p in k.places}  # fmt: skip
        if has_text(tags, RECORDS) or recorded & places:
            yield Sign("timed_log_deletion", one, line, carriers)


_INDEXES = re.compile(r"create_?index$", re.IGNORECASE)
_EXPIRES = frozenset(("expireAfterSeconds",))
_PARTS_OF_DAY = frozenset((24.0, 60.0, 1000.0, 3600.0, 86_400.0, 86_400_000.0))
_LONG_KEPT = re.compile(
    r"^(?:SIX|EIGHT|NINE|ONE_YEAR|(?:THIR|EIGH)TEEN|TWO|THREE|FIVE|TEN|INFINITE)"
)
"""How platforms call half a year and more."""


def has_attribute(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether an attribute among the tags fits."""
    return any(tag[:2] == "a:" and pattern.search(tag[2:]) for tag in tags)


def _count_expiry(conduct: Conduct, one: Function) -> float:
    """The days after which rows go by themselves, 0 if nobody can tell."""
    pairs = (pair for pair in conduct.facts(one).pairs if pair.key in _EXPIRES)
    tags = frozenset().union(*(pair.value for pair in pairs))
    numbers = {float(tag[2:]) for tag in tags if tag[:2] == "n:"}
    counted = numbers - _PARTS_OF_DAY
    if numbers & _PARTS_OF_DAY:
        return prod(counted)  # how many days, and how long one of them is
    return max(counted, default=0) / 86_400


def _count_rotated(conduct: Conduct, one: Function, call: CallFact) -> float:
    """The days for which a log that is rotated stays; those that the law wants if none is said."""
    tags = conduct.expand(one, call.given, 1)
    if days := count_days(tags, conduct.facts(one)):
        return days
    each = 7 if has_text(tags, _EACH_WEEK) else 1 / 24 if has_text(tags, _EACH_HOUR) else 1
    numbers = [float(tag[2:]) for tag in tags if tag[:2] == "n:"]
    return max(numbers) * each if numbers else LEAST_DAYS


_EACH_WEEK, _EACH_HOUR = re.compile(r"^[Ww]\d?$"), re.compile(r"^[Hh]$")
LEAST_DAYS = 180
_UNIT_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
_COUNTED = re.compile(
    r"(\d+)\s*(h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?|m(?:onths?)|y(?:ears?)?)\b", re.IGNORECASE
)
_COUNTED_BY = re.compile(r"\b(hours?|days?|weeks?|months?|years?)\s*=>", re.IGNORECASE)


def count_days(tags: Tags, facts: FunctionFacts) -> float | None:
    """The days that a duration among the tags has at most, None if nobody can tell."""
    texts = [tag[2:] for tag in tags if tag[:2] == "t:"]
    found = [
        int(number) * _UNIT_DAYS[unit[0].lower()]
        for text in texts
        for number, unit in _COUNTED.findall(text)
    ]
    numbers = [float(tag[2:]) for tag in tags if tag[:2] == "n:"]
    units = {unit[0].lower() for text in texts for unit in _COUNTED_BY.findall(text)}
    units |= {
        word[0]
        for call in facts.calls
        if call.callee.endswith(("timedelta", "relativedelta"))
        for word in call.keywords
    }
    units |= {"d" for tag in tags if _SECONDS.search(tag)}
    small = [number for number in numbers if 1 < number <= _MOST_COUNTED]
    found += [max(small) * _UNIT_DAYS[unit] for unit in units if small and unit in _UNIT_DAYS]
    return max(found, default=None)


_MOST_COUNTED = 5_000


def list_recorded_places(conduct: Conduct) -> frozenset[str]:
    """The places into which the path of an inference puts what tells of it."""
    return frozenset(
        place
        for one in _list_around(conduct)
        for call in conduct.facts(one).calls
        if is_change(call) and not conduct.infers(one, call)
        if _has_fields(call) or (one not in conduct.beside and len(_list_keys(call)) >= _LEAST_KEYS)
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


@register_behaviour("timed_deletion")
def find_timed_deletion(conduct: Conduct) -> Iterator[Sign]:
    """Data is deleted after a duration that something enforces."""
    for one, line, _, carriers in _iter_timed(conduct):
        yield Sign("timed_deletion", one, line, carriers)
    for one, call, _ in conduct.iter_calls():
        keys = (*call.keywords, *(tag[2:] for tag in call.given if tag[:2] == "k:"))
        stored = has_name(call.receiver, _STORE) or has_text(call.given, _EXPIRY)
        if stored and any(_EXPIRY.search(key) for key in keys):
            yield Sign("timed_deletion", one, call.line, frozenset({one}))


def _iter_timed(conduct: Conduct) -> Iterator[tuple[Function, int, Tags, frozenset[Function]]]:
    """Deletions by age, each with what is said around it."""
    for one in conduct.product:
        facts = conduct.facts(one)
        for call in facts.calls:
            tags = call.receiver | call.given
            removes = _REMOVE.search(conduct.name(one, call.callee) or "-") or any(
                (tag[:2] == "t:" and _REMOVE_TEXT.search(tag))
                or (tag[:2] == "x:" and tag in call.receiver and _REMOVE.search(tag))
                for tag in tags
            )
            if not removes:
                continue
            guards = [t for guard in conduct.list_guards(one, call) for t in guard.asks]
            loops = [t for number in call.loops for t in facts.loops[number].asks]
            reach = conduct.expand(one, tags | frozenset(guards) | frozenset(loops))
            timed = (
                has_name(reach, _DURATION)
                or has_text(reach, _DURATION_TEXT)
                or (any(_SECONDS.search(tag) for tag in reach) and _has_clock(reach))
            )
            if timed:
                said = frozenset(f"t:{text}" for text in facts.says)
                yield one, call.line, reach | said, frozenset({one})
                break


_CLOCK = re.compile(
    r"(?:time\.time|\.now|\.utcnow|\.today|Date(?:\.now)?|st_mtime|mtimeMs)(?:\(\))?$"
)


def _has_clock(tags: Tags) -> bool:
    return has_name(tags, _CLOCK) or "a:st_mtime" in tags or "a:mtimeMs" in tags


@register_behaviour("subject_erasure")
def find_erasure(conduct: Conduct) -> Iterator[Sign]:
    """Somebody's data is deleted at a call from outside, by whom it is about.

    Who deletes something, and leaves all that the path to a model keeps of them, erases nobody.
    """
    filled = _list_filled_of_people(conduct)
    for one in conduct.product:
        if not conduct.is_asked_by_people(one) or _is_left_behind(conduct, one, filled):
            continue
        heads = [one, *conduct.program.callers.get(one, ())]
        routes = " ".join(r for h in heads for r in conduct.list_routes(h))
        verbs = {verb for head in heads for verb in conduct.list_verbs(head)}
        for call in conduct.facts(one).calls:
            name = conduct.name(one, call.callee) or "-"
            texts = [tag[2:] for tag in call.given if tag[:2] == "t:"]
            removes = _REMOVE.search(name) or any(_REMOVE_TEXT.search(text) for text in texts)
            chained = (c for c in conduct.facts(one).calls if f"x:{call.callee}" in c.receiver)
            by_whom = is_given(call.given | call.receiver) or any(
                is_given(other.given) for other in chained
            )
            said = _ERASING.search(" ".join((routes, *texts)))
            asked = by_whom and (said or "delete" in verbs)
            if removes and asked and _is_kept_there(conduct, one, call, filled):
                yield Sign("subject_erasure", one, call.line, frozenset({one}))


def _is_kept_there(conduct: Conduct, one: Function, call: CallFact, filled: frozenset[str]) -> bool:
    """Whether a call removes out of where things are kept, and not what the process works with."""
    kept = next((k for k in list_store_calls(conduct, one) if k.call is call), None)
    if kept is None or kept.outlives or kept.places & filled:
        return True
    return conduct.program.is_absent(one[0], conduct.name(one, call.callee))


def _list_filled_of_people(conduct: Conduct) -> frozenset[str]:
    """The places into which the path to a model puts what it is given, or what came of it."""
    put = [
        kept
        for one in list_path(conduct)
        for kept in list_store_calls(conduct, one)
        if kept.access in (Access.ADD, Access.CHANGE)
        and any(tag[:2] in ("p:", "x:") for tag in kept.call.given)
    ]
    added = [kept for kept in put if kept.access is Access.ADD or _is_put_whole(kept.call)]
    return frozenset(
        place
        for kept in added or put
        for place in kept.places
        if place.startswith(("table:", "model:", "key:"))
        or (kept.access is Access.ADD and not kept.outlives)
    )


def _is_put_whole(call: CallFact) -> bool:
    """Whether a call puts a thing where there may be none yet."""
    return get_last(call) in ("put", "save", "set", "write_text", "writefile", "writefilesync") or (
        any(_INSERT.search(tag) for tag in call.given if tag[:2] == "t:")
    )


def _is_left_behind(conduct: Conduct, one: Function, filled: frozenset[str]) -> bool:
    """Whether what a function removes is known, and nothing of it is what the path keeps."""
    heads = [one, *(c for c in conduct.program.callers.get(one, ()) if c in conduct.handlers)]
    removing = [
        kept
        for item in conduct.program.walk(heads, 3)
        for kept in list_store_calls(conduct, item)
        if kept.access is Access.REMOVE
    ]
    removed = {place for kept in removing for place in kept.places}
    if any(kept.outlives and not _has_own_place(kept.places) for kept in removing):
        return False  # something of a store, and nobody knows what
    return bool(removed and filled) and not (removed & filled) and not conduct.cascades


def _has_own_place(places: frozenset[str]) -> bool:
    return any(place.startswith(("table:", "model:", "key:", "s:")) for place in places)


@register_behaviour("subject_access")
def find_access(conduct: Conduct) -> Iterator[Sign]:
    """Somebody gets what is held about them."""
    for one in sorted(conduct.handlers):
        facts = conduct.facts(one)
        routes = " ".join(conduct.list_routes(one))
        reads = is_given(facts.returns) and any(tag[:2] == "x:" for tag in facts.returns)
        if _HANDING_OUT.search(routes) and reads and one not in conduct.leading:
            yield Sign("subject_access", one, facts.first, frozenset({one}))


@register_behaviour("feedback_kept")
def find_feedback(conduct: Conduct) -> Iterator[Sign]:
    """What those who are affected say is taken in and kept."""
    for one in sorted(conduct.handlers):
        facts = conduct.facts(one)
        routed = _FED_BACK.search(" ".join(conduct.list_routes(one))) is not None
        for item in (one, *sorted(conduct.program.edges.get(one, ()))):
            there = conduct.facts(item)
            for call in there.calls:
                if (
                    (routed or _is_remark(call))
                    and is_given(call.given)
                    and _PUT.search(conduct.name(item, call.callee) or "-")
                    and not _is_local(conduct, item, call)
                ):
                    yield Sign("feedback_kept", one, facts.first or 1, frozenset({one, item}))
            if routed and any(is_given(write.value) for write in there.writes):
                yield Sign("feedback_kept", one, facts.first or 1, frozenset({one, item}))


def _is_local(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is put goes into a list or an object that nobody else has."""
    kept = next((k for k in list_store_calls(conduct, one) if k.call is call), None)
    return kept is not None and not kept.outlives and not kept.places


def _is_remark(call: CallFact) -> bool:
    """Whether what is put away says that somebody remarks on something: its place or a field."""
    said = (tag[2:] for tag in call.given | call.receiver if tag[:2] in ("t:", "k:"))
    return any(_FED_BACK.search(text) for text in (*said, *call.keywords))


@register_behaviour("metered")
def find_metered(conduct: Conduct) -> Iterator[Sign]:
    """What happens while it runs is measured."""
    for one, call, name in conduct.iter_calls():
        if one[1] and _MEASURED.search(name) and _MEASURE.search(name):
            yield Sign("metered", one, call.line, frozenset({one}))


@register_behaviour("log_fields")
def find_log_fields(conduct: Conduct) -> Iterator[Sign]:
    """A record on the path of an inference says which run, model or person, in fields."""
    yield from find_traced(conduct)
    for one in sorted(conduct.beside & set(conduct.product)):
        facts = conduct.facts(one)
        bound = {
            word
            for call in facts.calls
            if call.callee.endswith(("bind_contextvars", ".bind", ".child", ".addContext"))
            for word in _list_keys(call)
        }
        for call in facts.calls:
            handed = _find_recording(conduct, one, call) if is_small(conduct) else ()
            if not (handed or _is_record(conduct, one, call)):
                continue
            keys = _list_keys(call) | bound
            if handed:
                # What a record holds is said where it is called for, and where it is written.
                keys |= {key for item in handed for key in _list_written_keys(conduct, item)}
                keys |= {t[2:] for t in conduct.expand(one, call.given) if t[:2] == "k:"}
            named = {key for key in keys if _FIELDS.search(key)} - _list_own_words(conduct, one)
            if len(named) >= 2 and any(tag[:2] in ("p:", "x:", "s:") for tag in call.given):
                yield Sign("log_fields", one, call.line, frozenset({one}))


def _find_recording(conduct: Conduct, one: Function, call: CallFact) -> tuple[Function, ...]:
    """The own functions beside the path of an inference that write down what a call hands them."""
    if not (call.given or call.keywords) or (call.callee.startswith("?.") and not call.arguments):
        return ()
    return tuple(
        target
        for target in conduct.targets(one, call.callee)
        if target[1] and target not in conduct.leading and _is_recorder(conduct, target)
    )


def _is_recorder(conduct: Conduct, one: Function) -> bool:
    """Whether a function writes down what it is handed, and does not only log that it ran."""
    calls = conduct.facts(one).calls
    return any(
        _is_stored(conduct, one, call)
        or (conduct.is_logged(one, call) and sum(t[:2] == "p:" for t in call.given) > 1)
        for call in calls
    ) and _is_recording(conduct, one)


def _list_written_keys(conduct: Conduct, one: Function) -> Iterator[str]:
    calls = conduct.facts(one).calls
    for call in calls:
        if _is_record(conduct, one, call):
            yield from _list_keys(call)
            # A row is made by its class, whose fields stand as keywords.
            made = (other for other in calls if f"x:{other.callee}" in call.given)
            yield from (word for other in made for word in other.keywords)


def _list_own_words(conduct: Conduct, one: Function) -> set[str]:
    """Keys under which a function only ever puts what a logging library says of itself."""
    own: set[str] = set()
    other: set[str] = set()
    for pair in conduct.facts(one).pairs:
        calls = {tag[2:] for tag in pair.value if tag[:2] == "x:"}
        says_itself = calls and all(_LIBRARY.search(name) for name in calls)
        given = any(tag[:2] == "p:" for tag in pair.value)
        (own if says_itself and not given else other).add(pair.key)
    return own - other
