"""A guard in code that never runs is gone."""

from __future__ import annotations

import time

import pytest

from jurat.engine.code_scan import scan_code
from jurat.engine.idle_code import drop_idle_code
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.parsing import parse_in_process
from tests.support.code import changed

REFUSAL = load_ruleset(read_pack("engineering")).rules["safeguard.refusal-removed"]
PYTHON = """\
from flask import abort, request
@app.route('/a/<id>', methods=['DELETE'])
def delete(id):
    item = db.get(id)
%s
    db.delete(item)
    return 'ok'
"""
PYTHON_GUARD = "    if item.owner != request.user.id:\n        abort(403)"
SCRIPT = """\
app.delete('/a/:id', async (req, res) => {
  const item = await db.get(req.params.id);
%s
  await db.delete(item);
});
"""
SCRIPT_GUARD = "  if (item.owner !== req.user.id) return res.status(403).end();"
GO = """\
package m
func del(w http.ResponseWriter, r *http.Request) {
\titem := db.Get(r.FormValue("id"))
%s
\tdb.Delete(item)
}
"""
GO_GUARD = '\tif item.Owner != user(r).ID {\n\t\thttp.Error(w, "no", 403)\n\t\treturn\n\t}'


def is_missed(path: str, text: str, guard: str, now: str) -> bool:
    file = changed(text % guard, text % now, path)
    (found,) = scan_code([(REFUSAL, [file])], parse_in_process)
    return bool(found.places)


@pytest.mark.parametrize(
    ("now", "is_gone"),
    [
        ("    if False:\n        if item.owner != request.user.id:\n            abort(403)", True),
        ("    if False and item.owner != request.user.id:\n        abort(403)", True),
        ("    if item.owner != request.user.id and 1 > 2:\n        abort(403)", True),
        ("    on = False\n    if on and item.owner != request.user.id:\n        abort(403)", True),
        ("    if 1:\n        0\n    elif item.owner != request.user.id:\n        abort(403)", True),
        ("    db.delete(item)\n    return 'ok'\n" + PYTHON_GUARD, True),
        ("    on = f()\n    if on or item.owner != request.user.id:\n        abort(403)", False),
        ("    if True and item.owner != request.user.id:\n        abort(403)", False),
        ("    if item.owner != request.user.id:\n        abort(403)\n    on = False", False),
    ],
)  # fmt: skip
def test_in_python(now: str, is_gone: bool) -> None:
    assert is_missed("app/views.py", PYTHON, PYTHON_GUARD, now) is is_gone


@pytest.mark.parametrize(
    ("path", "text", "guard", "now"),
    [
        ("a.js", SCRIPT, SCRIPT_GUARD, f"  if (false) {{\n{SCRIPT_GUARD}\n  }}"),
        ("a.ts", SCRIPT, SCRIPT_GUARD, f"  if (true) {{}} else {SCRIPT_GUARD.strip()}"),
        ("a.js", SCRIPT, SCRIPT_GUARD, SCRIPT_GUARD.replace("(item", "(!1 && item", 1)),
        ("a.go", GO, GO_GUARD, f"\tif false {{\n{GO_GUARD}\n\t}}"),
        ("a.go", GO, GO_GUARD, "\tconst on = false\n" + GO_GUARD.replace("if ", "if on && ")),
    ],
)
def test_in_other_languages(path: str, text: str, guard: str, now: str) -> None:
    assert is_missed(path, text, guard, now)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "on = False\ndef f(on):\n    if on:\n        a()\n"),
        ("python", "on = False\ndef f():\n    global on\n    on = True\n    if on:\n        a()\n"),
        ("python", "on = False\nfor on in b:\n    if on:\n        a()\n"),
        ("javascript", "let on = false;\nf(() => { on ||= b });\nif (on) { a() }\n"),
        ("javascript", "function f() {\n  return g();\n  function g() { a() }\n}\n"),
        ("go", "package m\nvar on = false\nfunc f() { on = true }\nfunc g() { if on { a() } }\n"),
        ("ruby", "if false\n  a\nend\n"),
    ],
)
def test_what_may_run_stays(language: str, text: str) -> None:
    assert drop_idle_code(text, language) == text


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"a{n} = False\nif a{n}:\n    b()\n" for n in range(5_000)),
        "def f():\n" + "    return 1\n" * 10_000,
        "if a:\n    b()\n" + "elif True:\n    b()\n" * 2_000,
        "if " + "False and (" * 150 + "a" + ")" * 150 + ":\n    b()\n",
    ],
)
def test_it_takes_bounded_time(text: str) -> None:
    started = time.process_time()
    drop_idle_code(text, "python")
    assert time.process_time() - started < 10
