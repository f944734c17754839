"""Single calls of libraries, each with what a request brought: which of them block.

`fixtures/quality/calls/LANGUAGE.txt` holds one a line: the first word of the weakness as in pairs,
what is imported, and the call, with ` | ` between them. `x` is what a request brought, `password`,
`key`, `t` and the like are at hand. What begins with "- " does not block, which is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jurat.rules.rule import RuleSet
from tests.quality.pairs import WEAKNESSES, list_blocking

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "calls"

_PATHS = {"python": "a.py", "javascript": "a.js", "java": "A.java", "go": "a.go"}
_PYTHON = """{imports}
from flask import Flask, request
app = Flask(__name__)
@app.route('/a')
def view(key, password, e, A, con, t):
    x = request.args['x']
    {call}
"""
_JAVASCRIPT = """{imports}
const express = require('express');
const app = express();
app.get('/a', async (req, res) => {{
  const x = req.query.x; const password = req.body.password; const key = process.env.KEY;
  {call};
}});
"""
_JAVA = """package shop;
import org.springframework.web.bind.annotation.*;
import jakarta.servlet.http.*;
import java.util.*;
import {imports};
@RestController
class A {{
  private java.sql.Connection con; private javax.crypto.SecretKey key; private byte[] salt;
  private org.springframework.jdbc.core.JdbcTemplate jdbc; private org.jooq.DSLContext dsl;
  private jakarta.persistence.EntityManager em; private org.hibernate.Session session;
  private org.springframework.jdbc.core.simple.JdbcClient client;
  private org.jdbi.v3.core.Jdbi jdbi;
  private org.springframework.ldap.core.LdapTemplate ldap; private org.dom4j.Document doc;
  private com.mongodb.client.MongoCollection<Document> col; private String user;
  @GetMapping("/a")
  Object view(@RequestParam String x, @RequestParam String password, HttpServletRequest request,
      HttpServletResponse response, MultipartFile file, String t) throws Exception {{
    {call}
  }}
}}
"""
_GO = """package shop

import (
	"net/http"
	{imports}
)

func view(w http.ResponseWriter, r *http.Request) {{
	x := r.FormValue("x")
	password := r.FormValue("password")
	{call}
}}
"""
_FILES = {"python": _PYTHON, "javascript": _JAVASCRIPT, "java": _JAVA, "go": _GO}


class LibraryCall(NamedTuple):
    """A call as it is written down; `blocks` is what was last seen of it."""

    language: str
    weakness: str
    imports: str
    call: str
    blocks: bool


def read_calls() -> Iterator[LibraryCall]:
    """All calls, in the order of the files."""
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            weakness, imports, call = line.removeprefix("- ").split(" | ", 2)
            yield LibraryCall(path.stem, weakness, imports, call, not line.startswith("- "))


def is_blocked(one: LibraryCall, rule_set: RuleSet) -> bool:
    """Whether a finding of the call's weakness blocks."""
    imports = "" if one.imports == "none" else one.imports
    if one.language == "go":
        imports = "\n\t".join(imports.split(";"))
    code = _FILES[one.language].format(imports=imports, call=one.call)
    path = f"shop/{_PATHS[one.language]}"
    return any(list_blocking(path, one.language, code, rule_set, WEAKNESSES[one.weakness]))
