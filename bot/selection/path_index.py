"""The rules about files, found from a file's path and language without trying every rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.corpus.rule import Rule
from bot.selection.fitting import fits_language, fits_path, languages_of
from bot.selection.members import Members, Postings, postings_of, union
from bot.selection.path_shapes import Key, PathTest, is_plain, keys_of
from bot.subjects.change import FileChange


@dataclass(frozen=True, slots=True)
class _LanguageGroup:
    """Rules that have their globs and their languages in common; `example` is one of them."""

    example: Rule
    rules: Postings


@dataclass(frozen=True, slots=True)
class _PathGroup:
    """Rules that have their globs in common, by their languages."""

    test: PathTest
    by_language: tuple[_LanguageGroup, ...]

    def means(self, path: str, *, plain: bool) -> bool:
        """Whether the globs mean a path, which carries one of the test's keys if it is plain."""
        return self.test.means(path) if plain else fits_path(self.by_language[0].example, path)


@dataclass(frozen=True, slots=True)
class PathIndex:
    """Path groups, and by each key the groups whose paths may carry it. Made by `path_index`."""

    size: int
    groups: tuple[_PathGroup, ...]
    by_key: Mapping[Key, tuple[int, ...]]

    def about(self, files: Iterable[FileChange]) -> Members:
        """The rules that are about some of the files, by its path and its language at once."""
        met: list[Postings] = []
        waiting: dict[int, tuple[_LanguageGroup, ...]] = {}
        seen = ((file.path, each) for file in files for each in file.possible_languages)
        for path, language in dict.fromkeys(seen):
            plain = is_plain(path)
            for number in self.near(path) if plain else range(len(self.groups)):
                group = self.groups[number]
                left = waiting.get(number, group.by_language)
                fitting = [item for item in left if fits_language(item.example, language)]
                if fitting and group.means(path, plain=plain):
                    met += (item.rules for item in fitting)
                    done = set(map(id, fitting))
                    waiting[number] = tuple(item for item in left if id(item) not in done)
        return union(met, self.size)

    def near(self, path: str) -> Collection[int]:
        """The groups that may mean a plain path, by their numbers."""
        found: dict[int, None] = {}
        for key in keys_of(path):
            found |= dict.fromkeys(self.by_key.get(key, ()))
        return found


def path_index(rules: Sequence[tuple[int, Rule]], size: int) -> PathIndex:
    """The index of the rules about files, each with its position among `size` rules."""
    together: defaultdict[tuple[str, ...], defaultdict[tuple[str, ...], list[int]]]
    together = defaultdict(lambda: defaultdict(list))
    examples: dict[int, Rule] = {}
    for position, rule in rules:
        together[rule.paths][languages_of(rule)].append(position)
        examples[position] = rule
    groups = tuple(
        _PathGroup(
            PathTest.of(globs),
            tuple(
                _LanguageGroup(examples[positions[0]], postings_of(positions, size))
                for positions in by_language.values()
            ),
        )
        for globs, by_language in together.items()
    )
    by_key: defaultdict[Key, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for key in group.test.keys:
            by_key[key].append(number)
    return PathIndex(size, groups, {key: tuple(numbers) for key, numbers in by_key.items()})
