"""What was read of shipped files, kept beside them as Python keeps its compiled modules.

Reading the packs anew takes longer than the review of a small change, and reading what ratings look
for longer than the rating of a small repository. What is kept is bound to the texts it was read
from, to the code that read them and to the versions of what that code rests on: if any of these
differs it is left alone, and written anew. As with a compiled module, whoever may write here may
write the code as well, so that unpickling trusts nobody new; and if nobody may, or
PYTHONDONTWRITEBYTECODE is set, each start reads the files.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import TypeVar

import pydantic

from jurat.resources import get_bundled_path

Value = TypeVar("Value")

READING_ROOMS = ("rules", "facts", "source")
"""Whose classes a rule is made of: the room itself, and those that it may import."""

_DIGEST_SIZE = 32


def recall_or_make(
    name: str,
    texts: Mapping[str, str],
    make: Callable[[], Value],
    rooms: Sequence[str] = READING_ROOMS,
) -> Value:
    """What `make` makes of the texts, or made of them in an earlier process, kept under `name`.

    It must be a function of the texts and of the code in `rooms` alone, whose classes it may make,
    and what it makes must not be changed.
    """
    key = _compute_key(texts, rooms)
    path = _find_path(name)
    value: Value | None = _read(path, key)
    if value is None:
        value = make()
        if not sys.dont_write_bytecode:
            _write(path, key, value)
    return value


def _find_path(name: str) -> Path:
    """Where Python would keep a module of that name: `sys.pycache_prefix` counts here too."""
    module = str(get_bundled_path("rules", f"{name}.py"))
    return Path(cache_from_source(module)).with_suffix(".pickle")


def _compute_key(texts: Mapping[str, str], rooms: Sequence[str]) -> bytes:
    digest = sha256()
    for part in (sys.version, pydantic.VERSION, *_iter_code_states(rooms), *_flatten(texts)):
        # With its length, so that no two lists of parts read alike.
        digest.update(f"{len(part)}:{part}".encode())
    return digest.digest()


def _flatten(texts: Mapping[str, str]) -> Iterator[str]:
    for path, text in texts.items():
        yield path
        yield text


def _iter_code_states(rooms: Sequence[str]) -> Iterator[str]:
    """Size and time of each module, by which Python tells whether one has changed."""
    package = Path(__file__).parents[1]
    for room in rooms:
        with os.scandir(package / room) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    yield f"{room}/{entry.name} {state.st_size} {state.st_mtime_ns}"


def _read(path: Path, key: bytes) -> Value | None:
    """What was kept under a key. None if there is nothing, or not all of it."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    kept, digest, body = (
        content[:_DIGEST_SIZE],
        content[_DIGEST_SIZE : 2 * _DIGEST_SIZE],
        content[2 * _DIGEST_SIZE :],
    )
    if kept != key or digest != sha256(body).digest():
        return None
    value: Value = pickle.loads(body)  # noqa: S301 - trusted as a compiled module is, see above
    return value


def _write(path: Path, key: bytes, value: object) -> None:
    """Keep a value, whole or not at all: another process may be reading. A failure is no matter."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # "x": never through what somebody has put there.
            with partial.open("xb") as file:
                file.write(key + sha256(body).digest() + body)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
