"""What was left out and is the product's all the same: what its code imports."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from jurat.rating.code.file_reader import FOLLOWED
from jurat.rating.code.function_facts import FileFacts, FunctionFacts
from jurat.rating.program.reach import Program
from jurat.rating.signals.file_roles import Role, detect_grammar
from jurat.rating.signals.file_signs import FileSigns
from jurat.rating.signals.worktree import FileEntry, Worktree

_ROUNDS = 4
"""Steps by which product code may lead into what was left out."""
_NO_FACTS = FileFacts("python", (FunctionFacts(""),))

Roles = dict[FileEntry, Role]
ListFacts = Callable[[Mapping[str, FileSigns], Program], Mapping[str, FileFacts]]
"""The facts of product files, at least of those that lead to what is no part of the product."""


def take_in(
    worktree: Worktree,
    roles: Roles,
    signs: dict[str, FileSigns],
    collect: Callable[[Roles], dict[str, FileSigns]],
    list_facts: ListFacts,
) -> frozenset[str]:
    """Make product code of what the product imports of samples, vendored and generated files.

    `roles` and `signs` get what is found. `collect` looks into files in other roles.
    """
    samples = [entry for entry, role in roles.items() if role is Role.EXAMPLE]
    candidates = {entry.path: entry for entry in (*samples, *worktree.foreign)}
    candidates |= {entry.path: entry for entry in roles if signs[entry.path].generated}
    candidates = {p: e for p, e in candidates.items() if detect_grammar(p) in FOLLOWED}
    taken: set[str] = set()
    found: set[str] = set()
    asked: set[str] = set()
    for _ in range(_ROUNDS if candidates else 0):
        product = {
            entry.path: sign
            for entry, role in roles.items()
            if role is Role.CODE and (sign := signs[entry.path]).packed and not sign.generated
            if detect_grammar(entry.path) in FOLLOWED
        }
        known = Program(
            dict.fromkeys((*(p for p in candidates if p not in product), *product), _NO_FACTS)
        )
        facts = list_facts(product, known)
        program = Program({**known.files, **facts})
        # The same files stand there in each round: who was asked would say the same again.
        fresh = facts.keys() - asked
        found |= {other for path in fresh for other in program.list_imported(path)} & set(
            candidates
        )
        asked |= fresh
        if not found - taken:
            break
        wanted = {candidates[path]: Role.CODE for path in found - taken}
        looked = collect(wanted)
        roles.update(wanted)
        signs.update({path: replace(sign, generated=False) for path, sign in looked.items()})
        taken |= found
    return frozenset(taken)


_WORD = re.compile(r"\w+")
_HIDDEN = re.compile(r"\\[xuUN0-7]|/\.\.?/?[\"'`]")
"""A name that does not stand there as it is: escaped, or a folder's that is not named."""
_RELATIVE = re.compile(r"\b(?:from|import)\s+\.")


class LinkScreen:
    """Tells of the text of a product file whether it could lead to what is no part of the product.

    It says yes too often, and never no of a file that does.
    """

    def __init__(self, known: Program, product: Iterable[str]) -> None:
        self._by_word: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
        own = frozenset(product)
        homes = {folder for path in own for folder in _list_folders(path)}
        siblings: defaultdict[str, list[str]] = defaultdict(list)
        for path in known.files:
            siblings[posixpath.dirname(path)].append(_get_stem(path))
        self._is_implicit = False
        for path in known.files.keys() - own:
            folder, stem = posixpath.dirname(path), _get_stem(path)
            names = [stem]
            if stem in ("__init__", "index"):
                names = [posixpath.basename(folder), *siblings[folder], stem]
            self._is_implicit |= folder in homes if stem == "__init__" else (
                posixpath.join(folder, stem) in homes
            )  # fmt: skip
            for name in names:
                found = known.find_module("", name)
                alone = folder in homes or (found is not None and found[0] == path)
                needed = frozenset(
                    _WORD.findall(name if alone else f"{posixpath.basename(folder)} {name}")
                )
                if needed:
                    self._by_word[max(needed, key=len)].add(needed)
        self._all = frozenset(self._by_word)

    def may_lead(self, text: str) -> bool:
        """Whether a text could lead there."""
        if _HIDDEN.search(text) or (self._is_implicit and _RELATIVE.search(text)):
            return True
        words = set(_WORD.findall(text))
        return any(needed <= words for word in words & self._all for needed in self._by_word[word])


def _get_stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _list_folders(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path
