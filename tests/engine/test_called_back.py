"""What a parameter is follows from what calls its function, and not from what it is called."""

from __future__ import annotations

import pytest

from jurat.rules.callbacks import Callback, parse_callback
from tests.engine.test_hidden_flows import count_flows

_EXPRESS = (
    'const express = require("express");\nconst { exec } = require("child_process");\n'
    "const app = express();\n"
)
_FASTIFY = (
    'const app = require("fastify")();\n'
    'app.get("/a/:n", {schema: {params: {properties: {n: {type: "%s"}}}}},\n'
    "  async (question, answer) => answer.redirect(question.params.n));\n"
)
_SOCKETS = 'const { Server } = require("socket.io");\nconst io = new Server(1);\n'
_JAVA = (
    "import static spark.Spark.get;\nimport io.javalin.Javalin;\n"
    "import io.vertx.ext.web.Router;\nclass C { void run(Router routes) { %s } }\n"
)
_FLASK = "from flask import Flask, redirect, request\napp = Flask(__name__)\n"
_AIOHTTP = "from aiohttp import web\n"
_VIEW = (
    "from django.shortcuts import redirect\nfrom django.views import View\n%s"
    "class Shown(%s):\n    def get(self, asked):\n        return redirect(asked.GET['to'])\n"
)

FOUND = {
    ("python", "a line that goes on behind a backslash"): _FLASK
    + "@app.get('/a')\ndef show():\n    with open('a') as one, \\\n            open('b') as two:\n"
    "        return redirect(request.args['to'])\n",
    ("javascript", "two names of its own"): _EXPRESS
    + 'app.get("/a", (incoming, out) => out.send("<b>" + incoming.query.a));',
    ("javascript", "the two names told the wrong way round"): _EXPRESS
    + 'app.get("/a", (res, req) => req.send("<b>" + res.query.a));',
    ("javascript", "a request that is taken apart"): _EXPRESS
    + 'app.get("/a", ({ query }, b) => b.redirect(query.to));',
    ("javascript", "the last of several"): _EXPRESS
    + 'app.post("/a", [check], (a, b) => b.redirect(a.query.to));',
    ("javascript", "what answers an error"): _EXPRESS
    + 'app.use((fault, a, b, c) => b.send("<p>" + a.query.why));',
    ("javascript", "a function of a name that is given later"): _EXPRESS
    + "function show(a, b) { b.redirect(a.query.to); }\n"
    + 'module.exports = (thing) => { thing.get("/a", show); };',
    ("javascript", "a call whose answer nobody wants"): _EXPRESS
    + 'app.get("/a", (a, b) => void b.redirect(a.query.to));',
    ("javascript", "a handler of one address"): _EXPRESS
    + 'app.route("/a").get((a, b) => b.redirect(a.query.to));',
    ("javascript", "a context of a router that only ends like another"): "import { Router } from"
    ' "https://x.example/mod.ts";\nconst all = new Router();\n'
    'all.get("/a", (ctx, next) => { ctx.redirect(ctx.query.to); });',
    ("javascript", "a job"): 'const { Worker } = require("bullmq");\n'
    'const codec = require("node-serialize");\n'
    'new Worker("mail", async (task) => codec.unserialize(task.data.to));',
    ("javascript", "a context of Koa"): 'const Router = require("@koa/router");\n'
    'const routes = new Router();\nroutes.get("/a", (k) => { k.body = "<b>" + k.query.a; });',
    ("javascript", "a server of the language's own"): 'require("http")'
    '.createServer((a, b) => { b.setHeader("Location", a.headers.to); b.end("<b>" + a.url); });',
    ("javascript", "a schema that says too little"): _FASTIFY % "string",
    ("javascript", "what somebody who has connected sends"): _SOCKETS
    + 'io.on("connection", (one) => one.on("look", ({ url }) => fetch(url)));',
    ("javascript", "what a socket brings"): 'const { WebSocketServer } = require("ws");\n'
    "const all = new WebSocketServer({ port: 1 });\n"
    'all.on("connection", (one) => one.on("message", (m) => fetch(JSON.parse(m).url)));',
    ("javascript", "a message of a broker"): 'const { Kafka } = require("kafkajs");\n'
    'const codec = require("node-serialize");\nconst reader = new Kafka({}).consumer({});\n'
    "reader.run({ eachMessage: async ({ message }) => codec.unserialize(message.value) });",
    ("javascript", "a call from afar"): 'const rpc = require("@grpc/grpc-js");\n'
    "const all = new rpc.Server();\n"
    "all.addService(shop, { find: (asked, done) => fetch(asked.request.url) });",
    ("python", "a call from afar"): "import requests, shop_pb2_grpc\n"
    "class S(shop_pb2_grpc.ShopServicer):\n    def Find(self, asked, around):\n"
    "        requests.get(asked.url)\n",
    ("javascript", "a function by its name"): "export async function GET(asked) {\n"
    "  const { searchParams } = new URL(asked.url);\n  return fetch(searchParams.get('u'));\n}",
    ("python", "a function by its name"): "import requests\n"
    "def lambda_handler(said, around):\n    requests.get(said['body'])\n",
    ("python", "an event of a socket"): "import pickle\nfrom flask_socketio import SocketIO\n"
    "io = SocketIO()\n@io.on('a')\ndef f(said):\n    pickle.loads(said['a'])\n",
    ("python", "a consumer"): "import pickle\nfrom channels.generic.websocket import JsonConsumer\n"
    "class C(JsonConsumer):\n    def receive_json(self, said):\n        pickle.loads(said['a'])\n",
    ("python", "a function that a router is given"): _AIOHTTP
    + "async def show(asked):\n    raise web.HTTPFound(asked.query['to'])\n"
    "app = web.Application()\napp.router.add_get('/a', show)\n",
    ("python", "a method of a view"): _VIEW % ("", "View"),
    ("java", "a context of Javalin"): _JAVA
    % 'Javalin.create().get("/a", k -> k.redirect(k.queryParam("to")));',
    ("java", "a request and an answer of Spark"): _JAVA
    % 'get("/a", (q, a) -> { a.redirect(q.queryParams("to")); return ""; });',
    ("java", "a context of Vert.x"): _JAVA
    % 'routes.get("/a").handler(k -> Runtime.getRuntime().exec("ls " + k.pathParam("d")));',
}
LEFT = {
    ("javascript", "a method of the file's own"): 'const { exec } = require("child_process");\n'
    "class Shelf { get(path, use) { use({ query: { a: 1 } }); } }\n"
    'new Shelf().get("/a", (one) => exec("ls " + one.query.a));',
    ("javascript", "a method that is called as a router's is"): "export class Client {\n"
    "  post(options) { return fetch(options.url, { headers: options.headers }); }\n}",
    ("javascript", "a function that is called as a router's method is"): (
        "Client.prototype.post = function (options) {\n"
        "  return fetch(options.url, { headers: options.headers });\n};"
    ),
    ("javascript", "a name that says what it is, where all is a guess"): _EXPRESS.replace(
        "const app = express();\n", ""
    )
    + 'thing.get("/a", (ctx, next) => next("<b>" + ctx.querystrings));',
    ("javascript", "a request that is checked"): _EXPRESS
    + 'app.get("/a", (a, b) => { if (!/^[a-z]+$/.test(a.query.d)) return b.end();\n'
    '  exec("ls " + a.query.d); });',
    ("javascript", "a schema that lets no text through"): _FASTIFY % "integer",
    ("javascript", "what the own server sends"): _SOCKETS.replace("socket.io", "socket.io-client")
    + 'io.on("connection", (one) => one.on("look", ({ url }) => fetch(url)));',
    ("java", "a function that is handed elsewhere"): _JAVA
    % 'shelf.get("/a", k -> k.redirect(k.queryParam("to")));',
    ("python", "a view of another kind"): _VIEW
    % ("class View:\n    def get(self, asked):\n        pass\n", "object"),
}


@pytest.mark.parametrize(("language", "name"), FOUND)
def test_what_a_function_is_called_with_is_known_by_its_place(language: str, name: str) -> None:
    assert count_flows(FOUND[language, name], language) > 0


@pytest.mark.parametrize(("language", "name"), LEFT)
def test_what_nobody_is_seen_to_call_so_is_left(language: str, name: str) -> None:
    assert count_flows(LEFT[language, name], language) == 0


def test_a_callback_is_read() -> None:
    said = parse_callback("{*express(),*Router}.{get,post}(0=/*) -> req, res")
    assert said == Callback("{*express(),*Router}.{get,post}", ((0, "/*"),), ("req", "res"))
    assert parse_callback("@acme.route() -> request").names == ("request",)
    assert parse_callback("*.get() -> req").is_guess
    said = parse_callback("function.*(0=event, 1=context) -> packet")
    assert said == Callback("function.*", ((0, "event"), (1, "context")), ("packet",))


@pytest.mark.parametrize(
    "said", ["acme.get", "acme.get()", "acme.get() ->", "() -> req", "a() -> ,"]
)
def test_what_is_no_callback_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match="who calls a function with what"):
        parse_callback(said)
