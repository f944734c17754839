"""What a session keeps: only what is believed later matters, and not what was looked up first."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, count_flows

FLASK = HEAD + "from flask import session\nimport people\n@app.post('/')\ndef enter():\n    %s\n"
GIN = (
    'package p\nimport ("github.com/gin-contrib/sessions"; "github.com/gin-gonic/gin")\n'
    "func enter(c *gin.Context) {\n\ts := sessions.Default(c)\n\t%s\n}\n"
)
SERVLET = (
    "import javax.servlet.http.*;\nclass A {\n  void f(HttpServletRequest request) {\n"
    "    HttpSession kept = request.getSession();\n    %s\n  }\n}\n"
)
FORM = "request.form['a']"

PAIRS = {
    ("python", "a role, and a page to return to"): (
        FLASK % f"session['role'] = {FORM}",
        FLASK % f"session['next_page'] = {FORM}",
    ),
    ("python", "a key that somebody chooses, and one with a beginning of ours"): (
        FLASK % f"session[{FORM}] = True",
        FLASK % f"session['cart_' + {FORM}] = True",
    ),
    ("python", "several at once"): (
        FLASK % f"session.update({{'lang': 'de', 'price': {FORM}}})",
        FLASK % f"session.update({{'price': 3, 'lang': {FORM}}})",
    ),
    ("python", "by a keyword"): (
        FLASK % f"session.update(account_id={FORM})",
        FLASK % f"session.update(theme={FORM})",
    ),
    ("python", "somebody who says so, and somebody who was found"): (
        FLASK % f"name = {FORM}\n    if name:\n        session['user'] = name",
        FLASK % f"name = {FORM}\n    if people.query.filter_by(name=name).first():\n"
        "        session['user'] = name",
    ),
    ("python", "what was found and forgotten, and what was found and asked for"): (
        FLASK % f"name = {FORM}\n    people.find(name)\n    session['user'] = name",
        FLASK % f"name = {FORM}\n    user = people.find(name)\n    if user is None:\n"
        "        return ''\n    session['user'] = name",
    ),
    ("javascript", "a part of the session, and of what is no role"): (
        EXPRESS % "req.session.isAdmin = req.body.admin;",
        EXPRESS % "req.session.returnTo = req.query.next;",
    ),
    ("javascript", "an object that is somebody"): (
        EXPRESS % "req.session.user = { id: req.body.id };",
        EXPRESS % "req.session.user = { id: 7 }; req.session.seen = { id: req.body.id };",
    ),
    ("go", "a key and a value"): (
        GIN % 's.Set("tenant_id", c.Query("tenant"))',
        GIN % 's.Set("lang", c.Query("tenant"))',
    ),
    ("java", "a key and a value"): (
        SERVLET % 'kept.setAttribute("discountPercent", request.getParameter("d"));',
        SERVLET % 'kept.setAttribute("userAgent", request.getHeader("User-Agent"));',
    ),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_what_is_believed_counts(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
