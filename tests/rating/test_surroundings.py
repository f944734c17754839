"""What tells of a call of a model stands around it; in a large program everything is said."""

from __future__ import annotations

from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.program.surroundings import Surroundings

ASK = (
    "import openai\nfrom keep import put\n\n\ndef ask(text):\n"
    "    client = openai.OpenAI()\n"
    "    put(client.chat.completions.create(model='m', messages=[text]))\n\n\nask(input())\n"
)
KEEP = (
    "import sqlite3\ndb = sqlite3.connect('x')\n\n\ndef put(a):\n"
    "    db.execute('INSERT INTO marks VALUES (?)', a)\n"
)
TAKE = (
    "import sqlite3\ndb = sqlite3.connect('x')\n\n\ndef take(b):\n"
    "    return db.execute('SELECT * FROM marks WHERE id = ?', b)\n\n\ntake(1)\n"
)


def _build(files: dict[str, str]) -> Conduct:
    return Conduct(Program({path: read_facts(text, "python") for path, text in files.items()}))


def _find(conduct: Conduct) -> set[str]:
    one = next(iter(conduct.inferring))
    return {path for path, _ in Surroundings(conduct).find(one)}


def test_all_of_a_small_program_is_around() -> None:
    assert _find(_build({"a.py": ASK, "keep.py": KEEP, "b.py": "print(1)\n"})) == {
        *("a.py", "keep.py", "b.py")
    }


def test_of_a_large_one_what_is_called_and_what_shares_a_place() -> None:
    other = {f"other{n}.py": f"print({n})\n" for n in range(30)}
    files = {"a.py": ASK, "keep.py": KEEP, "take.py": TAKE, **other}
    assert _find(_build(files)) == {"a.py", "keep.py", "take.py"}


def test_of_a_large_one_not_who_only_stands_in_the_same_file() -> None:
    other = {f"other{n}.py": f"print({n})\n" for n in range(30)}
    beside = "\n\ndef deal(residents):\n    print('points of', residents)\n\n\ndeal([])\n"
    conduct = _build({"a.py": ASK + beside, "keep.py": KEEP, "take.py": TAKE, **other})
    one = next(iter(conduct.inferring))
    names = {conduct.facts(item).name for item in Surroundings(conduct).find(one)}
    assert names == {"", "ask", "put", "take"}


def test_a_name_that_only_another_file_knows_means_nothing_here() -> None:
    made = (
        "def make():\n    def inner():\n        pass\n    return inner\n"
        + "\n\ndef more():\n    pass\n" * 5
    )
    use = "from made import make\n\n\ndef run():\n    if make():\n        return 1\n\n\nrun()\n"
    conduct = _build({"made.py": made, "use.py": use})
    asks = conduct.expand(("use.py", 1), frozenset({"x:made.make"}))
    assert not [tag for tag in asks if tag.startswith("x:function:")]
