"""docs/architecture.md draws the house as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def rooms() -> set[str]:
    """The packages and modules directly below bot/."""
    found = {path.parent.name + "/" for path in (ROOT / "bot" / "jurat").glob("*/__init__.py")}
    return found | {
        path.name for path in (ROOT / "bot" / "jurat").glob("*.py") if path.stem != "__init__"
    }


def drawn() -> set[str]:
    """The names at the start of the lines of the page's tree."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    tree = page.split("```\nbot/jurat/\n", 1)[1].split("```", 1)[0]
    return set(re.findall(r"^  (\w+(?:/|\.py))", tree, re.MULTILINE))


def test_the_tree_names_every_room_and_no_other() -> None:
    assert drawn() == rooms()


@pytest.mark.parametrize("room", ["engine", "engine/flow", "rating"])
def test_the_tree_names_the_rooms_inside_of_a_room(room: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    parts = {path.parent.name for path in (ROOT / "bot/jurat" / room).glob("*/__init__.py")}
    indent = "  " * (room.count("/") + 1)
    within = re.split(rf"^{indent}{room.rpartition('/')[2]}/.*\n", page, flags=re.MULTILINE)[1]
    within = re.split(rf"^ {{0,{len(indent)}}}\S", within, maxsplit=1, flags=re.MULTILINE)[0]
    assert parts == set(re.findall(rf"^{indent}  (\w+)/", within, re.MULTILINE))


def test_the_layers_name_every_room() -> None:
    contract = (ROOT / "pyproject.toml").read_text().split("layers = [", 1)[1].split("]", 1)[0]
    layered = set(re.findall(r"\w+", contract))
    assert layered == {room.removesuffix("/").removesuffix(".py") for room in rooms()}
