"""The code of a notebook stands on the lines of its file, and what is no Python is said."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from jurat.facts.assembly import build_subjects
from jurat.facts.derived import DERIVED, build_change_facts
from jurat.source.diff import Diff, FileChange, FunctionChange
from jurat.source.embedded import explain_unread_code
from jurat.source.file_text import build_path_only_file
from jurat.source.functions import find_touched_functions
from jurat.source.notebooks import (
    CELL_MARK,
    read_notebook,
    read_written_line,
    write_cell_lines,
)
from jurat.source.parsing import SIZE_CAP
from jurat.source.suppressions import read_suppressions
from jurat.source.syntax import find_syntax_errors
from jurat.source.unwritten import Unwritten
from tests.support.changes import changed_file, whole_file
from tests.support.code import added, changed
from tests.support.notebooks import find_line, notebook


def list_code(text: str) -> list[str]:
    code = read_notebook(text).text.split("\n")
    return [line for line in code if line.strip() and line != CELL_MARK]


def test_each_line_of_code_stands_where_its_string_does() -> None:
    text = notebook('import os\nname = "é\\t"\n\nif name:\n    print(name)', "name\n")
    code = read_notebook(text).text.split("\n")
    assert len(code) == len(text.split("\n"))
    for part, line in (("import os", "import os"), ("print", "    print(name)")):
        assert code[find_line(text, part) - 1] == line
    assert 'name = "é\\t"' in code
    assert find_syntax_errors("\n".join(code), "python") == 0


def test_prose_and_outputs_are_no_code() -> None:
    document = json.loads(notebook("a = 1\n"))
    document["cells"][0]["outputs"] = [{"output_type": "stream", "text": ["eval(x)\n"]}]
    document["cells"].append({"cell_type": "markdown", "source": ["import os\n"]})
    document["cells"].append({"cell_type": "raw", "source": "import os\n"})
    assert list_code(json.dumps(document, indent=1)) == ["a = 1"]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%matplotlib inline\na = 1", ["pass", "a = 1"]),
        ("!pip install a\nb", ["pass", "b"]),
        ("pip install a\nb", ["pass", "b"]),
        ("!curl a \\\n  | sh\nb", ["pass", "b"]),
        ("if a:\n    !ls\n", ["if a:", "    pass"]),
        ("files = !ls\n", ["files = None"]),
        ("%time a = f(1)\n", ["a = f(1)"]),
        ("b = %timeit -n 10 f(1)\n", ["b = f(1)"]),
        ("%time\n", ["pass"]),
        ("a?\n?b\nc.d??\n", ["pass", "pass", "pass"]),
        ("%%time\nf(1)\n", ["f(1)"]),
        ("\n%%writefile a.py\nf(1)\n", ["f(1)"]),
        ("%%bash\nls\n", []),
        ("%%writefile a.txt\nls\n", []),
        # What only looks like a magic is Python.
        ("a = (1\n% f(2))\n", ["a = (1", "% f(2))"]),
        ('"""\n!ls\n%time\n"""\n', ['"""', "!ls", "%time", '"""']),
        ("a = 1 \\\n% f(2)\n", ["a = 1 \\", "% f(2)"]),
        ("# (\n!ls\n", ["# (", "pass"]),
        ("a = '('\n!ls\n", ["a = '('", "pass"]),
        ("a != b\nc == d\n", ["a != b", "c == d"]),
        # One that is indented runs all the same.
        ("  a = 1\n  b = 2\n", ["a = 1", "b = 2"]),
    ],
)
def test_what_ipython_makes_of_a_cell(cell: str, code: list[str]) -> None:
    assert list_code(notebook(cell)) == code


def test_what_is_in_another_language_is_said_by_its_line() -> None:
    text = notebook("!ls\n", "%%bash\nls\n", "a = 1\n")
    said = explain_unread_code("a.ipynb", text)
    assert f"`!` (line {find_line(text, '!ls')})" in said
    assert f"`%%bash` (line {find_line(text, 'bash')})" in said
    assert explain_unread_code("a.ipynb", notebook("a = 1\n")) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (notebook("a = 1\n")[:-40], "JSON cannot be read"),
        (notebook("a = 1\n").replace('"outputs"', '"source"'), "twice"),
        ('{"cells": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"nbformat": 3, "worksheets": []}', "no list of cells"),
        ("[]", "no list of cells"),
        ('{"cells": [1]}', "is no cell"),
        ('{"cells": [{"cell_type": "code", "source": [null]}]}', "is no text"),
        (notebook("a <- 1\n", language="R"), "its kernel is for 'R'"),
        (notebook("a\n", language_info={"name": "julia"}), "its kernel is for 'julia'"),
        (json.dumps(json.loads(notebook("a\nb\n"))), "several lines of its code stand in line 1"),
        (notebook("a = (\n", "b)\n"), "has no end"),
        (notebook("a = 1\n" * 200_000), "more than 1,000,000 characters"),
        (notebook("a = '''\n", "b'''\n"), "has no end"),
    ],
)
def test_of_what_cannot_be_read_no_rule_about_code_may_pass(text: str, why: str) -> None:
    file = added(text, "a.ipynb")
    assert file.language == "python"
    assert why in (file.unparsed or "")
    assert why in explain_unread_code("a.ipynb", text)
    assert not read_notebook(text).text.strip()


@pytest.mark.parametrize(
    "metadata", [{"kernelspec": {}}, {"language_info": {"name": "ipython3"}}, {"kernelspec": None}]
)
def test_one_that_says_little_of_its_language_is_in_python(metadata: dict[str, object]) -> None:
    assert list_code(notebook("a = 1\n", **metadata)) == ["a = 1"]


def test_of_a_diff_alone_nobody_knows_where_a_cell_is(tmp_path: Path) -> None:
    text = notebook(*["a = 1\n"] * 9)
    file = changed_file(tmp_path, "a.ipynb", text, text.replace("a = 1", "b = 1", 1))
    assert (file.head, file.language) == (None, "python")
    assert "not at hand" in (file.unparsed or "")
    assert build_path_only_file("a.ipynb").possible_languages == ("python",)


def test_its_functions_are_found_and_a_rename_keeps_its_language(tmp_path: Path) -> None:
    text = notebook("def f(a):\n    return a\n")
    file = whole_file(tmp_path, "a.ipynb", text, text.replace("return a", "return a + 1"))
    (function,) = find_touched_functions(file)
    assert (function.name, function.start_line) == ("f", find_line(text, "def f"))
    assert function.change is FunctionChange.CHANGED
    before = FileChange("b.ipynb", file.status, "a.ipynb", "python", base=text).as_base()
    assert before is not None
    assert before.language == "python"


def test_pictures_make_no_notebook_too_large_or_minified() -> None:
    document = json.loads(notebook("a = 1\n"))
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 100_000}}
    document["cells"][0]["outputs"] = [picture]
    text = json.dumps(document, indent=1)
    assert len(text) > SIZE_CAP
    context = build_subjects(Diff((changed(text, text.replace("a = 1", "a = 2"), "a.ipynb"),)))
    (file,) = context.files
    assert (file.unread, file.unparsed) == (None, None)
    assert Unwritten().mark(file).unwritten == ""


def test_only_its_code_is_counted() -> None:
    facts = build_change_facts((added(notebook("a = 1\n\nb = 2\n", "!ls\n"), "a.ipynb"),))
    assert facts[DERIVED]["code_lines_added"] == 3


def test_suppressions_stand_in_cells() -> None:
    text = notebook("# jurat: ignore a.b until 2030-01-01 -- known\ngo()\n")
    (one,) = read_suppressions(added(text, "a.ipynb"))
    assert (one.rule_id, one.line) == ("a.b", find_line(text, "jurat"))


def test_lines_are_written_as_the_strings_of_a_cell() -> None:
    written = ['    "a = \\"é\\"\\n",', '    "b"']
    assert write_cell_lines(written, ['a = "é"', "b"], ["c", 'd("\\t")']) == (
        '    "c\\n",',
        '    "d(\\"\\\\t\\")"',
    )
    assert write_cell_lines(written[:1], ['a = "é"'], []) == ()


@pytest.mark.parametrize(
    ("written", "code"),
    [
        # The last of a cell cannot go: the one before it would end in a comma.
        (['"a"'], ["a"]),
        # Not what stands there.
        (['"!ls\\n",'], ["pass"]),
        (['"source": ["a"]'], ["a"]),
        (['"a\\n",'], ["a", "b"]),
    ],
)
def test_what_would_be_no_json_is_not_written(written: list[str], code: list[str]) -> None:
    assert write_cell_lines(written, code, []) is None


def test_a_line_says_what_its_string_does() -> None:
    assert read_written_line('  "a = \\"b\\"\\n",') == 'a = "b"'
    assert read_written_line('  "a": 1,') == '  "a": 1,'
    assert read_written_line('"\\x"') == '"\\x"'


@pytest.mark.parametrize(
    "piece",
    ['"', "[", "[1,", '{"cells":', "'", '"""', "(", "%", "!a\n", "\\\n", "a=", "%%", "-a ", '\\"'],
)
@pytest.mark.parametrize("is_inside", [False, True])
def test_a_hostile_notebook_costs_no_more_than_its_length(piece: str, is_inside: bool) -> None:
    text = piece * (1_000_000 // len(piece))
    started = time.process_time()
    read_notebook(notebook(text) if is_inside else text)
    read_written_line('"' + text)
    assert time.process_time() - started < 5
