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

PAIRS = {
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
