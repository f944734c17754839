"""Values are followed from one file of a change to another, by what the files import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from jurat.engine.code_matches import CodeMatches
from jurat.engine.code_scan import explain_unlinked, scan_code
from jurat.engine.flow import following
from jurat.engine.flow.forms.linked_files import (
    MOST_FILES,
    MOST_LINKED,
    ImportLinks,
    Link,
    LinkedFile,
    LinkGraph,
    group_paths,
)
from jurat.engine.flow.forms.lowering import LinkedProgram
from jurat.engine.flow.found_flows import Flow
from jurat.findings.finding import Step
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.file_text import with_language
from jurat.source.parsing import parse_in_process
from tests.support.code import added, changed

RULES = load_ruleset(read_pack("engineering")).rules

VIEWS = """\
from flask import Flask, request
from {module} import {name}
app = Flask(__name__)

@app.route("/x")
def show():
    return {call}
"""
EXPRESS = """\
import express from "express";
{lines}
const app = express();
app.get("/x", (req, res) => {{ {call} }});
"""
HANDLER = """\
package shop;
import org.springframework.web.bind.annotation.*;
{imports}
@RestController
public class Handler {extends} {{
    @GetMapping("/x")
    public String show(@RequestParam String name) throws Exception {{
        {call}
        return "ok";
    }}
}}
"""
GO_HANDLER = """\
package shop

import "net/http"

func show(w http.ResponseWriter, r *http.Request) {
	data := read(locate(r))
	_ = data
}
"""
GO_READER = """\
package shop

import "os"

func read(name string) []byte {
	data, _ := os.ReadFile(name)
	return data
}
"""
GO_LOCATOR = """\
package shop

import (
	"net/http"
	"path/filepath"
)

func locate(r *http.Request) string {
	return "/srv/" + %s
}
"""


def search(rule_id: str, files: Mapping[str, str]) -> CodeMatches:
    """What a rule finds in a change that adds these files."""
    new = [added(text, path) for path, text in files.items()]
    (matches,) = scan_code([(RULES[rule_id], new)], parse_in_process)
    return matches


def locate(rule_id: str, files: Mapping[str, str]) -> list[tuple[str | None, int | None]]:
    """Where a rule finds something that nothing speaks against."""
    places = [one.location for one in search(rule_id, files).places]
    return [(one.file_path, one.start_line) for one in places if not one.doubt]


LOAD = "def load(name):\n    with open('/srv/' + {name}) as file:\n        return file.read()\n"
SCRIPT = "export const load = (name) => fs.readFileSync('/srv/' + {name}, 'utf8');\n"
TRAVERSAL = "flow.path-traversal"

CHANGES = {
    "a function": (
        TRAVERSAL,
        {"shop/views.py": VIEWS.format(
            module="shop.io", name="load", call="load(request.args['a'])"),
         "shop/io.py": LOAD.format(name="name")},
        ("shop/io.py", "'/srv/' + name", "'/srv/' + 'a'"),
    ),
    "a package that hands on": (
        TRAVERSAL,
        {"shop/views.py": VIEWS.format(
            module="shop", name="io", call="io.load_file(request.args['a'])"),
         "shop/io/__init__.py": "from .files import *\nfrom .files import load as load_file\n",
         "shop/io/files.py": LOAD.format(name="name")},
        ("shop/io/files.py", "'/srv/' + name", "'/srv/' + secure_filename(name)"),
    ),
    "options": (
        "py.tls-verify-off",
        {"shop/client.py": "import requests\nfrom .options import OPTIONS\n\ndef read():\n"
         "    return requests.get('https://a.example', **OPTIONS)\n",
         "shop/options.py": "OPTIONS = {'verify': False}\n"},
        ("shop/options.py", "False", "True"),
    ),
    "a class below one of another file": (
        TRAVERSAL,
        {"shop/views.py": VIEWS.format(
            module="shop.base", name="Base", call="Own().load(request.args['a'])")
         + "\nclass Own(Base):\n    pass\n",
         "shop/base.py": "class Base:\n    def load(self, name):\n"
         "        return open('/srv/' + name).read()\n"},
        ("shop/base.py", "+ name", "+ 'a'"),
    ),
    "a script that hands on": (
        TRAVERSAL,
        {"src/app.js": EXPRESS.format(
            lines='import { load } from "./lib/index.js";', call="res.send(load(req.query.a))"),
         "src/lib/index.js": 'export * from "./files.js";\n',
         "src/lib/files.js": 'import fs from "fs";\n' + SCRIPT.format(name="name")},
        ("src/lib/files.js", "+ name", "+ 'a'"),
    ),
    "what a script exports as a default": (
        TRAVERSAL,
        {"src/app.ts": EXPRESS.format(
            lines='import read from "./read";', call="res.send(read(req.query.a))"),
         "src/read.ts": 'import fs from "fs";\nexport default function load(name: string) {\n'
         "  return fs.readFileSync('/srv/' + name, 'utf8');\n}\n"},
        ("src/read.ts", "+ name", "+ 'a'"),
    ),
    "a handler that is registered elsewhere": (
        TRAVERSAL,
        {"src/app.js": EXPRESS.format(
            lines='const own = require("./own");\nsecond.get("/y", own.show);', call="")
         .replace("const app", "const second = express();\nconst app"),
         "src/own.js": 'const fs = require("fs");\nexports.show = (one, two) => {\n'
         "  two.send(fs.readFileSync('/srv/' + one.query.a, 'utf8'));\n};\n"},
        ("src/own.js", "one.query.a", "'a'"),
    ),
    "a class of another package": (
        TRAVERSAL,
        {"src/shop/Handler.java": HANDLER.format(
            imports="import shop.io.Loader;", extends="", call="new Loader().load(name);"),
         "src/shop/io/Loader.java": "package shop.io;\nimport java.nio.file.*;\n"
         "public class Loader {\n  public byte[] load(String name) throws Exception {\n"
         '    return Files.readAllBytes(Paths.get("/srv/" + name));\n  }\n}\n'},
        ("src/shop/io/Loader.java", "+ name", '+ "a"'),
    ),
    "a module by its whole name": (
        TRAVERSAL,
        {"shop/views.py": VIEWS.format(
            module="shop", name="other", call="shop.io.load(request.args['a'])")
         + "\nimport shop.io\n",
         "shop/io.py": LOAD.format(name="name")},
        ("shop/io.py", "'/srv/' + name", "'/srv/' + 'a'"),
    ),
    "a module that a script hands on as one": (
        TRAVERSAL,
        {"src/app.ts": EXPRESS.format(
            lines='import * as io from "./io";', call="res.send(io.files.load(req.query.a))"),
         "src/io/index.ts": 'export * as files from "./files";\n',
         "src/io/files.ts": 'import fs from "fs";\n' + SCRIPT.format(name="name")},
        ("src/io/files.ts", "+ name", "+ 'a'"),
    ),
    "a method that is imported": (
        TRAVERSAL,
        {"src/shop/Handler.java": HANDLER.format(
            imports="import static shop.io.Loader.load;", extends="", call="load(name);"),
         "src/shop/io/Loader.java": "package shop.io;\nimport java.nio.file.*;\n"
         "public class Loader {\n  public static byte[] load(String name) throws Exception {\n"
         '    return Files.readAllBytes(Paths.get("/srv/" + name));\n  }\n}\n'},
        ("src/shop/io/Loader.java", "+ name", '+ "a"'),
    ),
    "methods of a type in two files": (
        TRAVERSAL,
        {"shop/handler.go": GO_HANDLER.replace("func show(", "type S struct{}\n\nfunc (s *S) show(")
         .replace("read(locate(r))", 's.read(r.URL.Query().Get("a"))'),
         "shop/reader.go": GO_READER.replace("func read", "func (s *S) read")
         .replace("ReadFile(name)", 'ReadFile("/srv/" + name)')},
        ("shop/reader.go", "+ name", '+ "a"'),
    ),
    "files of a folder": (
        TRAVERSAL,
        {"shop/handler.go": GO_HANDLER, "shop/reader.go": GO_READER,
         "shop/locator.go": GO_LOCATOR % 'r.URL.Query().Get("a")'},
        ("shop/locator.go", 'r.URL.Query().Get("a")', 'filepath.Base(r.URL.Query().Get("a"))'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_one_file_begins_and_another_ends_is_found(name: str) -> None:
    rule_id, files, (path, bad, good) = CHANGES[name]
    assert locate(rule_id, files)
    assert bad in files[path]
    assert not locate(rule_id, {**files, path: files[path].replace(bad, good)})


def test_the_way_of_a_value_names_the_other_file() -> None:
    _, files, _ = CHANGES["a function"]
    (place,) = search(TRAVERSAL, files).places
    assert (place.location.file_path, place.location.start_line) == ("shop/io.py", 2)
    assert place.location.steps[0] == Step(7, "request.args", "shop/views.py")


def test_a_test_that_calls_a_function_says_nothing_of_it() -> None:
    _, files, _ = CHANGES["a function"]
    views = files["shop/views.py"]
    assert not locate(TRAVERSAL, {"tests/views.py": views, "shop/io.py": files["shop/io.py"]})


@pytest.mark.parametrize(
    ("user", "blocks"),
    [
        ("shop/views.py", True),
        ("mocks/other.py", False),
        ("tests/test_views.py", False),
        ("", False),
    ],
)
def test_the_place_of_a_file_speaks_unless_the_program_uses_it(user: str, blocks: bool) -> None:
    helper = (
        "import os\nfrom flask import request\n\ndef run():\n    os.system(request.args['a'])\n"
    )
    files = {"mocks/tools.py": helper, **({user: "from mocks.tools import run\n"} if user else {})}
    assert bool(locate("py.subprocess-shell", files)) is blocks


def test_what_both_files_had_before_is_not_new() -> None:
    _, files, _ = CHANGES["a function"]
    longer = {path: text + "\n\ndef other():\n    return 1\n" for path, text in files.items()}
    both = [with_language(changed(files[path], longer[path], path)) for path in files]
    (matches,) = scan_code([(RULES[TRAVERSAL], both)], parse_in_process)
    assert not matches.places
    # The function was there, and is only now handed what somebody sends.
    views = files["shop/views.py"].replace("request.args['a']", "'a'")
    now = [
        with_language(changed(views, files["shop/views.py"], "shop/views.py")),
        with_language(changed(files["shop/io.py"], longer["shop/io.py"], "shop/io.py")),
    ]
    (matches,) = scan_code([(RULES[TRAVERSAL], now)], parse_in_process)
    assert [one.location.file_path for one in matches.places] == ["shop/io.py"]


def list_files(*paths: str, language: str = "python") -> list[LinkedFile]:
    return [LinkedFile(path, language, "") for path in paths]


@pytest.mark.parametrize(
    ("module", "name", "link"),
    [
        (".io", "load", Link("src/shop/io.py", ("load",))),
        (".", "io", Link("src/shop/io.py", ())),
        ("shop.io", "load", Link("src/shop/io.py", ("load",))),
        ("shop", "io", Link("src/shop/io.py", ())),
        ("..top", "A", Link("src/top/__init__.py", ("A",))),
        ("io", "load", Link("src/shop/io.py", ("load",))),
        ("json", "loads", None),
        ("other.io", "load", None),
        ("", "", None),
    ],
)
def test_a_module_is_the_file_that_its_name_leads_to(
    module: str, name: str, link: Link | None
) -> None:
    files = list_files("src/shop/io.py", "src/top/__init__.py", "src/deep/json.py")
    assert ImportLinks("src/shop/views.py", "python", group_paths(files)).find(module, name) == link


def test_a_script_is_found_without_its_end_and_in_another_language() -> None:
    files = list_files("web/a.ts", "web/b/index.tsx", "src/c.js", language="typescript")
    links = ImportLinks("web/main.ts", "typescript", group_paths(files))
    found = [links.find(one) for one in ("./a", "./a.js", "./b", "@/c", "a", "./none")]
    places = ["web/a.ts", "web/a.ts", "web/b/index.tsx", "src/c.js", None, None]
    assert [one and one.unit for one in found] == places


def test_thousands_of_files_that_import_what_nobody_has_are_linked_at_once() -> None:
    imports = "".join(f"from other.m{at} import run\n" for at in range(20))
    files = [LinkedFile(f"p/m{at}x.py", "python", imports) for at in range(2000)]
    files.append(LinkedFile("p/main.py", "python", "from p.m7x import run\n"))
    # Were each import looked for in each path, that would take minutes.
    assert [one.path for one in LinkGraph(files).list_linked("p/main.py")] == ["p/m7x.py"]


def test_only_so_many_files_are_followed_together_the_nearest_first() -> None:
    chain = [
        LinkedFile(f"p/m{at}.py", "python", f"from .m{at + 1} import run\n") for at in range(40)
    ]
    linked = LinkGraph(chain).list_linked("p/m0.py")
    assert [one.path for one in linked] == [f"p/m{at}.py" for at in range(1, MOST_FILES + 1)]
    assert LinkGraph(chain[:1]).list_linked("p/m0.py") == ()


def test_where_values_are_not_followed_any_further_is_said() -> None:
    def explain(count: int, size: int = 0) -> tuple[str, ...]:
        texts = [f"from .m{at + 1} import run\n" + "#" * size for at in range(count)]
        return explain_unlinked([added(text, f"p/m{at}.py") for at, text in enumerate(texts)])

    assert explain(MOST_FILES + 1) == ()
    (said,) = explain(MOST_FILES + 2)
    assert said.endswith("no further: more do with p/m0.py and 9 others.")
    assert explain(3, 70_000)


def test_in_a_large_change_each_file_is_followed_by_itself_and_that_is_said() -> None:
    _, files, _ = CHANGES["a function"]
    others = {f"shop/other{at}.py": "def run():\n    return 1\n" for at in range(MOST_LINKED)}
    few = dict(list(others.items())[: MOST_LINKED - len(files)])
    assert locate(TRAVERSAL, {**files, **few})
    assert explain_unlinked([added(text, path) for path, text in {**files, **few}.items()]) == ()
    assert not locate(TRAVERSAL, {**files, **others})
    (said,) = explain_unlinked([added(text, path) for path, text in {**files, **others}.items()])
    assert said.startswith("Values were not followed from one file to another: 42 files of code")


def test_only_a_file_that_can_end_a_value_is_followed_together_with_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    followed: list[str] = []
    follow = following.follow_linked

    def note(linked: Sequence[LinkedProgram], *asked: Any) -> list[Flow]:
        followed.append(linked[0].file.path)
        return follow(linked, *asked)

    monkeypatch.setattr(following, "follow_linked", note)
    _, files, _ = CHANGES["a function"]
    assert locate(TRAVERSAL, files)
    assert set(followed) == {"shop/io.py"}


def test_an_import_leads_elsewhere_in_the_next_change() -> None:
    _, files, _ = CHANGES["a function"]
    moved = {**files, "shop/io/__init__.py": files["shop/io.py"]}
    del moved["shop/io.py"]
    # The file that imports is the same, and is kept as a program from one change to the next.
    for change in (files, moved, files):
        assert locate(TRAVERSAL, change)


def test_a_type_has_no_methods_of_the_change_before() -> None:
    rule_id, files, (path, _, _) = CHANGES["methods of a type in two files"]
    fit = files[path].replace("\tdata, _ :=", '\tname = "a"\n\tdata, _ :=')
    assert fit != files[path]
    assert not locate(rule_id, {**files, path: fit})
    assert locate(rule_id, files)
