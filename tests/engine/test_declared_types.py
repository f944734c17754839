"""What is declared to be of one of the file's classes does what that class does."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

_SPRING = "import org.springframework.web.bind.annotation.*;\nimport java.nio.file.*;\n"
_FILES = (
    'class Files_ { static final Path ROOT = Paths.get("/v");\n'
    "  byte[] read(String name) throws Exception {\n    return Files.readAllBytes(%s);\n  } }\n"
)
_CONTROLLER = (
    "@RestController class Controller { private final Files_ files;\n"
    "  Controller(Files_ files) { this.files = files; }\n"
    '  @GetMapping("/a") byte[] show(@RequestParam String name) throws Exception {\n'
    "    return files.read(name);\n  } }\n"
)
_TYPESCRIPT = (
    'import { Router, Request, Response } from "express";\nexport class Finder {\n'
    "  constructor(private readonly invoices: Collection<Invoice>) {}\n"
    "  find(wanted: any) { return this.invoices.find({ state: %s }).toArray(); }\n}\n"
    "export function routes(finder: Finder) {\n  const router = Router();\n"
    '  router.post("/x", async (req: Request, res: Response) => {\n'
    "    res.json(await finder.find(req.body));\n  });\n  return router;\n}\n"
)
_PYTHON = (
    "import os\nfrom flask import request\nclass Store:\n    def remove(self, name):\n"
    "        os.remove(%s)\ndef drop(store: Store):\n    store.remove(request.args['name'])\n"
)
_REQUEST = (
    'import express from "express";\nimport fs from "fs";\n'
    "const marks = express.Router();\n"
    'marks.post("/mark", async (sent: %s, answer) => {\n'
    '  fs.readFileSync("/v/" + sent.body.name);\n});\n'
)
_INTERFACE = (
    "interface Reader { byte[] read(String name) throws Exception; }\n"
    + _FILES.replace("class Files_", "class Files_ implements Reader")
    + _CONTROLLER.replace("Files_ files", "Reader files")
)

_REGISTRY = (
    "import os\nfrom aiohttp import web\nclass Store:\n    def remove(self, name):\n"
    "        os.remove(%s)\nasync def drop(request: web.Request):\n"
    "    store: Store = request.app['store']\n    store.remove(request.query['name'])\n"
)
_CONTAINER = (
    'import { Request, Response } from "express";\nimport { unlinkSync } from "fs";\n'
    "class Store {\n  remove(name: string) { unlinkSync(%s); }\n}\n"
    "export function drop(req: Request, res: Response) {\n"
    '  const store: Store = req.app.get("store");\n  store.remove(req.params.name);\n}\n'
)
_FOLDER = (
    "import jakarta.servlet.http.*;\nimport java.nio.file.*;\nclass Folder {\n"
    "  private final Path dir;\n  Folder(Path base) throws Exception {\n"
    '    this.dir = Files.createDirectories(base.resolve("in"));\n  }\n'
    "  void remove(String name) throws Exception { Files.delete(dir.resolve(%s)); }\n}\n"
    "class Upload extends HttpServlet {\n"
    "  protected void doPost(HttpServletRequest request, HttpServletResponse response)\n"
    "      throws Exception {\n"
    '    new Folder(Path.of("/v")).remove(request.getParameter("a"));\n  }\n}\n'
)

PAIRS = {
    ("python", "a variable"): (_REGISTRY % "'x/' + name", _REGISTRY % "os.path.basename(name)"),
    ("typescript", "a variable"): (_CONTAINER % '"x/" + name', _CONTAINER % "String(1)"),
    ("java", "a field that a call gives"): (_FOLDER % "name", _FOLDER % '"a"'),
    ("java", "a field of a constructor"): (
        _SPRING + _FILES % "ROOT.resolve(name)" + _CONTROLLER,
        _SPRING + _FILES % "ROOT.resolve(name).getFileName()" + _CONTROLLER,
    ),
    ("java", "an interface that one class of the file has"): (
        _SPRING + _INTERFACE % "ROOT.resolve(name)",
        _SPRING + _INTERFACE % "ROOT.resolve(name).getFileName()",
    ),
    ("typescript", "a parameter"): (
        _TYPESCRIPT % "wanted.state",
        _TYPESCRIPT % "String(wanted.state)",
    ),
    ("python", "a parameter"): (_PYTHON % "'x/' + name", _PYTHON % "'x/' + os.path.basename(name)"),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_the_methods_of_a_declared_class_are_followed(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


def test_what_is_of_two_types_is_of_the_first() -> None:
    assert count_flows(_REQUEST % "express.Request & { member: Member }", "typescript") == 1
    assert count_flows(_REQUEST % "Job & { member: Member }", "typescript") == 0
