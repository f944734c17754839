"""A text of which each character was asked is one of those that were let through."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

GO = (
    'package main\nimport (\n"net/http"\n"os/exec"\n"regexp"\n"strings"\n"unicode"\n)\n'
    "func fit(name string) bool {\n%s\n}\n"
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    'name := r.FormValue("name")\nif !fit(name) {\nreturn\n}\n'
    'exec.Command("sh", "-c", "ls " + name).Run()\n}\n'
)
EACH = "for _, c := range name {\n%s\n}\nreturn true"
JAVA = (
    "import javax.servlet.http.*;\nclass View extends HttpServlet {\n"
    "boolean fit(String name) {\n%s\n}\n"
    "protected void doGet(HttpServletRequest request, HttpServletResponse response) throws"
    ' Exception {\nString name = request.getParameter("name");\nif (!fit(name)) {\nreturn;\n}\n'
    'Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + name});\n}\n}\n'
)
PLACES = "for (int i = %s; i < name.length(); i++) {\nchar c = name.charAt(i);\n%s\n}\nreturn true;"
PYTHON = (
    "import os\nfrom flask import abort, request\nSIGNS = 'abc-'\ndef view():\n"
    "    name = request.args['name']\n    for c in name:\n        if %s:\n            abort(400)\n"
    "    os.system('ls ' + name)\n"
)
SCRIPT = (
    "const { exec } = require('child_process');\nfunction fit(name) {\n  for (const c of name) {\n"
    "    if (%s) { return false; }\n  }\n  return true;\n}\n"
    "app.get('/', (req, res) => {\n  const name = String(req.query.name);\n"
    "  if (!fit(name)) { return res.end(); }\n  exec('ls ' + name);\n});\n"
)

ENTRIES = (
    "package p;\nimport java.util.Map;\nimport java.util.stream.Collectors;\n"
    "import org.springframework.web.bind.annotation.*;\n@RestController\nclass A {\n"
    '  private static String write(String key, String text) {\n    return key + "=" + %s;\n  }\n'
    '  @GetMapping("/a") void view(@RequestParam String s) throws Exception {\n'
    '    Map<String, String> asked = Map.of("name", s, "kind", "x");\n'
    "    String x = asked.entrySet().stream().map(e -> write(e.getKey(), e.getValue()))"
    '.collect(Collectors.joining(" "));\n'
    '    Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + x});\n  }\n}\n'
)

PAIRS = {
    "letters by what Unicode calls them": (
        "go",
        GO % "return regexp.MustCompile(`^\\P{L}+$`).MatchString(name)",
        GO % "return regexp.MustCompile(`^[\\p{L}\\p{Nd}-]+$`).MatchString(name)",
    ),
    "the text of an entry, whose key is the program's own": (
        "java",
        ENTRIES % "text",
        ENTRIES % 'text.replaceAll("[^a-z]", "")',
    ),
    "one of them, or each": (
        "go",
        GO % "for _, c := range name {\nif unicode.IsLetter(c) {\nreturn true\n}\n}\nreturn false",
        GO % EACH % "if !unicode.IsLetter(c) {\nreturn false\n}",
    ),
    "a sign beside the letters": (
        "go",
        GO % EACH % "if !unicode.IsLetter(c) && c != ';' {\nreturn false\n}",
        GO % EACH % "if !unicode.IsLetter(c) && c != '-' {\nreturn false\n}",
    ),
    "from one to another": (
        "go",
        GO % EACH % "if c < ' ' || c > 'z' {\nreturn false\n}",
        GO % EACH % "if (c < 'a' || c > 'z') && (c < '0' || c > '9') {\nreturn false\n}",
    ),
    "those of a text": (
        "go",
        GO % EACH % 'if !strings.ContainsRune("abc$", c) {\nreturn false\n}',
        GO % EACH % 'if !strings.ContainsRune("abc_", c) {\nreturn false\n}',
    ),
    "by their places": (
        "go",
        GO % "for i := 1; i < len(name); i++ {\nif name[i] < 'a' || name[i] > 'z' {\n"
        "return false\n}\n}\nreturn true",
        GO % "for i := 0; i < len(name); i++ {\nif name[i] < 'a' || name[i] > 'z' {\n"
        "return false\n}\n}\nreturn true",
    ),
    "with a flag": (
        "go",
        GO
        % "ok := false\nfor _, c := range name {\nif unicode.IsDigit(c) {\nok = true\nbreak\n}\n}"
        "\nreturn ok",
        GO
        % "ok := true\nfor _, c := range name {\nif !unicode.IsDigit(c) {\nok = false\nbreak\n}\n}"
        "\nreturn ok",
    ),
    "going on with the next": (
        "go",
        GO % EACH % "if unicode.IsDigit(c) {\ncontinue\n}\nprintln(c)",
        GO % EACH % "if unicode.IsDigit(c) {\ncontinue\n}\nreturn false",
    ),
    "but the first": (
        "java",
        JAVA % PLACES % (1, "if (!Character.isLetterOrDigit(c)) {\nreturn false;\n}"),
        JAVA % PLACES % (0, "if (!Character.isLetterOrDigit(c)) {\nreturn false;\n}"),
    ),
    "the place in a text": (
        "java",
        JAVA % PLACES % (0, 'if ("abc".indexOf(c) > 0) {\nreturn false;\n}'),
        JAVA % PLACES % (0, 'if ("abc".indexOf(c) < 0) {\nreturn false;\n}'),
    ),
    "letters of an array": (
        "java",
        JAVA
        % "for (char c : name.toCharArray()) {\nif (Character.isLetter(c)) {\nreturn true;\n}\n}"
        "\nreturn false;",
        JAVA
        % "for (char c : name.toCharArray()) {\nif (!Character.isLetter(c)) {\nreturn false;\n}"
        "\n}\nreturn true;",
    ),
    "a list of our own": (
        "python",
        PYTHON % "c in SIGNS",
        PYTHON % "c not in SIGNS",
    ),
    "a method of a character": (
        "python",
        PYTHON % "c.isspace()",
        PYTHON % "not (c.isalnum() or c in '._')",
    ),
    "a pattern": (
        "javascript",
        SCRIPT % "!/[^;]/.test(c)",
        SCRIPT % "!/[a-z0-9]/i.test(c) && c !== '-'",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_each_character_is_one_that_was_let_through(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
