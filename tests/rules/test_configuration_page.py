"""docs/configuration.md: what it shows loads, and it has every key with its default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel

from jurat.rules.config import MAX_FILES, Config
from jurat.rules.loader import load_config

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
EXAMPLE = PAGE.split("```yaml\n", 1)[1].split("```", 1)[0]
ROWS = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \|", PAGE, re.MULTILINE))


def written(value: object) -> str:
    """A default as the page shows it."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def defaults(model: BaseModel, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        key = prefix + (field.alias or name)
        if isinstance(value, BaseModel):
            yield from defaults(value, f"{key}.")
        else:
            yield key, written(value)


def test_every_key_stands_on_the_page_with_its_default_and_no_other() -> None:
    assert dict(defaults(Config())) == ROWS


def test_the_example_loads() -> None:
    assert load_config(".github/jurat.yml", EXAMPLE).extends == "standards"


def test_the_bound_on_a_chain_is_the_code_s() -> None:
    assert MAX_FILES == 5
    assert "five files in all" in PAGE
