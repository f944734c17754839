"""Checks that a program declares and a framework makes, and ways in which one hands values in."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, count_flows
from tests.engine.test_who_reaches import GO as HANDLER
from tests.engine.test_who_reaches import SERVLET

GO = HANDLER.replace('"os";', '"fmt"; "os";')

FASTAPI = (
    "import subprocess\nimport httpx\nfrom fastapi import Depends, FastAPI, Header, Query\n"
    "from pydantic import BaseModel, field_validator\nfrom urllib.parse import urlsplit\n"
    "app = FastAPI()\n%s\n"
)
RUN = "    return subprocess.run(f'tool {name}', shell=True)\n"
MODEL = (
    "class Hook(BaseModel):\n    url: str\n    other: str\n    size: int = 3\n"
    "    @field_validator('url')\n    @classmethod\n    def known(cls, value):\n"
    "        if urlsplit(value).hostname not in ('a.example', 'b.example'):\n"
    "            raise ValueError(value)\n        return value\n"
    "@app.post('/')\ndef enter(hook: Hook):\n    return %s\n"
)
SERIALIZER = (
    "import requests\nfrom rest_framework import serializers\nfrom urllib.parse import urlsplit\n"
    "class Form(serializers.Serializer):\n    url = serializers.CharField()\n"
    "    size = serializers.IntegerField()\n"
    "    kind = serializers.ChoiceField(choices=('a', 'b'))\n"
    "    def validate_url(self, value):\n        if %s:\n            raise serializers.Error()\n"
    "        return value\n"
    "def enter(request, cur):\n    form = Form(data=request.data)\n"
    "    form.is_valid(True)\n    %s\n"
)
RECORD = (
    HEAD
    + "from dataclasses import dataclass\n@dataclass\nclass Job:\n    name: str\n    line: str\n"
    "    def run(self):\n        subprocess.run('ls ' + self.%s, shell=True)\n"
    "def enter():\n    Job('a', request.args['a']).run()\n"
)
LXML = (
    HEAD + "from lxml import etree\ndef enter():\n    options = {'resolve_entities': %s}\n"
    "    return str(etree.fromstring(request.data, etree.XMLParser(**options)).tag == 'a')\n"
)
UNPACK = (
    'package p\nimport ("archive/tar"; "fmt"; "io"; "os"; "path/filepath"; "strings")\n'
    "func check(name string) error {\n\tif %s {\n"
    '\t\treturn fmt.Errorf("bad %%s", name)\n\t}\n\treturn nil\n}\n'
    "func unpack(source io.Reader) error {\n\tr := tar.NewReader(source)\n\th, _ := r.Next()\n"
    "\tif err := check(h.Name); err != nil {\n\t\treturn err\n\t}\n"
    '\t_, err := os.Create(filepath.Join("/x", h.Name))\n\treturn err\n}\n'
)
FOUND = (
    'package p\nimport ("errors"; "net/http"; "os"; "path/filepath")\n'
    'var errBad = errors.New("bad")\nfunc find(name string) (string, error) {\n'
    "\tif !filepath.IsLocal(name) {\n\t\treturn %s\n\t}\n\treturn name, nil\n}\n"
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    '\tname, err := find(r.FormValue("a"))\n\tif err != nil {\n\t\treturn\n\t}\n'
    "\tos.Open(name)\n}\n"
)
FASTIFY = (
    "import Fastify, { FastifyRequest } from 'fastify';\n"
    "import { execSync } from 'child_process';\nconst app = Fastify();\n"
    "const schema = { params: { properties: { a: { type: 'string'%s } } } };\n"
    "app.get('/:a', { schema }, async (req: FastifyRequest) => {\n"
    "  execSync(`ls ${req.params.a}`);\n});\n"
)
NEST = (
    "import { Controller, Get, Param, Query, ParseUUIDPipe } from '@nestjs/common';\n"
    "import { IsIn, IsString, IsInt } from 'class-validator';\n"
    "import { execSync } from 'child_process';\n"
    "class Dto {\n  @IsIn(['a', 'b']) by: string;\n  @IsString() name: string;\n}\n"
    "@Controller('x')\nexport class A {\n  @Get() f(%s) { execSync(`ls ${%s}`); }\n}\n"
)
SPEL = (
    "import org.springframework.expression.*;\n"
    "import org.springframework.expression.spel.standard.SpelExpressionParser;\n"
    "import org.springframework.expression.spel.support.*;\n"
    "import javax.servlet.http.*;\nclass A {\n  Object f(HttpServletRequest request) {\n"
    "    Expression rule = new SpelExpressionParser().parseExpression(request.getParameter(%s));\n"
    "    EvaluationContext around = %s;\n    return rule.getValue(around);\n  }\n}\n"
)
MONGO = (
    "import org.bson.Document;\nimport javax.servlet.http.*;\nclass A {\n"
    "  void f(HttpServletRequest request) {\n    keep(%s);\n  }\n}\n"
)
NUMBER = (
    "class A {\n  void f(java.sql.Connection c) {\n    %s id = null;\n    id = read(c);\n"
    '    c.prepareStatement("SELECT 1 WHERE a = " + id + " AND b = 1");\n  }\n}\n'
)
SPRING = (
    "import org.springframework.web.bind.annotation.*;\nclass A {\n"
    '  @GetMapping("/")\n  @ResponseBody\n  public %s f(@RequestParam String a) {\n'
    '    return %s("<b>" + a);\n  }\n}\n'
)
LOOKED_UP = HEAD + "import books\ndef enter():\n    %s\n    open(os.path.join('/x', %s))\n"

PAIRS = {
    ("python", "a header that a dependency asks for, and one that is a number"): (
        FASTAPI % f"def who(name: str = Header()):\n{RUN}",
        FASTAPI % f"def who(name: int = Header()):\n{RUN}",
    ),
    ("python", "a query, and one of a pattern"): (
        FASTAPI % f"@app.get('/')\ndef enter(name: str = Query(pattern=r'^a')):\n{RUN}",
        FASTAPI % f"@app.get('/')\ndef enter(name: str = Query(pattern=r'^[a-z]+$')):\n{RUN}",
    ),
    ("python", "a field that a model checks, and another"): (
        FASTAPI % MODEL % "httpx.get(hook.other)",
        FASTAPI % MODEL % "httpx.get(hook.url)",
    ),
    ("python", "a text of a model, and a number"): (
        FASTAPI % MODEL % "subprocess.run(f'tool {hook.other}', shell=True)",
        FASTAPI % MODEL % "subprocess.run(f'tool {hook.size}', shell=True)",
    ),
    ("python", "a form whose check finds a part of a host, and one that knows the host"): (
        SERIALIZER
        % (
            "'a.example' not in urlsplit(value).netloc",
            "requests.get(form.validated_data['url'])",
        ),
        SERIALIZER
        % (
            "urlsplit(value).netloc not in ('a.example', 'b.example')",
            "requests.get(form.validated_data['url'])",
        ),
    ),
    ("python", "a text of a form, and a choice"): (
        SERIALIZER % ("value", "cur.execute('SELECT ' + request.data['kind'])"),
        SERIALIZER % ("value", "cur.execute('SELECT ' + form.validated_data['kind'])"),
    ),
    ("python", "a field that is given by its position, and another"): (
        RECORD % "line",
        RECORD % "name",
    ),
    ("python", "a parser that is made to read entities, and one that is not"): (
        LXML % "True",
        LXML % "False",
    ),
    ("python", "what a request names, and what was found by it"): (
        LOOKED_UP % ("book = request.args", "book['path']"),
        LOOKED_UP % ("book = books.get_book(request.args['id'])", "book.path"),
    ),
    ("python", "a page that is opened, and one that is asked after"): (
        HEAD + "def enter():\n    open(request.args['a'])\n",
        HEAD + "def enter():\n    return str(os.path.exists(request.args['a']))\n",
    ),
    ("go", "an error for some names, and for all that are not local"): (
        UNPACK % 'strings.HasPrefix(name, "..")',
        UNPACK % "!filepath.IsLocal(name)",
    ),
    ("go", "no error beside a name, and one"): (
        FOUND % "name, nil",
        FOUND % '"", errBad',
    ),
    ("go", "a page, and plain text"): (
        GO % 'w.Header().Set("Content-Type", "text/html")\n\tw.Write([]byte(r.FormValue("a")))',
        GO % 'w.Header().Set("Content-Type", "text/plain")\n\tw.Write([]byte(r.FormValue("a")))',
    ),
    ("go", "plain text on one way only, and on both"): (
        GO % 'if base == "" { w.Header().Set("Content-Type", "text/plain") }\n'
        '\tw.Write([]byte(r.FormValue("a")))',
        GO % 'if base == "" { w.Header().Set("Content-Type", "text/plain") } else '
        '{ w.Header().Set("Content-Type", "text/csv") }\n\tw.Write([]byte(r.FormValue("a")))',
    ),
    ("javascript", "what runs at once, of a request and of ours"): (
        EXPRESS % "new Promise((ok) => { require('child_process').exec('ls ' + req.query.a); });",
        EXPRESS % "new Promise((ok) => { require('child_process').exec('ls ' + 'a'); });",
    ),
    ("javascript", "a value, and its text"): (
        EXPRESS % "users.findOne({ a: req.body.a });",
        EXPRESS % "users.findOne({ a: `${req.body.a}` });",
    ),
    ("javascript", "an element, and its place"): (
        EXPRESS
        % "db.query(`SELECT 1 WHERE a IN (${req.body.a.map((v, i) => `${v}`).join(',')})`);",
        EXPRESS
        % "db.query(`SELECT 1 WHERE a IN (${req.body.a.map((v, i) => `$${i}`).join(',')})`);",
    ),
    ("typescript", "a text of a schema, and one of a pattern"): (
        FASTIFY % "",
        FASTIFY % ", pattern: '^[a-z]+$'",
    ),
    ("typescript", "a parameter, and one that a pipe reads"): (
        NEST % ("@Param('a') a: string", "a"),
        NEST % ("@Param('a', new ParseUUIDPipe()) a: string", "a"),
    ),
    ("typescript", "a text of a form, and one of a list"): (
        NEST % ("@Query() q: Dto", "q.name"),
        NEST % ("@Query() q: Dto", "q.by"),
    ),
    ("java", "an expression that reaches all, and one that reads"): (
        SPEL % ('"a"', "new StandardEvaluationContext()"),
        SPEL % ('"a"', "SimpleEvaluationContext.forReadOnlyDataBinding().build()"),
    ),
    ("java", "a filter that is written as text, and one of values"): (
        MONGO % 'Document.parse("{a: \'" + request.getParameter("a") + "\'}")',
        MONGO % 'new Document("a", request.getParameter("a"))',
    ),
    ("go", "a text in what is written, and a number"): (
        GO % 'fmt.Fprintf(w, "<b>{%s}", r.FormValue("a"))',
        GO % 'fmt.Fprintf(w, "<b>{%d}", r.FormValue("a"))',
    ),
    ("python", "what is marked as markup, and what is taken back at once"): (
        HEAD + "from markupsafe import Markup\ndef f(a):\n    return Markup(a)\n",
        HEAD + "from markupsafe import Markup\ndef f(a):\n    return Markup(a).unescape()\n",
    ),
    ("python", "an answer, and one that is said to be no page"): (
        HEAD + "from flask import make_response\ndef f():\n"
        "    r = make_response(request.args['a'])\n    r.mimetype = 'text/html'\n    return r\n",
        HEAD + "from flask import make_response\ndef f():\n"
        "    r = make_response(request.args['a'])\n    r.mimetype = 'text/plain'\n    return r\n",
    ),
    ("java", "where an answer leads, and what it says"): (
        SERVLET % 'return Response.status(302).location(request.getParameter("a")).build();',
        SERVLET % "return Response.status(200).entity(Rows.of(message)).build();",
    ),
    ("java", "a text, and a number that is set later"): (
        NUMBER % "String",
        NUMBER % "Integer",
    ),
    ("java", "a page, and an object"): (
        SPRING % ("String", "String.valueOf"),
        SPRING % ("Answer", "Answer.of"),
    ),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_what_is_declared_counts(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
