"""Shipped rule files are YAML that any reader takes, with libyaml or without."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jurat.resources import get_bundled_path

ROOT = get_bundled_path("rules")
FILES = [path.relative_to(ROOT) for path in sorted(ROOT.rglob("*.yml"))]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_pyyaml_reads_it_without_libyaml(file: Path) -> None:
    assert yaml.load((ROOT / file).read_text("utf-8"), yaml.SafeLoader)
