"""What a pattern has found in a text is as fit as its part of the pattern says: the rest is not."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import EXPRESS, HEAD, VIEW, count_flows

JS = "const { exec } = require('child_process');\n" + EXPRESS
GO = (
    'package p\nimport (\n\t"net/http"\n\t"os/exec"\n\t"regexp"\n)\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n\t%s\n"
    '\texec.Command("sh", "-c", "ls "+x).Run()\n}\n'
)
JAVA = (
    "package p;\nimport java.util.regex.*;\n"
    "import org.springframework.web.bind.annotation.*;\n@RestController\nclass A {\n"
    '  private static final Pattern P = Pattern.compile("^([a-z]+)-(.*)$");\n'
    '  @GetMapping("/a") void view(@RequestParam String s) throws Exception {\n    %s\n'
    '    Runtime.getRuntime().exec(new String[] {"sh", "-c", "ls " + x});\n  }\n}\n'
)


def _python(statements: str) -> str:
    return f"{HEAD}{VIEW}    {statements}\n    os.system('ls ' + x)\n"


def _js(statements: str) -> str:
    return JS % f"const s = req.query.s; {statements} exec('ls ' + x);"


def _go(pattern: str, method: str, behind: str) -> str:
    return GO % f'x := regexp.MustCompile(`{pattern}`).{method}(r.FormValue("s")){behind}'


PAIRS = {
    ("python", "a group by its number"): (
        _python("x = re.match(r'^([a-z]+)-(.*)$', a).group(2)"),
        _python("x = re.match(r'^([a-z]+)-(.*)$', a).group(1)"),
    ),
    ("python", "a group of a pattern that stands elsewhere, by an index"): (
        "import re\nP = re.compile(r'(?:x|(\\d+))=(\\S+)')\n" + _python("x = P.search(a)[2]"),
        "import re\nP = re.compile(r'(?:x|(\\d+))=(\\S+)')\n" + _python("x = P.search(a)[1]"),
    ),
    ("python", "a group by its name"): (
        _python("x = re.search(r'(?P<n>\\w+)(?P<r>.*)', a).group('r')"),
        _python("x = re.search(r'(?P<n>\\w+)(?P<r>.*)', a).groupdict()['n']"),
    ),
    ("python", "all groups at once"): (
        _python("x, y = re.match(r'(.*)/(\\d+)', a).groups()"),
        _python("y, x = re.match(r'(.*)/(\\d+)', a).groups()"),
    ),
    ("python", "each match"): (
        _python("x = ' '.join(re.findall(r'\\S+', a))"),
        _python("x = ' '.join(re.findall(r'\\w+', a))"),
    ),
    ("python", "what was looked into, and what was found there"): (
        _python("m = re.search('[a-z]+', a)\n    x = a if m else ''"),
        _python("m = re.search('[a-z]+', a)\n    x = m[0] if m else ''"),
    ),
    ("javascript", "a group of what a pattern finds"): (
        _js("const x = /^([a-z]+)-(.*)$/.exec(s)[2];"),
        _js("const x = /^([a-z]+)-(.*)$/.exec(s)[1];"),
    ),
    ("javascript", "a match taken apart"): (
        _js("const [, y, x] = s.match(/^([a-z]+)-(.*)$/) || [];"),
        _js("const [, x, y] = s.match(/^([a-z]+)-(.*)$/) || [];"),
    ),
    ("javascript", "groups by name"): (
        _js("const { groups: { x } } = s.match(/(?<n>[a-z]+)-(?<x>.*)/);"),
        _js("const { groups: { x } } = s.match(/(?<x>[a-z]+)-(?<r>.*)/);"),
    ),
    ("javascript", "each match and its groups"): (
        _js("let x; for (const one of s.matchAll(/([a-z]+)=(\\S+)/g)) x = one[2];"),
        _js("let x; for (const one of s.matchAll(/([a-z]+)=(\\S+)/g)) x = one[1];"),
    ),
    ("go", "a group"): (
        _go("^([a-z]+)-(.*)$", "FindStringSubmatch", "[2]"),
        _go("^([a-z]+)-(.*)$", "FindStringSubmatch", "[1]"),
    ),
    ("go", "what is found"): (_go(".+", "FindString", ""), _go("[a-z]+", "FindString", "")),
    ("java", "a group behind a question that only the pattern answers"): (
        JAVA % "Matcher m = P.matcher(s); if (!m.find()) { return; } String x = m.group(2);",
        JAVA % "Matcher m = P.matcher(s); if (!m.find()) { return; } String x = m.group(1);",
    ),
    ("java", "a text of which a pattern was asked that anything fits"): (
        JAVA % 'Matcher m = Pattern.compile(".*").matcher(s);\n'
        "    if (!m.matches()) { return; } String x = s;",
        JAVA % 'Matcher m = Pattern.compile("[a-z]*").matcher(s);\n'
        "    if (!m.matches()) { return; } String x = s;",
    ),
    ("java", "a text of which a part fits"): (
        JAVA % 'Matcher m = Pattern.compile("[a-z]+").matcher(s);\n'
        "    if (!m.find()) { return; } String x = s;",
        JAVA % 'Matcher m = Pattern.compile("[a-z]+").matcher(s);\n'
        "    if (!m.find()) { return; } String x = m.group();",
    ),
}
"""By language: what may still be anything, and what fits its part of the pattern."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_only_what_may_be_anything_is_found(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
