"""Programs that a fix was applied to do what they did before, but for the fault.

They are made at random, with faults in all kinds of places, and run before and after each fix that
was proven. `make fixed` tries five hundred, the suite a few of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from jurat.engine.check import check_rules
from jurat.engine.fix_verifier import verify_fixes
from jurat.engine.fixes import apply_fixes
from jurat.engine.rule_examples import build_added_file
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Fix
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection

WANTED = int(os.environ.get("JURAT_FIXED_PROGRAMS", "25"))
RULES = ("py.debugger-left", "py.yaml-load", "py.tls-verify-off", "py.weak-hash")
FAULTS = (
    "breakpoint()",
    "import pdb; pdb.set_trace()",
    "pdb.set_trace()",
    "note(yaml.load('a', Loader=yaml.Loader))",
    "note(yaml.load('b' + str(n), yaml.UnsafeLoader))",
    "note(requests.get('u', verify=False))",
    "note(requests.post('u' if n else 'v', data=[n], verify=False, timeout=1))",
    "note(len(hashlib.md5(b'x').name))",
)
HEAD = "import hashlib, pdb, requests, yaml\nn = 0\n"


class Author:
    """Writes programs. One seed, one sequence of them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def write_program(self) -> str:
        """A program of a function that is called, and some statements beside it."""
        lines = ["def work(n):", *self._write_block(1, 3), "    return n", *self._write_block(0, 2)]
        return HEAD + "\n".join([*lines, "note(work(1))", "note(work(2))"]) + "\n"

    def _write_block(self, level: int, depth: int) -> list[str]:
        pick = self._random
        made: list[str] = []
        for _ in range(pick.randint(1, 3)):
            made += self._write_statement(depth)
        return ["    " * level + line for line in made]

    def _write_simple(self) -> str:
        pick = self._random
        if pick.random() < 0.45:
            return pick.choice(FAULTS)
        return pick.choice(("note(n)", "n = n + 1", "note('x' * n)", "n += 2; note(n)"))

    def _write_statement(self, depth: int) -> list[str]:
        pick = self._random
        simple = self._write_simple()
        if depth <= 0 or pick.random() < 0.4:
            both = f"{simple}; {self._write_simple()}"
            return [pick.choice((simple, simple, both))]
        inside = self._write_block(1, depth - 1)
        return pick.choice(
            (
                [f"if n % 2: {simple}", *self._write_block(0, depth - 1)],
                ["if n % 2:", *inside, "else:", *self._write_block(1, depth - 1)],
                [f"for i in range(2): {simple}"],
                ["for i in range(2):", *inside],
                ["while n < 3:", "    n += 1", *inside],
                ["try:", *inside, "except ValueError:", f"    {simple}", "finally:", "    n += 1"],
                ["def inner(n):", *inside, "    return n", "note(inner(n))"],
                [f"if n: {simple}", "else: note('else')"],
                ["with_ = lambda: note(n)", "with_()", simple, "# a comment"],
                ["class A:", "    note(n)", *[f"    {fault}" for fault in pick.sample(FAULTS, 2)]],
            )
        )


def run_program(code: str) -> list[Any]:
    """What a program noted. What its faults are about is left out of it."""
    noted: list[Any] = []

    def hide(named: dict[str, Any]) -> list[Any]:
        return sorted((k, repr(v)) for k, v in named.items() if k not in ("verify", "Loader"))

    def answer(name: str) -> Any:
        return lambda *given, **named: (name, given[:1], hide(named))

    modules = {
        "pdb": SimpleNamespace(set_trace=lambda: None),
        "yaml": SimpleNamespace(
            load=answer("load"), safe_load=answer("load"), Loader=1, UnsafeLoader=2
        ),
        "requests": SimpleNamespace(get=answer("get"), post=answer("post")),
        "hashlib": SimpleNamespace(
            md5=lambda _: SimpleNamespace(name="hash"),
            sha256=lambda _: SimpleNamespace(name="hash"),
        ),
    }
    builtins = {
        "__import__": lambda name, *_: modules[name], "__build_class__": __build_class__,
        "breakpoint": lambda: None, "range": range, "str": str, "len": len,
        "ValueError": ValueError,
    }  # fmt: skip
    names = {"__builtins__": builtins, "__name__": "program", "note": noted.append}
    try:
        exec(compile(code, "program", "exec"), names)
    except (NameError, UnboundLocalError) as error:
        noted.append(type(error))
    return noted


def find_fixes(code: str, rule_set: RuleSet) -> Iterator[Fix]:
    """The proven fixes of a program, each for itself."""
    rules = tuple(rule_set.rules[name] for name in RULES)
    file = build_added_file("app.py", "python", code)
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files=(file,)),))
    verdicts = check_rules(context, Selection(rules), rule_set).verdicts
    for verdict in verify_fixes(context, rules, rule_set, verdicts):
        yield from (fix for fix in verdict.remediations if fix.is_verified)


def test_fixed_programs_do_what_they_did() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    author = Author(18)
    tried = 0
    while tried < WANTED:
        code = author.write_program()
        before = run_program(code)
        if any(isinstance(one, type) for one in before):
            # Stopped by the fault itself: `pdb` before the line that imports it.
            continue
        for fix in find_fixes(code, rule_set):
            fixed = apply_fixes(code, [fix])
            assert run_program(fixed) == before, f"{code}\n---\n{fixed}"
            tried += 1
