"""Files in which one thing comes again for thousands of times take time in proportion to it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from jurat.engine.check import check_rules
from jurat.engine.rule_examples import build_added_files
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.selection import Selection
from tests.support.growth import LINEAR, measure_growth

RULES = load_ruleset(read_pack("engineering"))

RUNS = {
    "blank lines in a component of Vue": (
        "a.vue",
        '<script>{}export default {{props: ["a"]}}</script><template><p v-html="a"/></template>',
        "\n",
        4_000,
    ),
    "blank lines in a component of Svelte": (
        "a.svelte",
        "<script>{}export let a</script>\n{{@html a}}",
        "\n",
        4_000,
    ),
    "blank lines in Go": ("a.go", "package a\n{}import 'os'\n", "\n", 1_500),
    "imports in Python": ("a.py", "import os\n{}os.system(x)\n", "from b import c\n", 1_500),
    "names of a loop": ("b.vue", "<p v-for='{} in a' v-html='a'></p>", "a", 8_000),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_long_run_takes_linear_time(name: str) -> None:
    path, text, unit, size = RUNS[name]

    def prepare(times: int) -> Callable[[], object]:
        others = {"b.py": b"c = 1\n", "b/c.go": b"package c\n"}
        selection = Selection(tuple(RULES.rules.values()))
        turns = count()

        def review() -> object:
            # One longer each time: what was read of a text is remembered.
            run = unit * (times + next(turns))
            files = build_added_files({path: text.format(run).encode(), **others}).files
            subject = Subject(SubjectKind.CODE_DIFF, files=files)
            return check_rules(EvaluationContext((subject,)), selection, RULES)

        return review

    assert measure_growth(prepare, size) < LINEAR
