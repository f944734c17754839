"""What is a form of the file, what a page by how its route is marked, and markup made anew."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_API = (
    "import requests, httpx\nfrom fastapi import FastAPI, Response\n"
    "from fastapi.responses import HTMLResponse\nfrom pydantic import BaseModel\n"
    "from tornado.httpclient import AsyncHTTPClient\nfrom pages import SearchRequest\n"
    "app = FastAPI()\nclass FeedRequest(BaseModel):\n    url: str\n    most: int\n%s\n"
)
_MARKED = (
    "const { marked } = require('marked');\nconst DOMPurify = require('isomorphic-dompurify');\n"
    + SERVER
)
_FRAMES = {"api": _API, "javascript": _MARKED, "python": "import html, markdown\n" + FLASK}

PAIRS = {
    ("api", "a form of the file, whatever it is called"): (
        "@app.post('/')\ndef view(form: FeedRequest):\n    requests.get(form.url)",
        "@app.post('/')\ndef view(form: FeedRequest):\n    requests.get(PAGES[form.most])",
    ),
    ("api", "a client of tornado"): (
        "@app.post('/')\nasync def view(form: FeedRequest):\n"
        "    await AsyncHTTPClient().fetch(form.url)",
        "@app.post('/')\nasync def view(form: FeedRequest):\n"
        "    await AsyncHTTPClient().fetch('https://x.example/' + str(form.most))",
    ),
    ("api", "a page by the mark of its route"): (
        "@app.get('/', response_class=HTMLResponse)\ndef view(a: str):\n    return '<p>' + a",
        "@app.get('/', response_class=Response)\ndef view(a: str):\n    return '<p>' + a",
    ),
    ("javascript", "markup made of what was clean"): (
        "res.send('<p>' + marked.parse(DOMPurify.sanitize(req.query.a)));",
        "res.send('<p>' + DOMPurify.sanitize(marked.parse(req.query.a)));",
    ),
    ("python", "markup made of what was escaped"): (
        "return '<p>' + markdown.markdown(html.escape(a))",
        "return '<p>' + html.escape(markdown.markdown(a))",
    ),
}


@pytest.mark.parametrize(("frame", "idea"), list(PAIRS))
def test_what_a_request_brings_arrives(frame: str, idea: str) -> None:
    fault, safe = (_FRAMES[frame] % one for one in PAIRS[frame, idea])
    language = "javascript" if frame == "javascript" else "python"
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
