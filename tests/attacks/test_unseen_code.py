"""An author who puts a fault where a reader of single files, or of known endings, does not look."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.notebooks import find_line, notebook
from tests.support.town import Town

CONFIGURATION = {".github/jurat.yml": "version: 1\npacks: [engineering]\n"}
VIEWS = """\
from flask import Flask, request
from shop.io import read
app = Flask(__name__)

@app.route("/x")
def show():
    return read(request.args["a"])
"""
READS = 'def read(name):\n    return open("/srv/" + name).read()\n'
COMPONENT = """\
<template><p>{{ sum }}</p></template>
<script>
import { exec } from "child_process";
export const list = (req) => exec("ls " + req.query.folder);
</script>
"""


MARKUP = """\
<template><p v-html="$route.query.note"></p></template>
<script>
export default { name: "note" };
</script>
"""
VIEW = "import flask\n@app.get('/')\ndef view():\n    return eval(flask.request.args['a'])\n"
ESCAPED = notebook("raise ValueError\n", VIEW).replace("eval(", "\\u0065val(")


async def _review(town: Town, app: App, head: dict[str, str]) -> PullRequest:
    actions.push(town.repository, "main", CONFIGURATION)
    actions.push(town.repository, "fix", head)
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    return pull


def _list_places(pull: PullRequest) -> set[tuple[str, int | None]]:
    return {(item.anchor.path, item.anchor.line) for item in pull.review_comments}


@attack(
    "a fork's author",
    tries="split a fault over two files of one change, each of which is fine alone",
    gets="the failure, where the value ends, if the way goes by names that the files import from"
    " each other and by no more than eight files; of files that the change does not touch nothing"
    " is known",
)
async def test_half_of_a_fault_in_each_of_two_files(town: Town, app: App) -> None:
    pull = await _review(town, app, {"shop/views.py": VIEWS, "shop/io.py": READS})
    assert town.check(pull).conclusion == "failure"
    assert ("shop/io.py", 2) in _list_places(pull)


@attack(
    "a fork's author",
    tries="lead a value through more files than are followed together",
    gets="a line in the check that says from where it was not followed any further",
)
async def test_a_value_that_goes_far(town: Town, app: App) -> None:
    last = 12
    files = {
        f"shop/m{at}.py": f"from shop.m{at + 1} import f{at + 1}\n"
        f"def f{at}(a):\n    return f{at + 1}(a)\n"
        for at in range(last)
    }
    head = files | {f"shop/m{last}.py": f"def f{last}(a):\n    return open('/srv/' + a)\n"}
    pull = await _review(town, app, head)
    check = town.check(pull)
    assert "and no further: more do with shop/m0.py" in f"{check.summary} {check.text}"


@attack(
    "a fork's author",
    tries="write a script into a Vue, Svelte or Astro component, or what a visitor says into its"
    " markup unescaped",
    gets="the failure, on its own line; what else markup computes is read by no rule about code,"
    " and the check says so",
)
@pytest.mark.parametrize(("text", "line"), [(COMPONENT, 4), (MARKUP, 1)])
async def test_a_script_inside_of_a_component(town: Town, app: App, text: str, line: int) -> None:
    pull = await _review(town, app, {"web/List.vue": text})
    assert town.check(pull).conclusion == "failure"
    assert ("web/List.vue", line) in _list_places(pull)


@attack(
    "a fork's author",
    tries="write a request's parameter into a template past its escaping",
    gets="the failure, on the line of the template; what only switches escaping off is advice, as"
    " nobody follows what a view hands to a template, and the check says that the rest is not read",
)
async def test_a_parameter_in_a_template(town: Town, app: App) -> None:
    page = "<h1>Hello</h1>\n<p>{{ request.args.get('name') | safe }}</p>\n"
    pull = await _review(town, app, {"shop/templates/hello.html": page})
    assert town.check(pull).conclusion == "failure"
    assert ("shop/templates/hello.html", 2) in _list_places(pull)


@attack(
    "a fork's author",
    tries="write such an expression over several lines, or add what opens it to one that was there",
    gets="the failure, on the first line of the expression that is new",
)
@pytest.mark.parametrize(("base", "line"), [("", 1), ("{{ request.args.a\n}}\n", 2)])
async def test_a_parameter_in_a_template_over_lines(
    town: Town, app: App, base: str, line: int
) -> None:
    page = "shop/templates/hello.html"
    actions.push(town.repository, "main", {**CONFIGURATION, **({page: base} if base else {})})
    actions.push(town.repository, "fix", {page: "{{ request.args.a\n| safe }}\n"})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert (page, line) in _list_places(pull)


@attack(
    "a fork's author",
    tries="write code into a script of a page or a template, or into what it does on a click; dress"
    " it up as the template's own expressions",
    gets="the failure, on its own line",
)
@pytest.mark.parametrize(
    "text",
    [
        "<script>\neval(location.hash);\n</script>\n",
        "<script>var a = {{ a }}; {% if a %}\neval(location.hash); {% endif %}</script>\n",
        "<script>var a = '{%';\neval(location.hash); var b = '%}';</script>\n",
        "<p>\n<p onclick='eval(location.hash)'>\n",
        "<p>\n<a href='javascript:eval(location.hash)'><script>\na();</script>\n",
    ],
)
async def test_a_script_of_a_page(town: Town, app: App, text: str) -> None:
    pull = await _review(town, app, {"shop/templates/hello.html": text})
    assert town.check(pull).conclusion == "failure"
    assert ("shop/templates/hello.html", 2) in _list_places(pull)


@attack(
    "a fork's author",
    tries="have a template of EJS run code",
    gets="the failure, on its own line: it is read as the program that it is",
)
async def test_code_in_a_template(town: Town, app: App) -> None:
    text = "<p>\n<% require('child_process').exec(`ls ${req.query.a}`) %>\n</p>\n"
    pull = await _review(town, app, {"views/list.ejs": text})
    assert town.check(pull).conclusion == "failure"
    assert ("views/list.ejs", 2) in _list_places(pull)


@attack(
    "a fork's author",
    tries="write a script of a page or a component so that nobody can read it: broken, in another"
    " language, in Pug",
    gets="a check that waits for a person, and says which lines were not read; if the change leaves"
    " such a part alone, a note",
)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/hello.html", "<script>\nlet a = (;\n</script>\n"),
        ("shop/hello.html", "<script type='text/coffeescript'>\na = 1\n</script>\n"),
        ("web/List.vue", "<script lang='coffee'>\na = 1\n</script>\n"),
        ("web/List.vue", "<template><p v-html='a)'/></template>\n"),
        ("web/List.vue", "<template lang='pug'>\np(v-html='a')\n</template>\n"),
    ],
)
async def test_a_part_that_nobody_reads(town: Town, app: App, path: str, text: str) -> None:
    check = town.check(await _review(town, app, {path: text}))
    assert check.conclusion == "action_required"
    assert path in f"{check.summary} {check.text}"


async def test_a_part_that_nobody_reads_and_nobody_touched(town: Town, app: App) -> None:
    page, text = "web/List.vue", "<p>a</p>\n<script lang='coffee'>\na = 1\n</script>\n"
    actions.push(town.repository, "main", {**CONFIGURATION, page: text})
    actions.push(town.repository, "fix", {page: text.replace("<p>a", "<p>b")})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    check = town.check(pull)
    assert check.conclusion == "success"
    assert page in f"{check.summary} {check.text}"


GUARDED = """\
from flask import abort, request
@app.route("/a/<id>", methods=["DELETE"])
def delete(id):
    item = db.get(id)
    if item.owner != request.user.id:
        abort(403)
    db.delete(item)
"""


@attack(
    "a fork's author",
    tries="leave a check where it stands, and have it never run: behind `if False`, `False and`, a"
    " constant, a return",
    gets="the failure of one that was taken out",
)
@pytest.mark.parametrize("condition", ["False and ", "1 > 2 and "])
async def test_a_check_that_never_runs(town: Town, app: App, condition: str) -> None:
    head = GUARDED.replace("if item", f"if {condition}item")
    actions.push(town.repository, "main", {**CONFIGURATION, "shop/views.py": GUARDED})
    actions.push(town.repository, "fix", {"shop/views.py": head})
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="hide code in a notebook: spelled by JSON's escapes, or in a cell below one that raises"
    " an error",
    gets="the failure, on the line of the file",
)
async def test_code_in_a_notebook(town: Town, app: App) -> None:
    pull = await _review(town, app, {"study/a.ipynb": ESCAPED})
    assert town.check(pull).conclusion == "failure"
    assert ("study/a.ipynb", find_line(ESCAPED, "val(flask")) in _list_places(pull)


@attack(
    "a fork's author",
    tries="bring a notebook of which nobody can tell the code: broken JSON, another kernel",
    gets="a check that waits for a person, and says which file was not read",
)
@pytest.mark.parametrize("text", [ESCAPED[:-20], notebook(VIEW, language="julia")])
async def test_a_notebook_that_cannot_be_read(town: Town, app: App, text: str) -> None:
    pull = await _review(town, app, {"study/a.ipynb": text})
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert "study/a.ipynb" in f"{check.summary} {check.text}"


@attack(
    "a fork's author",
    tries="write into a component's script what begins another, so that nobody can tell the two",
    gets="a check that waits for a person, and says which script was not read",
)
async def test_a_script_that_seems_to_begin_in_another(town: Town, app: App) -> None:
    hidden = COMPONENT.replace("<script>\n", "<script>\n// <script>\n")
    pull = await _review(town, app, {"web/List.vue": hidden})
    check = town.check(pull)
    assert check.conclusion == "action_required"
    assert "web/List.vue" in f"{check.summary} {check.text}"
