"""Adding a command, an output format, a constraint type, a surface or a judge is adding a line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal, get_args

import pytest
from pydantic import SecretStr

from jurat.cli.registry import COMMANDS, load_command
from jurat.engine import compiler
from jurat.engine.outcome import Evidence, Outcome, OutcomeState
from jurat.facts import places
from jurat.facts.context import SURFACE_OF, TERMS, SubjectKind, Surface, SurfaceTerms
from jurat.judge import opening, providers
from jurat.judge.models_file import ModelSettings
from jurat.reports.formats import PROBE_FORMATS, RATING_FORMATS, REVIEW_FORMATS
from jurat.rules.constraints import CodeConstraint, FactConstraint, OrderConstraint
from jurat.rules.validation import StrictModel
from tests.support.command import DIFF, written
from tests.support.production import python

IMPORTED_LATE = (REVIEW_FORMATS, RATING_FORMATS, PROBE_FORMATS, providers.JUDGES)
TARGETS = {command.target for command in COMMANDS.values()}


@pytest.mark.parametrize("name", sorted(TARGETS.union(*(each.values() for each in IMPORTED_LATE))))
def test_what_is_imported_late_is_there(name: str) -> None:
    assert callable(resolve_name(name))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    said = (load_command(name).help or "").partition("\n\n")[0]
    assert COMMANDS[name].does == " ".join(said.split())


# What a module of one's own has, and the line that makes it known before the command is loaded.
PLUGGED = """
import sys
from types import ModuleType

own = ModuleType("own")
def write(result, *rest):
    rest[-1].write(f"own {type(result).__name__}\\n")
own.write = write
def greet() -> None:
    '''Say hello.'''
    print("hello")
own.greet = greet
sys.modules["own"] = own
import jurat.reports.formats as formats
import jurat.cli.registry as commands
formats.REVIEW_FORMATS = {**formats.REVIEW_FORMATS, "own": "own:write"}
formats.RATING_FORMATS = {**formats.RATING_FORMATS, "own": "own:write"}
commands.COMMANDS = {**commands.COMMANDS, "greet": commands.Subcommand("own:greet", "Say hello.")}
from jurat.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("review", "--diff", "change.diff", "--format", "own"), "own ReviewReport\n"),
        (("rate", ".", "--format", "own"), "own RatingReport\n"),
        (("greet",), "hello\n"),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_a_line_makes_a_format_or_a_command(
    tmp_path: Path, arguments: tuple[str, ...], printed: str
) -> None:
    written(tmp_path / "change.diff", DIFF)
    ran = subprocess.run(
        [python(), "-c", PLUGGED, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == (printed, "")


def test_every_constraint_of_a_rule_file_has_a_line() -> None:
    readable = {*get_args(FactConstraint), *get_args(CodeConstraint), OrderConstraint}
    assert compiler.CONSTRAINT_TYPES.keys() == readable
    over_code = {item for item, compile_it in compiler.CONSTRAINT_TYPES.items() if not compile_it}
    assert over_code == set(get_args(CodeConstraint))


class PresentConstraint(StrictModel):
    """Something is there."""

    type: Literal["present"]
    key: str


def compile_present(constraint: PresentConstraint, tables: Mapping[str, Any]) -> Any:
    def check(facts: Mapping[str, Any], admits: object = None) -> Outcome:
        state = OutcomeState.PASS if constraint.key in facts else OutcomeState.FAIL
        return Outcome(state, "something", (Evidence(constraint.key, None, state),))

    return check


def test_a_line_makes_a_constraint_type(monkeypatch: pytest.MonkeyPatch) -> None:
    constraint: Any = PresentConstraint(type="present", key="approval")
    with pytest.raises(KeyError):  # and never a constraint that counts as held
        compiler.compile_constraint(constraint, {})
    known = {**compiler.CONSTRAINT_TYPES, PresentConstraint: compile_present}
    monkeypatch.setattr(compiler, "CONSTRAINT_TYPES", known)
    check = compiler.compile_constraint(constraint, {})
    assert check is not None
    assert check({"approval": "x"}).state is OutcomeState.PASS
    assert check({}).state is OutcomeState.FAIL


def test_every_surface_and_kind_has_its_terms() -> None:
    assert TERMS.keys() == set(Surface)
    assert SURFACE_OF.keys() == set(SubjectKind)
    for surface, terms in TERMS.items():
        named = {terms.passage_field} - {None}
        assert named <= terms.location_fields, surface
        assert {terms.rewriting} - {None} <= terms.remediation_types, surface


POSTER = SurfaceTerms(
    frozenset({"panel", "span_text"}), frozenset({"repaint"}), passage_field="panel"
)


def test_an_entry_makes_a_surface(monkeypatch: pytest.MonkeyPatch) -> None:
    poster: Any = "poster"
    terms = MappingProxyType({**TERMS, poster: POSTER})
    monkeypatch.setattr(places, "TERMS", terms)
    facts = {"panels": [{"title": "Left", "text": "Free!"}]}
    where = ("panels", 0, "text")
    found = places.build_fact_fields(poster, facts, where, value="Free!", stated="")
    assert found == {"panel": "Left", "span_text": "Free!"}


async def test_a_line_makes_a_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    @asynccontextmanager
    async def open_own(settings: object, *, sleep: object) -> Any:
        opened.append(settings)
        yield "models"

    monkeypatch.setitem(sys.modules, "own", SimpleNamespace(open=open_own))
    monkeypatch.setattr(opening, "JUDGES", {**providers.JUDGES, "own": "own:open"})
    settings = ModelSettings(SecretStr("key"), judge="own")
    async with opening.open_models(settings) as models:
        assert models == "models"
    assert opened == [settings]
    assert ModelSettings(SecretStr("key")).judge in providers.JUDGES
