"""Where the shipped rules, prompts and fixtures stand: beside the package, or inside the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_BUNDLED = _PACKAGE / "_data"
_ROOT = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]


def get_bundled_path(*parts: str) -> Path:
    """The path of shipped data, such as `shipped("rules", "engineering")`."""
    return _ROOT.joinpath(*parts)
