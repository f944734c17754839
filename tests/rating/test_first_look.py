"""What a first look passes over: a file that can show nothing is never parsed, nor rated other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pytest

from jurat.rating.code import file_reader
from jurat.rating.first_look import FEW, build_first_look
from jurat.rating.held import RepositoryScan
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.rate import rate_scan
from jurat.rating.rating import Rating
from jurat.rating.recon import FirstLook, scan_worktree
from jurat.rating.signals import mentions
from jurat.rating.signals.file_roles import Role, detect_grammar, detect_role
from jurat.rating.signals.file_signs import FileReader
from jurat.rating.signals.screening import can_show
from jurat.rating.signals.sightings import SourceFile, find_sightings
from jurat.source import syntax
from tests.rating.blind_repositories import build_blind_controls, build_blind_practices
from tests.rating.labelled_repositories import build_control_cases, build_practice_cases
from tests.rating.test_repositories_of_many_styles import read_styles
from tests.support.rating import ALL_APPLY
from tests.support.recon import a_worktree

PACKS = load_regulations(ALL_APPLY)
FIRST_LOOK = build_first_look(PACKS, list_named_rules(), classifying=PACKS)
PLAIN = (
    "import logging\nlog = logging.getLogger()\ndef f(user_id):\n    log.info('done', user_id)\n"
)
ASKS = "import openai\ndef f(x):\n    return openai.OpenAI().responses.create(input=x)\n"


def rate(files: Mapping[str, str], first_look: FirstLook | None) -> Rating:
    worktree = a_worktree(files)
    seen = RepositoryScan(worktree, *scan_worktree(worktree, first_look=first_look))
    return rate_scan(seen, PACKS, list_named_rules(), classifying=PACKS, on=ALL_APPLY)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was parsed for a rating."""
    counts: Counter[str] = Counter()

    def parse(text: str, language: str) -> Any:
        counts[text] += 1
        return syntax.parse(text, language)

    monkeypatch.setattr(mentions, "parse", parse)
    monkeypatch.setattr(file_reader, "parse", parse)
    return counts


def test_a_repository_without_ai_is_rated_without_a_parse(parsed: Counter[str]) -> None:
    files = {f"app/m{n}.py": PLAIN + f"x = {n}\n" for n in range(50)}
    rating = rate(files, FIRST_LOOK)
    assert not parsed
    assert rating == rate(files, None)
    assert parsed.total() == 100


def test_one_file_that_may_show_ai_is_parsed_alone(parsed: Counter[str]) -> None:
    files = {f"app/m{n}.py": PLAIN + f"x = {n}\n" for n in range(20)}
    near = "def predict(x):\n    return x\nclassifier = None\n"
    rating = rate(files | {"app/near.py": near}, FIRST_LOOK)
    assert dict(parsed) == {near: 1}
    assert rating == rate(files | {"app/near.py": near}, None)


def test_of_an_ai_system_everything_is_looked_at(parsed: Counter[str]) -> None:
    files = {"app/ask.py": ASKS, "app/plain.py": PLAIN}
    assert rate(files, FIRST_LOOK) == rate(files, None)
    assert parsed[PLAIN] == 4  # its words and its functions, of either rating


def test_few_files_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileReader, "screen", None)
    few = {f"app/m{n}.py": PLAIN for n in range(FEW)}
    many = {f"docs/{n}.md": "# Plain\n" for n in range(2 * FEW)}
    assert rate(few | many, FIRST_LOOK) == rate(few | many, None)
    with pytest.raises(TypeError):
        rate(few | {"app/more.py": PLAIN}, FIRST_LOOK)


def test_first_files_that_are_no_code_tell_nothing_of_how_much_there_is(
    parsed: Counter[str],
) -> None:
    # As many as are looked at before it is first asked whether that suffices.
    pages = {f".github/{n}.yml": "name: x\n" for n in range(100)}
    files = {f"app/m{n}.py": PLAIN + f"x = {n}\n" for n in range(50)}
    rating = rate(pages | files, FIRST_LOOK)
    assert not parsed
    assert rating == rate(pages | files, None)


def test_what_the_product_imports_of_samples_is_found_with_few_parses(
    parsed: Counter[str],
) -> None:
    leads = "from examples.shown import run\nrun()\n"
    files = {f"app/m{n}.py": PLAIN + f"x = {n}\n" for n in range(20)}
    files |= {"app/leads.py": leads, "examples/shown.py": PLAIN, "examples/other.py": PLAIN}
    rating = rate(files, FIRST_LOOK)
    assert rating.taken_in == ("examples/shown.py",)
    assert dict(parsed) == {leads: 1}
    assert rating == rate(files, None)


def test_what_is_taken_in_may_be_the_ai_system() -> None:
    files = {"app/main.py": "from ..vendor import ask\nask.f(1)\n", "vendor/ask.py": ASKS}
    assert rate(files, FIRST_LOOK) == rate(files, None)


SERVES = "import uvicorn\nuvicorn.run(%s)\n"
LEADING = {
    "relative": ("app/a.py", "from .gen import f\n", "app/gen.py"),
    "of the package": ("app/a.py", "from . import b\n", "app/__init__.py"),
    "escaped": ("app/a.py", SERVES % '"samples.\\x73hown:app"', "samples/shown.py"),
    "by a string": ("app/a.py", SERVES % '"samples.shown:app"', "samples/shown.py"),
    "a script": ("src/a.js", "import { f } from '../samples/do-it'\nf()\n", "samples/do-it.js"),
    "a folder": ("src/a.ts", "import { f } from '../samples/kit'\n", "samples/kit/index.ts"),
    "required": ("src/a.js", "const f = require('../vendor/f.js')\n", "vendor/f.js"),
}


@pytest.mark.parametrize("case", LEADING)
def test_no_way_into_what_was_left_out_is_missed(case: str) -> None:
    path, text, other = LEADING[case]
    generated = "# Code generated by x. Do not edit.\n" if other.startswith("app/") else ""
    python = other.endswith(".py")
    files = {
        path: text,
        other: generated + ("def f(): pass\n" if python else "export function f() {}"),
    }
    assert rate(files, FIRST_LOOK) == rate(files, None)


def list_repositories() -> list[Mapping[str, str]]:
    written = (
        build_control_cases,
        build_practice_cases,
        build_blind_controls,
        build_blind_practices,
    )
    cases = (*chain.from_iterable(build() for build in written), *read_styles())
    return [case.files for case in cases]


def test_small_repositories_are_rated_the_same() -> None:
    # Each fourth: most have so few files that they get no first look.
    repositories = list_repositories()[::4]
    assert len(repositories) > 50
    different = [files for files in repositories if rate(files, FIRST_LOOK) != rate(files, None)]
    assert not different


SHOWING = {
    "a phrase over two strings": 'x = llm("rate the trust" "worthiness of this citizen")\n',
    "on two lines": 'ask("you undress the"\n    " person in the picture")\n',
    "behind a letter": 'ask("u" "ndress the person in the picture")\n',
    "an alias": "from face_recognition import compare_faces as c\nc(a, b)\n",
    "a key of two words": 'rows["social score"] = 1\n',
    "a key with dashes": 'rows["social-credit"] = 1\n',
    "a name in humps": "socialCreditScore = 1\n",
    "a name with a dollar": "const social$score = 1\n",
    "a module in two parts": "from langchain import agents\n",
    "a module that is loaded": "const x = require('@tensorflow/tfjs')\n",
}


@pytest.mark.parametrize("case", SHOWING)
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_nothing_is_passed_over_that_parsing_finds(case: str, language: str) -> None:
    source = SourceFile(SHOWING[case], language, Role.CODE, FIRST_LOOK.signals)
    assert not find_sightings(source) or can_show(*source_of(source))


def test_no_small_repository_has_a_file_that_is_passed_over_wrongly() -> None:
    for path, text in chain.from_iterable(files.items() for files in list_repositories()):
        if (role := detect_role(path)) in (Role.CODE, Role.TEST):
            source = SourceFile(text, detect_grammar(path), role, FIRST_LOOK.signals)
            assert not find_sightings(source) or can_show(*source_of(source)), path


def source_of(source: SourceFile) -> Sequence[Any]:
    return source.text, source.language, source.role, source.among
