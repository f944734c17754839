"""What a check of one part of a text says of the other, and what a queue hands over."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK
from tests.engine.test_hidden_flows import count_flows

_GO = (
    'package p\nimport ("bytes"; "crypto/hmac"; "crypto/subtle"; "net/http")\n'
    'import ("os/exec"; "strings")\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n"
    '\ta, b, _ := strings.Cut(r.FormValue("a"), ".")\n'
    '\t%s\n\texec.Command("sh", "-c", b).Run()\n}\n'
)
_PARTS = "import hmac, pickle\n" + FLASK.replace("%s", "mark, _, rest = a.partition('.')\n    %s")
_SCRIPT = (
    "const pg = require('pg');\nconst pool = new pg.Pool();\n"
    "app.get('/', (req, res) => {\n  const a = req.query.a;\n"
    '  pool.query("SELECT 1 FROM t WHERE a = \'" + %s + "\'");\n});\n'
)
_JAVA = """\
import java.io.*;
import java.util.zip.*;
class F {
  void a(ZipInputStream zip, File folder) throws IOException {
    ZipEntry entry;
    while ((entry = zip.getNextEntry()) != null) {
      File target = new File(folder, entry.getName());
      %s
      new FileOutputStream(target);
    }
  }
}
"""
PAIRS = {
    ("python", "the ending of a name"): (
        FLASK % "stem, ending = os.path.splitext(a)\n    if ending not in ('.png', '.jpg'):\n"
        "        return 'no'\n    open('/x/' + a)",
        FLASK % "stem, ending = os.path.splitext(a)\n    if a not in ('a.png', 'b.jpg'):\n"
        "        return 'no'\n    open('/x/' + a)",
    ),
    ("python", "a word before the rest"): (
        _PARTS % "if mark not in ('a', 'b'):\n        return 'no'\n    pickle.loads(rest)",
        _PARTS % "if not hmac.compare_digest(mark, sign(rest)):\n        return 'no'\n"
        "    pickle.loads(rest)",
    ),
    ("go", "a word before the rest"): (
        _GO % 'if a != "x" { return }',
        _GO % "if !hmac.Equal([]byte(a), sign(b)) { return }",
    ),
    ("go", "a signature of somebody's own making"): (
        _GO % "if !hmac.Equal([]byte(a), []byte(b)) { return }",
        _GO % "if !hmac.Equal([]byte(a), keys.Sign(b)) { return }",
    ),
    ("go", "what another function made of it"): (
        _GO % "if !bytes.Equal([]byte(b), texts.Trim(b)) { return }",
        _GO % "if !hmac.Equal([]byte(a), keys.Sign(b)) { return }",
    ),
    ("go", "an answer in numbers"): (
        _GO % "if subtle.ConstantTimeCompare([]byte(a), sign(b)) == 1 { return }",
        _GO % "if subtle.ConstantTimeCompare([]byte(a), sign(b)) != 1 { return }",
    ),
    ("javascript", "a quote in whose place another text stands"): (
        _SCRIPT % 'a.split("\'").join("\'")',
        _SCRIPT % 'a.split("\'").join("\'\'")',
    ),
    ("javascript", "what a text is split at, and its quotes"): (
        _SCRIPT % "a.split(',').join(\"''\")",
        _SCRIPT % "a.split(\"'\").join('')",
    ),
    ("java", "a type that was told before"): (
        _JAVA % "",
        _JAVA % "if (!target.getCanonicalPath().startsWith(folder.getCanonicalPath() +"
        " File.separator)) throw new IOException();",
    ),
}
"""By language: a check that says nothing of what is used, and one that does."""

QUEUED = {
    "python": (
        "import os, redis\nqueue = redis.Redis.from_url('redis://a')\ndef work():\n"
        "    _, name = queue.blpop('names')\n    os.system('convert ' + name)\n"
    ),
    "javascript": (
        "const amqp = require('amqplib');\nconst {exec} = require('child_process');\n"
        "async function work(channel) {\n  await channel.consume('names', (message) => {\n"
        "    exec('convert ' + message.content.toString());\n  });\n}\n"
    ),
    "go": (
        'package p\nimport ("os/exec"; "github.com/segmentio/kafka-go")\n'
        "func work(message kafka.Message) {\n"
        '\texec.Command("sh", "-c", "convert "+string(message.Value)).Run()\n}\n'
    ),
    "java": (
        "import org.springframework.kafka.annotation.KafkaListener;\nclass W {\n"
        '  @KafkaListener(topics = "names")\n  void work(String name) throws Exception {\n'
        '    Runtime.getRuntime().exec("sh -c convert " + name);\n  }\n}\n'
    ),
}
"""By language: what a queue hands over becomes a command."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_a_check_counts_for_the_part_that_it_asks_about(language: str, name: str) -> None:
    fault, fit = PAIRS[language, name]
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)


@pytest.mark.parametrize("language", QUEUED)
def test_what_a_queue_hands_over_is_followed(language: str) -> None:
    assert count_flows(QUEUED[language], language) == 1


RETURNED = (
    'package p\nimport ("errors"; "net/http"; "os/exec")\ntype job struct { name string }\n'
    "func read(r *http.Request) (job, error) {\n"
    '\tif r.FormValue("a") == "" { return job{}, errors.New("no") }\n'
    '\tfound := job{name: "x"}\n\tfound.name = r.FormValue("b")\n\treturn found, nil\n}\n'
    "func view(w http.ResponseWriter, r *http.Request) {\n\tone, err := read(r)\n"
    '\tif err != nil { return }\n\texec.Command("sh", "-c", one.name).Run()\n}\n'
)


def test_an_object_beside_an_empty_one_keeps_its_fields() -> None:
    assert count_flows(RETURNED, "go") == 1


LISTED = (
    "import java.util.*;\nimport javax.servlet.http.*;\nclass F extends HttpServlet {\n"
    '  private final List<String> words = new ArrayList<>(List.of("grep"));\n'
    "  protected void doGet(HttpServletRequest q, HttpServletResponse s) throws Exception {\n"
    '    words.add("--regexp=" + q.getParameter("a"));\n'
    "    new ProcessBuilder(%s).start();\n  }\n}\n"
)


@pytest.mark.parametrize(
    ("given", "found"), [("words", 0), ('"sh", "-c", String.join(" ", words)', 1)]
)
def test_a_copied_list_keeps_its_first_word(given: str, found: int) -> None:
    assert count_flows(LISTED % given, "java") == found
