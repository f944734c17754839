"""Where files wait for no disk, if the machine has such a place.

On a disk each commit of SQLite ends with an fsync, which takes milliseconds, and a PostgreSQL that
stops has one for each file of each database.
"""

from __future__ import annotations

import os

_SHARED = "/dev/shm"  # Linux has it
MEMORY = _SHARED if os.access(_SHARED, os.W_OK) else None
"""A folder in memory; None for the system's folder of temporary files."""
