"""Notebooks as programs write them: one line of code a line of the file."""

from __future__ import annotations

import json
from typing import Any


def notebook(*cells: str, language: str = "python", **keys: Any) -> str:
    """The file of a notebook with code cells. `keys` are set in its metadata."""
    metadata = {"kernelspec": {"name": "a", "language": language}, **keys}
    document = {
        "cells": [_build_cell(cell) for cell in cells],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _build_cell(code: str) -> dict[str, object]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }


def find_line(text: str, part: str) -> int:
    """The 1-based number of the first line that has a part."""
    return next(at for at, line in enumerate(text.split("\n"), start=1) if part in line)
