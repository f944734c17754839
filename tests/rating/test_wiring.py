"""What is wired from outside of what is seen: objects handed in, frameworks, tables of routes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program


def _build(files: Mapping[str, str], language: str = "python") -> Conduct:
    return Conduct(Program({path: read_facts(text, language) for path, text in files.items()}))


def _find(conduct: Conduct, behaviour: str) -> list[tuple[str, int]]:
    signs = list_behaviours()[behaviour](conduct)
    return sorted({(sign.function[0], sign.line) for sign in signs})


def _list_live(conduct: Conduct) -> set[str]:
    return {conduct.facts(one).name for one in conduct.product} - {""}


ROUTE = """
from fastapi import APIRouter, Depends

from loans.container import get_service

router = APIRouter()


@router.post("/decision")
def decide(number: str, service=Depends(get_service)):
    return service.CALLED
"""
SERVICE = """
class Service:
    def __init__(self, store):
        self._store = store

    def conclude(self, number, reason):
        self._store.append(number, "concluded", reason)

    def other(self):
        print("never")
"""
STORE = """
class Store:
    def append(self, number, event, reason):
        print(number, event, reason)
"""


@pytest.mark.parametrize(
    ("called", "live"),
    [
        ("conclude(number, 'x')", {"decide", "conclude", "append"}),
        ("conclude(number, 'x', 1, 2, 3)", {"decide"}),
        ("settle(number)", {"decide"}),
    ],
    ids=["fits", "other arguments", "other name"],
)
def test_what_is_called_on_an_object_that_is_handed_in_runs_if_it_fits(
    called: str, live: set[str]
) -> None:
    files = {
        "loans/routes.py": ROUTE.replace("CALLED", called),
        "loans/service.py": SERVICE,
        "loans/store.py": STORE,
    }
    assert _list_live(_build(files)) == live


def test_a_list_is_no_own_class_with_a_method_of_its_name() -> None:
    files = {
        "loans/routes.py": ROUTE.replace("CALLED", "append(number)"),
        "loans/store.py": STORE,
    }
    assert _list_live(_build(files)) == {"decide"}


FACTORY = """
export const makeScorer = (url) => ({
  async score(facts) {
    const res = await fetch(url, { method: 'POST', body: JSON.stringify(SENT) });
    return (await res.json()).GIVEN[0];
  },
});
"""
MAIN = """
import { createServer } from 'node:http';
import { makeScorer } from './scorer.js';

const scorer = makeScorer(process.env.SCORES);
const routes = {
  'POST /claims': async (req) => scorer.score(req.body),
};
createServer(async (req, res) => res.end(await routes[req.url](req))).listen(80);
"""


@pytest.mark.parametrize(
    ("sent", "given", "asks"),
    [
        ("{ instances: [facts] }", "rows", True),
        ("{ rows: [facts] }", "predictions", True),
        ("{ rows: [facts] }", "rows", False),
    ],
)
def test_a_model_is_known_by_the_fields_of_a_request_or_answer_and_a_route_by_its_key(
    sent: str, given: str, *, asks: bool
) -> None:
    scorer = FACTORY.replace("SENT", sent).replace("GIVEN", given)
    conduct = _build({"main.js": MAIN, "scorer.js": scorer}, "javascript")
    assert {conduct.facts(one).name for one in conduct.inferring} == ({"score"} if asks else set())
    assert ("/claims", "post") in {
        (route, verb)
        for one in conduct.handlers
        for route in conduct.list_routes(one)
        for verb in conduct.list_verbs(one)
    }


WRAPPED = """
import sqlite3

from fastapi import FastAPI
from openai import OpenAI
from starlette.middleware.base import BaseHTTPMiddleware

db = sqlite3.connect("trail.db")


class Trail(BaseHTTPMiddleware):
    async def dispatch(self, request, call_next):
        answer = await call_next(request)
        RECORD
        return answer


app = FastAPI()
ADDED


@app.post("/ask")
def ask(text: str):
    return OpenAI().chat.completions.create(model="m", messages=[text])
"""
INSERT = 'db.execute("INSERT INTO trail (who, path, outcome) VALUES (?, ?, ?)", (request, answer))'


@pytest.mark.parametrize(
    ("record", "added", "seen"),
    [
        (INSERT, "app.add_middleware(Trail)", True),
        (INSERT, "", False),
        ("print(answer)", "app.add_middleware(Trail)", False),
        (INSERT.replace("who, path, outcome", "who"), "app.add_middleware(Trail)", False),
    ],
    ids=["added", "never added", "nothing kept", "who alone"],
)
def test_what_stands_around_all_requests_records_a_call_of_a_model(
    record: str, added: str, *, seen: bool
) -> None:
    text = WRAPPED.replace("RECORD", record).replace("ADDED", added)
    assert bool(_find(_build({"main.py": text}), "logged_inference")) is seen


SAVED = """
import { Repository } from 'typeorm';
import OpenAI from 'openai';

export class Ranking {
  constructor(private readonly kept: Repository, private readonly openai: OpenAI) {}

  async rank(id) {
    const one = await this.kept.findOneBy({ id });
    const answer = await this.openai.chat.completions.create({ model: 'm', messages: [one] });
    PUT
  }
}

new Ranking().rank(1);
"""


@pytest.mark.parametrize(
    ("put", "seen"),
    [
        ("one.fit = answer; await this.kept.save(one);", False),
        ("await this.kept.insert({ at: new Date(), model: answer.model, answer });", True),
    ],
    ids=["the thing itself", "a record of it"],
)
def test_to_save_the_thing_itself_is_no_record_of_what_was_done(put: str, *, seen: bool) -> None:
    conduct = _build({"main.ts": SAVED.replace("PUT", put)}, "typescript")
    assert bool(_find(conduct, "logged_inference")) is seen


@pytest.mark.parametrize(
    ("hands_on", "runs"),
    [
        ("export * from './answer';\n", True),
        ("export { reply } from './answer';\n", True),
        ("export * from './other';\n", False),
    ],
)
def test_what_a_script_hands_on_of_another_is_that_others(hands_on: str, *, runs: bool) -> None:
    main = "import { reply } from './answer';\nreply('hello');\n"
    texts = {
        "main.ts": main,
        "answer/index.ts": hands_on,
        "answer/answer.ts": "export function reply(text) {\n  return text;\n}\n",
        "answer/other.ts": "export function retort(text) {\n  return text;\n}\n",
    }
    conduct = _build(texts, "typescript")
    assert (("answer/answer.ts", 1) in conduct.program.live) is runs


def test_a_package_hands_on_all_of_a_module() -> None:
    texts = {
        "main.py": "from answer import reply\n\nreply('hello')\n",
        "answer/__init__.py": "from .page import *\n",
        "answer/page.py": "def reply(text):\n    return text\n",
    }
    assert "reply" in _list_live(_build(texts))


def test_files_that_hand_on_one_another_in_circles_are_each_looked_at_a_few_times() -> None:
    names = [f"part_{n}" for n in range(8)]
    texts = {
        f"{one}.py": "".join(f"from {other} import *\n" for other in names if other != one)
        for one in names
    }
    texts["part_7.py"] += "def reply(text):\n    return text\n"
    looked: list[str] = []

    class CountedProgram(Program):
        def find_module(self, path: str, name: str) -> tuple[str, str] | None:
            looked.append(name)
            return super().find_module(path, name)

    program = CountedProgram({path: read_facts(text, "python") for path, text in texts.items()})
    assert program.resolve("part_0.py", "local:reply")[0] == (("part_7.py", 1),)
    looked.clear()
    assert program.resolve("part_0.py", "local:absent")[0] == ()
    assert len(looked) < 5_000  # there are more than 100,000 ways through the files


def test_functions_that_make_what_each_other_makes_stand_for_nothing() -> None:
    text = "def a():\n    return b().go()\n\n\ndef b():\n    return a().go()\n\n\na().go()\n"
    assert _list_live(_build({"main.py": text})) == {"a", "b"}
