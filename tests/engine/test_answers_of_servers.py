"""What a server or a database answers is its own, and no part of what it was asked with."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

GO = (
    'package main\nimport (\n"errors"\n"net"\n"net/http"\n"net/netip"\n"syscall"\n)\n'
    "func refuse(network, address string, _ syscall.RawConn) error {\n"
    "to, err := netip.ParseAddrPort(address)\nif err != nil {\nreturn err\n}\n"
    'if to.Addr().IsPrivate() {\nreturn errors.New("no")\n}\nreturn nil\n}\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    "dialer := &net.Dialer{Control: refuse}\n"
    "client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}\n"
    'resp, _ := client.Get(r.FormValue("a"))\nw.Write([]byte(%s))\n}\n'
)
JAVA = (
    "import javax.servlet.http.*;\nimport java.sql.*;\nclass View extends HttpServlet {\n"
    "Connection con;\nprotected void doGet(HttpServletRequest req, HttpServletResponse resp)"
    ' throws Exception {\nString a = req.getParameter("a").replace("\'", "\'\'");\n'
    'ResultSet rs = con.createStatement().executeQuery("SELECT 1 FROM t WHERE n=\'" + a + "\'");\n'
    "resp.getWriter().print(%s);\n}\n}\n"
)

PAIRS = {
    "a status": ("go", GO % 'r.FormValue("a")', GO % "resp.Status"),
    "a number of a row": ("java", JAVA % "a", JAVA % "rs.next() ? rs.getInt(1) : 0"),
    "a text of a row": ("java", JAVA % "a + rs.getString(1)", JAVA % "rs.getString(1)"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_an_answer_is_its_own(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
