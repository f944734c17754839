"""What a check is told by, what it asks of, and who hands over what it yields: fault and twin."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

_HEAD = """from urllib.parse import urlsplit
import httpx, os, zipfile
from fastapi import Depends, FastAPI
from flask import abort, redirect, request
from hosts import is_fine
HOSTS = ("a.example", "b.example")
"""
_ASK = _HEAD + (
    "def view():\n    url = request.args['url']\n    host = urlsplit(url).hostname\n"
    "    if not %s:\n        abort(400)\n    return httpx.get(url)\n"
)
_READER = _HEAD + (
    "class Target:\n    def __init__(self, url):\n        self.url = url\n"
    "    @property\n    def fit(self):\n        if not self.url:\n            return False\n"
    "        return %s\n"
    "def view():\n    target = Target(request.args['url'])\n"
    "    if not target.fit:\n        abort(400)\n    return httpx.get(target.url)\n"
)
_PROVIDED = _HEAD + (
    "app = FastAPI()\n"
    "async def client():\n    async with httpx.AsyncClient() as one:\n        yield one\n"
    "@app.get('/a')\nasync def view(url: str, name: str, web=Depends(client)):\n"
    "    return await web.get(%s)\n"
)
_UNPACKED = _HEAD + (
    "def list_parts(archive):\n    for part in archive.infolist()[:99]:\n        yield part\n"
    "def unpack(file, root):\n    with zipfile.ZipFile(file) as archive:\n"
    "        for part in list_parts(archive):\n            open(os.path.join(root, %s), 'wb')\n"
)

_ANSWER = (
    "from flask import abort, redirect, request\nfrom hosts import look\n"
    "def view():\n    said = look(request.args['url'])\n"
    "    if %s:\n        abort(400)\n    return redirect(request.args['url'])\n"
)
PAIRS = {
    "a check that is told by what it asks about": (
        _ASK % "is_fine(url, {urlsplit(url).netloc})",
        _ASK % "is_fine(url, {'a.example'})",
    ),
    "an answer that says no, and one that says yes": (
        _ANSWER % "said.valid",
        _ANSWER % "not said.valid",
    ),
    "an answer that says who somebody is, and one that says that it is not allowed": (
        _ANSWER % "said.owner",
        _ANSWER % "said.forbidden",
    ),
    "the beginning of a host": (
        _ASK % "host.startswith('a.example')",
        _ASK % "host.endswith('.a.example')",
    ),
    "one of several": (
        _ASK % "any(host.startswith(one) for one in HOSTS)",
        _ASK % "any(host == one for one in HOSTS)",
    ),
    "a property": (
        _READER % "any(urlsplit(self.url).hostname.startswith(one) for one in HOSTS)",
        _READER % "urlsplit(self.url).hostname in HOSTS",
    ),
    "what a provider yields": (
        _PROVIDED % "url",
        _PROVIDED % "f'https://a.example/{name}'",
    ),
    "a part of a list that a generator hands on": (
        _UNPACKED % "part.filename",
        _UNPACKED % "os.path.basename(part.filename)",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_check_is_worth_what_it_knows(name: str) -> None:
    fault, fit = PAIRS[name]
    assert (count_flows(fault, "python"), count_flows(fit, "python")) == (1, 0)
