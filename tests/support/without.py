"""A process in which modules are missing, as after an install that left them out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

NO_SDK = "google.genai"
"""The model's client cannot be loaded."""
NO_TRANSPORT = "httpx httpx2"
"""It can be loaded, and not be made: it has nothing to speak HTTP with."""


def without(modules: str) -> Mapping[str, str]:
    """What a Python process has in its environment so that `modules`, by name, are missing."""
    folder = Path(__file__).parent
    path = os.pathsep.join((str(folder / "without"), str(folder.parents[1] / "bot")))
    return {"PYTHONPATH": path, "WITHOUT": modules}
