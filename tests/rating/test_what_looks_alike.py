"""Small products beside what looks like them: the reach, the order or the act is missing."""

from __future__ import annotations

import pytest

from tests.rating.clause_repositories import ClauseRepository, read_repositories
from tests.support.rating import rate_document

EXAMPLES = tuple(read_repositories("examples"))


@pytest.mark.parametrize("one", EXAMPLES, ids=[one.name for one in EXAMPLES])
def test_what_holds_is_told_from_what_looks_like_it(one: ClauseRepository) -> None:
    shown = {
        (regulation["id"], clause["id"]): clause["supported_verdict"]
        for regulation in rate_document(one.files)["regulations"]
        for clause in regulation["clauses"]
    }
    for label in one.labels:
        said = shown[label.regulation, label.clause]
        assert (said in ("pass", "partial")) == label.holds, label.clause
