"""The API judges facts, and files with their content, as each of the eight kinds."""

from __future__ import annotations

import json

import pytest

from jurat.facts.context import SURFACE_OF, TERMS, SubjectKind
from jurat.store.evaluations import Store
from tests.server.conftest import build_services, connected
from tests.support.surfaces import FACTS, RULES, SAID

OWN = {"own/house.yml": RULES}


@pytest.mark.parametrize("kind", SubjectKind)
async def test_facts_are_judged_as_the_kind_that_is_named(store: Store, kind: SubjectKind) -> None:
    async with connected(build_services(store), store, rules=OWN) as api:
        said = await api.evaluated(facts=dict(FACTS), subject=kind, packs=[])
    (found,) = said["violations"]
    (place,) = found["locations"]
    assert place["file_path"] is None
    assert place["surface"] == SURFACE_OF[kind]
    assert SAID[kind].items() <= place.items()


@pytest.mark.parametrize("kind", [kind for kind in SubjectKind if "json_path" in SAID[kind]])
async def test_a_data_file_is_judged_by_what_it_says_and_placed_on_its_line(
    store: Store, kind: SubjectKind
) -> None:
    file = {"path": "ledger/1.json", "content": json.dumps(dict(FACTS), indent=2) + "\n"}
    async with connected(build_services(store), store, rules=OWN) as api:
        said = await api.evaluated(files=[file], subject=kind, packs=[])
    (found,) = said["violations"]
    (place,) = found["locations"]
    assert (place["file_path"], place["start_line"]) == ("ledger/1.json", 9)
    assert SAID[kind].items() <= place.items()


async def test_a_text_is_searched_and_placed_by_its_clause(store: Store) -> None:
    rule = RULES.partition("    constraints:")[0] + (
        "    constraints: [{type: regex, pattern: 'for ever'}]\n"
    )
    file = {"path": "c.md", "content": "1. Term\n\n1.1 It lasts for ever.\n"}
    async with connected(build_services(store), store, rules={"own/house.yml": rule}) as api:
        said = await api.evaluated(files=[file], subject=SubjectKind.CLAUSE_SET, packs=[])
    (found,) = said["violations"]
    (place,) = found["locations"]
    assert (place["start_line"], place["clause_ref"], place["span_text"]) == (3, "1.1", "for ever")
    fields = set(place) - {"surface", "file_path", "start_line", "end_line"}
    assert fields <= TERMS[SURFACE_OF[SubjectKind.CLAUSE_SET]].location_fields
