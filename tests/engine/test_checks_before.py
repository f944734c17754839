"""Checks that were made before a value is used: by a constructor, before each route, by a list."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK
from tests.engine.test_hidden_flows import count_flows

_FIRST = (
    "from flask import Flask, abort, request\nimport os\napp = Flask('a')\n"
    "@app.before_request\ndef check():\n%s\n"
    "@app.route('/')\ndef view():\n    os.system('ls ' + request.args['a'])\n    return 'yes'\n"
)
_RECORD = (
    "from dataclasses import dataclass\nfrom flask import Flask, request\nimport os\n"
    "app = Flask('a')\n@dataclass\nclass Part:\n    name: str\n    def __post_init__(self):\n%s\n"
    "@app.route('/')\ndef view():\n    part = Part(request.args['a'])\n"
    "    os.system('ls ' + part.name)\n    return 'yes'\n"
)
_FORM = (
    "from enum import Enum\nfrom typing import Literal\nfrom fastapi import FastAPI\nimport os\n"
    "from pydantic import BaseModel\napp = FastAPI()\nclass Kind(Enum):\n    X = 'x'\n"
    "class Part(BaseModel):\n    name: %s\n    most: int\n"
    "@app.post('/')\ndef view(part: Part):\n    os.system(f'ls {part.name} {part.most}')\n"
)
_PAGE = (
    "import tornado.web\nclass A(tornado.web.RequestHandler):\n    def get(self):\n"
    "        self.set_header('Content-Type', '%s')\n"
    "        self.write('<p>' + self.get_argument('a'))\n"
)

PAIRS = {
    "before each route, and only noted": (
        _FIRST % "    if request.args['a'] not in ('x', 'y'):\n        print('no')",
        _FIRST % "    if request.args['a'] not in ('x', 'y'):\n        return 'no', 400",
    ),
    "before each route, of another part": (
        _FIRST % "    if request.args['b'] not in ('x', 'y'):\n        abort(400)",
        _FIRST % "    if request.args['a'] not in ('x', 'y'):\n        abort(400)",
    ),
    "by a record of itself": (
        _RECORD % "        if not self.name:\n            raise ValueError(self.name)",
        _RECORD
        % "        if self.name not in ('x', 'y'):\n            raise ValueError(self.name)",
    ),
    "by the type of a field": (_FORM % "str", _FORM % "Literal['x', 'y']"),
    "by an enumeration": (_FORM % "str", _FORM % "Kind"),
    "by a list that has no such element": (
        FLASK % "('x', 'y').count(a)\n    os.system('ls ' + a)",
        FLASK % "['x', 'y'].index(a)\n    os.system('ls ' + a)",
    ),
    "by the kind of an answer": (_PAGE % "text/html", _PAGE % "text/plain"),
}


@pytest.mark.parametrize("idea", list(PAIRS))
def test_what_was_checked_before_counts(idea: str) -> None:
    fault, safe = PAIRS[idea]
    assert count_flows(safe, "python") == 0
    assert count_flows(fault, "python") == 1


_BUILDER = (
    "import java.util.regex.Pattern;\nimport jakarta.ws.rs.*;\nimport org.dom4j.Document;\n"
    'class Query {\n  static final Pattern NAME = Pattern.compile("%s");\n'
    '  private final StringBuilder path = new StringBuilder("/a");\n'
    "  Query having(String value) {\n    if (value.isEmpty()) { return this; }\n"
    '    if (!NAME.matcher(value).matches()) { throw new BadRequestException("x"); }\n'
    '    path.append("[b=\\"").append(value).append("\\"]");\n    return this;\n  }\n'
    "  Object on(Document all) { return all.selectNodes(path.toString()); }\n}\n"
    "class Page {\n  Document all;\n"
    '  @GET Object find(@QueryParam("name") String value) {\n'
    "    return new Query().having(value).on(all);\n  }\n}\n"
)


@pytest.mark.parametrize(("allowed", "found"), [("[a-z ]+", 0), ('[a-z \\"]+', 1)])
def test_what_a_builder_was_given_behind_a_check_stays_fit(allowed: str, found: int) -> None:
    """Also if another way out of the function has asked nothing."""
    assert count_flows(_BUILDER % allowed, "java") == found
