"""A value's way through a pull request's code: webhook in, comment and answer out."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.app.test_row_check_and_answer import rows
from tests.standins.github import actions
from tests.support.town import Town

CODE = """\
import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.get("/orders")
def orders():
    customer = request.args["customer"]
    query = f"SELECT total FROM orders WHERE customer = '{customer}'"
    return sqlite3.connect("shop.db").execute(query).fetchall()
"""
SHIPPED = "version: 1\npacks: [engineering]\nrules: [policy]\nreview: {max_rules: 100}\n"


async def test_a_webhook_brings_the_way_of_a_value_into_the_comment(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": SHIPPED})
    pull = town.open({"shop/orders.py": CODE})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert (comment.anchor.path, comment.anchor.line) == ("shop/orders.py", 12)
    assert '`sqlite3.connect("shop.db").execute` sends a statement with' in comment.body
    way = "The value comes from `request.args` at line 10, and goes by line 11."
    assert way in comment.body
    (row,) = await rows(app, pull.head_sha)
    (verdict,) = [one for one in row.answer["rule_verdicts"] if one["findings"]]
    assert verdict["findings"][0]["cwe"] == ["CWE-89"]
    assert [step["line"] for step in verdict["locations"][0]["steps"]] == [10, 10, 11]


async def test_a_fault_that_is_split_over_two_files_is_one(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": SHIPPED})
    sent = 'return sqlite3.connect("shop.db").execute(query).fetchall()'
    orders = CODE.replace("import sqlite3\n", "from shop.store import ask\n")
    store = f"import sqlite3\n\n\ndef ask(query):\n    {sent}\n"
    pull = town.open(
        {"shop/orders.py": orders.replace(sent, "return ask(query)"), "shop/store.py": store}
    )
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert (comment.anchor.path, comment.anchor.line) == ("shop/store.py", 5)
    assert "from `request.args` at line 10 of `shop/orders.py`" in comment.body
