"""Outcomes are watched if the clock has them counted, held against a bound, and acted upon."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.tied import BY_CHANCE
from jurat.rating.recon import scan_worktree
from tests.rating.test_tied import list_reasons
from tests.support.rating import worktree_of

ASK = (
    "import openai\nimport sqlite3\ndb = sqlite3.connect('x')\n\n\ndef ask(case, text):\n"
    "    out = openai.OpenAI().chat.completions.create(model='m', messages=[text])\n"
    "    db.execute('INSERT INTO answers(case_id, answer) VALUES (?, ?)', (case, out))\n\n\n"
)
COUNT = (
    "    n, wrong = db.execute('SELECT count(*), avg(wrong) FROM answers').fetchone()\n"
    "    if wrong > 0.05:\n        requests.post(HOOK, json={'wrong': wrong})\n"
)
TIMED = "\n\nschedule.every().monday.do(look)\n"
HEAD = "import requests\nimport schedule\nHOOK = 'https://hooks.example/x'\n"


def _is_watched(files: dict[str, str]) -> bool:
    found, _ = scan_worktree(worktree_of(files))
    held = found.keep_held()["monitoring"]
    return any(one.said == "watched_outcomes" for one in held.evidence)


def _write(body: str = COUNT, timed: str = TIMED) -> str:
    return f"{HEAD}{ASK}def look():\n{body}{timed}\nask(1, input())\n"


def test_what_the_clock_counts_and_acts_upon_is_watched() -> None:
    assert _is_watched({"main.py": _write()})


@pytest.mark.parametrize(
    "text",
    [
        _write(timed=""),
        _write(COUNT.replace("FROM answers", "FROM visits")),
        _write(COUNT.partition("    if")[0] + "    print(n)\n"),
        _write(COUNT.replace("requests.post(HOOK, json={'wrong': wrong})", "pass")),
        _write("    pass\n"),
        _write("    return {'drift': 0, 'monitored': True}\n"),
    ],
    ids=["not timed", "another table", "no bound", "nothing done", "a stub", "a constant"],
)
def test_less_is_no_watch(text: str) -> None:
    assert not _is_watched({"main.py": text})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("crontab", "0 4 * * 1 python3 /srv/look.py\n"),
        (
            ".github/workflows/look.yml",
            "on:\n  schedule:\n    - cron: '0 4 * * 1'\njobs:\n  a:\n    steps:\n"
            "      - run: python look.py\n",
        ),
    ],
)
def test_a_schedule_outside_of_the_program_starts_it_too(path: str, text: str) -> None:
    look = f"from main import db\n{HEAD}\n\ndef look():\n{COUNT}\n\nlook()\n"
    files = {"main.py": ASK + "ask(1, input())\n", "look.py": look}
    assert _is_watched({**files, path: text})
    assert not _is_watched(files)


REPORT = (
    "import os\nimport requests\n" + ASK + "def tell(case):\n"
    "    row = db.execute('SELECT answer FROM answers WHERE case_id = ?', (case,)).fetchone()\n"
    "    requests.post(os.environ['WHERE'], json={'case': case, 'answer': row})\n\n\n"
    "ask(1, input())\ntell(1)\n"
)


@pytest.mark.parametrize(("where", "told"), [("REGULATOR_URL", True), ("CACHE_URL", False)])
def test_harm_is_reported_to_whom_it_must_be(where: str, told: bool) -> None:
    found, _ = scan_worktree(worktree_of({"main.py": REPORT.replace("WHERE", where)}))
    held = found.keep_held()["incident_response"]
    assert any(one.said == "reported_harm" for one in held.evidence) is told


DAYS = (
    "import datetime as dt\nimport os\nimport requests\nimport sqlite3\n"
    "db = sqlite3.connect('x')\n\n\ndef tell(case):\n"
    "    row = db.execute('SELECT kind, said FROM harms WHERE case_id = ?', (case,)).fetchone()\n"
    "    due = dt.timedelta(days=2) if row[0] == 'fatal' else dt.timedelta(days=15)\n"
    "    requests.post(os.environ['WHERE'], json={'row': row, 'due': due})\n\n\n"
)


@pytest.mark.parametrize("large", [False, True])
def test_the_days_of_the_law_in_a_large_program_are_for_a_person_to_look_at(*, large: bool) -> None:
    both = "def handle(case, text):\n    ask(case, text)\n    tell(case)\n\n\nhandle(1, input())\n"
    reasons = list_reasons("reported_harm", DAYS + ASK + both, large=large)
    assert reasons == [BY_CHANCE if large else ""]
