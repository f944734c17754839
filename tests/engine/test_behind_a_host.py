"""What stands right behind a host ends it only if it begins with a slash."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

PYTHON = (
    "import httpx\nfrom config import HOST\nfrom flask import abort, request\n"
    "def view():\n    a = request.args['a']\n    if %s:\n        abort(400)\n"
    "    return httpx.get(%s)\n"
)
GO = (
    'package main\nimport (\n"net/http"\n"strings"\n)\n'
    'func address(a string) string {\nif %s {\nreturn "https://a.example/"\n}\n'
    'return "https://a.example" + a\n}\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    'http.Get(address(r.FormValue("a")))\n}\n'
)
SCRIPT = (
    "app.get('/', async (req, res) => {\n  const a = String(req.query.a);\n"
    "  if (%s) { return res.end(); }\n  await fetch(%s);\n});\n"
)

PAIRS = {
    "a slash": (
        "python",
        PYTHON % ("not a", "'https://a.example' + a"),
        PYTHON % ("not a.startswith('/')", "'https://a.example' + a"),
    ),
    "a slash behind a host of ours": (
        "python",
        PYTHON % ("not a.endswith('/')", "'https://a.example:8080' + a"),
        PYTHON % ("not a.startswith('/')", "f'https://{HOST}{a}'"),
    ),
    "a slash, and no host": (
        "python",
        PYTHON % ("not a.startswith('/')", "'https:' + a"),
        PYTHON % ("not a.startswith('/')", "'https://a.example:8080' + a"),
    ),
    "a slash on one way": (
        "go",
        GO % 'strings.HasPrefix(a, "/")',
        GO % '!strings.HasPrefix(a, "/")',
    ),
    "a slash of another": (
        "javascript",
        SCRIPT % ("!String(req.query.b).startsWith('/')", "`https://a.example${a}`"),
        SCRIPT % ("!a.startsWith('/')", "`https://a.example${a}`"),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_slash_ends_a_host(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


ADDRESS = (
    'package main\nimport (\n"net/http"\n"net/url"\n)\nvar own = "a.example"\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    'u := url.URL{Scheme: "https", %s}\n%s\nhttp.Redirect(w, r, u.String(), 302)\n}\n'
)


@pytest.mark.parametrize(
    ("parts", "later", "count"),
    [
        ("Host: own, Path: r.URL.Path, RawQuery: r.URL.RawQuery", "", 0),
        ('Host: r.FormValue("a"), Path: "/b"', "", 1),
        ('Host: r.FormValue("a"), Path: r.URL.Path', "", 1),
        ('Path: r.FormValue("a")', "", 1),
        ('Host: "", Path: r.FormValue("a")', "", 1),
        ('Host: own, Path: "/b"', 'u.Host = r.FormValue("a")', 1),
        ('Path: "/b", RawQuery: r.FormValue("a")', "", 0),
        ('Path: r.FormValue("a"), RawQuery: r.FormValue("b")', "", 1),
    ],
)
def test_what_an_address_is_made_of_stands_behind_its_host(
    parts: str, later: str, count: int
) -> None:
    assert count_flows(ADDRESS % (parts, later), "go") == count
