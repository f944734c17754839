"""Where rule files come from on disk; a pull request's come from its base commit instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os.path import normpath
from pathlib import Path

from jurat.errors import FileError, RuleError
from jurat.rules.loader import RULE_FILES, TABLE_FILES, find_missing_tables

_NO_RULE_FILE = f"is no rule file: the name of one ends in {' or '.join(RULE_FILES)}"


def read_rule_files(paths: Sequence[str | Path], *, within: Path | None = None) -> dict[str, str]:
    """The texts of rule files, and of all rule files in folders, by path as given.

    Lookup tables that they name come along. Raises RuleError if something cannot be read, or
    if a link leads out of the folder `within`.
    """
    files: dict[str, str] = {}

    def text_of(path: Path) -> str:
        # A link in a checkout is its author's: rules must not be read from the machine's own files.
        if within is not None and not path.resolve().is_relative_to(within.resolve()):
            raise RuleError(str(path), 0, "", "is a link that leads out of the repository")
        return read_text(path, RuleError)

    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*")) if _is_rule_or_table_file(file.name)]
            if not any(_is_rule_file(file.name) for file in inside):
                raise RuleError(str(path), 0, "", "the folder holds no rule file (.yml)")
            files |= {normpath(file): text_of(file) for file in inside if file.is_file()}
        elif path.exists():
            if not _is_rule_file(path.name):
                raise RuleError(str(path), 0, "", _NO_RULE_FILE)
            files[normpath(path)] = text_of(path)
        else:
            hint = "Name a rule file, or a folder of them."
            raise RuleError(str(path), 0, "", "there is no such file or folder", hint=hint)
    for table in sorted(find_missing_tables(files)):
        if Path(table).is_file():
            files[table] = text_of(Path(table))
    return files


def filter_rule_files(entries: Sequence[str], paths: Iterable[str]) -> list[str]:
    """Those of a repository's `paths` that a configuration's `rules` name, as files or folders.

    Raises RuleError for an entry that names nothing.
    """
    known = sorted(paths)
    found: dict[str, None] = {}
    for entry in entries:
        name = entry.strip("/").removeprefix("./")
        inside = [
            path for path in known if path.startswith(f"{name}/") and _is_rule_or_table_file(path)
        ]
        if name in known:
            if not _is_rule_file(name):
                raise RuleError(entry, 0, "", _NO_RULE_FILE)
            inside = [name]
        if not any(map(_is_rule_file, inside)):
            raise RuleError(entry, 0, "", "there is no such rule file, nor a folder that holds one")
        found |= dict.fromkeys(inside)
    return list(found)


def _is_rule_file(name: str) -> bool:
    return name.endswith(RULE_FILES)


def _is_rule_or_table_file(name: str) -> bool:
    return _is_rule_file(name) or name.endswith(TABLE_FILES)


def read_text(path: Path, error_type: type[FileError] = FileError) -> str:
    """The text of a file in UTF-8. Raises `error_type`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise error_type(str(path), 0, "", f"cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise error_type(str(path), line, "", "is not UTF-8 text; save it as UTF-8") from None
