"""No body makes the server fail, whatever its bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurat.server.api_http import CODES, PROBLEM_TYPE
from tests.server.conftest import AUTHORIZED, Served

PATHS = ["/evaluate", "/evaluate/quick", "/evaluate/applicable-rules"]

NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["-0", "-0.0", "1e999", "1e-999", "1E9999", "9" * 60, "9" * 61, "9" * 1_000]),
)
TEXTS = st.one_of(
    st.text(max_size=10).map(json.dumps),
    st.sampled_from(
        ["2026-02-30", "9999-12-31T23:59:60Z", "0001-01-01", "500 EUR", "-1 %", "\x00", "\u202e"]
    ).map(json.dumps),
)
SCALARS = st.one_of(NUMBERS, TEXTS, st.sampled_from(["null", "true", "false"]))
UNUSABLE = st.sampled_from(
    ["NaN", "-Infinity", "9" * 5_000, "1e99999", r'"\ud800"', r'"\udfff\ud800"', '"\x00"', "'a'"]
)
"""What is no JSON, or is none that facts can be."""

NAMES = st.one_of(
    st.sampled_from(["amount", "currency", "unit", "value", "approved_on", "paid_on", "items"]),
    st.sampled_from(["kind", "path", "change", "steps", "__proto__", "$ref", "", "a.b", "a[0]"]),
    st.text(max_size=5),
)


def _object(values: dict[str, str]) -> str:
    return f"{{{', '.join(f'{json.dumps(name)}: {value}' for name, value in values.items())}}}"


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(NAMES, inner, max_size=5).map(_object),
        st.tuples(st.sampled_from([2, 25, 40, 2_000]), inner).map(
            lambda deep: "[" * deep[0] + deep[1] + "]" * deep[0]
        ),
    )


VALUES = st.recursive(st.one_of(SCALARS, SCALARS, UNUSABLE), _containers, max_leaves=8)
"""JSON, and what is nearly JSON, as text."""

FACTS = st.fixed_dictionaries(
    {"amount": st.one_of(SCALARS, st.recursive(SCALARS, _containers, max_leaves=4))},
    optional={
        "currency": SCALARS,
        "unit": SCALARS,
        "approved_on": SCALARS,
        "paid_on": SCALARS,
        "items": st.lists(st.fixed_dictionaries({"kind": SCALARS}).map(_object), max_size=3).map(
            lambda items: f"[{', '.join(items)}]"
        ),
        "steps": _containers(SCALARS),
    },
).map(_object)
"""Facts that the server's own rules ask for."""

HEADER = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
LINES = st.one_of(
    st.sampled_from(
        [
            HEADER,
            "diff --git a/b.json b/b.json",
            "+++ /dev/null",
            "@@ -1 +1 @@\n-x\n+hashlib.md5(x)",
            "@@ -0,0 +1,2 @@\n+def f(a):\n+    return eval(a)",
            "@@ -99999999999999999999 +1 @@",
            "new file mode 100644",
            "deleted file mode 100644",
            "rename to ../../etc/passwd",
            "GIT binary patch",
            "-x",
            "\\ No newline at end of file",
            "-- ",
        ]
    ),
    st.text(max_size=20),
)
DIFFS = st.lists(LINES, max_size=8).map(lambda lines: json.dumps(HEADER + "\n".join(lines)))

FIELDS: dict[str, st.SearchStrategy[str]] = {
    "diff": DIFFS,
    "facts": st.one_of(FACTS, VALUES),
    "files": st.one_of(
        VALUES,
        st.just('["a.py"]'),
        TEXTS.map(lambda text: f'[{{"path": "a.py", "content": {text}}}]'),
    ),
    "action": TEXTS,
    "subject": st.sampled_from(['"transaction"', '"event"', '"creative"', '"clause_set"', "7"]),
    **dict.fromkeys(
        ["scope", "repository", "intent", "mode", "max_rules", "tags", "packs"], VALUES
    ),
}
OBJECTS = (
    st.lists(st.sampled_from(sorted(FIELDS)), max_size=3, unique=True)
    .flatmap(lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names}))
    .map(_object)
)


@pytest.fixture(scope="module")
def connection(served: Served) -> Iterator[HTTPConnection]:
    found = HTTPConnection("127.0.0.1", served.port, timeout=60)
    yield found
    found.close()


def _posted(connection: HTTPConnection, path: str, body: bytes) -> int:
    headers = {**AUTHORIZED, "Content-Type": "application/json"}
    connection.request("POST", f"/api/v1{path}", body, headers)
    answer = connection.getresponse()
    said = json.loads(answer.read())
    if answer.status != 200:
        assert said["type"] == f"{PROBLEM_TYPE}{CODES[answer.status]}"
        assert "\n" not in said["detail"]
    return answer.status


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=100)
@given(body=st.one_of(OBJECTS, VALUES))
@example(body="[" * 200_000)
@example(body='{"facts": ' + '{"a": ' * 200_000)
@example(body='{"facts": {"amount": 1e9999, "currency": "EUR"}}')
@example(body='{"facts": {"amount": "\\ud800"}}')
@example(body='{"diff": "\\u0000"}')
def test_no_json_makes_the_server_fail(connection: HTTPConnection, path: str, body: str) -> None:
    status = _posted(connection, path, body.encode("utf-8", "surrogatepass"))
    assert status in (200, 400, 413, 422)


@given(body=st.binary(max_size=200))
def test_no_bytes_make_the_server_fail(connection: HTTPConnection, body: bytes) -> None:
    assert _posted(connection, "/evaluate", body) in (400, 422)


@settings(max_examples=100)
@given(facts=FACTS, subject=st.sampled_from(["decision", "transaction"]))
@example(facts='{"amount": 1E9999, "currency": "EUR"}', subject="decision")
@example(facts='{"amount": {"value": 1e-9999, "unit": "EUR"}}', subject="transaction")
def test_no_facts_make_a_rule_fail(connection: HTTPConnection, facts: str, subject: str) -> None:
    body = f'{{"facts": {facts}, "subject": "{subject}"}}'
    assert _posted(connection, "/evaluate", body.encode()) in (200, 400, 422)


@settings(max_examples=100)
@given(diff=DIFFS)
def test_no_diff_makes_the_server_fail(connection: HTTPConnection, diff: str) -> None:
    assert _posted(connection, "/evaluate", f'{{"diff": {diff}}}'.encode()) in (200, 422)
