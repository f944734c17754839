"""Put on PYTHONPATH, this makes the modules that WITHOUT names fail to import in a process.

See tests/support_without.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

_MISSING = os.environ["WITHOUT"].split()


class _Missing(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if fullname in _MISSING:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


sys.meta_path.insert(0, _Missing())
