"""A schema of the file itself is worth what it says, and a call of its library no more."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

HEAD = (
    "const { z } = require('zod');\nconst { exec } = require('child_process');\n"
    "const app = require('express')();\nconst S = z.object({ a: z.string(), b: z.enum(['x']) });\n"
)
VIEW = HEAD + "app.get('/', (req, res) => { %s });\n"
FAULTS = {
    "text of any kind": "exec('ls ' + S.parse(req.query).a);",
    "a method that is not known": "exec('ls ' + S.decode(req.query).b);",
    "a function that is not known": "exec('ls ' + z.encode(req.query).b);",
}
FIT = {
    "one of a list": "exec('ls ' + S.parse(req.query).b);",
    "what a check of its own has seen": "exec('ls ' + z.string().refine(fits).parse(req.query.a));",
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_no_schema_has_checked_is_found(name: str) -> None:
    assert count_flows(VIEW % FAULTS[name], "javascript") == 1


@pytest.mark.parametrize("name", FIT)
def test_what_a_schema_has_checked_is_fit(name: str) -> None:
    assert count_flows(VIEW % FIT[name], "javascript") == 0
