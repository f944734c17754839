"""Golden outputs: what Jurat says today, kept as plain files that a change is held against.

A maker returns the text of each of its files. What no run can repeat is made the same by
`stabilized`, and by nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import yaml

EXPECTED = Path(__file__).parents[2] / "fixtures" / "golden"

Files = Mapping[str, str]
"""Texts by path below the maker's folder."""

Maker = Callable[[], Files]

MAKERS: dict[str, Maker] = {}
"""Every maker by the folder of fixtures/golden that it fills alone."""


def golden(folder: str) -> Callable[[Maker], Maker]:
    """Register a maker for a folder that no other has."""

    def registered(maker: Maker) -> Maker:
        assert folder not in MAKERS, folder
        MAKERS[folder] = maker
        return maker

    return registered


def expected(folder: str) -> Files:
    """The files of a folder as they are kept."""
    root = EXPECTED / folder
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def rewrite(folder: str) -> list[str]:
    """Make a folder anew; the paths that are not what they were."""
    before, after = expected(folder), MAKERS[folder]()
    for name in before.keys() - after.keys():
        (EXPECTED / folder / name).unlink()
    for name, text in after.items():
        path = EXPECTED / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    names = sorted(before.keys() | after.keys())
    return [f"{folder}/{name}" for name in names if before.get(name) != after.get(name)]


_FULL = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")
_SHORT = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,12}(?![0-9a-zA-Z])")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_EVALUATION = re.compile(r"(?:evaluation_id\W{1,4}|/reviews/|/evaluations/)([0-9a-f]{64})\b")
_VOLATILE = (
    (
        re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00| UTC)?"),
        "<time>",
    ),
    (re.compile(r"((?:127\.0\.0\.1|localhost|\[::1\])):\d+"), r"\1:<port>"),
    (re.compile(r'("?\w*latency_ms"?: )[0-9.e-]+'), r"\1<ms>"),
    (re.compile(r'("latency_ms": \{)\s*"mean": [^}]*\}'), r"\1<ms>}"),
    (re.compile(r">[0-9.]+ (?:ms|s)( ago)?<"), r"><ms>\1<"),
)


def stabilized(text: str, *known: str) -> str:
    """A text without what differs from run to run, or with the length of a name.

    - Hashes of 40 and 64 digits become `<hash 1>`, `<hash 2>` by first appearance, and so do their
      beginnings of 7 to 12 digits: commits of the stand-in hold `.github/jurat.yml`, and digests
      the paths of rule files. `known` are hashes of which the text may hold beginnings alone.
    - UUIDs and the ids of evaluations, which digest commits and prompts, become `<id 1>`.
    - Moments become `<time>`, ports `<port>`; `latency_ms`, and cells of a page that hold a span
      of time alone, `<ms>`. Today's date is left to the makers, which say `<today>`.

    Findings' names (16 digits) stay as they are: comments on GitHub hold them.
    """
    ids: dict[str, str] = {}
    named = re.compile("|".join([_ID.pattern, *dict.fromkeys(_EVALUATION.findall(text))]))
    text = named.sub(lambda match: ids.setdefault(match[0], f"<id {len(ids) + 1}>"), text)
    hashes = list(dict.fromkeys([*_FULL.findall(text), *known]))

    def labelled(match: re.Match[str], labels: dict[str, str]) -> str:
        """The label of a hash, or of the only known hash that begins so."""
        found = match[0]
        whole = next((item for item in hashes if item.startswith(found)), None)
        if whole is None:
            return found
        return labels.setdefault(whole, f"<hash {len(labels) + 1}>")

    labels: dict[str, str] = {}
    both = re.compile(f"{_FULL.pattern}|{_SHORT.pattern}")
    text = both.sub(partial(labelled, labels=labels), text)
    for pattern, replacement in _VOLATILE:
        text = pattern.sub(replacement, text)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as lines."""

    def ignore_aliases(self, _data: object) -> bool:
        """Everything stands where it belongs, however often."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def listed(value: object) -> str:
    """JSON values as a person can read them, every character kept."""
    text = yaml.dump(
        value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=2**20, indent=2
    )
    return str(text)
