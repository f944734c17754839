"""A text in which no two dots can stand leads no path up, whatever else may stand in it."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

GO = (
    'package p\nimport ("net/http"; "os"; "regexp"; "strings")\n'
    "var known = regexp.MustCompile(`%s`)\n"
    "func show(w http.ResponseWriter, r *http.Request) {\n\t%s\n}\n"
)
ASKED = 'if !known.MatchString(r.URL.Path) { return }\n\tos.Open("/srv" + %s)'
CUT = 'a := strings.%s\n\tos.Open("/srv/" + a)'
PYTHON = (
    "import os, re\nfrom flask import Flask, request\napp = Flask('a')\n@app.route('/')\n"
    "def show():\n    a = request.args['a']\n    if not re.fullmatch(r'%s', a):\n"
    "        return ''\n    return open(os.path.join('/srv', a)).read()\n"
)
STEPS = {
    "steps of letters, and of letters and dots": (
        "go",
        GO % (r"^/(\w+/)*\w+\.ts$", ASKED % "r.URL.Path"),
        GO % (r"^/([\w.]+/)*\w+\.ts$", ASKED % "r.URL.Path"),
    ),
    "the last of them": (
        "go",
        GO % (r"^/\w+/(\w+/)*\w+\.ts$", ASKED % 'strings.SplitN(r.URL.Path, "/", 3)[2]'),
        GO % (r"^/\w+/.*\.ts$", ASKED % 'strings.SplitN(r.URL.Path, "/", 3)[2]'),
    ),
    "each dot was taken out, and each two": (
        "go",
        GO % ("", CUT % 'Replace(r.FormValue("a"), ".", "", -1)'),
        GO % ("", CUT % 'Replace(r.FormValue("a"), "..", "", -1)'),
    ),
    "each dot, and the first": (
        "go",
        GO % ("", CUT % 'ReplaceAll(r.FormValue("a"), ".", "")'),
        GO % ("", CUT % 'Replace(r.FormValue("a"), ".", "", 1)'),
    ),
    "what stays below a folder, and what may begin at the root": (
        "python",
        PYTHON % r"\w+(/\w+)*",
        PYTHON % r"[\w/]+",
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_what_can_hold_no_two_dots_leads_nowhere_up(name: str) -> None:
    language, level, upward = STEPS[name]
    assert count_flows(level, language) == 0
    assert count_flows(upward, language) == 1
