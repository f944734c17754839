"""What is looked at less closely to be quick, and must find all the same."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

import pytest

from jurat.rating.behaviours.oversight.halting import find_halts
from jurat.rating.code.file_reader import read_facts
from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.inference import (
    can_ask,
    is_handed_model,
    is_moderation,
    is_piped,
    is_spoken_to,
)
from jurat.rating.program.reach import Program
from jurat.rating.signals import sightings
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.mentions import PLAIN_NAMES, Kind, find_mentions
from jurat.rating.signals.recon_table import (
    NAMES,
    build_name_pattern,
    list_literals,
    load_recon_table,
    split_name,
)
from jurat.rating.signals.signal_search import build_search, is_bound
from tests.rating.clause_repositories import read_repositories

WANTED = sorted(
    {
        one.removeprefix("*.").rpartition(".")[2]
        for source in load_recon_table().signals
        for probe in source.probes
        for kind in NAMES
        for one in getattr(probe, kind)
    }
)


@pytest.mark.parametrize("between", ["", "_", "_some_more_"])
def test_whatever_a_pattern_fits_has_one_of_its_literals(between: str) -> None:
    for wanted in WANTED:
        literals = list_literals(wanted)
        assert all(len(one) > 1 for one in literals), wanted
        for literal in literals:
            name = re.sub(r"\*", between, wanted).strip("_")
            if "{" not in name and re.fullmatch(build_name_pattern(wanted), name):
                assert literal in name.replace("_", "")


def test_a_name_is_looked_up_as_if_all_that_is_looked_for_were_tried() -> None:
    search = build_search(None)
    names = [re.sub(r"[*{},]", "", one).strip("_") for one in WANTED][::6]
    for kind in (Kind.NAME, Kind.CALL):
        for name in (*names, "nothing_of_it", "x"):
            fitting = (one for one in search.load_wanted(kind.value) if Role.CODE in one.within)
            tried = tuple(one for one in fitting if one.expression.search(name.encode()))
            assert search.list_wanted_by(Role.CODE, kind, name) == tried, name
        assert any(search.list_wanted_by(Role.CODE, kind, name) for name in names)


@pytest.mark.parametrize("half", ["tune", "strangers", "later"])
def test_names_that_are_passed_over_say_nothing(half: str) -> None:
    search = build_search(None)
    for one in list(read_repositories(half))[:12]:
        for path, text in one.files.items():
            language = {"py": "python", "ts": "typescript", "js": "javascript", "tsx": "tsx"}.get(
                path.rpartition(".")[2]
            )
            if language not in PLAIN_NAMES or language is None:
                continue
            sieve = search.build_sieve(Role.CODE, text)
            few = find_mentions(text, language, sieve, partial(search.choose_names, Role.CODE))
            every = list(find_mentions(text, language, sieve))
            assert list(few) == every, path
            says = search.may_say(text)
            assert says or every == list(find_mentions(text, language, sieve, phrases=False)), path


def test_strings_that_are_passed_over_say_nothing() -> None:
    search = build_search(None)
    passed_over = [role for role in Role if not search.reads_strings(role)]
    assert Role.TEST in passed_over
    assert Role.CODE not in passed_over
    text = 'def test_it():\n    assert ask("You are a judge.", "consent") == "score"\n'
    for role in passed_over:
        sieve = search.build_sieve(role, text)
        few = list(find_mentions(text, "python", sieve, strings=False))
        assert few == list(find_mentions(text, "python", sieve)), role


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('ask("You are a clerk who must " "social score them")', "must social score"),
        ("const s = `lip-sync`", "`lip-sync`"),
    ],
)
def test_a_phrase_is_found_in_a_string_as_in_the_whole_of_its_text(text: str, said: str) -> None:
    search = build_search(None)
    alone = search.build_sieve(Role.CODE, said)
    within = search.build_sieve(Role.CODE, text)
    for kind in (Kind.TEXT, Kind.SHOWN):
        assert alone(kind, said) is within(kind, said)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("const s = `lip-sync`", True),
        ('ask("Steer them to buy", "without their knowing")', True),
        ('ask("Add two numbers.")', False),
    ],
)
def test_a_text_without_any_phrase_is_known(text: str, says: bool) -> None:
    assert build_search(None).may_say(text) is says


def test_settings_without_a_phrase_are_not_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = Counter[str]()

    def count(text: str, _: object) -> tuple[tuple[int, str], ...]:
        kept[text] += 1
        return ()

    monkeypatch.setattr(sightings, "_iter_kept", count)
    plain, telling = 'greeting: "Add two numbers and go on"\n', "prompt: social score all of them\n"
    for text in (plain, telling):
        sightings.find_sightings(sightings.SourceFile(text, None, Role.SETTINGS))
    assert not kept[plain]
    assert kept[telling]


def test_strings_beside_each_other_are_read_where_no_phrase_stands() -> None:
    text = 'ask("You are a clerk who must social " "score the people here", "You are a judge.")\n'
    found = find_mentions(text, "python", lambda kind, _: kind is Kind.TEXT, phrases=False)
    assert [mention.text.count('"') for mention in found] == [2]


@pytest.mark.parametrize(
    ("pattern", "bound"),
    [("^a", True), ("a$", True), (r"a\$", False), ("[^a]", False), ("(?:a|^b)", True)],
)
def test_what_is_bound_to_an_end_is_known(pattern: str, bound: bool) -> None:
    assert is_bound(pattern) is bound


def test_a_program_with_stubs_is_linked_anew_where_they_are() -> None:
    files = {
        "main.py": "from work import act\n\n\ndef run():\n    act()\n\n\nrun()\n",
        "work.py": "from more import end\n\n\ndef act():\n    end()\n",
        "more.py": "def end():\n    print(1)\n",
    }
    program = Program({path: read_facts(text, "python") for path, text in files.items()})
    before = dict(program.edges)
    stubbed = program.drop({("work.py", 1)})
    assert before["work.py", 1] == {("more.py", 1)}
    assert stubbed.edges["work.py", 1] == frozenset()
    assert stubbed.edges["main.py", 1] == before["main.py", 1]
    assert program.drop({("main.py", 1)}).edges["work.py", 1] == before["work.py", 1]
    assert ("work.py", 1) in stubbed.live
    assert list(find_halts(Conduct(stubbed))) == []


MODULES = sorted(
    {
        module
        for source in load_recon_table().signals
        for probe in source.probes
        for module in probe.imports
    }
)


@pytest.mark.parametrize("before", ["", "package:", "x", "package:package:"])
@pytest.mark.parametrize("behind", ["", ".part", "/part", "::Part", "\\Part", "x", "-x", "."])
def test_a_module_is_wanted_by_whom_its_expression_fits(before: str, behind: str) -> None:
    search = build_search(None)
    for module in MODULES:
        said = f"{before}{module}{behind}"
        fitting = [
            one
            for one in search.load_wanted("imports")
            if Role.CODE in one.within and one.expression.search(said.encode()) is not None
        ]
        assert list(search.list_wanted_by(Role.CODE, Kind.IMPORT, said)) == fitting, said


def test_a_name_is_wanted_by_whom_its_expression_fits() -> None:
    search = build_search(None)
    names = {split_name(name) for one in WANTED for name in re.split(r"[{},*]", one) if name}
    shown = 0
    for name in sorted({*names, *(f"{one}_more" for one in names)}):
        for kind in (Kind.DEFINITION, Kind.NAME, Kind.KEY):
            fitting = [
                one
                for one in search.load_wanted(kind.value)
                if Role.CODE in one.within and one.expression.search(name.encode()) is not None
            ]
            assert list(search.list_wanted_by(Role.CODE, kind, name)) == fitting, name
            shown += len(fitting)
    assert shown > 500


SPOKEN = frozenset(("k:role", "k:content", "t:user"))
CHAINED = frozenset(("op:|", "x:langchain_openai.ChatOpenAI()"))


@pytest.mark.parametrize(
    "name",
    [
        *("?.chat", "house.client.answerQuestion", "?.detector", "chain.ainvoke", "?.reply"),
        *("openai.OpenAI().moderations.create", "requests.get", "?.save", "json.dumps", "?.scorer"),
    ],
)
def test_whoever_asks_a_model_by_what_it_is_handed_may_ask_one(name: str) -> None:
    call = CallFact(name, 1, given=SPOKEN, receiver=CHAINED, arguments=1)
    ways = (is_spoken_to(name, call), is_piped(name, call), is_handed_model(name, call))
    assert can_ask(name) is (any(ways) or is_moderation(name))
