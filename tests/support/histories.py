"""Changes made up from the shipped rules' own examples: moves, renames, and lost safeguards."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from textwrap import dedent, indent

from jurat.cli.rule_files import NO_CONFIGURATION, load_local_ruleset
from jurat.engine.rule_examples import is_runnable
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import FlowConstraint
from jurat.rules.matching import is_about_code
from jurat.rules.rule import Example, Rule, RuleSet
from jurat.source.diff import FileChange, FileStatus
from jurat.source.name_bindings import find_kinds
from jurat.source.names import bind_text
from jurat.source.syntax import parse
from tests.support.code import changed

ENDINGS = {
    "python": "py",
    "javascript": "js",
    "typescript": "ts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
}
_FILLERS = {
    "java": (
        "class {} {{\n    int {}(int n) {{\n        return n + {};\n    }}\n}}\n",
        "class Outer {\n",
        "}\n",
    ),
    "py": ("def {}(order):\n    total = order.{}\n    return total + {}\n", "if ready:\n", ""),
    "go": ("func {}(n int) int {{\n\ttotal := n + {}\n\treturn total * {}\n}}\n", "{\n", "}\n"),
}
_BRACED = ("function {}(order) {{\n  return order.{} + {};\n}}\n", "if (ready) {\n", "}\n")

_UNREADABLE = frozenset(
    {"change.conflict-marker", "change.hidden-characters", "change.disguised-name"}
    | {"py.misleading-encoding"}
)
"""Rules whose examples are no code that anybody else reads."""


@dataclass(frozen=True, slots=True)
class MadeChange:
    """A change of which it is known what a review must say; `rule_id` is the rule it is about."""

    what: str
    rule_id: str
    files: tuple[FileChange, ...]
    before: tuple[FileChange, ...] = ()


@cache
def shipped_code_rules() -> RuleSet:
    """The shipped rules that look for code, and need no model."""
    corpus, _ = load_local_ruleset(NO_CONFIGURATION)
    rules = {
        rule.id: rule
        for rule in corpus.rules.values()
        if is_runnable(rule) and is_about_code(rule) and rule.id not in _UNREADABLE
    }
    return replace(corpus, rules=rules)


def make_text(chance: random.Random) -> str:
    """A name that nothing else has."""
    return "".join(chance.choices("abdeghiklmnoprstu", k=9))


def make_moves(number: int, seed: int) -> Iterator[MadeChange]:
    """So many moves, renames and re-indentations of code that breaks a shipped rule."""
    chance = random.Random(seed)
    examples = list(_list_examples())
    for count in range(number):
        rule, code, ending = examples[count % len(examples)]
        make = chance.choice(_MOVES)
        yield make(rule.id, _Town(chance, code, ending))


def _list_examples() -> Iterator[tuple[Rule, str, str]]:
    for rule in shipped_code_rules().rules.values():
        languages = [
            name
            for item in rule.constraints
            if isinstance(item, PatternConstraint | FlowConstraint)
            for name in item.languages
        ]
        for item in rule.examples.invalid:
            example = Example(code=item) if isinstance(item, str) else item
            if example.code is not None and example.path is None:
                language = example.language or next(iter((*languages, *rule.languages)), "python")
                if language in ENDINGS:
                    code = example.code.rstrip()
                    if language == "java" and not re.search(r"\bclass\b", code):
                        code = f"class Town {{\n{code}\n}}"
                    yield rule, f"{code}\n", ENDINGS[language]


class _Town:
    """Code that breaks a rule, in a language, and what may stand around it."""

    def __init__(self, chance: random.Random, code: str, ending: str) -> None:
        self.chance = chance
        self.code = code
        self.ending = ending
        self.filler, self.opener, self.closer = _FILLERS.get(ending, _BRACED)

    def path(self) -> str:
        return f"src/{self.word()}.{self.ending}"

    def word(self) -> str:
        return make_text(self.chance)

    def around(self) -> list[str]:
        return [
            self.filler.format(self.word(), self.word(), self.chance.randint(10, 99))
            for _ in range(self.chance.randint(2, 6))
        ]

    def nested(self) -> str:
        margin = self.chance.choice(["    ", "  ", "\t", "        "])
        imports, code = "", self.code
        if self.ending == "java" and (found := re.match(r"(?:\s*import [^;]+;)+", code)):
            imports, code = f"{found[0]}\n", code[found.end() :]
        return f"{imports}{self.opener}{indent(code, margin)}{self.closer}"

    def renamed(self) -> str:
        """The code under other names: one of its own, else an import under an alias."""
        new, names = self.word(), _list_own_names(self.code, self.ending)
        if names:
            # The new name says what the old one did: a rule may read `password` in it.
            old = self.chance.choice(names)
            return re.sub(rf"\b{old}\b", f"{new}_{old}", self.code)
        if self.ending == "py" and (found := re.search(r"(?m)^import (\w+)$", self.code)):
            code = re.sub(rf"\b{found[1]}\b", new, self.code)
            return code.replace(f"import {new}", f"import {found[1]} as {new}")
        # A formatter's work.
        return self.code.replace("(", "(\n        ", 1) if "(" in self.code else f"{self.code}\n"


def _list_own_names(code: str, ending: str) -> list[str]:
    """Variables and functions of the code's own that no text, member or argument is called."""
    language = next(name for name, item in ENDINGS.items() if item == ending)
    root = parse(code, language).root()
    names = bind_text(code, language)
    nodes = [node for node in find_kinds(root, ["identifier"]) if names.qualify(node) is None]
    own = [node.text() for node in nodes]
    return sorted(
        name
        for name, count in Counter(own).items()
        # One that stands once is a global of somebody else's, or an argument's name.
        if count > 1
        and len(re.findall(rf"(?<![.\w]){name}\b(?!\s*=[^=])", code)) >= count - 1
        and len(re.findall(rf"\b{name}\b", code)) == count
        and not re.search(rf"\.{name}\b|\b{name}=(?!=)", code)
    )


def _joined(parts: Sequence[str]) -> str:
    return "\n".join(parts)


def make_whole(files: Sequence[tuple[str, str, str]]) -> tuple[FileChange, ...]:
    """Files by path, base and head; one without a base is new, without a head removed."""
    made = []
    for path, base, head in files:
        file = changed(base, head, path)
        if not base:
            file = replace(file, status=FileStatus.ADDED, base=None, old_path=None)
        if not head:
            file = replace(file, status=FileStatus.REMOVED, head=None)
        made.append(file)
    return tuple(made)


def _move_within(rule_id: str, town: _Town) -> MadeChange:
    path, parts = town.path(), town.around()
    one, other = town.chance.sample(range(len(parts) + 1), 2)
    base, head = list(parts), list(parts)
    base.insert(one, town.code)
    head.insert(other, town.code)
    files = make_whole([(path, _joined(base), _joined(head))])
    return MadeChange(
        "moved within a file", rule_id, files, make_whole([(path, "", _joined(base))])
    )


def _move_across(rule_id: str, town: _Town) -> MadeChange:
    one, other = town.path(), town.path()
    parts, others = town.around(), town.around()
    base = _joined([*parts, town.code])
    files = make_whole(
        [
            (one, base, _joined(parts)),
            (other, _joined(others), _joined([town.code, *others])),
        ]
    )
    return MadeChange("moved to another file", rule_id, files, make_whole([(one, "", base)]))


def _split_off(rule_id: str, town: _Town) -> MadeChange:
    one, other = town.path(), town.path()
    base = _joined([town.code, *town.around()])
    files = make_whole([(one, base, ""), (other, "", _joined([*town.around(), town.code]))])
    return MadeChange("moved to a new file", rule_id, files, make_whole([(one, "", base)]))


def _rename(rule_id: str, town: _Town) -> MadeChange:
    old, new = town.path(), town.path()
    parts = town.around()
    base = _joined([*parts, town.code])
    head = _joined([*town.around(), *parts, town.code])
    (file,) = make_whole([(new, base, head)])
    file = replace(file, status=FileStatus.RENAMED, old_path=old)
    return MadeChange("renamed file", rule_id, (file,), make_whole([(old, "", base)]))


def _indent(rule_id: str, town: _Town) -> MadeChange:
    path, parts = town.path(), town.around()
    base, head = _joined([*parts, town.code]), _joined([*parts, town.nested()])
    files = make_whole([(path, base, head)])
    return MadeChange("indented anew", rule_id, files, make_whole([(path, "", base)]))


def _rename_inside(rule_id: str, town: _Town) -> MadeChange:
    path, parts = town.path(), town.around()
    base, head = _joined([*parts, town.code]), _joined([*parts, town.renamed()])
    files = make_whole([(path, base, head)])
    return MadeChange("renamed inside", rule_id, files, make_whole([(path, "", base)]))


def _copy_away(rule_id: str, town: _Town) -> MadeChange:
    """Two that stood in one file come to stand in two."""
    one, other = town.path(), town.path()
    parts = town.around()
    base = _joined([town.code, *parts, town.code])
    files = make_whole([(one, base, _joined([town.code, *parts])), (other, "", town.code)])
    return MadeChange("one of two moved", rule_id, files, make_whole([(one, "", base)]))


_MOVES: tuple[Callable[[str, _Town], MadeChange], ...] = (
    _move_within,
    _move_across,
    _split_off,
    _rename,
    _indent,
    _rename_inside,
    _copy_away,
)

SAFEGUARDS: tuple[tuple[str, str, str, str], ...] = (
    ("py.yaml-load", "py", "data = yaml.load(\n    NAME,\n    Loader=yaml.SafeLoader,\n)\n",
     "    Loader=yaml.SafeLoader,\n"),
    ("py.yaml-load", "py", "data = yaml.load(NAME, Loader=yaml.SafeLoader)\n",
     ", Loader=yaml.SafeLoader"),
    ("py.yaml-load", "py", "for item in yaml.load_all(NAME, yaml.SafeLoader):\n    use(item)\n",
     ", yaml.SafeLoader"),
    ("py.weak-hash", "py", "key = hashlib.md5(\n    NAME,\n    usedforsecurity=False,\n)\n",
     "    usedforsecurity=False,\n"),
    ("py.weak-hash", "py", "key = hashlib.sha1(NAME, usedforsecurity=False).hexdigest()\n",
     ", usedforsecurity=False"),
    ("py.weak-hash", "py", 'key = hashlib.new("md5", NAME, usedforsecurity=False)\n',
     ", usedforsecurity=False"),
    ("py.swallowed-exception", "py",
     'try:\n    NAME()\nexcept Exception:\n    log.exception("x")\n    pass\n',
     '    log.exception("x")\n'),
    ("py.swallowed-exception", "py",
     "try:\n    NAME()\nexcept Exception:\n    # the peer is gone\n    pass\n",
     "    # the peer is gone\n"),
    ("py.swallowed-exception", "py", "try:\n    NAME()\nexcept NAMEError:\n    pass\n",
     " NAMEError"),
    ("js.empty-catch", "js", "try {\n  NAME();\n} catch (error) {\n  report(error);\n}\n",
     "  report(error);\n"),
    ("go.ignored-error", "go", "if err := NAME(); err != nil {\n\treturn err\n}\n",
     "\treturn err\n"),
)  # fmt: skip
"""Rule, ending, code that keeps the rule, and the piece of it that keeps it."""


def make_removals(number: int, seed: int) -> Iterator[MadeChange]:
    """So many removals of what kept a shipped rule, and of nothing else."""
    chance = random.Random(seed)
    for count in range(number):
        rule_id, ending, code, piece = SAFEGUARDS[count % len(SAFEGUARDS)]
        town = _Town(chance, code, ending)
        name = town.word()
        code, piece = code.replace("NAME", name), piece.replace("NAME", name)
        depth = chance.choice([0, 0, 1, 2])
        head = code.replace(piece, "")
        parts, place = town.around(), chance.randint(0, 2)
        imports = "import yaml\n" if rule_id == "py.yaml-load" else ""
        base_text, head_text = (
            imports + _joined([*parts[:place], _wrapped(town, text, depth), *parts[place:]])
            for text in (code, head)
        )
        path = town.path()
        yield MadeChange("safeguard removed", rule_id, make_whole([(path, base_text, head_text)]))


def _wrapped(town: _Town, code: str, depth: int) -> str:
    for _ in range(depth):
        code = f"{town.opener}{indent(dedent(code), '    ')}{town.closer}"
    return code
