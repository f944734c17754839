"""What reaches a function handed on, another key, a part of a record: each beside a fault."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import EXPRESS, count_flows

RUN = "import threading\ndef run(path, note):\n    open(path)\n"
MARK = (
    "import files\nfrom django.utils.safestring import mark_safe\n"
    "def show(book):\n    return mark_safe('<b>%%s</b>' %% %s)\n"
)
DRIZZLE = (
    "import { and, eq } from 'drizzle-orm';\nimport { db, books } from './db';\n"
    + EXPRESS % "db.update(books).set({ a: 1 }).where(%s);"
)
SPRING = (
    "import java.util.List;\nimport java.nio.file.*;\n"
    "import org.springframework.web.bind.annotation.*;\n@RestController\nclass Files {\n"
    '  @GetMapping("/a")\n  byte[] read(@RequestParam List<%s> names) throws Exception {\n'
    '    return Files.readAllBytes(Path.of("x/" + names.get(0)));\n  }\n}\n'
)
SERVLET = (
    "import javax.servlet.http.*;\nimport javax.imageio.ImageIO;\nimport java.io.*;\n"
    "import java.net.URL;\nimport pages.Texts;\nclass View extends HttpServlet {\n"
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    String a = request.getParameter("a");\n    %s\n  }\n}\n'
)
GO = (
    'package p\nimport "net/http"\nfunc view(w http.ResponseWriter, r *http.Request) {\n'
    '\tsent, _ := http.NewRequest("GET", %s+r.FormValue("a"), nil)\n\thttp.DefaultClient.Do(sent)\n'
    "}\n"
)

PAIRS = {
    ("python", "what a thread's function is called with, by keyword"): (
        RUN + FLASK % "threading.Thread(target=run, kwargs={'path': a, 'note': 'x'}).start()",
        RUN + FLASK % "threading.Thread(target=run, kwargs={'path': 'x', 'note': a}).start()",
    ),
    ("python", "what a thread's function is called with, in a list"): (
        RUN + FLASK % "threading.Timer(5, run, [a, 'x']).start()",
        RUN + FLASK % "threading.Timer(5, run, ['x', a]).start()",
    ),
    ("python", "what stands behind a function"): (
        RUN + FLASK % "config.pool.submit(run, a, 'x')",
        RUN + FLASK % "config.pool.submit(run, 'x', a)",
    ),
    ("python", "another key of a store"): (
        FLASK % "kept = config.load()\n    kept.set(['last'], a)\n    open(kept.get(['last']))",
        FLASK % "kept = config.load()\n    kept.set(['last'], a)\n    open(kept.get(['home']))",
    ),
    ("python", "another item of a mapping that nobody knows"): (
        FLASK % "kept = config.load()\n    kept['last'] = a\n    open(kept['last'])",
        FLASK % "kept = config.load()\n    kept['last'] = a\n    open(kept['home'])",
    ),
    ("python", "a path that is worked out, and one of a record that is looked up"): (
        FLASK % "open('/x/' + files.parse(a).place())",
        FLASK % "open('/x/' + files.get_book(a).place())",
    ),
    ("python", "a record's text, and its key"): (MARK % "book.title", MARK % "book.pk"),
    ("python", "a record's text, and how many it has"): (
        MARK % "book.account",
        MARK % "book.copies_count",
    ),
    ("python", "a text, and markup that another function made of it"): (
        MARK % "book.title.strip()",
        MARK % "files.draw(book.title)",
    ),
    ("javascript", "elements of a list, and what another function finds"): (
        SERVER % "[req.query.a].forEach((p) => res.sendFile(p));",
        SERVER % "files.locate(req.query.a, (error, p) => res.sendFile(p));",
    ),
    ("javascript", "what a timer's function is called with"): (
        SERVER % "const send = (p, note) => res.sendFile(p);\n  setTimeout(send, 5, req.query.a);",
        SERVER % "const send = (p, note) => res.sendFile(p);\n"
        "  setTimeout(send, 5, '/x', req.query.a);",
    ),
    ("javascript", "a condition that is written, and one that a builder makes"): (
        DRIZZLE % "'id = ' + req.query.a",
        DRIZZLE % "and(eq(books.id, req.query.a), eq(books.open, true))",
    ),
    ("java", "names, and numbers"): (SPRING % "String", SPRING % "Long"),
    ("java", "an image behind an address, and one that came along"): (
        SERVLET % "ImageIO.read(new URL(a));",
        SERVLET % "ImageIO.read(new ByteArrayInputStream(a.getBytes()));",
    ),
    ("java", "a text without its spaces, and one with entities"): (
        SERVLET % 'response.getWriter().println("<p>" + Texts.replaceSpaces(a));',
        SERVLET % 'response.getWriter().println("<p>" + Texts.replaceEntities(a));',
    ),
    ("go", "a host, and a path of ours"): (GO % '"http://"', GO % '"/users/"'),
}
"""By language: a fault that looks like what is left alone, and that."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_the_fault_of_a_pair_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
