"""What names are set to in the files that have them: whoever imports one means the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.code.function_facts import Tags
from jurat.rating.program.program_names import NamedFiles

_HANDED_ON = 3
"""Files by which a name is handed on before nobody follows it."""
_FIELDS = ("a:", "k:")


@dataclass(frozen=True)
class StatedFiles(NamedFiles):
    """The files of a repository, and the numbers and words that their names are set to."""

    def find_stated(self, path: str, name: str, tags: Tags) -> Tags:
        """The numbers and words that a name in a file stands for, which may be another file's.

        Of an object, of an own class or as it is written, `tags` tell which fields are meant.
        """
        own = name.startswith("local:")
        where, rest = ((path, name[6:]) if own else self.find_origin(path, name)) or ("", "")
        stated = self._stated.get(where)
        if not (stated and rest):
            return frozenset()
        head, _, member = rest.partition(".")
        made = self._bound[where][1].get(head.removesuffix("()"), head).removeprefix("local:")
        fields = [member] if member else [tag[2:] for tag in tags if tag[:2] in _FIELDS]
        held = (f"{made.removesuffix('()')}.{field}" for field in fields)
        said = frozenset[str]().union(*(stated.get(key, ()) for key in held))
        return said or stated.get(rest, frozenset())

    def find_origin(self, path: str, name: str) -> tuple[str, str] | None:
        """The file that a name leads into, and its name there, over files that only hand it on."""
        key = (path, name)
        if key not in self.known.origins:
            self.known.origins[key] = self._find_origin(path, name)
        return self.known.origins[key]

    def _find_origin(self, path: str, name: str) -> tuple[str, str] | None:
        inside = self.find_module(path, name)
        for _ in range(_HANDED_ON):
            head, dot, rest = inside[1].partition(".") if inside else ("", "", "")
            further = self._bound[inside[0]][1].get(head, "") if inside else ""
            beyond = self.find_module(inside[0], f"{further}{dot}{rest}") if inside else None
            if beyond is None:
                break
            inside = beyond
        return inside

    @cached_property
    def _stated(self) -> Mapping[str, dict[str, Tags]]:
        return {path: dict(facts.stated) for path, facts in self.files.items()}
