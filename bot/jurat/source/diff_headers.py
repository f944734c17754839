"""What a diff says of a file before its hunks: names, status and modes.

Names are read as git-apply reads them: `rename` and `copy` lines count first, then the names behind
`diff --git`; the `---` and `+++` lines must agree with them. Quoting follows git's `quote.c`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from jurat.source.diff import FileStatus

_GIT = "diff --git "
_COMBINED = ("diff --cc ", "diff --combined ")
_DEV_NULL = "/dev/null"
_SUBMODULE_MODE = "160000"
_EXTENDED = (
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
    "--- ",
    "+++ ",
    "Binary files ",
    "GIT binary patch",
)
_PREFIX = re.compile(r"[abciow12]/")
"""git's own prefixes: a/ and b/, those of diff.mnemonicPrefix, and those of --no-index."""
_PREFIXES_DIFFER_BY = 32
"""Characters by which the longer of two prefixes outgrows the other; they are equal by default."""
_SUBMODULE = re.compile(r"Submodule (.+?) [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?: \((.+)\))?:?\r?$")
_EMPTY_BLOBS = ("e69de29", "473a0f4")
"""How git names an empty file, by SHA-1 and by SHA-256."""
_LONGEST_LINE = 40_000
"""Characters of a header: two paths of 4,096 bytes (PATH_MAX), each byte an octal escape."""


class NameProblem(StrEnum):
    """Why the name that a header gives is not the name of a file."""

    LEADS_OUTSIDE = "its path leads outside the repository"
    NO_NAME = "its name cannot be made out"
    TWO_NAMES = "the lines of its header name different files"


_ESCAPE = re.compile(r'\\([abfnrtv"\\]|[0-7]{1,3})')
_ESCAPED = {
    "a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """A file's names and modes. `problem` says why what follows cannot be trusted.

    `explains_itself` is True if no hunks need to follow.
    """

    path: str
    old_path: str | None
    status: FileStatus
    old_mode: str | None = None
    new_mode: str | None = None
    is_binary: bool = False
    explains_itself: bool = False
    problem: str | None = None

    @property
    def is_submodule(self) -> bool:
        """Whether either side is a commit of another repository."""
        return _SUBMODULE_MODE in (self.old_mode, self.new_mode)

    @property
    def is_unnamed(self) -> bool:
        """Whether `path` is not the name of a file, so that no glob over names can be trusted."""
        return isinstance(self.problem, NameProblem)


def is_git_header(line: str) -> bool:
    """Whether a line begins a file of a git diff, combined or not."""
    return line.startswith((_GIT, *_COMBINED))


def read_git_header(lines: Sequence[str]) -> tuple[Header, int]:
    """The header that `lines` begin with, and how many lines it takes."""
    first = lines[0]
    if not first.startswith(_GIT):
        path, _ = _unquote(next(first.removeprefix(p) for p in _COMBINED if first.startswith(p)))
        return _build_modified(
            path, "a combined diff of a merge does not tell one change from another"
        ), 1
    fields: dict[str, str] = {}
    for line in lines[1:]:
        prefix = next((prefix for prefix in _EXTENDED if line.startswith(prefix)), None)
        if prefix is None or prefix in fields:
            break
        fields[prefix] = line.removeprefix(prefix)
    return _build_git_header(first.removeprefix(_GIT), fields), 1 + len(fields)


def build_plain_header(old: str, new: str) -> Header:
    """The header of a file that only `---` and `+++` lines begin, given what stands behind them.

    If the two name different files, the change is to the one behind `+++`.
    """
    (old_name, old_problem), (new_name, new_problem) = _parse_file_name(old), _parse_file_name(new)
    problem = old_problem or new_problem
    if old_name == _DEV_NULL:
        path = _strip_prefix(new_name)
        return _build_checked(path, None, FileStatus.ADDED, problem=problem)
    if new_name == _DEV_NULL:
        path = _strip_prefix(old_name)
        return _build_checked(path, path, FileStatus.REMOVED, problem=problem)
    _, path = _strip_prefixes(old_name, new_name)
    return _build_checked(path, path, FileStatus.MODIFIED, problem=problem)


def parse_standalone_header(line: str) -> Header | None:
    """The file that one line by itself is about: binary, or a submodule in git's `log` format."""
    if len(line) > _LONGEST_LINE:
        return None
    if line.startswith("Binary files ") and line.endswith(" differ") and " and " in line:
        names = line.removeprefix("Binary files ").removesuffix(" differ")
        old, _, new = names.rpartition(" and ")
        header = build_plain_header(old, new)
        return _build_checked(
            header.path, header.old_path, header.status,
            is_binary=True, explains_itself=True, problem=header.problem,
        )  # fmt: skip
    if match := _SUBMODULE.match(line):
        path, problem = _unquote(match[1])
        status = {
            "new submodule": FileStatus.ADDED,
            "submodule deleted": FileStatus.REMOVED,
        }.get(match[2], FileStatus.MODIFIED)
        return _build_checked(
            path, None if status is FileStatus.ADDED else path, status,
            old_mode=_SUBMODULE_MODE, new_mode=_SUBMODULE_MODE,
            explains_itself=True, problem=problem,
        )  # fmt: skip
    return None


def _build_git_header(names: str, fields: dict[str, str]) -> Header:
    status = _detect_status(fields)
    old, new, problem = _choose_names(names, fields)
    index = fields.get("index ", "").split()
    unchanged_mode = index[1] if len(index) == 2 else None
    is_binary = "Binary files " in fields or "GIT binary patch" in fields
    return _build_checked(
        old if status is FileStatus.REMOVED else new,
        None if status is FileStatus.ADDED else old,
        status,
        old_mode=_get_mode(fields, "old mode ", "deleted file mode ") or unchanged_mode,
        new_mode=_get_mode(fields, "new mode ", "new file mode ") or unchanged_mode,
        is_binary=is_binary,
        explains_itself=is_binary or _is_self_explanatory(status, fields, index),
        problem=problem,
    )


def _detect_status(fields: dict[str, str]) -> FileStatus:
    old, new = (fields.get(side, "").rstrip() for side in ("--- ", "+++ "))
    if "new file mode " in fields or old == _DEV_NULL:
        return FileStatus.ADDED
    if "deleted file mode " in fields or new == _DEV_NULL:
        return FileStatus.REMOVED
    if "rename to " in fields:
        return FileStatus.RENAMED
    return FileStatus.COPIED if "copy to " in fields else FileStatus.MODIFIED


def _choose_names(names: str, fields: dict[str, str]) -> tuple[str, str, str | None]:
    """The old name, the new one, and what is wrong with them."""
    for kind in ("rename", "copy"):
        if f"{kind} from " in fields and f"{kind} to " in fields:
            old, old_problem = _unquote(fields[f"{kind} from "])
            new, new_problem = _unquote(fields[f"{kind} to "])
            return old, new, old_problem or new_problem or _find_disagreement(old, new, fields)
    # `diff --git a/x y b/x y`: a name may hold blanks, and nothing tells where the second begins
    # but that both are the same.
    for space in re.finditer(" ", names[:_LONGEST_LINE]):
        # Equal names leave one blank near the middle. Trying all would be quadratic for a hostile
        # header.
        if abs(2 * space.start() + 1 - len(names)) > _PREFIXES_DIFFER_BY:
            continue
        old, old_problem = _unquote(names[: space.start()])
        new, new_problem = _unquote(names[space.end() :])
        bare_old, bare_new = _strip_prefixes(old, new)
        if bare_old == bare_new:
            problem = old_problem or new_problem or _find_disagreement(bare_old, bare_new, fields)
            return bare_old, bare_new, problem
    if "--- " in fields and "+++ " in fields:
        header = build_plain_header(fields["--- "], fields["+++ "])
        return header.path, header.path, header.problem
    return names, names, NameProblem.NO_NAME


def _find_disagreement(old: str, new: str, fields: dict[str, str]) -> str | None:
    for side, expected in (("--- ", old), ("+++ ", new)):
        if side in fields:
            name, _ = _parse_file_name(fields[side])
            if name not in (_DEV_NULL, expected) and name.partition("/")[2] != expected:
                return NameProblem.TWO_NAMES
    return None


def _get_mode(fields: dict[str, str], *names: str) -> str | None:
    return next((fields[name] for name in names if name in fields), None)


def _is_self_explanatory(status: FileStatus, fields: dict[str, str], index: list[str]) -> bool:
    """Whether the header alone is the whole change: a name, a mode, or an empty file."""
    before, _, after = index[0].partition("..") if index else ("", "", "")
    if status is FileStatus.ADDED:
        return not after or after.startswith(_EMPTY_BLOBS)
    if status is FileStatus.REMOVED:
        return not before or before.startswith(_EMPTY_BLOBS)
    return before == after and len(fields) > 0


def _build_modified(path: str, problem: str) -> Header:
    return _build_checked(path, path, FileStatus.MODIFIED, problem=problem)


def _build_checked(
    path: str,
    old_path: str | None,
    status: FileStatus,
    *,
    old_mode: str | None = None,
    new_mode: str | None = None,
    is_binary: bool = False,
    explains_itself: bool = False,
    problem: str | None = None,
) -> Header:
    if not _is_inside(path) or not (old_path is None or _is_inside(old_path)):
        problem = NameProblem.LEADS_OUTSIDE
    return Header(path, old_path, status, old_mode, new_mode, is_binary, explains_itself, problem)


def _is_inside(path: str) -> bool:
    # A rule's glob and a fix's path both trust the name: neither may reach out of the repository.
    return not {"", ".", "..", ".git"} & set(path.split("/"))


def _parse_file_name(field: str) -> tuple[str, str | None]:
    """The name behind `---` or `+++`, up to the tab that git and diff put behind it."""
    name, problem = _unquote(field.partition("\t")[0])
    return name.removeprefix("./"), problem


def _unquote(name: str) -> tuple[str, str | None]:
    """A name as it is on disk, and what is wrong with it."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        problem = "its name is not UTF-8" if "\ufffd" in name else None
        return name.rstrip("\r"), problem
    out = bytearray()
    end = 1
    for match in _ESCAPE.finditer(name, 1, len(name) - 1):
        out += name[end : match.start()].encode()
        code = match[1]
        # Three octal digits reach 511; git writes a byte.
        out.append(_ESCAPED[code] if code in _ESCAPED else int(code, 8) & 0xFF)
        end = match.end()
    out += name[end:-1].encode()
    try:
        return out.decode(), None
    except UnicodeDecodeError:
        return out.decode(errors="replace"), "its name is not UTF-8"


def _strip_prefixes(old: str, new: str) -> tuple[str, str]:
    """The names without a/ and b/, or whatever one folder stands before both; `--no-prefix` too."""
    if old == new:
        return old, new
    old_rest, new_rest = old.partition("/")[2], new.partition("/")[2]
    if old_rest == new_rest != "":
        return old_rest, new_rest
    return _strip_prefix(old), _strip_prefix(new)


def _strip_prefix(name: str) -> str:
    return name[2:] if _PREFIX.match(name) else name
