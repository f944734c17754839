"""An attack asks again only of the functions that showed something: of these it hears the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from jurat.rating.attack import replace_names
from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.code.file_reader import FOLLOWED, read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.reach import Program
from jurat.rating.signals.file_roles import detect_grammar, detect_role
from tests.rating.clause_repositories import ClauseRepository, read_repositories


def _build_conduct(repository: ClauseRepository) -> Conduct:
    languages = {path: detect_grammar(path) for path in repository.files}
    facts = {
        path: read_facts(text, language)
        for path, text in repository.files.items()
        if (language := languages[path]) in FOLLOWED and language is not None
    }
    return Conduct(Program(facts), {path: detect_role(path) for path in facts})


def _show(conduct: Conduct) -> Iterator[Sign]:
    for tell in list_behaviours().values():
        yield from tell(conduct)


@pytest.mark.parametrize("half", ["examples", "young"])
def test_functions_asked_alone_show_what_they_show_among_all(half: str) -> None:
    shown = 0
    for repository in read_repositories(half):
        whole = _build_conduct(repository)
        signs = frozenset(_show(whole))
        for other in (whole, replace(whole, program=replace_names(whole.program))):
            everything = frozenset(_show(other))
            for one in sorted({sign.function for sign in signs}):
                alone = frozenset(_show(replace(other, among=frozenset({one}))))
                expected = {sign for sign in everything if sign.function == one}
                assert {sign for sign in alone if sign.function == one} == expected, repository.name
                shown += len(expected)
    assert shown > 50


def test_nobody_is_looked_into_if_nobody_is_asked() -> None:
    repository = next(read_repositories("examples"))
    nobody = replace(_build_conduct(repository), among=frozenset())
    assert nobody.product
    assert not nobody.subjects


@pytest.mark.parametrize("half", ["examples", "young", "products-1"])
def test_under_other_names_a_program_leads_where_it_led(half: str) -> None:
    for repository in read_repositories(half):
        renamed = replace_names(_build_conduct(repository).program)
        afresh = Program(renamed.files)
        assert renamed.edges == afresh.edges, repository.name
        assert all(renamed.list_imported(p) == afresh.list_imported(p) for p in afresh.files)
        assert renamed.callers == afresh.callers
        assert renamed.open_functions == afresh.open_functions
        assert (renamed.live_files, renamed.live) == (afresh.live_files, afresh.live)


@pytest.mark.parametrize("half", ["examples", "young", "products-1"])
def test_what_a_program_shows_is_asked_of_it_with_stubs_as_if_it_were_the_first(half: str) -> None:
    for repository in read_repositories(half):
        conduct = _build_conduct(repository)
        assert conduct.inferring <= conduct.program.live
        for sign in list(_show(conduct))[:6]:
            stubbed = conduct.program.drop(sign.carriers)
            afresh = Program(stubbed.files)
            assert stubbed.live == afresh.live, repository.name
            asked = (replace(conduct, program=one).inferring for one in (stubbed, afresh))
            assert len(set(asked)) == 1, repository.name
