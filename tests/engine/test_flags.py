"""A variable that became true behind a check speaks of that check later, and of no other."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

PYTHON = (
    "import httpx\nfrom urllib.parse import urlsplit\nfrom flask import abort, request\n"
    "HOSTS = load()\ndef view():\n    url = request.args['url']\n"
    "    host = urlsplit(url).hostname\n    known = False\n%s\n"
    "    if not known:\n        abort(400)\n    return httpx.get(url)\n"
)
GO = (
    'package main\nimport (\n"net/http"\n"net/url"\n)\nvar hosts = load()\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    'to, err := url.Parse(r.FormValue("url"))\nif err != nil {\nreturn\n}\n'
    "known := false\n%s\nif !known {\nreturn\n}\nhttp.Get(to.String())\n}\n"
)
JAVA = (
    "import javax.servlet.http.*;\nimport java.net.URI;\nimport java.util.*;\n"
    "class View extends HttpServlet {\nList<String> hosts = load();\n"
    "protected void doGet(HttpServletRequest request, HttpServletResponse response) throws"
    ' Exception {\nURI to = URI.create(request.getParameter("url"));\nboolean known = false;\n%s\n'
    "if (!known) {\nreturn;\n}\nto.toURL().openStream();\n}\n}\n"
)

PAIRS = {
    "in a loop": (
        "java",
        JAVA % "for (String one : hosts) {\nif (one.equals(to.getHost())) {\n}\nknown = true;\n}",
        JAVA % "for (String one : hosts) {\nif (one.equals(to.getHost())) {\nknown = true;\n}\n}",
    ),
    "with a way out of the loop": (
        "go",
        GO % "for _, one := range hosts {\nif one != to.Host {\nknown = true\nbreak\n}\n}",
        GO % "for _, one := range hosts {\nif one == to.Host {\nknown = true\nbreak\n}\n}",
    ),
    "on two ways": (
        "go",
        GO % 'if to.Host == "a.example" {\nknown = true\n} else if to.Scheme == "ftp" {\n'
        "known = true\n}",
        GO % 'if to.Host == "a.example" {\nknown = true\n} else if to.Host == "b.example" {\n'
        "known = true\n}",
    ),
    "turned round": (
        "python",
        PYTHON % "    if host in HOSTS:\n        known = False\n    else:\n        known = True",
        PYTHON % "    if host in HOSTS:\n        known = True\n    else:\n        known = False",
    ),
    "set again": (
        "python",
        PYTHON % "    if host in HOSTS:\n        known = True\n    known = bool(host)",
        PYTHON % "    known = bool(host)\n    known = host in HOSTS",
    ),
    "after a failure": (
        "python",
        PYTHON % "    try:\n        if host in HOSTS:\n            known = True\n"
        "    except TypeError:\n        known = True",
        PYTHON % "    try:\n        if host in HOSTS:\n            known = True\n"
        "    except TypeError:\n        known = False",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_flag_speaks_of_what_stood_before_it(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
