"""Who listens to what a program announces is called by it: by one object, and by one event."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program

_LANGUAGES = {"py": "python", "ts": "typescript"}
KEEPS = """
import sqlite3
import time

from bus import told

db = sqlite3.connect("kept.db")


{mark}
def keep(*one, **more):
    row = (more.get("question"), more.get("answer"), time.time())
    db.execute("insert into kept(question, answer, at) values(?,?,?)", row)
"""
ASKS = """
import keeping
from bus import told, others
from openai import OpenAI


def answer(question):
    said = OpenAI().responses.create(model="gpt-5", input=question).output_text
    {announces}
    return said


if __name__ == "__main__":
    answer(input())
"""
EMITTER = "from pyee import EventEmitter\n\ntold = EventEmitter()\nothers = EventEmitter()\n"
SIGNAL = "from blinker import Signal\n\ntold = Signal()\nothers = Signal()\n"
DJANGO = "from django.dispatch import Signal\n\ntold = Signal()\nothers = Signal()\n"


def records(files: dict[str, str]) -> bool:
    """Whether a program keeps a record of what a model answered."""
    facts = {path: read_facts(text, _LANGUAGES[path[-2:]]) for path, text in files.items()}
    return any(True for _ in list_behaviours()["durable_record"](Conduct(Program(facts))))


def build(bus: str, mark: str, announces: str) -> dict[str, str]:
    return {
        "bus.py": bus,
        "keeping.py": KEEPS.format(mark=mark),
        "main.py": ASKS.format(announces=announces),
    }


HEARD = [
    (EMITTER, '@told.on("answered")', 'told.emit("answered", question=question, answer=said)'),
    (SIGNAL, "@told.connect", "told.send(answer, question=question, answer=said)"),
    (SIGNAL, "@told.connect", 'told.send("main", question=question, answer=said)'),
    (
        "from django.dispatch import receiver\n" + DJANGO,
        "@receiver(told)",
        "told.send_robust(sender=answer, question=question, answer=said)",
    ),
]


@pytest.mark.parametrize(("bus", "mark", "announces"), HEARD)
def test_what_is_announced_is_kept_by_who_listens(bus: str, mark: str, announces: str) -> None:
    files = build(bus, mark, announces)
    files["keeping.py"] = files["keeping.py"].replace(
        "from bus import told", "from bus import told\nfrom django.dispatch import receiver"
    )
    assert records(files)


@pytest.mark.parametrize(
    ("mark", "announces"),
    [
        ('@told.on("failed")', 'told.emit("answered", question=question, answer=said)'),
        ('@told.on("answered")', 'others.emit("answered", question=question, answer=said)'),
        ('@told.on("answered")', 'told.emit("answered")'),
        ('@told.on("answered")', "print(said)"),
        ("", 'told.emit("answered", question=question, answer=said)'),
    ],
)
def test_another_event_another_object_and_a_word_without_the_answer_are_none(
    mark: str, announces: str
) -> None:
    assert not records(build(EMITTER, mark, announces))


SCRIPT = """
import express from "express";
import OpenAI from "openai";
import {{ EventEmitter }} from "node:events";
import pg from "pg";

const pool = new pg.Pool();
const told = new EventEmitter();

told.on("answered", (one) => void keep(one));

async function keep(one) {{
  {does}
}}

const app = express();
app.post("/ask", async (req, res) => {{
  const said = await new OpenAI().responses.create({{ model: "gpt-5", input: req.body.question }});
  told.emit("answered", {{ question: req.body.question, said, at: new Date() }});
  res.json(said);
}});
app.listen(80);
"""
_INSERTS = 'await pool.query("insert into kept(question, said, at) values($1,$2,$3)", [one]);'


@pytest.mark.parametrize(("does", "holds"), [(_INSERTS, True), ("return one;", False)])
def test_a_listener_counts_by_what_it_does(does: str, holds: bool) -> None:
    assert records({"server.ts": SCRIPT.format(does=does)}) is holds


def test_what_goes_to_somebody_else_over_a_network_is_heard_by_nobody_here() -> None:
    text = SCRIPT.format(does=_INSERTS).replace(
        'told.on("answered", (one) => void keep(one));',
        'app.ws("/live", (socket) => socket.on("answered", (one) => void keep(one)));',
    )
    assert not records({"server.ts": text})
