"""The verbs of stores: what each does to the place that it is called on, in one table.

Whoever asks what is kept, changed or taken away asks here: drivers, mappers, queues, files, caches
and the repositories that a product writes for itself have the same few verbs.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from jurat.rating.signals.recon_table import split_name


class Access(StrEnum):
    """What is done to a place."""

    READ = "read"
    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


_VERBS = {
    Access.ADD: """insert insertone insertmany insert_one insert_many insert_rows_json create
        createmany create_many bulk_create add add_all append push lpush rpush xadd writerow
        writelines appendfile appendfilesync put_record putrecord put_log_events send_message to_sql
        put_object putobject putcommand putlogevents upload upload_blob uploaddata
        upload_from_string enqueue values sadd zadd index batchwrite write_points
        produce""",
    Access.CHANGE: """update updateone updatemany update_one update_many update_item set
        findoneandupdate findbyidandupdate find_one_and_update findoneandreplace replace_one setex
        hset hmset put save upsert upsert_one merge write write_text put_item putitem writefile
        writefilesync touch setitem update_or_create get_or_create patch setattr rename setdefault
        bulk_update""",
    Access.REMOVE: """delete del delete_one delete_many deleteone deletemany unlink unlinksync rm
        rmsync rmtree remove hdel destroy pop purge drop findbyidanddelete findoneanddelete
        find_one_and_delete delete_object delete_objects deleteobject deleteobjects delete_item
        deleteitem delete_collection delete_by_query removeitem discard clear erase srem
        zremrangebyscore""",
    Access.READ: """get find findone find_one findfirst findunique findbyid findmany findoneby
        findonebyorfail findby select query first one one_or_none all fetch fetchone fetchall
        fetchrow fetchval hget hgetall hvals lrange scan exists where filter filter_by scalars
        scalar get_object getobject getitem get_item get_or_404 get_object_or_404 blpop brpop lpop
        read_text readfile readfilesync is_file existssync access stat list count
        smembers sismember mget""",
}
_ACCESSES = {verb: access for access, verbs in _VERBS.items() for verb in verbs.split()}
_LEADING = {
    Access.ADD: "insert add append create enqueue push record log store new open",
    Access.CHANGE: "update set save upsert mark put write suspend reopen close assign",
    Access.REMOVE: "delete remove purge erase drop forget wipe",
    Access.READ: "get find load fetch list read count lookup select last latest",
}
_LEADS = {verb: access for access, verbs in _LEADING.items() for verb in verbs.split()}
"""The first words of what a product's own stores are called by: insertScript, load_case."""
EXECUTES = frozenset(
    ("execute", "executemany", "query", "run", "commit", "submit", "fetch", "none", "all")
)
"""What a statement is handed to, which says itself what it does."""
_OF_STORES_ALONE = """insertone insertmany insert_one insert_many updateone updatemany update_one
    update_many findoneandupdate deleteone deletemany delete_one delete_many find_one findone hset
    hdel hget xadd lpush rpush setex put_object put_item update_item delete_item fetchone fetchrow
    fetchval fetchall executemany bulk_create to_sql writerow appendfilesync writefilesync
    put_record put_log_events add_all zadd"""
SURE = frozenset(_OF_STORES_ALONE.split())
"""What only stores answer: whose object it is need not be known."""
_NOTES = """append push insert insert_one insertone insertmany insert_many lpush rpush xadd writerow
    appendfile appendfilesync add_all"""
NOTES = frozenset(_NOTES.split())
"""What only puts something beside what is there, and that nobody hears of."""
PUTS = frozenset(v for v, access in _ACCESSES.items() if access is not Access.READ) | EXECUTES
REMOVES = frozenset(v for v, access in _ACCESSES.items() if access is Access.REMOVE)
REMOVING_NAME = re.compile(
    r"(?:^|\.)(?:unlink|remove|rmtree|rmdir|delete|delete_many|delete_one|deleteMany|deleteOne|destroy"
    r"|unlinkSync|rmSync|rm|zremrangebyscore|expire|recursiveDelete|destroyAll|(?:delete|remove|purge)_?"
    r"(?:[aA]ll|[mM]any|[uU]sers?|[oO]bjects?|[iI]tems?|[pP]oints|[vV]ectors|[dD]ocuments?|[bB]lobs?|[eE]ntit(?:y|ies)"
    r"|[rR]ows?|[rR]ecords?|[mM]essages?|by_\w+|By\w+)|hdel|purge|drop|pop|del|discard|clear)$"
)
"""The end of a callee's whole name that takes something away, single elements included: wider than
`REMOVES`, for calls of which a clock or a person's wish already says that data goes."""
REMOVING_STATEMENT = re.compile(
    r"\bDELETE\s+FROM\b|\bDROP\s+PARTITION\b|\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[\"`]?$",
    re.IGNORECASE,
)
"""The same of a statement to a database; a table that is put in when it runs is one of many."""


def tell_access(verb: str) -> Access | None:
    """What a method does whose name, in lower case, is a verb of stores; None if it is none."""
    return _ACCESSES.get(verb)


@lru_cache(maxsize=65_536)
def read_own_verb(name: str) -> tuple[Access, str] | None:
    """What a product's own store does by a method, and to what: insertScript adds a script."""
    first, _, thing = split_name(name).partition("_")
    access = _LEADS.get(first)
    return (access, thing.removesuffix("s")) if access is not None and thing else None
