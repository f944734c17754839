"""A table that an own function gives back, and what is done with one inside a transaction."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access

KNEX = """
import express from "express";
import knex from "knex";
import OpenAI from "openai";

export const db = knex({ client: "pg", connection: process.env.DATABASE_URL });
const talks = () => db("talks");
const letters = () => db("letters");
const app = express();

app.post("/ask", async (req, res) => {
  const said = await new OpenAI().responses.create({ model: "gpt-5", input: req.body.question });
  await talks().insert({ person: req.body.person, said });
  res.json(said);
});

app.delete("/me/:person", async (req, res) => {
  await forget(req.params.person);
  res.sendStatus(204);
});

async function forget(person) {
  return db.transaction(async (inside) => {
    await inside("TABLE").where({ person: WHOSE }).del();
  });
}

app.listen(80);
"""
MONGO = """
from pymongo import MongoClient

client = MongoClient()


def talks():
    return client.app["talks"]


def letters():
    return client.app["letters"]


def put(one):
    talks().insert_one({"said": one})


def take():
    letters().delete_many({})
"""


@pytest.mark.parametrize(
    ("table", "whose", "erases"),
    [("talks", "person", True), ("letters", "person", False), ("talks", "null", False)],
)
def test_who_is_asked_from_outside_erases_inside_of_a_transaction(
    table: str, whose: str, *, erases: bool
) -> None:
    text = KNEX.replace("TABLE", table).replace("WHOSE", whose)
    conduct = Conduct(Program({"server.ts": read_facts(text, "typescript")}))
    assert any(True for _ in list_behaviours()["subject_erasure"](conduct)) is erases


def test_tables_that_functions_give_back_are_as_many_places() -> None:
    facts = read_facts(MONGO, "python")
    conduct = Conduct(Program({"main.py": facts}))
    kept = [
        k for n in range(len(facts.functions)) for k in list_store_calls(conduct, ("main.py", n))
    ]
    added, removed = (
        frozenset().union(*(k.places for k in kept if k.access is access and k.outlives))
        for access in (Access.ADD, Access.REMOVE)
    )
    assert any("talks" in place for place in added)
    assert any("letters" in place for place in removed)
    assert not added & removed
