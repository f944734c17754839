"""Where probe files and recorded responses come from on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.corpus.reading import read_text
from bot.errors import FileError
from bot.probes.loading import LINE_FILES, YAML_FILES, load_probes, load_signals
from bot.probes.probe import ProbeSet
from bot.resources import shipped


def shipped_probes() -> Path:
    """The folder of the probes that come with Bylaw."""
    return shipped("fixtures", "probes")


def read_probes(paths: Sequence[Path]) -> ProbeSet:
    """The probes of files and of all probe files in folders; none for those that are shipped.

    The shipped signals can be named in any file. Raises FileError where something is wrong.
    """
    files: dict[Path, str] = {}
    for path in paths or [shipped_probes()]:
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*")) if _belongs(file)]
            if not inside:
                raise FileError(str(path), 0, "", "the folder holds no probe file (.yml, .jsonl)")
            files |= {file: read_text(file) for file in inside}
        elif not path.exists():
            raise FileError(str(path), 0, "", "there is no such file or folder")
        elif not _belongs(path):
            raise FileError(str(path), 0, "", "is no probe file: its name ends in .yml or .jsonl")
        else:
            files[path] = read_text(path)
    library = shipped_probes() / "signals.yml"
    known = any(file.resolve() == library.resolve() for file in files)
    shared = () if known else load_signals(str(library), read_text(library))
    return load_probes({str(file): text for file, text in files.items()}, shared)


def _belongs(path: Path) -> bool:
    return path.name.endswith((*YAML_FILES, *LINE_FILES))
