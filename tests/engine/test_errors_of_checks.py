"""A check that hands its error back has checked nothing before that error leads away."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

GO = (
    'package main\nimport (\n"database/sql"\n"log"\n"net/http"\n"strconv"\n'
    '"github.com/google/uuid"\n"acme.example/names"\n)\n'
    "func view(w http.ResponseWriter, r *http.Request, db *sql.DB) {\n"
    'a := r.FormValue("a")\n%s\ndb.Query("SELECT 1 FROM t WHERE a = " + a)\n}\n'
)
JAVA = (
    "import javax.servlet.http.*;\nimport java.sql.*;\nclass View extends HttpServlet {\n"
    "Statement statement;\nprotected void doGet(HttpServletRequest req, HttpServletResponse resp)"
    ' throws Exception {\nString a = req.getParameter("a");\n%s\n'
    'statement.executeQuery("SELECT 1 FROM t WHERE a = " + a);\n}\n}\n'
)

PAIRS = {
    "an error that is logged": (
        "go",
        GO % "if _, err := strconv.Atoi(a); err != nil {\nlog.Print(err)\n}",
        GO % "if _, err := strconv.Atoi(a); err != nil {\nlog.Print(err)\nreturn\n}",
    ),
    "an error that nobody takes": (
        "go",
        GO % "n, _ := strconv.Atoi(a)\nlog.Print(n)",
        GO % "n, err := strconv.Atoi(a)\nif err != nil {\nreturn\n}\nlog.Print(n)",
    ),
    "a way out of one side": (
        "go",
        GO % "_, err := uuid.Parse(a)\nif err != nil && len(a) > 3 {\nreturn\n}",
        GO % "_, err := uuid.Parse(a)\nif err != nil || len(a) > 3 {\nreturn\n}",
    ),
    "another's error": (
        "go",
        GO % "_, err := strconv.Atoi(a)\n_, err = names.Load(a)\nif err != nil {\nreturn\n}",
        GO % "_, err := names.Load(a)\n_, err = strconv.Atoi(a)\nif err != nil {\nreturn\n}",
    ),
    "the number itself": (
        "go",
        GO % "n, err := strconv.Atoi(a)\nif err != nil {\nn = 0\n}\nlog.Print(n)",
        GO % "n, err := strconv.Atoi(a)\nif err != nil {\nn = 0\n}\na = strconv.Itoa(n)",
    ),
    "a check that is asked for its answer": (
        "go",
        GO % "ok := names.Known(a)\nlog.Print(ok)",
        GO % "ok := names.checkName(a)\nif !ok {\nreturn\n}",
    ),
    "what is caught": (
        "java",
        JAVA % 'try {\nInteger.parseInt(a);\n} catch (NumberFormatException e) {\nlog("no");\n}',
        JAVA % "try {\nInteger.parseInt(a);\n} catch (NumberFormatException e) {\nreturn;\n}",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_an_error_is_a_check_where_it_leads_away(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
