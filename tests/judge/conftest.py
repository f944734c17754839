"""The fixtures of tests/support/gemini.py."""

from __future__ import annotations

from tests.support.gemini import gemini, gemini_judge, notebook, rests

__all__ = ["gemini", "gemini_judge", "notebook", "rests"]
