"""Two functions that mean the same place, however each comes by it."""

from __future__ import annotations

import pytest

from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.stores import list_filled, list_touched

SQL = (
    'import sqlite3\ndb = sqlite3.connect("x")\n\n\ndef put(a):\n'
    '    db.execute("INSERT INTO cases VALUES (?)", a)\n\n\ndef take(b):\n'
    '    return db.execute("SELECT * FROM cases WHERE id = ?", b)\n'
)
REDIS = (
    "import redis\nr = redis.Redis()\n\n\ndef put(a):\n    r.hset('cases:open', 'k', a)\n\n\n"
    "def take(b):\n    return r.hget('cases:open', b)\n"
)
MODEL = (
    "from django.db import models\n\n\nclass Case(models.Model):\n    pass\n\n\ndef put(a):\n"
    "    Case.objects.create(text=a)\n\n\ndef take(b):\n    return Case.objects.get(pk=b)\n"
)


@pytest.mark.parametrize("text", [SQL, REDIS, MODEL], ids=["a table", "a key", "a model"])
def test_what_one_function_puts_another_takes(text: str) -> None:
    program = Program({"m.py": read_facts(text, "python")})
    conduct = Conduct(program)
    one, other = (
        ("m.py", n)
        for n, f in enumerate(program.files["m.py"].functions)
        if f.name in ("put", "take")
    )
    assert list_filled(conduct, [one]) & list_touched(conduct, other)


def test_another_table_is_another_place() -> None:
    text = SQL.replace("FROM cases", "FROM users").replace("db.execute", "connect().execute")
    program = Program({"m.py": read_facts(text, "python")})
    one, other = ("m.py", 1), ("m.py", 2)
    conduct = Conduct(program)
    places = list_filled(conduct, [one]) & list_touched(conduct, other)
    assert not {place for place in places if place.startswith("table:")}
