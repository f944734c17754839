"""A value is fit for the place that it stands in: between quotes, in an attribute, in neither."""

from __future__ import annotations

import pytest

from jurat.engine.flow.values.surroundings import PlacedQuestions
from jurat.rules.flows import FlowQuestion
from tests.engine.test_hidden_flows import count_flows

PYTHON = (
    "import html, os, shlex\nfrom flask import Markup, request\ndef view(cur, tree):\n"
    "    a = request.args['a']\n    %s\n"
)
SCRIPT = (
    "const { exec } = require('child_process');\nconst escapeHtml = require('escape-html');\n"
    "app.get('/', (req, res) => {\n  let a = req.query.a;\n  %s\n});\n"
)
GO = (
    'package main\nimport (\n"database/sql"\n"fmt"\n"net/http"\n"os/exec"\n"strings"\n)\n'
    'func quote(s string) string {\nreturn "\'" + strings.ReplaceAll(s, "\'", %s) + "\'"\n}\n'
    "func view(w http.ResponseWriter, r *http.Request, db *sql.DB) {\n"
    'a := r.FormValue("a")\n%s\n}\n'
)
JAVA = (
    "import javax.servlet.http.*;\nimport java.sql.*;\n"
    "import org.springframework.web.util.HtmlUtils;\nclass View extends HttpServlet {\n"
    "protected void doGet(HttpServletRequest request, HttpServletResponse response) throws"
    " Exception {\nStatement statement = connect();\n"
    'String a = request.getParameter("a");\n%s\n}\n}\n'
)

PAIRS = {
    "a quote that is doubled": (
        "python",
        PYTHON % """cur.execute("SELECT 1 FROM t WHERE n = " + a.replace("'", "''"))""",
        PYTHON % """cur.execute("SELECT 1 FROM t WHERE n = '" + a.replace("'", "''") + "'")""",
    ),
    "a text that is searched for": (
        "python",
        PYTHON % """cur.execute("SELECT 1 FROM t LIMIT 5 OFFSET %s" % a.replace("'", ""))""",
        PYTHON % """cur.execute("SELECT 1 FROM t WHERE n LIKE '%%%s%%'" % a.replace("'", ""))""",
    ),
    "a quote that is refused": (
        "python",
        PYTHON % """if "'" in a:\n        return\n    tree.xpath('//b[@i="' + a + '"]')""",
        PYTHON % """if '"' in a:\n        return\n    tree.xpath('//b[@i="' + a + '"]')""",
    ),
    "quotes that are written with a backslash": (
        "python",
        PYTHON % """if '\\'' in a:\n        return\n    tree.xpath(f'//b[@i="{a}"]')""",
        PYTHON % """if '\\'' in a:\n        return\n    tree.xpath(f'//b[@i=\\'{a}\\']')""",
    ),
    "what is quoted for a shell": (
        "python",
        PYTHON % """os.system('grep "' + shlex.quote(a) + '" /var/log/a')""",
        PYTHON % """os.system('grep ' + shlex.quote(a) + ' /var/log/a')""",
    ),
    "quotes of a shell behind others": (
        "python",
        PYTHON % """os.system("sh -c 'ls " + shlex.quote(a) + "'")""",
        PYTHON % """os.system("echo 'all' && ls " + shlex.quote(a))""",
    ),
    "markup in an attribute that is run": (
        "python",
        PYTHON % """return Markup("<b onclick='go(\\"" + html.escape(a) + "\\")'>x</b>")""",
        PYTHON % """return Markup("<b title='" + html.escape(a) + "'>x</b>")""",
    ),
    "markup where no quote is": (
        "python",
        PYTHON % """return Markup(f"<input value={html.escape(a)}>")""",
        PYTHON % """return Markup(f"<b onclick='run()'>{html.escape(a)}</b>")""",
    ),
    "an attribute's quote": (
        "javascript",
        SCRIPT % """res.send('<input value="' + a.replace(/</g, '&lt;') + '">');""",
        SCRIPT % """res.send('<input value="' + a.replace(/["]/g, '&quot;') + '">');""",
    ),
    "markup in a script": (
        "javascript",
        SCRIPT % """res.send(`<p>a</p><script>let n = ${escapeHtml(a)};</script>`);""",
        SCRIPT % """res.send(`<script>let n = 1;</script><p>${escapeHtml(a)}</p>`);""",
    ),
    "a text in a script": (
        "javascript",
        SCRIPT % """res.send('<script>let n = `' + escapeHtml(a) + '`;</script>');""",
        SCRIPT
        % r"""let said = JSON.stringify(a).replace(/</g, '\\u003c');
            res.send('<script>let n = ' + said + ';</script>');""",
    ),
    "data in a script, and data without a tag": (
        "javascript",
        SCRIPT % """res.send('<script>let n = ' + JSON.stringify(a) + ';</script>');""",
        SCRIPT % """res.send('<p>' + JSON.stringify(a) + '</p>');""",
    ),
    "characters that may stand in a name": (
        "javascript",
        SCRIPT % """if (/'/.test(a)) return; db.query("SELECT 1 FROM t ORDER BY " + a);""",
        SCRIPT
        % """if (!/^[\\w;()]+$/.test(a)) return;
            db.query("SELECT 1 FROM t WHERE n = '" + a + "'");""",
    ),
    "the quotes of a name": (
        "go",
        GO % ("`''`", """db.Query("SELECT 1 FROM \\"" + strings.Trim(a, "'") + `"`)"""),
        GO % ("`''`", """db.Query(`SELECT 1 FROM "` + strings.ReplaceAll(a, `"`, `""`) + `"`)"""),
    ),
    "one's own quotes for a shell": (
        "go",
        GO % ("`\\'`", """exec.Command("sh", "-c", "ls "+quote(a)).Run()"""),
        GO % ("`'\\''`", """exec.Command("sh", "-c", "ls "+quote(a)).Run()"""),
    ),
    "one's own quotes within others": (
        "go",
        GO % ("`'\\''`", """exec.Command("sh", "-c", `ls "`+quote(a)+`"`).Run()"""),
        GO % ("`'\\''`", """exec.Command("sh", "-c", `ls "/a" `+quote(a)).Run()"""),
    ),
    "a number without quotes": (
        "java",
        JAVA % """statement.executeQuery("SELECT 1 FROM t WHERE i = " + a.replace("'", "''"));""",
        JAVA
        % """statement.executeQuery("SELECT 1 FROM t WHERE i='" + a.replace("'", "''") + "'");""",
    ),
    "a handler in an answer": (
        "java",
        JAVA
        % """response.getWriter().print("<b onclick=\\"go('" + HtmlUtils.htmlEscape(a)
            + "')\\">x</b>");""",
        JAVA % """response.getWriter().print("<b class=\\"" + HtmlUtils.htmlEscape(a) + "\\">");""",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_value_is_fit_for_its_place(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


UNCLEAR = {
    "a text of its own": """cur.execute(a.replace("'", "''"))""",
    "behind what is not known": """cur.execute(tree.head + a.replace("'", "''"))""",
    "behind more than is remembered": "cur.execute('SELECT "
    + "x, " * 80
    + """ FROM t WHERE n = ' + a.replace("'", "''"))""",
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_where_the_place_is_not_known_the_quotes_are_believed(name: str) -> None:
    assert count_flows(PYTHON % UNCLEAR[name], "python") == 0


def test_a_question_without_quotes_is_asked_once() -> None:
    plain = FlowQuestion(sources=("a()",), sinks=("b(0)",), rejected=("'",))
    placed = PlacedQuestions([plain])
    assert placed.all == [plain]
    assert placed.ask_at(1, "SELECT '") == placed.find_asked(1) == 1


@pytest.mark.parametrize(
    ("before", "place"),
    [
        ("WHERE a = 'b' AND c = '", "'"),
        ("WHERE a = 'it''s' AND c = ", "bare"),
        ("""WHERE a = "'" AND c = '""", "'"),
        ("WHERE a = '\\' AND c = ", "'"),
        ("WHERE `", "`"),
        ("FROM [", "]"),
        ("FROM [a] WHERE b = ", "bare"),
    ],
)
def test_the_open_quote_is_told(before: str, place: str) -> None:
    question = FlowQuestion(
        sources=("a()",), sinks=("b(0:sql)",), rejected=("'",), quotes=("'", '"', "`", "]")
    )
    placed = PlacedQuestions([question])
    asked = placed.ask_at(1, before)
    number = asked.bit_length() - 1
    assert placed.all[number].rejected == (() if place == "bare" else (place,))
    assert placed.find_asked(asked) & 1
